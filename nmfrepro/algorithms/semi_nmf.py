"""NMF of data with any sign."""

from dataclasses import dataclass

import numpy as np

from .engine.base import Look
from .engine.multiplicative import TwoFactor
from .engine.plain import Array, ratio
from .nmf import NMF


@dataclass(frozen=True)
class SemiNMF(TwoFactor):
    """Semi-NMF, X ≈ UVᵀ with V (n × k) ≥ 0 and U (m × k) of any sign: k-means with soft clusters.

    The objective never rises (theorem 1).  On data without negative values it still differs from NMF, since
    U may be negative.  Convex-NMF of the same paper is, on nonnegative data, the problem of `cf`.
    """

    name = "semi_nmf"
    title = "Semi-NMF"
    paper = (
        "Ding, Li and Jordan, Convex and semi-nonnegative matrix factorizations, "
        "IEEE Trans. Pattern Analysis and Machine Intelligence 32(1), 2010"
    )
    cites = ("ding2010seminmf",)
    look = Look(colour="purple", marker="o", dash="--")
    objective_text = "‖X − UVᵀ‖²  (no ½)"
    uncertain = (
        "Start: uniform on (0, 1), as all methods here; the paper starts V at a k-means clustering plus 0.2.",
    )
    signed = True

    @property
    def nonnegative(self) -> tuple[str, ...]:
        """The encodings; U has the signs of the data."""
        return ("V",)

    def update(self, X: Array, U: Array, V: Array) -> tuple[Array, ...]:
        """U = XV(VᵀV)⁻¹; V ← V ⊙ √(((XᵀU)⁺ + V(UᵀU)⁻) ⊘ ((XᵀU)⁻ + V(UᵀU)⁺)), A± the parts of A by sign."""
        from scipy.linalg import pinvh  # here, so that listing the algorithms needs no SciPy

        VV = (V.T @ V).astype(np.float64)
        U = (X @ V @ pinvh(VV)).astype(X.dtype)
        XU, UU = X.T @ U, U.T @ U
        num = np.maximum(XU, 0) + V @ np.maximum(-UU, 0)
        den = np.maximum(-XU, 0) + V @ np.maximum(UU, 0)
        return U, V * np.sqrt(ratio(num, den))

    objective = NMF.objective
