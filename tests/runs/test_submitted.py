"""Trials in jobs of a batch system: submitit's own executor for this machine stands for SLURM."""

from __future__ import annotations

import json
import os
import sys
from contextlib import nullcontext
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from tiny import entry, make_spec, run_here

from nmfrepro.core.errors import NmfreproError, SpecError
from nmfrepro.results.folder import read, read_trials
from nmfrepro.runs import Prepared, RunOptions, prepare, run, submitted
from nmfrepro.runs.interrupts import Interrupts
from nmfrepro.runs.record import untried

submitit = pytest.importorskip("submitit", reason="needs the extra nmfrepro[slurm]")
HERE = "local,timeout_min=5"


@pytest.fixture(autouse=True)
def found_by_jobs(monkeypatch: pytest.MonkeyPatch) -> None:
    """Jobs find nmfrepro and the method that misbehaves where this process has them."""
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(path for path in sys.path if path))


def prepared(folder: Path, **script: str) -> Prepared:
    """NMF and a scripted method on the tiny data: six trials."""
    return prepare(make_spec(folder, [entry("nmf"), entry("scripted", **script)]))


def test_jobs_make_the_rows_that_this_machine_makes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lines: list[str] = []
    made = run(prepared(tmp_path), tmp_path / "jobs", RunOptions(jobs=2, submit=HERE), announce=lines.append)
    assert (made.present, made.planned, made.computed) == (6, 6, 6)
    assert lines[0].startswith("  2 jobs: ")
    monkeypatch.setattr("nmfrepro.runs.execute.run_trials", run_here)
    here = run(prepared(tmp_path), tmp_path / "here", announce=lines.append)
    assert (made.folder / "trials.csv").read_bytes() == (here.folder / "trials.csv").read_bytes()
    assert not list(made.folder.glob(".submitted-*"))


class Batch:
    """A batch system: its first job has another installation, the others have done their first trial."""

    def __init__(self) -> None:
        self.batch, self.jobs = nullcontext, list[SimpleNamespace]()

    def submit(self, work: Any, packed: Any, part: Any, folder: Path) -> SimpleNamespace:
        """A job that has ended."""
        said = "" if self.jobs else "the worker has another nmfrepro"
        if not said:
            submitted._write(folder, untried(part[0]))
        ended = {"done": lambda: True, "exception": lambda: None, "result": lambda: said}
        self.jobs.append(SimpleNamespace(job_id=str(len(self.jobs)), **ended))
        return self.jobs[-1]


def test_what_others_have_finished_is_kept_where_a_job_is_another(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ready = prepared(tmp_path)
    monkeypatch.setattr(submitted, "_executor", lambda where, logs: Batch())
    work = submitted.run_submitted(ready.plan, ready.job, HERE, 2, Interrupts(), print, tmp_path)
    assert next(work).key == ready.plan[1].key
    with pytest.raises(NmfreproError, match="another nmfrepro"):
        next(work)


class Deaf:
    """A batch system whose jobs do all they were given, but whose run never hears of it."""

    batch = nullcontext

    def submit(self, work: Any, *given: Any) -> SimpleNamespace:
        """A job that is done at once."""
        work(*given)
        raise SystemExit  # as where the session ends


def test_what_jobs_finished_after_the_run_was_ended_is_taken_by_the_next(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    spec = prepare(make_spec(tmp_path, [entry("nmf"), entry("scripted", does="bug")], keep=("labels",)))
    monkeypatch.setattr(submitted, "_executor", lambda where, logs: Deaf())
    monkeypatch.setattr(submitted.shutil, "rmtree", lambda *given, **how: None)
    with pytest.raises(SystemExit):
        run(spec, tmp_path / "jobs", RunOptions(jobs=1, submit=HERE), announce=print)
    assert read_trials(tmp_path / "jobs" / "tiny").by_key == {}
    monkeypatch.undo()
    lines: list[str] = []
    made = run(spec, tmp_path / "jobs", RunOptions(jobs=1, submit=HERE, only=["nmf"]), announce=lines.append)
    assert lines == ["  3 trials are of jobs whose run was ended"]
    assert (made.present, made.planned, made.computed) == (3, 3, 3)
    monkeypatch.setattr("nmfrepro.runs.execute.run_trials", run_here)
    here = run(spec, tmp_path / "here", RunOptions(only=["nmf"]), announce=print)
    assert (made.folder / "trials.csv").read_bytes() == (here.folder / "trials.csv").read_bytes()
    arrays = [[*read(each.folder).arrays(read(each.folder).present[0])] for each in (made, here)]
    assert arrays[0] == arrays[1]
    # Of failed trials nothing is taken, nor of another installation.
    (left,) = made.folder.glob(".submitted-*")
    ours = json.loads((left / submitted.INSTALLATION).read_text())
    waiting = {trial.key: trial for trial in spec.plan}
    assert [*submitted._answers([left], waiting, failed=False)] == []
    assert submitted._abandoned(made.folder, ours) == [left]
    assert submitted._abandoned(made.folder, ours | {"Python": "2.7"}) == []


def test_what_a_job_that_was_ended_left_is_run_again(tmp_path: Path) -> None:
    spec, lines = prepared(tmp_path, does="exit", flag=str(tmp_path / "flag")), list[str]()
    made = run(spec, tmp_path / "jobs", RunOptions(jobs=1, submit=HERE), announce=lines.append)
    assert made.present < 6
    assert any("ended before its trials were done" in line for line in lines)
    again = run(spec, tmp_path / "jobs", RunOptions(jobs=1, submit=HERE), announce=lines.append)
    assert (again.present, again.failed) == (6, 0)


def test_what_cannot_be_submitted_is_told_in_a_line(tmp_path: Path) -> None:
    spec = prepared(tmp_path)
    for where, why in (("slurm", "submit: slurm: .*slurm"), ("local,colour=red", "colour"), ("lsf", "lsf")):
        with pytest.raises(NmfreproError, match=why):
            run(spec, tmp_path / "jobs", RunOptions(submit=where))
    with pytest.raises(SpecError, match="add overrides: timeout=null"):
        run(prepare(make_spec(tmp_path, timeout=5.0)), tmp_path / "jobs", RunOptions(submit=HERE))
