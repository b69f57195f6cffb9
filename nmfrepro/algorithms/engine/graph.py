"""The graph of nearest neighbours that methods smooth their encodings over, or cluster."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from numpy.typing import DTypeLike

from ...core.errors import Setting, SpecError
from ...core.options import option
from ...core.problem import Problem
from .base import Algorithm
from .plain import Array
from .stack import Stack, blocks

if TYPE_CHECKING:
    from scipy.sparse import csr_array

# Numbers in one block of distances; the n × n array of all of them is never formed.
BLOCK = 250_000
# Rows in one block at least: fewer would make its matrix product slow.
ROWS = 64
# Up to this many samples the product with the weights is at least as quick as a dense one (measured).
DENSE_WEIGHTS = 80
# A heat weight below this share of the largest possible weight, 1, no longer acts.
VANISHED = 1e-8


@dataclass(frozen=True)
class Neighbors(Algorithm):
    """A method on the graph that joins each sample to its nearest."""

    transductive: ClassVar[bool] = True

    neighbors: int = option(5, low=1, help="nearest neighbours p that each sample is joined to")

    def problem_notes(self, problem: Problem) -> tuple[str, ...]:
        """Whether there are as many samples as neighbours are asked for."""
        if self.neighbors < problem.n:
            return ()
        others = f"all {problem.n - 1} other samples are neighbours"
        return (f"{others}, fewer than the {self.neighbors} asked for",)


@dataclass(frozen=True)
class GraphOptions(Neighbors):
    """The parameters of the graph, declared once for all methods that choose its weights.

    Two samples are joined if either is among the `neighbors` nearest of the other by Euclidean distance
    (itself excluded, ties to the lower index, at most n − 1).
    """

    weights: str = option(
        "binary",
        choices=("binary", "heat", "dot"),
        help="weight of an edge: 1, exp(−‖x_i − x_j‖²/width), or x_iᵀx_j (the cosine for unit samples)",
    )
    width: float | None = option(
        None,
        low=0,
        open_low=True,
        help="divisor of the squared distance in heat weights; null: 2t², t the mean of all n² distances",
    )

    def __post_init__(self) -> None:
        if self.width is not None and self.weights != "heat":
            raise SpecError(
                Setting("width"),
                " belongs to ",
                Setting("weights", "heat"),
                f", and weights is {self.weights!r}",
            )

    def graph(self, problem: Problem) -> csr_array:
        """Weights W of the graph of the samples, symmetric."""
        return neighbor_graph(problem.X, self.neighbors, self.weights, self.width)


class Graph:
    """Symmetric edge weights W ≥ 0 with an empty diagonal, and what the updates need of them.

    Parameters
    ----------
    W : csr_array, shape (n, n)
    weight : float
        What the updates multiply W with: λ, over what both their sides are divided by.
    dtype : dtype_like
        The type of the run.

    Attributes
    ----------
    W : csr_array, shape (n, n)
        Times the weight; `roughness` is of the weights as they were given.
    degrees : ndarray, shape (n,)
        Row sums of W, the diagonal of E; L = E − W.
    """

    def __init__(self, W: csr_array, weight: float = 1.0, dtype: DTypeLike = "float64") -> None:
        self.W = (W * weight).astype(dtype)
        self.degrees = np.asarray(self.W.sum(axis=1)).ravel()
        self._dense = self.W.toarray() if W.shape[0] <= DENSE_WEIGHTS else None
        upper = W.tocoo()
        kept = upper.row < upper.col
        self._first, self._second = upper.row[kept], upper.col[kept]
        self._weight = upper.data[kept].astype(np.float64)

    def times(self, V: Array, stack: Stack) -> Array:
        """V W for all restarts, (R, k, n) by (n, n); the array is the caller's until the next call."""
        if self._dense is not None:
            return stack.times(V, self._dense, "VW")
        restarts, k, n = V.shape
        # W is symmetric: (V W)ᵀ = W Vᵀ, a sum of whole rows.
        product = self.W @ V.reshape(-1, n).T
        return product.reshape(n, restarts, k).transpose(1, 2, 0)

    def roughness(self, V: Array) -> Array:
        """tr(V L Vᵀ) = ½ Σ_ij W_ij ‖v_i − v_j‖² per restart, for V of shape (R, k, n).

        Summed over the edges in float64: the trace itself cancels for smooth encodings.
        """
        restarts, k, n = V.shape
        columns = np.ascontiguousarray(V.reshape(-1, n).T, dtype=np.float64)
        total = np.zeros(restarts * k)
        step = max(1, BLOCK // (restarts * k))
        for block in blocks(len(self._weight), step):
            difference = columns[self._first[block]]
            difference -= columns[self._second[block]]
            difference *= difference
            total += self._weight[block] @ difference
        return total.reshape(restarts, k).sum(axis=1)


def neighbor_graph(
    X: Array, neighbors: int, weights: str = "binary", width: float | None = None
) -> csr_array:
    """Symmetric weights of the graph that joins each column of X to its nearest.

    Parameters
    ----------
    X : ndarray, shape (m, n)
        Features × samples.
    neighbors : int
        Neighbours of each sample, clipped to n − 1; see `GraphOptions`.
    weights : {"binary", "heat", "dot"}
    width : float or None
        Divisor of the squared distance in heat weights, in squared units of X; None: twice the squared mean
        distance, Cai's default.

    Returns
    -------
    csr_array of float64, shape (n, n)
        Symmetric, diagonal zero, no stored zeros.

    Raises
    ------
    SpecError
        If nine in ten heat weights vanish, since the graph would do nothing.
    """
    from scipy.sparse import coo_array  # here, so that listing the algorithms needs no SciPy

    samples = np.ascontiguousarray(X.T)
    n = len(samples)
    nearest, squared = nearest_neighbors(samples, min(neighbors, n - 1))
    rows, columns = np.repeat(np.arange(n), nearest.shape[1]), nearest.ravel()
    if weights == "heat":
        values = _heat(squared.ravel(), width or 2 * mean_distance(samples) ** 2)
    elif weights == "dot":
        products = [np.vecdot(samples, samples[others], dtype=np.float64) for others in nearest.T]
        values = np.array(products).T.ravel()
    else:
        values = np.ones(rows.size)
    directed = coo_array((values, (rows, columns)), shape=(n, n)).tocsr()
    W = directed.maximum(directed.T).tocsr()
    W.eliminate_zeros()
    return W


def normalized_similarity(W: csr_array) -> csr_array:
    """E^(−½) W E^(−½), E the row sums of the symmetric weights W (n × n); a row of zeros stays."""
    degrees = np.asarray(W.sum(axis=1)).ravel()
    scale = 1 / np.sqrt(np.where(degrees > 0, degrees, 1))
    return W.multiply(scale[:, None]).multiply(scale[None, :]).tocsr()


def nearest_neighbors(samples: Array, neighbors: int) -> tuple[Array, Array]:
    """Indices and squared Euclidean distances of the nearest other samples, nearest first.

    Candidates come from the Gram matrix of the samples minus their mean, whose rounding may swap near-ties;
    all within its error of the last place are then measured by their differences, and ties go to the lower
    index.

    Parameters
    ----------
    samples : ndarray, shape (n, m)
    neighbors : int
        In 0 … n − 1.

    Returns
    -------
    indices : ndarray of int, shape (n, neighbors)
    squared : ndarray, shape (n, neighbors)
    """
    n, m = samples.shape
    indices = np.empty((n, neighbors), dtype=np.intp)
    squared = np.empty((n, neighbors))
    if neighbors == 0:
        return indices, squared
    centred = (samples - samples.mean(axis=0, dtype=np.float64)).astype(samples.dtype, copy=False)
    error = 8 * (m + 2) * np.finfo(samples.dtype).eps * np.vecdot(centred, centred).max()
    for first, block in _squared_distances(centred):
        np.fill_diagonal(block[:, first:], np.inf)
        last = np.partition(block, neighbors - 1, axis=1)[:, neighbors - 1]
        candidates = block <= (last + error)[:, None]
        for row in range(len(block)):
            near = np.flatnonzero(candidates[row])
            difference = np.subtract(samples[near], samples[first + row], dtype=np.float64)
            exact = np.vecdot(difference, difference)
            order = np.argsort(exact, kind="stable")[:neighbors]
            indices[first + row], squared[first + row] = near[order], exact[order]
    return indices, squared


def mean_distance(samples: Array) -> float:
    """Mean of the full n × n matrix of Euclidean distances, its zero diagonal included."""
    total = 0.0
    for first, block in _squared_distances(samples.astype(np.float64, copy=False)):
        np.fill_diagonal(block[:, first:], 0)
        total += float(np.sqrt(np.maximum(block, 0, out=block), out=block).sum())
    return total / len(samples) ** 2


def _squared_distances(samples: Array) -> Iterator[tuple[int, Array]]:
    """Blocks of rows of ‖x_i‖² + ‖x_j‖² − 2 x_iᵀx_j, each with the index of its first row."""
    norms = np.vecdot(samples, samples)
    step = max(ROWS, BLOCK // len(samples))
    for rows in blocks(len(samples), step):
        block = samples[rows] @ samples.T
        block *= -2
        block += norms
        block += norms[rows, None]
        yield rows.start, block


def _heat(squared: Array, width: float) -> Array:
    """exp(−squared/width); refused where that is next to nothing almost everywhere."""
    values = np.exp(-squared / max(width, np.finfo(np.float64).tiny))
    lost = np.mean(values < VANISHED) if squared.size else 0.0
    if lost >= 0.9:
        raise SpecError(
            f"heat weights with width {width:g} vanish on {lost:.0%} of the edges, whose squared length is "
            f"{np.median(squared):.3g} in the median: give a width of that size, or none"
        )
    return values
