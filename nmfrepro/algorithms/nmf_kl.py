"""NMF with the generalised Kullback–Leibler divergence."""

from dataclasses import dataclass

import numpy as np

from ..core.problem import Problem
from .engine.base import Look
from .engine.kullback_leibler import divergence, move, of_data
from .engine.plain import Array, ratio
from .engine.stack import Stack
from .nmf import NMF


@dataclass(frozen=True)
class NMFKL(NMF):
    """Nonnegative matrix factorization with the generalised Kullback–Leibler divergence.

    The objective never rises (Lee and Seung 2001, theorem 2).  After a step of U, Y = UVᵀ has the row sums of
    X, after a step of V its column sums.
    """

    name = "nmf_kl"
    title = "NMF-KL"
    paper = NMF.paper
    cites = ("lee2001nmf",)
    look = Look(colour="grey", marker="o", dash="--")
    objective_text = "Σ x log(x/y) − x + y,  Y = UVᵀ"
    uncertain = NMF.uncertain
    stacked = True

    def update(self, X: Array, U: Array, V: Array) -> tuple[Array, ...]:
        """Theorem 2, X ⊘ UVᵀ formed anew for each factor."""
        U = U * ratio(ratio(X, U @ V.T) @ V, V.sum(axis=0))
        V = V * ratio(ratio(X, U @ V.T).T @ U, U.sum(axis=0))
        return U, V

    def update_weighted(self, X: Array, W: Array, U: Array, V: Array) -> tuple[Array, Array]:
        """For Σ w (x log(x/y) − x + y), Y = UVᵀ: entries of weight 0 are held out."""
        U = U * ratio((W * ratio(X, U @ V.T)) @ V, W @ V)
        V = V * ratio((W * ratio(X, U @ V.T)).T @ U, W.T @ U)
        return U, V

    def objective(self, X: Array, U: Array, V: Array) -> float:
        """Σ x log(x/y) − x + y, with 0 log 0 = 0."""
        Y = U @ V.T
        return float(np.sum(np.where(X > 0, X * np.log(X / Y), 0) - X + Y))

    def auto_inner(self, problem: Problem) -> dict[str, int]:
        """One of each: the quotients must be formed anew for every update, so a repeat saves nothing."""
        return {}

    def prepare(self, stack: Stack) -> float:
        """What the objective has of X alone."""
        return of_data(stack.X)

    def update_U(self, stack: Stack, repeats: int) -> None:
        """Theorem 2: u_ik ← u_ik (Σ_j v_jk x_ij / y_ij) / Σ_j v_jk."""
        move(stack, "U", "V", stack.XT, stack["V"].sum(axis=2, keepdims=True), repeats)

    def update_V(self, stack: Stack, repeats: int) -> None:
        """Theorem 2: v_jk ← v_jk (Σ_i u_ik x_ij / y_ij) / Σ_i u_ik."""
        move(stack, "V", "U", stack.X, stack["U"].sum(axis=2, keepdims=True), repeats)

    def objectives(self, stack: Stack, exact: bool) -> Array:
        """Σ x log(x/y) − x + y."""
        return divergence(stack, exact, stack["U"], stack["V"], stack.X, stack.state)
