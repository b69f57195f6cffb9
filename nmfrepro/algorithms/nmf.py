"""NMF with the squared error, by multiplicative updates."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ..core.options import option
from ..core.problem import Problem
from .engine.multiplicative import TwoFactor, unit_columns


@dataclass(frozen=True)
class NMF(TwoFactor):
    """Nonnegative matrix factorization.

    Minimises ``O = ‖X − UVᵀ‖²`` over U (m × k) ≥ 0 and V (n × k) ≥ 0 by

        U ← U ⊙ (XV) ⊘ (U VᵀV),    V ← V ⊙ (XᵀU) ⊘ (V UᵀU).

    The objective never rises (Lee and Seung 2001, theorem 1).  The scale of U's columns is free, so the
    encodings are read after each column of U is brought to unit length.
    """

    name: ClassVar[str] = "nmf"
    title: ClassVar[str] = "NMF"
    paper: ClassVar[str] = "Lee and Seung, Algorithms for non-negative matrix factorization, NIPS 13, 2001"
    objective_text: ClassVar[str] = "‖X − UVᵀ‖²  (squared Frobenius norm, no ½)"
    uncertain: ClassVar[tuple[str, ...]] = (
        "Start: uniform on (0, 1); the papers do not say.",
        "Order U, V as printed in the five papers; Lee and Seung's own programs move V first (order: VU).",
    )
    factors: ClassVar[dict[str, tuple[str, ...]]] = {"U": ("m", "k"), "V": ("n", "k")}

    normalize: str = option(
        "unit", choices=("unit", "none"), help="bring U's columns to unit length before reading V, or not"
    )

    def embedding(self, factors: dict[str, np.ndarray], problem: Problem) -> np.ndarray:
        """V, with unit columns of U."""
        return unit_columns(factors["U"], factors["V"]) if self.normalize == "unit" else factors["V"]
