"""The .npz files that nmfrepro writes itself: checked datasets; all that a spec adds is the scale."""

from __future__ import annotations

from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np

from ...core import files
from ...core.errors import DataError
from ..definition import Reading
from ..labels import label_vector
from .guard import file_hash
from .npz import read_npz
from .quarantine import quarantined
from .variables import Variables

MARK = "nmfrepro_dataset"  # a variable of that name tells such a file from others
SCHEMA = 1
_WORDS = ("name", "source", "origin", "credit")


def write_archive(path: Path, dataset: Reading) -> None:
    """Write a dataset to a .npz file; whole numbers 0 … 255 are stored as bytes.

    Raises
    ------
    ResultsError
        If it cannot be written.
    """
    X = dataset.X
    whole = bool(np.all((X >= 0) & (X <= 255) & (np.rint(X) == X)))
    arrays: dict[str, Any] = {
        "X": X.astype(np.uint8) if whole else X,
        "y": dataset.labels,
        "image_shape": np.array(dataset.image_shape or (), dtype=np.int64),
        "levels": np.array(np.nan if dataset.levels is None else dataset.levels),
        "notes": np.array(dataset.notes, dtype=str),
        MARK: np.array(SCHEMA),
    }
    content = BytesIO()
    arrays |= {name: np.array(getattr(dataset, name)) for name in _WORDS}
    np.savez_compressed(content, **arrays)
    files.replace(path, content.getvalue())


def read_archive(path: Path) -> Reading:
    """Read a .npz file of `write_archive`.

    Raises
    ------
    DataError
        If it is none, of a later schema, or damaged.
    """
    return quarantined(lambda file: unpack(read_npz(file), file), path)


def unpack(variables: Variables, path: Path) -> Reading:
    """The dataset among a .npz file's variables.

    Any error may come of a damaged one.
    """
    arrays = {name: value for name, value in variables.items() if isinstance(value, np.ndarray)}
    if MARK not in arrays:
        raise DataError(f"{path} was not made by nmfrepro; bring it in with `nmfrepro data import`")
    if arrays[MARK] != SCHEMA:
        raise DataError(f"{path} was written by another version of nmfrepro; import the original again")
    X, shape = arrays["X"].astype(np.float64, casting="same_kind"), tuple(map(int, arrays["image_shape"]))
    X.reshape(len(X), *(shape or X.shape[1:]))  # which fails where the shape is another
    words: dict[str, Any] = {name: str(arrays[name].item()) for name in _WORDS}
    levels = float(arrays["levels"])
    if X.ndim != 2 or len(shape) not in (0, 2) or not (np.isnan(levels) or 0 < levels < np.inf):
        raise ValueError(f"X is {X.shape}, image_shape {shape}, levels {levels:g}")
    return Reading(
        X=X,
        labels=label_vector(arrays["y"], len(X), f"{path}: y"),
        image_shape=(shape[0], shape[1]) if shape else None,
        levels=None if np.isnan(levels) else levels,
        file_sha256=file_hash(path),
        notes=tuple(map(str, arrays["notes"])),
        **words | {"origin": f"{path.name}: {words['origin']}"},
    )
