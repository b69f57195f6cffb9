"""The .npz files that nmfrepro writes itself: checked datasets; all that a spec adds is the scale."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from ...core.errors import DataError
from ..definition import Reading
from ..labels import label_vector
from .guard import file_hash
from .npz import read_npz
from .quarantine import quarantined
from .variables import Variables

MARK = "nmfrepro_dataset"  # a variable of that name tells such a file from others
SCHEMA = 1


@dataclass(frozen=True, eq=False)
class Archive:
    """What such a file holds; the fields mean what they mean in `Reading` and `Dataset`."""

    X: np.ndarray
    labels: np.ndarray
    image_shape: tuple[int, int] | None
    levels: float | None
    name: str
    source: str
    origin: str
    credit: str
    notes: tuple[str, ...]

    def reading(self, path: Path, levels: float | None = None) -> Reading:
        """The same as a reader's result, with `levels` in place of its own if they are given."""
        return Reading(
            X=self.X,
            labels=self.labels,
            image_shape=self.image_shape,
            levels=self.levels if levels is None else levels,
            origin=f"{path.name}: {self.origin}",
            file_sha256=file_hash(path),
            source=self.source,
            notes=self.notes,
        )

    def in_spec(self, path: Path) -> str:
        """How a spec names the file: all that is left to choose is the scale."""
        scale = "max} (or l2, none)" if self.levels is None else "grey}"
        return f"dataset: {{file: {path}, scale: {scale}"


def is_archive(variables: Variables) -> bool:
    """Whether a .npz file was written by `write_archive`."""
    return MARK in variables


def write_archive(path: Path, archive: Archive) -> None:
    """Write a dataset to a .npz file, under a temporary name first, then moved into place.

    Whole numbers 0 … 255 are stored as bytes; readers turn them back into float64.
    """
    whole = bool(np.all((archive.X >= 0) & (archive.X <= 255) & (np.rint(archive.X) == archive.X)))
    shape = () if archive.image_shape is None else archive.image_shape
    temporary = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        with temporary.open("wb") as stream:
            np.savez_compressed(
                stream,
                X=archive.X.astype(np.uint8) if whole else archive.X,
                y=archive.labels,
                image_shape=np.array(shape, dtype=np.int64),
                levels=np.array(np.nan if archive.levels is None else archive.levels),
                name=np.array(archive.name),
                source=np.array(archive.source),
                origin=np.array(archive.origin),
                credit=np.array(archive.credit),
                notes=np.array(archive.notes, dtype=str),
                nmfrepro_dataset=np.array(SCHEMA),
            )
        temporary.replace(path)
    except OSError as error:
        raise DataError(f"{path} cannot be written: {error.strerror or error}") from None
    finally:
        temporary.unlink(missing_ok=True)


def read_archive(path: Path) -> Archive:
    """Read a .npz file of `write_archive`.

    Raises
    ------
    DataError
        If it is none, of a later schema, or damaged.
    """
    return quarantined(_read, path)


def _read(path: Path) -> Archive:
    return unpack(read_npz(path), path)


def unpack(variables: Variables, path: Path) -> Archive:
    """The archive among a .npz file's variables.

    Raises
    ------
    DataError
        As `read_archive`.
    """
    arrays = {name: value for name, value in variables.items() if isinstance(value, np.ndarray)}
    if MARK not in arrays:
        raise DataError(f"{path} was not made by nmfrepro; bring it in with `nmfrepro data import`")
    if arrays[MARK].size != 1 or arrays[MARK].item() != SCHEMA:
        raise DataError(f"{path} was written by another version of nmfrepro; import the original again")
    try:
        X, shape, levels = arrays["X"], arrays["image_shape"], float(arrays["levels"])
        words = {name: str(arrays[name].item()) for name in ("name", "source", "origin", "credit")}
        labels, notes = arrays["y"], tuple(str(note) for note in arrays["notes"])
    except (KeyError, ValueError, TypeError) as error:
        raise DataError(f"{path} is damaged ({error}); import the original again") from None
    if X.ndim != 2 or shape.size not in (0, 2) or (shape.size and int(shape.prod()) != X.shape[1]):
        raise DataError(f"{path} is damaged: its images have {X.shape} values; import the original again")
    if (
        X.dtype.kind not in "biuf"
        or shape.dtype.kind not in "iu"
        or not (np.isnan(levels) or 0 < levels < np.inf)
    ):
        raise DataError(
            f"{path} is damaged: X ({X.dtype}), image_shape ({shape.dtype}) or levels ({levels:g}) is "
            "nothing that nmfrepro writes; import the original again"
        )
    return Archive(
        X=X.astype(np.float64),
        labels=label_vector(labels, X.shape[0], f"{path}: y"),
        image_shape=(int(shape[0]), int(shape[1])) if shape.size else None,
        levels=None if np.isnan(levels) else levels,
        notes=notes,
        **words,
    )
