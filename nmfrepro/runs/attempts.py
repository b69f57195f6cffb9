"""The inside of a worker process: one trial after the other, and why one failed."""

from __future__ import annotations

import importlib
import multiprocessing
import os
import signal
import threading
import time
from contextlib import suppress
from dataclasses import dataclass
from multiprocessing.connection import Connection

from ..core.errors import NmfreproError
from ..protocols import Protocol, Samples, Task
from ..registry import plugins
from ..results.record import TrialRecord
from .record import failed, trial_record, untried

# What a worker says before its first result.
STARTED, READY = "started", "ready"


@dataclass(frozen=True)
class Job:
    """What all trials of a run share; sent to every worker once."""

    protocol: Protocol
    samples: Samples
    keep: tuple[str, ...] = ()  # what comes back besides the numbers: labels, trace, factors
    timeout: float | None = None  # seconds one trial may take before its worker is ended
    # The plug-ins that the keys of the trials were made with; a worker has no others.
    plugins: tuple[plugins.Plugin, ...] = ()
    # Modules that a worker imports before its first trial.  They would be imported when they are needed, but
    # that takes seconds, which must not count where trials are timed.
    libraries: tuple[str, ...] = ()


def serve(pipe: Connection) -> None:
    """The life of a worker process."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _end_with_parent()
    # The run is over when the pipe ends, whatever is being said at that moment.
    with suppress(EOFError, OSError):
        pipe.send(STARTED)
        job: Job = pipe.recv()
        for name in job.libraries:
            importlib.import_module(name)
        pipe.send(other_plugins(job) or READY)
        while True:
            trial: Task = pipe.recv()
            pipe.send(attempt(trial, job))


def other_plugins(job: Job) -> NmfreproError | None:
    """What is wrong where this process has imported other plug-ins than the run."""
    mine = plugins.imported()
    if mine == job.plugins:
        return None
    here, there = (plugins.described(each) or "no plug-in" for each in (mine, job.plugins))
    return NmfreproError(
        f"a worker has {here}, and the run {there}: a file was edited after it was imported; start again"
    )


def attempt(trial: Task, job: Job) -> TrialRecord:
    """Run one trial in this process; it stays "missing" if its method has raised KeyboardInterrupt."""
    process, start = os.getpid(), time.perf_counter()
    error, interrupted = None, False
    try:
        outcome = job.protocol.run(trial, job.samples)
    except NmfreproError as failure:
        error = str(failure)
    except MemoryError:
        error = "out of memory"
    except KeyboardInterrupt:
        interrupted = True
    except (Exception, SystemExit) as failure:  # the border: whatever it is, it is this trial's reason
        error = plugins.failure_in_words(failure)
    if os.getpid() != process:  # a copy that a method has made of this process; its answer is nobody's
        os._exit(1)
    seconds = time.perf_counter() - start
    if interrupted:
        return untried(trial)
    if error is not None:
        return failed(trial, error, seconds, process)
    return trial_record(trial, outcome, job.keep, seconds)


def _end_with_parent() -> None:
    """End this process as soon as the run's is gone, in the middle of a trial too."""
    parent = multiprocessing.parent_process()
    assert parent is not None

    def watch() -> None:
        parent.join()
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()
