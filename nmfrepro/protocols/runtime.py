"""Seconds that a fit takes, measured alone, on one thread, warm."""

from __future__ import annotations

import math
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Self

import numpy as np

from ..algorithms import Algorithm, Iterative
from ..algorithms.engine.plain import Factors
from ..algorithms.engine.solver import Run
from ..core.errors import Setting
from ..core.options import option
from ..core.problem import FitSettings, Problem
from ..datasets import Expected
from ..factorization import fit
from ..metrics import Metric
from .base import Outcome, Samples, Task, require
from .subset import Subset

# Iterations between two checks of the change of the factors: at least so many, and this share of those done.
CHECK_EVERY, SHARE = 10, 0.1


@dataclass(frozen=True)
class Runtime(Subset):
    """Time the fit of every method on the same images.

    A trial fits once untimed, so that code and data are warm, and then `timings` times; its seconds are the
    median.  What counts is the time that the processor spent on the fit: on one thread it is the wall time
    of a machine that does nothing else, and other programs hardly disturb it.  Trials run one after the other
    in a single worker with one thread, whatever --jobs says.

    Times differ from run to run, so they are no part of ``trials.csv``, whose bytes are the same on every
    run: the median is the column ``fit`` of ``timings.csv``, where tables find it under the name seconds, and
    all measured times are the arrays ``seconds`` and ``wall_seconds`` of the trial.
    """

    kind: ClassVar[str] = "runtime"
    metrics: ClassVar[Mapping[str, Metric]] = {}
    times: ClassVar[Mapping[str, Metric]] = {
        "seconds": Metric(
            "Seconds",
            "processor time of one fit, on one thread",
            unit="s",
            lower_is_better=True,
            high=math.inf,
            always=True,
        )
    }
    shown: ClassVar[tuple[str, ...]] = ("seconds",)
    stores: ClassVar[bool] = True
    alone: ClassVar[bool] = True
    pictures: ClassVar[tuple[str, ...]] = ("times",)

    timings: int = option(5, low=1, help="fits that are timed after one that is not; the median counts")
    stop_change: float | None = option(
        None,
        low=0,
        open_low=True,
        help="stop iterative methods where an iteration changes no factor by more than this share of it",
    )

    def identity(self, algorithm: Algorithm) -> dict[str, Any]:
        """With how long and how often it is timed."""
        found = super().identity(algorithm) | {"timings": self.timings}
        if isinstance(algorithm, Iterative):
            found["stop_change"] = self.stop_change
        return found

    def check(self, data: Expected, algorithms: Sequence[Algorithm]) -> None:
        """Some method has factors whose change can stop it, where that is asked for."""
        super().check(data, algorithms)
        stoppable = self.stop_change is None or any(isinstance(each, Iterative) for each in algorithms)
        require(stoppable, Setting("stop_change"), " is for iterative methods, and none is listed")

    def check_fit(self, algorithm: Algorithm, settings: FitSettings) -> None:
        """The change of factors is that of printed updates."""
        fast = self.stop_change is not None and settings.solver == "fast" and isinstance(algorithm, Iterative)
        what = (
            f" follows printed updates, which {algorithm.name} does not run; give it fit: {{solver: printed}}"
        )
        require(not fast, Setting("stop_change"), what)

    def smoke(self) -> Self:
        """Also only one timed fit."""
        return replace(super().smoke(), timings=1)

    def run(self, task: Task, samples: Samples) -> Outcome:
        """Draw, find the number of iterations if that is asked for, warm up, time."""
        posed = self.pose(task, samples)
        settings = task.fit
        notes: tuple[str, ...] = ()
        if self.stop_change is not None and isinstance(task.algorithm, Iterative):
            count, reached = settling(task.algorithm, posed.problem, settings, posed.seed, self.stop_change)
            # Recording the objective is no part of the method: once at the end is enough.
            settings = replace(settings, max_iter=count, tol=0.0, trace_every=max(count, 1))
            if not reached:
                notes = (f"the factors still changed by more than {self.stop_change:g} at the end",)
        found = fit(task.algorithm, posed.problem, settings, posed.seed)
        seconds, wall = [], []
        for _ in range(self.timings):
            start, begun = time.perf_counter(), time.process_time()
            found = fit(task.algorithm, posed.problem, settings, posed.seed)
            seconds.append(time.process_time() - begun)
            wall.append(time.perf_counter() - start)
        kept = {"seconds": np.array(seconds), "wall_seconds": np.array(wall)}
        return posed.outcome(found, {}, kept, {"fit": float(np.median(seconds))}, notes)


def settling(
    algorithm: Iterative, problem: Problem, settings: FitSettings, seed: int, change: float
) -> tuple[int, bool]:
    """After how many iterations one more changes no factor by more than `change` of its norm.

    The change is that of the first random start; it is looked at in the 11th iteration, and then ten or a
    tenth of those done later, whichever is more.  Untimed.

    Returns
    -------
    iterations : int
        At most ``settings.max_iter``.
    reached : bool
        Whether the change fell so low.
    """
    watch = _Change(change)
    one = replace(settings, restarts=1, tol=0.0, trace_every=max(settings.max_iter, 1))
    return fit(algorithm, problem, one, seed, ends=watch).n_iter, watch.reached


@dataclass
class _Change:
    """Watches a run, and ends it in an iteration that changes no factor by more than `change` of its norm."""

    change: float
    done: int = 0
    following: int = CHECK_EVERY + 1  # the iteration whose change is looked at next
    before: Factors = field(default_factory=dict)
    reached: bool = False

    def __call__(self, run: Run) -> bool:
        """Count an iteration; whether it was the last."""
        self.done += 1
        if self.done == self.following - 1:
            self.before = {name: factor.copy() for name, factor in run.public(0).items()}
        elif self.done == self.following:
            self.following += max(CHECK_EVERY, int(SHARE * self.done) + 1)
            self.reached = _changed(self.before, run.public(0)) <= self.change
        return self.reached


def _changed(before: Factors, after: Factors) -> float:
    """Largest relative change of a factor, in its Frobenius norm."""
    shares = [
        np.linalg.norm(after[name] - factor) / max(np.linalg.norm(factor), np.finfo(float).tiny)
        for name, factor in before.items()
    ]
    return float(max(shares))
