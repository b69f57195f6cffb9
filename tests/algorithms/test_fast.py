"""The fast solver: its problems against scipy's nnls, descent, fixed points, and when it is the default."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import numpy as np
import pytest
from scipy.optimize import nnls

from nmfrepro import algorithms, factorize, kkt_residual
from nmfrepro.algorithms.cf import WithKernel
from nmfrepro.algorithms.engine import solver
from nmfrepro.algorithms.engine.fast import Quadratic, fast_pass, violation
from nmfrepro.algorithms.engine.graph import Graph, neighbor_graph
from nmfrepro.algorithms.engine.multiplicative import TwoFactor
from nmfrepro.algorithms.engine.solver import FastRun, first_factors
from nmfrepro.algorithms.engine.stack import Stack
from nmfrepro.core.errors import SpecError
from nmfrepro.core.problem import Fit, Problem

M, N, K = 20, 15, 4
LABELS = np.array([0, 0, 1, 1, 2, 2] + 9 * [-1])
FAST = sorted(name for name, cls in algorithms.registry().items() if cls.has_fast())
# The concepts of random weights are nearly parallel: the condition of their Gram matrix is 66,000.
LONG = 100_000
PARAMETERS = {"tnmf": {"lam": 0.1}, "nlcf_g": {"lam": 0.3}, "gnmf": {"lam": 0.3}, "semi_gnmf": {"lam": 0.3}}


@pytest.fixture
def X() -> np.ndarray:
    stream = np.random.default_rng(5)
    return stream.random((M, 5)) @ stream.random((5, N)) + 0.1 * stream.random((M, N))


def given(name: str) -> dict:
    more = dict(PARAMETERS.get(name, {}))
    if algorithms.get(name).needs_labels:
        more["labels"] = LABELS
    if algorithms.get(name).needs_image_shape:
        more["image_shape"] = (5, 4)
    return more


def started(name: str, X: np.ndarray, restarts: Iterable[int] = (0,)) -> tuple:
    more = given(name)
    labels, shape = more.pop("labels", None), more.pop("image_shape", None)
    method = algorithms.get(name)(**more)
    problem = Problem(X, K, shape, labels)
    starts = [first_factors(method, problem, 0, restart, None) for restart in restarts]
    return method, FastRun(method, problem, starts, [])


def test_the_methods_that_have_it():
    assert FAST == ["cf", "cnmf", "gnmf", "nlcf", "nlcf_g", "nmf", "nmf_ncw", "nmsf", "semi_gnmf", "tnmf"]


def literal(problem: Quadratic, F: np.ndarray) -> float:
    """The quadratic as its docstring has it, entry by entry."""
    AF = problem.A[0] @ F @ problem.kernel.K if isinstance(problem, WithKernel) else problem.A[0] @ F
    total = float(np.sum(F * AF) - 2 * np.sum(problem.B[0] * F))
    if problem.ridge is not None:
        total += float(np.sum(np.broadcast_to(problem.ridge[0], F.shape) * F * F))
    if problem.graph is not None:
        W = problem.graph.W.toarray()
        L = np.diag(W.sum(axis=1)) - W
        total += float(np.trace(F @ L @ F.T))
    return total


@pytest.mark.parametrize("name", [name for name in FAST if name not in ("tnmf", "cnmf")])
def test_a_method_declares_its_own_objective(name, X):
    """Between two values of a factor, objective and quadratic differ alike, but for one positive number."""
    method, run = started(name, X)
    stack = run.stack
    for factor in method.factors:
        problem = method.quadratic(stack, factor)
        copy = replace(problem, A=problem.A.copy(), B=problem.B.copy())
        values, quadratics = [], []
        for seed in range(3):
            with stack.moving(factor):
                stack.flat(factor)[...] = np.random.default_rng(seed).random(stack.flat(factor).shape)
            values.append(method.objectives(stack, exact=True)[0])
            quadratics.append(literal(copy, stack.flat(factor)[0]))
        ratios = np.diff(values) / np.diff(quadratics)
        np.testing.assert_allclose(ratios[0], ratios[1], rtol=1e-9)
        assert ratios[0] > 0


@pytest.mark.parametrize("name", FAST)
def test_sweeps_end_at_the_solution_of_nnls(name, X):
    """A factor's problem as one of nonnegative least squares, by its Hessian's Cholesky factor."""
    method, run = started(name, X)
    stack = run.stack
    for factor in method.factors:
        problem = method.quadratic(stack, factor)
        F = np.random.default_rng(1).random(stack.flat(factor).shape)
        p = F.shape[2]
        H = np.kron(problem.A[0], problem.kernel.K if isinstance(problem, WithKernel) else np.eye(p))
        if problem.ridge is not None:
            H += np.diag(np.broadcast_to(problem.ridge[0], F.shape[1:]).ravel())
        if problem.graph is not None:
            W = problem.graph.W.toarray()
            H += np.kron(np.eye(F.shape[1]), np.diag(W.sum(axis=1)) - W)
        C = np.linalg.cholesky(H).T
        best = nnls(C, np.linalg.solve(C.T, problem.B[0].ravel()), maxiter=10_000)[0]
        problem.descend(F, stack, LONG if (name, factor) == ("cf", "V") else 3000)
        np.testing.assert_allclose(F.ravel(), best, atol=1e-6 * best.max())
        assert violation(problem, F, stack)[0] < 1e-6
        assert violation(problem, F + 0.1 * F.max(), stack)[0] > 1e-3


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("name", FAST)
def test_the_objective_never_rises(name, dtype, X):
    rounding = {"float64": 1e-14, "float32": 1e-6}[dtype] * np.sum(X * X)  # it is a difference of such sums
    for seed in range(4):
        fit = factorize(
            X, name, K, solver="fast", seed=seed, dtype=dtype, max_iter=200, trace_every=1, **given(name)
        )
        assert np.all(np.diff(fit.objective) <= rounding)
        assert all((factor >= 0).all() and factor.dtype == dtype for factor in fit.factors.values())


@pytest.mark.parametrize("name", ["nlcf", "nlcf_g", "cf"])
def test_float32_reaches_the_objective_of_float64(name):
    """Judged by products in float32 a run stood still where a pass gained less than they round."""
    stream = np.random.default_rng(5)
    X = stream.random((60, 12)) @ stream.random((12, 50)) + 0.1 * stream.random((60, 50))
    for seed in range(3):
        reached = [
            factorize(X, name, 10, solver="fast", seed=seed, dtype=dtype, **given(name)).objective[-1]
            for dtype in ("float64", "float32")
        ]
        np.testing.assert_allclose(*reached, rtol=2e-4)


@pytest.mark.parametrize("name", FAST)
def test_the_printed_updates_leave_its_limit_where_it_is(name, X):
    limit = factorize(X, name, K, solver="fast", max_iter=4000, **given(name))
    after = factorize(X, name, K, init=limit.factors, max_iter=1, **given(name))
    scaled = 1e-4 if algorithms.get(name).fixed_budget else 1e-7  # without a minimiser scales drift for ever
    for factor, values in limit.factors.items():
        np.testing.assert_allclose(after.factors[factor], values, atol=scaled * values.max())
    assert max(kkt_residual(X, name, limit.factors, **given(name)).values()) < scaled


@pytest.mark.parametrize("name", FAST)
def test_the_same_bytes_twice(name, X):
    one, two = (factorize(X, name, K, solver="fast", restarts=3, max_iter=60, **given(name)) for _ in "ab")
    assert all(one.factors[factor].tobytes() == two.factors[factor].tobytes() for factor in one.factors)


@pytest.mark.parametrize("name", FAST)
def test_a_start_in_a_stack_is_the_one_alone(name, X):
    method, together = started(name, X, restarts=range(3))
    for _ in range(25):
        together.advance()
    for restart in range(3):
        _, alone = started(name, X, restarts=[restart])
        for _ in range(25):
            alone.advance()
        for factor in method.factors:
            one = alone.stack[factor][0]
            np.testing.assert_allclose(together.stack[factor][restart], one, rtol=0, atol=1e-8 * one.max())


@pytest.mark.parametrize("name", FAST)
def test_passes_left_out_would_have_changed_nothing(name, X, monkeypatch):
    computed = {True: 0, False: 0}

    def run(leave_out: bool) -> Fit:
        def counted(method, stack, now):
            fast_pass(method, stack, now)
            computed[leave_out] += 1
            now.still &= leave_out

        monkeypatch.setattr(solver, "fast_pass", counted)
        return factorize(X, name, K, solver="fast", restarts=2, max_iter=1500, **given(name))

    short, whole = run(True), run(False)
    assert all(short.factors[each].tobytes() == whole.factors[each].tobytes() for each in whole.factors)
    assert short.objective.tolist() == whole.objective.tolist()
    assert short.n_iter == whole.n_iter
    # Without a minimiser scales drift for ever, by less each time.
    assert computed[True] < computed[False] / 1.9 or algorithms.get(name).fixed_budget


def test_it_ends_no_higher_than_the_printed_updates(X):
    printed = factorize(X, "nmf", K, restarts=5, max_iter=5000)
    fast = factorize(X, "nmf", K, restarts=5, solver="fast", max_iter=5000)
    assert fast.objective[-1] <= printed.objective[-1] * (1 + 1e-6)


def test_a_zero_component_stays_and_harms_nothing(X):
    U, V = np.random.default_rng(0).random((M, K)), np.random.default_rng(1).random((N, K))
    U[:, 1] = V[:, 1] = 0
    fit = factorize(X, "nmf", K, init={"U": U, "V": V}, solver="fast", max_iter=50)
    assert not fit.factors["U"][:, 1].any()
    assert np.isfinite(fit.objective).all()


def test_a_graph_with_lonely_samples():
    stack = Stack(Problem(np.ones((3, 4)), 2), {"V": np.ones((1, 2, 4))})
    W = neighbor_graph(np.array([[0.0, 0.1, 5.0, 5.1]]), 1).tolil()
    W[2:] = W[:, 2:] = 0
    problem = Quadratic(np.zeros((1, 2, 2)), np.zeros((1, 2, 4)), graph=Graph(W.tocsr()))
    F = np.ones((1, 2, 4))
    problem.descend(F, stack, 5)
    assert np.isfinite(F).all()


@pytest.mark.parametrize(
    ("name", "more", "fast"),
    [
        ("nmf", {}, True),
        ("nmf", {"tol": 1e-4, "restarts": 2}, True),
        ("nmf", {"max_iter": 30}, False),
        ("nmf", {"order": "UV"}, False),
        ("nmf", {"inner": "auto"}, False),
        ("nmf", {"solver": "printed"}, False),
        ("nmf", {"solver": "fast", "max_iter": 30}, True),
        ("gnmf", {}, False),
        ("nmf_kl", {}, False),
    ],
)
def test_when_it_is_the_default(name, more, fast, X):
    fit = factorize(X, name, 2, **more)
    assert any("fast solver, KKT residual" in note for note in fit.notes) == fast


@pytest.mark.parametrize(
    ("name", "more", "note"),
    [
        ("nmf", {"max_iter": 30}, 'max_iter; leave that out, or ask for the solver "fast", for a minimum'),
        ("nmf", {"inner": "auto", "max_iter": 30}, "inner, max_iter; leave that out, for a minimum"),
        ("nmf", {"order": "UV"}, "order; leave that out, for a minimum"),
        ("nmf", {}, ""),
        ("nmf", {"solver": "printed", "max_iter": 30}, ""),
        ("nmf", {"solver": "fast", "max_iter": 30}, ""),
        ("gnmf", {"max_iter": 30}, ""),
        ("nmf_kl", {"max_iter": 30}, ""),
        ("kmeans", {"max_iter": 30}, ""),
    ],
)
def test_what_keeps_it_from_being_the_default_is_noted(name, more, note, X):
    notes = factorize(X, name, 2, **more).notes
    said = [each for each in notes if each.startswith("printed updates")]
    assert said == ([f"printed updates because of {note}"] if note else [])


def test_an_init_means_the_printed_updates(X):
    init = {"U": np.ones((M, 2)), "V": np.ones((N, 2))}
    (note,) = factorize(X, "nmf", 2, init=init).notes
    assert (
        note == 'printed updates because of init; leave that out, or ask for the solver "fast", for a minimum'
    )


@pytest.mark.parametrize(
    ("name", "more", "said"),
    [
        ("nmf_kl", {}, "nmf_kl has no fast solver: give it solver='printed'"),
        ("onmf", {}, "onmf computes its factors in its own way and takes no solver"),
        ("pca", {}, "pca computes its factors in its own way and takes no solver"),
        ("glram", {"image_shape": (M, 1)}, "glram .* takes no solver"),
        ("nmf", {"order": "VU"}, "need solver='printed'"),
        ("nmf", {"inner": {"V": 3}}, "need solver='printed'"),
        ("tnmf", {"lam": 1, "unit_columns": True}, "unit_columns rescales .* use solver='printed'"),
    ],
)
def test_what_it_cannot_do_is_refused(name, more, said, X):
    with pytest.raises(SpecError, match=said):
        factorize(X, name, 2, solver="fast", **more)


def test_a_change_of_the_objective_or_an_update_needs_a_declaration_of_its_own():
    nmf = algorithms.get("nmf")

    class OtherUpdate(nmf):
        def update_V(self, stack, repeats):
            super().update_V(stack, repeats)

    class OtherReading(nmf):
        def embedding(self, factors, problem):
            return factors["V"]

    assert issubclass(nmf, TwoFactor)
    assert not OtherUpdate.has_fast()
    assert OtherReading.has_fast()


def test_a_hook_of_the_printed_pass_is_run(X):
    calls = []

    class Counted(algorithms.get("nmf")):
        def end_pass(self, stack):
            calls.append(stack.restarts)

    for more, passes in (({}, 1000), ({"max_iter": 20}, 20)):
        assert not any("fast solver" in note for note in factorize(X, Counted, 3, **more).notes)
        assert len(calls) == passes
        calls.clear()
    with pytest.raises(SpecError, match="has no fast solver"):
        factorize(X, Counted, 3, solver="fast")


def test_a_method_without_it_has_no_kkt_residual(X):
    with pytest.raises(SpecError, match="no KKT residual"):
        kkt_residual(X, "nmf_kl", {})
