"""Hoyer's projection, NMF with sparseness constraints, and nonnegative sparse coding."""

from __future__ import annotations

import numpy as np
import pytest
from contract import two_factors

from nmfrepro import factorize
from nmfrepro.algorithms import nmf_sc
from nmfrepro.algorithms.engine.hoyer import l1_norm, with_norms
from nmfrepro.core.errors import FitError, SpecError


def sparseness(x):
    return (np.sqrt(len(x)) - sum(abs(x)) / np.sqrt(sum(x * x))) / (np.sqrt(len(x)) - 1)


def as_printed(x, l1, l2):
    """Hoyer 2004, section 3.2: negative entries are fixed at zero until none appears."""
    d = len(x)
    s = x + (l1 - x.sum()) / d
    zero = np.zeros(d, dtype=bool)
    while True:
        middle = np.where(zero, 0, l1 / (d - zero.sum()))
        w = s - middle
        a, b, c = w @ w, 2 * middle @ w, middle @ middle - l2**2
        s = middle + w * (-b + np.sqrt(max(b * b - 4 * a * c, 0))) / (2 * a)
        if np.all(s >= 0):
            return s
        zero |= s < 0
        s[zero] = 0
        s[~zero] -= (s.sum() - l1) / (d - zero.sum())


def by_exhaustion(x, l1, l2):
    """The nearest of all vectors whose j largest entries stay, for every j."""
    best, order = None, np.argsort(-x, kind="stable")
    for j in range(1, len(x) + 1):
        kept = order[:j]
        spread = x[kept] - x[kept].mean()
        room = l2**2 - l1**2 / j
        if room < -1e-12 or (j > 1 and not spread.any()):
            continue
        y = np.zeros(len(x))
        stretch = np.sqrt(max(room, 0) / (spread @ spread)) if j > 1 else 0.0
        y[kept] = l1 / j + stretch * spread
        if y.min() > -1e-12 and (best is None or np.sum((x - y) ** 2) < np.sum((x - best) ** 2)):
            best = y
    return best


def test_the_projection_is_hoyers_and_the_nearest(stream):
    for _ in range(400):
        d = int(stream.integers(2, 30))
        x = stream.standard_normal(d) * 10.0 ** stream.integers(-3, 4)
        factor, l2 = l1_norm(stream.random(), d), stream.random() + 0.1
        y = with_norms(x[None], factor, np.array([l2]))[0]
        scale = max(1, np.abs(x).max())
        np.testing.assert_allclose(y, as_printed(x, factor * l2, l2), atol=1e-12 * scale)
        np.testing.assert_allclose(y, by_exhaustion(x, factor * l2, l2), atol=1e-9 * scale)


@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_many_vectors_at_once(stream, dtype):
    x = stream.standard_normal((50, 200)).astype(dtype)
    l2 = stream.random(50).astype(dtype)
    for wanted in (0.0, 0.3, 0.8, 1.0):
        factor = l1_norm(wanted, 200)
        y = with_norms(x, factor, l2)
        assert y.dtype == dtype
        assert y.min() >= 0
        tolerance = 1e-12 if dtype == "float64" else 1e-4
        np.testing.assert_allclose(np.linalg.norm(y, axis=1), l2, rtol=tolerance)
        np.testing.assert_allclose(y.sum(axis=1), factor * l2, rtol=tolerance)
        for i in (0, 20, 49):
            np.testing.assert_allclose(with_norms(x[i : i + 1], factor, l2[i : i + 1])[0], y[i], rtol=1e-6)
    assert not with_norms(x, 2.0, np.zeros(50, dtype)).any()


def test_ties_favour_the_first():
    """The direction is free where fewer of the tied largest entries must stay."""
    equal = with_norms(np.full((1, 5), 3.0), l1_norm(0.5, 5), np.ones(1))[0]
    assert equal[0] > equal[1] > 0
    np.testing.assert_array_equal(equal[1:], equal[1])
    assert sparseness(equal) == pytest.approx(0.5)
    some = with_norms(np.array([[1.0, 3, 0, 3, 3]]), l1_norm(0.7, 5), np.ones(1))[0]
    np.testing.assert_array_equal(some > 0, [False, True, False, True, True])
    assert some[1] > some[3] == some[4]
    np.testing.assert_array_equal(with_norms(np.array([[2.0, 2, 1]]), 1.0, np.ones(1)), [[1, 0, 0]])
    np.testing.assert_allclose(with_norms(np.ones((1, 4)), 2.0, np.ones(1)), np.full((1, 4), 0.5))


