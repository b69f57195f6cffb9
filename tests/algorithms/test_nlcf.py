"""NLCF and NLCF-G: special cases, the claims of the paper, and where they fail."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import nnls

from nmfrepro import factorize
from nmfrepro.metrics import sparseness


def start(stream, m, n, k):
    return {"U": stream.random((m, k)) + 0.01, "V": stream.random((k, n)) + 0.01}


def rows(first):
    """The same start for a method with V of shape (n, k)."""
    return {"U": first["U"], "V": np.ascontiguousarray(first["V"].T)}


def test_without_the_penalty_it_is_nmf(stream):
    X, first = stream.random((10, 14)), start(stream, 10, 14, 3)
    fit = factorize(X, "nlcf", 3, init=first, max_iter=60, mu=0.0)
    nmf = factorize(X, "nmf", 3, init=rows(first), max_iter=60)
    np.testing.assert_allclose(fit.factors["U"], nmf.factors["U"], rtol=1e-11)
    np.testing.assert_allclose(fit.factors["V"].T, nmf.factors["V"], rtol=1e-11)
    np.testing.assert_allclose(fit.objective, nmf.objective, rtol=1e-11)


def test_without_the_graph_term_nlcf_g_is_nlcf(stream):
    X, first = stream.random((10, 14)), start(stream, 10, 14, 3)
    fit = factorize(X, "nlcf_g", 3, init=first, max_iter=60, mu=0.3, lam=0.0)
    nlcf = factorize(X, "nlcf", 3, init=first, max_iter=60, mu=0.3)
    np.testing.assert_allclose(fit.factors["V"], nlcf.factors["V"], rtol=1e-12)


@pytest.mark.parametrize("weights", ["binary", "heat", "dot"])
def test_without_the_penalty_nlcf_g_is_gnmf(stream, weights):
    X, first = stream.random((10, 14)), start(stream, 10, 14, 3)
    fit = factorize(X, "nlcf_g", 3, init=first, max_iter=60, mu=0.0, lam=3.0, weights=weights)
    gnmf = factorize(X, "gnmf", 3, init=rows(first), max_iter=60, lam=3.0, weights=weights)
    np.testing.assert_allclose(fit.factors["V"].T, gnmf.factors["V"], rtol=1e-11)
    np.testing.assert_allclose(fit.objective, gnmf.objective, rtol=1e-11)


def best_code(U, x, mu):
    """min over v ≥ 0 of ‖x − Uv‖² + μ Σ v_k ‖u_k − x‖², as nonnegative least squares with another target."""
    linear = U.T @ x - 0.5 * mu * np.sum((U.T - x) ** 2, axis=1)
    return nnls(U, U @ np.linalg.solve(U.T @ U, linear))[0]


@pytest.mark.parametrize("mu", [0.3, 2.0, 6.0])
def test_repeated_steps_reach_the_best_code(stream, mu):
    """For fixed U the code of x is zero iff μ‖x − u_k‖² ≥ 2⟨u_k, x⟩ for every k."""
    X, first = stream.random((8, 12)), start(stream, 8, 12, 3)
    fit = factorize(X, "nlcf", 3, init=first, mu=mu, max_iter=1, order="VU", inner={"V": 4000})
    U = first["U"]
    for x, code in zip(X.T, fit.factors["V"].T, strict=True):
        np.testing.assert_allclose(code, best_code(U, x, mu), atol=2e-3)
        silent = all(mu * np.sum((x - u) ** 2) >= 2 * u @ x for u in U.T)
        assert silent == (best_code(U, x, mu).max() == 0)


def test_samples_without_a_code_are_counted():
    X = np.array([[1.0, 1.0, 0.0], [0.0, 0.1, 5.0]])
    first = {"U": np.array([[1.0], [0.0]]), "V": np.ones((1, 3))}
    how = {"init": first, "max_iter": 1, "order": "VU", "inner": {"V": 5000}, "solver": "printed"}
    fit = factorize(X, "nlcf", 1, mu=1.0, **how)
    assert fit.factors["V"][0, 2] == 0
    assert fit.notes == ("1 of 3 samples have an all-zero code",)


def test_codes_are_sparser_with_the_penalty(stream):
    centers = np.array([[1.0, 3.0, 3.0, 5.0], [3.0, 1.0, 5.0, 3.0]])
    X = np.abs(np.repeat(centers, 20, axis=1) + 0.15 * stream.standard_normal((2, 80)))
    codes = {mu: factorize(X, "nlcf", 4, mu=mu, restarts=5, max_iter=500).embedding for mu in (0.0, 0.1, 1.0)}
    found = [sparseness(embedding) for embedding in codes.values()]
    assert found[0] < found[1] < found[2]
    assert found[2] > 0.9


def test_encodings_are_read_as_they_are(stream):
    X, first = stream.random((10, 14)), start(stream, 10, 14, 3)
    fit = factorize(X, "nlcf", 3, init=first, max_iter=3)
    np.testing.assert_array_equal(fit.embedding, fit.factors["V"].T)
