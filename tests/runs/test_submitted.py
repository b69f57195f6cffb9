"""Trials in jobs of a batch system: submitit's own executor for this machine stands for SLURM."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest
from tiny import entry, make_spec, run_here

from nmfrepro import runs as runner
from nmfrepro.core.errors import NmfreproError, SpecError
from nmfrepro.runs import Prepared, prepare, run

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
    made = run(prepared(tmp_path), tmp_path / "jobs", jobs=2, submit=HERE, announce=lines.append)
    assert (made.present, made.planned, made.computed) == (6, 6, 6)
    assert lines[0].startswith("  2 jobs: ")
    monkeypatch.setattr(runner, "run_trials", run_here)
    here = run(prepared(tmp_path), tmp_path / "here", announce=lines.append)
    assert (made.folder / "trials.csv").read_bytes() == (here.folder / "trials.csv").read_bytes()
    assert not list(made.folder.glob(".submitted-*"))


def test_what_a_job_that_was_ended_left_is_run_again(tmp_path: Path) -> None:
    spec, lines = prepared(tmp_path, does="exit", flag=str(tmp_path / "flag")), list[str]()
    made = run(spec, tmp_path / "jobs", jobs=1, submit=HERE, announce=lines.append)
    assert made.present < 6
    assert any("ended before its trials were done" in line for line in lines)
    again = run(spec, tmp_path / "jobs", jobs=1, submit=HERE, announce=lines.append)
    assert (again.present, again.failed) == (6, 0)


def test_what_cannot_be_submitted_is_told_in_a_line(tmp_path: Path) -> None:
    spec = prepared(tmp_path)
    for where, why in (("slurm", "submit: slurm: .*slurm"), ("local,colour=red", "colour"), ("lsf", "lsf")):
        with pytest.raises(NmfreproError, match=why):
            run(spec, tmp_path / "jobs", submit=where)
    with pytest.raises(SpecError, match="add overrides: timeout=null"):
        run(prepare(make_spec(tmp_path, timeout=5.0)), tmp_path / "jobs", submit=HERE)
