"""Trials in worker processes, one BLAS and OpenMP thread each.

Every worker has a pipe of its own, so that one that is killed, hangs beyond the time allowed or runs out of
memory costs its own trial only, and they all end when this process does, however it ends.
"""

from __future__ import annotations

import math
import multiprocessing
import os
import signal
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import contextmanager, suppress
from multiprocessing import resource_tracker
from multiprocessing.connection import wait
from types import ModuleType

from ..core.errors import NmfreproError, Setting
from ..core.threads import one_thread
from ..protocols import Task
from ..results.record import TrialRecord
from .attempts import READY, STARTED, Job, attempt, check_installation, pack, serve
from .interrupts import Interrupts
from .record import failed, times_now

# How often the wait for workers looks for Ctrl-C where no signal can end it (on Windows), in seconds.
POLL = 0.5
# A wait that took so much longer than it should was one in which this process was stopped, in seconds.
STOPPED = 2.0
# A worker that has nothing to do is given this long to end by itself, in seconds.
PATIENCE = 5.0
# So many workers in a row that end before they are ready end the run.
FAILED_STARTS = 3
# What a process inherits belongs to this whole process: runs in several threads start their workers in turn.
STARTING = threading.Lock()
THREADS = (
    "OMP_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "MKL_NUM_THREADS",
    "BLIS_NUM_THREADS",
    "VECLIB_MAXIMUM_THREADS",
)


def run_trials(
    trials: Sequence[Task],
    job: Job,
    jobs: int,
    interrupts: Interrupts,
    announce: Callable[[str], None] = print,
) -> Generator[TrialRecord, None, None]:
    """Yield trials as they finish; stops early, without an error, when interrupted.

    Parameters
    ----------
    trials : sequence of Task
        In the order to start them.
    job : Job
        What they share.
    jobs : int
        Worker processes.
    interrupts : Interrupts
        Where Ctrl-C is counted.
    announce : callable
        Told what a user should know, a line at a time.

    Raises
    ------
    NmfreproError
        If no worker process can be started.
    """
    if trials and _is_worker():
        without = " without timeout" if job.timeout else ""
        announce(
            f"  this is a worker process itself: trials run in this process, one after the other{without}"
        )
        yield from _run_here(trials, job, interrupts, announce)
        return
    waiting = deque(trials)
    crew: list[_Worker] = []
    failed_starts = 0
    looked = time.monotonic()
    try:
        for _ in range(min(jobs, len(trials))):
            crew.append(_start(job))
        while crew:
            heard = _heard_from(crew, interrupts)
            # While a run is stopped (Ctrl-Z) so are its workers: that time is not their trials'.
            now = time.monotonic()
            if now - looked > POLL + STOPPED:
                for worker in crew:
                    worker.deadline += now - looked
            looked = now
            if interrupts.count > 1:
                return
            interrupts.tell(announce)
            answers = [each for worker in heard if (each := worker.hear()) is not None]
            if interrupts.count > 1:  # which the workers may have had too: that is no failure of their trials
                return
            if interrupts.count:
                waiting.clear()
            dead = [worker for worker in heard if not worker.alive]
            failed_starts = 0 if any(worker.ready for worker in heard) else failed_starts + len(dead)
            crew = [worker for worker in crew if worker not in dead]
            for worker in crew:
                if worker.idle and waiting:
                    worker.give(waiting.popleft())
            # Only now, so that no worker waits while this trial is written down.
            yield from (each for each in answers if isinstance(each, TrialRecord))
            # And only behind what the others have finished.
            for each in answers:
                if isinstance(each, NmfreproError):
                    raise each
            if failed_starts >= FAILED_STARTS:
                raise NmfreproError(
                    f"worker processes cannot be started ({dead[0].ending()}); what they wrote stands above"
                )
            for _ in dead[: len(waiting)]:
                crew.append(_start(job))
            for worker in [each for each in crew if each.idle]:
                crew.remove(worker)
                worker.dismiss()
    finally:
        for worker in crew:
            worker.kill()


def _is_worker() -> bool:
    """Whether this process is a worker of joblib or of a pool, which cannot start any."""
    joblib = multiprocessing.get_start_method(allow_none=True) == "loky"
    return joblib or multiprocessing.current_process().daemon


def _run_here(
    trials: Sequence[Task], job: Job, interrupts: Interrupts, announce: Callable[[str], None]
) -> Generator[TrialRecord, None, None]:
    """Trials in this process, with the threads that a worker has."""
    check_installation(job.installation)
    job.load_libraries()
    for trial in trials:
        if interrupts.count:
            interrupts.tell(announce)
            return
        with one_thread():
            finished = attempt(trial, job)
        yield finished


def _heard_from(crew: Sequence[_Worker], interrupts: Interrupts) -> list[_Worker]:
    """The workers that have said something, have died, or have used up their time; perhaps none."""
    left = min([worker.deadline for worker in crew]) - time.monotonic()
    pipes = [interrupts.bell, *(worker.pipe for worker in crew)]
    spoken = wait(pipes, timeout=max(0.0, min(POLL, left)))
    if interrupts.bell in spoken:
        interrupts.bell.recv_bytes()
    now = time.monotonic()
    return [worker for worker in crew if worker.pipe in spoken or worker.deadline <= now]


