"""The inside of a worker process: one trial after the other, and why one failed."""

from __future__ import annotations

import importlib
import io
import multiprocessing
import os
import pickle
import signal
import socket
import threading
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from multiprocessing.connection import Connection

from ..core.errors import NmfreproError
from ..protocols import Protocol, Samples, Task
from ..registry import plugins
from ..results.record import TrialRecord
from .provenance import installation
from .record import failed, times_now, trial_record, untried

# What a worker says before its first result.
STARTED, READY = "started", "ready"


@dataclass(frozen=True)
class Job:
    """What all trials of a run share; sent to every worker once."""

    protocol: Protocol
    samples: Samples
    keep: tuple[str, ...] = ()  # what comes back besides the numbers: labels, trace, factors
    timeout: float | None = None  # seconds one trial may take before its worker is ended
    # Modules that a worker imports before its first trial.  They would be imported when they are needed, but
    # that takes seconds, which must not count where trials are timed.
    libraries: tuple[str, ...] = ()
    # What every worker must have: that with which the keys of the trials were made.
    installation: Mapping[str, str] = field(default_factory=dict)

    def load_libraries(self) -> None:
        """Import them in this process."""
        for name in self.libraries:
            importlib.import_module(name)


def pack(job: Job) -> bytes:
    """A job for a worker, of another machine perhaps."""
    packed = io.BytesIO()
    pickle.dump(job.installation, packed)  # read before anything that another installation may not know
    pickle.dump(job, packed)
    return packed.getvalue()


def unpack(packed: bytes) -> Job:
    """The job in a worker, which is now ready for its first trial.

    Raises
    ------
    NmfreproError
        If the installation of this process is not that of the run.
    """
    content = io.BytesIO(packed)
    check_installation(pickle.load(content))
    job: Job = pickle.load(content)
    job.load_libraries()
    return job


def check_installation(expected: Mapping[str, str]) -> None:
    """Raise `NmfreproError` where this process has imported something else than the run."""
    for what, version in installation(plugins.imported()).items():
        if version != expected[what]:
            raise NmfreproError(
                f"the worker {socket.gethostname()}/{os.getpid()} has {what} {version}, and here is "
                f"{expected[what]}; give both the same, edit no file meanwhile, and start again"
            )


def serve(pipe: Connection) -> None:
    """The life of a worker process."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _end_with_parent()
    # The run is over when the pipe ends, whatever is being said at that moment.
    with suppress(EOFError, OSError):
        pipe.send(STARTED)
        try:
            job = unpack(pipe.recv_bytes())
        except NmfreproError as error:
            pipe.send(error)
            return
        pipe.send(READY)
        while True:
            trial: Task = pipe.recv()
            pipe.send(attempt(trial, job))


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
    if interrupted:
        return untried(trial)
    times = times_now(time.perf_counter() - start, process)
    if error is not None:
        return failed(trial, error, times)
    return trial_record(job.protocol, trial, outcome, job.keep, times)


def _end_with_parent() -> None:
    """End this process as soon as the run's is gone, in the middle of a trial too."""
    parent = multiprocessing.parent_process()
    assert parent is not None

    def watch() -> None:
        parent.join()
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()
