"""Class labels as people write them: any shape, any values, coded 0 … c−1 with the originals kept."""

from __future__ import annotations

import re

import numpy as np

from ..core.errors import DataError
from ..core.terminal import counted


def natural_key(text: str) -> tuple[tuple[int, int, str], ...]:
    """Sorting key under which s2 comes before s10, the same on every system."""
    parts = re.split(r"(\d+)", text)
    return tuple((0, int(part), part) if part.isdecimal() else (1, 0, part) for part in parts)


def label_vector(values: np.ndarray, n_samples: int, where: str) -> np.ndarray:
    """Labels as a vector of int64 or text, from a row, a column, or one-hot rows or columns.

    Parameters
    ----------
    values : ndarray
        The labels as stored.
    n_samples : int
        How many there must be.
    where : str
        File and variable, for messages.

    Raises
    ------
    DataError
        For a wrong number of labels, or the first missing, fractional or infinite one.
    """
    if values.ndim == 2 and min(values.shape) > 1:
        axis = one_hot_axis(values, n_samples)
        if axis is None:
            shape = " x ".join(map(str, values.shape))
            wanted = f"a row or a column of {n_samples}, or one-hot with exactly one 1 for each image"
            raise DataError(f"{where} is {shape}: labels must be {wanted}")
        values = np.argmax(values, axis=1 - axis)
    values = values.ravel()
    if values.size != n_samples:
        sizes = f"{counted(values.size, 'label')} for {counted(n_samples, 'image')}"
        raise DataError(f"{where} holds {sizes}; every image needs one")
    if values.dtype.kind == "S":
        try:
            values = np.char.decode(values, "utf-8")
        except UnicodeDecodeError:
            raise DataError(f"{where} holds text that is not UTF-8; save it as such") from None
    if values.dtype.kind == "U":
        text = np.char.strip(values)  # MATLAB fills up with spaces
        _refuse(text == "", text, where, "is empty")
        return text
    if values.dtype.kind not in "biuf":
        raise DataError(f"{where} holds {values.dtype} values; labels are whole numbers or text")
    if values.dtype.kind == "f":
        _refuse(~np.isfinite(values), values, where, "is not a label")
        _refuse(values != np.rint(values), values, where, "is fractional; labels are whole numbers")
    if values.dtype.kind in "fu":
        largest = 2**53 - 1 if values.dtype.kind == "f" else np.iinfo(np.int64).max
        _refuse(np.abs(values) > largest, values, where, "is too large for a label")
    return values.astype(np.int64)


def one_hot_axis(values: np.ndarray, n_samples: int) -> int | None:
    """The axis along which every sample has exactly one 1 among zeros; None if neither is."""
    if values.ndim == 2 and values.dtype.kind in "biuf" and np.isin(values, (0, 1)).all():
        for axis in (0, 1):
            if values.shape[axis] == n_samples and (values.sum(axis=1 - axis) == 1).all():
                return axis
    return None


def _refuse(wrong: np.ndarray, values: np.ndarray, where: str, why: str) -> None:
    bad = np.flatnonzero(wrong)
    if bad.size:
        first = values[bad[0]]
        shown = repr(str(first)) if values.dtype.kind == "U" else f"{first:g}"
        place = f"{where}: entry {bad[0] + 1} of {values.size} (counted from 1)"
        more = f"; {bad.size} such entries in all" if bad.size > 1 else ""
        raise DataError(f"{place} is {shown}, which {why}{more}")


def code(labels: np.ndarray) -> tuple[np.ndarray, tuple[int | str, ...]]:
    """Code labels 0 … c−1 in the order of their values, text in natural order.

    Parameters
    ----------
    labels : ndarray of int64 or text, shape (n,)

    Returns
    -------
    y : ndarray of int64, shape (n,)
    classes : tuple
        The original value of each code.
    """
    distinct, inverse = np.unique(labels, return_inverse=True)
    values: list[int | str] = distinct.tolist()
    if distinct.dtype.kind != "U":
        return inverse.ravel().astype(np.int64), tuple(values)
    order = sorted(range(len(values)), key=lambda i: natural_key(str(values[i])))
    return np.argsort(order)[inverse.ravel()], tuple(values[i] for i in order)