def _start(job: Job) -> _Worker:
    """A new worker, if the system allows a further process."""
    try:
        return _Worker(job)
    except OSError as error:
        raise NmfreproError(
            f"no further worker process can be started ({error.strerror}); give fewer ",
            Setting("jobs"),
            ", finished trials are kept",
        ) from None


class _Worker:
    """One worker process, as seen from the run."""

    def __init__(self, job: Job) -> None:
        context = multiprocessing.get_context("spawn")
        self.pipe, theirs = context.Pipe()
        self.ready, self.alive = False, True  # whether it has the data, and has not been seen to be dead
        self.trial: Task | None = None  # what it works on, since when, and when that must be done
        self._since, self.deadline = 0.0, math.inf
        self._job = job
        self._process = context.Process(target=serve, args=(theirs,), daemon=True)
        with STARTING, _environment(), _without_interrupts():
            self._process.start()
        theirs.close()

    def hear(self) -> TrialRecord | NmfreproError | None:
        """Receive what the worker says; a trial that has ended, or what is wrong, if that is what it was."""
        if self.deadline <= time.monotonic() and not self.pipe.poll():
            self.kill()
            return self._failure(f"took longer than the timeout of {self._job.timeout:g} s")
        try:
            if not self.pipe.poll():  # its time was up, and was then extended
                return None
            said = self.pipe.recv()
            if said == STARTED:
                self.pipe.send_bytes(pack(self._job))
            elif said == READY:
                self.ready = True
            elif isinstance(said, NmfreproError):
                return said
            elif self.trial is not None and said.key == self.trial.key:  # the answer to what was asked
                return self._ended(said)
        except (EOFError, OSError):
            self._process.join(PATIENCE)
            self.kill()
            return self._failure(f"the worker process died ({self.ending()})") if self.trial else None
        return None

    def _failure(self, error: str) -> TrialRecord:
        assert self.trial is not None
        return self._ended(
            failed(self.trial, error, times_now(time.monotonic() - self._since, self._process.pid))
        )

    def _ended(self, finished: TrialRecord) -> TrialRecord:
        self.trial, self.deadline = None, math.inf
        return finished

    @property
    def idle(self) -> bool:
        """Whether it could begin a trial."""
        return self.alive and self.ready and self.trial is None

    def give(self, trial: Task) -> None:
        """Let the worker begin a trial; should it be dead, that is heard later."""
        self.trial = trial
        self._since = time.monotonic()
        self.deadline = self._since + (self._job.timeout or math.inf)
        with suppress(OSError):
            self.pipe.send(trial)

    def dismiss(self) -> None:
        """Let an idle worker end."""
        self.pipe.close()
        self._process.join(PATIENCE)
        self.kill()

    def kill(self) -> None:
        """End the process now."""
        self.alive = False
        self.pipe.close()
        self._process.kill()
        self._process.join()

    def ending(self) -> str:
        """How the process ended, in words."""
        code = self._process.exitcode
        if code is None or code >= 0:
            return f"exit code {code}"
        name = signal.Signals(-code).name if -code in set(signal.Signals) else f"signal {-code}"
        return f"{name}, as when the system is out of memory" if name == "SIGKILL" else name


def available_cores() -> int:
    """Cores this process may use, containers' limits included."""
    from joblib import cpu_count

    return int(cpu_count())


@contextmanager
def _environment() -> Iterator[None]:
    """What processes started inside find: one thread for linear algebra, and the working folder last.

    A library takes the number of threads whenever it is loaded; a signal.py in the folder is not Python's.
    The user's script is hidden, which multiprocessing would run once more in every worker: methods come from
    files of their own, so no worker needs it.
    """
    path, variables, script = list(sys.path), dict(os.environ), sys.modules["__main__"]
    if sys.path and sys.path[0] in ("", os.getcwd()):
        sys.path.append(sys.path.pop(0))
    os.environ.update(dict.fromkeys((*THREADS, "PYTHONSAFEPATH"), "1"))
    sys.modules["__main__"] = ModuleType("__main__")
    try:
        yield
    finally:
        sys.modules["__main__"] = script
        sys.path[:] = path
        for name in (*THREADS, "PYTHONSAFEPATH"):
            os.environ.pop(name)
            os.environ.update({name: variables[name]} if name in variables else {})


@contextmanager
def _without_interrupts() -> Iterator[None]:
    """Processes started inside never see Ctrl-C, which terminals send to all processes of a command.

    One that comes to this thread meanwhile is held back until the end; it is not lost.
    """
    if sys.platform == "win32":  # no signals are handed on there
        yield
        return
    # It unblocks the signal when it starts with the first process (before Python 3.13).
    resource_tracker.ensure_running()
    old = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, old)
