"""Named arrays out of any table-like file, structs flattened to dotted paths."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ...core.errors import one_line


@dataclass(frozen=True)
class Unread:
    """A variable that is there and not read: what it is, in words."""

    what: str


# A variable is an array of numbers or text, or a list of arrays (a MATLAB cell of stacks).
Variables = dict[str, "np.ndarray | list[np.ndarray] | Unread"]


def flatten(contents: dict[str, Any], prefix: str = "") -> Variables:
    """Turn nested structs and cells into one level of names, sparse matrices into dense ones.

    Values that are neither real numbers nor text (complex numbers, function handles, objects) are `Unread`.
    """
    found: Variables = {}
    for name, value in contents.items():
        if type(value) is np.ndarray and value.dtype.names and value.size == 1:
            value = {field: value[field].flat[0] for field in value.dtype.names}
        if isinstance(value, dict):
            found |= flatten(value, f"{prefix}{name}.")
        else:
            found[prefix + name] = _plain(value)
    return found


def _plain(value: Any) -> np.ndarray | list[np.ndarray] | Unread:
    if hasattr(value, "toarray"):
        if value.format != "coo":  # whose indices are checked as it is made
            value.check_format(full_check=True)  # scipy would write outside without looking
        value = np.asarray(value.toarray())
    if isinstance(value, Unread):
        return value
    if type(value) is not np.ndarray:  # scipy's classes for objects and functions are arrays too
        return Unread(_OTHER)
    if value.dtype.kind == "c":
        return Unread("complex numbers")
    if value.dtype.kind in "biufUS":
        return value
    if value.dtype.kind != "O" or value.size == 0:
        return Unread(_OTHER)
    cells = [np.asarray(cell) for cell in value.ravel(order="F")]
    if all(cell.dtype.kind in "US" and cell.size <= 1 for cell in cells):
        return np.array([str(cell.flat[0]) if cell.size else "" for cell in cells])
    if all(cell.dtype.kind in "biuf" and cell.size == 1 for cell in cells):
        return np.array([cell.flat[0] for cell in cells])
    return cells if all(cell.dtype.kind in "biuf" for cell in cells) else Unread("cells of several kinds")


_OTHER = "neither numbers nor text"


def describe(variables: Variables) -> str:
    """The variables with their sizes, for messages: "fea (35 x 48), gnd (35 x 1)"."""
    return ", ".join(f"{one_line(name)} ({_described(value)})" for name, value in variables.items())


def unread(variables: Variables) -> tuple[str, ...]:
    """A note that names the variables that are not read; empty if there are none."""
    left = {name: value for name, value in variables.items() if isinstance(value, Unread)}
    return (f"not read: {describe(dict(left))}",) if left else ()


def _described(value: np.ndarray | list[np.ndarray] | Unread) -> str:
    if isinstance(value, Unread):
        return value.what
    if isinstance(value, list):
        return f"{len(value)} cells"
    return " x ".join(map(str, value.shape)) or "a single value"
