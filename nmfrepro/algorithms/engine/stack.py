"""Random restarts of one problem, stacked along a leading axis and advanced together.

Components are rows and restarts come first, all C-contiguous: the basis is (restarts, k, m), the encodings
are (restarts, k, n).  The product of X with the factors of all restarts is then one matrix product on a
reshaped view, without a copy or a transposition.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from types import MappingProxyType
from typing import Any

import numpy as np

from ...core.problem import Problem, read_only
from .plain import NEGLIGIBLE, Array, Factors, untouched

# Below this share of ‖X‖² a squared error from Gram matrices has cancelled and the residual is taken.
CANCELLED = {np.dtype("float64"): 1e-8, np.dtype("float32"): 1e-3}

# Restarts advance together as long as their large work arrays (m × n, say) stay below this, else in groups.
WORK_BYTES = 256 * 2**20
# Up to so many components a Gram matrix is found more quickly as dot products (measured).
FEW = 5


class Stack:
    """State of the restarts that are still running.

    A factor can be changed only while it is `moving`, and what is kept of it (`product`, `kept`) is dropped
    by then: nobody has to say that a factor has changed.

    Parameters
    ----------
    problem : Problem
        Its X is already of the floating-point type to work in.
    factors : dict of str to ndarray
        First values by name, each with restarts in front; the stack takes them over.
    own : mapping of str to sequence of float
        Parameters that every restart has its own value of.
    given : mapping of str to Any
        What the method's `given` returned, as the plain tier gets it.

    Attributes
    ----------
    X, XT : ndarray
        The data, (m, n), and its transpose, (n, m), both C-contiguous: X of `given` where that is a matrix,
        else the problem's own, until `prepare` puts another in its place; see `use`.
    X_squared, X_largest : float
        ‖X‖² and the largest entry of X.
    state : Any
        What the method's `prepare` returned: all that it remembers besides its factors.
    tiny : float
        Smallest positive normal number of the type.
    """

    def __init__(
        self,
        problem: Problem,
        factors: Factors,
        own: Mapping[str, Sequence[float]] = MappingProxyType({}),
        given: Mapping[str, Any] = MappingProxyType({}),
    ) -> None:
        self.problem, self.given = problem, given
        self.dtype = problem.X.dtype
        self.state: Any = None
        self._own = {name: np.array(values, self.dtype)[:, None, None] for name, values in own.items()}
        self.tiny = np.finfo(self.dtype).tiny
        self._factors = factors
        self._read_only = untouched(factors)
        # Factors that are moving, and whether anybody has got hold of one since.
        self._moving: dict[str, bool] = {}
        # What is kept of each factor; of several, under each of them.
        self._kept: dict[str, dict[Hashable, Array]] = {name: {} for name in factors}
        # What `product` takes, where it puts it, and what it gives out, made once.
        self._products: dict[str, dict[int, tuple[Array, ...]]] = {name: {} for name in factors}
        self._scratch: dict[tuple[str, tuple[int, ...]], Array] = {}
        X = given.get("X")
        self.use(X if isinstance(X, np.ndarray) and X.ndim == 2 else problem.X)

    def use(self, X: Array, squared: float | None = None) -> None:
        """Work on `X`, (m, n), from now on, for methods whose `prepare` transforms the data.

        `squared` is ‖X‖² where objectives are still those of the data before.
        """
        self.X = self.XT = np.empty((0, 0), self.dtype)  # lets go of the former before the new are copied
        self.X, self.XT = (read_only(np.ascontiguousarray(each, dtype=self.dtype)) for each in (X, X.T))
        # A sum of millions of squares in float32 is off by 1e-6 to 1e-4.
        double = self.dtype == np.float64
        total = np.vdot(self.X, self.X) if double else np.einsum("ij,ij->", self.X, self.X, dtype=np.float64)
        self.X_squared, self.X_largest = float(total) if squared is None else squared, float(self.X.max())

    def __getitem__(self, name: str) -> Array:
        """A factor: (R, k, length) for most; read-only unless it is `moving`."""
        held = self._moving.get(name)
        if held is None:
            return self._read_only[name]
        if not held:
            self._moving[name] = True
            self._kept[name].clear()
        return self._factors[name]

    def moving(self, name: str) -> Moving:
        """Within ``with stack.moving(name):`` the factor may be changed, as in every ``update_<name>``."""
        return Moving(name, self._moving)

    def parameter(self, name: str, value: float) -> Any:
        """The parameter of that name: (R, 1, 1) where restarts have their own, else the method's `value`."""
        return self._own.get(name, value)

    def kept(self, key: Hashable, factors: tuple[str, ...], compute: Callable[[], Array]) -> Array:
        """What `compute` makes of these factors, of any shape; read-only, kept until one of them moves."""
        if all(key in self._kept[name] for name in factors):
            return self._kept[factors[0]][key]
        value = read_only(compute())
        # Whoever has got hold of a moving factor may change it at any time.
        if not any(map(self._moving.get, factors)):
            for name in factors:
                self._kept[name][key] = value
        return value

    def flat(self, name: str) -> Array:
        """A factor as (R, k, everything else), a view; for most it is the factor itself."""
        factor = self[name]
        return factor if factor.ndim == 3 else factor.reshape(*factor.shape[:2], -1)

    @property
    def restarts(self) -> int:
        """How many restarts are still in the stack."""
        return len(next(iter(self._factors.values())))

    def scratch(self, name: str, shape: tuple[int, ...]) -> Array:
        """A work array of that shape, mostly (R, k, p), that lives until restarts are dropped.

        Its content is the caller's until the same name and shape are asked for again.
        """
        array = self._scratch.get((name, shape))
        if array is None:
            array = self._scratch[name, shape] = np.empty(shape, self.dtype)
        return array

    def times(self, factor: Array, matrix: Array, work: str) -> Array:
        """`factor @ matrix` for all restarts as one product: (R, k, p) by (p, q) into scratch `work`."""
        restarts, k, p = factor.shape
        out = self.scratch(work, (restarts, k, matrix.shape[1]))
        np.matmul(factor.reshape(restarts * k, p), matrix, out=out.reshape(restarts * k, -1))
        return out

    def product(self, name: str, matrix: Array) -> Array:
        """`times` of the factor called `name` and a matrix that all restarts share, `kept`.

        The factor is stored as (R, k, p), the matrix is (p, q), the product (R, k, q) and read-only.
        """
        key, kept = id(matrix), self._kept[name]
        if key in kept:
            return kept[key]
        ready = self._products[name].get(key)
        if ready is None:
            factor = self._factors[name]
            out = np.empty((*factor.shape[:2], matrix.shape[1]), self.dtype)
            rows = factor.reshape(-1, len(matrix))
            ready = rows, matrix, out.reshape(len(rows), -1), read_only(out)
            self._products[name][key] = ready
        rows, matrix, out, value = ready
        np.matmul(rows, matrix, out=out)
        if not self._moving.get(name):
            kept[key] = value
        return value

    def has_product(self, name: str, matrix: Array) -> bool:
        """Whether `product` is at hand."""
        return id(matrix) in self._kept[name]

    def gram_of(self, name: str) -> Array:
        """Gram matrix of a factor's components, (R, k, k); kept as `product` is, read-only."""
        kept = self._kept[name]
        if "gram" in kept:
            return kept["gram"]
        factor = self.flat(name)
        out = self.scratch(f"gram of {name}", (*factor.shape[:2], factor.shape[1]))
        if factor.shape[1] <= FEW:
            np.vecdot(factor[:, :, None], factor[:, None], out=out)
        else:
            np.matmul(factor, factor.transpose(0, 2, 1), out=out)
        value = read_only(out)
        if not self._moving.get(name):
            kept["gram"] = value
        return value

    def combine(self, mixing: Array, rows: Array) -> Array:
        """`mixing @ rows` per restart, (R, k, q) by (R, q, p) with q mostly k, into one scratch array."""
        shape = (*mixing.shape[:2], rows.shape[2])
        return np.matmul(mixing, rows, out=self.scratch("combine", shape))

    def accurate(self, value: Array, whole: Array | float) -> bool:
        """Whether objectives from products, what remained of `whole`, have not cancelled in any restart."""
        return bool((value > CANCELLED[self.dtype] * whole).all())

    def multiply_ratio(self, factor: Array, num: Array, den: Array, power: float = 1.0) -> None:
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
        for name, factor in self._factors.items():
            size = np.abs(factor)
            limit = size.max(axis=tuple(range(1, factor.ndim)), keepdims=True) * NEGLIGIBLE[self.dtype]
            negligible = (size < limit) & (size > 0)
            if negligible.any():
                with self.moving(name):
                    self[name][negligible] = 0

    def drop_stopped(self, running: Array) -> None:
        """Drop the restarts that have stopped."""
        for name, factor in self._factors.items():
            self._factors[name] = np.ascontiguousarray(factor[running])
            self._read_only[name] = read_only(self._factors[name])
        self._own = {name: values[running] for name, values in self._own.items()}
        if isinstance(self.state, PerRestart):
            self.state.drop_stopped(running)
        self._scratch.clear()
        for name in self._factors:
            self._kept[name].clear()
            self._products[name].clear()


