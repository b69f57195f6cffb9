"""Experiments of a second: a little data, specs on it, and methods that misbehave in worker processes.

Worker processes import this module to get at the methods, so it needs no registry.
"""

from __future__ import annotations

import csv
import json
import os
import signal
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from threadpoolctl import threadpool_limits

from nmfrepro import algorithms
from nmfrepro.algorithms import Algorithm, Direct
from nmfrepro.core.errors import FitError
from nmfrepro.core.options import build, option
from nmfrepro.core.problem import Fit, FitSettings, Problem
from nmfrepro.datasets import DatasetOptions
from nmfrepro.protocols import Task
from nmfrepro.protocols.clustering import Clustering
from nmfrepro.results.lines import format_rows
from nmfrepro.results.record import TrialRecord
from nmfrepro.runs import Prepared, RunOptions, Stored, Summary, attempts, prepare, run
from nmfrepro.runs.against import NOTHING_STORED
from nmfrepro.runs.attempts import Job
from nmfrepro.runs.interrupts import ended_by
from nmfrepro.spec import Entry, Spec


@dataclass(frozen=True)
class Scripted(Direct):
    """Labels by the brightest pixel, after doing what it is told to do."""

    name: ClassVar[str] = "scripted"
    title: ClassVar[str] = "Scripted"
    signed: ClassVar[bool] = True

    does: str = option("nothing", help="what goes wrong")
    flag: str = option("", help="a file that is made by the first fit; what goes wrong does so in it only")

    def fit(self, problem: Problem, settings: FitSettings, seed: int) -> Fit:
        """Misbehave, or give labels."""
        notes: tuple[str, ...] = ()
        if not self.flag or not os.path.exists(self.flag):
            if self.flag:
                Path(self.flag).touch()
            notes = misbehave(self.does)
        objective = np.array([float(problem.X.sum())])
        if self.does == "infinite":
            objective = np.array([np.inf])
        return Fit(
            factors={"first": problem.X[:, :1].copy()},
            embedding=None,
            labels=problem.X.argmax(axis=0) % problem.k,
            objective=objective,
            notes=notes,
        )


