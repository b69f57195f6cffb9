"""The loop around an iterative method: restarts, stopping rule, objective trace, finite checks."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from types import MappingProxyType
from typing import Any

import numpy as np

from ...core import seeds
from ...core.errors import FitError, Setting, SpecError
from ...core.problem import EARLIEST_STOP, Fit, FitSettings, Problem
from .base import Algorithm, Iterative
from .fast import Momentum, fast_pass, first_momentum, kkt
from .plain import Array, Factors, PlainRun, untouched
from .stack import Stack

# Subnormals are flushed this often; rarely enough to cost nothing, often enough to catch the decay.
FLUSH_EVERY = 50
# Objectives with a smaller relative difference are the same but for rounding.  The first of such restarts is
# kept: the last bits differ from one BLAS to another, and factors of equal objectives may differ much.
TIE = {"float64": 1e-9, "float32": 1e-5}
# A rise by more than this share of the first objective and of ‖X‖² is none of rounding.
RISE = {"float64": 1e-6, "float32": 1e-3}


@dataclass(frozen=True)
class _Finished:
    """One restart after its last iteration."""

    restart: int
    factors: Factors
    trace: list[float]
    n_iter: int
    converged: bool
    notes: tuple[str, ...] = ()


def check_run(cls: type[Algorithm], settings: FitSettings) -> None:
    """Refuse what a method cannot be run with, of the settings that it uses.

    Raises
    ------
    SpecError
        With the setting as its option.
    """
    if cls.fixed_budget and settings.tol > 0:
        raise SpecError(f"the number of iterations is part of {cls.name}, so its tol must be 0", option="tol")
    if cls.fixed_budget and settings.inner == "auto":
        counts = ", ".join(f"{name}: {count}" for count, name in enumerate(cls.factors, 1))
        what = f"the number of iterations is part of the method {cls.name}, so inner is not chosen for you"
        raise SpecError(f"{what}; give counts, as {{{counts}}}, or null", option="inner")
    for name, repeats in settings.inner.items() if isinstance(settings.inner, dict) else ():
        if name not in cls.factors:
            known = ", ".join(cls.factors)
            raise SpecError(f"inner names factor {name!r}; those of {cls.name} are {known}", option="inner")
        seeds.whole(repeats, f"inner {name}", low=1, option="inner")
    if settings.solver == "fast":
        printed = Setting("solver", "printed")
        if not cls.has_fast():
            raise SpecError(f"{cls.name} has no fast solver: give it ", printed)
        if settings.inner is not None or settings.order != "UV":
            raise SpecError(
                f"{cls.name}: order and inner say how printed updates run, so they need ", printed
            )


def solve(
    method: Iterative,
    problem: Problem,
    settings: FitSettings,
    seed: int,
    init: Mapping[str, Array] | None = None,
    progress: Callable[[int], object] = lambda count: None,
    ends: Callable[["Run"], bool] = lambda run: False,
) -> Fit:
    """Run all restarts of an iterative method and keep the one with the lowest objective.

    Parameters
    ----------
    method : Iterative
    problem : Problem
    settings : FitSettings
    seed : int
        Names the random streams of the starts.
    init : mapping of str to ndarray, optional
        First factors in their public shapes; there is then one restart.
    progress : callable
        Called with the number of restarts that have just ended an iteration.
    ends : callable
        Called with the restarts that run together after each of their iterations: whether it was their last.

    Raises
    ------
    FitError
        If no restart ends with finite factors.
    """
    order = _update_order(method, problem, settings)
    finished: list[_Finished] = []
    # Overflow and 0 · inf show up as non-finite objectives, which are checked; warnings would only repeat it.
    with np.errstate(all="ignore"):
        for restarts in _together(method, problem, settings.restarts):
            starts = [first_factors(method, problem, seed, restart, init) for restart in restarts]
            kind = FastRun if settings.solver == "fast" else StackedRun
            run: Run = (
                kind(method, problem, starts, order)
                if method.stacked
                else PlainRun(method, problem, starts[0])
            )
            finished += _advance(run, settings, restarts[0], progress, ends)
    return _best(method, problem, finished)


def solve_each(
    methods: Sequence[Iterative], problem: Problem, settings: FitSettings, seed: int
) -> list[Fit | FitError]:
    """Stacked fits of a method from one start, each with its own values of what the method `varies`.

    Returns
    -------
    list of Fit or FitError
        What `solve` would return or raise for one after the other, to rounding.

    Raises
    ------
    FitError
        If something fails that does not say of which of them.
    """
    method = methods[0]
    found: list[Fit | FitError] = []
    order, start = _update_order(method, problem, settings), first_factors(method, problem, seed, 0, None)
    with np.errstate(all="ignore"):
        for indices in _together(method, problem, len(methods)):
            own = {name: [getattr(methods[i], name) for i in indices] for name in method.varies}
            run = StackedRun(method, problem, [start] * len(indices), order, own)
            for each in sorted(_advance(run, settings, indices[0]), key=lambda each: each.restart):
                try:
                    found.append(_best(methods[each.restart], problem, [replace(each, restart=0)]))
                except FitError as error:
                    found.append(error)
    return found


def _together(method: Iterative, problem: Problem, count: int) -> Iterator[range]:
    """Restarts in groups that advance together."""
    limit = (method.stack_limit(problem) or count) if method.stacked else 1
    return (range(first, min(first + limit, count)) for first in range(0, count, limit))


def _update_order(method: Iterative, problem: Problem, settings: FitSettings) -> list[tuple[str, int]]:
    """Factors in the order they move, each with its number of updates per printed pass."""
    names = list(method.update_order or method.factors)
    if settings.order == "VU":
        names.reverse()
    auto = settings.inner == "auto" or settings.solver == "fast"
    inner = method.auto_inner(problem) if auto else settings.inner or {}
    assert isinstance(inner, dict)
    return [(name, inner.get(name, 1)) for name in names]


def first_factors(
    method: Iterative,
    problem: Problem,
    seed: int,
    restart: int,
    init: Mapping[str, Array] | None,
    word: str = "init",
) -> Factors:
    """The factors that a restart begins with, in their public shapes and the type of the run.

    `word` is what messages call those that are given, `init`.

    Raises
    ------
    SpecError
        If one of those is missing, of another shape, not finite or not real, or has entries below 0 where
        the method has none; or if a factor has an axis of no known length.
    """
    lengths, dtype = method.dimensions(problem), problem.X.dtype
    for name, axes in method.factors.items():
        if unknown := [str(axis) for axis in axes if axis not in lengths]:
            known = f"dimensions has {', '.join(lengths)}: name those, or write dimensions"
            raise SpecError(f"{method.name}: factors has {name} with an axis {unknown[0]}, and {known}")
    if init is None:
        return {name: np.array(method.start(problem, name, seed, restart), dtype) for name in method.factors}
    for name, axes in method.factors.items():
        shape = tuple(lengths[axis] for axis in axes)
        if name not in init or np.shape(init[name]) != shape:
            got = np.shape(init[name]) if name in init else "nothing"
            raise SpecError(f"{method.name}: {word} must have {name} of shape {shape}, not {got}")
        if np.iscomplexobj(init[name]) or not np.isfinite(init[name]).all():
            raise SpecError(f"{method.name}: {word} {name} must hold finite real numbers")
        if name in method.nonnegative and (least := np.min(init[name])) < 0:
            raise SpecError(f"{method.name}: {word} {name} must be >= 0 and has entries down to {least:g}")
    return {name: np.array(init[name], dtype) for name in method.factors}


class StackedRun:
    """Some restarts of a method's stacked tier, advanced together; like `PlainRun` for one."""

    def __init__(
        self,
        method: Iterative,
        problem: Problem,
        starts: list[Factors],
        order: list[tuple[str, int]],
        own: Mapping[str, Sequence[float]] = MappingProxyType({}),
    ) -> None:
        self.method = method
        stacked = {
            name: np.array([method.stored(name, start[name]) for start in starts]) for name in method.factors
        }
        self.stack = Stack(problem, stacked, own, method.given(problem))
        self.moves = [
            (self.stack.moving(name), getattr(method, f"update_{name}"), repeats) for name, repeats in order
        ]
        self.stack.state = method.prepare(self.stack)

    @property
    def count(self) -> int:
        """Restarts that are still running."""
        return self.stack.restarts

    def advance(self) -> None:
        """One iteration of all of them."""
        for moving, move, repeats in self.moves:
            with moving:
                move(self.stack, repeats)
        self.method.end_pass(self.stack)

    def objectives(self, exact: bool) -> Array:
        """One value per restart."""
        return self.method.objectives(self.stack, exact)

    def lost(self) -> Array:
        """Which of them end because they have collapsed."""
        return self.method.lost(self.stack)

    def flush(self) -> None:
        """Set negligible entries to zero."""
        self.stack.flush()

    def drop_stopped(self, running: Array) -> None:
        """Drop the restarts that have stopped."""
        self.stack.drop_stopped(running)

    def public(self, position: int) -> Factors:
        """One restart's factors as the paper shapes them."""
        return {name: self.method.public(name, self.stack[name][position]) for name in self.method.factors}

    def notes(self) -> list[tuple[str, ...]]:
        """What a reader must know of how each restart ran."""
        return [()] * self.count


