"""The methods and baselines of the field beside those of the five papers: their sums, and other programs."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.linalg import eigh
from scipy.sparse import csr_array
from sklearn.cluster import SpectralClustering
from sklearn.decomposition import NMF
from sklearn.decomposition import PCA as Components
from sklearn.metrics import adjusted_rand_score

from nmfrepro import factorize
from nmfrepro.algorithms.engine.graph import neighbor_graph, normalized_similarity
from nmfrepro.algorithms.spectral import connected_pieces, leading_eigenvectors


def made(m=5, n=7, k=3, seed=0, signed=False):
    stream = np.random.default_rng(seed)
    X = stream.standard_normal((m, n)) if signed else stream.random((m, n)) + 0.05
    return X, stream.random((m, k)) + 0.05, stream.random((n, k)) + 0.05


def groups(n=60, m=12, seed=3):
    """Three well separated groups of samples as columns, and their classes."""
    stream = np.random.default_rng(seed)
    y = np.arange(n) % 3
    return (5 * stream.random((3, m))[y] + 0.1 * stream.random((n, m))).T, y


def test_a_step_of_orthogonal_nmf():
    X, U, V = made()
    (m, n), k = X.shape, U.shape[1]
    first = {"U": U, "V": V}
    new = U.copy()
    for i in range(m):
        for a in range(k):
            num = sum(X[i, j] * V[j, a] for j in range(n))
            den = sum(U[i, b] * V[j, b] * V[j, a] for b in range(k) for j in range(n))
            new[i, a] = U[i, a] * num / den
    U, moved = new, V.copy()
    for j in range(n):
        for a in range(k):
            num = sum(X[i, j] * U[i, a] for i in range(m))
            den = 0.0
            for b in range(k):
                den += V[j, b] * sum(V[l, b] * X[i, l] * U[i, a] for l in range(n) for i in range(m))
            moved[j, a] = V[j, a] * np.sqrt(num / den)
    fit = factorize(X, "onmf", k, init=first, max_iter=1)
    np.testing.assert_allclose(fit.factors["U"], U, rtol=1e-12)
    np.testing.assert_allclose(fit.factors["V"], moved, rtol=1e-12)


def test_encodings_become_orthogonal():
    X, y = groups()
    fit = factorize(X, "onmf", 3, restarts=5, max_iter=1000)
    V = fit.factors["V"]
    np.testing.assert_allclose(V.T @ V, np.eye(3), atol=0.02)
    assert adjusted_rand_score(y, V.argmax(axis=1)) == 1


def test_a_step_of_semi_nmf():
    X, _, V = made(signed=True)
    m, n, k = *X.shape, V.shape[1]
    U = np.linalg.lstsq(V, X.T, rcond=None)[0].T
    moved = V.copy()
    for j in range(n):
        for a in range(k):
            towards = sum(X[i, j] * U[i, a] for i in range(m))
            num, den = max(towards, 0), max(-towards, 0)
            for b in range(k):
                gram = sum(U[i, b] * U[i, a] for i in range(m))
                num, den = num + V[j, b] * max(-gram, 0), den + V[j, b] * max(gram, 0)
            moved[j, a] = V[j, a] * np.sqrt(num / den)
    fit = factorize(X, "semi_nmf", k, init={"U": np.ones((m, k)), "V": V}, max_iter=1)
    np.testing.assert_allclose(fit.factors["U"], U, rtol=1e-10)
    np.testing.assert_allclose(fit.factors["V"], moved, rtol=1e-10)
    assert fit.objective[-1] == pytest.approx(np.sum((X - U @ moved.T) ** 2), rel=1e-10)


def test_semi_nmf_never_rises_on_signed_data():
    X, _, _ = made(12, 30, signed=True)
    trace = factorize(X, "semi_nmf", 4, max_iter=200, trace_every=1).objective
    assert np.diff(trace).max() <= 1e-12 * trace[0]


def test_a_step_of_symmetric_nmf_solves_each_column():
    """Every column is the nonnegative minimiser while the others stay: sums over entries."""
    X, _, _ = made(6, 8, seed=2)
    stream = np.random.default_rng(4)
    W, H = stream.random((2, 8, 3))
    alpha = 0.7
    A = normalized_similarity(neighbor_graph(X, 3)).toarray()
    weights = neighbor_graph(X, 3).toarray()
    sums = [sum(row) for row in weights]
    for i in range(8):
        for j in range(8):
            assert A[i, j] == pytest.approx(weights[i, j] / np.sqrt(sums[i] * sums[j]))
    first = {"W": W.copy(), "H": H.copy()}
    for moving, fixed in ((W, H), (H, W)):
        for j in range(3):
            for i in range(8):
                rest = [
                    A[i, l] - sum(moving[i, b] * fixed[l, b] for b in range(3) if b != j) for l in range(8)
                ]
                num = sum(rest[l] * fixed[l, j] for l in range(8)) + alpha * fixed[i, j]
                moving[i, j] = max(0, num / (sum(fixed[l, j] ** 2 for l in range(8)) + alpha))
    fit = factorize(X, "sym_nmf", 3, init=first, max_iter=1, neighbors=3, alpha=alpha)
    np.testing.assert_allclose(fit.factors["W"], W, rtol=1e-12)
    np.testing.assert_allclose(fit.factors["H"], H, rtol=1e-12, atol=1e-15)
    value = np.sum((A - W @ H.T) ** 2) + alpha * np.sum((W - H) ** 2)
    assert fit.objective[-1] == pytest.approx(value, rel=1e-12)


def test_symmetric_nmf_finds_groups():
    X, y = groups()
    fit = factorize(X, "sym_nmf", 3, restarts=5, max_iter=300)
    assert adjusted_rand_score(y, fit.embedding.argmax(axis=1)) == 1
    np.testing.assert_allclose(fit.factors["W"], fit.factors["H"], atol=1e-3)


def in_pieces(*sizes):
    """Groups of samples that no neighbour joins."""
    return np.concatenate([made(5, n)[0] + 100 * place for place, n in enumerate(sizes)], axis=1)


@pytest.mark.parametrize("weights", ["binary", "dot"])
def test_a_graph_in_more_pieces_than_k_gives_eigenvectors_to_the_largest(weights):
    """Any two of the three eigenvectors of the eigenvalue 1 are as good: rounding must not decide."""
    X = in_pieces(8, 7, 9)
    assert factorize(X, "spectral", 3, neighbors=3).notes == ()
    fit = factorize(X, "spectral", 2, neighbors=3, weights=weights)
    assert any(note.startswith("the graph is in 3 pieces, more than k") for note in fit.notes)
    U = fit.factors["U"]
    np.testing.assert_array_equal(np.flatnonzero(U[:, 0]), np.arange(15, 24))
    np.testing.assert_array_equal(np.flatnonzero(U[:, 1]), np.arange(8))
    similarity = normalized_similarity(neighbor_graph(X, 3, weights))
    np.testing.assert_allclose(similarity @ U, U, atol=1e-14)
    np.testing.assert_allclose(U.T @ U, np.eye(2), atol=1e-14)


@pytest.mark.parametrize("below", [500, 0])
@pytest.mark.parametrize("sizes", [(30, 40, 50), (30, 30, 30, 31), (3, 100)])
@pytest.mark.parametrize("k", [2, 4, 6])
def test_no_eigenvector_of_a_graph_in_pieces_is_missed(monkeypatch, below, sizes, k):
    """Lanczos' iterations on the whole find one of equal eigenvalues alone."""
    monkeypatch.setattr("nmfrepro.algorithms.spectral.DENSE_EIGENVALUES", below)
    A = normalized_similarity(neighbor_graph(in_pieces(*sizes), 3))
    values, U = leading_eigenvectors(A, connected_pieces(A), k, seed=1)
    n = sum(sizes)
    np.testing.assert_allclose(values, eigh(A.toarray())[0][::-1][:k], rtol=1e-10)
    np.testing.assert_allclose(A @ U, U * values, atol=1e-8)
    np.testing.assert_allclose(U.T @ U, np.eye(k), atol=1e-8)
    assert U.shape == (n, k)


