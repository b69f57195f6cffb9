"""NMF with the squared error, the Kullback–Leibler divergence, and the weights of normalised cuts."""

from __future__ import annotations

import numpy as np
import pytest
from contract import two_factors

from nmfrepro import factorize
from nmfrepro.algorithms.engine import kullback_leibler
from nmfrepro.core.errors import FitError


def scikit_learn(X, first, order, loss, iterations):
    """scikit-learn moves W first: W is U for the order UV, and V, with X transposed, for VU."""
    from sklearn.decomposition import non_negative_factorization

    W, H = (first["U"], first["V"].T) if order == "UV" else (first["V"], first["U"].T)
    W, H, _ = non_negative_factorization(
        X if order == "UV" else np.ascontiguousarray(X.T),
        W=W.copy(),
        H=np.ascontiguousarray(H),
        n_components=W.shape[1],
        init="custom",
        solver="mu",
        beta_loss=loss,
        tol=0,
        max_iter=iterations,
    )
    return (W, H.T) if order == "UV" else (H.T, W)


@pytest.mark.parametrize("order", ["UV", "VU"])
@pytest.mark.parametrize(("name", "loss"), [("nmf", "frobenius"), ("nmf_kl", "kullback-leibler")])
@pytest.mark.parametrize(("iterations", "tolerance"), [(1, 1e-13), (100, 1e-11)])
@pytest.mark.parametrize("k", [6, 36])
def test_scikit_learns_multiplicative_solver(stream, name, loss, order, iterations, tolerance, k):
    X, first = stream.random((40, 25)), two_factors(stream, 40, 25, k)
    fit = factorize(X, name, k, init=first, max_iter=iterations, order=order)
    U, V = scikit_learn(X, first, order, loss, iterations)
    np.testing.assert_allclose(fit.factors["U"], U, rtol=tolerance, atol=tolerance)
    np.testing.assert_allclose(fit.factors["V"], V, rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize("k", [30, 31])  # products in another order above 2 · 40 · 25 / (40 + 25)
def test_the_trace_is_the_residual_however_many_components(stream, k):
    X, first = stream.random((40, 25)), two_factors(stream, 40, 25, k)
    fit = factorize(X, "nmf", k, init=first, max_iter=2, trace_every=1)
    longer = factorize(X, "nmf", k, init=first, max_iter=4, trace_every=1)
    literal = np.sum((X - fit.factors["U"] @ fit.factors["V"].T) ** 2)
    np.testing.assert_allclose([fit.objective[-1], longer.objective[2]], literal, rtol=1e-12)


def test_encodings_are_read_with_unit_columns(stream):
    X, first = stream.random((9, 12)), two_factors(stream, 9, 12, 3)
    fit = factorize(X, "nmf", 3, init=first, max_iter=3)
    lengths = [sum(x * x for x in column) ** 0.5 for column in fit.factors["U"].T]
    np.testing.assert_allclose(fit.embedding, fit.factors["V"] * lengths, rtol=1e-14)
    plain = factorize(X, "nmf", 3, init=first, max_iter=3, normalize="none")
    np.testing.assert_array_equal(plain.embedding, plain.factors["V"])


@pytest.mark.parametrize("name", ["nmf", "nmf_kl", "nmf_ncw"])
def test_zero_rows_and_columns_pass_into_the_factors(stream, name):
    X, first = stream.random((9, 12)), two_factors(stream, 9, 12, 3)
    X[4], X[:, 7] = 0, 0
    fit = factorize(X, name, 3, init=first, max_iter=1)
    assert not fit.factors["U"][4].any()
    assert not fit.factors["V"][7].any()
    assert np.all(np.delete(fit.factors["U"], 4, axis=0) > 0)
    assert np.all(np.delete(fit.factors["V"], 7, axis=0) > 0)


def test_a_fixed_point_need_not_be_stationary():
    """X = (1, 1)ᵀ, U = (0, 1)ᵀ, V = 1 stays, though the gradient in u₁ is −2."""
    fit = factorize([[1.0], [1.0]], "nmf", 1, init={"U": [[0.0], [1.0]], "V": [[1.0]]}, max_iter=50)
    np.testing.assert_array_equal(fit.factors["U"], [[0.0], [1.0]])
    assert fit.objective[-1] == 1.0


@pytest.mark.parametrize("name", ["nmf", "nmf_kl"])
def test_the_objective_near_an_exact_fit(stream, name):
    """The form from Gram matrices cancels there; the trace must not."""
    exact = two_factors(stream, 9, 12, 3)
    X = exact["U"] @ exact["V"].T
    near = {
        factor: values * (1 + 1e-9 * stream.standard_normal(values.shape)) for factor, values in exact.items()
    }
    trace = factorize(X, name, 3, init=near, max_iter=5, trace_every=1).objective
    difference = X - near["U"] @ near["V"].T
    expected = np.sum(difference**2) if name == "nmf" else 0.5 * np.sum(difference**2 / X)
    assert trace[0] == pytest.approx(expected, rel=1e-4)
    assert np.all(np.diff(trace) <= 0)


@pytest.mark.parametrize("name", ["nmf", "nmf_kl", "nmf_ncw"])
@pytest.mark.parametrize(("steps", "double", "single"), [(1, 1e-12, 1e-5), (100, 1e-10, 1e-3)])
def test_drift_of_rounding(stream, name, steps, double, single):
    """A start moved by rounding, and single precision, end within the drift that was measured."""
    X, first = stream.random((60, 40)), two_factors(stream, 60, 40, 5)
    fit = factorize(X, name, 5, init=first, max_iter=steps)
    moved = {
        factor: values * (1 + 2e-16 * stream.standard_normal(values.shape))
        for factor, values in first.items()
    }
    for tolerance, other in (
        (double, factorize(X, name, 5, init=moved, max_iter=steps)),
        (single, factorize(X, name, 5, init=first, max_iter=steps, dtype="float32")),
    ):
        for factor, values in fit.factors.items():
            assert np.abs(other.factors[factor] - values).max() <= tolerance * values.max()


def test_kl_in_blocks(stream, monkeypatch):
    X, first = stream.random((9, 12)), two_factors(stream, 9, 12, 3)
    whole = factorize(X, "nmf_kl", 3, init=first, max_iter=4)
    monkeypatch.setattr(kullback_leibler, "BLOCK", 30)
    blocks = factorize(X, "nmf_kl", 3, init=first, max_iter=4)
    np.testing.assert_allclose(blocks.factors["V"], whole.factors["V"], rtol=1e-13)
    np.testing.assert_allclose(blocks.objective, whole.objective, rtol=1e-13)


def test_kl_is_infinite_where_only_the_fit_is_zero():
    with pytest.raises(FitError, match="no restart ended"):
        factorize(np.ones((3, 2)), "nmf_kl", 1, init={"U": np.array([[0.0], [1], [1]]), "V": np.ones((2, 1))})


def test_ncw_is_nmf_of_weighted_samples(stream):
    X, first = stream.random((9, 12)), two_factors(stream, 9, 12, 3)
    X[:, 5] = 0
    d = (X.T @ X).sum(axis=1)
    with np.errstate(invalid="ignore"):
        weighted = np.where(d > 0, X / np.sqrt(d), 0)
    fit = factorize(X, "nmf_ncw", 3, init=first, max_iter=30)
    other = factorize(weighted, "nmf", 3, init=first, max_iter=30)
    np.testing.assert_allclose(fit.factors["U"], other.factors["U"], rtol=1e-11)
    np.testing.assert_allclose(fit.embedding, other.embedding, rtol=1e-11)
    np.testing.assert_allclose(fit.objective, other.objective, rtol=1e-11)
    plain = factorize(X, "nmf_ncw", 3, init=first, max_iter=30, read="plain")
    np.testing.assert_allclose(plain.embedding, other.embedding * np.sqrt(d)[:, None], rtol=1e-11)
    np.testing.assert_array_equal(plain.embedding.argmax(axis=1), fit.embedding.argmax(axis=1))
