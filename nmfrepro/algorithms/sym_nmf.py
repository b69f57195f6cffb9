"""Symmetric NMF of a graph's similarities."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..core.options import option
from ..core.problem import Problem
from .engine.base import Iterative, Look
from .engine.graph import GraphOptions, normalized_similarity
from .engine.plain import Array


@dataclass(frozen=True)
class SymmetricNMF(Iterative, GraphOptions):
    """Symmetric NMF, A ≈ HHᵀ with H (n × k) ≥ 0 and A the similarities of a graph of nearest neighbours.

    A = E^(−½) W E^(−½) for weights W with sums E.  H has a copy W that is drawn to it (Kuang, Yun and Park):
    A ≈ WHᵀ with a penalty on their distance, each of them by alternating nonnegative least squares, here a
    column after the other.  The objective never rises.
    """

    name = "sym_nmf"
    title = "SymNMF"
    paper = (
        "Kuang, Ding and Park, Symmetric nonnegative matrix factorization for graph clustering, SDM 2012; "
        "Kuang, Yun and Park, SymNMF, J. Global Optimization 62(3), 2015"
    )
    cites = ("kuang2012symnmf", "kuang2015symnmf")
    look = Look(colour="blue", marker="v", dash="-.")
    objective_text = "‖A − WHᵀ‖² + α‖W − H‖², A of the graph"
    uncertain = (
        "The papers weight edges by a heat kernel whose width is the distance of the seventh neighbour; here "
        "the graph is that of GNMF, with its options.",
        "A column after the other (HALS) in place of the exact least squares of the paper; α stays, where "
        "the paper raises it slowly.",
        "Start: uniform on (0, 2/√(nk)), so that WHᵀ is as large as A, whose mean is near 1/n.",
    )
    factors = {"W": ("n", "k"), "H": ("n", "k")}
    roles = {"W": "basis", "H": "encodings"}

    alpha: float = option(1.0, low=0, help="weight α that draws W and H together")

    def start(self, problem: Problem, name: str, seed: int, restart: int) -> Array:
        """Uniform, of the size of A."""
        return super().start(problem, name, seed, restart) * 2 / np.sqrt(problem.n * problem.k)

    def given(self, problem: Problem) -> dict[str, Any]:
        """A, in the type of the factors."""
        return {"A": normalized_similarity(self.graph(problem)).astype(problem.X.dtype)}

    def update(self, A: Any, W: Array, H: Array) -> tuple[Array, ...]:
        """w_j ← max(0, w_j + (Ah_j − W(HᵀH)_j + α(h_j − w_j)) / ((HᵀH)_jj + α)) for every j; then H so."""
        W = self.moved(A, W, H)
        return W, self.moved(A, H, W)

    def moved(self, A: Any, moving: Array, fixed: Array) -> Array:
        """W or H, the other fixed."""
        moving, target, gram = moving.copy(), A @ fixed + self.alpha * fixed, fixed.T @ fixed
        for j in range(gram.shape[0]):
            curvature = gram[j, j] + self.alpha
            if curvature > 0:
                slope = target[:, j] - moving @ gram[:, j] - self.alpha * moving[:, j]
                moving[:, j] = np.maximum(0, moving[:, j] + slope / curvature)
        return moving

    def objective(self, A: Any, W: Array, H: Array) -> float:
        """‖A − WHᵀ‖² + α‖W − H‖², from products of n × k."""
        W, H = W.astype(np.float64), H.astype(np.float64)
        fit = np.sum(A.data.astype(np.float64) ** 2) - 2 * np.sum((A @ H) * W) + np.sum((W.T @ W) * (H.T @ H))
        return float(fit + self.alpha * np.sum((W - H) ** 2))
