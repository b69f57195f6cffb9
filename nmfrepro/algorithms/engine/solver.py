"""The loop around an iterative method: restarts, stopping rule, objective trace, finite checks."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...core.errors import FitError, SpecError
from ...core.problem import Fit, FitSettings, Problem
from .base import Iterative
from .stack import Stack

# Subnormals are flushed this often; rarely enough to cost nothing, often enough to catch the decay.
FLUSH_EVERY = 50
# With tol > 0 a restart runs for so many iterations at least: random starts first sit on a plateau near the
# best rank-one fit, which was seen to be flattest after 20 to 40.
PATIENCE = 100
# Objectives with a smaller relative difference are the same but for rounding.  The first of such restarts is
# kept: the last bits differ from one BLAS to another, and factors of equal objectives may differ much.
TIE = {"float64": 1e-9, "float32": 1e-5}


@dataclass(frozen=True)
class _Finished:
    """One restart after its last iteration."""

    restart: int
    factors: dict[str, np.ndarray]
    trace: list[float]
    n_iter: int
    converged: bool


def solve(
    algorithm: Iterative,
    problem: Problem,
    settings: FitSettings,
    seed: int,
    init: Mapping[str, np.ndarray] | None = None,
) -> Fit:
    """Run all restarts of an iterative method and keep the one with the lowest objective.

    Parameters
    ----------
    algorithm : Iterative
    problem : Problem
    settings : FitSettings
    seed : int
        Names the random streams of the starts.
    init : mapping of str to ndarray, optional
        First factors in their public shapes; there is then one restart.

    Raises
    ------
    FitError
        If no restart ends with finite factors.
    """
    if init is not None and settings.restarts > 1:
        raise SpecError("init gives one start: use it with restarts=1")
    order = _update_order(algorithm, problem, settings)
    count = settings.restarts if algorithm.random_start else 1
    limit = algorithm.stack_limit(problem) or count
    finished: list[_Finished] = []
    # Overflow and 0 · inf show up as non-finite objectives, which are checked; warnings would only repeat it.
    with np.errstate(all="ignore"):
        for first in range(0, count, limit):
            members = range(first, min(first + limit, count))
            finished += _advance(
                algorithm, _first_stack(algorithm, problem, seed, members, init), order, settings, first
            )
    return _best(algorithm, problem, finished)


def _update_order(algorithm: Iterative, problem: Problem, settings: FitSettings) -> list[tuple[str, int]]:
    """Factors in the order they move, each with its number of updates per pass."""
    names = list(algorithm.update_order or algorithm.factors)
    if settings.order == "VU":
        names.reverse()
    if settings.inner == "auto" and algorithm.fixed_budget:
        raise SpecError(
            f"{algorithm.name}: the number of iterations is part of the method, so inner is not chosen for "
            f"you; give counts, as {{{names[0]}: 1, {names[1]}: 2}}, or null"
        )
    inner = algorithm.auto_inner(problem) if settings.inner == "auto" else settings.inner or {}
    assert isinstance(inner, dict)
    for name, repeats in inner.items():
        if name not in names:
            raise SpecError(
                f"{algorithm.name}: inner names factor {name!r}; its factors are {', '.join(names)}"
            )
        if not isinstance(repeats, int) or repeats < 1:
            raise SpecError(f"{algorithm.name}: inner {name} must be a whole number >= 1, not {repeats!r}")
    return [(name, inner.get(name, 1)) for name in names]


def _first_stack(
    algorithm: Iterative,
    problem: Problem,
    seed: int,
    members: range,
    init: Mapping[str, np.ndarray] | None,
) -> Stack:
    lengths = algorithm.dimensions(problem)
    stacked = {}
    for name, axes in algorithm.factors.items():
        shape = tuple(lengths[axis] for axis in axes)
        if init is None:
            starts = [algorithm.start(problem, name, seed, restart) for restart in members]
        else:
            if name not in init or np.shape(init[name]) != shape:
                got = np.shape(init[name]) if name in init else "nothing"
                raise SpecError(f"{algorithm.name}: init needs {name} of shape {shape}, not {got}")
            starts = [np.asarray(init[name])]
        stacked[name] = np.stack([algorithm.stored(name, start) for start in starts]).astype(
            problem.X.dtype, order="C"
        )
    stack = Stack(problem, stacked)
    algorithm.prepare(stack)
    return stack


def _advance(
    algorithm: Iterative, stack: Stack, order: list[tuple[str, int]], settings: FitSettings, first: int
) -> list[_Finished]:
    """Iterate until every restart of the stack has stopped."""
    ids = np.arange(first, first + stack.restarts)
    traces: dict[int, list[float]] = {int(restart): [] for restart in ids}
    finished: list[_Finished] = []

    def record() -> None:
        for restart, value in zip(
            ids.tolist(), algorithm.objective(stack, exact=False).tolist(), strict=True
        ):
            traces[restart].append(value)

    record()
    moves = [(name, getattr(algorithm, f"update_{name}"), repeats) for name, repeats in order]
    for iteration in range(1, settings.max_iter + 1):
        for name, move, repeats in moves:
            with stack.moving(name):
                move(stack, repeats)
        algorithm.end_pass(stack)
        if iteration % FLUSH_EVERY == 0:
            stack.flush()
        if iteration % settings.trace_every == 0 and iteration < settings.max_iter:
            record()
            stopped = np.array([_has_stopped(traces[each], settings.tol, iteration) for each in ids.tolist()])
            if stopped.any():
                finished += _retire(algorithm, stack, ids, stopped, traces, iteration)
                ids = ids[~stopped]
                if not len(ids):
                    return finished
                stack.keep(~stopped)
    everyone = np.ones(len(ids), dtype=bool)
    done = _retire(algorithm, stack, ids, everyone, traces, settings.max_iter, converged=False)
    return finished + done


def _has_stopped(trace: list[float], tol: float, iteration: int) -> bool:
    """Whether the relative decrease per recorded step, averaged over the run's last half, is at most tol.

    The average over half the run keeps a flat stretch from ending it, and so does a decrease that is picking
    up: leaving a plateau, it grows; on the way to a limit it shrinks.  A non-finite value ends it at once.
    """
    if not math.isfinite(trace[-1]):
        return True
    quarter = len(trace) // 4
    if tol == 0 or iteration < PATIENCE or quarter == 0:
        return False
    start, middle, end = trace[-1 - 2 * quarter], trace[-1 - quarter], trace[-1]
    return start - end <= 2 * quarter * tol * abs(end) and middle - end <= start - middle


def _retire(
    algorithm: Iterative,
    stack: Stack,
    ids: np.ndarray,
    stopped: np.ndarray,
    traces: dict[int, list[float]],
    iteration: int,
    converged: bool = True,
) -> list[_Finished]:
    """Take the stopped restarts' factors and replace (or add) their last objective by the exact one."""
    exact = algorithm.objective(stack, exact=True)
    out = []
    for position in np.flatnonzero(stopped):
        restart = int(ids[position])
        trace = traces[restart]
        if (converged or iteration == 0) and trace:
            trace.pop()
        trace.append(float(exact[position]))
        factors = {name: algorithm.public(name, stack[name][position]) for name in algorithm.factors}
        out.append(_Finished(restart, factors, trace, iteration, converged))
    return out


