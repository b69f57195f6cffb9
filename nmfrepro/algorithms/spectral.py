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
from .engine.plain import Array, column_signs, unit
from .kmeans import KMeans

if TYPE_CHECKING:
    from scipy.sparse import csr_array

# Up to this many samples all eigenvalues are computed; beyond, Lanczos' iterations are quicker.
DENSE_EIGENVALUES = 500


@dataclass(frozen=True)
class Spectral(Direct, GraphOptions):
    """Spectral clustering: k-means on the leading eigenvectors of a graph of nearest neighbours.

    U (n × k) holds the k eigenvectors with the largest eigenvalues of E^(−½) W E^(−½), W the weights and E
    their sums; its rows at unit length are the encodings, and k-means on them (k-means++ starts, the best by
    its own cost) gives the labels.
    """

    name = "spectral"
    paper = "Ng, Jordan and Weiss, On spectral clustering: analysis and an algorithm, NIPS 14, 2001"
    cites = ("ng2001spectral",)
    revision = 3  # 1 and 2 took eigenvectors of all pieces together, and missed some of large graphs
    look = Look(colour="green", marker="h", dash=":")
    objective_text = "tr(UᵀLU) subject to UᵀU = I, L = I − E^(−½) W E^(−½)"
    uncertain = (
        "The paper joins all samples by a heat kernel; here the graph is that of GNMF, with its options. One "
        "in more pieces than k has more eigenvectors of the largest eigenvalue than are taken: the k pieces "
        "with most samples have one each, and the notes say so.",
    )
    factors = {"U": ("n", "k")}
    has_labels = True

    restarts: int = option(20, low=1, help="starts of the k-means; the one with the lowest cost is kept")

    check_problem = KMeans.check_problem  # at least k samples

    def fit(self, problem: Problem, settings: FitSettings, seed: int) -> Fit:
        """The eigenvectors and their clusters.

        Raises
        ------
        FitError
            If the eigenvectors cannot be found to full precision.
        """
        A = normalized_similarity(self.graph(problem))
        pieces = connected_pieces(A)
        values, U = leading_eigenvectors(A, pieces, problem.k, seed)
        rows = unit(U, axis=1)
        clustered = KMeans(init="k-means++", restarts=self.restarts).fit(
            replace(problem, X=rows.T), settings, seed
        )
        notes, dtype = clustered.notes, problem.X.dtype
        joined = sum(len(samples) > 1 for samples in pieces)
        if joined > problem.k:
            notes += (
                f"the graph is in {joined} pieces, more than k: the k largest have an eigenvector each",
            )
        return replace(
            clustered,
            factors={"U": U.astype(dtype)},
            embedding=rows.astype(dtype),
            objective=np.array([np.sum(1 - values)]),
            notes=notes,
        )


def connected_pieces(A: "csr_array") -> list[Array]:
    """The samples of each connected piece of the symmetric graph A (n × n), the largest piece first."""
    from scipy.sparse.csgraph import connected_components

    count, piece = connected_components(A, directed=False)
    return sorted((np.flatnonzero(piece == p) for p in range(count)), key=len, reverse=True)


def leading_eigenvectors(A: "csr_array", pieces: list[Array], k: int, seed: int) -> tuple[Array, Array]:
    """The k largest eigenvalues of the symmetric sparse A (n × n), largest first, and their eigenvectors.

    Each piece has the eigenvalue 1, and Lanczos' iterations may find one of equal eigenvalues alone: so each
    piece is solved by itself. Of equal eigenvalues that of the larger piece comes first. Of each eigenvector
    the entry of largest size is positive.
    """
    pieces = pieces[:k]
    joined = sum(len(samples) > 1 for samples in pieces)
    found = []
    for samples in pieces:
        # The other pieces have an eigenvalue 1 each, so no more than the rest are of this one.
        most = min(len(samples), k - joined + 1)
        values, vectors = _largest(A[samples][:, samples], most, seed)
        whole = np.zeros((A.shape[0], most))
        whole[samples] = vectors
        found.append((values, whole))
    values, vectors = (np.concatenate(parts, axis=-1) for parts in zip(*found, strict=True))
    order = np.argsort(-np.round(values, 10), kind="stable")[:k]
    vectors = vectors[:, order]
    return values[order], vectors * column_signs(vectors)


def _largest(A: "csr_array", count: int, seed: int) -> tuple[Array, Array]:
    """The largest eigenvalues of A (n × n), largest first, and their eigenvectors (n × count)."""
    from scipy.linalg import eigh
    from scipy.sparse.linalg import ArpackError, eigsh

    n = A.shape[0]
    if n <= max(DENSE_EIGENVALUES, 2 * count):
        values, vectors = eigh(A.toarray(), subset_by_index=(n - count, n - 1))
    else:
        try:
            # Not a constant start: where all degrees are equal it is an eigenvector itself.
            start = seeds.uniform((n,), seed, "start", "eigenvectors")
            values, vectors = eigsh(A, count, which="LA", v0=start)
        except ArpackError as error:
            raise FitError(f"spectral: the eigenvectors of the graph are not found ({error})") from error
    order = np.argsort(-values, kind="stable")
    return values[order], vectors[:, order]
