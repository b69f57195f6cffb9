"""NMF with sparseness constraints."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..core.errors import Setting, SpecError
from ..core.options import option
from ..core.problem import Problem
from .engine.base import Look
from .engine.hoyer import l1_norm, with_norms
from .engine.multiplicative import TwoFactor, lee_seung
from .engine.plain import Array, Factors, ratio
from .engine.stack import PerRestart, Stack

GROWTH = 1.2
# After so many halvings a step falls back to 1/λmax at the latest: the other factor has changed its scale.
FALL_BACK = 4
# Trials within one iteration before a block sits it out.  V cannot rise at 1/λmax, so that what still does
# is rounding; U can.
TRIALS = {"U": 10, "V": FALL_BACK + 1}
# No step is longer than this over the largest diagonal entry of the Gram matrix (k = 1 accepts any step).
LONGEST = 1e6


def _sparseness(factor: str) -> Any:
    help = f"sparseness of the columns of {factor}; null: free (one of the two is needed)"
    return option(None, low=0, high=1, choices=("balanced",), help=help)


@dataclass
class Steps(PerRestart):
    """The step t of each factor, shape (R,); 0 stands for 1/λmax, where none was found before."""

    U: Array
    V: Array


@dataclass(frozen=True)
class NMFSC(TwoFactor):
    """NMF whose basis vectors, encodings, or both have a given sparseness.

    X ≈ UVᵀ with U (m × k) and V (n × k) ≥ 0, where each column u of U (d = m) or v of V (d = n) satisfies
    (√d − L1/L2)/(√d − 1) = its sparseness, and columns of a constrained V have unit length.  The step t of a
    constrained factor starts at 1/λmax of the other factor's Gram matrix, is halved until the objective does
    not rise, and grows by 1.2 after every step.  A block that finds no step sits the iteration out.

    The sparseness "balanced" is that of k hard clusters of equal size, (1 − 1/√k)/(1 − 1/√d).
    """

    name = "nmf_sc"
    title = "NMF-SC"
    paper = (
        "Hoyer, Non-negative matrix factorization with sparseness constraints, "
        "J. Machine Learning Research 5, 2004"
    )
    cites = ("hoyer2004nmfsc",)
    look = Look(colour="purple", marker="v", dash="-.")
    example = {"sparseness_v": 0.5}
    objective_text = "‖X − UVᵀ‖² with columns of U and/or V of given sparseness  (no ½)"
    uncertain = (
        "Which factor the NLCF paper constrains, and how sparse, is not stated: its text speaks of the "
        "encodings, hence sparseness_v. One number cannot suit every k; balanced follows k.",
        "A constrained u keeps its length: the length after the gradient step, as Hoyer's program has it, "
        "since the length before it would never change. Then even t = 1/λmax may raise O, hence the halving.",
        "Hoyer's program starts t at 1 and ends when one block finds no step although the other may; here "
        "that block sits out and begins again at 1/λmax.",
        "The paper moves U first, Hoyer's program V (order: VU).",
        "The method that the TNMF paper calls NNSC is this one.",
    )
    stacked = True

    sparseness_u: float | str | None = _sparseness("U")
    sparseness_v: float | str | None = _sparseness("V")

    def __post_init__(self) -> None:
        if self.sparseness_u is None and self.sparseness_v is None:
            two = (Setting("sparseness_u"), " or ", Setting("sparseness_v"))
            raise SpecError("give ", *two, ", a number in [0, 1] or 'balanced'")

    def check_problem(self, problem: Problem) -> None:
        """One number has no sparseness."""
        for wanted, d, what in (
            (self.sparseness_u, problem.m, "sparseness_u needs more than one feature"),
            (self.sparseness_v, problem.n, "sparseness_v needs more than one sample"),
        ):
            if wanted is not None and d == 1:
                raise SpecError(f"nmf_sc: {what}")

    def constraint(self, name: str, problem: Problem) -> float | None:
        """L1 over L2 norm of the columns of factor `name`, None where it is free."""
        wanted, d = (self.sparseness_u, problem.m) if name == "U" else (self.sparseness_v, problem.n)
        if wanted is None:
            return None
        if isinstance(wanted, str):
            wanted = (1 - problem.k**-0.5) / (1 - d**-0.5)
        return l1_norm(wanted, d)

    def start(self, problem: Problem, name: str, seed: int, restart: int) -> Array:
        """Random positive; columns of a constrained U keep their length, those of V get length one."""
        factor = super().start(problem, name, seed, restart)
        l1 = self.constraint(name, problem)
        if l1 is None:
            return factor
        length = np.linalg.norm(factor, axis=0) if name == "U" else np.ones(problem.k)
        return with_norms(factor.T, l1, length).T

    def given(self, problem: Problem) -> dict[str, Any]:
        """X, and for each factor its L1 over L2 norm, None where it is free, and its step t, 0 at first."""
        l1 = {name: self.constraint(name, problem) for name in self.factors}
        return {"X": problem.X, "l1": l1, "t_U": 0.0, "t_V": 0.0}

    def update(
        self, X: Array, l1: dict[str, float | None], t_U: float, t_V: float, U: Array, V: Array
    ) -> tuple[Any, ...]:
        """The program's two steps; what is not constrained moves as in NMF."""
        U, t_U = self.moved("U", U, X @ V, V.T @ V, l1["U"], t_U)
        V, t_V = self.moved("V", V, X.T @ U, U.T @ U, l1["V"], t_V)
        return U, V, {"t_U": t_U, "t_V": t_V}

    def moved(
        self, name: str, F: Array, product: Array, A: Array, l1: float | None, t: float
    ) -> tuple[Array, float]:
        """F ← P(F − t (F A − product)), P the nearest vectors with the norms asked for; else as in NMF.

        With it the step t of the next iteration; 0 stands for 1/λmax.
        """
        if l1 is None:
            return F * ratio(product, F @ A), t
        G, safe = F @ A - product, float(_safe_step(A[None])[0])
        t = min(t or safe, LONGEST / max(np.diag(A).max(), np.finfo(A.dtype).tiny))
        for halvings in range(1, TRIALS[name] + 1):
            moved = self._projected(name, (F - t * G).T, l1).T
            D = moved - F
            if np.sum((2 * G + D @ A) * D) <= 0:  # O(F + D) − O(F)
                return moved, t * GROWTH
            t /= 2
            if halvings == FALL_BACK:
                t = min(t, safe)
        return F, 0.0

    def objective(
        self, X: Array, l1: dict[str, float | None], t_U: float, t_V: float, U: Array, V: Array
    ) -> float:
        """‖X − UVᵀ‖²."""
        return float(np.sum((X - U @ V.T) ** 2))

    def prepare(self, stack: Stack) -> Steps:
        """Of 1/λmax."""
        return Steps(np.zeros(stack.restarts), np.zeros(stack.restarts))

    def auto_inner(self, problem: Problem) -> dict[str, int]:
        """Four steps of each: each costs as much as its product with X, yet four were seen to pay by half."""
        return {"U": 4, "V": 4}

    def update_U(self, stack: Stack, repeats: int) -> None:
        """Projected gradient steps if U is constrained, else NMF's rule."""
        self._move(stack, "U", "V", stack.XT, repeats)

    def update_V(self, stack: Stack, repeats: int) -> None:
        """Projected gradient steps if V is constrained, else NMF's rule."""
        self._move(stack, "V", "U", stack.X, repeats)

    def _move(self, stack: Stack, name: str, other: str, data: Array, repeats: int) -> None:
        """`repeats` projected steps of one factor, each restart with the step length that suits it."""
        steps: Steps = stack.state
        l1 = stack.given["l1"][name]
        if l1 is None:
            return lee_seung(stack, name, other, data, repeats)
        product, gram = stack.product(other, data), stack.gram_of(other)
        factor, step = stack[name], steps.U if name == "U" else steps.V
        longest = LONGEST / np.maximum(np.einsum("rkk->rk", gram).max(axis=1), stack.tiny)
        for _ in range(repeats):
            gradient = np.subtract(
                stack.combine(gram, factor), product, out=stack.scratch(f"G_{name}", factor.shape)
            )
            new = step == 0
            step[new] = _safe_step(gram[new])
            np.minimum(step, longest, out=step)
            waiting = np.arange(stack.restarts)
            for halvings in range(1, TRIALS[name] + 1):
                before, slope, A = factor[waiting], gradient[waiting], gram[waiting]
                trial = self._projected(
                    name, before - step[waiting, None, None].astype(stack.dtype) * slope, l1
                )
                D = trial - before
                # O(F + D) − O(F) = 2⟨G, D⟩ + ⟨A D, D⟩, without cancellation
                change = np.matmul(A, D)
                change += 2 * slope
                better = np.einsum("rkd,rkd->r", change, D, dtype=np.float64) <= 0
                factor[waiting[better]] = trial[better]
                step[waiting[better]] *= GROWTH
                waiting = waiting[~better]
                if not len(waiting):
                    break
                step[waiting] /= 2
                if halvings == FALL_BACK:
                    step[waiting] = np.minimum(step[waiting], _safe_step(gram[waiting]))
            step[waiting] = 0

    def _projected(self, name: str, moved: Array, l1: float) -> Array:
        rows = moved.reshape(-1, moved.shape[-1])
        length = np.linalg.norm(rows, axis=1) if name == "U" else np.ones(len(rows), moved.dtype)
        return with_norms(rows, l1, length).reshape(moved.shape)

    def notes(self, factors: Factors, problem: Problem) -> tuple[str, ...]:
        """Zero columns of the basis."""
        dead = int(np.sum(~factors["U"].any(axis=0)))
        return (f"{dead} of {problem.k} basis columns are zero",) if dead else ()


def _safe_step(gram: Array) -> Array:
    """1/λmax of each Gram matrix: the step that cannot overshoot; 0 where the other factor is zero."""
    largest = np.linalg.eigvalsh(gram.astype(np.float64))[:, -1]
    return np.divide(1.0, largest, out=np.zeros_like(largest), where=largest > 0)
