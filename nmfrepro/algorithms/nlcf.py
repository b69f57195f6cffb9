"""Nonnegative local coordinate factorization."""

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from ..core.options import option
from ..core.problem import Problem
from .engine.base import Look
from .engine.fast import Quadratic
from .engine.graph import Graph
from .engine.multiplicative import TwoFactor, cross_term, multiply, silent_samples, squared_error
from .engine.plain import Array, ratio
from .engine.stack import Stack, diagonal


@dataclass(frozen=True)
class Geometry:
    """What is known of the samples: c_i = ‖x_i‖², shape (n,), and for NLCF-G their graph."""

    c: Array
    graph: Graph | None = None


@dataclass(frozen=True)
class NLCF(TwoFactor):
    """Nonnegative local coordinate factorization: NMF whose basis vectors stay near the samples they encode.

    X ≈ UV with U (m × k) and V (k × n) ≥ 0.  μ = 0 is NMF.  The penalty fixes the scale of U, so encodings
    are read as they are.
    """

    name = "nlcf"
    paper = (
        "Chen, Zhang, Cai, Liu and He, Nonnegative local coordinate factorization for image representation, "
        "IEEE Trans. Image Processing 22(3), 2013"
    )
    cites: ClassVar[tuple[str, ...]] = ("chen2013nlcf",)
    look = Look(colour="vermillion", marker="s", dash="-")
    objective_text = "‖X − UV‖² + μ Σ_i Σ_k v_ki ‖u_k − x_i‖²  (no ½)"
    uncertain: ClassVar[tuple[str, ...]] = (
        "μ of the published tables is not stated, only that 0.1 to 1 is good; 0.1 gives the printed "
        "sparseness.",
        "The paper says a fixed point is stationary; entries at zero are fixed whatever their gradient. "
        "What holds: the objective never rises.",
        "A sample far from every basis vector has zero as its best code: it decays, and argmax still ranks "
        "it until it underflows; such samples are counted in the notes.",
    )
    factors = {"U": ("m", "k"), "V": ("k", "n")}
    normalize = "none"
    stacked = True

    mu: float = option(0.1, low=0, help="weight μ of the local coordinate penalty; good between 0.1 and 1")

    def update(self, X: Array, U: Array, V: Array) -> tuple[Array, ...]:
        """Eq. 7 and 8."""
        mu, h, c = self.mu, V.sum(axis=1), np.sum(X**2, axis=0)
        U = U * ratio((mu + 1) * (X @ V.T), U @ (V @ V.T) + mu * U * h)
        d = np.sum(U**2, axis=0)[:, None]
        V = V * ratio(2 * (mu + 1) * (U.T @ X), 2 * (U.T @ U) @ V + mu * (c + d))
        return U, V

    def objective(self, X: Array, U: Array, V: Array) -> float:
        """Eq. 3."""
        distances = np.sum(X**2, axis=0) + np.sum(U**2, axis=0)[:, None] - 2 * (U.T @ X)
        return float(np.sum((X - U @ V) ** 2) + self.mu * np.sum(V * distances))

    def prepare(self, stack: Stack) -> Geometry:
        """c, once for the whole run."""
        return Geometry(np.vecdot(stack.XT, stack.XT))

    def update_U(self, stack: Stack, repeats: int) -> None:
        """Eq. 7; its denominator is U (VVᵀ + μ diag(h)), one k × k matrix per restart."""
        A = stack.gram_of("V").copy()
        diagonal(A)[...] += self.mu * np.add.reduce(stack["V"], axis=2, keepdims=True)
        A /= 1 + self.mu
        multiply(stack, "U", stack.product("V", stack.XT), A, repeats)

    def update_V(self, stack: Stack, repeats: int) -> None:
        """Eq. 8, or with a graph eq. 12, both sides divided by 2(μ + 1)."""
        UU, weight = stack.gram_of("U"), 0.5 * self.mu / (1 + self.mu)
        c, d = weight * stack.state.c, weight * diagonal(UU)
        penalty = np.add(c, d, out=stack.scratch("c + d", stack["V"].shape))
        XU, A = stack.product("U", stack.X), UU / (1 + self.mu)
        multiply(stack, "V", XU, A, repeats, penalty=penalty, graph=stack.state.graph)

    def quadratic(self, stack: Stack, name: str) -> Quadratic:
        """Eq. 3 in U and in V, divided by μ + 1 as above."""
        fit = super().quadratic(stack, name)
        A = fit.A / (1 + self.mu)
        if name == "U":
            diagonal(A)[...] += self.mu / (1 + self.mu) * np.add.reduce(stack["V"], axis=2, keepdims=True)
            return replace(fit, A=A)
        c, d = 0.5 * self.mu / (1 + self.mu) * stack.state.c, 0.5 * self.mu * diagonal(A)
        return replace(fit, A=A, B=fit.B - (c + d))

    def objectives(self, stack: Stack, exact: bool) -> Array:
        """Eq. 3; the penalty from differences where its sum cancels."""
        return squared_error(stack, exact) + self.mu * locality(stack, exact)

    def notes(self, factors: dict[str, Array], problem: Problem) -> tuple[str, ...]:
        """How many samples have no code at all."""
        return silent_samples(factors["V"])


def locality(stack: Stack, exact: bool) -> Array:
    """Σ_i Σ_k v_ki ‖u_k − x_i‖² per restart."""
    U, V, c = stack["U"], stack["V"], stack.state.c
    if not exact:
        scale = (V @ c + V.sum(axis=2) * np.vecdot(U, U)).sum(axis=1, dtype=np.float64)
        value = scale - 2 * cross_term(stack)
        if stack.accurate(value, scale):
            return value
    from scipy.spatial.distance import cdist  # here, so that listing the algorithms needs no SciPy

    return np.array([np.sum(v * cdist(u, stack.XT, "sqeuclidean")) for u, v in zip(U, V, strict=True)])
