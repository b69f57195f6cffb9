"""Mathematics shared by the methods that approximate X by U Vᵀ with multiplicative updates.

Inside, both factors have their components as rows: U is (restarts, k, m) and V is (restarts, k, n), so the
papers' U(VᵀV) reads ``(V Vᵀ) U`` here.
"""

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ...core.problem import Problem
from .base import Iterative
from .fast import Quadratic
from .graph import Graph
from .plain import Array, column_lengths
from .stack import Stack, blocks


@dataclass(frozen=True)
class TwoFactor(Iterative):
    """A method with a basis U and encodings V; its stacked tier is NMF's until a subclass says otherwise.

    Encodings are read with unit columns of U.
    """

    basis: ClassVar[str | None] = "U"
    factors: ClassVar[dict[str, tuple[str, ...]]] = {"U": ("m", "k"), "V": ("n", "k")}
    stacked: ClassVar[bool] = True
    normalize = "unit"

    def update_U(self, stack: Stack, repeats: int) -> None:
        """U ← U ⊙ (XV) ⊘ (U(VᵀV)); XV and VᵀV are computed once for all repeats."""
        lee_seung(stack, "U", "V", stack.XT, repeats)

    def update_V(self, stack: Stack, repeats: int) -> None:
        """V ← V ⊙ (XᵀU) ⊘ (V(UᵀU))."""
        lee_seung(stack, "V", "U", stack.X, repeats)

    def quadratic(self, stack: Stack, name: str) -> Quadratic:
        """⟨VᵀV, UᵀU⟩ − 2⟨XV, U⟩ in U, and so for V."""
        other, data = ("V", stack.XT) if name == "U" else ("U", stack.X)
        return Quadratic(stack.gram_of(other), stack.product(other, data))

    def auto_inner(self, problem: Problem) -> dict[str, int]:
        """Repeats that a kept product with X is worth."""
        return worthwhile_repeats(self, problem)

    def objectives(self, stack: Stack, exact: bool) -> Array:
        """‖X − UVᵀ‖²."""
        return squared_error(stack, exact)


def multiply(
    stack: Stack,
    name: str,
    num: Array,
    gram: Array,
    repeats: int,
    *,
    weights: Array | None = None,
    penalty: Array | float | None = None,
    graph: Graph | None = None,
) -> None:
    """The factor F called `name`, so many times: F ← F ⊙ (num + FW) ⊘ ((gram F)D + penalty + FE).

    Parameters
    ----------
    num : ndarray, shape (R, k, p)
    gram : ndarray, shape (R, k, k)
    weights, penalty : ndarray or float, optional
        D as a row, and what a penalty adds to the denominator; both broadcast to the shape of F.
    graph : Graph, optional
        W, and its degrees E.
    """
    factor = stack.flat(name)
    for _ in range(repeats):
        whole, den = num, stack.combine(gram, factor)
        if weights is not None:
            den *= weights
        if penalty is not None:
            den += penalty
        if graph is not None:
            FW = graph.times(factor, stack)
            whole = np.add(num, FW, out=stack.scratch(f"num {name}", factor.shape))
            den += np.multiply(factor, graph.degrees, out=stack.scratch("FE", factor.shape))
        stack.multiply_ratio(factor, whole, den)


def lee_seung(stack: Stack, name: str, other: str, data: Array, repeats: int) -> None:
    """The factor called `name` by its Lee–Seung update, so many times.

    `data` is Xᵀ, (n, m), for the basis (R, k, m), and X, (m, n), for the encodings (R, k, n).  The
    denominator of U is U(VᵀV), or (UVᵀ)V where there are so many components that it is quicker.
    """
    factor, fixed = stack.flat(name), stack.flat(other)
    num = stack.product(other, data)
    if overcomplete(factor, fixed):
        approximation = stack.scratch(f"UV for {name}", (len(factor), fixed.shape[2], factor.shape[2]))
        for _ in range(repeats):
            np.matmul(fixed.transpose(0, 2, 1), factor, out=approximation)
            stack.multiply_ratio(factor, num, stack.combine(fixed, approximation))
    else:
        multiply(stack, name, num, stack.gram_of(other), repeats)


