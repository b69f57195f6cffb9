"""Nonnegative local coordinate factorization."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ..core.options import option
from ..core.problem import Problem
from .engine.multiplicative import TwoFactor, cross_term, squared_error
from .engine.stack import CANCELLED, Stack


@dataclass(frozen=True)
class NLCF(TwoFactor):
    """Nonnegative local coordinate factorization: NMF whose basis vectors stay near the samples they encode.

    Minimises (eq. 3) over U (m × k) ≥ 0 and V (k × n) ≥ 0

        O = ‖X − UV‖² + μ Σ_i Σ_k v_ki ‖u_k − x_i‖²

    by (eq. 7, 8), with h the row sums of V, c_i = ‖x_i‖² and d = diag(UᵀU),

        U ← U ⊙ (μ+1) XVᵀ ⊘ (U VVᵀ + μ U diag(h)),
        V ← V ⊙ 2(μ+1) UᵀX ⊘ (2 UᵀU V + μ (1cᵀ + d1ᵀ)).

    μ = 0 is NMF.  The penalty fixes the scale of U, so encodings are read as they are.
    """

    name: ClassVar[str] = "nlcf"
    title: ClassVar[str] = "NLCF"
    paper: ClassVar[str] = (
        "Chen, Zhang, Cai, Liu and He, Nonnegative local coordinate factorization for image representation, "
        "IEEE Trans. Image Processing 22(3), 2013"
    )
    objective_text: ClassVar[str] = "‖X − UV‖² + μ Σ_i Σ_k v_ki ‖u_k − x_i‖²  (no ½)"
    uncertain: ClassVar[tuple[str, ...]] = (
        "μ of the published tables is not stated, only that 0.1 to 1 is good; 0.1 gives the printed "
        "sparseness.",
        "The paper says a fixed point is stationary; entries at zero are fixed whatever their gradient. "
        "What holds: the objective never rises.",
        "A sample far from every basis vector has zero as its best code: it decays, and argmax still ranks "
        "it until it underflows; such samples are counted in the notes.",
    )
    factors: ClassVar[dict[str, tuple[str, ...]]] = {"U": ("m", "k"), "V": ("k", "n")}

    mu: float = option(0.1, low=0, help="weight μ of the local coordinate penalty; good between 0.1 and 1")

    def prepare(self, stack: Stack) -> None:
        """c_i = ‖x_i‖², and as eq. 8 has it after both sides are divided."""
        stack.state["c"] = np.vecdot(stack.XT, stack.XT)
        stack.state["c in V"] = 0.5 * self.mu / (1 + self.mu) * stack.state["c"]

    def update_U(self, stack: Stack, repeats: int) -> None:
        """Eq. 7; its denominator is U (VVᵀ + μ diag(h)), one k × k matrix per restart."""
        U, V = stack["U"], stack["V"]
        XV = stack.product("V", stack.XT)
        A = stack.gram(V, "VV")
        diagonal(A)[...] += self.mu * np.add.reduce(V, axis=2)
        A /= 1 + self.mu
        for _ in range(repeats):
            stack.multiply_ratio(U, XV, stack.combine(A, U))

    def update_V(self, stack: Stack, repeats: int) -> None:
        """Eq. 8, both sides divided by 2(μ + 1)."""
        U, V = stack["U"], stack["V"]
        XU = stack.product("U", stack.X)
        A = stack.gram(U, "UU")
        d = 0.5 * self.mu / (1 + self.mu) * diagonal(A)
        lengths = np.add(d[:, :, None], stack.state["c in V"], out=stack.scratch("c + d", V.shape))
        A /= 1 + self.mu
        for _ in range(repeats):
            den = stack.combine(A, V)
            den += lengths
            self.move_V(stack, V, XU, den)

    def move_V(self, stack: Stack, V: np.ndarray, num: np.ndarray, den: np.ndarray) -> None:
        """V ← V ⊙ num ⊘ den; NLCF-G adds its graph terms here."""
        stack.multiply_ratio(V, num, den)

    def objective(self, stack: Stack, exact: bool) -> np.ndarray:
        """Eq. 3; the penalty as Σ V ⊙ (c + d − 2 UᵀX), from differences where that cancels."""
        return squared_error(stack, exact) + self.mu * locality(stack, exact)

    def embedding(self, factors: dict[str, np.ndarray], problem: Problem) -> np.ndarray:
        """Vᵀ as it is."""
        return factors["V"].T

    def notes(self, factors: dict[str, np.ndarray], problem: Problem) -> tuple[str, ...]:
        """How many samples have no code at all."""
        silent = int(np.sum(~factors["V"].any(axis=0)))
        return (f"{silent} of {problem.n} samples have an all-zero code",) if silent else ()


def diagonal(A: np.ndarray) -> np.ndarray:
    """A writable view of the diagonals of stacked square matrices, which are contiguous."""
    return A.reshape(len(A), -1)[:, :: A.shape[1] + 1]


def locality(stack: Stack, exact: bool) -> np.ndarray:
    """Σ_i Σ_k v_ki ‖u_k − x_i‖² per restart."""
    U, V, c = stack["U"], stack["V"], stack.state["c"]
    if not exact:
        scale = (V @ c + V.sum(axis=2) * np.vecdot(U, U)).sum(axis=1, dtype=np.float64)
        fast = scale - 2 * cross_term(stack)
        if (fast > CANCELLED[stack.dtype] * scale).all():
            return fast
    from scipy.spatial.distance import cdist  # here, so that listing the algorithms needs no SciPy

    return np.array([np.sum(v * cdist(u, stack.XT, "sqeuclidean")) for u, v in zip(U, V, strict=True)])
