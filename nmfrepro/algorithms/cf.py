"""Concept factorization."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ..core.problem import Problem
from .engine.base import Iterative
from .engine.multiplicative import inner, residual
from .engine.stack import CANCELLED, Stack


@dataclass(frozen=True)
class CF(Iterative):
    """Concept factorization: NMF whose basis vectors are combinations of the samples.

    Minimises over W (n × k) ≥ 0 and V (n × k) ≥ 0, with K = XᵀX,

        O = ‖X − X W Vᵀ‖²

    by

        W ← W ⊙ (KV) ⊘ (KW VᵀV),    V ← V ⊙ (KW) ⊘ (V WᵀKW).

    The objective never rises; W and V do not change with the scale of X.  Encodings are read after each
    concept X w_k is brought to unit length.  ``fit.factors`` calls W "Wc".
    """

    name: ClassVar[str] = "cf"
    title: ClassVar[str] = "CF"
    paper: ClassVar[str] = "Xu and Gong, Document clustering by concept factorization, SIGIR 2004"
    objective_text: ClassVar[str] = "‖X − X W Vᵀ‖²  (the paper has ½)"
    uncertain: ClassVar[tuple[str, ...]] = (
        "Order W, V; Cai's program moves V first (order: VU).",
        "The paper reads clusters by argmax, the CNMF paper by k-means on V.",
        "The paper's variant for data of both signs is left out.",
    )
    factors: ClassVar[dict[str, tuple[str, ...]]] = {"Wc": ("n", "k"), "V": ("n", "k")}
    roles: ClassVar[dict[str, str]] = {"Wc": "basis", "V": "encodings"}

    def prepare(self, stack: Stack) -> None:
        """K, unless two products with X are cheaper than one with it."""
        if stack.problem.n <= 2 * stack.problem.m:
            stack.state["K"] = stack.XT @ stack.X

    def update_Wc(self, stack: Stack, repeats: int) -> None:
        """W ← W ⊙ (KV) ⊘ (KW VᵀV)."""
        KV = self._times_K(stack, "V")
        VV = stack.gram(stack["V"], "VV")
        for _ in range(repeats):
            den = stack.combine(VV, self._times_K(stack, "Wc"))
            stack.multiply_ratio(stack["Wc"], KV, den)

    def update_V(self, stack: Stack, repeats: int) -> None:
        """V ← V ⊙ (KW) ⊘ (V WᵀKW); KW serves the next step of W too."""
        V = stack["V"]
        KW = self._times_K(stack, "Wc")
        WKW = np.matmul(stack["Wc"], KW.transpose(0, 2, 1))
        for _ in range(repeats):
            stack.multiply_ratio(V, KW, stack.combine(WKW, V))

    def _times_K(self, stack: Stack, name: str) -> np.ndarray:
        """K times a factor, kept until the factor moves."""
        if "K" in stack.state:
            return stack.product(name, stack.state["K"])
        through_X = stack.product(name, stack.XT)
        return stack.kept(f"K {name}", (name,), lambda: stack.times(through_X, stack.X, f"K {name}"))

    def objective(self, stack: Stack, exact: bool) -> np.ndarray:
        """tr K − 2⟨KW, V⟩ + ⟨WᵀKW, VᵀV⟩, or the residual."""
        W, V = stack["Wc"], stack["V"]
        if not exact:
            KW = self._times_K(stack, "Wc")
            WKW = np.matmul(W, KW.transpose(0, 2, 1))
            fast = stack.X_squared - 2 * inner(KW, V) + inner(WKW, stack.gram(V, "VV"))
            if np.all(fast > CANCELLED[stack.dtype] * stack.X_squared):
                return fast
        return np.array([residual(stack.X, w @ stack.XT, v) for w, v in zip(W, V, strict=True)])

    def embedding(self, factors: dict[str, np.ndarray], problem: Problem) -> np.ndarray:
        """v_k ‖X w_k‖."""
        return factors["V"] * np.linalg.norm(problem.X @ factors["Wc"], axis=0)
