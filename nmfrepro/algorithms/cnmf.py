"""NMF with labels as constraints."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ..core.problem import Problem
from .engine.base import Iterative
from .engine.multiplicative import cross_term, inner, residual, unit_columns, worthwhile_repeats
from .engine.stack import CANCELLED, Stack


@dataclass(frozen=True)
class LabelConstrained(Iterative):
    """What CNMF and its Kullback–Leibler variant share: samples of one labelled class have one encoding.

    V = AZ.  A (n × p) has a column for every labelled class, by code, then one for every unlabelled sample,
    in their order.  It is never formed: AZ is a gathering of rows, XA sums the samples of each class, and
    AᵀA is the diagonal of the class sizes N.
    """

    needs_labels: ClassVar[bool] = True
    basis: ClassVar[str | None] = "U"
    factors: ClassVar[dict[str, tuple[str, ...]]] = {"U": ("m", "k"), "Z": ("p", "k")}
    roles: ClassVar[dict[str, str]] = {"U": "basis", "Z": "encodings"}

    def dimensions(self, problem: Problem) -> dict[str, int]:
        """p rows of Z beside the usual."""
        return {**super().dimensions(problem), "p": int(rows_of_Z(problem).max()) + 1}

    def prepare(self, stack: Stack) -> None:
        """XA takes the place of X; the sizes N and the row of Z of every sample."""
        rows = rows_of_Z(stack.problem)
        sums = np.zeros((int(rows.max()) + 1, stack.problem.m), stack.dtype)
        np.add.at(sums, rows, stack.X.T)
        stack.state["rows"] = rows
        stack.state["N"] = np.bincount(rows).astype(stack.dtype)
        stack.use(sums.T)

    def embedding(self, factors: dict[str, np.ndarray], problem: Problem) -> np.ndarray:
        """AZ, with unit columns of U."""
        return unit_columns(factors["U"], factors["Z"][rows_of_Z(problem)])


@dataclass(frozen=True)
class CNMF(LabelConstrained):
    """Constrained NMF: samples known to be of one class share one encoding.

    Minimises over U (m × k) ≥ 0 and Z (p × k) ≥ 0, with V = AZ (eq. 1),

        O = ‖X − U Zᵀ Aᵀ‖²

    by (eq. 2, 3)

        U ← U ⊙ (XAZ) ⊘ (U ZᵀAᵀAZ),    Z ← Z ⊙ (AᵀXᵀU) ⊘ (AᵀAZ UᵀU).

    A has a column for every labelled class and one for every unlabelled sample.  The objective never rises.
    Without labels it is NMF.  ``fit.factors["Z"]`` has the labelled classes by code, then the unlabelled
    samples in their order.
    """

    name: ClassVar[str] = "cnmf"
    title: ClassVar[str] = "CNMF"
    paper: ClassVar[str] = (
        "Liu, Wu, Li, Cai and Huang, Constrained nonnegative matrix factorization for image representation, "
        "IEEE Trans. Pattern Analysis and Machine Intelligence 34(7), 2012"
    )
    objective_text: ClassVar[str] = "‖X − U Zᵀ Aᵀ‖²  (no ½; eq. 1 lacks the square that its derivation uses)"
    uncertain: ClassVar[tuple[str, ...]] = (
        "How the scale of U's columns is fixed before clusters are read is not stated: unit columns, as in "
        "NMF.",
        "The paper's table of costs treats A as a dense matrix; with A as an index the method costs less "
        "than NMF.",
        "One labelled sample of a class is as good as unlabelled; with all samples labelled V has at most as "
        "many different rows as there are classes.",
    )

    def auto_inner(self, problem: Problem) -> dict[str, int]:
        """As for NMF on the p columns of XA."""
        return worthwhile_repeats(self, problem)

    def update_U(self, stack: Stack, repeats: int) -> None:
        """Eq. 2, as U ⊙ ((XA)Z) ⊘ (U ZᵀNZ)."""
        U = stack["U"]
        XAZ = stack.product("Z", stack.XT)
        ZNZ = self._gram_Z(stack)
        for _ in range(repeats):
            stack.multiply_ratio(U, XAZ, stack.combine(ZNZ, U))

    def update_Z(self, stack: Stack, repeats: int) -> None:
        """Eq. 3, as Z ⊙ ((XA)ᵀU) ⊘ (NZ UᵀU)."""
        U, Z = stack["U"], stack["Z"]
        AXU = stack.product("U", stack.X)
        UU = stack.gram(U, "UU")
        for _ in range(repeats):
            den = stack.combine(UU, Z)
            den *= stack.state["N"]
            stack.multiply_ratio(Z, AXU, den)

    def _gram_Z(self, stack: Stack) -> np.ndarray:
        """ZᵀNZ per restart."""
        Z = stack["Z"]
        NZ = np.multiply(Z, stack.state["N"], out=stack.scratch("NZ", Z.shape))
        return np.matmul(NZ, Z.transpose(0, 2, 1))

    def objective(self, stack: Stack, exact: bool) -> np.ndarray:
        """‖X‖² − 2⟨(XA)ᵀU, Z⟩ + ⟨UᵀU, ZᵀNZ⟩, or the residual."""
        X, U, Z = stack.problem.X, stack["U"], stack["Z"]
        if not exact:
            squared = float(np.vdot(X, X))
            grams = inner(stack.gram(U, "UU"), self._gram_Z(stack))
            fast = squared - 2 * cross_term(stack, "U", "Z") + grams
            if np.all(fast > CANCELLED[stack.dtype] * squared):
                return fast
        rows = stack.state["rows"]
        return np.array([residual(X, u, z[:, rows]) for u, z in zip(U, Z, strict=True)])


def rows_of_Z(problem: Problem) -> np.ndarray:
    """The row of Z that encodes each sample, the index form of A."""
    assert problem.labels is not None
    labels = problem.labels
    known = labels >= 0
    classes, rows = np.unique(labels[known], return_inverse=True)
    out = np.empty(len(labels), dtype=np.intp)
    out[known] = rows
    out[~known] = len(classes) + np.arange(np.count_nonzero(~known))
    return out