def misbehave(how: str) -> tuple[str, ...]:
    """Do something that workers must survive, or look at what they are run with; the notes it makes."""
    match how:
        case "bug":
            return (str(1 // 0),)
        case "collapse":
            raise FitError("collapsed: every encoding is zero")
        case "two lines":
            raise FitError("first,\nsecond\x00")
        case "memory":
            raise MemoryError
        case "limited memory":
            import resource

            resource.setrlimit(resource.RLIMIT_AS, (2**31, 2**31))
            return (str(np.ones(2**30).sum()),)
        case "kill":
            os.kill(os.getpid(), signal.SIGKILL)
        case "interrupt":
            raise KeyboardInterrupt
        case "exit":
            os._exit(3)
        case "leave":
            sys.exit("of its own accord")
        case "hang":
            time.sleep(3600)
        case "spin":
            while True:
                pass
        case "fork":
            os.fork()
        case "nap":
            time.sleep(0.5)
        case "threads":
            import scipy.linalg  # noqa: F401  a BLAS and an OpenMP that are loaded late
            import sklearn.cluster  # noqa: F401
            from threadpoolctl import threadpool_info

            return (str(sorted({pool["num_threads"] for pool in threadpool_info()})),)
        case "signals":
            return (str(signal.getsignal(signal.SIGINT) == signal.SIG_IGN),)
        case "process":
            return (str(os.getpid()),)
    return ()


def run_here(trials: Sequence[Task], job: Job, *rest: object) -> Iterator[TrialRecord]:
    """In the place of `run_trials`: trials in this process, for tests of what is run and kept."""
    with threadpool_limits(1):  # threads that wait for each other on a busy machine cost minutes
        for trial in trials:
            yield attempts.attempt(trial, job)


def silent(line: str) -> None:
    """Say nothing."""


def run_quietly(
    spec: Spec | Prepared,
    results: Path,
    announce: Callable[[str], None] = silent,
    stored: Stored = NOTHING_STORED,
    **how: Any,
) -> Summary:
    """Run with one worker and say nothing, unless it was ended by a signal, as of a time limit on tests."""
    prepared = prepare(spec) if isinstance(spec, Spec) else spec
    options = RunOptions(**{"jobs": 1} | how)
    summary = run(prepared, results, options, stored=stored, announce=announce)
    if summary.interrupted:
        raise ended_by(summary.interrupted)
    return summary


def terminated(*given: object) -> Iterator[TrialRecord]:
    """In the place of `run_trials`: SIGTERM comes before the first trial ends."""
    signal.raise_signal(signal.SIGTERM)
    yield from ()


def write_data(folder: Path, classes: int = 3, per_class: int = 8, seed: int = 0) -> Path:
    """A data file of noisy copies of one random picture of 12 pixels per class."""
    rng = np.random.default_rng(seed)
    pictures = rng.random((classes, 12))
    gnd = np.repeat(np.arange(1, classes + 1), per_class)
    fea = np.round(200 * pictures[gnd - 1] + 55 * rng.random((len(gnd), 12)))
    path = folder / "tiny.npz"
    np.savez(path, fea=fea, gnd=gnd)
    return path


def entry(
    name: str | Algorithm = "nmf", label: str | None = None, fit: Any = None, **parameters: Any
) -> Entry:
    """A column of a spec, canonical as the spec reader makes it."""
    if isinstance(name, Algorithm):
        algorithm = name
    else:
        cls = Scripted if name == "scripted" else algorithms.get(name)
        algorithm = build(cls, parameters, f"algorithm {name}")
    settings = build(FitSettings, {"restarts": 2, "max_iter": 30, "tol": 0} | (fit or {}), "fit")
    return Entry(algorithm, label or algorithm.title, settings, {})


COLUMNS = [entry("nmf"), entry("nlcf", mu=0.1)]


def make_spec(folder: Path, entries: Sequence[Entry] | None = None, **changes: Any) -> Spec:
    """A spec called "tiny" on `write_data`'s file: k = 2 with two draws and k = 3 with one."""
    protocol = {"clusters": [2, 3], "repeats": 2} | changes.pop("protocol", {})
    dataset = {"file": str(folder / "tiny.npz"), "scale": "grey", "levels": 255} | changes.pop("dataset", {})
    if not Path(dataset["file"]).exists():
        write_data(folder)
    given: dict[str, Any] = {
        "name": "tiny",
        "path": folder / "tiny.yaml",
        "title": "Tiny",
        "published": None,
        "dataset": build(DatasetOptions, dataset, "dataset"),
        "protocol": build(Clustering, protocol, "protocol"),
        "entries": tuple(entries or [entry("nmf")]),
        "seed": 1,
        "metrics": ("accuracy",),
    }
    return Spec(**given | changes)


def trials_csv(results: Path) -> bytes:
    """The rows of the tiny spec."""
    return (results / "tiny" / "trials.csv").read_bytes()


TEXT = """\
dataset: {file: tiny.npz, scale: grey, levels: 255}
protocol: {kind: clustering, clusters: [2, 3], repeats: 2}
fit: {restarts: 2, max_iter: 30, tol: 0}
algorithms: [nmf, {name: nlcf, mu: 0.1}]
seed: 1
"""


def write_spec(folder: Path, text: str = TEXT, name: str = "tiny.yaml") -> Path:
    """The data and a spec file."""
    if not (folder / "tiny.npz").exists():
        write_data(folder)
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def edit(folder: Path, change: Callable[[list[dict[str, str]]], object], name: str = "trials.csv") -> None:
    """Do something to the rows of a file; columns that the first row no longer has are gone."""
    with open(folder / name, encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    change(rows)
    kept = [{column: row[column] for column in rows[0]} for row in rows]
    (folder / name).write_text(format_rows(list(rows[0]), kept), encoding="utf-8")


def unseal(folder: Path) -> Path:
    """Make results those of a version without digests, so that the checks behind that one are reached."""
    run = json.loads((folder / "run.json").read_text(encoding="utf-8"))
    for name in ("digest", "rows"):
        del run[name]
    run["schema"] = 1
    (folder / "run.json").write_text(json.dumps(run), encoding="utf-8")
    return folder
