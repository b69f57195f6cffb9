"""Topographic NMF: encodings pooled into groups."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ..core.errors import Setting, SpecError
from ..core.options import option
from ..core.problem import FitSettings, Problem
from .engine.base import Iterative, Look
from .engine.fast import Quadratic
from .engine.multiplicative import hold_unit_basis, lee_seung, squared_error, unit_columns
from .engine.plain import Array, ratio, unit
from .engine.stack import Stack


@dataclass(frozen=True)
class TNMF(Iterative):
    """Topographic nonnegative matrix factorization: NMF with pooled, group-wise encodings.

    X ≈ WSᵀ with W (m × t) and S (n × t) ≥ 0; H (t × t) ≥ 0 are the pooling weights.  With H all ones, the
    paper's choice, the columns of P are equal: the penalty is λt Σ_j sqrt(ε + ‖s_j‖²), a smoothed group lasso
    on whole samples, and there is no topography.
    """

    name = "tnmf"
    paper = (
        "Xiao, Zhu, Zhao, Wei, Wei and Li, Topographic NMF for data representation, IEEE Trans. Cybernetics "
        "44(10), 2014"
    )
    cites = ("xiao2014tnmf",)
    look = Look(colour="vermillion", marker="*", dash="-")
    example = {"lam": 0.05}
    objective_text = "‖X − WSᵀ‖² + λ Σ_j Σ_l sqrt(ε + Σ_h H_lh s_jh²)  (no ½)"
    uncertain = (
        "The problem has no minimiser: (cW, S/c) with growing c keeps the fit and lowers the penalty, so λ "
        "acts only through the number of iterations, which is part of the method (tol must be 0).",
        "λ is 10 on ORL, 100 on Caltech-101 and 0.01 on Yale, with a pixel scale that is not stated, and "
        "without which λ means nothing.",
        "ε is called small without a value; 1e-5 is ours.",
        "Lemma 2 takes a second-order expansion as exact although the penalty is not quadratic; the theorem "
        "(the objective never rises) is true all the same.",
        "unit_columns keeps the columns of W at unit length, which gives λ a meaning; it is not in the paper "
        "and the objective may then rise.",
    )
    fixed_budget = True
    basis = "W"
    factors = {"W": ("m", "k"), "S": ("n", "k")}
    roles = {"W": "basis", "S": "encodings"}
    stacked = True

    lam: float = option(
        low=0, help="weight λ of the pooled penalty, on ORL 10 in the paper; it depends on the pixel scale"
    )
    epsilon: float = option(1e-5, low=0, open_low=True, help="ε, which smooths the square roots")
    pooling: tuple[tuple[float, ...], ...] | None = option(
        None, low=0, help="pooling weights H, a k × k matrix row by row; null: all ones"
    )
    unit_columns: bool = option(
        False, help="keep the columns of W at unit length, the encodings scaled to match"
    )

    def check_problem(self, problem: Problem) -> None:
        """H must be k × k."""
        if self.pooling is not None and {len(self.pooling), *map(len, self.pooling)} != {problem.k}:
            raise SpecError(f"tnmf: pooling must be a {problem.k} × {problem.k} matrix, as k = {problem.k}")

    def given(self, problem: Problem) -> dict[str, Any]:
        """X and H."""
        pooling = np.ones((problem.k, problem.k)) if self.pooling is None else np.array(self.pooling)
        return {"X": problem.X, "H": pooling.astype(problem.X.dtype)}

    def update(self, X: Array, H: Array, W: Array, S: Array) -> tuple[Array, ...]:
        """Eq. 12 and 13."""
        W = W * ratio(X @ S, W @ (S.T @ S))
        if self.unit_columns:
            W, S = unit(W, axis=0), unit_columns(W, S)
        P = np.sqrt(self.epsilon + S**2 @ H.T)
        S = S * ratio(X.T @ W, S @ (W.T @ W) + 0.5 * self.lam * S * ((1 / P) @ H))
        return W, S

    def objective(self, X: Array, H: Array, W: Array, S: Array) -> float:
        """Eq. 15."""
        return float(np.sum((X - W @ S.T) ** 2) + self.lam * np.sum(np.sqrt(self.epsilon + S**2 @ H.T)))

    def check_settings(self, settings: FitSettings) -> None:
        """The fast solver does not rescale W."""
        if self.unit_columns and settings.solver == "fast":
            what = (Setting("unit_columns"), " rescales W in every printed update; use ")
            raise SpecError("tnmf: ", *what, Setting("solver", "printed"))

    def update_W(self, stack: Stack, repeats: int) -> None:
        """Eq. 12."""
        lee_seung(stack, "W", "S", stack.XT, repeats)
        if self.unit_columns:
            hold_unit_basis(stack, "W", "S")

    def update_S(self, stack: Stack, repeats: int) -> None:
        """Eq. 13; the pooled term is added to the denominator in place."""
        S, XW = stack["S"], stack.product("W", stack.X)
        WW, work = stack.gram_of("W"), stack.scratch("pooled", S.shape)
        for _ in range(repeats):
            den = stack.combine(WW, S)
            den += np.multiply(S, self._weight(stack, S, work), out=work)
            stack.multiply_ratio(S, XW, den)

    def _weight(self, stack: Stack, S: Array, work: Array) -> Array:
        """½λ (1/P)H: `work`, of the shape of S, (R, t, n), or an (R, 1, n) where its columns are equal."""
        weight = self._pooled(stack, S, work)
        np.divide(0.5 * self.lam, weight, out=weight)
        if self.pooling is None:
            weight *= S.shape[1]
            return weight
        return np.matmul(stack.given["H"].T, weight, out=work)

    def _pooled(self, stack: Stack, S: Array, work: Array) -> Array:
        """P, of shape (R, t, n), or (R, 1, n) where its columns are equal, another array than `work`."""
        squares = np.multiply(S, S, out=work)
        if self.pooling is None:
            shape = (len(S), 1, S.shape[2])
            P = np.sum(squares, axis=1, keepdims=True, out=stack.scratch("P", shape))
        else:
            P = np.matmul(stack.given["H"], squares, out=stack.scratch("P", S.shape))
        P += self.epsilon
        return np.sqrt(P, out=P)

    def quadratic(self, stack: Stack, name: str) -> Quadratic:
        """In W NMF's; in S with every root bounded by its tangent in the squares, as in eq. 13."""
        S = stack["S"]
        other, data = ("S", stack.XT) if name == "W" else ("W", stack.X)
        fit = Quadratic(stack.gram_of(other), stack.product(other, data))
        return fit if name == "W" else replace(fit, ridge=self._weight(stack, S, np.empty_like(S)).copy())

    def objectives(self, stack: Stack, exact: bool) -> Array:
        """Eq. 15."""
        S = stack["S"]
        columns = S.shape[1] if self.pooling is None else 1
        P = self._pooled(stack, S, stack.scratch("pooled", S.shape))
        penalty = columns * P.sum(axis=(1, 2), dtype=np.float64)
        return squared_error(stack, exact, "W", "S") + self.lam * penalty
