"""The L2,1 loss Σ_j ‖x_j − Wh_j‖, whose outlying samples count by their distance and not its square.

With weights d_j = 1/‖x_j − Wh_j‖ from the current factors, ½ Σ_j d_j ‖x_j − Wh_j‖² touches the loss from
above (up to a constant), so what lowers that weighted squared error lowers the loss.
"""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ...core.problem import Problem
from .base import FreeScale
from .multiplicative import multiply, silent_samples
from .plain import Array, Factors
from .stack import PerRestart, Stack, blocks

# Residuals below this share of the mean sample length count as this long, else a perfectly fitted sample
# would have infinite weight.
FLOOR = {np.dtype("float64"): 1e-10, np.dtype("float32"): 1e-5}
# Below this share of ‖x_j‖² a squared residual from Gram matrices has cancelled too far to serve as weight.
CANCELLED_COLUMN = {np.dtype("float64"): 1e-4, np.dtype("float32"): 3e-3}


@dataclass
class Columns(PerRestart):
    """What the updates need of every sample x_j.

    Attributes
    ----------
    squared : ndarray, shape (n,)
        ‖x_j‖², in float64.
    floor : float
        The length that a shorter residual counts as.
    lengths : ndarray, shape (R, n)
        ‖x_j − Wh_j‖ of the factors at the beginning of the iteration, in float64.
    d : ndarray, shape (R, 1, n)
        Their weights, 1 / max(‖x_j − Wh_j‖, floor).
    """

    squared: Array
    floor: float
    lengths: Array
    d: Array

    def drop_stopped(self, running: Array) -> None:
        """Lengths and weights of the restarts that go on."""
        self.lengths, self.d = self.lengths[running], self.d[running]


@dataclass(frozen=True)
class ColumnRobust(FreeScale):
    """A method whose fit term is Σ_j ‖x_j − Wh_j‖ (not squared, no ½); `basis` and `codes` name W and H.

    The weights are renewed once per iteration, from the factors at its beginning.
    """

    basis: ClassVar[str]
    codes: ClassVar[str]
    stacked: ClassVar[bool] = True

    def prepare(self, stack: Stack) -> Columns:
        """The first weights are those of the starting factors."""
        squared = np.einsum("nm,nm->n", stack.XT, stack.XT, dtype=np.float64)
        mean = float(np.sqrt(squared).mean())
        return self._columns(stack, squared, FLOOR[stack.dtype] * mean if mean > 0 else 1.0)

    def end_pass(self, stack: Stack) -> None:
        """The weights of the next iteration."""
        stack.state = self._columns(stack, stack.state.squared, stack.state.floor)

    def _columns(self, stack: Stack, squared: Array, floor: float) -> Columns:
        """D of the factors as they are."""
        lengths = self.residual_lengths(stack, squared)
        d = 1 / np.maximum(lengths, floor)
        return Columns(squared, floor, lengths, d.astype(stack.dtype, copy=False)[:, None])

    def weighted_products(self, stack: Stack) -> tuple[Array, Array]:
        """XDHᵀ, (R, k, m), and HDHᵀ, (R, k, k), for the basis."""
        H = stack[self.codes]
        K = np.multiply(H, stack.state.d, out=stack.scratch("K", H.shape))
        XK = stack.times(K, stack.XT, "XK")
        return XK, np.matmul(K, H.transpose(0, 2, 1), out=stack.scratch("HK", (*H.shape[:2], H.shape[1])))

    def move_codes(self, stack: Stack, repeats: int, gamma: float | Array | None = None) -> None:
        """H ← H ⊙ WᵀXD ⊘ (WᵀW H D + γ)."""
        WX, d = stack.product(self.basis, stack.X), stack.state.d
        num = np.multiply(WX, d, out=stack.scratch("num codes", WX.shape))
        multiply(stack, self.codes, num, stack.gram_of(self.basis), repeats, weights=d, penalty=gamma)

    def loss(self, stack: Stack, exact: bool) -> Array:
        """Σ_j ‖x_j − Wh_j‖ per restart; the lengths of the last weights where `exact` is not set."""
        lengths = self.residual_lengths(stack) if exact else stack.state.lengths
        return lengths.sum(axis=1)

    def residual_lengths(self, stack: Stack, squared_lengths: Array | None = None) -> Array:
        """‖x_j − Wh_j‖, (R, n), in float64, by the residual.

        Where the ‖x_j‖² are given it is ‖x_j‖² − 2 h_jᵀWᵀx_j + h_jᵀWᵀW h_j, unless that cancels.
        """
        W, H = stack[self.basis], stack[self.codes]
        if squared_lengths is None:
            squared = np.zeros((len(H), H.shape[2]))
            cancelled = np.ones(squared.shape, dtype=bool)
        else:
            WX = stack.product(self.basis, stack.X)
            difference = stack.combine(stack.gram_of(self.basis), H)
            difference -= WX
            difference -= WX
            squared = squared_lengths + np.einsum("rkn,rkn->rn", H, difference, dtype=np.float64)
            cancelled = squared <= CANCELLED_COLUMN[stack.dtype] * squared_lengths
        for restart in np.flatnonzero(cancelled.any(axis=1)):
            (columns,) = np.nonzero(cancelled[restart])
            squared[restart, columns] = _squared_residuals(stack.XT, W[restart], H[restart], columns)
        return np.sqrt(squared, out=squared)

    def notes(self, factors: Factors, problem: Problem) -> tuple[str, ...]:
        """How many samples have no code at all."""
        return silent_samples(factors[self.codes])


def column_weights(X: Array, WH: Array) -> Array:
    """d_j = 1/‖x_j − Wh_j‖, or 1/floor, (n,); X and WH are (m, n)."""
    mean = np.linalg.norm(X, axis=0).mean()
    return 1 / np.maximum(np.linalg.norm(X - WH, axis=0), FLOOR[X.dtype] * mean if mean > 0 else 1)


def _squared_residuals(XT: Array, W: Array, H: Array, columns: Array, step: int = 1024) -> Array:
    """‖x_j − Wh_j‖² of some columns of one restart (W is k × m, H is k × n), a block of them at a time."""
    squared = np.empty(len(columns))
    for block in blocks(len(columns), step):
        difference = XT[columns[block]]
        difference -= H[:, columns[block]].T @ W
        squared[block] = np.einsum("nm,nm->n", difference, difference, dtype=np.float64)
    return squared
