"""The kinds of place a named dataset comes from: a file in the data directory, an installed package."""

from __future__ import annotations

import hashlib
import importlib.util
from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib.metadata import version
from pathlib import Path

import numpy as np

from ..core.errors import DataError
from .definition import Download, Reading, Source
from .formats.arrange import Layout
from .formats.guard import file_hash, regular_file
from .request import DatasetOptions


@dataclass(frozen=True)
class DataFile(Source):
    """A .mat file of the data directory, or the .npz that `nmfrepro data import` made of one.

    Attributes
    ----------
    stems : mapping of str to str
        The file's name without suffix, by size.
    pixel_order : str
        "column" where MATLAB reshaped the images, "row" otherwise.
    pinned : mapping of str to Download
        By size, the copy the project knows: its hash and addresses.
    """

    stems: Mapping[str, str] = field(default_factory=dict)
    pixel_order: str = "column"
    pinned: Mapping[str, Download] = field(default_factory=dict)

    def filenames(self, size: str) -> tuple[str, ...]:
        """The names it may have, in order of preference."""
        return tuple(self.stems[size] + suffix for suffix in (".mat", ".npz")) if size in self.stems else ()

    def find(self, size: str, directory: Path) -> Path | None:
        """The first of `filenames` that exists."""
        return next((directory / name for name in self.filenames(size) if (directory / name).exists()), None)

    def missing(self, size: str, place: str) -> str:
        """Which files are not there."""
        return f"no {' or '.join(self.filenames(size))} was found in {place}"

    def downloads(self, size: str) -> tuple[Download, ...]:
        """The pinned copy."""
        return (self.pinned[size],) if size in self.pinned else ()

    def read(
        self, path: Path, size: str, image_shape: tuple[int, int] | None, options: DatasetOptions
    ) -> Reading:
        """Read the file and note where it is not the pinned copy."""
        from .formats.archive import read_archive
        from .formats.quarantine import guarded, quarantined
        from .formats.tables import read_table

        if path.suffix == ".npz":
            return read_archive(path).reading(path)
        layout = Layout(
            data_key=options.data_key,
            label_key=options.label_key,
            orientation=options.orientation,
            image_shape=image_shape,
            pixel_order=options.pixel_order or self.pixel_order,
        )
        digest = file_hash(regular_file(path))
        notes: tuple[str, ...] = ()
        pinned = self.pinned.get(size)
        known = pinned is not None and digest == pinned.sha256
        arranged = (guarded if known else quarantined)(read_table, path, layout)
        if path.suffix == ".mat" and pinned is not None and not known:
            notes = (f"{path.name} is not the copy known to nmfrepro (SHA-256 {digest[:12]}…)",)
        return Reading(
            X=arranged.X,
            labels=arranged.labels,
            image_shape=arranged.image_shape,
            origin=f"{path.name} ({self.title})",
            file_sha256=digest,
            notes=notes,
        )


@dataclass(frozen=True)
class ImportedFile(DataFile):
    """A .npz file of `nmfrepro data import`, for datasets that are not distributed as a single file."""

    def filenames(self, size: str) -> tuple[str, ...]:
        """The one name it may have."""
        return (f"{self.stems[size]}.npz",) if size in self.stems else ()


def check_packaged(content: np.ndarray, sha256: str, what: str, package: str) -> None:
    """Refuse what another version of a package gives.

    Parameters
    ----------
    content : ndarray
        Whole numbers 0 … 255.
    sha256 : str
        Hash of the known content, as bytes.
    what : str
        What it is, in the plural.
    package : str
        Where it is known from: name==version.

    Raises
    ------
    DataError
        If it is another content.
    """
    if hashlib.sha256(content.astype(np.uint8).tobytes()).hexdigest() != sha256:
        name, _, known = package.partition("==")
        raise DataError(
            f"the {what} of {name} {version(name)} are not those of {known} (SHA-256 differs); "
            f"pip install {package}"
        )


def package_folder(package: str) -> Path | None:
    """Where an installed package lies, without importing it."""
    spec = importlib.util.find_spec(package)
    return Path(spec.origin).parent if spec is not None and spec.origin is not None else None
