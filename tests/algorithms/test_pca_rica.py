"""The signed baselines."""

from __future__ import annotations

import numpy as np
import pytest

from nmfrepro import factorize
from nmfrepro.algorithms.rica import RICA
from nmfrepro.core.problem import Problem


@pytest.fixture
def X():
    return np.random.default_rng(0).standard_normal((12, 9)) + 3


def distances(embedding):
    return np.linalg.norm(embedding[:, None] - embedding[None], axis=2)


def test_pca_against_scikit_learn(X):
    from sklearn.decomposition import PCA

    fit = factorize(X, "pca", 4)
    other = PCA(4, svd_solver="full").fit(X.T)
    np.testing.assert_allclose(fit.factors["mean"], other.mean_, rtol=1e-12)
    np.testing.assert_allclose(np.abs(fit.factors["C"]), np.abs(other.components_.T), rtol=1e-9)
    np.testing.assert_allclose(np.abs(fit.embedding), np.abs(other.transform(X.T)), rtol=1e-9)
    rebuilt = fit.factors["C"] @ fit.embedding.T + fit.factors["mean"][:, None]
    assert fit.objective[-1] == pytest.approx(np.sum((X - rebuilt) ** 2), rel=1e-12)


def test_the_largest_entry_of_a_component_is_positive(X):
    C = factorize(X, "pca", 4).factors["C"]
    assert np.all(C[np.abs(C).argmax(axis=0), range(4)] > 0)


def test_components_are_capped_at_the_rank(X):
    """Table 1 of the 2DNMF paper prints 81 components of 80 images."""
    fit = factorize(X, "pca", 81)
    assert fit.embedding.shape == (9, 8)
    assert "k = 81 capped at 8, the rank of the centred samples" in fit.notes
    assert fit.objective[-1] == 0
    assert factorize(X, "pca", 8).notes == ()
    doubled = factorize(np.hstack([X[:, :3]] * 4), "pca", 5)
    assert doubled.factors["C"].shape == (12, 2)


def test_rica_gradient_and_objective():
    stream = np.random.default_rng(1)
    X, W = stream.standard_normal((5, 8)), stream.standard_normal((5, 3))
    method = RICA(lam=0.7, epsilon=0.01)
    value, gradient = method.value_and_gradient(X, W)
    Y = W.T @ X
    pooled = [np.sqrt(0.01 + sum(y**2 for y in Y[:, j])) for j in range(8) for _ in range(3)]
    assert value == pytest.approx(np.sum((X - W @ W.T @ X) ** 2) + 0.7 * sum(pooled), rel=1e-12)
    for index in np.ndindex(W.shape):
        step = np.zeros_like(W)
        step[index] = 1e-6
        slope = (method.value_and_gradient(X, W + step)[0] - method.value_and_gradient(X, W - step)[0]) / 2e-6
        assert slope == pytest.approx(gradient[index], rel=1e-6, abs=1e-6)


def test_rica_does_not_see_rotations():
    stream = np.random.default_rng(2)
    X, W = stream.standard_normal((5, 8)), stream.standard_normal((5, 3))
    Q = np.linalg.qr(stream.standard_normal((3, 3)))[0]
    method = RICA()
    assert method.value_and_gradient(X, W @ Q)[0] == pytest.approx(
        method.value_and_gradient(X, W)[0], rel=1e-12
    )
    np.testing.assert_allclose(distances((X.T @ W) @ Q), distances(X.T @ W), rtol=1e-10)


def test_rica_whitens_and_encodes(X):
    fit = factorize(X, "rica", 3, max_iter=500)
    assert fit.converged
    assert fit.factors["W"].shape == (12, 3)
    np.testing.assert_allclose(fit.embedding, X.T @ fit.factors["W"], rtol=1e-12)
    data, whitening = RICA()._whitened(Problem(X, 3))
    np.testing.assert_allclose(data @ data.T / 9, np.eye(3), atol=1e-12)
    np.testing.assert_allclose(whitening.T @ (X - X.mean(axis=1, keepdims=True)), data, atol=1e-12)
    # As many components as dimensions: nearly a rotation of the whitened scores.
    np.testing.assert_allclose(distances(fit.embedding), distances(data.T), rtol=0.05)


@pytest.mark.parametrize(("whiten", "dimensions"), [(None, 3), (5, 5), (8, 8), (40, 8)])
def test_rica_dimension_after_whitening(X, whiten, dimensions):
    fit = factorize(X, "rica", 3, whiten=whiten, max_iter=20)
    assert np.linalg.matrix_rank(fit.factors["W"]) == 3
    assert RICA(whiten=whiten)._whitened(Problem(X, 3))[0].shape == (dimensions, 9)
    assert bool(fit.notes) == (whiten == 40)


def test_rica_keeps_the_best_of_its_restarts_and_traces_its_descent(X):
    ends = [factorize(X, "rica", 4, whiten=0, lam=2, seed=s, max_iter=30).objective[-1] for s in range(3)]
    assert len(set(ends)) == 3
    many = factorize(X, "rica", 4, whiten=0, lam=2, restarts=4, max_iter=30)
    assert many.objective[-1] <= ends[0]
    assert many.n_iter <= 30
    none = factorize(X, "rica", 4, max_iter=0)
    assert none.n_iter == 0
    assert len(none.objective) == 1
    trace = factorize(X, "rica", 4, whiten=0, lam=2, max_iter=30, trace_every=1).objective
    assert np.diff(trace).max() <= 0
    assert len(trace) == 31


def test_rica_sees_no_scale_through_the_whitening(X):
    plain, scaled = (factorize(a * X, "rica", 3) for a in (1.0, 2.0**-40))
    np.testing.assert_allclose(scaled.embedding, plain.embedding, rtol=1e-9)
