"""NMF with the generalised Kullback–Leibler divergence."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ..core.problem import Problem
from .engine.kullback_leibler import divergence, quotient_product
from .engine.stack import Stack
from .nmf import NMF


@dataclass(frozen=True)
class NMFKL(NMF):
    """Nonnegative matrix factorization with the generalised Kullback–Leibler divergence.

    Minimises, with Y = UVᵀ and 0 log 0 = 0,

        O = Σ x log(x/y) − x + y

    over U (m × k) ≥ 0 and V (n × k) ≥ 0 by, with R = X ⊘ Y formed anew for each of the two,

        U ← U ⊙ (RV) ⊘ (1 colsum(V)),    V ← V ⊙ (RᵀU) ⊘ (1 colsum(U)).

    The objective never rises (Lee and Seung 2001, theorem 2).  After a step of U, Y has the row sums of X,
    after a step of V its column sums.
    """

    name: ClassVar[str] = "nmf_kl"
    title: ClassVar[str] = "NMF-KL"
    objective_text: ClassVar[str] = "Σ x log(x/y) − x + y,  Y = UVᵀ"

    def auto_inner(self, problem: Problem) -> dict[str, int]:
        """One of each: the quotients must be formed anew for every update, so a repeat saves nothing."""
        return {}

    def update_U(self, stack: Stack, repeats: int) -> None:
        """U ← U ⊙ (RV) ⊘ (1 colsum(V))."""
        self._move(stack, "U", "V", stack.XT, repeats)

    def update_V(self, stack: Stack, repeats: int) -> None:
        """V ← V ⊙ (RᵀU) ⊘ (1 colsum(U))."""
        self._move(stack, "V", "U", stack.X, repeats)

    def _move(self, stack: Stack, name: str, other: str, data: np.ndarray, repeats: int) -> None:
        factor = stack[name]
        sums = stack[other].sum(axis=2, keepdims=True)
        for _ in range(repeats):
            stack.multiply_ratio(factor, quotient_product(stack, factor, stack[other], data, name), sums)

    def objective(self, stack: Stack, exact: bool) -> np.ndarray:
        """Σ x log(x/y) − x + y."""
        U, V = stack["U"], stack["V"]
        total = np.einsum("rk,rk->r", U.sum(axis=2, dtype=np.float64), V.sum(axis=2, dtype=np.float64))
        return divergence(stack, exact, U, V, stack.X, total)
