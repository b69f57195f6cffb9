"""What is written down of a run and of each of its trials: the bridge from outcomes to the results."""

from __future__ import annotations

import hashlib
import io
import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from numbers import Integral, Real
from typing import Any

import numpy as np

from .. import __version__, protocols
from ..datasets import Dataset
from ..protocols import Outcome, Task
from ..results.folder import SCHEMA
from ..results.lines import cell_text
from ..results.record import ColumnRecord, DatasetRecord, FitRecord, RunRecord, TrialRecord
from ..results.times import PHASES, Times
from ..spec import Entry, Spec
from ..spec.reader import resolved
from . import provenance
from .attempts import Finished
from .plan import canonical

# Longer parameters (a pooling matrix) are given by their hash; run.json has them in full.
MAX_PARAMETERS = 10_000


def run_record(spec: Spec, dataset: Dataset, plan: Sequence[Task], beside: Mapping[str, Any]) -> RunRecord:
    """What ``run.json`` says of a run; `beside` is what the protocol has read beside the data."""
    return RunRecord(
        schema=SCHEMA,
        name=spec.name,
        title=spec.title,
        published=spec.published,
        kind=spec.protocol.kind,
        coordinates=spec.protocol.coordinates,
        metrics=spec.metrics,
        columns=tuple(map(_column, spec.entries)),
        spec=resolved(spec),
        overrides=spec.overrides,
        beside=beside,
        dataset=DatasetRecord(
            name=dataset.name,
            source=dataset.source,
            origin=dataset.origin,
            sha256=dataset.sha256,
            file_sha256=dataset.file_sha256,
            n=dataset.X.shape[0],
            m=dataset.X.shape[1],
            classes=len(dataset.classes),
            class_sizes=tuple(dataset.class_sizes.tolist()),
            image_shape=dataset.image_shape,
            credit=dataset.credit,
            notes=tuple(dataset.notes),
        ),
        environment=provenance.environment(),
        cells=tuple(dict(trial.coordinates) for trial in plan[:: len(spec.entries)]),
        trials=tuple(trial.key for trial in plan),
    )


def _column(entry: Entry) -> ColumnRecord:
    used = entry.fit.identity(entry.algorithm.fit_settings)
    name, parameters = entry.algorithm.name, entry.algorithm.parameters
    return ColumnRecord(entry.label, name, parameters, FitRecord(**used), entry.sweep)


def row_columns(spec: Spec) -> tuple[str, ...]:
    """Columns of ``trials.csv`` for a spec."""
    first = ("algorithm", "label", "parameters", "seed", "fit_seed", "status", "error")
    then = ("n_iter", "converged", "restart", "objective", "notes", "classes")
    return ("key", *spec.protocol.coordinates, *first, *then, *spec.protocol.metrics, "version")


def written(finished: Finished, keep: Sequence[str] = ()) -> tuple[TrialRecord, bytes | None]:
    """The row of a finished trial and its `arrays`; an answer that cannot be written down is a failure."""
    try:
        return trial_record(finished), arrays(finished, keep)
    except Exception as failure:  # a method of a user's may answer anything
        why = f"its answer cannot be kept ({type(failure).__name__}: {failure})"
        return trial_record(replace(finished, outcome=None, error=why)), None


def trial_record(finished: Finished) -> TrialRecord:
    """The row of a finished trial, with its times."""
    trial, outcome = finished.trial, finished.outcome
    parameters = canonical(trial.algorithm.parameters)
    if len(parameters) > MAX_PARAMETERS:
        parameters = f"sha256 {hashlib.sha256(parameters.encode()).hexdigest()}"
    error = finished.error if outcome is None else unusable(outcome)
    failed = TrialRecord(
        key=trial.key,
        algorithm=trial.algorithm.name,
        label=cell_text(trial.label),
        coordinates=dict(trial.coordinates),
        status="failed",
        error=_shortened(cell_text(error)) or "no reason given",
        parameters=parameters,
        seed=trial.seed,
        version=__version__,
        times=_times(finished),
    )
    if outcome is None or error:
        return failed
    return replace(
        failed,
        status="ok",
        error="",
        fit_seed=int(outcome.fit_seed),
        n_iter=int(outcome.n_iter),
        converged=bool(outcome.converged),
        restart=int(outcome.restart),
        objective=_number(outcome.objective),
        notes=cell_text("; ".join(outcome.notes)),
        classes=cell_text(outcome.classes),
        metrics={name: float(value) for name, value in outcome.metrics.items() if not math.isnan(value)},
    )


def _shortened(reason: str) -> str:
    """A reason without the middle of what a method has put into it."""
    return reason if len(reason) <= 1000 else f"{reason[:700]} … {reason[-250:]}"


def unusable(outcome: Outcome) -> str:
    """Why an outcome must not count as a result; empty if it may.

    A method of a user's may return anything.  A metric may be NaN where it does not apply, if it is one of
    which that is said, but not all of them; nothing may be infinite.  A protocol that only times has no
    metrics.
    """
    for name in ("n_iter", "restart", "fit_seed"):
        count = getattr(outcome, name)
        if not isinstance(count, Integral) or count < 0:
            return f"{name} is {count!r}, and must be a count"
    if not isinstance(outcome.notes, (tuple, list)) or not all(isinstance(n, str) for n in outcome.notes):
        return f"notes are {outcome.notes!r}, and must be texts"
    for name, array in (outcome.arrays | outcome.kept).items():
        if np.asarray(array).dtype.hasobject:
            return f"{name} is an array of objects, and must be one of numbers"
    numbers: dict[str, Any] = {"objective": outcome.objective, **outcome.metrics}
    for name, value in numbers.items():
        if not isinstance(value, Real):
            return f"{name} is {value!r}, and must be a number"
        if math.isinf(value):
            return f"{name} is infinite"
    if outcome.metrics and all(math.isnan(value) for value in outcome.metrics.values()):
        return "no metric is a number"
    known = protocols.metrics()
    for name, value in outcome.metrics.items():
        if math.isnan(value) and name in known and known[name].always:
            return f"{name} is not a number"
    return ""


def _number(value: float) -> float | None:
    return None if math.isnan(value) else float(value)


def _times(finished: Finished) -> Times:
    host, _, worker = finished.worker.partition("/")
    phases = finished.outcome.seconds if finished.outcome else {}
    now = datetime.now(UTC).isoformat(timespec="seconds")
    times = Times(finished.trial.key, finished.seconds, host=cell_text(host), worker=worker, finished=now)
    known: dict[str, Any] = {name: seconds for name, seconds in phases.items() if name in PHASES}
    return replace(times, **known)


def arrays(finished: Finished, keep: Sequence[str]) -> bytes | None:
    """What `keep` and the protocol want stored, as the bytes of an .npz file; None if that is nothing.

    The array ``keep`` in it says what was asked for, so that a later run knows what is missing.
    """
    outcome = finished.outcome
    if outcome is None or not (keep or outcome.kept) or unusable(outcome):
        return None
    buffer = io.BytesIO()
    content = outcome.arrays | outcome.kept | {"keep": np.array(sorted(keep), dtype=str)}
    np.savez_compressed(buffer, allow_pickle=False, **{name: content[name] for name in sorted(content)})
    return buffer.getvalue()
