"""Robust NMF with the L2,1 loss."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from .engine.robust import ColumnRobust
from .engine.stack import Stack


@dataclass(frozen=True)
class L21NMF(ColumnRobust):
    """Robust NMF: the loss is the distance of every sample from its approximation, not the distance squared.

    Minimises ``O = Σ_j ‖x_j − Fg_j‖`` over F (m × k) ≥ 0 and G (k × n) ≥ 0 by

        F ← F ⊙ XDGᵀ ⊘ (F GDGᵀ),    G ← G ⊙ FᵀXD ⊘ (FᵀF G D),    D = diag(1 / ‖x_j − Fg_j‖),

    D from the factors at the beginning of an iteration.  The objective never rises.  It is LDS-NMF with
    λ = γ = 0.  Encodings are read as they are.
    """

    name: ClassVar[str] = "l21_nmf"
    title: ClassVar[str] = "L21-NMF"
    paper: ClassVar[str] = (
        "Kong, Ding and Huang, Robust nonnegative matrix factorization using L21-norm, CIKM 2011"
    )
    objective_text: ClassVar[str] = "Σ_j ‖x_j − Fg_j‖  (not squared, no ½)"
    uncertain: ClassVar[tuple[str, ...]] = (
        "Start and stopping rule are not stated where it is compared with (LDS-NMF paper); the original "
        "starts from k-means, by a secondary source, here the start is random.",
        "D is renewed once per iteration; renewing it between the two updates never raises the objective "
        "either.",
        "Public programs also scale F to unit column sums, which leaves the objective unchanged; not done "
        "here.",
    )
    basis: ClassVar[str | None] = "F"
    codes: ClassVar[str] = "G"
    factors: ClassVar[dict[str, tuple[str, ...]]] = {"F": ("m", "k"), "G": ("k", "n")}
    roles: ClassVar[dict[str, str]] = {"F": "basis", "G": "encodings"}

    def update_F(self, stack: Stack, repeats: int) -> None:
        """F ← F ⊙ XDGᵀ ⊘ (F GDGᵀ)."""
        F = stack["F"]
        XK, GK = self.weighted_products(stack)
        for _ in range(repeats):
            stack.multiply_ratio(F, XK, stack.combine(GK, F))

    def update_G(self, stack: Stack, repeats: int) -> None:
        """G ← G ⊙ FᵀXD ⊘ (FᵀF G D)."""
        self.move_codes(stack, repeats)

    def objective(self, stack: Stack, exact: bool) -> np.ndarray:
        """Σ_j ‖x_j − Fg_j‖."""
        return self.loss(stack, exact)
