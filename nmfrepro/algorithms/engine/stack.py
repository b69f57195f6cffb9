"""Random restarts of one problem, stacked along a leading axis and advanced together.

Components are rows and restarts come first, all C-contiguous: the basis is (restarts, k, m), the encodings
are (restarts, k, n).  The product of X with the factors of all restarts is then one matrix product on a
reshaped view, without a copy or a transposition.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...core.problem import Problem

# Entries below this share of their factor's largest are set to zero: as subnormals they would slow
# every later iteration several times.
NEGLIGIBLE = {np.dtype("float64"): 1e-200, np.dtype("float32"): 1e-30}
# Below this share of ‖X‖² a squared error from Gram matrices has cancelled and the residual is taken.
CANCELLED = {np.dtype("float64"): 1e-8, np.dtype("float32"): 1e-3}

# Restarts advance together as long as their large work arrays (m × n, say) stay below this, else in groups.
WORK_BYTES = 256 * 2**20
# Up to so many components a Gram matrix is found more quickly as dot products (measured).
FEW = 5


class Stack:
    """State of the restarts that are still running.

    Parameters
    ----------
    problem : Problem
        Its X is already of the floating-point type to work in.
    factors : dict of str to ndarray
        First values by name, each with restarts in front.

    Attributes
    ----------
    X, XT : ndarray
        The data, (m, n), and its transpose, (n, m), both C-contiguous.
    constants : dict
        What an algorithm computed once for the run.
    tiny : float
        Smallest positive normal number of the type.
    """

    def __init__(self, problem: Problem, factors: dict[str, np.ndarray]) -> None:
        self.problem = problem
        self.factors = factors
        self.constants: dict[str, Any] = {}
        self.dtype = problem.X.dtype
        self.tiny = np.finfo(self.dtype).tiny
        self.last: tuple[str, np.ndarray] | None = None
        self._scratch: dict[tuple[str, tuple[int, ...]], np.ndarray] = {}
        self._held: dict[str, np.ndarray] = {}
        self.use(problem.X)

    def use(self, X: np.ndarray) -> None:
        """Work on `X` instead of the problem's own, for methods that transform it first."""
        self.X = self.XT = np.empty((0, 0), self.dtype)  # lets go of the former before the new are copied
        self.X = np.ascontiguousarray(X, dtype=self.dtype)
        self.XT = np.ascontiguousarray(X.T, dtype=self.dtype)
        self.X_squared = float(np.vdot(self.X, self.X))

    def __getitem__(self, name: str) -> np.ndarray:
        return self.factors[name]

    def flat(self, name: str) -> np.ndarray:
        """A factor as (R, k, everything else), a view; for most it is the factor itself."""
        factor = self.factors[name]
        return factor.reshape(*factor.shape[:2], -1)

    @property
    def restarts(self) -> int:
        """How many restarts are still in the stack."""
        return len(next(iter(self.factors.values())))

    def scratch(self, name: str, shape: tuple[int, ...]) -> np.ndarray:
        """A work array that lives as long as the run; its content is the caller's."""
        array = self._scratch.get((name, shape))
        if array is None:
            array = self._scratch[name, shape] = np.empty(shape, self.dtype)
        return array

    def times(self, factor: np.ndarray, matrix: np.ndarray, name: str) -> np.ndarray:
        """`factor @ matrix` for all restarts as one product: (R, k, p) by (p, q) into scratch `name`."""
        restarts, k, p = factor.shape
        out = self.scratch(name, (restarts, k, matrix.shape[1]))
        np.matmul(factor.reshape(restarts * k, p), matrix, out=out.reshape(restarts * k, -1))
        return out

    def product(self, name: str, matrix: np.ndarray, then: np.ndarray | None = None) -> np.ndarray:
        """`times` of the factor called `name` and one matrix (`then` another), kept until it has `moved`.

        A factor has one such product: always give the same matrices.
        """
        if name not in self._held:
            held = self.times(self.factors[name], matrix, f"product {name}")
            self._held[name] = held if then is None else self.times(held, then, f"then {name}")
        return self._held[name]

    def moved(self, name: str) -> None:
        """Say that a factor has changed, so that its product no longer holds."""
        self._held.pop(name, None)

    def gram(self, factor: np.ndarray, name: str) -> np.ndarray:
        """Gram matrix of the components of each restart: (R, k, p) to (R, k, k)."""
        out = self.scratch(name, (*factor.shape[:2], factor.shape[1]))
        if factor.shape[1] <= FEW:
            return np.vecdot(factor[:, :, None], factor[:, None], out=out)
        return np.matmul(factor, factor.transpose(0, 2, 1), out=out)

    def combine(self, mixing: np.ndarray, rows: np.ndarray) -> np.ndarray:
        """`mixing @ rows` per restart, (R, k, q) by (R, q, p) with q mostly k, into one scratch array."""
        shape = (*mixing.shape[:2], rows.shape[2])
        return np.matmul(mixing, rows, out=self.scratch("combine", shape))

    def multiply_ratio(
        self, factor: np.ndarray, num: np.ndarray, den: np.ndarray, power: float = 1.0
    ) -> None:
        """``factor ← factor ⊙ (num ⊘ den)^power`` in place, 0/0 = 0; destroys `den`, lifted to tiny."""
        # Looking first is quicker: NumPy has no vector code for the maximum with a number.
        if not np.minimum.reduce(den, axis=None) >= self.tiny:
            np.maximum(den, self.tiny, out=den)
        if power != 1:
            num = _power(num, power, self.scratch("power", num.shape))
            den = _power(den, power, den)
        np.multiply(factor, num, out=factor)
        np.divide(factor, den, out=factor)

    def flush(self) -> None:
        """Set negligible entries of all factors to zero, in place."""
        for factor in self.factors.values():
            size = np.abs(factor)
            limit = size.max(axis=tuple(range(1, factor.ndim)), keepdims=True) * NEGLIGIBLE[self.dtype]
            factor[size < limit] = 0

    def keep(self, running: np.ndarray) -> None:
        """Drop the restarts that have stopped."""
        for name, factor in self.factors.items():
            self.factors[name] = np.ascontiguousarray(factor[running])
        for name, constant in self.constants.items():
            if isinstance(constant, PerRestart):
                self.constants[name] = PerRestart(constant.values[running])
        self._scratch.clear()
        self._held.clear()
        self.last = None


def _power(base: np.ndarray, exponent: float, out: np.ndarray) -> np.ndarray:
    """``base ** exponent`` into `out`; the powers that papers print are square roots, far quicker."""
    if exponent == 0.5:
        return np.sqrt(base, out=out)
    if exponent == 0.25:
        return np.sqrt(np.sqrt(base, out=out), out=out)
    return np.power(base, exponent, out=out)


class PerRestart:
    """A constant or a state with one value per restart, so that `Stack.keep` can shorten it."""

    def __init__(self, values: np.ndarray) -> None:
        self.values = values
