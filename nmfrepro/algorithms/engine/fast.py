"""The fast solver: each factor's quadratic problem by coordinate descent, and whole passes extrapolated.

A pass over X computes the two products with X once and sweeps over the components of a factor several times
while its product holds (Gillis and Glineur, Accelerated multiplicative updates and hierarchical ALS
algorithms for NMF, Neural Computation 24(4), 2012).  Both factors are then carried on a little in the
direction they moved; a pass after which the objective is higher is taken back, and the next one goes without
(Ang and Gillis, Accelerating nonnegative matrix factorization algorithms using extrapolation, Neural
Computation 31(2), 2019).  So the objective never rises, and it stands still only where no component of
either factor can be bettered alone: at the model's own stationary points.

Whatever makes a run take another path raises its number in `nmfrepro.core.problem.SOLVER_REVISIONS`.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from .stack import PerRestart, Stack, diagonal

if TYPE_CHECKING:
    from .base import Iterative
    from .graph import Graph

# Sweeps over the basis and the encodings per pass; fewer or more are slower to the same point (measured).
SWEEPS = (5, 10)
# Rows up to this length: a product with twice as many of them is quicker than a call more (measured).
SHORT = 256
# How far factors are carried on, as a share of their last step: at first; divided by this after a rise; times
# this after a success; and how its bound, which a rise sets to the last share that succeeded, grows back.
FIRST, SHRINK, GROW, GROW_BOUND = 0.5, 1.5, 1.05, 1.01


@dataclass(frozen=True)
class Quadratic:
    """The objective in one factor F ≥ 0 while the other stays, up to a constant and a positive factor.

    ``Σ_i (f_iᵀ A f_i − 2 b_iᵀ f_i) + ⟨ridge, F∘F⟩ + tr(F L Fᵀ)``, F of shape (R, k, p) with columns f_i.  A
    positive weight per column would change nothing here: its b_i is divided by it.

    Attributes
    ----------
    A : ndarray, shape (R, k, k)
        Symmetric, positive semidefinite.
    B : ndarray, shape (R, k, p)
    ridge : ndarray or None
        Broadcast to the shape of F, ≥ 0.
    graph : Graph or None
        Its weights, in L, are already times λ.
    """

    A: np.ndarray
    B: np.ndarray
    ridge: np.ndarray | None = None
    graph: Graph | None = None

    @property
    def uniform(self) -> bool:
        """Whether all columns have the same curvature."""
        return self.ridge is None and self.graph is None

    def curvature(self) -> np.ndarray:
        """Half the bound on every entry's second derivative, (R, k, 1) or (R, k, p); 0: the entry is dead.

        With a graph the samples of a component move together.  Its objective does not rise, since twice this
        bound less the curvature is 2(a_jj I + λE) − (a_jj I + λL) = a_jj I + λ(E + W), positive semidefinite.
        """
        found = diagonal(self.A)
        if self.ridge is not None:
            found = found + self.ridge
        if self.graph is not None:
            found = found + self.graph.degrees
        return found

    def gradient(self, F: np.ndarray, stack: Stack) -> np.ndarray:
        """Half the gradient at F."""
        found = self.A @ F - self.B
        if self.graph is not None:
            found -= self.graph.times(F, stack)
        return found if self.uniform else found + F * (self.curvature() - diagonal(self.A))

    def descend(self, F: np.ndarray, stack: Stack, sweeps: int) -> None:
        """Sweep over the components of F in place, each moved to its best nonnegative value given the others.

        That is ``f_j ← max(0, (b_j − Σ_{i≠j} a_ji f_i) / a_jj)`` for j = 1 … k, f_j and b_j the rows of F and
        B; a ridge and a graph add to a_jj (`curvature`), and a graph's neighbours to b_j once a sweep.

        Parameters
        ----------
        F : ndarray, shape (R, k, p)
            The factor as stacks store it, a component per row; ≥ 0.
        stack : Stack
            Where scratch arrays are, and the smallest a_jj that counts.
        sweeps : int
        """
        restarts, k, p = F.shape
        uniform, curvature = self.uniform, self.curvature()
        inverse = np.divide(1, curvature, out=np.zeros_like(curvature, F.dtype), where=curvature > stack.tiny)
        # Linear terms of short rows stand below F, so that the product with the mixing matrix has them in.
        short = p <= SHORT
        whole = stack.scratch("whole", (restarts, 2 * k, p)) if short else F
        linear = whole[:, k:] if short else stack.scratch("linear", F.shape)
        mixing = np.empty((restarts, k, whole.shape[1]), F.dtype)
        mixing[...] = np.eye(k, whole.shape[1], k)
        np.multiply(self.A, -inverse if uniform else -1, out=mixing[:, :, :k])
        # A component whose partner is zero decides nothing: it stays, and may come back.
        mixing.reshape(restarts, -1)[:, :: whole.shape[1] + 1] = uniform and inverse[:, :, 0] == 0
        np.multiply(self.B, inverse if uniform else 1, out=linear)
        if short:
            whole[:, :k] = F
        if self.graph is not None:
            sweeps += sweeps // 2  # neighbours move together only little by little
        # A sweep is many small calls: without the stack's axis they take 10 to 25 % less (measured).
        one = restarts == 1
        product, state = (np.dot, whole[0]) if one else (np.matmul, whole)
        row, zero = stack.scratch("row", (restarts, 1, p)), np.zeros((1, 1, p), F.dtype)
        row, zero = (row[0, 0], zero[0, 0]) if one else (row, zero)
        rows = list(zip(*(_by_component(each) for each in (mixing, linear, inverse, whole)), strict=False))
        for _ in range(sweeps):
            if self.graph is not None:
                np.add(self.B, self.graph.times(whole[:, :k], stack), out=linear)
            for mix, best, scale, f in rows:
                product(mix, state, out=row)
                if not short:
                    np.add(row, best, out=row)
                if not uniform:
                    np.multiply(row, scale, out=row)
                np.maximum(row, zero, out=f)
        if short:
            F[...] = whole[:, :k]


def _by_component(stacked: np.ndarray) -> Iterable[np.ndarray]:
    """A view of every component's rows: (R, 1, p), or of one restart (p,), which is quicker."""
    return stacked[0] if len(stacked) == 1 else stacked.transpose(1, 0, 2)[:, :, None]