def _best(algorithm: Iterative, problem: Problem, finished: list[_Finished]) -> Fit:
    """The fit of the restart with the lowest finite objective, the first of those that tie.

    Raises
    ------
    FitError
        If no restart is finite, or the best has collapsed: it would be read as one big cluster.
    """
    finite = [
        each
        for each in finished
        if np.isfinite(each.trace[-1]) and all(np.isfinite(factor).all() for factor in each.factors.values())
    ]
    if not finite:
        raise FitError(f"{algorithm.name}: no restart ended with finite factors and objective")
    best = _first_of_lowest(finite, problem.X.dtype)
    notes = algorithm.notes(best.factors, problem)
    if lost := len(finished) - len(finite):
        notes += (f"{lost} of {len(finished)} restarts became non-finite and were left out",)
    embedding = algorithm.embedding(best.factors, problem)
    if not embedding.any():
        if problem.X.any():
            raise FitError(f"{algorithm.name}: collapsed, every encoding is zero")
        notes += ("X is zero, and so is every encoding",)
    return Fit(
        factors=best.factors,
        embedding=embedding,
        labels=algorithm.labels(best.factors, problem),
        objective=np.array(best.trace),
        n_iter=best.n_iter,
        converged=best.converged,
        restart=best.restart,
        notes=notes,
    )


def _first_of_lowest(finite: list[_Finished], dtype: np.dtype[Any]) -> _Finished:
    """The restart with the lowest objective, the first of those that differ from it by rounding only."""
    lowest = min(each.trace[-1] for each in finite)
    # Where the fit is exact, what is left of the first objective is rounding too.
    first = abs(finite[0].trace[0]) if np.isfinite(finite[0].trace[0]) else 0.0
    highest = lowest + TIE[dtype.name] * abs(lowest) + np.finfo(dtype).eps * first
    return min((each for each in finite if each.trace[-1] <= highest), key=lambda each: each.restart)
