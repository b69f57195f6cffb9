"""Spectral clustering, the baseline of the methods on a graph."""

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from ..core import seeds
from ..core.errors import FitError
from ..core.options import option
from ..core.problem import Fit, FitSettings, Problem
from .engine.base import Direct, Look
from .engine.graph import GraphOptions, normalized_similarity
from .engine.plain import Array
from .kmeans import KMeans, require_samples

if TYPE_CHECKING:
    from scipy.sparse import csr_array

# Up to this many samples all eigenvalues are computed; beyond, Lanczos' iterations are quicker.
DENSE_BELOW = 500


@dataclass(frozen=True)
class Spectral(Direct, GraphOptions):
    """Spectral clustering: k-means on the leading eigenvectors of a graph of nearest neighbours.

    U (n × k) holds the k eigenvectors with the largest eigenvalues of E^(−½) W E^(−½), W the weights and E
    their sums; its rows at unit length are the encodings, and k-means on them (k-means++ starts, the best by
    its own cost) gives the labels.
    """

    name = "spectral"
    title = "Spectral"
    paper = "Ng, Jordan and Weiss, On spectral clustering: analysis and an algorithm, NIPS 14, 2001"
    cites = ("ng2001spectral",)
    revision = 2  # 1 took whichever eigenvectors LAPACK gave of a graph in more pieces than k
    look = Look(colour="green", marker="h", dash=":")
    objective_text = "tr(UᵀLU) subject to UᵀU = I, L = I − E^(−½) W E^(−½)"
    uncertain = (
        "The paper joins all samples by a heat kernel; here the graph is that of GNMF, with its options. One "
        "in more pieces than k has more eigenvectors of the largest eigenvalue than are taken: the k pieces "
        "with most samples have one each, and the notes say so.",
    )
    factors = {"U": ("n", "k")}

    restarts: int = option(20, low=1, help="starts of the k-means; the one with the lowest cost is kept")

    def check_problem(self, problem: Problem) -> None:
        """There must be at least k samples."""
        require_samples(self.name, problem)

    def fit(self, problem: Problem, settings: FitSettings, seed: int) -> Fit:
        """The eigenvectors and their clusters.

        Raises
        ------
        FitError
            If the eigenvectors cannot be found to full precision.
        """
        W = self.graph(problem)
        notes: tuple[str, ...] = ()
        piece, pieces = joined_pieces(W)
        if pieces > problem.k:
            values, U = np.ones(problem.k), piece_eigenvectors(W, piece, problem.k)
            notes = (f"the graph is in {pieces} pieces, more than k: the k largest have an eigenvector each",)
        else:
            values, U = leading_eigenvectors(normalized_similarity(W), problem.k, seed)
        lengths = np.linalg.norm(U, axis=1, keepdims=True)
        rows = U / np.where(lengths > 0, lengths, 1)
        clustered = KMeans(init="k-means++", restarts=self.restarts).fit(
            replace(problem, X=rows.T), settings, seed
        )
        dtype = problem.X.dtype
        return replace(
            clustered,
            factors={"U": U.astype(dtype)},
            embedding=rows.astype(dtype),
            objective=np.array([np.sum(1 - values)]),
            notes=notes + clustered.notes,
        )


def joined_pieces(W: "csr_array") -> tuple[Array, int]:
    """The piece of each sample of the graph W (n × n), largest first, and how many hold more than one sample.

    Pieces of equal size are in the order of their first samples.
    """
    from scipy.sparse.csgraph import connected_components

    _, piece = connected_components(W, directed=False)
    sizes = np.bincount(piece)
    place = np.argsort(np.argsort(-sizes, kind="stable"))
    return place[piece], int(np.sum(sizes > 1))


def piece_eigenvectors(W: "csr_array", piece: Array, k: int) -> Array:
    """Unit eigenvectors (n × k) of E^(−½) W E^(−½) with eigenvalue 1: E^½ 1 on each of the first k pieces."""
    degrees = np.asarray(W.sum(axis=1))
    U = np.sqrt(degrees)[:, None] * (piece[:, None] == np.arange(k))
    return U / np.linalg.norm(U, axis=0)


def leading_eigenvectors(A: "csr_array", k: int, seed: int) -> tuple[Array, Array]:
    """The k largest eigenvalues of the symmetric sparse A (n × n), largest first, and their eigenvectors.

    Of each eigenvector the entry of largest size is positive.
    """
    from scipy.linalg import eigh
    from scipy.sparse.linalg import ArpackError, eigsh

    n = A.shape[0]
    if n <= max(DENSE_BELOW, 2 * k):
        values, vectors = eigh(A.toarray(), subset_by_index=(n - k, n - 1))
    else:
        try:
            # Not a constant start: where all degrees are equal it is an eigenvector itself.
            start = seeds.uniform((n,), seed, "start", "eigenvectors")
            values, vectors = eigsh(A, k, which="LA", v0=start)
        except ArpackError as error:
            raise FitError(f"spectral: the eigenvectors of the graph are not found ({error})") from error
    order = np.argsort(-values, kind="stable")
    values, vectors = values[order], vectors[:, order]
    return values, vectors * np.sign(vectors[np.abs(vectors).argmax(axis=0), np.arange(k)])
