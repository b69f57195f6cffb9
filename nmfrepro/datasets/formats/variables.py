"""Named arrays out of any table-like file, structs flattened to dotted paths."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...core.errors import one_line

# An array of numbers or text, a list of arrays (a MATLAB cell of stacks), or, if it is not read, what it is.
Variable = np.ndarray | list[np.ndarray] | str
Variables = dict[str, Variable]


def flatten(contents: dict[str, Any], prefix: str = "") -> Variables:
    """Turn nested structs and cells into one level of names, sparse matrices into dense ones.

    Values that are neither real numbers nor text (complex numbers, function handles, objects) are not read.
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


def _plain(value: Any) -> Variable:
    if hasattr(value, "toarray"):
        if value.format != "coo":  # whose indices are checked as it is made
            value.check_format(full_check=True)  # scipy would write outside without looking
        value = np.asarray(value.toarray())
    if isinstance(value, str):
        return value
    if type(value) is not np.ndarray:  # scipy's classes for objects and functions are arrays too
        return _OTHER
    if value.dtype.kind == "c":
        return "complex numbers"
    if value.dtype.kind in "biufUS":
        return value
    if value.dtype.kind != "O" or value.size == 0:
        return _OTHER
    cells = [np.asarray(cell) for cell in value.ravel(order="F")]
    if all(cell.dtype.kind in "US" and cell.size <= 1 for cell in cells):
        return np.array([cell.flat[0] if cell.size else cell.dtype.type() for cell in cells])
    if all(cell.dtype.kind in "biuf" and cell.size == 1 for cell in cells):
        return np.array([cell.flat[0] for cell in cells])
    return cells if all(cell.dtype.kind in "biuf" for cell in cells) else "cells of several kinds"


_OTHER = "neither numbers nor text"


def with_sizes(variables: Variables) -> str:
    """The variables with their sizes, for messages: "fea (35 x 48), gnd (35 x 1)"."""
    return ", ".join(f"{one_line(name)} ({_described(value)})" for name, value in variables.items())


def unread(variables: Variables) -> tuple[str, ...]:
    """A note that names the variables that are not read; empty if there are none."""
    left: Variables = {name: value for name, value in variables.items() if isinstance(value, str)}
    return (f"not read: {with_sizes(left)}",) if left else ()


def _described(value: Variable) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, list):
        return f"{len(value)} cells"
    return " x ".join(map(str, value.shape)) or "a single value"
