"""The plain tier: a method in its paper's shapes and letters, one restart at a time, with NumPy alone."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import numpy as np

from ...core.errors import FitError
from ...core.problem import Problem, read_only

if TYPE_CHECKING:
    from .base import Iterative

Array = np.ndarray[Any, Any]
Factors = dict[str, Array]

# Entries below this share of their factor's largest are set to zero: as subnormals they would slow
# every later iteration several times.
NEGLIGIBLE = {np.dtype("float64"): 1e-200, np.dtype("float32"): 1e-30}


def ratio(num: Array, den: Array) -> Array:
    """``num ⊘ den``, and 0 where `den` is 0: in a multiplicative update numerator or factor are 0 there."""
    return np.divide(num, den, out=np.zeros_like(num), where=den != 0)


def lengths_along(A: Array, axis: int) -> Array:
    """Lengths of the vectors along that axis, kept with one place; 1 of a zero vector: divided, it stays."""
    lengths = np.linalg.norm(A, axis=axis, keepdims=True)
    return np.where(lengths > 0, lengths, 1)


def column_lengths(U: Array) -> Array:
    """‖u_k‖ of the columns of U (m × k), and 1 of a zero column, shape (k,)."""
    return lengths_along(U, 0)[0]


def unit(A: Array, axis: int) -> Array:
    """A with the vectors along that axis brought to unit length; zero ones stay."""
    return A / lengths_along(A, axis)


def column_signs(A: Array) -> Array:
    """The sign of the entry of largest size of each column, (…, p, q) to (…, 1, q), where one is free."""
    return np.sign(np.take_along_axis(A, np.abs(A).argmax(axis=-2, keepdims=True), axis=-2))


def untouched(factors: Factors) -> Factors:
    """The factors as a method reads them: writing to them is an error."""
    return {name: read_only(factor) for name, factor in factors.items()}


class PlainRun:
    """One restart of a method's ``update(X, U, V)``.

    Parameters
    ----------
    method : Iterative
    problem : Problem
    factors : dict of str to ndarray
        First values in their public shapes; the run takes them over.

    Raises
    ------
    FitError
        If `given` returns no dict, or `update` or `objective` has other arguments than it gets.
    """

    count = 1

    def __init__(self, method: Iterative, problem: Problem, factors: dict[str, Array]) -> None:
        self.method, self.dtype, self.factors = method, problem.X.dtype, factors
        given: Any = method.given(problem)
        if not isinstance(given, Mapping):
            what = "given must return a dict of what update and objective get, as {'X': problem.X}"
            raise FitError(f"{method.name}: {what}, not {type(given).__name__}")
        self.given = dict(given)
        gets = self.given | factors
        for each in (method.update, method.objective):
            signature = inspect.signature(each)
            try:
                signature.bind(**gets)
            except TypeError:
                what = f"{each.__name__} takes {', '.join(signature.parameters)} and gets {', '.join(gets)}"
                how = "use these names, or set factors, roles and basis to yours"
                raise FitError(f"{method.name}: {what}; {how}") from None

    def advance(self) -> None:
        """One iteration.

        Raises
        ------
        FitError
            If the method does not return its factors in their shapes, or not in real numbers.
        """
        moved = self.method.update(**self.given, **self.factors)
        moved = moved if isinstance(moved, tuple) else (moved,)
        if moved and isinstance(moved[-1], dict):
            self.given |= moved[-1]
            moved = moved[:-1]
        shapes = [factor.shape for factor in self.factors.values()]
        if list(map(np.shape, moved)) != shapes:
            names = ", ".join(self.factors)
            raise FitError(
                f"{self.method.name}: update must return {names} of shapes {shapes}, "
                f"not {list(map(np.shape, moved))}"
            )
        for name, factor in zip(self.factors, moved, strict=True):
            if np.iscomplexobj(factor):
                raise FitError(
                    f"{self.method.name}: update returns complex numbers in {name}; take .real where "
                    "nothing is lost by it"
                )
            self.factors[name] = np.asarray(factor, dtype=self.dtype)

    def objectives(self, exact: bool) -> Array:
        """The objective, for one restart.

        Raises
        ------
        FitError
            If the method does not return one real number.
        """
        value = self.method.objective(**self.given, **untouched(self.factors))
        if not (np.ndim(value) or np.iscomplexobj(value)):
            with suppress(TypeError, ValueError):
                return np.array([float(value)])
        what = f"of shape {np.shape(value)}" if np.ndim(value) else f"{value!r}"
        raise FitError(f"{self.method.name}: objective must return one real number, not {what}")

    def lost(self) -> Array:
        """A plain method says nothing of the kind."""
        return np.zeros(1, dtype=bool)

    def flush(self) -> None:
        """Set negligible entries to zero."""
        for name, factor in self.factors.items():
            size = np.abs(factor)
            self.factors[name] = np.where(size < size.max() * NEGLIGIBLE[self.dtype], 0, factor)

    def drop_stopped(self, running: Array) -> None:
        """Nothing is left once a single restart has stopped."""

    def public(self, position: int) -> Factors:
        """The factors."""
        return dict(self.factors)

    def notes(self) -> list[tuple[str, ...]]:
        """None of its own."""
        return [()]
