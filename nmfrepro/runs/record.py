"""What is written down of a run and of each of its trials: the bridge from outcomes to the store."""

from __future__ import annotations

import hashlib
import io
import math
import zipfile
import zlib
from collections.abc import Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np

from .. import __version__
from ..core.errors import ResultsError, reason
from ..datasets import Dataset
from ..metrics import METRICS
from ..protocols import Outcome
from ..results.journal import Row, cell_text
from ..results.store import SCHEMA, TIMINGS
from ..spec import Spec
from ..spec.reader import resolved
from . import provenance
from .plan import Trial, canonical
from .workers import Finished

# Longer parameters (a pooling matrix) are given by their hash; run.json has them in full.
MAX_PARAMETERS = 10_000
# What reading an .npz file raises where it is missing, damaged or without an array.
_DAMAGED = (
    OSError, ValueError, EOFError, KeyError, RuntimeError, MemoryError, zipfile.BadZipFile, zlib.error,
)  # fmt: skip


def run_record(spec: Spec, dataset: Dataset, plan: Sequence[Trial]) -> dict[str, Any]:
    """What ``run.json`` says of a run: enough to trace every number, and to make tables without the spec."""
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
        "overrides": list(spec.overrides),
        "dataset": {
            "name": dataset.name,
            "source": dataset.source,
            "origin": dataset.origin,
            "sha256": dataset.sha256,
            "file_sha256": dataset.file_sha256,
            "n": dataset.X.shape[0],
            "m": dataset.X.shape[1],
            "classes": len(dataset.classes),
            "class_sizes": dataset.class_sizes.tolist(),
            "image_shape": dataset.image_shape,
            "credit": dataset.credit,
            "notes": list(dataset.notes),
        },
        "environment": provenance.environment(),
        "cells": [dict(trial.task.coordinates) for trial in plan[:: len(spec.entries)]],
        "trials": [trial.key for trial in plan],
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


def row(finished: Finished) -> Row:
    """The row of a finished trial."""
    trial, outcome = finished.trial, finished.outcome
    task = trial.task
    parameters = canonical(task.algorithm.parameters)
    if len(parameters) > MAX_PARAMETERS:
        parameters = f"sha256 {hashlib.sha256(parameters.encode()).hexdigest()}"
    cells = {
        "key": trial.key,
        **{name: str(value) for name, value in task.coordinates.items()},
        "algorithm": task.algorithm.name,
        "label": cell_text(trial.label),
        "parameters": parameters,
        "seed": str(task.seed),
        "version": __version__,
    }
    error = finished.error if outcome is None else not_finite(outcome)
    if outcome is None or error:
        return cells | {"status": "failed", "error": cell_text(error) or "no reason given"}
    return cells | {
        "status": "ok",
        "fit_seed": str(outcome.fit_seed),
        "n_iter": str(outcome.n_iter),
        "converged": str(int(outcome.converged)),
        "restart": str(outcome.restart),
        "objective": number(outcome.objective),
        "notes": cell_text("; ".join(outcome.notes)),
        **{name: number(value) for name, value in outcome.metrics.items()},
    }


def not_finite(outcome: Outcome) -> str:
    """Why an outcome must not count as a result; empty if it may.

    A metric may be NaN where it does not apply, if it is one of which that is said, but not all of them;
    nothing may be infinite.  A protocol that only times has no metrics.
    """
    for name, value in {"objective": outcome.objective, **outcome.metrics}.items():
        if math.isinf(value):
            return f"{name} is infinite"
    if outcome.metrics and all(math.isnan(value) for value in outcome.metrics.values()):
        return "no metric is a number"
    for name, value in outcome.metrics.items():
        if math.isnan(value) and name in METRICS and METRICS[name].always:
            return f"{name} is not a number"
    return ""


def number(value: float) -> str:
    """Shortest text that reads back as the same float; empty for not-a-number."""
    return "" if math.isnan(value) else repr(float(value))


def timing(finished: Finished) -> Row:
    """The trial's line in ``timings.csv``."""
    host, _, worker = finished.worker.partition("/")
    phases = finished.outcome.seconds if finished.outcome else {}
    cells = {
        "key": finished.trial.key,
        "seconds": f"{finished.seconds:.6f}",
        "host": cell_text(host),
        "worker": worker,
        "finished": datetime.now(UTC).isoformat(timespec="seconds"),
    }
    return cells | {phase: f"{seconds:.6f}" for phase, seconds in phases.items() if phase in TIMINGS}


def arrays(finished: Finished, keep: Sequence[str]) -> bytes | None:
    """What `keep` and the protocol want stored, as the bytes of an .npz file; None if that is nothing.

    The array ``keep`` in it says what was asked for, so that a later run knows what is missing.
    """
    outcome = finished.outcome
    if outcome is None or not (keep or outcome.kept):
        return None
    buffer = io.BytesIO()
    content = outcome.arrays | outcome.kept | {"keep": np.array(sorted(keep), dtype=str)}
    np.savez_compressed(buffer, allow_pickle=False, **{name: content[name] for name in sorted(content)})
    return buffer.getvalue()


def load_arrays(path: Path) -> dict[str, np.ndarray]:
    """The arrays stored for one trial; never unpickles anything.

    Raises
    ------
    ResultsError
        If there is no such file or it is damaged.
    """
    try:
        # Opened here, since np.load leaves a damaged file open.
        with open(path, "rb") as file, np.load(file, allow_pickle=False) as stored:
            return {name: stored[name] for name in stored.files}
    except _DAMAGED as error:
        raise ResultsError(f"{path}: cannot be read ({reason(error)}); run the spec again") from None


def lacks_arrays(path: Path, keep: Sequence[str]) -> bool:
    """Whether `keep` asks for more than an earlier run stored at `path`."""
    if not keep:
        return False
    try:
        with open(path, "rb") as file, np.load(file, allow_pickle=False) as stored:
            return not set(keep) <= set(stored["keep"].tolist())
    except _DAMAGED:
        return True
