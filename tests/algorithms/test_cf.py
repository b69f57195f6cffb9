"""Concept factorization."""

from __future__ import annotations

import numpy as np
import pytest

from nmfrepro import factorize


def test_with_and_without_the_kernel_matrix(stream):
    """Rows of zeros do not change K = XᵀX, but make n ≤ 2m, where K is formed."""
    X = stream.random((4, 12))
    first = {"Wc": stream.random((12, 3)), "V": stream.random((12, 3))}
    through_X = factorize(X, "cf", 3, init=first, max_iter=30)
    through_K = factorize(np.vstack([X, np.zeros((8, 12))]), "cf", 3, init=first, max_iter=30)
    for factor, values in through_X.factors.items():
        np.testing.assert_allclose(through_K.factors[factor], values, rtol=1e-10)
    np.testing.assert_allclose(through_K.objective, through_X.objective, rtol=1e-10)


def test_the_step_of_v_is_nmfs(stream):
    X = stream.random((8, 12))
    first = {"Wc": stream.random((12, 3)), "V": stream.random((12, 3))}
    fit = factorize(X, "cf", 3, init=first, max_iter=1, order="VU")
    nmf = factorize(X, "nmf", 3, init={"U": X @ first["Wc"], "V": first["V"]}, max_iter=1, order="VU")
    np.testing.assert_allclose(fit.factors["V"], nmf.factors["V"], rtol=1e-12)


def test_encodings_are_read_with_unit_concepts(stream):
    X = stream.random((8, 12))
    fit = factorize(X, "cf", 3, max_iter=5)
    K = X.T @ X
    lengths = [np.sqrt(w @ K @ w) for w in fit.factors["Wc"].T]
    np.testing.assert_allclose(fit.embedding, fit.factors["V"] * lengths, rtol=1e-12)


@pytest.mark.parametrize("m", [4, 20])
def test_the_objective_near_an_exact_fit(stream, m):
    """k = n with W = V = I is exact; the trace must stay accurate and not rise."""
    X = stream.random((m, 6))
    near = {"Wc": np.eye(6), "V": np.eye(6) + 1e-8 * stream.random((6, 6))}
    trace = factorize(X, "cf", 6, init=near, max_iter=5, trace_every=1).objective
    assert trace[0] == pytest.approx(np.sum((X - X @ near["V"].T) ** 2), rel=1e-6)
    assert np.all(np.diff(trace) <= 1e-9 * trace[0])
