"""What is written down of a run and of each of its trials: from a spec and from what a protocol has found."""

from __future__ import annotations

import hashlib
import io
import json
import math
import socket
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from datetime import UTC, datetime
from numbers import Integral, Real
from typing import Any

import numpy as np

from ..algorithms import Algorithm, Iterative
from ..core.options import options_of
from ..core.typed import from_json
from ..datasets import Dataset
from ..protocols import Outcome, Protocol, Task
from ..registry.plugins import source_hash
from ..results.folder import SCHEMA
from ..results.lines import cell_text
from ..results.record import DatasetRecord, RunRecord, SpecRecord, TrialRecord
from ..results.times import Times
from ..spec import Head, Spec
from . import provenance
from .plan import canonical

# Longer parameters (a pooling matrix) are given by their hash; run.json has them in full.
MAX_PARAMETERS = 10_000
# By which word of a spec's `keep` an array is meant; all others are "factors".
MEANT = {"labels": "labels", "samples": "labels", "trace": "trace"}


def run_record(spec: Spec, dataset: Dataset, plan: Sequence[Task], beside: Mapping[str, Any]) -> RunRecord:
    """What ``run.json`` says of a run; `beside` is what the protocol has read beside the data."""
    return RunRecord(
        schema=SCHEMA,
        kind=spec.protocol.kind,
        coordinates=spec.protocol.coordinates,
        spec=spec_record(spec),
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


def spec_record(spec: Spec) -> SpecRecord:
    """What is written down of a spec: every setting, but no fit settings that a method does not use.

    Equal specs give equal results however they were written.
    """
    protocol = {name: getattr(spec.protocol, name) for name in options_of(type(spec.protocol))}
    content = {name: getattr(spec, name) for name in options_of(Head)} | {
        "name": spec.name,
        "dataset": asdict(spec.dataset),
        "protocol": {"kind": spec.protocol.kind, **protocol},
        "algorithms": [
            {
                "label": entry.label,
                "algorithm": entry.algorithm.name,
                "revision": entry.algorithm.revision,
                "parameters": entry.algorithm.identity,
                "fit": entry.fit.identity(entry.algorithm.fit_settings),
                "sweep": entry.sweep,
                "normalize": _fixed_reading(entry.algorithm),
            }
            for entry in spec.entries
        ],
    }
    written: SpecRecord = from_json(SpecRecord, json.loads(json.dumps(content, allow_nan=False)))
    return written


def _fixed_reading(algorithm: Algorithm) -> str | None:
    """How the encodings of a plug-in's method are read, where its class says so and no option.

    Of the methods of nmfrepro `nmfrepro show` says it; a plug-in may not be there when a table is made.
    """
    if not isinstance(algorithm, Iterative) or not source_hash(type(algorithm).__module__):
        return None
    own = type(algorithm).embedding is not Iterative.embedding or "normalize" in algorithm.parameters
    return None if own else algorithm.normalize


def trial_record(
    protocol: Protocol, trial: Task, outcome: object, keep: Sequence[str], times: Times
) -> TrialRecord:
    """The record of a trial that was run, with the arrays that `keep` and its protocol want.

    An answer that cannot be written down is a failure.
    """
    if not isinstance(outcome, Outcome):
        how = "end it with return Outcome(…)"
        run = f"run of class {type(protocol).__name__}"
        return failed(
            trial, f"{run} returns {type(outcome).__name__}, and must return an Outcome; {how}", times
        )
    try:
        times = replace(times, phases={name: float(each) for name, each in outcome.seconds.items()})
        found = outcome.fit
        arrays = _wanted(outcome, keep)
        if error := unusable(protocol, outcome, arrays):
            return failed(trial, error, times)
        return replace(
            untried(trial),
            status="ok",
            fit_seed=int(outcome.fit_seed),
            n_iter=int(found.n_iter),
            converged=bool(found.converged),
            restart=int(found.restart),
            objective=_number(outcome.objective),
            notes=cell_text("; ".join(_undivided(note) for note in (*found.notes, *outcome.notes))),
            classes=cell_text(outcome.classes),
            metrics={name: float(value) for name, value in outcome.metrics.items() if not math.isnan(value)},
            times=times,
            arrays=_packed(arrays, keep) if keep or outcome.kept else None,
        )
    except Exception as failure:  # a method of a user's may answer anything
        return failed(trial, f"its answer cannot be kept ({type(failure).__name__}: {failure})", times)


def failed(trial: Task, error: str, times: Times) -> TrialRecord:
    """The record of a trial that was run in vain."""
    reason = _shortened(cell_text(error)) or "no reason given"
    return replace(untried(trial), status="failed", error=reason, times=times)


def times_now(seconds: float, process: int | None = None) -> Times:
    """The times of a trial that has just ended, in a process of this machine where that is known."""
    host, worker = ("", "") if process is None else (cell_text(socket.gethostname()), str(process))
    ended = datetime.now(UTC).isoformat(timespec="seconds")
    return Times(seconds=seconds, host=host, worker=worker, finished=ended)


def untried(trial: Task) -> TrialRecord:
    """The record of a trial that is still to be run, or that no answer came from."""
    parameters = canonical(trial.algorithm.identity)
    if len(parameters) > MAX_PARAMETERS:
        parameters = f"sha256 {hashlib.sha256(parameters.encode()).hexdigest()}"
    return TrialRecord(
        key=trial.key,
        algorithm=trial.algorithm.name,
        label=cell_text(trial.label),
        coordinates=dict(trial.coordinates),
        status="missing",
        parameters=parameters,
        seed=trial.seed,
    )


def _shortened(reason: str) -> str:
    """A reason without the middle of what a method has put into it."""
    return reason if len(reason) <= 1000 else f"{reason[:700]} … {reason[-250:]}"


def unusable(protocol: Protocol, outcome: Outcome, arrays: Mapping[str, np.ndarray]) -> str:
    """Why an outcome must not count as a result, of which these arrays are to be stored; empty if it may.

    A method or a protocol of a user's may return anything.  There must be all metrics that the protocol
    declares.  One may be NaN where it does not apply, if it is one of which that is said, but not all of
    them; nothing may be infinite, or out of its range.  A protocol that only times has no metrics.
    """
    found = outcome.fit
    counts: dict[str, Any] = {"n_iter": found.n_iter, "restart": found.restart, "fit_seed": outcome.fit_seed}
    for name, count in counts.items():
        if not isinstance(count, Integral) or count < 0:
            return f"{name} is {count!r}, and must be a count"
    for notes in (found.notes, outcome.notes):
        if not isinstance(notes, (tuple, list)) or not all(isinstance(n, str) for n in notes):
            return f"notes are {notes!r}, and must be texts"
    for name, array in arrays.items():
        if np.asarray(array).dtype.hasobject:
            return f"{name} is an array of objects, and must be one of numbers"
    declared = protocol.metrics
    if odd := sorted(outcome.metrics.keys() ^ declared.keys()):
        cls = type(protocol).__name__
        how = "give a value of all, NaN where one does not apply"
        return f"metrics of its outcome and of class {cls} differ in {', '.join(odd)}; {how}"
    numbers: dict[str, Any] = {"objective": outcome.objective, **outcome.metrics}
    for name, value in numbers.items():
        if not isinstance(value, Real):
            return f"{name} is {value!r}, and must be a number"
        if math.isinf(value):
            return f"{name} is infinite"
    lacking = [name for name in declared if math.isnan(outcome.metrics[name])]
    if declared and len(lacking) == len(declared):
        return "no metric is a number"
    for name, metric in declared.items():
        if name in lacking and metric.always:
            return f"{name} is not a number"
        if name not in lacking and not metric.holds(outcome.metrics[name]):
            return f"{name} is {float(outcome.metrics[name])!r}, and must be {metric.allowed}"
    return ""


def _undivided(note: str) -> str:
    """A note in one line, with commas where semicolons would make several of it."""
    return cell_text(note).replace("; ", ", ")


def _number(value: float) -> float | None:
    return None if math.isnan(value) else float(value)


def _wanted(outcome: Outcome, keep: Sequence[str]) -> dict[str, np.ndarray]:
    """The arrays of an outcome that `keep` and its protocol want stored."""
    meant = {name: array for name, array in outcome.arrays.items() if MEANT.get(name, "factors") in keep}
    return meant | outcome.kept


def _packed(arrays: Mapping[str, np.ndarray], keep: Sequence[str]) -> bytes:
    """Arrays as the bytes of an .npz file; ``keep`` in it says what was asked for, for later runs."""
    buffer = io.BytesIO()
    content = {**arrays, "keep": np.array(sorted(keep), dtype=str)}
    np.savez_compressed(buffer, allow_pickle=False, **{name: content[name] for name in sorted(content)})
    return buffer.getvalue()
