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
from .variables import Variables, unread, with_sizes

IMAGE_NAMES = ("fea", "features", "x", "data", "images", "imgs", "faces")
LABEL_NAMES = ("gnd", "label", "labels", "y", "target", "targets", "class", "classes", "gt", "ground_truth")
# The remedy where there are no labels at all.
ALONE = "save a matrix alone (.npy, .npz, .mat), which `nmfrepro fit` and load_dataset take without labels"


def arrange(variables: Variables, options: DatasetOptions, path: Path) -> Reading:
    """Find images and labels among a file's variables and bring them into order.

    A matrix alone has no labels, and its rows are samples unless `orientation` says otherwise.

    Raises
    ------
    DataError
        Where they cannot be told (the message names the variables and the option that tells), or do not fit.
    """
    reading = _Contents(variables, options, path).reading()
    return replace(reading, notes=reading.notes + unread(variables))


@dataclass(frozen=True)
class _Contents:
    """The variables of a file, and what the user said of them."""

    variables: Variables
    options: DatasetOptions
    path: Path

    def reading(self) -> Reading:
        """Images and labels."""
        data_key = self.data_key()
        data = self.read(data_key)
        if isinstance(data, list):
            stacks = [np.moveaxis(np.atleast_3d(cell), 2, 0) for cell in data]
            if any(stack.ndim != 3 or stack.shape[1:] != stacks[0].shape[1:] for stack in stacks):
                raise DataError(f"{self.path}: the cells of {data_key} are no stacks of pictures of one size")
            if any(cell.ndim > 2 for cell in data):
                return self.classes(stacks, data_key)
            data = np.concatenate(stacks)
        if self.options.label_key is None and len(self.variables) == 1:
            return self.matrix(data, data_key, None, "")
        label_key = self.label_key(data_key, data)
        labels = self.read(label_key)
        if isinstance(labels, list):
            raise self.unfit(f"{label_key} is a cell of arrays, no labels")
        return self.matrix(data, data_key, labels, label_key)

    def unfit(self, *what: Part) -> DataError:
        """An error that lists the variables that there are."""
        return DataError(f"{self.path}: ", *what, f"; variables: {with_sizes(self.variables) or 'none'}")

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
        name = self.named("data_key")
        if name is None:
            found = [each for each in self.variables if self.may_be_data(each)]
            found = [each for each in found if _last(each) in IMAGE_NAMES] or found
            found = [each for each in found if _last(each) not in LABEL_NAMES] or found
            name = self.only(found, "images", "data_key") if found else ""
        value = self.variables.get(name)
        if value is None or (isinstance(value, np.ndarray) and not _is_matrix(value)):
            what = f"{name} is no matrix of numbers" if name else "no variable holds a matrix of numbers"
            how = "give real numbers, an image in each row; of colour images, the mean of the channels"
            raise self.unfit(f"{what}; {how}")
        return name

    def may_be_data(self, name: str) -> bool:
        """Whether a variable is a matrix, a stack or a cell, or unread with a name of images."""
        value = self.variables[name]
        if name == self.options.label_key:
            return False
        if isinstance(value, np.ndarray):
            return _is_matrix(value) and min(value.shape) > 1
        return isinstance(value, list) or _last(name) in IMAGE_NAMES

    def label_key(self, data_key: str, data: np.ndarray) -> str:
        """The name of the labels."""
        if (name := self.named("label_key")) is not None:
            return name
        others = {name: value for name, value in self.variables.items() if name != data_key}
        found = [name for name in others if _last(name) in LABEL_NAMES] or [
            name
            for name, value in others.items()
            if isinstance(value, np.ndarray)
            and value.ndim > 0
            and max(value.shape) == value.size in data.shape
        ]
        if not found:
            how = (Setting("label_key"), f", or {ALONE}")
            raise self.unfit(f"no variable holds labels for {data_key}; say which with ", *how)
        return self.only(found, "labels", "label_key")

    def only(self, names: list[str], what: str, option: str) -> str:
        """The first of the names; a file may hold the same twice (COIL-20's does), but nothing else."""
        first, *others = (self.variables[name] for name in names)
        if not all(np.array_equal(first, other) for other in others):
            raise self.unfit(f"{' and '.join(names)} could be the {what}; say which with ", Setting(option))
        return names[0]

    def matrix(self, data: np.ndarray, data_key: str, labels: np.ndarray | None, label_key: str) -> Reading:
        """Images in the rows or columns of a matrix, or a stack of pictures along its first or last axis.

        Without labels all are 0.
        """
        given, notes = self.options.orientation, list[str]()
        orientation = given or self.orientation(data, data_key, labels, label_key)
        X = data if orientation == "rows" else np.moveaxis(data, -1, 0)
        if labels is None:
            y, notes = np.zeros(len(X), np.int64), ["the file holds no labels"]
            if given is None:
                notes.append("rows are taken as samples, since nothing says otherwise (orientation does)")
        else:
            y = label_vector(labels, len(X), f"{self.path}: {label_key}")
            if given is None and orientation == "columns" and data.ndim == 2:
                notes.append(f"columns of {data_key} are the images: {label_key} has {len(X)} labels")
        if data.ndim == 3:
            reading = self.pictures(X, y, data_key)
        else:
            shape = self.options.shape
            reading = Reading(upright(X, shape, self.options.pixel_order, self.path), y, shape)
        return replace(reading, labelled=labels is not None, notes=tuple(notes))

    def orientation(self, data: np.ndarray, data_key: str, labels: np.ndarray | None, label_key: str) -> str:
        """Which way round the images lie, by the number of labels; rows where there are none."""
        first, last = data.shape[0], data.shape[-1]
        if labels is None:
            rows, columns = True, first == last
        else:
            rows, columns = (labels.size == n or one_hot_axis(labels, n) is not None for n in (first, last))
        if rows and columns:
            what = f"{data_key} may have an image in each row (of its first axis) or column (of its last)"
            raise self.unfit(f"{what}; say which with ", Setting("orientation"))
        if not (rows or columns):
            raise self.unfit(f"{label_key} has not one label for every image of {data_key}")
        return "rows" if rows else "columns"

    def classes(self, stacks: list[np.ndarray], data_key: str) -> Reading:
        """A MATLAB cell with one h x w x n stack of pictures for each class."""
        if {len(stack) for stack in stacks} <= {1, 3}:
            size = " x ".join(map(str, stacks[0].shape[1:]))
            how = "save grey pictures in the first case, one stack with labels in the second"
            what = f"cells of {size} x 3, which are pictures in colour or classes of three pictures; {how}"
            raise DataError(f"{self.path}: {data_key} has {what}")
        if self.options.label_key is not None:
            raise self.unfit(f"{data_key} has one cell per class; leave out ", Setting("label_key"))
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


def _is_matrix(value: np.ndarray) -> bool:
    return value.dtype.kind in "biuf" and value.ndim in (2, 3)


def _last(name: str) -> str:
    return name.rpartition(".")[2].lower()