class FastRun(StackedRun):
    """Restarts by the fast solver; see `nmfrepro.algorithms.engine.fast`."""

    warmed = 0
    momentum: Momentum | None = None

    def advance(self) -> None:
        """One pass over X, the first `warm` of them printed; none where it would change nothing."""
        if self.warmed < self.method.warm:
            super().advance()
            self.warmed += 1
            return
        if self.momentum is None:
            self.momentum = first_momentum(self.method, self.stack)
        if not self.momentum.still.all():
            fast_pass(self.method, self.stack, self.momentum)

    def flush(self) -> None:
        """Set negligible entries to zero; from there a pass may find something again."""
        super().flush()
        if self.momentum is not None:
            self.momentum.still[:] = False

    def drop_stopped(self, running: Array) -> None:
        """Drop the restarts that have stopped."""
        super().drop_stopped(running)
        if self.momentum is not None:
            self.momentum.drop_stopped(running)

    def notes(self) -> list[tuple[str, ...]]:
        """That they were fast, and how far the factors are from a stationary point."""
        worst = np.max(list(kkt(self.method, self.stack).values()), axis=0)
        return [(f"fast solver, KKT residual {each:.0e}",) for each in worst.tolist()]


Run = PlainRun | StackedRun
"""Restarts that advance together; of either tier."""


