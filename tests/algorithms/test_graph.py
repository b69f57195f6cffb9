"""The graph of nearest neighbours."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest
from scipy.spatial.distance import cdist
from sklearn.neighbors import kneighbors_graph

from nmfrepro import factorize
from nmfrepro.algorithms import registry
from nmfrepro.algorithms.engine import graph
from nmfrepro.algorithms.engine.graph import Graph, mean_distance, nearest_neighbors, neighbor_graph
from nmfrepro.algorithms.engine.stack import Stack
from nmfrepro.algorithms.nmf import NMF
from nmfrepro.contract import data, run
from nmfrepro.core.errors import SpecError
from nmfrepro.core.options import option, options_of
from nmfrepro.core.problem import Problem


@pytest.fixture
def X():
    return np.random.default_rng(3).random((7, 40))


def by_scikit_learn(X, neighbors):
    directed = kneighbors_graph(X.T, neighbors, include_self=False).toarray()
    return np.maximum(directed, directed.T)


@pytest.mark.parametrize("neighbors", [1, 2, 5, 39])
def test_scikit_learns_neighbours(X, neighbors):
    W = neighbor_graph(X, neighbors)
    np.testing.assert_array_equal(W.toarray(), by_scikit_learn(X, neighbors))


def test_neighbours_are_clipped_to_the_others(X):
    np.testing.assert_array_equal(neighbor_graph(X, 100).toarray(), 1 - np.eye(40))
    assert neighbor_graph(X[:, :1], 5).nnz == 0


GRAPHS = [name for name, cls in registry().items() if "neighbors" in options_of(cls)]


@pytest.mark.parametrize("name", GRAPHS)
def test_more_neighbours_than_there_are_is_noted(name):
    note = "all 13 other samples are neighbours, fewer than the 14 asked for"
    for neighbors, noted in ((14, True), (13, False)):
        assert (note in run(registry()[name], data(), neighbors=neighbors).notes) == noted


def test_an_own_parameter_called_neighbors_is_no_graphs():
    """The note was given to any method with a parameter of that name."""

    @dataclass(frozen=True)
    class Blurred(NMF):
        name = "blurred"
        neighbors: int = option(50, low=1, help="pixels that a basis image is smoothed over")

    assert not [note for note in factorize(data(), Blurred, 2, neighbors=50).notes if "neighbours" in note]


def test_the_matrix_is_symmetric_with_an_empty_diagonal(X):
    for weights in ("binary", "heat", "dot"):
        W = neighbor_graph(X, 4, weights)
        assert (W != W.T).nnz == 0
        assert not W.diagonal().any()
        assert W.nnz == np.count_nonzero(by_scikit_learn(X, 4))


def test_ties_go_to_the_lower_index():
    """On a line of whole numbers 2 has 1 and 3 at the same distance, and 1 comes first."""
    nearest, squared = nearest_neighbors(np.arange(5.0)[:, None], 1)
    np.testing.assert_array_equal(nearest.ravel(), [1, 0, 1, 2, 3])
    np.testing.assert_array_equal(squared.ravel(), 1)
    copies = np.repeat(np.random.default_rng(0).random((3, 7)), 4, axis=0)
    nearest, squared = nearest_neighbors(copies, 2)
    expected = [[other for other in range(i - i % 4, i - i % 4 + 4) if other != i][:2] for i in range(12)]
    np.testing.assert_array_equal(nearest, expected)
    assert not squared.any()


def test_a_far_origin_does_not_confuse_the_distances(X):
    """There the distances from the Gram matrix are mostly rounding."""
    far = np.round(X * 1024) + 2.0**33
    near = np.round(X * 1024)
    np.testing.assert_array_equal(neighbor_graph(far, 3).toarray(), neighbor_graph(near, 3).toarray())


@pytest.mark.parametrize("weights", ["binary", "heat", "dot"])
def test_samples_much_alike_have_the_same_graph_in_single_precision(X, weights):
    alike = (1 + X / 1000).astype(np.float32)
    single, double = (neighbor_graph(each, 3, weights) for each in (alike, alike.astype(np.float64)))
    np.testing.assert_array_equal(single.toarray(), double.toarray())


def test_blocks_change_nothing(X, monkeypatch):
    whole = neighbor_graph(X, 4, "heat")
    monkeypatch.setattr(graph, "BLOCK", 120)
    blocks = neighbor_graph(X, 4, "heat")
    np.testing.assert_allclose(blocks.toarray(), whole.toarray(), rtol=1e-14)


def test_heat_weights(X):
    distances = cdist(X.T, X.T)
    assert mean_distance(np.ascontiguousarray(X.T)) == pytest.approx(distances.mean(), rel=1e-12)
    edges = by_scikit_learn(X, 4)
    given = neighbor_graph(X, 4, "heat", 0.3).toarray()
    np.testing.assert_allclose(given, edges * np.exp(-(distances**2) / 0.3), rtol=1e-12)
    width = 2 * distances.mean() ** 2
    default = neighbor_graph(X, 4, "heat").toarray()
    np.testing.assert_allclose(default, edges * np.exp(-(distances**2) / width), rtol=1e-12)


def test_dot_weights_are_inner_products_on_the_edges(X):
    np.testing.assert_allclose(
        neighbor_graph(X, 4, "dot").toarray(), by_scikit_learn(X, 4) * (X.T @ X), rtol=1e-12
    )


def test_heat_weights_that_vanish_are_refused(X):
    """Width 1 on grey levels 0 … 255: the graph would do nothing, and nobody would know."""
    with pytest.raises(SpecError, match="width 1 vanish on 100% of the edges"):
        factorize(255 * X, "gnmf", 3, weights="heat", width=1.0)
    grey = factorize(255 * X, "gnmf", 3, weights="heat", lam=1e6, max_iter=20)
    none = factorize(255 * X, "gnmf", 3, weights="heat", lam=0.0, max_iter=20)
    assert np.abs(grey.factors["V"] - none.factors["V"]).max() > 0.1 * none.factors["V"].max()


def test_a_width_without_heat_is_refused(X):
    with pytest.raises(SpecError, match="width belongs to weights='heat'"):
        factorize(X, "nlcf_g", 3, width=1.0)


@pytest.mark.parametrize("n", [12, 200])  # dense inside, and sparse
@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_products_with_the_graph_and_roughness_are_those_of_matrices(n, dtype):
    stream = np.random.default_rng(5)
    X, V = stream.random((4, n)), stream.random((3, 2, n)).astype(dtype)
    W = neighbor_graph(X, 3, "heat")
    made = Graph(W, dtype=dtype)
    stack = Stack(Problem(X.astype(dtype), 2), {"V": V})
    np.testing.assert_allclose(made.times(V, stack), V @ W.toarray(), rtol=1e-5)
    assert made.times(V, stack).dtype == dtype
    L = np.diag(W.toarray().sum(axis=1)) - W.toarray()
    expected = [np.trace(v @ L @ v.T) for v in V.astype(np.float64)]
    np.testing.assert_allclose(Graph(W).roughness(V), expected, rtol=1e-10 if dtype == "float64" else 1e-6)
    np.testing.assert_array_equal(Graph(W).roughness(np.full_like(V, 0.1)), 0)