def violation(quadratic: Quadratic, F: np.ndarray, stack: Stack) -> np.ndarray:
    """How far entries are from their own best value, the largest as a share of F's largest, per restart.

    F is (R, k, p), ≥ 0; the answer (R,), 0 at a point of KKT, infinite where F is zero and should not be.
    """
    curvature = quadratic.curvature()
    step = np.divide(
        quadratic.gradient(F, stack), curvature, out=np.zeros_like(F), where=curvature > stack.tiny
    )
    change = np.abs(F - np.maximum(F - step, 0)).max(axis=(1, 2))
    largest = F.max(axis=(1, 2))
    return np.divide(change, largest, out=np.where(change > 0, np.inf, 0.0), where=largest > 0)


@dataclass
class Momentum(PerRestart):
    """What the next pass of every restart needs of those before.

    Attributes
    ----------
    reached : ndarray, shape (R,)
        Objective of the stack's factors.
    share, bound, succeeded : ndarray, shape (R, 1, 1)
        How far a factor is carried on, how far at most, and how far in the last pass that was kept.
    resting : ndarray of bool, shape (R, 1, 1)
        After a rise: the next pass carries nothing on before it has been judged.
    still : ndarray of bool, shape (R, 1, 1)
        Such a pass was taken back, too, so that every further one would be the same.
    moved, ahead : ndarray, shape (R, k, p)
        The basis before it was carried on, and the encodings after.
    """

    reached: np.ndarray
    share: np.ndarray
    bound: np.ndarray
    succeeded: np.ndarray
    resting: np.ndarray
    still: np.ndarray
    moved: np.ndarray
    ahead: np.ndarray


def fast_pass(method: Iterative, stack: Stack, now: Momentum) -> None:
    """Basis, then encodings from where they were carried on to; taken back where the objective rose."""
    first, last = method.factors
    before = {name: stack.flat(name).copy() for name in method.factors}
    with stack.moving(last):
        np.copyto(stack.flat(last), now.ahead)
    _descend(method, stack, first, SWEEPS[0])
    moved = stack.flat(first).copy()
    with stack.moving(first):
        _carry(stack.flat(first), now.moved, np.where(now.resting, 0, now.share))
    _descend(method, stack, last, SWEEPS[1])
    found = _reached(method, stack)
    rose = ~(found <= now.reached)
    if rose.any():
        found[rose], moved[rose] = now.reached[rose], before[first][rose]
        for name, factor in before.items():
            with stack.moving(name):
                stack.flat(name)[rose] = factor[rose]
    np.copyto(now.ahead, stack.flat(last))
    _carry(now.ahead, before[last], now.share)
    now.still = now.resting & rose[:, None, None]
    now.moved, now.reached, now.resting = moved, found, rose[:, None, None]
    succeeded = np.where(now.resting, now.succeeded, now.share)
    now.share = np.where(now.resting, now.share / SHRINK, np.minimum(now.bound, GROW * now.share))
    now.bound = np.where(now.resting, succeeded, np.minimum(1, GROW_BOUND * now.bound))
    now.succeeded = succeeded


def first_momentum(method: Iterative, stack: Stack) -> Momentum:
    """What the first pass after the warm ones begins with."""
    basis, encodings = (stack.flat(name) for name in method.factors)
    share = np.full((stack.restarts, 1, 1), FIRST)
    return Momentum(
        reached=_reached(method, stack),
        share=share,
        bound=np.ones_like(share),
        succeeded=share,
        resting=np.ones(share.shape, dtype=bool),
        still=np.zeros(share.shape, dtype=bool),
        moved=basis.copy(),
        ahead=encodings.copy(),
    )


def _reached(method: Iterative, stack: Stack) -> np.ndarray:
    """What a pass is judged by; in float32 products round by more than a late pass gains."""
    return method.objectives(stack, exact=stack.dtype == np.float32)


def _descend(method: Iterative, stack: Stack, name: str, sweeps: int) -> None:
    quadratic = method.quadratic(stack, name)
    with stack.moving(name):
        quadratic.descend(stack.flat(name), stack, sweeps)


def _carry(factor: np.ndarray, start: np.ndarray, share: np.ndarray) -> None:
    """Carry a factor on by a share of its step from `start`, in place, and keep it >= 0; spoils `start`."""
    np.subtract(factor, start, out=start)
    start *= share.astype(factor.dtype)
    factor += start
    np.maximum(factor, 0, out=factor)


def kkt(method: Iterative, stack: Stack) -> dict[str, np.ndarray]:
    """How far the factors are from a stationary point, by factor and restart: see `violation`."""
    return {
        name: violation(method.quadratic(stack, name), stack.flat(name), stack) for name in method.factors
    }