def _advance(
    run: Run,
    settings: FitSettings,
    first: int,
    progress: Callable[[int], object] = lambda count: None,
    ends: Callable[[Run], bool] = lambda run: False,
) -> list[_Finished]:
    """Iterate until every restart of the run has stopped."""
    ids = np.arange(first, first + run.count)
    traces: dict[int, list[float]] = {restart: [] for restart in ids.tolist()}
    finished: list[_Finished] = []

    def record() -> None:
        for restart, value in zip(ids.tolist(), run.objectives(exact=False).tolist(), strict=True):
            traces[restart].append(value)

    def retire(stopped: Array, iteration: int, converged: Array, recorded: bool) -> None:
        """Take the stopped restarts' factors, and their exact objective in the place of one just recorded."""
        exact, notes = run.objectives(exact=True), run.notes()
        for position in np.flatnonzero(stopped).tolist():
            restart, factors = int(ids[position]), run.public(position)
            trace = [*traces[restart][: -1 if recorded else None], float(exact[position])]
            ended = bool(converged[position])
            finished.append(_Finished(restart, factors, trace, iteration, ended, notes[position]))

    record()
    iteration = 0
    for iteration in range(1, settings.max_iter + 1):
        run.advance()
        progress(len(ids))
        if ends(run):
            break
        if iteration % FLUSH_EVERY == 0:
            run.flush()
        if iteration % settings.trace_every == 0 and iteration < settings.max_iter:
            record()
            running = [traces[each] for each in ids.tolist()]
            # These end at once, and have not converged.
            failed = run.lost() | ~np.isfinite([trace[-1] for trace in running])
            settled = np.array([_has_settled(trace, settings.tol, iteration) for trace in running]) & ~failed
            stopped = settled | failed
            if stopped.any():
                retire(stopped, iteration, settled, recorded=True)
                ids = ids[~stopped]
                if not len(ids):
                    return finished
                run.drop_stopped(~stopped)
    everyone = np.ones(len(ids), dtype=bool)
    retire(everyone, iteration, ~everyone, recorded=iteration == 0)
    return finished


