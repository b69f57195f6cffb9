"""NMF with labels as constraints."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..core.problem import Problem
from .engine.base import Iterative, Look
from .engine.fast import Quadratic
from .engine.multiplicative import (
    cross_term,
    inner_product,
    multiply,
    residual,
    unit_columns,
    worthwhile_repeats,
)
from .engine.plain import Array, Factors, ratio
from .engine.stack import Stack


@dataclass(frozen=True)
class LabelConstrained(Iterative):
    """What CNMF and its Kullback–Leibler variant share: samples of one labelled class have one encoding.

    V = AZ.  A (n × p) has a column for every labelled class, by code, then one for every unlabelled sample,
    in their order.  The stacked tier does not form it: AZ is a gathering of rows, XA sums the samples of each
    class, and AᵀA is the diagonal of the class sizes N.
    """

    needs_labels = True
    basis = "U"
    factors = {"U": ("m", "k"), "Z": ("p", "k")}
    roles = {"U": "basis", "Z": "encodings"}
    stacked = True

    def dimensions(self, problem: Problem) -> dict[str, int]:
        """p rows of Z beside the usual."""
        return {**super().dimensions(problem), "p": int(rows_of_Z(problem).max()) + 1}

    def given(self, problem: Problem) -> dict[str, Any]:
        """X and A, sparse."""
        from scipy.sparse import csr_array  # here, so that listing the algorithms needs no SciPy

        rows = rows_of_Z(problem)
        return {
            "X": problem.X,
            "A": csr_array((np.ones(len(rows), problem.X.dtype), rows, np.arange(len(rows) + 1))),
        }

    def prepare(self, stack: Stack) -> Array:
        """N, the diagonal of AᵀA; XA takes the place of X, but ‖X‖² stays that of the data."""
        A = stack.given["A"]
        stack.use(stack.X @ A, squared=stack.X_squared)
        return A.sum(axis=0)

    def embedding(self, factors: Factors, problem: Problem) -> Array:
        """AZ, with unit columns of U."""
        return unit_columns(factors["U"], factors["Z"][rows_of_Z(problem)])


@dataclass(frozen=True)
class CNMF(LabelConstrained):
    """Constrained NMF, X ≈ U Zᵀ Aᵀ: samples known to be of one class share one encoding, V = AZ.

    U (m × k) and Z (p × k) ≥ 0; A (n × p) has a column for every labelled class and one for every unlabelled
    sample.  The objective never rises.  Without labels it is NMF.  ``fit.factors["Z"]`` has the labelled
    classes by code, then the unlabelled samples in their order.
    """

    name = "cnmf"
    paper = (
        "Liu, Wu, Li, Cai and Huang, Constrained nonnegative matrix factorization for image representation, "
        "IEEE Trans. Pattern Analysis and Machine Intelligence 34(7), 2012"
    )
    cites = ("liu2012cnmf",)
    look = Look(colour="vermillion", marker="h", dash="-")
    objective_text = "‖X − U Zᵀ Aᵀ‖²  (no ½; eq. 1 lacks the square that its derivation uses)"
    uncertain = (
        "How the scale of U's columns is fixed before clusters are read is not stated: unit columns, as in "
        "NMF.",
        "The paper's table of costs treats A as a dense matrix; with A as an index the method costs less "
        "than NMF.",
        "One labelled sample of a class is as good as unlabelled; with all samples labelled V has at most as "
        "many different rows as there are classes.",
    )
    warm = 2
    stacked = True

    def update(self, X: Array, A: Array, U: Array, Z: Array) -> tuple[Array, ...]:
        """Eq. 2 and 3."""
        U = U * ratio(X @ (A @ Z), U @ (Z.T @ A.T @ A @ Z))
        Z = Z * ratio(A.T @ (X.T @ U), A.T @ A @ Z @ (U.T @ U))
        return U, Z

    def objective(self, X: Array, A: Array, U: Array, Z: Array) -> float:
        """Eq. 1."""
        return float(np.sum((X - U @ Z.T @ A.T) ** 2))

    def auto_inner(self, problem: Problem) -> dict[str, int]:
        """As for NMF on the p columns of XA."""
        return worthwhile_repeats(self, problem)

    def update_U(self, stack: Stack, repeats: int) -> None:
        """Eq. 2, as U ⊙ ((XA)Z) ⊘ (U ZᵀNZ)."""
        multiply(stack, "U", stack.product("Z", stack.XT), self._gram_Z(stack), repeats)

    def update_Z(self, stack: Stack, repeats: int) -> None:
        """Eq. 3, as Z ⊙ ((XA)ᵀU) ⊘ (NZ UᵀU)."""
        N: Array = stack.state
        AXU, UU = stack.product("U", stack.X), stack.gram_of("U")
        multiply(stack, "Z", AXU, UU, repeats, weights=N)

    def quadratic(self, stack: Stack, name: str) -> Quadratic:
        """NMF's on XA: ⟨ZᵀNZ, UᵀU⟩ − 2⟨XAZ, U⟩ in U; in Z every column is weighted by its N."""
        if name == "U":
            return Quadratic(self._gram_Z(stack), stack.product("Z", stack.XT))
        N: Array = stack.state
        return Quadratic(stack.gram_of("U"), stack.product("U", stack.X) / N)

    def _gram_Z(self, stack: Stack) -> Array:
        """ZᵀNZ per restart."""
        N: Array = stack.state
        Z = stack["Z"]
        NZ = np.multiply(Z, N, out=stack.scratch("NZ", Z.shape))
        return np.matmul(NZ, Z.transpose(0, 2, 1))

    def objectives(self, stack: Stack, exact: bool) -> Array:
        """‖X‖² − 2⟨(XA)ᵀU, Z⟩ + ⟨UᵀU, ZᵀNZ⟩, or the residual."""
        X, U, Z = stack.given["X"], stack["U"], stack["Z"]
        if not exact:
            grams = inner_product(stack.gram_of("U"), self._gram_Z(stack))
            value = stack.X_squared - 2 * cross_term(stack, "U", "Z") + grams
            if stack.accurate(value, stack.X_squared):
                return value
        rows = stack.given["A"].indices
        return np.array([residual(X, u, z[:, rows]) for u, z in zip(U, Z, strict=True)])


def rows_of_Z(problem: Problem) -> Array:
    """The row of Z that encodes each sample, the index form of A."""
    assert problem.labels is not None
    codes = np.unique(problem.labels, return_inverse=True)[1]
    # A sample without a label is a class of its own, after the others.
    codes = np.where(problem.labels < 0, problem.n + np.arange(problem.n), codes)
    return np.unique(codes, return_inverse=True)[1]
