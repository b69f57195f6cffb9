"""Trials in worker processes, one BLAS and OpenMP thread each.

A worker that is killed, hangs beyond the time allowed or runs out of memory costs its own trial only.
"""

from __future__ import annotations

import os
import signal
import socket
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, CancelledError, Future, wait
from dataclasses import dataclass
from types import FrameType, TracebackType
from typing import Self

from .plan import Trial
from .protocols import Outcome, Protocol, Samples

# How often the wait for workers looks for Ctrl-C, in seconds.
POLL = 0.5


@dataclass(frozen=True)
class Finished:
    """A trial that has ended, well or not.

    Attributes
    ----------
    trial : Trial
    outcome : Outcome or None
        None if it failed.
    error : BaseException or None
        Why it failed.
    seconds : float
        Wall time in the worker; up to the failure as seen from here, if it failed.
    worker : str
        "host/process id" of the worker, where known.
    """

    trial: Trial
    outcome: Outcome | None
    error: BaseException | None
    seconds: float
    worker: str


class _Worker:
    """What a worker process holds between trials: set once by `_prepare`, read by `_work`."""

    protocol: Protocol
    samples: Samples


def _prepare(protocol: Protocol, samples: Samples) -> None:
    """First call in a new worker: one thread, no Ctrl-C of its own, and the data."""
    from threadpoolctl import threadpool_limits

    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threadpool_limits(1)
    _Worker.protocol, _Worker.samples = protocol, samples


def _work(trial: Trial) -> tuple[Outcome, float, str]:
    """Run one trial in a worker; also its seconds and the worker's name."""
    start = time.perf_counter()
    outcome = _Worker.protocol.run(trial.task, _Worker.samples)
    return outcome, time.perf_counter() - start, f"{socket.gethostname()}/{os.getpid()}"


class Interrupts:
    """Counts Ctrl-C while active: one asks to finish the running trials, two to stop now."""

    def __init__(self, on_first: Callable[[], None]) -> None:
        self.count = 0
        self._on_first = on_first

    def __enter__(self) -> Self:
        self._old = signal.signal(signal.SIGINT, self._note)
        return self

    def _note(self, number: int, frame: FrameType | None) -> None:
        self.count += 1
        if self.count == 1:
            self._on_first()

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        signal.signal(signal.SIGINT, self._old)


def run_trials(
    trials: Sequence[Trial],
    protocol: Protocol,
    samples: Samples,
    jobs: int,
    timeout: float | None,
    interrupts: Interrupts,
) -> Iterator[Finished]:
    """Yield trials as they finish; stops early, without an error, when interrupted.

    Parameters
    ----------
    trials : sequence of Trial
        In the order to start them.
    protocol, samples
        Sent to every worker once.
    jobs : int
        Worker processes.
    timeout : float or None
        Seconds one trial may take before its worker is ended.
    interrupts : Interrupts
        Where Ctrl-C is counted.
    """
    import multiprocessing

    from pebble import ProcessPool

    pool = ProcessPool(
        max_workers=jobs,
        context=multiprocessing.get_context("spawn"),
        initializer=_prepare,
        initargs=(protocol, samples),
    )
    waiting = iter(trials)
    running: dict[Future[tuple[Outcome, float, str]], tuple[Trial, float]] = {}

    def start_next() -> None:
        if interrupts.count == 0 and (trial := next(waiting, None)) is not None:
            running[pool.schedule(_work, args=(trial,), timeout=timeout)] = (trial, time.perf_counter())

    try:
        for _ in range(jobs):
            start_next()
        while running and interrupts.count < 2:
            for future in wait(running, timeout=POLL, return_when=FIRST_COMPLETED).done:
                trial, since = running.pop(future)
                start_next()
                yield _finished(trial, future, time.perf_counter() - since)
    finally:
        if running:
            pool.stop()
        else:
            pool.close()
        pool.join()


def _finished(trial: Trial, future: Future[tuple[Outcome, float, str]], seconds: float) -> Finished:
    error = CancelledError() if future.cancelled() else future.exception()
    if error is not None:
        return Finished(trial, None, error, seconds, "")
    outcome, inside, worker = future.result()
    return Finished(trial, outcome, None, inside, worker)