def _has_settled(trace: list[float], tol: float, iteration: int) -> bool:
    """Whether the relative decrease per recorded step, averaged over the run's last half, is at most tol.

    The average over half the run keeps a flat stretch from ending it, and so does a decrease that is picking
    up: leaving a plateau, it grows; on the way to a limit it shrinks.
    """
    quarter = len(trace) // 4
    if tol == 0 or iteration < EARLIEST_STOP or quarter == 0:
        return False
    start, middle, end = trace[-1 - 2 * quarter], trace[-1 - quarter], trace[-1]
    return start - end <= 2 * quarter * tol * abs(end) and middle - end <= start - middle


def _best(method: Iterative, problem: Problem, finished: list[_Finished]) -> Fit:
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
        hint = "" if method.stacked else "; where it may divide 0 by 0, use ratio of nmfrepro.method"
        raise FitError(f"{method.name}: no restart ended with finite factors and objective{hint}")
    best = _first_of_lowest(finite, problem.X.dtype)
    found = untouched(best.factors)
    notes = (*method.notes(found, problem), *best.notes, *_impossible(method, problem, best))
    if lost := len(finished) - len(finite):
        notes += (f"{lost} of {len(finished)} restarts became non-finite and were left out",)
    embedding = np.array(method.embedding(found, problem))  # its own, also where it is a factor
    if not np.any(embedding):
        if problem.X.any():
            raise FitError(f"{method.name}: collapsed, every encoding is zero")
        notes += ("X is zero, and so is every encoding",)
    return Fit(
        factors=best.factors,
        embedding=embedding,
        labels=method.labels(found, problem),
        objective=np.array(best.trace),
        n_iter=best.n_iter,
        converged=best.converged,
        restart=best.restart,
        notes=notes,
    )


def _impossible(method: Iterative, problem: Problem, best: _Finished) -> Iterator[str]:
    """What a method of this kind never does: a fault of its code, which a reader of the table must know."""
    X = problem.X
    before, after = max(pairwise(best.trace), key=lambda pair: pair[1] - pair[0], default=(0.0, 0.0))
    if method.monotone and after - before > RISE[X.dtype.name] * (abs(best.trace[0]) + np.vdot(X, X)):
        yield f"the objective rose: {before:.4g} before, {after:.4g} after"
    for name in method.nonnegative:
        if best.factors[name].min() < 0:
            yield f"{name} has negative entries"


def _first_of_lowest(finite: list[_Finished], dtype: np.dtype[Any]) -> _Finished:
    """The restart with the lowest objective, the first of those that differ from it by rounding only."""
    lowest = min(each.trace[-1] for each in finite)
    # Where the fit is exact, what is left of the first objective is rounding too.
    first = abs(finite[0].trace[0]) if np.isfinite(finite[0].trace[0]) else 0.0
    highest = lowest + TIE[dtype.name] * abs(lowest) + np.finfo(dtype).eps * first
    return min((each for each in finite if each.trace[-1] <= highest), key=lambda each: each.restart)
