"""NMF weighted as in normalised cuts, the "NMF" baseline of the graph and label papers."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..core.options import option
from ..core.problem import Problem
from .engine.base import Look
from .engine.plain import Array, ratio
from .nmf import NMF


@dataclass(frozen=True)
class NMFNCW(NMF):
    """NMF with samples weighted as in normalised cuts, by the degrees d of the similarities XᵀX.

    It is NMF of X′ = X D^(−½), X′ ≈ U V′ᵀ with V′ = D^(−½) V, which does not change with the scale of X.
    ``fit.factors["V"]`` is V′.
    """

    name = "nmf_ncw"
    title = "NMF-NCW"
    paper = "Xu, Liu and Gong, Document clustering based on non-negative matrix factorization, SIGIR 2003"
    cites = ("xu2003ncw",)
    look = Look(colour="black", marker="p", dash="--")
    objective_text = "Σ_i ‖x_i − U v_i‖² / d_i,  d = Xᵀ(X1)  (no ½)"
    uncertain = (
        *NMF.uncertain,
        "Whether V′ or V = D^½ V′ is clustered is not stated: V′, as Cai's program returns it.  Argmax does "
        "not see the difference, k-means does.",
        "A zero sample has d = 0 and keeps x′ = 0.",
    )

    stacked = True
    read_options = ("normalize", "read")

    read: str = option(
        "weighted",
        choices=("weighted", "plain"),
        help="what is clustered: V′ of the weighted data, or V = D^½ V′",
    )

    def given(self, problem: Problem) -> dict[str, Any]:
        """X′ takes the place of X."""
        return {"X": ratio(problem.X, np.sqrt(degrees(problem.X)))}

    def embedding(self, factors: dict[str, Array], problem: Problem) -> Array:
        """V′ with unit columns of U, or D^½ times it."""
        encodings = super().embedding(factors, problem)
        return encodings if self.read == "weighted" else encodings * np.sqrt(degrees(problem.X))[:, None]


def degrees(X: Array) -> Array:
    """d = Xᵀ(X1): the row sums of XᵀX, which is not formed."""
    return X.sum(axis=1) @ X
