"""A file or folder of the user's own, read as its options say."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np

from ..core.errors import DataError, Setting
from .definition import Reading
from .formats.archive import MARK, unpack
from .formats.arrange import arrange
from .formats.csv import read_csv
from .formats.guard import file_hash
from .formats.idx import labels_beside, read_idx_pair
from .formats.images import read_folder
from .formats.npz import read_npy
from .formats.quarantine import quarantined
from .formats.tables import kind_of, read_variables
from .formats.variables import Variables, flatten
from .request import FILE_OPTIONS, DatasetOptions, parse_shape

_LAID_OUT = ("orientation", "image_shape", "pixel_order", "levels")
# What messages call a kind of file, and which options say something about it; others are refused.
_KINDS = {
    "folder": ("a folder of images", ("size", "exclude")),
    "idx": ("an IDX file", ("labels_file", "levels")),
    "npy": ("a .npy file", ("labels_file", *_LAID_OUT)),
    "csv": ("a CSV file", ("label_key", "first_line", "image_shape", "pixel_order", "levels")),
    "variables": ("a file of variables", ("data_key", "label_key", *_LAID_OUT)),
    "archive": ("a file made by nmfrepro", ("levels",)),
}


def read_user_file(options: DatasetOptions) -> Reading:
    """Read what `options.file` names.

    Raises
    ------
    DataError
        If it is missing, damaged or ambiguous, or an option does not apply to it.
    """
    path = Path(options.file or "").expanduser()
    if path.is_dir() and (found := sorted(each for each in path.glob("*images*idx3*") if each.is_file())):
        if len(found) > 1:
            names = ", ".join(file.name for file in found)
            raise DataError(f"{path} holds several IDX files of images ({names}); name one of them")
        path = found[0]
    if path.suffix.lower() == ".mat":
        from .formats import mat  # noqa: F401  once here, instead of in every child
    reading = quarantined(_read, path, options)
    levels = reading.levels if options.levels is None else options.levels
    digest = None if path.is_dir() else file_hash(path)
    return replace(reading, levels=levels, origin=reading.origin or path.name, file_sha256=digest)


def _read(path: Path, options: DatasetOptions) -> Reading:
    kind = "folder" if path.is_dir() else kind_of(path)
    variables: Variables = {}
    if kind in ("mat", "npz"):
        variables = read_variables(path)
        kind = "archive" if MARK in variables else "variables"
    called, apply = _KINDS[kind]
    for name in FILE_OPTIONS:
        if getattr(options, name) is not None and name not in apply:
            raise DataError(f"{path}: ", Setting(name), f" does not apply to {called}; leave it out")
    match kind:
        case "folder":
            return read_folder(path, parse_shape(options.size, "size"), options.exclude)
        case "csv":
            return read_csv(path, options)
        case "idx":
            return _idx(path, options)
        case "npy":
            return _npy(path, options)
        case "archive":
            return unpack(variables, path)
    return arrange(variables, options, path)


def _idx(path: Path, options: DatasetOptions) -> Reading:
    labels = labels_beside(path) if options.labels_file is None else Path(options.labels_file).expanduser()
    if labels is None:
        how = Setting("labels_file")
        raise DataError(f"{path}: no file of labels was found beside it; name it with ", how)
    pictures, values = read_idx_pair(path, labels)
    X = pictures.reshape(len(pictures), -1).astype(np.float64)
    return Reading(X, values, pictures.shape[1:], f"{path.name} and {labels.name}")


def _npy(path: Path, options: DatasetOptions) -> Reading:
    variables, origin = {"X": read_npy(path)}, path.name
    if options.labels_file is not None:
        labels = Path(options.labels_file).expanduser()
        if kind_of(labels) != "npy":
            raise DataError(f"{labels} is no .npy file, as the labels of {path.name} must be")
        variables["y"], origin = read_npy(labels), f"{path.name} and {labels.name}"
    return replace(arrange(flatten(variables), options, path), origin=origin)
