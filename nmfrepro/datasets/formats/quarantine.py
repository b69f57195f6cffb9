"""Files that are not ours are read in a child process with a bound on memory and time.

Libraries crash on damaged files, go in circles, or take what a header claims; here that ends the child, and
the parent says so.  It is forked, so that nothing is imported again, and it works in pools, daemons and
scripts on standard input.  Where a system cannot fork, the file is read in this process, without bounds.
"""

from __future__ import annotations

import faulthandler
import os
import pickle
import signal
import warnings
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import IO, Any, TypeVar

from ...core.errors import DataError, NmfreproError, reason

T = TypeVar("T")

# Of the child, beyond what it starts with; half of the machine's at most.  All 70,000 images of MNIST take
# 0.4 GiB as float64.
MEMORY = 8 * 2**30
# Processor time: a start, and so much for a megabyte of the file.  Ten times as long may pass on the clock.
SECONDS, SECONDS_PER_MB, PATIENCE = 30, 3, 10


def guarded(read: Callable[..., T], path: Path, *args: Any) -> T:
    """`read(path, *args)` in this process; whatever a library raises becomes one line.

    Raises
    ------
    NmfreproError
        What `read` says of the file, or that it is damaged or too large.
    """
    try:
        return read(path, *args)
    except NmfreproError:
        raise
    except (MemoryError, OverflowError) as error:
        most = f"{MEMORY / 2**30:g} GiB or half of this machine's"
        what = f"{path} needs more memory than a reader may take, {most} ({reason(error)})"
        raise DataError(f"{what}; it is damaged, or must be cut into parts") from None
    except Exception as error:
        what = f"{path} is damaged or not what it seems ({reason(error)})"
        raise DataError(f"{what}; fetch or copy it again") from None


def quarantined(read: Callable[..., T], path: Path, *args: Any) -> T:
    """`read(path, *args)` in a child process, its answer handed back.

    Parameters
    ----------
    read : callable
        Returns what can be pickled.
    path : Path
        The file or folder, whose size bounds the time.

    Raises
    ------
    NmfreproError
        As `guarded`; also where reading takes too long, too much memory, or ends the process.
    """
    if not hasattr(os, "fork"):
        return guarded(read, path, *args)
    seconds = SECONDS + SECONDS_PER_MB * _size(path) // 10**6
    receiver, sender = os.pipe()
    with warnings.catch_warnings():
        # Python 3.12 warns where other threads run; a child that waits for their locks is ended in time.
        warnings.simplefilter("ignore", DeprecationWarning)
        child = os.fork()
    if child == 0:
        _answer(sender, seconds, read, path, *args)
    os.close(sender)
    answer: Any = None
    try:
        with open(receiver, "rb") as stream, suppress(EOFError, pickle.UnpicklingError):
            answer = pickle.load(stream)  # of our own process
    finally:
        if answer is None:
            with suppress(ProcessLookupError):
                os.kill(child, signal.SIGKILL)
        ended_by = _ended(child)
    if answer is None:
        raise _failure(path, ended_by, seconds)
    if isinstance(answer[0], NmfreproError):
        raise answer[0]
    return answer[0]


def _answer(pipe: int, seconds: int, read: Callable[..., Any], path: Path, *args: Any) -> None:
    """The child: read within bounds, send the answer, and be gone without a trace of the parent's."""
    try:
        stream = _alone(pipe)
        _bound(seconds)
        try:
            answer = guarded(read, path, *args)
        except NmfreproError as error:
            answer = error
        pickle.dump((answer,), stream, protocol=5)
        stream.flush()
    finally:
        os._exit(0)


def _alone(pipe: int) -> IO[bytes]:
    """Cut the child off from the parent's terminal, signals and crash reports."""
    import fcntl

    stream = os.fdopen(fcntl.fcntl(pipe, fcntl.F_DUPFD_CLOEXEC, 3), "wb")
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the parent's, which ends the child
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    faulthandler.disable()
    null = os.open(os.devnull, os.O_RDWR)
    for standard in (0, 1, 2):
        os.dup2(null, standard)
    warnings.simplefilter("ignore")
    return stream


def _bound(seconds: int) -> None:
    """Limit time and memory, the latter where the system tells what is used already."""
    import resource

    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    signal.alarm(PATIENCE * seconds)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    with suppress(OSError, ValueError):
        resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 5))
        page = os.sysconf("SC_PAGE_SIZE")
        used = int(Path("/proc/self/statm").read_text().split()[0]) * page
        most = min(MEMORY, os.sysconf("SC_PHYS_PAGES") * page // 2)
        resource.setrlimit(resource.RLIMIT_AS, (used + most, used + most))


def _ended(child: int) -> int:
    """The signal that ended the child; 0 for none, or where its end was seen by others."""
    with suppress(ChildProcessError):
        return max(0, -os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
    return 0


def _failure(path: Path, ended_by: int, seconds: int) -> DataError:
    if ended_by in (signal.SIGXCPU, signal.SIGALRM):
        what = f"{path} takes more than {seconds} seconds to read, out of proportion to its size"
        how = "it is damaged, or unfolds to a multiple; fetch it again, or save it as .npz"
        return DataError(f"{what}: {how}")
    how = signal.Signals(ended_by).name if ended_by else "no answer"
    return DataError(f"{path} is damaged: reading it ends the reader ({how}); fetch or copy it again")


def _size(path: Path) -> int:
    """Bytes of a file, or of all files below a folder."""
    with suppress(OSError):
        return sum(entry.stat().st_size for entry in (path, *path.rglob("*")) if entry.is_file())
    return 0
