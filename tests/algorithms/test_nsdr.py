"""NSDR: its matrix, its labels, and which of its updates can be trusted."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.metrics import adjusted_rand_score

from nmfrepro import factorize
from nmfrepro.algorithms.nsdr import laplacian, scatter


def blobs(n=30, m=8):
    """Three directions, ten noisy samples each."""
    stream = np.random.default_rng(0)
    y = np.repeat([0, 1, 2], n // 3)
    centers = stream.random((3, m)) ** 2
    return (centers[y] + 0.05 * stream.random((n, m))).T, y


@pytest.mark.parametrize("shape", [(9, 12), (12, 9), (5, 5)])
def test_the_discriminative_term_is_the_same_by_samples_and_by_features(shape):
    samples = np.random.default_rng(1).random(shape)
    H = np.eye(shape[0]) - 1 / shape[0]
    centred = samples.T @ H
    expected = 0.7 * H @ np.linalg.inv(centred.T @ centred + 0.7 * np.eye(shape[0])) @ H
    np.testing.assert_allclose(scatter(samples, 0.7), expected, atol=1e-12)


def test_the_laplacian():
    samples = np.random.default_rng(2).random((10, 4))
    L = laplacian(samples, 3)
    np.testing.assert_allclose(L, L.T, atol=1e-15)
    values = np.linalg.eigvalsh(L)
    assert values[0] == pytest.approx(0, abs=1e-12)
    assert values[-1] <= 2
    np.testing.assert_array_equal(laplacian(samples[:1], 5), [[1]])
    alike = laplacian(np.ones((4, 3)), 5)
    np.testing.assert_allclose(alike, np.eye(4) - (1 - np.eye(4)) / 3)


def test_clusters_are_read_off_the_factor():
    X, y = blobs()
    fit = factorize(X, "nsdr", 3, restarts=3, max_iter=500)
    np.testing.assert_array_equal(fit.labels, fit.embedding.argmax(axis=1))
    np.testing.assert_array_equal(fit.embedding, fit.factors["F"])
    assert adjusted_rand_score(y, fit.labels) == 1
    scaled = factorize(2.0**30 * X, "nsdr", 3, restarts=3, max_iter=500)
    np.testing.assert_allclose(scaled.embedding, fit.embedding, rtol=1e-9)


def test_the_start_is_a_lifted_partition():
    X, _ = blobs()
    F = factorize(X, "nsdr", 3, max_iter=0).factors["F"]
    np.testing.assert_allclose(np.linalg.norm(F, axis=0), 1)
    for column in F.T:
        low, high = column.min(), column.max()
        assert high == pytest.approx(6 * low)
        assert np.all((column == low) | (column == high))


def test_more_clusters_than_samples():
    X, _ = blobs()
    fit = factorize(X[:, :4], "nsdr", 6, max_iter=20)
    assert np.isfinite(fit.embedding).all()


def test_only_mm_never_rises():
    X = np.random.default_rng(3).random((8, 40))
    rises = {}
    for variant, xi in (("mm", 10), ("mm", 1000), ("split", 1000), ("kkt", 10)):
        trace = factorize(X, "nsdr", 5, variant=variant, xi=xi, max_iter=100, trace_every=1).objective
        rises[variant, xi] = np.diff(trace).max()
    assert rises["mm", 10] <= 1e-10
    assert rises["mm", 1000] <= 1e-8
    assert rises["split", 1000] > 1
    assert rises["kkt", 10] > 1


def test_kkt_keeps_unit_columns_and_hardly_leaves_its_start():
    X, _ = blobs()
    fit = factorize(X, "nsdr", 3, variant="kkt", xi=1e8, max_iter=50)
    np.testing.assert_allclose(np.linalg.norm(fit.factors["F"], axis=0), 1, rtol=1e-12)
    first = factorize(X, "nsdr", 3, variant="kkt", xi=1e8, max_iter=0)
    np.testing.assert_array_equal(fit.labels, first.labels)