def test_samples_without_neighbours_are_pieces_of_eigenvalue_zero():
    A = csr_array((6, 6))
    values, U = leading_eigenvectors(A, connected_pieces(A), 4, seed=1)
    np.testing.assert_array_equal(values, 0)
    np.testing.assert_array_equal(U, np.eye(6)[:, :4])


def test_labels_of_a_graph_in_pieces_follow_the_samples():
    """The same samples in another order fall into the same clusters."""
    X = in_pieces(8, 7, 9)
    order = np.random.default_rng(0).permutation(24)
    labels = factorize(X, "spectral", 2, neighbors=3).labels
    moved = factorize(X[:, order], "spectral", 2, neighbors=3).labels
    assert adjusted_rand_score(labels[order], moved) == 1


def test_coordinate_descent_is_scikit_learns():
    X, U, V = made(9, 15, 4)
    model = NMF(4, init="custom", solver="cd", tol=0, max_iter=25)
    expected = model.fit_transform(X.T.copy(), W=V.copy(), H=U.T.copy())
    fit = factorize(X, "nmf_cd", 4, init={"U": U, "V": V}, max_iter=25)
    np.testing.assert_allclose(fit.factors["V"], expected, rtol=1e-10)
    np.testing.assert_allclose(fit.factors["U"], model.components_.T, rtol=1e-10)


def test_eigenvectors_by_both_ways(monkeypatch):
    A = normalized_similarity(neighbor_graph(made(4, 200)[0], 5))
    expected = eigh(A.toarray(), subset_by_index=(196, 199))[0][::-1]
    ways = {}
    for way, below in (("dense", 500), ("lanczos", 0)):
        monkeypatch.setattr("nmfrepro.algorithms.spectral.DENSE_EIGENVALUES", below)
        values, ways[way] = leading_eigenvectors(A, connected_pieces(A), 4, seed=1)
        np.testing.assert_allclose(values, expected, rtol=1e-10)
    np.testing.assert_allclose(ways["lanczos"], ways["dense"], atol=1e-8)


@pytest.mark.filterwarnings("ignore:Graph is not fully connected")
def test_spectral_clusters_as_scikit_learn():
    X, y = groups()
    # Rings: k-means on the samples cannot tell them apart.
    angle = np.linspace(0, 2 * np.pi, 60, endpoint=False)
    rings = np.concatenate([r * np.array([np.cos(angle), np.sin(angle)]) for r in (1, 3)], axis=1) + 4
    for data, k in ((X, 3), (rings, 2)):
        fit = factorize(data, "spectral", k, neighbors=5)
        W = neighbor_graph(data, 5)
        other = SpectralClustering(k, affinity="precomputed", random_state=0).fit_predict(W.toarray())
        assert adjusted_rand_score(other, fit.labels) == 1
        np.testing.assert_allclose(np.linalg.norm(fit.embedding, axis=1), 1)
    assert adjusted_rand_score(y, factorize(X, "spectral", 3).labels) == 1


def test_k_means_on_components():
    X, y = groups()
    fit = factorize(X, "pca_kmeans", 3)
    assert adjusted_rand_score(y, fit.labels) == 1
    np.testing.assert_allclose(np.abs(fit.embedding), np.abs(Components(3).fit_transform(X.T)), atol=1e-9)
