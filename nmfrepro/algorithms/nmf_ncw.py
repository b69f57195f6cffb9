"""NMF weighted as in normalised cuts, the "NMF" baseline of the graph and label papers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ..core.options import option
from ..core.problem import Problem
from .engine.stack import Stack
from .nmf import NMF


@dataclass(frozen=True)
class NMFNCW(NMF):
    """NMF with samples weighted as in normalised cuts.

    Minimises over U (m × k) ≥ 0 and V (n × k) ≥ 0

        O = Σ_i γ_i ‖x_i − U v_i‖² = ‖X′ − U V′ᵀ‖²,    X′ = X D^(−½),  V′ = D^(−½) V,

    with γ_i = 1/d_i and d_i = x_iᵀ Σ_j x_j, the degrees of the similarities XᵀX.  It is NMF of X′, which does
    not change with the scale of X.  ``fit.factors["V"]`` is V′.
    """

    name: ClassVar[str] = "nmf_ncw"
    title: ClassVar[str] = "NMF-NCW"
    paper: ClassVar[str] = (
        "Xu, Liu and Gong, Document clustering based on non-negative matrix factorization, SIGIR 2003"
    )
    objective_text: ClassVar[str] = "Σ_i ‖x_i − U v_i‖² / d_i,  d = Xᵀ(X1)  (no ½)"
    uncertain: ClassVar[tuple[str, ...]] = (
        *NMF.uncertain,
        "Whether V′ or V = D^½ V′ is clustered is not stated: V′, as Cai's program returns it.  Argmax does "
        "not see the difference, k-means does.",
        "A zero sample has d = 0 and keeps x′ = 0.",
    )

    read: str = option(
        "weighted",
        choices=("weighted", "plain"),
        help="what is clustered: V′ of the weighted data, or V = D^½ V′",
    )

    def prepare(self, stack: Stack) -> None:
        """X′ takes the place of X."""
        root = np.sqrt(degrees(stack.X))
        stack.use(np.divide(stack.X, root, out=np.zeros_like(stack.X), where=root > 0))

    def embedding(self, factors: dict[str, np.ndarray], problem: Problem) -> np.ndarray:
        """V′ with unit columns of U, or D^½ times it."""
        encodings = super().embedding(factors, problem)
        return encodings if self.read == "weighted" else encodings * np.sqrt(degrees(problem.X))[:, None]


def degrees(X: np.ndarray) -> np.ndarray:
    """d = Xᵀ(X1): the row sums of XᵀX, which is not formed."""
    return X.sum(axis=1) @ X
