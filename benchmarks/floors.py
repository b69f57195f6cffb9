"""The floor of a method: the matrix products of one iteration and nothing else.

Every floor is written by hand from the method's equations in their cheapest order, on arrays that are
allocated beforehand and contiguous, all restarts at once.  Methods differ from their floor by the arithmetic
on single entries (ratios, roots, projections), by what they copy, and by Python.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from nmfrepro.algorithms.engine.base import Iterative
from nmfrepro.algorithms.engine.graph import GraphOptions
from nmfrepro.core.problem import Problem

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
        out = np.matmul(A, B)
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
    W = a.method.graph(a.problem).astype(a.dtype)
    if a.problem.n <= 80:
        return [*two_factors(a), a.data("n", W.toarray())]
    columns = np.ascontiguousarray(a.factor("n").reshape(-1, a.problem.n).T)
    return [*two_factors(a), lambda: W @ columns]


def merged_labels(a: Arrays) -> list[Product]:
    """NMF of the data with labelled samples merged by class."""
    merged = a.random(a.problem.m, a.merged)
    transposed = np.ascontiguousarray(merged.T)
    return [a.data("p", transposed), a.gram("p"), a.mix("m"), a.data("m", merged), a.gram("m"), a.mix("p")]


def merged_kl(a: Arrays) -> list[Product]:
    """The products of the divergence, on the merged columns."""
    return _dense(a, "p", (1, 1))


def divergence(a: Arrays) -> list[Product]:
    """UVᵀ and RV, UVᵀ and RᵀU, a restart after the other."""
    return _dense(a, "n", (1, 1))


def correntropy(a: Arrays) -> list[Product]:
    """UVᵀ, (Q∘X)V and (Q∘UVᵀ)V, and the same for V."""
    return _dense(a, "n", (2, 2))


def _dense(a: Arrays, axis: str, products: tuple[int, int]) -> list[Product]:
    """UVᵀ before each factor, then so many m × n matrices times the other one, for every restart."""
    U, V = a.factor("m"), a.factor(axis)
    Y = a.random(U.shape[2], V.shape[2])
    out: list[Product] = []
    for u, v in zip(U, V, strict=True):
        outer = a.product(u.T, v)
        for count, factor, matrix in zip(products, (v, u), (Y.T, Y), strict=True):
            out += [outer, *(a.product(factor, matrix) for _ in range(count))]
    return out


def concepts(a: Arrays) -> list[Product]:
    """KV, KW, (KW)(VᵀV), V(WᵀKW); K times a factor through X where that is cheaper."""
    if a.problem.n <= 2 * a.problem.m:
        K = a.X.T @ a.X
        times_K = [a.data("n", K)] * 2
    else:
        times_K = [a.data("n", a.XT), a.data("m", a.X)] * 2
    return [*times_K, a.gram("n"), a.mix("n"), a.gram("n"), a.mix("n")]


def robust(a: Arrays) -> list[Product]:
    """As NMF with weighted samples, and WᵀW H once more for the lengths of the residuals."""
    return [*two_factors(a), a.mix("n")]


def log_determinant(a: Arrays) -> list[Product]:
    """And W A₊."""
    return [*robust(a), a.mix("m")]


def projected(a: Arrays) -> list[Product]:
    """As NMF, and V UᵀU of the step tried: one trial per iteration."""
    return [*two_factors(a), a.mix("n")]


def optimality(a: Arrays) -> list[Product]:
    """As NMF; B = VP, VᵀB₊ and VᵀB₋, and four products of B± with k × k matrices."""
    return [*two_factors(a), a.gram("n"), a.mix("n"), a.gram("n"), a.gram("n"), *[a.mix("n")] * 4]


def columns_of_images(a: Arrays) -> list[Product]:
    """NMF of the r × n·c matrix of all image columns."""
    r, c = _sides(a)
    return two_factors(Arrays(a.method, Problem(a.random(r, a.problem.n * c), a.k), a.restarts))


def between_bases(a: Arrays) -> list[Product]:
    """2DNMF: X_nV, X_nᵀU, VᵀX_nᵀU; sums over images with the cores; the cores with both Gram matrices."""
    (r, c), n, R, k = _sides(a), a.problem.n, a.restarts, a.method.parameters["l1"]
    U, V, D, gram = a.random(R, k, r), a.random(R, k, c), a.random(R, k, k, n), a.random(R, k, k)
    flat = D.reshape(R, k, -1)
    XV, XU = a.random(R, k * n, r), a.random(R, k * n, c)
    with_gram = a.product(gram[:, None], D)
    sums = a.product(flat, flat.transpose(0, 2, 1))
    return [
        *(a.product(V.reshape(R * k, c), a.random(c, n * r)), with_gram, a.product(flat, XV), sums),
        *(a.product(gram, U), a.product(U.reshape(R * k, r), a.random(r, n * c)), with_gram),
        *(a.product(flat, XU), sums, a.product(gram, V)),
        *(a.product(V[:, None], a.random(R, k, c, n)), a.product(gram, flat), with_gram),
    ]


def rank_one_images(a: Arrays) -> list[Product]:
    """NTF: X_nV and X_nᵀU, summed over images with weights W and over columns with V; Gram matrices."""
    (r, c), n, R, k = _sides(a), a.problem.n, a.restarts, a.k
    U, V, W = a.random(R, k, r), a.random(R, k, c), a.random(R, k, n)
    XV, XU = a.random(R, k, n, r), a.random(R, k, n, c)
    grams = [a.product(F, F.transpose(0, 2, 1)) for F in (U, V, W)]
    mixes = [a.product(a.random(R, k, k), F) for F in (U, V, W)]
    return [
        *(a.product(V.reshape(R * k, c), a.random(c, n * r)), a.product(W[:, :, None], XV)),
        *(a.product(U.reshape(R * k, r), a.random(r, n * c)), a.product(W[:, :, None], XU)),
        *(a.product(XU, V[..., None]), *grams, *grams, *mixes),
    ]


def spectral(a: Arrays) -> list[Product]:
    """R₊F, R₋F, FᵀF and F(FᵀF)."""
    R = a.random(a.problem.n, a.problem.n)
    return [a.data("n", R), a.data("n", R), a.gram("n"), a.mix("n")]


def _sides(a: Arrays) -> tuple[int, int]:
    assert a.problem.image_shape is not None
    return a.problem.image_shape


FLOORS: dict[str, Callable[[Arrays], list[Product]]] = {
    "nmf": two_factors,
    "nlcf": two_factors,
    "cnmf": merged_labels,
    "gnmf": with_graph,
    "nlcf_g": with_graph,
    "tnmf": two_factors,
    "nmf_ncw": two_factors,
    "nnsc": two_factors,
    "semi_gnmf": with_graph,
    "nmf_sc": projected,
    "anp": optimality,
    "cf": concepts,
    "nmsf": columns_of_images,
    "twodnmf": between_bases,
    "ntf": rank_one_images,
    "l21_nmf": robust,
    "lds_nmf": log_determinant,
    "nmf_kl": divergence,
    "cnmf_kl": merged_kl,
    "cim_nmf": correntropy,
    "nsdr": spectral,
}