@pytest.mark.parametrize(
    "given", [{"sparseness_v": 0.6}, {"sparseness_u": 0.4}, {"sparseness_u": 0.3, "sparseness_v": 0.6}]
)
@pytest.mark.parametrize("order", ["UV", "VU"])
def test_factors_have_their_sparseness_and_the_objective_falls(stream, given, order):
    X = stream.random((20, 30)) * (stream.random((20, 30)) > 0.3)
    fit = factorize(X, "nmf_sc", 4, max_iter=200, trace_every=1, order=order, **given)
    assert np.all(np.diff(fit.objective) <= 1e-12 * fit.objective[:-1])
    for factor in "UV":
        if wanted := given.get(f"sparseness_{factor.lower()}"):
            for column in fit.factors[factor].T:
                assert sparseness(column) == pytest.approx(wanted, abs=1e-10)
    if "sparseness_v" in given:
        np.testing.assert_allclose(np.linalg.norm(fit.factors["V"], axis=0), 1, rtol=1e-12)


def test_the_first_step_of_v(stream):
    """V ← P(V − (V UᵀU − XᵀU)/λmax(UᵀU)), rows of length one; the free U moves as in NMF."""
    X = stream.random((8, 12))
    first = {
        "U": stream.random((8, 3)),
        "V": with_norms(stream.random((3, 12)), l1_norm(0.5, 12), np.ones(3)).T,
    }
    fit = factorize(X, "nmf_sc", 3, init=first, max_iter=1, sparseness_v=0.5)
    U = factorize(X, "nmf", 3, init=first, max_iter=1).factors["U"]
    np.testing.assert_allclose(fit.factors["U"], U, rtol=1e-13)
    moved = first["V"] - (first["V"] @ U.T @ U - X.T @ U) / np.linalg.eigvalsh(U.T @ U).max()
    for column, wanted in zip(fit.factors["V"].T, moved.T, strict=True):
        np.testing.assert_allclose(column, as_printed(wanted, l1_norm(0.5, 12), 1.0), atol=1e-13)


def test_a_step_of_u_keeps_the_length_after_the_gradient(stream):
    """The step is halved until the objective does not rise."""
    X = stream.random((8, 12))
    first = {
        "U": with_norms(stream.random((3, 8)), l1_norm(0.5, 8), np.ones(3)).T,
        "V": stream.random((12, 3)),
    }
    fit = factorize(X, "nmf_sc", 3, init=first, max_iter=1, sparseness_u=0.5)
    V, step = first["V"], 1 / np.linalg.eigvalsh(first["V"].T @ first["V"]).max()
    while True:
        moved = first["U"] - step * (first["U"] @ V.T @ V - X @ V)
        lengths = np.linalg.norm(moved, axis=0)
        columns = zip(moved.T, lengths, strict=True)
        U = np.array([as_printed(column, l1_norm(0.5, 8) * length, length) for column, length in columns]).T
        if np.sum((X - U @ V.T) ** 2) <= fit.objective[0]:
            break
        step /= 2
    np.testing.assert_allclose(fit.factors["U"], U, atol=1e-12)


def test_balanced_is_the_sparseness_of_equal_clusters(stream):
    hard = np.kron(np.eye(5), np.ones((4, 1)))
    fit = factorize(stream.random((9, 20)), "nmf_sc", 5, max_iter=10, sparseness_v="balanced")
    for column in fit.factors["V"].T:
        assert sparseness(column) == pytest.approx(sparseness(hard[:, 0]), abs=1e-12)


def test_a_block_without_a_step_sits_out(stream, monkeypatch):
    """V never stops for good: its step begins again, and U goes on."""
    X = stream.random((10, 6))
    monkeypatch.setitem(nmf_sc.TRIALS, "V", 1)
    fit = factorize(X, "nmf_sc", 2, max_iter=400, sparseness_v=0.5, trace_every=1)
    whole = factorize(X, "nmf_sc", 2, max_iter=400, sparseness_v=0.5)
    assert np.all(np.diff(fit.objective) <= 1e-12 * fit.objective[:-1])
    assert fit.objective[-1] == pytest.approx(whole.objective[-1], rel=0.05)


