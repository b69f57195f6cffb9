"""The floor of a method: the matrix products of one iteration and nothing else.

Every floor is written by hand from the method's equations in their cheapest order, on arrays that are
allocated beforehand and contiguous, all restarts at once.  Methods differ from their floor by the arithmetic
on single entries (ratios, roots, projections), by what they copy, and by Python.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from nmfrepro.algorithms.base import Iterative
from nmfrepro.algorithms.graph import GraphOptions
from nmfrepro.problem import Problem

Product = Callable[[], object]


class Arrays:
    """Random factors of all restarts for a problem, and the products that floors are made of.

    Factors are (restarts, k, length), named by the axis they run over: "m", "n", or "p" (the merged columns
    of the label-constrained methods).
    """

    def __init__(self, method: Iterative, problem: Problem, restarts: int) -> None:
        self.method, self.problem, self.restarts = method, problem, restarts
        self.k, self.dtype = problem.k, problem.X.dtype
        self.X, self.XT = problem.X, np.ascontiguousarray(problem.X.T)
        self._factors: dict[str, np.ndarray] = {}

    def random(self, *shape: int) -> np.ndarray:
        """Uniform numbers in the type of the run."""
        return np.random.default_rng(0).random(shape).astype(self.dtype)

    def factor(self, axis: str) -> np.ndarray:
        """The factor that runs over an axis."""
        if axis not in self._factors:
            lengths = {"m": self.problem.m, "n": self.problem.n, "p": self.merged}
            self._factors[axis] = self.random(self.restarts, self.k, lengths[axis])
        return self._factors[axis]

    @property
    def merged(self) -> int:
        """Classes with labels and unlabelled samples."""
        labels = self.problem.labels
        return (
            self.problem.n
            if labels is None
            else len(np.unique(labels[labels >= 0])) + int((labels < 0).sum())
        )

    def product(self, A: np.ndarray, B: np.ndarray) -> Product:
        """One (stacked) product."""
        out = np.empty((*A.shape[:-1], B.shape[-1]), self.dtype)
        return lambda: np.matmul(A, B, out=out)

    def data(self, axis: str, matrix: np.ndarray) -> Product:
        """The factor of an axis times a matrix that all restarts share."""
        return self.product(self.factor(axis).reshape(-1, matrix.shape[0]), matrix)

    def gram(self, axis: str) -> Product:
        """FFᵀ per restart."""
        F = self.factor(axis)
        return self.product(F, F.transpose(0, 2, 1))

    def mix(self, axis: str) -> Product:
        """A k × k matrix per restart times the factor."""
        return self.product(self.random(self.restarts, self.k, self.k), self.factor(axis))


def two_factors(a: Arrays) -> list[Product]:
    """XV, VᵀV, U(VᵀV); XᵀU, UᵀU, V(UᵀU)."""
    return [a.data("n", a.XT), a.gram("n"), a.mix("m"), a.data("m", a.X), a.gram("m"), a.mix("n")]


def with_graph(a: Arrays) -> list[Product]:
    """And V W, by the quicker of a sparse and a dense product as the method chooses."""
    assert isinstance(a.method, GraphOptions)
    W = a.method.graph(a.problem).W.astype(a.dtype)
    if a.problem.n <= 80:
        return [*two_factors(a), a.data("n", W.toarray())]
    columns = np.ascontiguousarray(a.factor("n").reshape(-1, a.problem.n).T)
    return [*two_factors(a), lambda: W @ columns]


def merged_labels(a: Arrays) -> list[Product]:
    """NMF of the data with labelled samples merged by class."""
    merged = a.random(a.problem.m, a.merged)
    transposed = np.ascontiguousarray(merged.T)
    return [a.data("p", transposed), a.gram("p"), a.mix("m"), a.data("m", merged), a.gram("m"), a.mix("p")]


FLOORS: dict[str, Callable[[Arrays], list[Product]]] = {
    "nmf": two_factors,
    "nlcf": two_factors,
    "cnmf": merged_labels,
    "gnmf": with_graph,
    "nlcf_g": with_graph,
    "tnmf": two_factors,
}
