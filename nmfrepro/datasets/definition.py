"""What is known of a dataset before it is loaded, and the places it may come from."""

from __future__ import annotations

import abc
import os
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from ..core.errors import DataError, Setting
from ..core.problem import Shape

if TYPE_CHECKING:
    from .request import DatasetOptions

ENVIRONMENT = "NMFREPRO_DATA"
# How a note begins, or goes on, that data is not what its name says; recorded results hold such notes.
OTHER_DATA, OTHER_COPY = "not what the name ", " is not the copy known "


def is_other(note: str) -> bool:
    """Whether a note says that data is not what its name says."""
    return note.startswith(OTHER_DATA) or OTHER_COPY in note


@dataclass(frozen=True, eq=False)
class Reading:
    """What a reader found: images as they are to be used, labels as they were written.

    Attributes
    ----------
    X : ndarray of float64, shape (n, m)
        Rows are samples, upright images row by row.
    labels : ndarray, shape (n,)
        Integers or text, not yet coded; all 0 where the file holds none.
    image_shape : (rows, columns) or None
    origin : str
        File or package, and what was done to it.
    levels : float or None
        The range the file itself states, if it does.
    file_sha256 : str or None
    source, name, credit : str
        What a file of nmfrepro's own says of itself, else empty.
    notes : tuple of str
    files : tuple of str
        What messages call the samples of a folder, else empty.
    labelled : bool
        Whether the file holds labels.

    Raises
    ------
    ValueError
        If there are no images.
    """

    X: np.ndarray
    labels: np.ndarray
    image_shape: Shape
    origin: str = ""
    levels: float | None = None
    file_sha256: str | None = None
    source: str = ""
    name: str = ""
    credit: str = ""
    notes: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    labelled: bool = True

    def __post_init__(self) -> None:
        if not np.size(self.X):
            raise ValueError("there are no images in it")

    def in_spec(self, path: Path) -> str:
        """How a spec names a file of nmfrepro's own: all that is left to choose is the scale."""
        scale = "max} (or l2, none)" if self.levels is None else "grey}"
        text = str(path)
        if not re.fullmatch(r"[\w./][\w./-]*", text):
            text = "'" + text.replace("'", "''") + "'"
        return f"dataset: {{file: {text}, scale: {scale}"


@dataclass(frozen=True)
class Download:
    """A file that can be had with a known hash."""

    filename: str  # its name in the data directory
    sha256: str
    size: int  # in bytes
    urls: tuple[str, ...]  # mirrors in the order they are tried


@dataclass(frozen=True)
class Source(abc.ABC):
    """One place a dataset may come from.

    Attributes
    ----------
    key : str
        Short name, part of a trial's key.
    title : str
        What it is, for lists.
    by_hand : str
        How a user gets it where it cannot be downloaded.
    imported_only : bool
        Whether nothing but `nmfrepro data import` brings it, so that nobody misses it.
    """

    key: str
    title: str = ""
    by_hand: str = ""
    imported_only: bool = False

    def filenames(self, size: str) -> tuple[str, ...]:
        """The names that its file in the data directory may have, in order of preference."""
        return ()

    @abc.abstractmethod
    def find(self, size: str, directory: Path) -> Path | None:
        """The file or folder that holds it, or None; nothing is read."""

    @abc.abstractmethod
    def missing(self, size: str, place: str) -> str:
        """What was looked for in `place`, the data directory in words, as the end of "since …"."""

    @abc.abstractmethod
    def read(self, path: Path, image_shape: Shape, options: DatasetOptions) -> Reading:
        """Read what `find` found.

        Raises
        ------
        DataError
            If it is damaged or of another form.
        """

    def downloads(self, size: str) -> tuple[Download, ...]:
        """The files that bring it into the data directory; empty where it cannot be downloaded."""
        return ()


@dataclass(frozen=True)
class Made(Source):
    """A source that is always here, since its data is made by the program."""

    make: Callable[[], Reading] = field(kw_only=True)

    def find(self, size: str, directory: Path) -> Path | None:
        """The file in which `make` is written: there is no other."""
        code = getattr(self.make, "__code__", None)  # of a function
        return Path(code.co_filename if code else __file__)

    def missing(self, size: str, place: str) -> str:
        """Never asked for."""
        return "it is made, not read"

    def read(self, path: Path, image_shape: Shape, options: DatasetOptions) -> Reading:
        """What `make` makes."""
        return self.make()


@dataclass(frozen=True)
class DatasetDefinition:
    """A dataset by name: what it must contain, and where it comes from.

    Attributes
    ----------
    name : str
        As written in a spec.
    title : str
        One line for lists.
    n_samples, n_classes : int
    class_sizes : (int, int)
        The smallest and the largest class.
    bounds : bool
        Whether `class_sizes` are bounds of them only: sources differ, or nobody has published them.
    sizes : mapping of str to ((rows, columns) or None, int)
        For every size on offer the image shape, None for features, and the number of values per sample.
    sources : tuple of Source
        In the order they are tried.
    levels : float or None
        The largest grey level possible.
    default_scale : str or None
        None where a spec must choose.
    preprocessing : str
        What the papers did to the images.
    credit : str
        Whom to thank.
    licence : str
        What is known of the terms of use.
    folders : tuple of str
        For features, the folders of the original images they are made of; empty for all.
    cites : tuple of str
        What to cite: keys of `nmfrepro.papers.bibliography`, or whole BibTeX entries.
    """

    name: str
    title: str
    n_samples: int
    n_classes: int
    class_sizes: tuple[int, int]
    sizes: Mapping[str, tuple[Shape, int]]
    sources: tuple[Source, ...]
    levels: float | None
    default_scale: str | None
    preprocessing: str
    credit: str
    licence: str
    bounds: bool = False
    folders: tuple[str, ...] = ()
    cites: tuple[str, ...] = ()

    @property
    def default_size(self) -> str:
        """The first of the sizes."""
        return next(iter(self.sizes))


def images(*shapes: tuple[int, int]) -> dict[str, tuple[Shape, int]]:
    """The `sizes` of a dataset of pictures, from their (rows, columns)."""
    return {f"{rows}x{columns}": ((rows, columns), rows * columns) for rows, columns in shapes}


def data_directory(given: Path | None = None) -> Path:
    """Where the user keeps datasets: the argument, else $NMFREPRO_DATA, else ./data.

    Raises
    ------
    DataError
        If a directory was named that is none.
    """
    named = given if given is not None else os.environ.get(ENVIRONMENT)
    if not named:
        return Path("data")
    directory = Path(named)
    if not directory.is_dir():
        by = Setting("data_dir") if given is not None else f"${ENVIRONMENT}"
        raise DataError(f"{directory}: the data directory named by ", by, " is no directory; make it first")
    return directory
