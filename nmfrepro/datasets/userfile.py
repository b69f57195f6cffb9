"""A file or folder of the user's own, read as its options say."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np

from ..core.errors import DataError, Setting
from .definition import Reading
from .formats.archive import MARK, unpack
from .formats.arrange import arrange, colour
from .formats.csv import read_csv
from .formats.guard import file_hash
from .formats.idx import labels_beside, read_idx_pair
from .formats.images import read_folder
from .formats.npz import read_npy
from .formats.quarantine import quarantined
from .formats.tables import kind_of, read_variables
from .formats.textmode import explained
from .request import FILE_OPTIONS, DatasetOptions, parse_shape

_LAYOUT = ("data_key", "label_key", "orientation", "image_shape", "pixel_order", "levels")
# What messages call a kind of file, and which options say something about it; others are refused.
_KINDS = {
    "folder": ("a folder of images", ("size", "exclude")),
    "idx": ("an IDX file", ("labels_file", "levels")),
    "npy": ("a .npy file", ("labels_file", "orientation", "image_shape", "pixel_order", "levels")),
    "csv": ("a CSV file", ("label_key", "first_line", "image_shape", "pixel_order", "levels")),
    "variables": ("a file of variables", _LAYOUT),
    "archive": ("a file made by nmfrepro", ("levels",)),
}


def read_user_file(options: DatasetOptions, restore: bool = False, labelled: bool = True) -> Reading:
    """Read what `options.file` names.

    Parameters
    ----------
    options : DatasetOptions
    restore : bool
        Undo text-mode conversions in a folder of images, where that is certain.
    labelled : bool
        Whether a matrix alone in a .npy, .npz or .mat file is refused.

    Raises
    ------
    DataError
        If it is missing, damaged or ambiguous, or an option does not apply to it.
    """
    path = Path(options.file or "").expanduser()
    if path.is_dir():
        found = sorted(each for each in path.glob("*images*idx3*") if each.is_file())
        if not found:
            _only("folder", options, path)
            return quarantined(read_folder, path, parse_shape(options.size, "size"), options.exclude, restore)
        if len(found) > 1:
            names = ", ".join(file.name for file in found)
            raise DataError(f"{path} holds several IDX files of images ({names}); name one of them")
        path = found[0]
    kind = kind_of(path)
    if kind in _KINDS:
        _only(kind, options, path)
    if kind == "mat":
        from .formats import mat  # noqa: F401  once here, instead of in every child
    reading = quarantined(_READERS[kind], path, options, labelled)
    levels = reading.levels if options.levels is None else options.levels
    return replace(reading, levels=levels, origin=reading.origin or path.name, file_sha256=file_hash(path))


def _only(kind: str, options: DatasetOptions, path: Path) -> None:
    called, apply = _KINDS[kind]
    for name in FILE_OPTIONS:
        if getattr(options, name) is not None and name not in apply:
            raise DataError(f"{path}: ", Setting(name), f" does not apply to {called}; leave it out")


def _csv(path: Path, options: DatasetOptions, labelled: bool) -> Reading:
    return read_csv(path, options)


def _idx(path: Path, options: DatasetOptions, labelled: bool) -> Reading:
    labels = labels_beside(path) if options.labels_file is None else Path(options.labels_file).expanduser()
    if labels is None:
        how = Setting("labels_file")
        raise DataError(f"{path}: no file of labels was found beside it; name it with ", how)
    pictures, values = read_idx_pair(path, labels)
    X = pictures.reshape(len(pictures), -1).astype(np.float64)
    return Reading(X, values, pictures.shape[1:], f"{path.name} and {labels.name}")


def _npy(path: Path, options: DatasetOptions, labelled: bool) -> Reading:
    if options.labels_file is None and not labelled:
        X = explained(read_npy, path)
        if X.size == 0 or X.ndim not in (2, 3) or X.dtype.kind not in "biuf":
            shape = " x ".join(map(str, X.shape)) or "a single value"
            what = f"is {shape} of {X.dtype}: give images as real numbers, one in each row"
            raise DataError(f"{path} {colour(X) or what}")
        return arrange({"X": X}, options, path, labelled)
    if options.labels_file is None:
        how = Setting("labels_file")
        raise DataError(f"{path} holds a single array; name a .npy file of labels with ", how)
    labels = Path(options.labels_file).expanduser()
    if kind_of(labels) != "npy":
        raise DataError(f"{labels} is no .npy file, as the labels of {path.name} must be")
    reading = arrange({"X": explained(read_npy, path), "y": explained(read_npy, labels)}, options, path)
    return replace(reading, origin=f"{path.name} and {labels.name}")


def _variables(path: Path, options: DatasetOptions, labelled: bool) -> Reading:
    variables = read_variables(path)
    if MARK in variables:
        _only("archive", options, path)
        return unpack(variables, path)
    _only("variables", options, path)
    return arrange(variables, options, path, labelled)


_READERS = {"idx": _idx, "npy": _npy, "csv": _csv, "mat": _variables, "npz": _variables}
