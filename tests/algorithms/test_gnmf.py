"""GNMF and SemiGNMF."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.sparse import csr_array

from nmfrepro import factorize
from nmfrepro.algorithms.semi_gnmf import with_labels


@pytest.fixture
def stream():
    return np.random.default_rng(13)


def start(stream, m, n, k):
    return {"U": stream.random((m, k)) + 0.01, "V": stream.random((n, k)) + 0.01}


def test_without_weight_it_is_nmf(stream):
    X, first = stream.random((10, 14)), start(stream, 10, 14, 3)
    fit = factorize(X, "gnmf", 3, init=first, max_iter=60, lam=0.0)
    nmf = factorize(X, "nmf", 3, init=first, max_iter=60)
    np.testing.assert_allclose(fit.factors["V"], nmf.factors["V"], rtol=1e-12)
    np.testing.assert_allclose(fit.embedding, nmf.embedding, rtol=1e-12)


def test_a_start_with_unit_columns_is_the_same_product(stream):
    X = stream.random((10, 14))
    plain, unit = (factorize(X, "gnmf", 3, max_iter=0, unit_start=each).factors for each in (False, True))
    np.testing.assert_allclose(np.linalg.norm(unit["U"], axis=0), 1)
    np.testing.assert_allclose(unit["U"] @ unit["V"].T, plain["U"] @ plain["V"].T)


@pytest.mark.parametrize("lam", [1.0, 100.0, 1e6])
def test_the_objective_falls_for_any_weight(stream, lam):
    X = stream.random((10, 14)) * (stream.random((10, 14)) > 0.3)
    trace = factorize(X, "gnmf", 3, lam=lam, max_iter=200, trace_every=1).objective
    assert np.all(np.diff(trace) <= 1e-13 * trace[:-1])


def test_there_is_no_minimiser(stream):
    """(sU, V/s) keeps the fit and divides the graph term by s²: the iteration drifts that way for ever."""
    X = stream.random((20, 16))
    short, long = (factorize(X, "gnmf", 3, lam=5.0, neighbors=3, max_iter=n) for n in (100, 3000))
    U, V = short.factors["U"], short.factors["V"]
    rescaled = factorize(X, "gnmf", 3, lam=5.0, neighbors=3, init={"U": 10 * U, "V": V / 10}, max_iter=0)
    assert rescaled.objective[0] < short.objective[-1]
    assert np.linalg.norm(long.factors["U"]) > 10 * np.linalg.norm(U)
    assert np.linalg.norm(long.factors["V"]) < 0.1 * np.linalg.norm(V)
    nmf = factorize(X, "nmf", 3, max_iter=3000)
    fit_term = np.sum((X - long.factors["U"] @ long.factors["V"].T) ** 2)
    assert nmf.objective[-1] * 0.999 < fit_term < 1.02 * nmf.objective[-1]


def test_descent_needs_a_symmetric_graph(stream):
    """With each sample's own neighbours only, the same rule raises the objective in many steps."""
    n, k, lam, rises = 10, 2, 100.0, 0
    for _ in range(40):
        X, U, V = stream.random((6, n)), stream.random((6, k)), stream.random((n, k))
        distances = np.sum((X[:, :, None] - X[:, None]) ** 2, axis=0) + 1e9 * np.eye(n)
        W = np.zeros((n, n))
        W[np.repeat(range(n), 2), np.argsort(distances, axis=1)[:, :2].ravel()] = 1
        E = np.diag(W.sum(axis=1))

        def objective(V, X=X, U=U, L=E - W):
            return np.sum((X - U @ V.T) ** 2) + lam * np.trace(V.T @ L @ V)

        for _ in range(5):
            new = V * (X.T @ U + lam * W @ V) / (V @ U.T @ U + lam * E @ V)
            rises += objective(new) > objective(V)
            V = new
    assert rises > 20


def test_labels_join_and_part_samples():
    W = csr_array(np.array([[0, 0.5, 0, 0.2], [0.5, 0, 0.4, 0], [0, 0.4, 0, 0.3], [0.2, 0, 0.3, 0]]))
    labels = np.array([7, 2, 7, -1])
    expected = [[0, 0, 1, 0.2], [0, 0, 0, 0], [1, 0, 0, 0.3], [0.2, 0, 0.3, 0]]
    np.testing.assert_array_equal(with_labels(W, labels).toarray(), expected)
    np.testing.assert_array_equal(with_labels(W, np.full(4, -1)).toarray(), W.toarray())


def test_without_labels_semi_gnmf_is_gnmf(stream):
    X, first = stream.random((10, 14)), start(stream, 10, 14, 3)
    gnmf = factorize(X, "gnmf", 3, init=first, max_iter=30)
    fit = factorize(X, "semi_gnmf", 3, init=first, max_iter=30, labels=np.full(14, -1))
    np.testing.assert_array_equal(fit.factors["V"], gnmf.factors["V"])
