"""Trials as jobs of a batch system, through submitit, with the interface of `workers.run_trials`.

Each job takes its share of the trials and writes every answer into a folder beside the results, where it is
found within a second.  Where a job was ended the same command goes on with its other trials, and finds the
answers that jobs went on to write when the run itself was ended.
"""

from __future__ import annotations

import json
import shutil
import tempfile
import time
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

from ..core import files
from ..core.errors import NmfreproError, ResultsError, Setting
from ..core.terminal import counted
from ..core.threads import one_thread
from ..core.typed import from_json, to_json
from ..protocols import Task
from ..results.record import TrialRecord
from ..spec.scalars import resolve
from .attempts import Job, attempt, pack, unpack
from .interrupts import Interrupts

POLL = 1.0
FOLDER = ".submitted-"
# In such a folder: what ends its jobs after the trial they are in, and the installation they must have.
STOP, INSTALLATION = "stop", "installation.json"


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
        A folder that the jobs see too; theirs is made in it, and removed unless one was ended.  Answers in
        those of earlier runs are taken first.

    Raises
    ------
    NmfreproError
        If submitit is not installed, the batch system is not there or takes no such parameter, or a job has
        another installation of nmfrepro or of what it computes with.
    """
    packed = pack(job)
    earlier = _abandoned(results.resolve(), job.installation)
    waiting = {trial.key: trial for trial in trials}
    yield from _answers(earlier, waiting, failed=False)
    if taken := len(trials) - len(waiting):
        announce(f"  {counted(taken, 'trial')} {'is' if taken == 1 else 'are'} of jobs whose run was ended")
    trials = list(waiting.values())
    if not trials:
        return
    folder = Path(tempfile.mkdtemp(prefix=FOLDER, dir=results.resolve()))
    submitted: list[Any] = []
    lost = False
    try:
        files.replace(folder / INSTALLATION, json.dumps(job.installation))
        executor = _executor(where, folder / "logs")
        count = min(jobs, len(trials))
        parts = [trials[first::count] for first in range(count)]
        with executor.batch():
            submitted += [executor.submit(run_part, packed, part, folder) for part in parts]
        announce(f"  {len(parts)} jobs: {', '.join(each.job_id for each in submitted[:5])}")
        left_of = ({trial.key: trial for trial in part} for part in parts)
        running = list(zip(submitted, left_of, strict=True))
        while running and interrupts.count < 2:
            if interrupts.count:
                interrupts.tell(announce)
                (folder / STOP).touch()
            # Asked first: a job's last answer is there before it has ended.
            ended = [(each, left) for each, left in running if each.done()]
            for _, left in running:
                yield from _answers([folder], left)
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


def _abandoned(results: Path, ours: Mapping[str, str]) -> list[Path]:
    """The folders of runs that were ended themselves, whose jobs had our installation; these are to stop."""
    found = []
    for folder in results.glob(f"{FOLDER}*"):
        with suppress(ResultsError, ValueError, OSError):
            if json.loads(files.read(folder / INSTALLATION)) == ours:
                (folder / STOP).touch()
                found.append(folder)
    return found


def _write(folder: Path, answer: TrialRecord) -> None:
    """Write an answer as text, since nothing that lies in folders of results should be unpickled."""
    if answer.arrays is not None:
        files.replace(folder / f"{answer.key}.npz", answer.arrays)
    files.replace(folder / answer.key, json.dumps(to_json(replace(answer, arrays=None))))


def _answers(
    folders: Sequence[Path], waiting: dict[str, Task], failed: bool = True
) -> Generator[TrialRecord, None, None]:
    """The answers that are there to trials that wait for one, by key; they wait no more.

    Each file is removed when the next answer is asked for, since it is kept then.  Without `failed`, those of
    failed trials are passed over.
    """
    for key in list(waiting):
        for folder in folders:
            path, arrays = folder / key, folder / f"{key}.npz"
            if not path.exists():
                continue
            try:
                answer: TrialRecord = from_json(TrialRecord, json.loads(files.read(path)))
                stored = files.read(arrays) if arrays.exists() else None
            except (ResultsError, ValueError):  # of a disk that was full
                continue
            if failed or answer.ok:
                del waiting[key]
                yield replace(answer, key=key, arrays=stored)
                path.unlink(missing_ok=True)
                break


def run_part(packed: bytes, trials: Sequence[Task], folder: Path) -> str:
    """In a job: run trials and write their answers; what is wrong with its installation, if anything."""
    try:
        job = unpack(packed)
    except NmfreproError as error:
        return str(error)
    for trial in trials:
        if (folder / STOP).exists() or not folder.exists():
            break
        with one_thread():
            answer = attempt(trial, job)
        if folder.exists():  # else the run has ended
            _write(folder, answer)
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
