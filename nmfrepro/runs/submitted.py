"""Trials as jobs of a batch system, through submitit, with the interface of `workers.run_trials`.

Each job takes its share of the trials and writes every answer into a folder beside the results, where it is
found within a second.  What a job that was ended has not done is left for the same command to go on with.
"""

from __future__ import annotations

import os
import pickle
import shutil
import tempfile
import time
from collections.abc import Callable, Generator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from ..core.errors import NmfreproError, Setting
from ..protocols import Task
from ..registry import plugins
from ..results.record import TrialRecord
from ..spec.scalars import resolve
from .attempts import Job
from .cluster import installation, work
from .workers import Interrupts

POLL = 1.0
STOP = "stop"


def run_submitted(
    trials: Sequence[Task],
    job: Job,
    where: str,
    jobs: int,
    interrupts: Interrupts,
    announce: Callable[[str], None],
    results: Path,
) -> Generator[TrialRecord, None, None]:
    """Yield trials as they finish in jobs, as `run_trials` does.

    Parameters
    ----------
    where : str
        The batch system with submitit's parameters: "slurm,slurm_partition=cpu,timeout_min=120", or "local".
    jobs : int
        How many jobs share the trials.
    results : Path
        A folder that the jobs see too; theirs is made in it, and removed unless one was ended.

    Raises
    ------
    NmfreproError
        If submitit is not installed, the batch system is not there or takes no such parameter, or a job has
        another installation of nmfrepro or of what it computes with.
    """
    if not trials:
        return
    folder = Path(tempfile.mkdtemp(prefix=".submitted-", dir=results.resolve()))
    ours, packed = installation(plugins.records()), np.frombuffer(pickle.dumps(job), np.uint8)
    submitted: list[Any] = []
    lost = False
    try:
        executor = _executor(where, folder / "logs")
        count = min(jobs, len(trials))
        parts = [trials[first::count] for first in range(count)]
        with executor.batch():
            submitted += [executor.submit(run_part, packed, part, ours, folder) for part in parts]
        announce(f"  {len(parts)} jobs: {', '.join(each.job_id for each in submitted[:5])}")
        keys = ([trial.key for trial in part] for part in parts)
        running = list(zip(submitted, keys, strict=True))
        while running and interrupts.count < 2:
            if interrupts.count:
                interrupts.tell(announce)
                (folder / STOP).touch()
            # Asked first: a job's last answer is there before it has ended.
            ended = [(each, left) for each, left in running if each.done()]
            for _, left in running:
                for key in list(left):
                    if (path := folder / key).exists():
                        left.remove(key)
                        yield pickle.loads(path.read_bytes())
            for each, left in ended:
                running.remove((each, left))
                error = each.exception() if left else None
                if left and error is None and each.result():
                    raise NmfreproError(each.result())
                if error is not None:
                    lost = True
                    announce(f"Job {each.job_id} ended before its trials were done; see {folder / 'logs'}")
            time.sleep(POLL)
    finally:
        for each in submitted:
            if not each.done():
                each.cancel()
        if not lost:
            shutil.rmtree(folder, ignore_errors=True)


def run_part(packed: np.ndarray, trials: Sequence[Task], ours: dict[str, str], folder: Path) -> str:
    """In a job: run trials and write their answers; what is wrong with its installation, if anything."""
    for trial in trials:
        if (folder / STOP).exists():
            break
        try:
            answer = work(packed, pickle.dumps(trial), ours)
        except NmfreproError as error:
            return str(error)
        new = folder / f"{trial.key}.{os.getpid()}"
        new.write_bytes(pickle.dumps(answer))
        new.rename(folder / trial.key)
    return ""


def _executor(where: str, logs: Path) -> Any:
    system, *settings = where.split(",")
    pairs = [setting.partition("=") for setting in settings]
    try:
        import submitit
    except ModuleNotFoundError:
        raise NmfreproError(Setting("submit"), " needs the package submitit: pip install submitit") from None
    try:
        executor = submitit.AutoExecutor(folder=logs, cluster=system)
        executor.update_parameters(**{name: resolve(value) for name, _, value in pairs})
    except (RuntimeError, ValueError, NameError, TypeError, AssertionError) as error:
        text = " ".join(str(error).split())
        raise NmfreproError(Setting("submit", where), f": {text or type(error).__name__}") from None
    return executor
