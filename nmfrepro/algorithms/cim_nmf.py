"""Robust NMF with the correntropy induced metric."""

from dataclasses import dataclass

import numpy as np

from ..core.errors import Setting, SpecError
from ..core.options import option
from ..core.problem import FitSettings, Problem
from .engine.base import FreeScale, Look
from .engine.plain import Array, Factors, ratio
from .engine.stack import Stack

# Below this share of its largest possible value, m·n, the objective is summed without cancellation.
CANCELLED = 1e-4


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
    stacked = True

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
        Q = np.exp(-self._squares_over_width(X, U @ V.T))
        U = U * ratio((Q * X) @ V, (Q * (U @ V.T)) @ V)
        V = V * ratio((Q * X).T @ U, (Q * (U @ V.T)).T @ U)
        return U, V

    def objective(self, X: Array, U: Array, V: Array) -> float:
        """Σ (1 − exp(−e²/2σ²))."""
        return float(-np.sum(np.expm1(-self._squares_over_width(X, U @ V.T))))

    def _squares_over_width(self, X: Array, UV: Array) -> Array:
        """E∘E/2σ², 2σ² = ‖E‖²/mn unless given, for one or more UVᵀ; 0 for a perfect fit."""
        squares = np.subtract(X, UV)
        squares *= squares
        widths = squares.mean(axis=(-2, -1), keepdims=True) if self.sigma is None else 2 * self.sigma**2
        squares /= np.where(widths > 0, widths, 1).astype(squares.dtype)
        return squares

    def stack_limit(self, problem: Problem) -> int:
        """One restart after the other, whose arrays of the size of X are best kept few."""
        return 1

    def prepare(self, stack: Stack) -> Array:
        """Q of the starting factors, (R, m, n)."""
        scaled = self._squares_over_width(stack.X, self._approximations(stack))
        return np.exp(np.negative(scaled, out=scaled), out=scaled)

    def end_pass(self, stack: Stack) -> None:
        """Q of the next iteration."""
        stack.state = self.prepare(stack)

    def _approximations(self, stack: Stack) -> Array:
        """UVᵀ of every restart, (R, m, n)."""
        return stack.kept("UV", ("U", "V"), lambda: np.matmul(stack["U"].transpose(0, 2, 1), stack["V"]))

    def update_U(self, stack: Stack, repeats: int) -> None:
        """U ← U ⊙ (Q∘X)V ⊘ (Q∘UVᵀ)V."""
        Q, V = stack.state, stack["V"]
        num = np.matmul(V, (Q * stack.X).transpose(0, 2, 1))
        for _ in range(repeats):
            den = np.matmul(V, (Q * self._approximations(stack)).transpose(0, 2, 1))
            stack.multiply_ratio(stack["U"], num, den)

    def update_V(self, stack: Stack, repeats: int) -> None:
        """V ← V ⊙ (Q∘X)ᵀU ⊘ (Q∘UVᵀ)ᵀU."""
        Q, U = stack.state, stack["U"]
        num = np.matmul(U, Q * stack.X)
        for _ in range(repeats):
            stack.multiply_ratio(stack["V"], num, np.matmul(U, Q * self._approximations(stack)))

    def objectives(self, stack: Stack, exact: bool) -> Array:
        """Σ (1 − Q), Q being that of the current factors."""
        values = stack.X.size - stack.state.sum(axis=(1, 2), dtype=np.float64)
        if exact or np.any(values < CANCELLED * stack.X.size):
            scaled = self._squares_over_width(stack.X, self._approximations(stack))
            values = -np.expm1(-scaled).sum(axis=(1, 2), dtype=np.float64)
        return values

    def notes(self, factors: Factors, problem: Problem) -> tuple[str, ...]:
        """How many samples and pixels that are not zero have no row of a factor."""
        found = []
        for factor, data, what in (("V", problem.X.T, "samples"), ("U", problem.X, "pixels")):
            if lost := int(np.sum(data.any(axis=1) & ~factors[factor].any(axis=1))):
                found.append(f"{lost} of {len(data)} {what} are not zero, but count as outliers throughout")
        return tuple(found)
