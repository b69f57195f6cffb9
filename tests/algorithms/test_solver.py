"""The loop around iterative methods: stopping rule, retirement of restarts, flushing."""

from __future__ import annotations

import itertools
import re
from dataclasses import dataclass

import numpy as np
import pytest

from nmfrepro import factorize
from nmfrepro.algorithms import get
from nmfrepro.algorithms.engine import solver
from nmfrepro.algorithms.engine.plain import NEGLIGIBLE
from nmfrepro.algorithms.engine.stack import Stack
from nmfrepro.core import seeds
from nmfrepro.core.errors import SpecError
from nmfrepro.core.problem import FitSettings, Problem
from nmfrepro.method import TwoFactor, ratio


def clusters(m, n, k, noise=0.3, seed=3):
    """Noisy copies of k random images."""
    rng = np.random.default_rng(seed)
    return rng.random((m, k))[:, np.arange(n) % k] + noise * rng.random((m, n))


@pytest.mark.parametrize("trace_every", [1, 10])
@pytest.mark.parametrize("seed", range(3))
def test_the_plateau_at_the_start_ends_no_run(trace_every, seed):
    """Around the best rank-one fit the decrease is below tol for long, and nothing has been found."""
    X = 1 + clusters(80, 48, 8, noise=0.1)
    tol = 5e-4
    trace = factorize(X, "nlcf", 8, mu=3.0, seed=seed, max_iter=3000, trace_every=1).objective
    plateau = trace[40:100]
    assert np.all(plateau[:-1] - plateau[1:] < tol * plateau[1:])
    assert trace[-1] < 0.2 * plateau[-1]
    fit = factorize(
        X, "nlcf", 8, mu=3.0, seed=seed, max_iter=3000, tol=tol * trace_every, trace_every=trace_every
    )
    assert fit.converged
    assert fit.objective[-1] < 1.2 * trace[-1]


@dataclass(frozen=True)
class Plain(TwoFactor):
    """NMF without a stacked tier, so that its restarts run one after the other."""

    name = "plain"

    def update(self, X, U, V):
        U = U * ratio(X @ V, U @ (V.T @ V))
        return U, V * ratio(X.T @ U, V @ (U.T @ U))

    def objective(self, X, U, V):
        return np.sum((X - U @ V.T) ** 2)


@pytest.mark.parametrize("method", [get("nmf")(), Plain()], ids=["stacked", "plain"])
def test_progress_hears_of_every_iteration_of_every_restart(method):
    heard = []
    problem = Problem(np.random.default_rng(0).random((8, 7)), 2)
    solver.solve(method, problem, FitSettings(restarts=3, max_iter=20), 1, progress=heard.append)
    assert sum(heard) == 60


def test_a_fixed_budget_is_used_up():
    fit = factorize(np.ones((6, 5)), "nmf", 2, max_iter=137)
    assert (fit.n_iter, fit.converged) == (137, False)


def test_a_run_at_its_limit_stops():
    fit = factorize(np.ones((6, 5)), "nmf", 2, max_iter=5000, tol=1e-6)
    assert fit.converged
    assert fit.n_iter < 500


def test_methods_with_a_fixed_budget_take_no_automatic_repeats():
    with pytest.raises(SpecError, match=r"number of iterations is part of the method.*\{"):
        factorize(clusters(20, 12, 2), "gnmf", 2, inner="auto", max_iter=5)


@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_flushing_zeroes_what_is_negligible_and_nothing_else(dtype):
    share = NEGLIGIBLE[np.dtype(dtype)]
    U = seeds.uniform((2, 3, 5), 1, "flush").astype(dtype)
    V = np.ones((2, 3, 4), dtype)
    V[0, 0] = [1, 2 * share, share / 2, np.finfo(dtype).smallest_subnormal]
    V[1] *= share / 2  # small throughout: nothing of it is negligible
    stack = Stack(Problem(np.ones((5, 4), dtype), 3), {"U": U.copy(), "V": V.copy()})
    stack.flush()
    np.testing.assert_array_equal(stack["U"], U)
    np.testing.assert_array_equal(stack["V"][0, 0], V[0, 0] * [1, 1, 0, 0])
    np.testing.assert_array_equal(stack["V"][1], V[1])


def test_codes_that_decay_end_at_zero_not_in_subnormals():
    """A sample far from every basis vector loses its code (NLCF)."""
    X = clusters(30, 20, 3)
    X[:, 0] *= 30
    V = factorize(X, "nlcf", 3, mu=5.0, max_iter=5000, dtype="float32").factors["V"]
    assert np.any(V == 0)
    assert V[V > 0].min() >= np.finfo("float32").tiny


@pytest.mark.parametrize(
    ("objectives", "kept"),
    [
        ([3.0, 2.0, 1.0], 2),
        ([1.0 + 1e-12, 2.0, 1.0], 0),  # the last bits are another BLAS's matter
        ([1.0 + 1e-6, 2.0, 1.0], 2),
        ([-1.0, -1.0 - 1e-12, 0.0], 0),
        ([3e-15, 2.0, 1e-19], 0),  # an exact fit, but for rounding
        ([1.0, 1.0, 1.0], 0),
    ],
)
def test_of_restarts_that_differ_by_rounding_the_first_is_kept(objectives: list[float], kept: int) -> None:
    finished = [
        solver._Finished(restart, {}, [100.0, value], 1, False) for restart, value in enumerate(objectives)
    ]
    for order in (finished, finished[::-1]):
        assert solver._first_of_lowest(order, np.dtype("float64")).restart == kept


@pytest.mark.parametrize(
    ("spoil", "note"),
    [
        (lambda V, count: V * (1 + count / 40), r"the objective rose: \S+ before, \S+ after"),
        (lambda V, count: V - 0.5 * (count > 39), "V has negative entries"),
        (lambda V, count: V, None),
    ],
)
def test_a_fit_says_what_a_method_of_its_kind_never_does(spoil, note):
    """A method of one's own with a fault would otherwise stand in the table as one of the others."""

    iterations = itertools.count(1)

    class Spoilt(Plain):
        def update(self, X, U, V):
            U, V = super().update(X, U, V)
            return U, spoil(V, next(iterations))

    settings = FitSettings(restarts=1, max_iter=40, tol=0.0)
    fit = solver.solve(Spoilt(), Problem(clusters(20, 12, 3), 3), settings, 1)
    found = [each for each in fit.notes if note and re.fullmatch(note, each)]
    assert (len(found) == 1) if note else (fit.notes == ())


@pytest.mark.parametrize("tol", [0.0, 1e-3])
def test_what_is_lost_or_not_finite_has_not_converged(tol):
    """Such restarts end at once, which is no limit found."""

    class Lost(get("nmf")):
        def lost(self, stack):
            return np.ones(stack.restarts, dtype=bool)

    class Overflown(get("nmf")):
        def objectives(self, stack, exact):
            return super().objectives(stack, exact) if exact else np.full(stack.restarts, np.inf)

    for cls in (Lost, Overflown):
        fit = factorize(clusters(20, 12, 3), cls, 3, restarts=2, tol=tol, max_iter=200)
        assert (fit.n_iter, fit.converged) == (10, False)
