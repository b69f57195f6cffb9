"""Robust NMF with the correntropy induced metric."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from ..core.errors import Setting, SpecError
from ..core.options import option
from ..core.problem import FitSettings, Problem
from .engine.base import FreeScale, Look
from .engine.plain import Array, Factors, ratio
from .engine.stack import WORK_BYTES, PerRestart, Stack, blocks

# Work on the m × n arrays goes through this many bytes at a time, which stay in the cache.
BLOCK_BYTES = 2**19
# Below this share of its largest possible value, m·n, the objective is summed without cancellation.
CANCELLED = 1e-4


@dataclass
class Weights(PerRestart):
    """What the updates of an iteration share.

    Attributes
    ----------
    Q : ndarray, shape (R, m, n)
        exp(−E∘E/2σ²) of the factors at the beginning of the iteration.
    width : ndarray, shape (R,)
        The 2σ² in it.
    UV : ndarray, shape (R, m, n)
        UVᵀ of the factors as they are, where `current` says so, else of earlier ones.
    current : ndarray of bool, shape (R,)
    """

    Q: Array
    width: Array
    UV: Array
    current: Array


@dataclass(frozen=True)
class CIMNMF(FreeScale):
    """Robust NMF with the correntropy induced metric: entries far off the fit hardly count.

    X ≈ UVᵀ with U (m × k) and V (n × k) ≥ 0.  The kernel width is renewed in every iteration unless it is
    given.  At a fixed width the objective never rises; with a renewed one it is another objective every time
    and can.
    """

    name = "cim_nmf"
    title = "CIM-NMF"
    paper = (
        "Du, Li and Shen, Robust nonnegative matrix factorization via half-quadratic minimization, ICDM 2012"
    )
    cites = ("du2012cim",)
    look = Look(colour="green", marker="^", dash="-.")
    objective_text = "Σ_ij (1 − exp(−(X − UVᵀ)_ij² / 2σ²)), σ² = ‖X − UVᵀ‖²/2mn unless given"
    uncertain = (
        "That σ is renewed in every iteration, and so, matches a public program and related papers (75 %); "
        "the original could not be had.",
        "With renewed σ the objectives of two restarts are not comparable and need not fall: only "
        "restarts: 1 and tol: 0 are allowed then. Give sigma for more.",
        "A sample or pixel whose weights all underflow gets a zero row for good; they are counted in the "
        "notes.",
        "The variant with one weight per pixel is left out.",
    )
    monotone = False
    basis = "U"
    factors = {"U": ("m", "k"), "V": ("n", "k")}

    sigma: float | None = option(
        None, low=0, open_low=True, help="kernel width σ in units of X; null: renewed in every iteration"
    )

    def check_settings(self, settings: FitSettings) -> None:
        """An adaptive width allows neither choosing among restarts nor a tolerance."""
        for refused, why, use in (
            (settings.restarts > 1, "objectives of restarts are not comparable", Setting("restarts", 1)),
            (settings.tol > 0, "objective need not fall", Setting("tol", 0)),
        ):
            if self.sigma is None and refused:
                what = f"cim_nmf: with an adaptive width the {why}; use "
                raise SpecError(what, use, " or give ", Setting("sigma"))

    def update(self, X: Array, U: Array, V: Array) -> tuple[Array, ...]:
        """Q and its width are those of the factors at the beginning of the iteration."""
        Q = np.exp(-self._squares_over_width(X, U, V))
        U = U * ratio((Q * X) @ V, (Q * (U @ V.T)) @ V)
        V = V * ratio((Q * X).T @ U, (Q * (U @ V.T)).T @ U)
        return U, V

    def objective(self, X: Array, U: Array, V: Array) -> float:
        """Σ (1 − exp(−e²/2σ²))."""
        return float(-np.sum(np.expm1(-self._squares_over_width(X, U, V))))

    def _squares_over_width(self, X: Array, U: Array, V: Array) -> Array:
        """E∘E/2σ², 2σ² = ‖E‖²/mn unless given; 0 for a perfect fit."""
        squares = (X - U @ V.T) ** 2
        return ratio(squares, np.asarray(squares.mean() if self.sigma is None else 2 * self.sigma**2))

    def stack_limit(self, problem: Problem) -> int:
        """Two arrays of the size of X per restart."""
        return max(1, WORK_BYTES // (2 * problem.X.nbytes))

    def prepare(self, stack: Stack) -> Weights:
        """Those of the starting factors."""
        restarts, shape = stack.restarts, (stack.restarts, *stack.X.shape)
        Q, UV = np.empty(shape, stack.dtype), np.empty(shape, stack.dtype)
        weights = Weights(Q, np.empty(restarts), UV, np.empty(restarts, dtype=bool))
        self._weigh(stack, weights)
        return weights

    def end_pass(self, stack: Stack) -> None:
        """The weights of the next iteration."""
        self._weigh(stack, stack.state)

    def _weigh(self, stack: Stack, weights: Weights) -> None:
        """UVᵀ, and Q = exp(−E∘E/2σ²) with the width that goes with it."""
        for restart, (U, V, Q, UV) in enumerate(_each(stack, weights)):
            total = 0.0
            for rows in _blocks(stack):
                np.matmul(U[:, rows].T, V, out=UV[rows])
                np.subtract(stack.X[rows], UV[rows], out=Q[rows])
                if self.sigma is None:
                    total += float(np.einsum("ij,ij->", Q[rows], Q[rows], dtype=np.float64))
            width = total / stack.X.size if self.sigma is None else 2 * self.sigma**2
            weights.width[restart] = width
            for rows in _blocks(stack):
                Q[rows] *= Q[rows]
                # A perfect fit has width 0, and then all weights are 1.
                Q[rows] *= -1 / width if width > 0 else 0
                np.exp(Q[rows], out=Q[rows])
        weights.current[:] = True

    def update_U(self, stack: Stack, repeats: int) -> None:
        """For all restarts, a block of rows of X at a time."""
        self._move(stack, "U", repeats)

    def update_V(self, stack: Stack, repeats: int) -> None:
        """For all restarts, a block of rows of X at a time."""
        self._move(stack, "V", repeats)

    def _move(self, stack: Stack, name: str, repeats: int) -> None:
        weights: Weights = stack.state
        factor = stack[name]
        num, den = (stack.scratch(f"{part} {name}", factor.shape) for part in ("num", "den"))
        num[...] = 0
        for repeat in range(repeats):
            den[...] = 0
            for restart, (U, V, Q, UV) in enumerate(_each(stack, weights)):
                for rows in _blocks(stack):
                    if not weights.current[restart]:
                        np.matmul(U[:, rows].T, V, out=UV[rows])
                    weighted = stack.scratch(f"block{Q[rows].shape}", Q[rows].shape)
                    for total, data in ((num, stack.X), (den, UV))[min(repeat, 1) :]:
                        np.multiply(Q[rows], data[rows], out=weighted)
                        if name == "U":
                            np.matmul(V, weighted.T, out=total[restart][:, rows])
                        else:
                            total[restart] += U[:, rows] @ weighted
            stack.multiply_ratio(factor, num, den)
            weights.current[:] = False

    def objectives(self, stack: Stack, exact: bool) -> Array:
        """Σ (1 − Q) for the last weights, which are those of the current factors."""
        weights: Weights = stack.state
        values = stack.X.size - weights.Q.sum(axis=(1, 2), dtype=np.float64)
        if exact or np.any(values < CANCELLED * stack.X.size):
            values[:] = 0
            for restart, (UV, width) in enumerate(zip(weights.UV, weights.width, strict=True)):
                for rows in _blocks(stack):
                    difference = (stack.X[rows] - UV[rows]).astype(np.float64)
                    difference *= difference
                    difference *= -1 / width if width > 0 else 0
                    values[restart] -= np.expm1(difference, out=difference).sum()
        return values

    def notes(self, factors: Factors, problem: Problem) -> tuple[str, ...]:
        """How many samples and pixels that are not zero have no row of a factor."""
        found = []
        for factor, data, what in (("V", problem.X.T, "samples"), ("U", problem.X, "pixels")):
            if lost := int(np.sum(data.any(axis=1) & ~factors[factor].any(axis=1))):
                found.append(f"{lost} of {len(data)} {what} are not zero, but count as outliers throughout")
        return tuple(found)


def _each(stack: Stack, weights: Weights) -> Iterator[tuple[Array, ...]]:
    """U, V, Q and UVᵀ of one restart after the other."""
    return zip(stack["U"], stack["V"], weights.Q, weights.UV, strict=True)


def _blocks(stack: Stack) -> Iterator[slice]:
    """Slices of rows of X of about `BLOCK_BYTES` each."""
    rows, columns = stack.X.shape
    return blocks(rows, max(1, BLOCK_BYTES // (columns * stack.X.itemsize)))
