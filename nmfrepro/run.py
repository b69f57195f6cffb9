"""Execute a spec's trials that are not yet in the results."""

from __future__ import annotations

import io
import math
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np

from . import __version__, datasets, provenance
from .datasets import Dataset
from .errors import NmfreproError
from .plan import Trial, canonical, make_plan, select
from .problem import FitSettings
from .protocols import Outcome, Samples
from .spec import Spec
from .specreader import resolved
from .store import SCHEMA, TIMINGS, Row, Store, one_line
from .workers import Finished, Interrupts, run_trials


@dataclass(frozen=True)
class Prepared:
    """A spec with its data and its plan: everything known before work starts."""

    spec: Spec
    dataset: Dataset
    samples: Samples
    plan: tuple[Trial, ...]


@dataclass(frozen=True)
class Summary:
    """How a run ended.

    Attributes
    ----------
    folder : Path
    planned, present, failed : int
        Trials of the plan, those with an ok row, those with a failed row.
    computed : int
        Trials this run computed.
    interrupted : bool
    seconds : float
    phases : dict of str to float
        Seconds by phase over the computed trials, all workers together.
    """

    folder: Path
    planned: int
    present: int
    failed: int
    computed: int
    interrupted: bool
    seconds: float
    phases: dict[str, float]


def prepare(spec: Spec, data_dir: Path | None = None) -> Prepared:
    """Load the data and make the plan.

    Raises
    ------
    DataError, SpecError
        If the data cannot be had or does not fit the spec.
    """
    options = datasets.resolve(spec.dataset)
    dataset = datasets.load(options, data_dir)
    assert options.scale is not None
    X = dataset.scaled(options.scale)
    identity = options.name or dataset.sha256
    algorithms = [entry.algorithm for entry in spec.entries]
    spec.protocol.check(found(dataset), algorithms)
    if not all(algorithm.signed for algorithm in algorithms):
        datasets.check_nonnegative(X, dataset.name)
    samples = Samples(identity, X, dataset.y, dataset.image_shape)
    return Prepared(spec, dataset, samples, make_plan(spec, dataset))


def found(dataset: Dataset) -> datasets.Expected:
    """What a spec is checked against once the data is there."""
    n_samples, n_features = dataset.X.shape
    sizes = dataset.class_sizes
    return datasets.Expected(n_samples, len(sizes), int(sizes.min()), n_features, dataset.image_shape)


def run(
    prepared: Prepared,
    results: Path,
    *,
    jobs: int = 1,
    only: Sequence[str] = (),
    fresh: bool = False,
    keep_failed: bool = False,
    announce: Callable[[str], None] = print,
    progress: Callable[[Sequence[Trial]], Any] | None = None,
) -> Summary:
    """Run what is missing and keep each trial the moment it is finished.

    Parameters
    ----------
    prepared : Prepared
    results : Path
        The results root; rows go to ``results/<spec name>/``.
    jobs : int
        Worker processes.
    only : sequence of str
        Patterns of labels or algorithm names; the others are left for later.
    fresh : bool
        Compute everything anew; old rows are set aside.
    keep_failed : bool
        Do not try failed trials again.
    announce : callable
        Told what a user should know, a line at a time.
    progress : callable, optional
        Makes a progress bar (a context manager with ``update``) for the trials to run.

    Raises
    ------
    ResultsError
        If the results cannot be written; finished trials are kept.
    """
    spec, start = prepared.spec, time.perf_counter()
    wanted = select(prepared.plan, only)
    columns = row_columns(spec)
    store = Store(results / spec.name, columns, run_record(prepared), fresh)
    phases: dict[str, float] = {}
    computed = 0
    with (
        store,
        Interrupts(lambda: announce("Finishing the running trials; Ctrl-C again stops now.")) as interrupts,
    ):
        if store.torn:
            announce(
                f"{store.folder / 'trials.csv'}: a half-written last row was dropped; its trial runs again."
            )
        done = store.finished(keep_failed)
        todo = [trial for trial in wanted if trial.key not in done or _lacks_arrays(store, spec, trial)]
        # Long trials first, so that no worker is left alone with one at the end.
        todo.sort(key=lambda trial: -spec.protocol.weight(trial.task))
        try:
            with (progress or _no_progress)(todo) as bar:
                for each in run_trials(todo, spec.protocol, prepared.samples, jobs, spec.timeout, interrupts):
                    store.add(row(each, spec), timing(each), arrays(each, spec))
                    computed += 1
                    for phase, seconds in (each.outcome.seconds if each.outcome else {}).items():
                        phases[phase] = phases.get(phase, 0.0) + seconds
                    phases["all"] = phases.get("all", 0.0) + each.seconds
                    bar.update(1)
        finally:
            store.tidy()
    keys = [trial.key for trial in prepared.plan]
    statuses = [store.rows[key]["status"] for key in keys if key in store.rows]
    return Summary(
        folder=store.folder,
        planned=len(keys),
        present=statuses.count("ok"),
        failed=statuses.count("failed"),
        computed=computed,
        interrupted=interrupts.count > 0,
        seconds=time.perf_counter() - start,
        phases=phases,
    )


class _NoBar:
    def __enter__(self) -> _NoBar:
        return self

    def __exit__(self, *exception: object) -> None:
        pass

    def update(self, count: int) -> None:
        """Nothing to show."""


def _no_progress(trials: Sequence[Trial]) -> _NoBar:
    return _NoBar()


