"""A file or folder of the user's own, read as its options say."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np

from ..core.errors import DataError, Setting
from .definition import Reading
from .formats.archive import is_archive, unpack
from .formats.arrange import Arranged, Layout, arrange
from .formats.csv import read_csv
from .formats.guard import file_hash, regular_file
from .formats.idx import images_in, labels_beside, read_idx_pair
from .formats.images import read_folder
from .formats.npz import read_npy
from .formats.quarantine import quarantined
from .formats.tables import kind_of, read_variables
from .formats.textmode import explained
from .request import DatasetOptions, parse_shape

_LAYOUT = ("data_key", "label_key", "orientation", "image_shape", "pixel_order", "levels")
# Which options say something about which kind of file; others are refused rather than ignored.
_APPLY = {
    "folder": ("size", "exclude"),
    "idx": ("labels_file", "levels"),
    "npy": ("labels_file", "orientation", "image_shape", "pixel_order", "levels"),
    "csv": ("label_key", "first_line", "image_shape", "pixel_order", "levels"),
    "mat": _LAYOUT,
    "archive": ("levels",),
}
_IN_WORDS = {
    "folder": "a folder of images",
    "idx": "an IDX file",
    "npy": "a .npy file",
    "csv": "a CSV file",
    "mat": "a file of variables",
    "archive": "a file made by nmfrepro",
}
_ALL = ("size", "exclude", "labels_file", "first_line", *_LAYOUT)


def read_user_file(options: DatasetOptions, restore: bool = False) -> Reading:
    """Read what `options.file` names.

    Parameters
    ----------
    options : DatasetOptions
    restore : bool
        Undo text-mode conversions in a folder of images, where that is certain.

    Raises
    ------
    DataError
        If it is missing, damaged or ambiguous, or an option does not apply to it.
    """
    path = Path(options.file or "").expanduser()
    if path.is_dir():
        found = images_in(path)
        if not found:
            return quarantined(_folder, path, options, restore)
        if len(found) > 1:
            names = ", ".join(file.name for file in found)
            raise DataError(f"{path} holds several IDX files of images ({names}); name one of them")
        path = found[0]
    readers: dict[str, Callable[[Path, DatasetOptions], Reading]] = {
        "idx": _idx,
        "npy": _npy,
        "csv": _csv,
        "mat": _variables,
        "npz": _variables,
    }
    kind = kind_of(path)
    if kind == "mat":
        from .formats import mat  # noqa: F401  once here, instead of in every child
    return quarantined(readers[kind], path, options)


def layout_of(options: DatasetOptions) -> Layout:
    """What the options say of a file's layout."""
    shape = None if options.image_shape is None else parse_shape(options.image_shape, "image_shape")
    return Layout(
        data_key=options.data_key,
        label_key=options.label_key,
        orientation=options.orientation,
        image_shape=shape,
        pixel_order=options.pixel_order,
        first_line=options.first_line,
    )


def _only(kind: str, options: DatasetOptions, path: Path) -> None:
    for name in _ALL:
        if getattr(options, name) is not None and name not in _APPLY[kind]:
            raise DataError(f"{path}: ", Setting(name), f" does not apply to {_IN_WORDS[kind]}; leave it out")


def _folder(path: Path, options: DatasetOptions, restore: bool) -> Reading:
    _only("folder", options, path)
    resize = None if options.size is None else parse_shape(options.size, "size")
    folder = read_folder(path, resize=resize, exclude=options.exclude, restore=restore)
    return Reading(
        X=folder.X,
        labels=folder.labels,
        image_shape=folder.image_shape,
        levels=255.0,
        origin=f"images of the folder {path.name}, {folder.method}",
        notes=folder.notes,
    )


def _idx(path: Path, options: DatasetOptions) -> Reading:
    _only("idx", options, path)
    labels = labels_beside(path) if options.labels_file is None else Path(options.labels_file).expanduser()
    if labels is None:
        raise DataError(
            f"{path}: no file of labels was found beside it; name it with ", Setting("labels_file")
        )
    pictures, values = read_idx_pair(path, labels)
    return Reading(
        X=pictures.reshape(len(pictures), -1).astype(np.float64),
        labels=values,
        image_shape=(pictures.shape[1], pictures.shape[2]),
        levels=options.levels,
        origin=f"{path.name} and {labels.name}",
        file_sha256=file_hash(path),
    )


def _npy(path: Path, options: DatasetOptions) -> Reading:
    _only("npy", options, path)
    if options.labels_file is None:
        raise DataError(
            f"{path} holds a single array; name a .npy file of labels with ", Setting("labels_file")
        )
    labels = regular_file(Path(options.labels_file).expanduser())
    if kind_of(labels) != "npy":
        raise DataError(f"{labels} is no .npy file, as the labels of {path.name} must be")
    arranged = arrange(
        {"X": explained(read_npy, path), "y": explained(read_npy, labels)}, layout_of(options), path
    )
    return _reading(arranged, path, options, f"{path.name} and {labels.name}")


def _csv(path: Path, options: DatasetOptions) -> Reading:
    _only("csv", options, path)
    return _reading(read_csv(path, layout_of(options)), path, options, path.name)


def _variables(path: Path, options: DatasetOptions) -> Reading:
    variables = read_variables(path)
    if is_archive(variables):
        _only("archive", options, path)
        return unpack(variables, path).reading(path, options.levels)
    _only("mat", options, path)
    return _reading(arrange(variables, layout_of(options), path), path, options, path.name)


def _reading(arranged: Arranged, path: Path, options: DatasetOptions, origin: str) -> Reading:
    return Reading(
        X=arranged.X,
        labels=arranged.labels,
        image_shape=arranged.image_shape,
        levels=options.levels,
        origin=origin,
        file_sha256=file_hash(path),
        notes=arranged.notes,
    )
