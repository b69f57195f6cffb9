"""Nonnegative sparse coding."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ..core.errors import FitError
from ..core.options import option
from ..core.problem import Problem
from .engine.multiplicative import TwoFactor, squared_error
from .engine.stack import Stack


@dataclass(frozen=True)
class NNSC(TwoFactor):
    """Nonnegative sparse coding: NMF with an L1 penalty on the encodings and basis vectors of unit length.

    Minimises over U (m × k) ≥ 0 with unit columns and V (n × k) ≥ 0

        O = ½ ‖X − UVᵀ‖² + λ Σ_ik v_ik

    by a projected gradient step and a multiplicative one,

        U ← [U − t (U VᵀV − XV)]₊ with columns brought to unit length,  t = 1/λmax(VᵀV),
        V ← V ⊙ (XᵀU) ⊘ (V UᵀU + λ).

    Clipping and rescaling is the exact projection, so with this t the objective never rises.  A column that
    is clipped to zero keeps its old value.
    """

    name: ClassVar[str] = "nnsc"
    title: ClassVar[str] = "NNSC"
    paper: ClassVar[str] = (
        "Hoyer, Non-negative sparse coding, IEEE Workshop on Neural Networks for Signal Processing 2002"
    )
    objective_text: ClassVar[str] = "½ ‖X − UVᵀ‖² + λ Σ_ik v_ik,  ‖u_k‖ = 1"
    uncertain: ClassVar[tuple[str, ...]] = (
        "Hoyer asks for a small constant step; 1/λmax(VᵀV) is the longest that provably never raises O.",
        "λ depends on the scale of X: X → aX needs λ → aλ.  For large λ every encoding decays to zero, which "
        "is reported as collapsed.",
        "The method that the TNMF paper calls NNSC, after Hoyer 2004, is nmf_sc.",
    )
    factors: ClassVar[dict[str, tuple[str, ...]]] = {"U": ("m", "k"), "V": ("n", "k")}

    lam: float = option(low=0, help="weight λ of the L1 penalty; scales with X")

    def start(self, problem: Problem, name: str, seed: int, restart: int) -> np.ndarray:
        """Random positive, columns of U of unit length."""
        factor = super().start(problem, name, seed, restart)
        return factor / np.linalg.norm(factor, axis=0) if name == "U" else factor

    def update_U(self, stack: Stack, repeats: int) -> None:
        """U ← [U − t (U VᵀV − XV)]₊ with unit columns."""
        U, V = stack["U"], stack["V"]
        XV = stack.product("V", stack.XT)
        VV = stack.gram(V, "VV")
        largest = np.linalg.eigvalsh(VV.astype(np.float64))[:, -1]
        step = np.divide(1.0, largest, out=np.zeros_like(largest), where=largest > stack.tiny)
        for _ in range(repeats):
            moved = stack.combine(VV, U)
            moved -= XV
            moved *= -step.astype(stack.dtype)[:, None, None]
            moved += U
            np.maximum(moved, 0, out=moved)
            length = np.sqrt(np.einsum("rkm,rkm->rk", moved, moved, dtype=np.float64))
            length = length.astype(stack.dtype)[:, :, None]
            np.divide(moved, length, out=U, where=length > 0)

    def update_V(self, stack: Stack, repeats: int) -> None:
        """V ← V ⊙ (XᵀU) ⊘ (V UᵀU + λ)."""
        U, V = stack["U"], stack["V"]
        XU = stack.product("U", stack.X)
        UU = stack.gram(U, "UU")
        for _ in range(repeats):
            den = stack.combine(UU, V)
            den += self.lam
            stack.multiply_ratio(V, XU, den)

    def objective(self, stack: Stack, exact: bool) -> np.ndarray:
        """½ ‖X − UVᵀ‖² + λ ΣV."""
        return 0.5 * squared_error(stack, exact) + self.lam * stack["V"].sum(axis=(1, 2), dtype=np.float64)

    def embedding(self, factors: dict[str, np.ndarray], problem: Problem) -> np.ndarray:
        """V as it is: the columns of U have unit length.

        Raises
        ------
        FitError
            If λ ≥ u_kᵀx_i throughout: zero is then the best V, and what is left of it only decays.
        """
        if problem.X.any() and (factors["U"].T @ problem.X).max() <= self.lam:
            raise FitError(
                f"nnsc: collapsed, with lam = {self.lam:g} zero is the best encoding of every sample"
            )
        return factors["V"]