def _lacks_arrays(store: Store, spec: Spec, trial: Trial) -> bool:
    """Whether `keep` asks for arrays that an earlier run did not store."""
    ok = store.rows[trial.key]["status"] == "ok"
    return bool(spec.keep) and ok and not store.array_path(trial.key).exists()


def run_record(prepared: Prepared) -> dict[str, Any]:
    """What ``run.json`` says of a run: enough to trace every number, and to make tables without the spec."""
    spec, dataset = prepared.spec, prepared.dataset
    return {
        "schema": SCHEMA,
        "name": spec.name,
        "title": spec.title,
        "published": spec.published,
        "kind": spec.protocol.kind,
        "coordinates": list(spec.protocol.coordinates),
        "metrics": list(spec.metrics),
        "columns": [
            {
                "label": entry.label,
                "algorithm": entry.algorithm.name,
                "parameters": entry.algorithm.parameters,
                "fit": {name: asdict(entry.fit)[name] for name in entry.algorithm.fit_settings},
                "sweep": entry.sweep,
            }
            for entry in spec.entries
        ],
        "spec": resolved(spec),
        "dataset": {
            "name": dataset.name,
            "source": dataset.source,
            "origin": dataset.origin,
            "sha256": dataset.sha256,
            "file_sha256": dataset.file_sha256,
            "n": dataset.X.shape[0],
            "m": dataset.X.shape[1],
            "classes": len(dataset.classes),
            "image_shape": dataset.image_shape,
            "credit": dataset.credit,
            "notes": list(dataset.notes),
        },
        "environment": provenance.environment(),
        "trials": [trial.key for trial in prepared.plan],
    }


def row_columns(spec: Spec) -> tuple[str, ...]:
    """Columns of ``trials.csv`` for a spec."""
    return (
        "key",
        *spec.protocol.coordinates,
        "algorithm",
        "label",
        "parameters",
        "seed",
        "fit_seed",
        "status",
        "error",
        "n_iter",
        "converged",
        "restart",
        "objective",
        "notes",
        *spec.protocol.metrics,
        "version",
    )


def row(finished: Finished, spec: Spec) -> Row:
    """The row of a finished trial."""
    trial, outcome = finished.trial, finished.outcome
    task = trial.task
    cells = {
        "key": trial.key,
        **{name: str(value) for name, value in task.coordinates.items()},
        "algorithm": task.algorithm.name,
        "label": one_line(trial.label),
        "parameters": canonical(task.algorithm.parameters),
        "seed": str(task.seed),
        "version": __version__,
    }
    if outcome is not None:
        broken = not_finite(outcome, task.fit)
        cells |= {
            "status": "failed" if broken else "ok",
            "error": broken,
            "fit_seed": str(outcome.fit_seed),
            "n_iter": str(outcome.n_iter),
            "converged": str(int(outcome.converged)),
            "restart": str(outcome.restart),
            "objective": number(outcome.objective),
            "notes": one_line("; ".join(outcome.notes)),
            **{name: number(value) for name, value in outcome.metrics.items()},
        }
    else:
        cells |= {"status": "failed", "error": reason(finished.error, spec.timeout)}
    return cells


def not_finite(outcome: Outcome, fit: FitSettings) -> str:
    """Why an outcome must not count: an infinite metric, or an objective that is not a number."""
    if any(math.isinf(value) for value in outcome.metrics.values()):
        return "a metric is infinite"
    return "the objective is infinite" if math.isinf(outcome.objective) else ""


def number(value: float) -> str:
    """Shortest text that reads back as the same float; empty for not-a-number."""
    return "" if math.isnan(value) else repr(float(value))


def reason(error: BaseException | None, timeout: float | None) -> str:
    """Why a trial failed, in one line that is the same on every run."""
    from pebble import ProcessExpired

    if isinstance(error, ProcessExpired):
        return f"the worker process died (exit code {error.exitcode})"
    if isinstance(error, TimeoutError):
        return f"took longer than the timeout of {timeout:g} s"
    if isinstance(error, NmfreproError):
        return one_line(str(error))
    return one_line(f"{type(error).__name__}: {error}")


def timing(finished: Finished) -> Row:
    """The trial's line in ``timings.csv``."""
    host, _, worker = finished.worker.partition("/")
    phases = finished.outcome.seconds if finished.outcome else {}
    cells = {
        "key": finished.trial.key,
        "seconds": f"{finished.seconds:.6f}",
        "host": host,
        "worker": worker,
        "finished": datetime.now(UTC).isoformat(timespec="seconds"),
    }
    return cells | {phase: f"{seconds:.6f}" for phase, seconds in phases.items() if phase in TIMINGS}


def arrays(finished: Finished, spec: Spec) -> bytes | None:
    """What `keep` asks for, as the bytes of an .npz file."""
    if not spec.keep or finished.outcome is None:
        return None
    groups = {"labels": ("labels", "samples"), "trace": ("trace",)}
    found = finished.outcome.arrays
    named = {name for group in groups.values() for name in group}
    wanted = {name for keep in spec.keep if keep in groups for name in groups[keep]}
    if "factors" in spec.keep:
        wanted |= found.keys() - named
    buffer = io.BytesIO()
    kept = {name: found[name] for name in sorted(wanted & found.keys())}
    np.savez_compressed(buffer, allow_pickle=False, **kept)
    return buffer.getvalue()


def load_arrays(path: Path) -> dict[str, np.ndarray]:
    """The arrays that `keep` stored for one trial; never unpickles anything."""
    with np.load(path, allow_pickle=False) as stored:
        return {name: stored[name] for name in stored.files}
