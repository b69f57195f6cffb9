"""Robust NMF with the L2,1 loss."""

from dataclasses import dataclass

import numpy as np

from .engine.base import Look
from .engine.multiplicative import multiply
from .engine.plain import Array, ratio
from .engine.robust import ColumnRobust, column_weights
from .engine.stack import Stack


@dataclass(frozen=True)
class L21NMF(ColumnRobust):
    """Robust NMF: the loss is the distance of every sample from its approximation, not the distance squared.

    X ≈ FG with F (m × k) and G (k × n) ≥ 0.  D is that of the factors at the beginning of an iteration.  The
    objective never rises.  It is LDS-NMF with λ = γ = 0.
    """

    name = "l21_nmf"
    title = "L21-NMF"
    paper = "Kong, Ding and Huang, Robust nonnegative matrix factorization using L21-norm, CIKM 2011"
    cites = ("kong2011l21",)
    look = Look(colour="blue", marker="s", dash="--")
    objective_text = "Σ_j ‖x_j − Fg_j‖  (not squared, no ½)"
    uncertain = (
        "Start and stopping rule are not stated where it is compared with (LDS-NMF paper); the original "
        "starts from k-means, by a secondary source, here the start is random.",
        "D is renewed once per iteration; renewing it between the two updates never raises the objective "
        "either.",
        "Public programs also scale F to unit column sums, which leaves the objective unchanged; not done "
        "here.",
    )
    basis = "F"
    codes = "G"
    factors = {"F": ("m", "k"), "G": ("k", "n")}
    roles = {"F": "basis", "G": "encodings"}
    stacked = True

    def update(self, X: Array, F: Array, G: Array) -> tuple[Array, ...]:
        """D = diag(1 / ‖x_j − Fg_j‖) scales columns."""
        d = column_weights(X, F @ G)
        F = F * ratio((X * d) @ G.T, F @ ((G * d) @ G.T))
        G = G * ratio(F.T @ X * d, (F.T @ F) @ G * d)
        return F, G

    def objective(self, X: Array, F: Array, G: Array) -> float:
        """Σ_j ‖x_j − Fg_j‖."""
        return float(np.sum(np.linalg.norm(X - F @ G, axis=0)))

    def update_F(self, stack: Stack, repeats: int) -> None:
        """F ← F ∘ XDGᵀ / (FGDGᵀ)."""
        multiply(stack, "F", *self.weighted_products(stack), repeats)

    def update_G(self, stack: Stack, repeats: int) -> None:
        """G ← G ∘ FᵀXD / (FᵀFGD)."""
        self.move_codes(stack, repeats)

    def objectives(self, stack: Stack, exact: bool) -> Array:
        """Σ_j ‖x_j − Fg_j‖."""
        return self.loss(stack, exact)
