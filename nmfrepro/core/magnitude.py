"""Numbers whose squares leave the range of their floating-point type: distances of them are 0 or infinite."""

from __future__ import annotations

import numpy as np
from numpy.typing import DTypeLike

from .errors import DataError, Setting


def largest(X: np.ndarray) -> float:
    """The largest absolute value of an array of any shape; 0 if it is empty."""
    return max(float(X.max()), -float(X.min())) if X.size else 0.0


def squares_fit(X: np.ndarray, dtype: DTypeLike | None = None) -> bool:
    """Whether sums of squares of X, of any shape, are numbers of a type (its own), to its precision.

    An array of zeros fits, and an empty one.
    """
    limits, peak = np.finfo(X.dtype if dtype is None else dtype), largest(X)
    low = (float(limits.tiny) / float(limits.eps)) ** 0.5
    high = (float(limits.max) / max(X.size, 1)) ** 0.5
    return peak == 0 or low <= peak <= high


def check_magnitude(X: np.ndarray, name: str = "", dtype: DTypeLike | None = None) -> None:
    """Refuse data (any shape) that no method can square in the type of the factors, X's own by default.

    `name` is what a dataset is called, which has a scale; a matrix from Python has neither.

    Raises
    ------
    DataError
        Naming the largest entry.
    """
    if not squares_fit(X, dtype):
        kind = X.dtype if dtype is None else np.dtype(dtype)
        what = f"{name or 'X'}: the largest entry is {largest(X):.3g}, and its square is no {kind} number; "
        scale = ("choose ", Setting("scale", "max"), ", or ") if name else ()
        raise DataError(what, *scale, "bring the data into other units")


def within_range(X: np.ndarray) -> np.ndarray:
    """X itself where its `squares_fit`, else X divided by the power of two next above its largest entry.

    X is of any shape and of a floating-point type, as is the answer.  For what depends on ratios of distances
    only; every digit is kept.
    """
    if squares_fit(X):
        return X
    return np.ldexp(X, -int(np.frexp(largest(X))[1]))
