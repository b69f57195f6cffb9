"""Runs of two methods with one worker that say nothing, for tests of what is run and kept."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tiny import entry

from nmfrepro.runs import Summary, prepare, run
from nmfrepro.runs.interrupts import ended_by
from nmfrepro.spec import Spec

COLUMNS = [entry("nmf"), entry("nlcf", mu=0.1)]


def run_quietly(spec: Spec, results: Path, **options: Any) -> Summary:
    """Run with one worker and say nothing, unless it was ended by a signal, as of a time limit on tests."""
    summary = run(prepare(spec), results, **{"jobs": 1, "announce": lambda line: None} | options)
    if summary.interrupted:
        raise ended_by(summary.interrupted)
    return summary


def trials_csv(results: Path) -> bytes:
    """The rows of the tiny spec."""
    return (results / "tiny" / "trials.csv").read_bytes()