class Moving:
    """While a factor may be changed."""

    __slots__ = ("_moving", "_name")

    def __init__(self, name: str, moving: dict[str, bool]) -> None:
        self._name, self._moving = name, moving

    def __enter__(self) -> None:
        self._moving[self._name] = False

    def __exit__(self, *failure: object) -> None:
        del self._moving[self._name]


def blocks(length: int, step: int) -> Iterator[slice]:
    """Slices of `length` things, `step` of them at a time."""
    return (slice(first, first + step) for first in range(0, length, step))


def diagonal(A: Array) -> Array:
    """The diagonals of stacked matrices, (R, k, k) to (R, k, 1); a writable view of what is contiguous."""
    return A.reshape(len(A), -1)[:, :: A.shape[1] + 1, None]


def _power(base: Array, exponent: float, out: Array) -> Array:
    """``base ** exponent`` into `out`; the powers that papers print are square roots, far quicker."""
    if exponent == 0.5:
        return np.sqrt(base, out=out)
    if exponent == 0.25:
        return np.sqrt(np.sqrt(base, out=out), out=out)
    return np.power(base, exponent, out=out)


@dataclass
class PerRestart:
    """State with a value for every restart, in all of its fields unless `drop_stopped` is overridden."""

    def drop_stopped(self, running: Array) -> None:
        """Drop the values of the restarts that have stopped."""
        for each in fields(self):
            setattr(self, each.name, getattr(self, each.name)[running])
