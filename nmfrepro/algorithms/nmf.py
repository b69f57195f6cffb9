"""NMF with the squared error, by multiplicative updates."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ..core.options import option
from .engine.base import Look
from .engine.multiplicative import TwoFactor
from .engine.plain import Array, ratio


@dataclass(frozen=True)
class NMF(TwoFactor):
    """Nonnegative matrix factorization, X ≈ UVᵀ with U (m × k) and V (n × k) ≥ 0.

    The objective never rises (Lee and Seung 2001, theorem 1).  The scale of U's columns is free, so the
    encodings are read after each of them is brought to unit length.
    """

    name = "nmf"
    paper = "Lee and Seung, Algorithms for non-negative matrix factorization, NIPS 13, 2001"
    cites: ClassVar[tuple[str, ...]] = ("lee2001nmf",)
    look = Look(colour="black", marker="o", dash="--")
    objective_text = "‖X − UVᵀ‖²  (squared Frobenius norm, no ½)"
    uncertain: ClassVar[tuple[str, ...]] = (
        "Start: uniform on (0, 1); the papers do not say.",
        "Order U, V as printed in the five papers; Lee and Seung's own programs move V first (order: VU).",
    )
    stacked = True
    warm = 2

    normalize: str = option(
        "unit", choices=("unit", "none"), help="bring U's columns to unit length before reading V, or not"
    )

    def update(self, X: Array, U: Array, V: Array) -> tuple[Array, ...]:
        """Theorem 1."""
        U = U * ratio(X @ V, U @ (V.T @ V))
        V = V * ratio(X.T @ U, V @ (U.T @ U))
        return U, V

    def update_weighted(self, X: Array, W: Array, U: Array, V: Array) -> tuple[Array, Array]:
        """For Σ w (x − y)², Y = UVᵀ (weighted NMF of Zhang et al. 2006): entries of weight 0 are held out."""
        U = U * ratio((W * X) @ V, (W * (U @ V.T)) @ V)
        V = V * ratio((W * X).T @ U, (W * (U @ V.T)).T @ U)
        return U, V

    def objective(self, X: Array, U: Array, V: Array) -> float:
        """‖X − UVᵀ‖²."""
        return float(np.sum((X - U @ V.T) ** 2))
