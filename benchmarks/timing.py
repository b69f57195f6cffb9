"""How the benchmarks measure: one thread, one process, contestants in turn, medians of paired ratios."""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from threadpoolctl import threadpool_info, threadpool_limits

from nmfrepro.algorithms import Iterative
from nmfrepro.algorithms.engine.solver import solve
from nmfrepro.algorithms.engine.stack import Stack
from nmfrepro.core.problem import Fit, FitSettings, Problem
from nmfrepro.runs import provenance

# Held for the life of the process: BLAS and OpenMP on one thread, as in a worker of `nmfrepro run`.
ONE_THREAD = threadpool_limits(1)

# Processor time of this thread: on a shared machine it leaves out what others were given in between.
clock = time.thread_time

# What runs a contestant once and returns its seconds per unit of work.
Contestant = Callable[[], float]


def machine() -> str:
    """The processor, NumPy's BLAS and the versions that a table was made with, in one line."""
    found = provenance.environment()
    (blas,) = (pool for pool in threadpool_info() if "numpy" in pool["filepath"])
    versions = ", ".join(f"{name} {found.packages[name]}" for name in ("numpy", "scipy", "scikit-learn"))
    return (
        f"{found.processor}, {blas['internal_api']} {blas['version']} for {blas['architecture']}, "
        f"one thread, {versions}"
    )


def in_turn(contestants: Mapping[str, Contestant], repeats: int) -> dict[str, np.ndarray]:
    """Seconds of every contestant in every round; within a round they run one after the other."""
    rounds = [{name: run() for name, run in contestants.items()} for _ in range(repeats)]
    return {name: np.array([each[name] for each in rounds]) for name in contestants}


def ratio(numerator: np.ndarray, denominator: np.ndarray) -> float:
    """Median over the rounds of the ratio within a round, so that a slow minute touches both sides."""
    return float(np.median(numerator / denominator))


@dataclass(frozen=True)
class Timed:
    """A fit and the clock at the end of some of its passes.

    Attributes
    ----------
    fit : Fit
    passes : ndarray of int
        Numbers of the passes, the first is 1.
    ends : ndarray
        Seconds since the start at the end of those passes; what `solve` does after a pass (objective,
        stopping rule, flushing) counts for the next one.
    """

    fit: Fit
    passes: np.ndarray
    ends: np.ndarray

    @property
    def per_iteration(self) -> float:
        """Mean seconds of a pass, without the preparation and the first one."""
        return float((self.ends[-1] - self.ends[0]) / (self.passes[-1] - self.passes[0]))


def timed_solve(
    method: Iterative, problem: Problem, settings: FitSettings, seed: int = 0, every: int = 10
) -> Timed:
    """Run the solver as it is, looking at the clock after the passes 1, 1 + every, 1 + 2 every, …"""
    passes = 0
    ends: list[float] = []

    class Watched(type(method)):  # type: ignore[misc]
        def end_pass(self, stack: Stack) -> None:
            nonlocal passes
            super().end_pass(stack)
            if passes % every == 0:
                ends.append(clock())
            passes += 1

    watched = Watched(**method.parameters)
    start = clock()
    fit = solve(watched, problem, settings, seed)
    return Timed(fit, 1 + every * np.arange(len(ends)), np.array(ends) - start)


def loop(work: Callable[[], None], times: int) -> float:
    """Mean seconds of one call."""
    start = clock()
    for _ in range(times):
        work()
    return (clock() - start) / times


def show(head: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    """Print a Markdown table, every row as soon as it is measured."""
    widths = [max(len(each), 13) for each in head]
    for cells in itertools.chain([head, ["-" * width for width in widths]], rows):
        print_row(cells, widths)


def print_row(cells: Sequence[str], widths: Sequence[int]) -> None:
    """One row of a table."""
    padded = (cell.ljust(width) for cell, width in zip(cells, widths, strict=True))
    print(f"| {' | '.join(padded)} |", flush=True)
