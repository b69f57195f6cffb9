"""Mathematics shared by the methods with the generalised Kullback–Leibler divergence.

The quotients R = X ⊘ Y need Y = UVᵀ in full.  They are computed a block at a time for one restart after the
other, so that a block stays in the processor's cache and nothing of X's size is stored.
"""

from collections.abc import Iterator

import numpy as np

from .plain import NEGLIGIBLE, Array
from .stack import Stack, blocks

# Numbers in one block of Y: 2 MB in float64.
BLOCK = 1 << 18


def move(stack: Stack, name: str, other: str, data: Array, sums: Array, repeats: int) -> None:
    """F ← F ⊙ (`other` (data ⊘ Y)) ⊘ sums for the factor F called `name`, with Y = `other`ᵀF anew every time.

    `data` is Xᵀ for the basis, X for the encodings.
    """
    factor, floor = stack[name], lowest(stack)
    num = stack.scratch(name, factor.shape)
    for _ in range(repeats):
        for u, v, total in zip(factor, stack[other], num, strict=True):
            total[...] = 0
            for rows in _blocks(data):
                block = data[rows]
                Y = np.matmul(v[:, rows].T, u, out=stack.scratch(f"Y{block.shape}", block.shape))
                np.maximum(Y, floor, out=Y)
                np.divide(block, Y, out=Y)
                total += v[:, rows] @ Y
        stack.multiply_ratio(factor, num, sums)


def lowest(stack: Stack) -> float:
    """What an entry of Y is lifted to: negligible beside the data, and no quotient by it overflows.

    Where y = 0 the quotient only meets factors that are zero; where x = 0 too, 0/0 = 0.
    """
    return max(stack.X_largest * NEGLIGIBLE[stack.dtype], stack.tiny)


def of_data(X: Array) -> float:
    """Σ x log x − x, what the divergence has of X alone."""
    with np.errstate(divide="ignore", invalid="ignore"):
        entropy = np.sum(np.where(X > 0, X * np.log(X), 0), dtype=np.float64)
    return float(entropy) - float(X.sum(dtype=np.float64))


def divergence(stack: Stack, exact: bool, U: Array, V: Array, X: Array, constant: float) -> Array:
    """Σ x log(x/y) − x + y per restart, Y = UVᵀ; infinite where x > 0 = y.

    Parameters
    ----------
    exact : bool
        Sum x log(x/y) − x + y entry by entry (each is ≥ 0); else −Σ x log y and the sums apart, entry by
        entry only where that cancels.
    U, V : ndarray, shape (R, k, m), (R, k, n)
    X : ndarray, shape (m, n)
    constant : float
        `of_data` of X.
    """
    if not exact:
        # ΣY from column sums.
        total = np.einsum("rk,rk->r", U.sum(axis=2, dtype=np.float64), V.sum(axis=2, dtype=np.float64))
        values = constant + total
        for r, (u, v) in enumerate(zip(U, V, strict=True)):
            values[r] -= sum(_x_log_y(stack, X[rows], u[:, rows].T @ v) for rows in _blocks(X))
        if stack.accurate(values, X.sum(dtype=np.float64)):
            return values
    return np.array(
        [sum(_termwise(X[rows], u[:, rows].T @ v) for rows in _blocks(X)) for u, v in zip(U, V, strict=True)]
    )


def _x_log_y(stack: Stack, x: Array, y: Array) -> float:
    np.maximum(y, lowest(stack), out=y)
    return float(np.einsum("ij,ij->", x, np.log(y, out=y), dtype=np.float64))


def _termwise(x: Array, y: Array) -> float:
    """Σ x log(x/y) − x + y of one block in float64.

    log1p keeps what x ≈ y would cancel; for x far below y its argument would round to −1.
    """
    x, y = x.astype(np.float64), y.astype(np.float64)
    if np.any((x > 0) & (y == 0)):
        return np.inf
    excess = x - y
    relative = np.divide(excess, y, out=np.zeros_like(y), where=x > 0)
    quotient = np.divide(x, y, out=np.ones_like(y), where=x > 0)
    logarithm = np.where(np.abs(relative) < 0.5, np.log1p(np.maximum(relative, -0.5)), np.log(quotient))
    return float(np.sum(x * logarithm - excess))


def _blocks(data: Array) -> Iterator[slice]:
    """Slices of rows with about `BLOCK` numbers each."""
    return blocks(len(data), max(1, BLOCK // data.shape[1]))