def test_a_factor_that_was_zero_holds_the_other_up_for_an_iteration_only():
    stream = np.random.default_rng(29)  # of data on which V has somewhere to go
    X, first = stream.random((8, 12)), {"U": np.zeros((8, 3)), "V": stream.random((12, 3))}
    # One entry of each column of V, whose projection is exact: a step of length 0 changes nothing.
    given = {"sparseness_u": 0.3, "sparseness_v": 1.0, "init": first, "order": "VU"}
    one, more = (factorize(X, "nmf_sc", 3, max_iter=count, **given).factors for count in (1, 5))
    assert one["U"].any()
    assert np.abs(more["V"] - one["V"]).max() > 1e-3


def test_what_nmf_sc_is_not_defined_for(stream):
    X = stream.random((4, 5))
    with pytest.raises(SpecError, match="give sparseness_u or sparseness_v"):
        factorize(X, "nmf_sc", 2)
    with pytest.raises(SpecError, match="sparseness_v needs more than one sample"):
        factorize(X[:, :1], "nmf_sc", 1, sparseness_v=0.5)
    with pytest.raises(SpecError, match="sparseness_u needs more than one feature"):
        factorize(X[:1], "nmf_sc", 1, sparseness_u=0.5)
    with pytest.raises(SpecError, match="sparseness_v must be"):
        factorize(X, "nmf_sc", 2, sparseness_v=1.5)
    assert np.isfinite(factorize(X[:, :1], "nmf_sc", 1, max_iter=20, sparseness_u=0.5).objective).all()


def nnsc_objective(X, U, V, lam):
    m, n = X.shape
    k = U.shape[1]
    fit = sum((X[i, j] - sum(U[i, l] * V[j, l] for l in range(k))) ** 2 for i in range(m) for j in range(n))
    return 0.5 * fit + lam * sum(V[j, l] for j in range(n) for l in range(k))


@pytest.mark.parametrize("order", ["UV", "VU"])
@pytest.mark.parametrize("shape", [(6, 9, 3), (5, 7, 1), (3, 6, 5)])
def test_a_step_of_nnsc(stream, shape, order):
    m, n, k = shape
    X, first = stream.random((m, n)), two_factors(stream, m, n, k)
    first["U"] /= np.linalg.norm(first["U"], axis=0)
    fit = factorize(X, "nnsc", k, init=first, max_iter=1, lam=0.2, order=order)
    U, V = first["U"], first["V"]
    assert fit.objective[0] == pytest.approx(nnsc_objective(X, U, V, 0.2), rel=1e-12)
    for factor in order:
        if factor == "U":
            U = np.maximum(U - (U @ V.T @ V - X @ V) / np.linalg.eigvalsh(V.T @ V).max(), 0)
            U = U / np.linalg.norm(U, axis=0)
        else:
            V = V * (X.T @ U) / (V @ U.T @ U + 0.2)
    np.testing.assert_allclose(fit.factors["U"], U, rtol=1e-11, atol=1e-14)
    np.testing.assert_allclose(fit.factors["V"], V, rtol=1e-12)
    assert fit.objective[-1] == pytest.approx(nnsc_objective(X, U, V, 0.2), rel=1e-11)


@pytest.mark.parametrize("lam", [0.0, 0.1, 0.5])
def test_nnsc_falls_with_unit_columns(stream, lam):
    X = stream.random((12, 20)) * (stream.random((12, 20)) > 0.3)
    fit = factorize(X, "nnsc", 4, lam=lam, max_iter=200, trace_every=1)
    assert np.all(np.diff(fit.objective) <= 1e-12 * fit.objective[:-1])
    np.testing.assert_allclose(np.linalg.norm(fit.factors["U"], axis=0), 1, rtol=1e-12)
    np.testing.assert_array_equal(fit.embedding, fit.factors["V"])


def test_a_column_clipped_to_zero_keeps_its_value():
    X = np.zeros((3, 2))
    first = {"U": np.array([[1.0], [0.0], [0.0]]), "V": np.ones((2, 1))}
    fit = factorize(X, "nnsc", 1, init=first, lam=0.1, max_iter=1)
    np.testing.assert_array_equal(fit.factors["U"], first["U"])


def test_a_collapsed_code_is_an_error(stream):
    X = stream.random((8, 12))
    with pytest.raises(FitError, match="collapsed, with lam = 50"):
        factorize(X, "nnsc", 3, lam=50.0, max_iter=30)
