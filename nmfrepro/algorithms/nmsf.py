"""Nonnegative matrix-set factorization: one base for the columns of all images."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ..core.problem import Problem
from .engine.images import OnImages, as_images, left_unfolding
from .engine.multiplicative import TwoFactor
from .engine.new_samples import one_sided
from .engine.stack import Stack


@dataclass(frozen=True)
class NMSF(OnImages, TwoFactor):
    """Nonnegative matrix-set factorization: images X_n (r × c) on one base of column profiles.

    Minimises ``O = Σ_n ‖X_n − UV_n‖²`` over U (r × l) ≥ 0 and V_n (l × c) ≥ 0 by

        U ← U ⊙ Σ_n X_nV_nᵀ ⊘ (U Σ_n V_nV_nᵀ),    V_n ← V_n ⊙ UᵀX_n ⊘ (UᵀU V_n),

    which is NMF of the r × nc matrix [X_1 … X_n].  The objective never rises.  An encoding has l·c entries.
    """

    name: ClassVar[str] = "nmsf"
    title: ClassVar[str] = "NMSF"
    paper: ClassVar[str] = "Li and Zhang, Non-negative matrix-set factorization, ICIG 2007"
    objective_text: ClassVar[str] = "Σ_n ‖X_n − UV_n‖²  (no ½)"
    uncertain: ClassVar[tuple[str, ...]] = (
        "The paper could not be had; this is what the 2DNMF paper compares with. Its general form has "
        "several shared factors; one base on the left (image rows) is what the printed projection implies "
        "(80 %).",
        "Start and stopping rule are not stated; as for NMF.",
    )
    factors: ClassVar[dict[str, tuple[str, ...]]] = {"U": ("r", "k"), "V": ("n", "k", "c")}

    def public(self, name: str, stacked: np.ndarray) -> np.ndarray:
        """V is stored (l, n, c): the encodings of an ordinary NMF of (r, n·c)."""
        return np.ascontiguousarray(stacked.T if name == "U" else stacked.transpose(1, 0, 2))

    def stored(self, name: str, factor: np.ndarray) -> np.ndarray:
        """The inverse of `public`."""
        return factor.T if name == "U" else factor.transpose(1, 0, 2)

    def prepare(self, stack: Stack) -> None:
        """[X_1 … X_N] takes the place of X."""
        stack.use(left_unfolding(stack))

    def embedding(self, factors: dict[str, np.ndarray], problem: Problem) -> np.ndarray:
        """V_n, row by row."""
        return factors["V"].reshape(problem.n, -1)

    def project(
        self,
        factors: dict[str, np.ndarray],
        X: np.ndarray,
        image_shape: tuple[int, int] | None = None,
        projection: str | None = None,
    ) -> np.ndarray:
        """pinv(U) X_n, row by row."""
        return one_sided(factors["U"], as_images(X, image_shape, self.name))
