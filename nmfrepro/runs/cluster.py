"""Trials on the workers of an existing Dask cluster, with the interface of `workers.run_trials`.

This is `distributed` itself and not joblib's Dask backend: that gives up all trials where one has killed its
worker, returns nothing of a running batch after Ctrl-C, and hides which worker a trial ran on.  Here each
trial is a task of its own, as many at a time as the cluster has threads.

Scheduler and workers need this very nmfrepro.  Trials travel as bytes, so that a worker can say that it has
another one, or lacks a plug-in, before it meets what it does not know.
"""

from __future__ import annotations

import functools
import logging
import pickle
import re
from collections import Counter, deque
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import contextmanager, suppress
from queue import Empty, SimpleQueue
from typing import Any

import numpy as np

from .. import __version__
from ..core.errors import NmfreproError, Setting
from ..protocols import Task
from ..results.record import TrialRecord
from .attempts import Job, attempt, pack, unpack
from .interrupts import Interrupts
from .record import failed, times_now

# How often the wait for trials looks for Ctrl-C and for new workers, in seconds.
POLL = 0.5
# How long a scheduler may take to answer, and to have a first worker, in seconds.
PATIENCE = 10


def run_on_cluster(
    trials: Sequence[Task],
    job: Job,
    address: str,
    interrupts: Interrupts,
    announce: Callable[[str], None] = print,
) -> Generator[TrialRecord, None, None]:
    """Yield trials as they finish on a cluster, as `run_trials` does.

    A worker that dies costs nothing but time: its trial runs again on another.  A trial that kills one
    worker after the other (``distributed.scheduler.allowed-failures`` of them) has failed.

    Parameters
    ----------
    job : Job
        Its libraries are imported before the threads of linear algebra are limited to one.
    address : str
        Of the scheduler: tcp://host:8786.
    announce : callable
        Told of the cluster, of the first Ctrl-C, and when no worker is left.

    Raises
    ------
    NmfreproError
        If `distributed` is not installed, the cluster cannot be reached or goes away, has no worker, or a
        worker has another installation of nmfrepro or of what it computes with.
    """
    if not trials:
        return
    waiting, running, done = deque(trials), dict[str, tuple[Any, Task, str]](), SimpleQueue[Any]()
    finished: list[TrialRecord] = []
    lonely = False
    with _connected(address) as client:
        threads = client.nthreads()
        announce(f"  cluster {address}: {len(threads)} worker(s), {sum(threads.values())} trial(s) at a time")
        job_there = _send(client, job)
        while waiting or running or finished:
            threads = client.nthreads()
            if not threads and not lonely:
                announce("No worker is left; waiting for one. Ctrl-C twice stops.")
            lonely = not threads
            for worker in _free(threads, running)[: len(waiting)]:
                trial = waiting.popleft()
                prefer = {"workers": [worker], "allow_other_workers": True}
                future = client.submit(work, job_there, pickle.dumps(trial), pure=False, **prefer)
                running[future.key] = future, trial, worker
                future.add_done_callback(done.put)
            # Only now, so that no worker waits while this trial is written down.
            yield from finished
            finished = []
            if interrupts.count > 1:
                return
            interrupts.tell(announce)
            if interrupts.count:
                waiting.clear()
            with suppress(Empty):
                future, trial, _ = running.pop(done.get(timeout=POLL if running else 0).key)
                finished.append(_finished(trial, future))


@functools.lru_cache(maxsize=1)
def _unpacked(packed: bytes) -> Job:
    """The job of the current run, once for all its trials on this worker."""
    return unpack(packed)


def work(packed: np.ndarray, trial: bytes) -> TrialRecord:
    """Run one trial on a worker; as `attempt` does.

    Raises
    ------
    NmfreproError
        If the installation of this worker differs from that of the run.
    """
    from threadpoolctl import threadpool_limits

    job = _unpacked(packed.tobytes())
    # Not undone at the end: another thread of this worker may be in the midst of a trial.
    threadpool_limits(1)
    return attempt(pickle.loads(trial), job)


def _send(client: Any, job: Job) -> Any:
    """Where the job is on the cluster; every worker fetches it once.

    It is the result of a task that gives it back, and not scattered: scattered data is gone with the last
    worker that holds it, a task is done again by the scheduler.
    """
    import dask

    # It is one array, so that Dask sends its memory as it is; its warning is of data in every task.
    packed = np.frombuffer(pack(job), np.uint8)
    with dask.config.set(
        {"distributed.admin.large-graph-warning-threshold": f"{2 * packed.nbytes + 10**7} B"}
    ):
        return client.submit(np.asarray, packed, pure=False)


# Of anything else distributed makes a scheduler of this process, or waits for ever.
_ADDRESS = re.compile(r"((tcp|tls|ucx|wss?)://)?[^\s/]+:\d+/?|inproc://\S+")


@contextmanager
def _connected(address: str) -> Iterator[Any]:
    """A client of the cluster, once that has a worker."""
    dask = Setting("dask", address)
    if not _ADDRESS.fullmatch(address):
        raise NmfreproError(dask, ": not the address of a scheduler; write tcp://host:8786")
    try:
        import distributed
    except ModuleNotFoundError:
        raise NmfreproError(
            Setting("dask"), " needs the package distributed: pip install distributed"
        ) from None
    # Its tracebacks would come on top of the one line that we say.
    logging.getLogger("distributed.client").setLevel(logging.CRITICAL)
    try:
        client = distributed.Client(address, timeout=PATIENCE, set_as_default=False)
    except (OSError, ValueError) as error:
        raise NmfreproError(dask, f": no scheduler answers there ({_first_line(error)})") from None
    with client:
        try:
            client.wait_for_workers(1, timeout=PATIENCE)
        except TimeoutError:
            raise NmfreproError(
                dask, f": the cluster has no worker; start one with: dask worker {address} --nthreads 1"
            ) from None
        try:
            yield client
        except (OSError, TimeoutError) as error:
            raise NmfreproError(
                dask,
                f": the scheduler is gone ({_first_line(error)}); finished trials are kept, and the same "
                "command goes on",
            ) from None


def _free(threads: dict[str, int], running: dict[str, tuple[Any, Task, str]]) -> list[str]:
    """The workers that could begin a trial, each as often as it has threads without one."""
    busy = Counter(worker for _, _, worker in running.values())
    return [worker for worker, count in threads.items() for _ in range(count - busy[worker])]


def _finished(trial: Task, future: Any) -> TrialRecord:
    """What became of a trial, unless it was its worker's installation that failed, or the cluster."""
    import distributed

    if future.status == "cancelled":
        raise TimeoutError("its tasks were cancelled")
    error = future.exception()
    if error is None:
        finished: TrialRecord = future.result()
        return finished
    if isinstance(error, distributed.scheduler.KilledWorker):
        return failed(trial, f"{error.allowed_failures + 1} workers died while they ran it", times_now(0.0))
    if isinstance(error, NmfreproError):
        raise error
    raise NmfreproError(
        f"the cluster cannot run trials ({type(error).__name__}: {_first_line(error)}); "
        f"install nmfrepro {__version__} on its scheduler and workers"
    )


def _first_line(error: BaseException) -> str:
    return (str(error).splitlines() or [type(error).__name__])[0]
