"""NMF with orthogonal encodings."""

from dataclasses import dataclass

import numpy as np

from .engine.base import Look
from .engine.multiplicative import TwoFactor
from .engine.plain import Array, ratio
from .nmf import NMF


@dataclass(frozen=True)
class OrthogonalNMF(TwoFactor):
    """NMF with orthonormal columns of V, VᵀV = I: every sample belongs to nearly one component.

    U is moved as in NMF, V with the multiplier VᵀXᵀU of the constraint, which holds near the limit only: the
    objective may rise on the way there.
    """

    name = "onmf"
    title = "ONMF"
    paper = (
        "Ding, Li, Peng and Park, Orthogonal nonnegative matrix tri-factorizations for clustering, KDD 2006"
    )
    cites = ("ding2006onmf",)
    look = Look(colour="sky", marker="o", dash="-.")
    objective_text = "‖X − UVᵀ‖² subject to VᵀV = I  (no ½)"
    uncertain = (
        "One side is orthogonal, that of the samples; the paper's three factors are left out.",
        "Choi (IJCNN 2008) takes the ratio without the root: a column of length s then has 1/s after the "
        "next iteration and s after another, so it is left out.",
        "Start: uniform on (0, 1), as all methods here.",
        "Encodings are read as they are: the constraint fixes their scale.",
    )
    normalize = "none"
    monotone = False

    def update(self, X: Array, U: Array, V: Array) -> tuple[Array, ...]:
        """U as in NMF; V ← V ⊙ √(XᵀU ⊘ V(VᵀXᵀU))."""
        U = U * ratio(X @ V, U @ (V.T @ V))
        XU = X.T @ U
        return U, V * np.sqrt(ratio(XU, V @ (V.T @ XU)))

    objective = NMF.objective