def overcomplete(A: Array, B: Array) -> bool:
    """Whether AᵀB of R × k × p and R × k × q costs less than half of both Gram matrices: k > 2pq/(p + q)."""
    k, p, q = A.shape[1], A.shape[2], B.shape[2]
    return 2 * p * q < k * (p + q)


def squared_error(stack: Stack, exact: bool, U: str = "U", V: str = "V") -> Array:
    """‖X − UVᵀ‖² per restart.

    ‖X‖² − 2⟨XᵀU, V⟩ + ⟨UᵀU, VᵀV⟩ from products at hand; the residual where that cancels or costs less, or
    `exact` is set.
    """
    if not exact and not overcomplete(stack.flat(U), stack.flat(V)):
        value = (
            stack.X_squared - 2 * cross_term(stack, U, V) + inner_product(stack.gram_of(U), stack.gram_of(V))
        )
        if stack.accurate(value, stack.X_squared):
            return value
    return np.array([residual(stack.X, u, v) for u, v in zip(stack.flat(U), stack.flat(V), strict=True)])


def cross_term(stack: Stack, U: str = "U", V: str = "V") -> Array:
    """⟨X, UVᵀ⟩, by the product with X that is at hand."""
    if stack.has_product(V, stack.XT):
        return inner_product(stack.flat(U), stack.product(V, stack.XT))
    return inner_product(stack.flat(V), stack.product(U, stack.X))


def inner_product(A: Array, B: Array) -> Array:
    """Inner product of two stacked matrices per restart; the rows' products are summed in float64."""
    return np.vecdot(A, B).sum(axis=1, dtype=np.float64)


def residual(X: Array, u: Array, v: Array, columns: int = 512) -> float:
    """‖X − uᵀv‖² of one restart (u is k × m, v is k × n), a block of columns at a time."""
    total = 0.0
    for block in blocks(X.shape[1], columns):
        difference = u.T @ v[:, block]
        difference -= X[:, block]
        total += float(np.vecdot(difference, difference).sum(dtype=np.float64))
    return total


def hold_unit_basis(stack: Stack, U: str, V: str) -> None:
    """End a move of the basis with vectors of unit length, the encodings scaled to match; zeros stay."""
    basis = stack[U]
    lengths = np.sqrt(np.einsum("rkm,rkm->rk", basis, basis))[:, :, None]
    lengths[lengths == 0] = 1
    basis /= lengths
    with stack.moving(V):
        encodings = stack[V]
        encodings *= lengths


def unit_columns(U: Array, V: Array) -> Array:
    """Encodings after u ← u/‖u‖, v ← v‖u‖ (U is m × k, V is n × k); a zero column is left alone.

    The product U Vᵀ leaves the scale of U's columns free; this rule, stated by Xu et al. 2003 and Cai et al.
    2011, fixes it before clusters are read.
    """
    return V * column_lengths(U)


def silent_samples(V: Array) -> tuple[str, ...]:
    """A note where samples, the columns of V (k × n), have no code at all."""
    silent = int(np.sum(~V.any(axis=0)))
    return (f"{silent} of {V.shape[1]} samples have an all-zero code",) if silent else ()


def worthwhile_repeats(method: Iterative, problem: Problem) -> dict[str, int]:
    """Updates of two factors per pass, each about half as costly as the product with X it shares, in 2 … 20.

    After Gillis and Glineur 2012.  Per entry of a factor, the product costs 2 flops times the length of the
    other factor, a repeat 2k flops and passes over single entries worth about 30 (measured).  With less than
    two of each, encodings settle at zero before the basis has moved, and the limits are worse.
    """
    axes = method.dimensions(problem)
    lengths = [math.prod(axes[axis] for axis in shape if axis != "k") for shape in method.factors.values()]
    counts = [min(20, max(2, round(1 + other / (2 * problem.k + 30)))) for other in reversed(lengths)]
    return dict(zip(method.factors, counts, strict=True))
