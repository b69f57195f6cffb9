"""Which variable holds the images and which the labels, and which way round they lie."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np

from ...core.errors import DataError, Setting, suggest
from ..definition import Reading, Shape
from ..labels import is_one_hot, label_vector
from ..request import DatasetOptions
from .variables import Unread, Variables, describe, unread

IMAGE_NAMES = ("fea", "features", "x", "data", "images", "imgs", "faces")
LABEL_NAMES = ("gnd", "label", "labels", "y", "target", "targets", "class", "classes", "gt", "ground_truth")


def arrange(variables: Variables, options: DatasetOptions, path: Path) -> Reading:
    """Find images and labels among a file's variables and bring them into order.

    Raises
    ------
    DataError
        Where they cannot be told (the message names the variables and the option that tells), or do not fit.
    """
    data_key = _data_key(variables, options, path)
    data = _read(variables, data_key, path)
    if isinstance(data, list):
        reading = _cell_of_stacks(data, data_key, options, path)
    else:
        label_key = _label_key(variables, data_key, data, options, path)
        labels = _read(variables, label_key, path)
        if isinstance(labels, list):
            raise _unfit(f"{path}: {label_key} is a cell of arrays, no labels", variables)
        reading = _matrix(data, data_key, labels, label_key, options, path)
    return replace(reading, notes=reading.notes + unread(variables))


def _unfit(what: str, variables: Variables, *remedy: str | Setting) -> DataError:
    """An error that lists the variables that there are."""
    return DataError(what, *remedy, f"; variables: {describe(variables) or 'none'}")


def _read(variables: Variables, name: str, path: Path) -> np.ndarray | list[np.ndarray]:
    """The value of a variable that is wanted."""
    value = variables[name]
    if isinstance(value, Unread):
        how = "save it as real numbers, or labels as numbers or a cell of texts"
        raise _unfit(f"{path}: {name} is not read, since it is {value.what}; {how}", variables)
    return value


def _data_key(variables: Variables, options: DatasetOptions, path: Path) -> str:
    if options.data_key is not None:
        _known(variables, options.data_key, "data_key", path)
        value = _read(variables, options.data_key, path)
        if not isinstance(value, list) and (value.ndim not in (2, 3) or value.dtype.kind not in "biuf"):
            raise _unfit(f"{path}: {options.data_key} is no matrix of numbers", variables)
        return options.data_key
    candidates = [
        name
        for name, value in variables.items()
        if name != options.label_key
        and (
            isinstance(value, list)
            or (_last(name) in IMAGE_NAMES if isinstance(value, Unread) else _is_matrix(value))
        )
    ]
    named = [name for name in candidates if _last(name) in IMAGE_NAMES]
    one_hot_aside = [
        name
        for name in named or candidates
        if not (isinstance(array := variables[name], np.ndarray) and is_one_hot(array, max(array.shape)))
    ]
    chosen = one_hot_aside or named or candidates
    if not chosen:
        raise _unfit(f"{path}: no variable holds a matrix of numbers", variables)
    return _only(chosen, variables, "images", "data_key", path)


def _label_key(
    variables: Variables, data_key: str, data: np.ndarray, options: DatasetOptions, path: Path
) -> str:
    if options.label_key is not None:
        return _known(variables, options.label_key, "label_key", path)
    beside = data_key.rpartition(".")[0]
    named = [name for name in variables if name != data_key and _last(name) in LABEL_NAMES]
    # Within a struct, its own labels come before others.
    named = [name for name in named if name.rpartition(".")[0] == beside] or named
    if not named:
        named = [
            name
            for name, value in variables.items()
            if isinstance(value, np.ndarray)
            and name != data_key
            and value.ndim > 0
            and value.size in data.shape
            and value.size == max(value.shape)
        ]
    if not named:
        which = ("; say which with ", Setting("label_key"))
        raise _unfit(f"{path}: no variable holds labels for {data_key}", variables, *which)
    return _only(named, variables, "labels", "label_key", path)


def _only(names: list[str], variables: Variables, what: str, option: str, path: Path) -> str:
    """The first of the names; others must hold the same."""
    first, *others = (variables[name] for name in names)
    same = isinstance(first, np.ndarray) and all(
        isinstance(other, np.ndarray) and np.array_equal(other, first) for other in others
    )
    if others and not same:
        which = ("; say which with ", Setting(option))
        raise _unfit(f"{path}: {' and '.join(names)} could be the {what}", variables, *which)
    return names[0]


def _matrix(
    data: np.ndarray, data_key: str, labels: np.ndarray, label_key: str, options: DatasetOptions, path: Path
) -> Reading:
    """Images in the rows or columns of a matrix, or a stack of pictures along its first or last axis."""
    size, stack = " x ".join(map(str, data.shape)), data.ndim == 3
    fits = {
        "rows": labels.size == data.shape[0] or is_one_hot(labels, data.shape[0]),
        "columns": labels.size == data.shape[-1] or is_one_hot(labels, data.shape[-1]),
    }
    orientation, notes = options.orientation, tuple[str, ...]()
    if orientation is None:
        if all(fits.values()):
            ways, which = "ways", "rows or columns are images"
            if stack:
                ways, which = "ends", "the first axis (rows) or the last (columns) counts the images"
            how = (Setting("orientation"), f" whether {which}")
            raise DataError(f"{path}: {data_key} is {size} and {label_key} fits both {ways}; say with ", *how)
        if not any(fits.values()) and not stack:
            raise DataError(
                f"{path}: {label_key} has {labels.size} entries, but {data_key} is {size}; every image needs "
                "one label"
            )
        orientation = "rows" if fits["rows"] else "columns"
        if orientation == "columns" and not stack:
            notes = (f"columns of {data_key} are the images: {label_key} has {data.shape[1]} labels",)
    X = data if orientation == "rows" else np.moveaxis(data, -1, 0)
    vector = label_vector(labels, len(X), f"{path}: {label_key} (for {data_key}, {size})")
    if stack:
        return Reading(_flat(X), vector, (X.shape[1], X.shape[2]))
    X = upright(X, options.shape, options.pixel_order, path)
    return Reading(X, vector, options.shape, notes=notes)


def upright(X: np.ndarray, image_shape: Shape, pixel_order: str | None, path: Path) -> np.ndarray:
    """Samples as float64 rows whose pixels run row by row.

    Raises
    ------
    DataError
        If the image shape does not fit, or the order of the pixels is not known.
    """
    X = np.ascontiguousarray(X, dtype=np.float64)
    if image_shape is None:
        return X
    rows, columns = image_shape
    if rows * columns != X.shape[1]:
        found = f" {rows}x{columns} has {rows * columns} pixels, its images {X.shape[1]}"
        raise DataError(f"{path}: ", Setting("image_shape"), found)
    if pixel_order is None:
        how = (Setting("pixel_order", "column"), " where MATLAB reshaped the images, row otherwise")
        raise DataError(f"{path}: ", Setting("image_shape"), " needs ", *how)
    if pixel_order == "row":
        return X
    return np.ascontiguousarray(X.reshape(-1, columns, rows).transpose(0, 2, 1)).reshape(X.shape)


def _cell_of_stacks(cells: list[np.ndarray], data_key: str, options: DatasetOptions, path: Path) -> Reading:
    """A MATLAB cell with one h x w x n stack of pictures for each class."""
    stacks = [cell[:, :, np.newaxis] if cell.ndim == 2 else cell for cell in cells]
    if any(stack.ndim != 3 or stack.shape[:2] != stacks[0].shape[:2] for stack in stacks):
        raise DataError(f"{path}: the cells of {data_key} are no stacks of pictures of one size")
    if options.label_key is not None:
        raise DataError(f"{path}: {data_key} has one cell per class, so label_key does not apply")
    pictures = np.concatenate([np.moveaxis(stack, 2, 0) for stack in stacks])
    labels = np.repeat(np.arange(1, len(stacks) + 1), [stack.shape[2] for stack in stacks])
    notes = (f"each cell of {data_key} is taken as a class",)
    return Reading(_flat(pictures), labels, stacks[0].shape[:2], notes=notes)


def _flat(pictures: np.ndarray) -> np.ndarray:
    return np.ascontiguousarray(pictures, dtype=np.float64).reshape(pictures.shape[0], -1)


def _is_matrix(value: np.ndarray) -> bool:
    return value.dtype.kind in "biuf" and value.ndim in (2, 3) and min(value.shape) > 1


def _last(name: str) -> str:
    return name.rpartition(".")[2].lower()


def _known(variables: Variables, name: str, option: str, path: Path) -> str:
    if name not in variables:
        where = Setting(option)
        raise DataError(f"{path} has no variable {name!r} (", where, f"); {suggest(name, variables)}")
    return name
