"""NMF with labels as constraints and the generalised Kullback–Leibler divergence."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from .cnmf import CNMF, LabelConstrained
from .engine.kullback_leibler import divergence, quotient_product
from .engine.stack import Stack


@dataclass(frozen=True)
class CNMFKL(LabelConstrained):
    """Constrained NMF with the generalised Kullback–Leibler divergence.

    Minimises over U (m × k) ≥ 0 and Z (p × k) ≥ 0, with V = AZ, Y = U(AZ)ᵀ and 0 log 0 = 0,

        O = Σ x log(x/y) − x + y

    by, with R = X ⊘ Y formed anew for each of the two,

        U ← U ⊙ (R AZ) ⊘ (1 colsum(AZ)),    Z ← Z ⊙ (AᵀRᵀU) ⊘ ((Aᵀ1) colsum(U)).

    The objective never rises.  A and the rows of Z are as in CNMF.  Samples of a class have equal columns of
    Y, so that XA, the sums of the classes, takes the place of X: R AZ = ((XA) ⊘ (U Zᵀ)) Z.
    """

    name: ClassVar[str] = "cnmf_kl"
    title: ClassVar[str] = "CNMF_KL"
    paper: ClassVar[str] = CNMF.paper
    objective_text: ClassVar[str] = "Σ x log(x/y) − x + y,  Y = U Zᵀ Aᵀ"
    uncertain: ClassVar[tuple[str, ...]] = (
        "The section of the paper was not legible in the copy read: the updates are derived here, with the "
        "bound from the concavity of the logarithm, which covers all entries of Z at once.",
        *CNMF.uncertain,
    )

    def update_U(self, stack: Stack, repeats: int) -> None:
        """U ← U ⊙ (((XA) ⊘ (U Zᵀ)) Z) ⊘ (1 colsum(NZ))."""
        U, Z = stack["U"], stack["Z"]
        sums = (Z @ stack.state["N"])[:, :, None]
        for _ in range(repeats):
            stack.multiply_ratio(U, quotient_product(stack, U, Z, stack.XT, "num U"), sums)

    def update_Z(self, stack: Stack, repeats: int) -> None:
        """Z ← Z ⊙ (((XA) ⊘ (U Zᵀ))ᵀ U) ⊘ (N1 colsum(U))."""
        U, Z = stack["U"], stack["Z"]
        sums = U.sum(axis=2, keepdims=True) * stack.state["N"]
        for _ in range(repeats):
            stack.multiply_ratio(Z, quotient_product(stack, Z, U, stack.X, "num Z"), sums)

    def objective(self, stack: Stack, exact: bool) -> np.ndarray:
        """Σ x log(x/y) − x + y over all samples."""
        U, V = stack["U"], stack["Z"][:, :, stack.state["rows"]]
        total = np.einsum("rk,rk->r", U.sum(axis=2, dtype=np.float64), V.sum(axis=2, dtype=np.float64))
        return divergence(stack, exact, U, V, stack.problem.X, total)
