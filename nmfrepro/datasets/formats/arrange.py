"""Which variable holds the images and which the labels, and which way round they lie."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from ...core.errors import DataError, Part, Setting, suggest
from ...core.problem import Shape
from ..definition import Reading
from ..labels import label_vector, one_hot_axis
from ..request import DatasetOptions
from .variables import Variables, describe, unread

IMAGE_NAMES = ("fea", "features", "x", "data", "images", "imgs", "faces")
LABEL_NAMES = ("gnd", "label", "labels", "y", "target", "targets", "class", "classes", "gt", "ground_truth")
# The remedy where there are no labels at all.
ALONE = "save a matrix alone (.npy, .npz, .mat), which `nmfrepro fit` and load_dataset take without labels"


def arrange(variables: Variables, options: DatasetOptions, path: Path, labelled: bool = True) -> Reading:
    """Find images and labels among a file's variables and bring them into order.

    Where it need not be `labelled`, a matrix that is the only variable does without: its rows are samples
    unless `orientation` says otherwise.

    Raises
    ------
    DataError
        Where they cannot be told (the message names the variables and the option that tells), or do not fit.
    """
    reading = _Contents(variables, options, path, labelled).reading()
    return replace(reading, notes=reading.notes + unread(variables))


@dataclass(frozen=True)
class _Contents:
    """The variables of a file, and what the user said of them."""

    variables: Variables
    options: DatasetOptions
    path: Path
    labelled: bool

    def reading(self) -> Reading:
        """Images and labels."""
        data_key = self.data_key()
        data = self.read(data_key)
        if isinstance(data, list):
            stacks = self.alike(data, data_key)
            if any(cell.ndim > 2 for cell in data):
                return self.cell_of_stacks(stacks, data_key)
            # Single pictures are one stack, with labels of their own.
            variables = self.variables | {data_key: np.concatenate(stacks)}
            options = replace(self.options, data_key=data_key, orientation="rows")
            return replace(self, variables=variables, options=options).reading()
        if not self.labelled and self.options.label_key is None and len(self.variables) == 1:
            return self.alone(data, data_key)
        label_key = self.label_key(data_key, data)
        labels = self.read(label_key)
        if isinstance(labels, list):
            raise self.unfit(f"{label_key} is a cell of arrays, no labels")
        return self.matrix(data, data_key, labels, label_key)

    def unfit(self, *what: Part) -> DataError:
        """An error that lists the variables that there are."""
        return DataError(f"{self.path}: ", *what, f"; variables: {describe(self.variables) or 'none'}")

    def read(self, name: str) -> np.ndarray | list[np.ndarray]:
        """The value of a variable that is wanted."""
        value = self.variables[name]
        if isinstance(value, str):
            how = "save it as real numbers, or labels as numbers or a cell of texts"
            raise self.unfit(f"{name} is not read, since it is {value}; {how}")
        return value

    def named(self, option: str) -> str | None:
        """The variable that an option names, if it does."""
        name: str | None = getattr(self.options, option)
        if name is not None and name not in self.variables:
            known = suggest(name, self.variables)
            raise DataError(f"{self.path} has no variable {name!r} (", Setting(option), f"); {known}")
        return name

    def data_key(self) -> str:
        """The name of the images."""
        if (name := self.named("data_key")) is not None:
            value = self.read(name)
            if not isinstance(value, list) and (value.ndim not in (2, 3) or value.dtype.kind not in "biuf"):
                raise self.unfit(f"{name} {colour(value) or 'is no matrix of numbers'}")
            return name
        found = [name for name in self.variables if name != self.options.label_key and self.may_be_data(name)]
        found = [name for name in found if _last(name) in IMAGE_NAMES] or found
        found = [name for name in found if not self.may_be_one_hot(name)] or found
        if not found:
            arrays = {name: value for name, value in self.variables.items() if isinstance(value, np.ndarray)}
            stacks = [f"{name} {how}" for name, value in arrays.items() if (how := colour(value))]
            raise self.unfit(stacks[0] if stacks else "no variable holds a matrix of numbers")
        return self.only(found, "images", "data_key")

    def may_be_data(self, name: str) -> bool:
        """Whether a variable is a matrix, a stack or a cell, or unread with a name of images."""
        value = self.variables[name]
        if isinstance(value, np.ndarray):
            return value.dtype.kind in "biuf" and value.ndim in (2, 3) and min(value.shape) > 1
        return isinstance(value, list) or _last(name) in IMAGE_NAMES

    def may_be_one_hot(self, name: str) -> bool:
        """Whether a variable may be labels rather than images."""
        value = self.variables[name]
        return isinstance(value, np.ndarray) and one_hot_axis(value, max(value.shape)) is not None

    def label_key(self, data_key: str, data: np.ndarray) -> str:
        """The name of the labels."""
        if (name := self.named("label_key")) is not None:
            return name
        others = {name: value for name, value in self.variables.items() if name != data_key}
        found = [name for name in others if _last(name) in LABEL_NAMES]
        # Within a struct, its own labels come before others.
        struct = data_key.rpartition(".")[0]
        found = [name for name in found if name.rpartition(".")[0] == struct] or found
        found = found or [
            name
            for name, value in others.items()
            if isinstance(value, np.ndarray)
            and value.ndim > 0
            and max(value.shape) == value.size in data.shape
        ]
        if not found:
            which = ("say which with ", Setting("label_key"), ", or ") if others else ()
            raise self.unfit(f"no variable holds labels for {data_key}; ", *which, ALONE)
        return self.only(found, "labels", "label_key")

    def only(self, names: list[str], what: str, option: str) -> str:
        """The first of the names; others must hold the same."""
        first, *others = (self.variables[name] for name in names)
        same = isinstance(first, np.ndarray) and all(
            isinstance(other, np.ndarray) and np.array_equal(other, first) for other in others
        )
        if others and not same:
            which = ("; say which with ", Setting(option))
            raise self.unfit(f"{' and '.join(names)} could be the {what}", *which)
        return names[0]

    def alone(self, data: np.ndarray, data_key: str) -> Reading:
        """Images without labels, which for all of them are 0 then."""
        notes: tuple[str, ...] = ("the file holds no labels",)
        if self.options.orientation is None:
            if data.shape[0] == data.shape[-1]:
                how = (Setting("orientation"), " whether rows or columns are samples")
                raise DataError(f"{self.path} is {' x '.join(map(str, data.shape))}: say with ", *how)
            notes += ("rows are taken as samples, since nothing says otherwise (orientation does)",)
        orientation = self.options.orientation or "rows"
        labels = np.zeros(data.shape[0 if orientation == "rows" else -1])
        contents = replace(self, options=replace(self.options, orientation=orientation))
        reading = contents.matrix(data, data_key, labels, "y")
        return replace(reading, notes=(*reading.notes, *notes))

    def matrix(self, data: np.ndarray, data_key: str, labels: np.ndarray, label_key: str) -> Reading:
        """Images in the rows or columns of a matrix, or a stack of pictures along its first or last axis."""
        size, stack = " x ".join(map(str, data.shape)), data.ndim == 3
        rows, columns = (
            labels.size == n or one_hot_axis(labels, n) is not None for n in (data.shape[0], data.shape[-1])
        )
        orientation, notes = self.options.orientation, tuple[str, ...]()
        if orientation is None:
            if rows and columns:
                ways, which = "ways", "rows or columns are images"
                if stack:
                    ways, which = "ends", "the first axis (rows) or the last (columns) counts the images"
                how = (Setting("orientation"), f" whether {which}")
                fits = f"{data_key} is {size} and {label_key} fits both {ways}"
                raise DataError(f"{self.path}: {fits}; say with ", *how)
            if not (rows or columns or stack):
                raise DataError(
                    f"{self.path}: {label_key} has {labels.size} entries, but {data_key} is {size}; every "
                    "image needs one label"
                )
            orientation = "rows" if rows else "columns"
            if orientation == "columns" and not stack:
                notes = (f"columns of {data_key} are the images: {label_key} has {data.shape[1]} labels",)
        X = data if orientation == "rows" else np.moveaxis(data, -1, 0)
        vector = label_vector(labels, len(X), f"{self.path}: {label_key} (for {data_key}, {size})")
        if stack:
            return self.pictures(X, vector, data_key)
        shape = self.options.shape
        return Reading(upright(X, shape, self.options.pixel_order, self.path), vector, shape, notes=notes)

    def alike(self, cells: list[np.ndarray], data_key: str) -> list[np.ndarray]:
        """The cells of a MATLAB cell as stacks (n, rows, columns); a single picture is a stack of one."""
        stacks = [np.moveaxis(np.atleast_3d(cell), 2, 0) for cell in cells]
        if any(stack.ndim != 3 or stack.shape[1:] != stacks[0].shape[1:] for stack in stacks):
            raise DataError(f"{self.path}: the cells of {data_key} are no stacks of pictures of one size")
        return stacks

    def cell_of_stacks(self, stacks: list[np.ndarray], data_key: str) -> Reading:
        """A MATLAB cell with one h x w x n stack of pictures for each class."""
        if {len(stack) for stack in stacks} <= {1, 3}:
            size = " x ".join(map(str, stacks[0].shape[1:]))
            how = "save grey pictures in the first case, one stack with labels in the second"
            what = f"cells of {size} x 3, which are pictures in colour or classes of three pictures; {how}"
            raise DataError(f"{self.path}: {data_key} has {what}")
        if self.options.label_key is not None:
            raise DataError(
                f"{self.path}: {data_key} has one cell per class, so ",
                Setting("label_key"),
                " does not apply",
            )
        labels = np.repeat(np.arange(1, len(stacks) + 1), [len(stack) for stack in stacks])
        reading = self.pictures(np.concatenate(stacks), labels, data_key)
        return replace(reading, notes=(f"each cell of {data_key} is taken as a class",))

    def pictures(self, stack: np.ndarray, labels: np.ndarray, data_key: str) -> Reading:
        """A stack (n, rows, columns); a shape that is given must be that of its pictures."""
        found, given = stack.shape[1:], self.options.shape
        # Of a dataset by name `loading.compare` says it, which `accept_mismatch` overrules.
        if given not in (None, found) and self.options.name is None:
            what = f" is {self.options.image_shape}, but the pictures of {data_key} are {found[0]}x{found[1]}"
            raise DataError(f"{self.path}: ", Setting("image_shape"), f"{what}; leave it out")
        return Reading(_flat(stack), labels, found)


def colour(array: np.ndarray) -> str:
    """That an array is a stack of colour images, and what to do, for messages; empty where it is none."""
    if array.ndim != 4 or array.dtype.kind not in "biuf":
        return ""
    threes, fours = ([axis for axis in (1, 2, 3) if array.shape[axis] == size] for size in (3, 4))
    if not (channels := threes or fours):
        return ""
    how = f", as X.mean(axis={channels[0]})," if len(channels) == 1 else ""
    return f"is a stack of colour images: average the channels{how} and save them as a stack of grey ones"


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
    return _flat(X.reshape(-1, columns, rows).transpose(0, 2, 1))


def _flat(pictures: np.ndarray) -> np.ndarray:
    return np.ascontiguousarray(pictures, dtype=np.float64).reshape(len(pictures), -1)


def _last(name: str) -> str:
    return name.rpartition(".")[2].lower()
