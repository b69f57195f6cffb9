"""How the objective falls, iteration by iteration."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ..core.problem import Fit, FitSettings
from ..metrics import Metric
from .base import Outcome, Samples, Task
from .subset import Subset

NEAR = 0.01
# A rise below this share of the objective is rounding; in float32 what is left of ‖X‖² after a good fit is
# no better than that.
ROUNDING = {"float64": 1e-10, "float32": 1e-3}

METRICS = {
    "settled": Metric(
        "Settled after",
        "first recorded iteration from which on the objective stays within 1 % of its last value",
        unit="iterations",
        ranked=False,
        high=math.inf,
    ),
    "rises": Metric(
        "Rises",
        "recorded steps at which the objective rose, beyond rounding",
        unit="",
        ranked=False,
        high=math.inf,
        always=True,
    ),
}


@dataclass(frozen=True)
class Convergence(Subset):
    """Keep the objective of every method as it falls: write ``fit: {trace_every: 1}`` for every iteration.

    The curves (arrays ``trace`` and ``iterations``) are stored whatever `keep` says.
    """

    kind: ClassVar[str] = "convergence"
    metrics: ClassVar[Mapping[str, Metric]] = METRICS
    shown: ClassVar[tuple[str, ...]] = tuple(METRICS)
    stores: ClassVar[bool] = True
    pictures: ClassVar[tuple[str, ...]] = ("traces",)

    def run(self, task: Task, samples: Samples) -> Outcome:
        """Draw, factorize, keep the trace."""
        posed, found, clock = self.fitted(task, samples)
        at = iterations(found, task.fit)
        rose = rises(found.objective, task.fit.dtype)
        scores = {"settled": settled(found.objective, at), "rises": float(rose)}
        kept = {"iterations": at, "trace": found.objective}
        return posed.outcome(found, scores, kept, clock.seconds)


def iterations(found: Fit, settings: FitSettings) -> np.ndarray:
    """The iteration at which each value of a fit's objective was recorded, shape of ``fit.objective``.

    The first is that of the start (0) and the last that of the end; a method without a loop has only the end.
    """
    count = len(found.objective)
    at = np.arange(count) * settings.trace_every
    if count:
        at[-1] = found.n_iter
    return at


def settled(trace: np.ndarray, at: np.ndarray) -> float:
    """The first recorded iteration from which on the objective stays within 1 % of its last value."""
    if not len(trace):
        return float("nan")
    off = np.flatnonzero(np.abs(trace - trace[-1]) > NEAR * abs(trace[-1]))
    return float(at[off[-1] + 1]) if len(off) else float(at[0])


def rises(trace: np.ndarray, dtype: str = "float64") -> int:
    """At how many recorded steps the objective of a fit in that type rose."""
    return int(np.sum(np.diff(trace) > ROUNDING[dtype] * np.abs(trace[:-1])))
