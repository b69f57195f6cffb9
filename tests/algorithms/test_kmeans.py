"""k-means on the samples."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.distance import cdist

from nmfrepro import factorize
from nmfrepro.core.errors import SpecError


@pytest.fixture
def X():
    return np.random.default_rng(23).standard_normal((5, 60))


@pytest.mark.parametrize("init", ["random", "k-means++"])
def test_labels_centers_and_objective_agree(X, init):
    fit = factorize(X, "kmeans", 6, init=init)
    centers = fit.factors["centers"]
    distances = cdist(X.T, centers.T, "sqeuclidean")
    np.testing.assert_array_equal(fit.labels, distances.argmin(axis=1))
    for code in range(6):
        np.testing.assert_allclose(centers[:, code], X[:, fit.labels == code].mean(axis=1), rtol=1e-12)
    assert fit.objective[-1] == pytest.approx(distances.min(axis=1).sum(), rel=1e-12)
    assert fit.converged


def test_more_starts_never_cost_more(X):
    one = [factorize(X, "kmeans", 6, seed=seed).objective[-1] for seed in range(20)]
    assert len(set(one)) > 1
    assert np.median(one) > factorize(X, "kmeans", 6, restarts=20).objective[-1]


def test_separate_groups_are_found():
    stream = np.random.default_rng(0)
    X = np.repeat(10 * np.eye(4), 8, axis=1) + 0.1 * stream.standard_normal((4, 32))
    fit = factorize(X, "kmeans", 4, restarts=20)
    groups = fit.labels.reshape(4, 8)
    assert np.all(groups == groups[:, :1])
    assert len(set(groups[:, 0])) == 4


def test_fewer_different_samples_than_clusters_are_noted():
    fit = factorize(np.repeat(np.eye(3), 4, axis=1)[:, :8], "kmeans", 4)
    assert fit.notes == ("only 2 of 4 clusters have members",)


def test_wrong_calls_are_refused(X):
    with pytest.raises(SpecError, match=r"init must be 'random' or 'k-means[+][+]', not 'nndsvd'"):
        factorize(X, "kmeans", 3, init="nndsvd")
    with pytest.raises(SpecError, match="restarts"):
        factorize(X, "kmeans", 3, restarts=0)
    with pytest.raises(SpecError, match="takes no init"):
        factorize(X, "kmeans", 3, init={"centers": X[:, :3]})
