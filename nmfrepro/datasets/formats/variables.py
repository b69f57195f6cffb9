"""Named arrays out of any table-like file, structs flattened to dotted paths."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from ...core.errors import DataError, one_line, reason
from .guard import check_size

# A variable is an array of numbers or text, or a list of arrays (a MATLAB cell of stacks).
Variables = dict[str, "np.ndarray | list[np.ndarray]"]

_MAX_DEPTH = 8


def flatten(contents: dict[str, Any], path: Path, prefix: str = "", depth: int = 0) -> Variables:
    """Turn nested structs and cells into one level of names, sparse matrices into dense ones.

    Values that are neither numbers nor text (function handles, tables, objects) are left out.
    """
    found: Variables = {}
    for name, value in contents.items():
        if isinstance(value, dict):
            fields: dict[str, Any] | None = value
        elif isinstance(value, np.ndarray) and value.dtype.names and value.size == 1:
            fields = {field: value[field].flat[0] for field in value.dtype.names}
        else:
            fields = None
        if fields is not None:
            if depth < _MAX_DEPTH:
                found |= flatten(fields, path, f"{prefix}{name}.", depth + 1)
        elif (array := _plain(value, path, prefix + name)) is not None:
            found[prefix + name] = array
    return found


def _plain(value: Any, path: Path, name: str) -> np.ndarray | list[np.ndarray] | None:
    if hasattr(value, "toarray"):
        return densify(value, path, name)
    if not isinstance(value, np.ndarray):
        return None
    if value.dtype.kind in "biufUS":
        return value
    if value.dtype.kind != "O" or value.size == 0:
        return None
    cells = [np.asarray(cell) for cell in value.ravel(order="F")]
    if all(cell.dtype.kind in "US" and cell.size <= 1 for cell in cells):
        return np.array([str(cell.flat[0]) if cell.size else "" for cell in cells])
    if all(cell.dtype.kind in "biuf" and cell.size == 1 for cell in cells):
        return np.array([cell.flat[0] for cell in cells])
    return cells if all(cell.dtype.kind in "biuf" for cell in cells) else None


def densify(matrix: Any, path: Path, name: str) -> np.ndarray:
    """A sparse matrix as an array, after checking its indices.

    Raises
    ------
    DataError
        If it is too large, or an index lies outside: scipy would write there without looking.
    """
    check_size(matrix.shape, path, f"variable {name}")
    try:
        # Coordinates (version 4) are checked as they are made, compressed columns only when asked.
        if matrix.format != "coo":
            matrix.check_format(full_check=True)
    except ValueError as error:
        raise DataError(
            f"{path}: the sparse variable {one_line(name)} is damaged ({reason(error)})"
        ) from None
    return np.asarray(matrix.toarray())


def describe(variables: Variables) -> str:
    """The variables with their sizes, for messages: "fea (35 x 48), gnd (35 x 1)"."""
    return ", ".join(
        f"{name} ({len(value)} cells)"
        if isinstance(value, list)
        else f"{name} ({' x '.join(map(str, value.shape)) or 'a single value'})"
        for name, value in variables.items()
    )
