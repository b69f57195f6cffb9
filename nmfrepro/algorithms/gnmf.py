"""Graph regularised NMF."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ..core.options import option
from .engine.graph import GraphOptions
from .engine.stack import Stack
from .nmf import NMF


@dataclass(frozen=True)
class GNMF(NMF, GraphOptions):
    """NMF whose encodings are smooth over a graph of nearest neighbours.

    Minimises over U (m × k) ≥ 0 and V (n × k) ≥ 0

        O = ‖X − UVᵀ‖² + λ tr(VᵀLV),

    with L = E − W, W the symmetric weights of the graph and E = diag(We) their sums, by

        U ← U ⊙ (XV) ⊘ (U VᵀV),    V ← V ⊙ (XᵀU + λWV) ⊘ (V UᵀU + λEV).

    The objective never rises.  λ = 0 is NMF.
    """

    name: ClassVar[str] = "gnmf"
    title: ClassVar[str] = "GNMF"
    paper: ClassVar[str] = (
        "Cai, He, Han and Huang, Graph regularized nonnegative matrix factorization for data representation, "
        "IEEE Trans. Pattern Analysis and Machine Intelligence 33(8), 2011"
    )
    objective_text: ClassVar[str] = "‖X − UVᵀ‖² + λ tr(VᵀLV)  (no ½)"
    uncertain: ClassVar[tuple[str, ...]] = (
        *NMF.uncertain,
        "The problem has no minimiser: (sU, V/s) with growing s keeps the fit and sends the graph term to 0, "
        "so λ acts only through early stopping.  The number of iterations is part of the method (tol must be "
        "0); Cai's program runs 100 on samples of unit length.",
        "λ depends on the scale of X: X → aX needs λ → a²λ.",
        "Descent needs a symmetric W: an edge if either sample is a neighbour of the other.",
    )
    fixed_budget: ClassVar[bool] = True

    lam: float = option(100.0, low=0, help="weight λ of the graph term; scales with the square of X")

    def prepare(self, stack: Stack) -> None:
        """The graph, and its weights times λ."""
        graph = self.graph(stack.problem)
        stack.state["graph"] = graph
        stack.state["pull"] = graph.scaled(self.lam, stack.dtype)

    def update_V(self, stack: Stack, repeats: int) -> None:
        """V ← V ⊙ (XᵀU + λWV) ⊘ (V UᵀU + λEV)."""
        U, V, pull = stack["U"], stack["V"], stack.state["pull"]
        XU = stack.product("U", stack.X)
        UU = stack.gram(U, "UU")
        for _ in range(repeats):
            num = np.add(XU, pull.times(V, stack), out=stack.scratch("num", V.shape))
            den = stack.combine(UU, V)
            den += np.multiply(V, pull.degrees, out=stack.scratch("EV", V.shape))
            stack.multiply_ratio(V, num, den)

    def objective(self, stack: Stack, exact: bool) -> np.ndarray:
        """‖X − UVᵀ‖² + λ tr(VᵀLV)."""
        return super().objective(stack, exact) + self.lam * stack.state["graph"].roughness(stack["V"])
