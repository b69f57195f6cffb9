"""Nonnegative sparse coding."""

from dataclasses import dataclass

import numpy as np

from ..core.errors import FitError
from ..core.options import option
from ..core.problem import Problem
from .engine.base import Look
from .engine.multiplicative import TwoFactor, multiply, squared_error
from .engine.plain import Array, Factors, ratio
from .engine.stack import Stack


@dataclass(frozen=True)
class NNSC(TwoFactor):
    """Nonnegative sparse coding: NMF with an L1 penalty on the encodings and basis vectors of unit length.

    X ≈ UVᵀ with U (m × k) and V (n × k) ≥ 0.  U moves by a projected gradient step: clipping and rescaling is
    the exact projection, so with t = 1/λmax(VᵀV) the objective never rises.  A column that is clipped to zero
    keeps its old value.
    """

    name = "nnsc"
    paper = "Hoyer, Non-negative sparse coding, IEEE Workshop on Neural Networks for Signal Processing 2002"
    cites = ("hoyer2002nnsc",)
    look = Look(colour="purple", marker="p", dash=":")
    example = {"lam": 0.05}
    objective_text = "½ ‖X − UVᵀ‖² + λ Σ_ik v_ik,  ‖u_k‖ = 1"
    uncertain = (
        "Hoyer asks for a small constant step; 1/λmax(VᵀV) is the longest that provably never raises O.",
        "λ depends on the scale of X: X → aX needs λ → aλ.  For large λ every encoding decays to zero, which "
        "is reported as collapsed.",
        "The method that the TNMF paper calls NNSC, after Hoyer 2004, is nmf_sc.",
    )
    normalize = "none"
    stacked = True

    lam: float = option(low=0, help="weight λ of the L1 penalty; scales with X (0.1 in the field's table)")

    def update(self, X: Array, U: Array, V: Array) -> tuple[Array, ...]:
        """Hoyer's steps 4 and 5."""
        largest = np.linalg.eigvalsh(V.T @ V)[-1]
        moved = np.maximum(U - (U @ (V.T @ V) - X @ V) / largest, 0) if largest > 0 else U
        length = np.linalg.norm(moved, axis=0)
        U = np.where(length > 0, ratio(moved, length), U)
        V = V * ratio(X.T @ U, V @ (U.T @ U) + self.lam)
        return U, V

    def objective(self, X: Array, U: Array, V: Array) -> float:
        """½ ‖X − UVᵀ‖² + λ ΣV."""
        return float(0.5 * np.sum((X - U @ V.T) ** 2) + self.lam * np.sum(V))

    def start(self, problem: Problem, name: str, seed: int, restart: int) -> Array:
        """Random positive, columns of U of unit length."""
        factor = super().start(problem, name, seed, restart)
        return factor / np.linalg.norm(factor, axis=0) if name == "U" else factor

    def update_U(self, stack: Stack, repeats: int) -> None:
        """Hoyer's step 4, with a step length 1/λmax(VᵀV) for every restart."""
        U, XV, VV = stack["U"], stack.product("V", stack.XT), stack.gram_of("V")
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
        """Hoyer's step 5: V ← V ∘ XᵀU / (VUᵀU + λ)."""
        XU, UU = stack.product("U", stack.X), stack.gram_of("U")
        multiply(stack, "V", XU, UU, repeats, penalty=self.lam)

    def objectives(self, stack: Stack, exact: bool) -> Array:
        """½ ‖X − UVᵀ‖² + λ ΣV."""
        return 0.5 * squared_error(stack, exact) + self.lam * stack["V"].sum(axis=(1, 2), dtype=np.float64)

    def embedding(self, factors: Factors, problem: Problem) -> Array:
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
