"""NMF with labels as constraints and the generalised Kullback–Leibler divergence."""

from dataclasses import dataclass

import numpy as np

from .cnmf import CNMF, LabelConstrained
from .engine.base import Look
from .engine.kullback_leibler import divergence, move, of_data
from .engine.plain import Array, ratio
from .engine.stack import Stack


@dataclass(frozen=True)
class CNMFKL(LabelConstrained):
    """Constrained NMF with the generalised Kullback–Leibler divergence, Y = U(AZ)ᵀ.

    The objective never rises.  A and the rows of Z are as in CNMF.  Samples of a class have equal columns of
    Y, so that XA, the sums of the classes, takes the place of X: (X ⊘ Y) AZ = ((XA) ⊘ (U Zᵀ)) Z.
    """

    name = "cnmf_kl"
    title = "CNMF_KL"
    paper = CNMF.paper
    cites = ("liu2012cnmf",)
    look = Look(colour="blue", marker="*", dash="-")
    objective_text = "Σ x log(x/y) − x + y,  Y = U Zᵀ Aᵀ"
    uncertain = (
        "The section of the paper was not legible in the copy read: the updates are derived here, with the "
        "bound from the concavity of the logarithm, which covers all entries of Z at once.",
        *CNMF.uncertain,
    )
    stacked = True

    def update(self, X: Array, A: Array, U: Array, Z: Array) -> tuple[Array, ...]:
        """X ⊘ Y is formed anew for each of the two."""
        U = U * ratio(ratio(X, U @ (A @ Z).T) @ (A @ Z), (A @ Z).sum(axis=0))
        Z = Z * ratio(A.T @ (ratio(X, U @ (A @ Z).T).T @ U), A.sum(axis=0)[:, None] * U.sum(axis=0))
        return U, Z

    def objective(self, X: Array, A: Array, U: Array, Z: Array) -> float:
        """Σ x log(x/y) − x + y, with 0 log 0 = 0."""
        Y = U @ (A @ Z).T
        return float(np.sum(np.where(X > 0, X * np.log(X / Y), 0) - X + Y))

    def prepare(self, stack: Stack) -> tuple[Array, float]:  # type: ignore[override]
        """N, and what the objective has of X alone."""
        return super().prepare(stack), of_data(stack.given["X"])

    def update_U(self, stack: Stack, repeats: int) -> None:
        """U ← U ⊙ (((XA) ⊘ (U Zᵀ)) Z) ⊘ (1 colsum(NZ))."""
        N, _ = stack.state
        move(stack, "U", "Z", stack.XT, (stack["Z"] @ N)[:, :, None], repeats)

    def update_Z(self, stack: Stack, repeats: int) -> None:
        """Z ← Z ⊙ (((XA) ⊘ (U Zᵀ))ᵀ U) ⊘ (N1 colsum(U))."""
        N, _ = stack.state
        move(stack, "Z", "U", stack.X, stack["U"].sum(axis=2, keepdims=True) * N, repeats)

    def objectives(self, stack: Stack, exact: bool) -> Array:
        """Σ x log(x/y) − x + y over all samples."""
        X, A = stack.given["X"], stack.given["A"]
        return divergence(stack, exact, stack["U"], stack["Z"][:, :, A.indices], X, stack.state[1])
