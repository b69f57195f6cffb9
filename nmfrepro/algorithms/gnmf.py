"""Graph regularised NMF."""

from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from ..core.options import option
from ..core.problem import Problem
from .engine.base import Look
from .engine.fast import Quadratic
from .engine.graph import Graph, GraphOptions
from .engine.multiplicative import multiply
from .engine.plain import Array, ratio
from .engine.stack import Stack
from .nmf import NMF


@dataclass(frozen=True)
class GNMF(NMF, GraphOptions):
    """NMF whose encodings are smooth over a graph of nearest neighbours.

    W are the symmetric weights of the graph, E = diag(We) their sums, L = E − W.  The objective never rises.
    λ = 0 is NMF.
    """

    name = "gnmf"
    paper = (
        "Cai, He, Han and Huang, Graph regularized nonnegative matrix factorization for data representation, "
        "IEEE Trans. Pattern Analysis and Machine Intelligence 33(8), 2011"
    )
    cites: ClassVar[tuple[str, ...]] = ("cai2011gnmf",)
    look = Look(colour="green", marker="^", dash="--")
    objective_text = "‖X − UVᵀ‖² + λ tr(VᵀLV)  (no ½)"
    uncertain: ClassVar[tuple[str, ...]] = (
        *NMF.uncertain,
        "The problem has no minimiser: (sU, V/s) with growing s keeps the fit and sends the graph term to 0, "
        "so λ acts only through early stopping.  The number of iterations is part of the method (tol must be "
        "0); Cai's program runs 100 on samples of unit length.",
        "The authors' program brings the columns of U to unit length before the first iteration, V to match "
        "(unit_start): the graph's weight, which goes with the square of V, is several hundred times larger "
        "then. The NMI of its demo on COIL-20 (0.876) needs it: 0.86 with it, 0.80 without.",
        "λ depends on the scale of X: X → aX needs λ → a²λ.",
        "Descent needs a symmetric W: an edge if either sample is a neighbour of the other.",
    )
    fixed_budget = True
    stacked = True

    lam: float = option(100.0, low=0, help="weight λ of the graph term; scales with the square of X")
    unit_start: bool = option(
        False,
        later=True,
        help="bring the columns of U to unit length before the first iteration, and V to match, as the "
        "authors' program does",
    )

    def start(self, problem: Problem, name: str, seed: int, restart: int) -> Array:
        """Uniform on (0, 1], then with unit columns of U if asked for."""
        first = super().start(problem, name, seed, restart)
        if not self.unit_start:
            return first
        lengths = np.linalg.norm(super().start(problem, "U", seed, restart), axis=0)
        return first / lengths if name == "U" else first * lengths

    def given(self, problem: Problem) -> dict[str, Any]:
        """X and W."""
        return {"X": problem.X, "W": self.graph(problem)}

    def update(self, X: Array, W: Any, U: Array, V: Array) -> tuple[Array, ...]:  # type: ignore[override]
        """U as in NMF; λE and λW pull encodings towards their neighbours'."""
        lam, E = self.lam, W.sum(axis=1)[:, None]
        U = U * ratio(X @ V, U @ (V.T @ V))
        V = V * ratio(X.T @ U + lam * (W @ V), V @ (U.T @ U) + lam * E * V)
        return U, V

    def objective(self, X: Array, W: Any, U: Array, V: Array) -> float:  # type: ignore[override]
        """‖X − UVᵀ‖² + λ tr(VᵀLV)."""
        LV = W.sum(axis=1)[:, None] * V - W @ V
        return super().objective(X, U, V) + self.lam * float(np.sum(V * LV))

    def prepare(self, stack: Stack) -> Graph:
        """The graph, its weights times λ."""
        return Graph(stack.given["W"], self.lam, stack.dtype)

    def update_V(self, stack: Stack, repeats: int) -> None:
        """V ← V ∘ (XᵀU + λWV) / (VUᵀU + λEV)."""
        XU, UU = stack.product("U", stack.X), stack.gram_of("U")
        multiply(stack, "V", XU, UU, repeats, graph=stack.state)

    def quadratic(self, stack: Stack, name: str) -> Quadratic:
        """NMF's, and λ tr(VᵀLV) in V."""
        fit = super().quadratic(stack, name)
        return fit if name == "U" else replace(fit, graph=stack.state)

    def objectives(self, stack: Stack, exact: bool) -> Array:
        """The graph term is summed over the edges, since the trace cancels."""
        return super().objectives(stack, exact) + self.lam * stack.state.roughness(stack["V"])
