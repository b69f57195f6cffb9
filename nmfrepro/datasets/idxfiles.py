"""Datasets in the form of MNIST: four IDX files, images and labels of a training and a test set."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from ..core.errors import DataError, Setting
from ..core.problem import Shape
from .definition import Reading, Source
from .request import DatasetOptions


@dataclass(frozen=True)
class IdxFiles(Source):
    """The four files in one folder, gzipped or not."""

    folders: tuple[str, ...] = (".",)  # where they may lie: relative to the data directory, or absolute
    # For each set, by the prefix of its files' names, how many images of each class 0, 1, … it has.
    class_sizes: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    # For each set, the hash of its pixels and labels as bytes; empty where it is not known.
    sha256: Mapping[str, str] = field(default_factory=dict)
    taken: int | None = None  # how many images of each set are taken, from the first; None for all

    def find(self, size: str, directory: Path) -> Path | None:
        """The folder that holds the images of all sets."""
        places = [directory / folder for folder in self.folders]
        return next((p for p in places if all(_images(p, prefix) for prefix in self.class_sizes)), None)

    def missing(self, size: str, place: str) -> str:
        """Which files are not there."""
        files = " and ".join(f"{prefix}-images-idx3-ubyte" for prefix in self.class_sizes)
        return f"no {files} (.gz or not) were found in {place} (folders {', '.join(self.folders)})"

    def read(self, path: Path, image_shape: Shape, options: DatasetOptions) -> Reading:
        """The first images of each set, after checking the whole sets."""
        from .formats.quarantine import quarantined

        return quarantined(self._read, path, options)

    def _read(self, path: Path, options: DatasetOptions) -> Reading:
        sets = [self._read_set(path, prefix, options) for prefix in self.class_sizes]
        pictures = np.concatenate([images[: self.taken] for images, _ in sets])
        first = "" if self.taken is None else f"the first {self.taken:,} of each of the "
        return Reading(
            X=pictures.reshape(len(pictures), -1),  # bytes are handed over sooner
            labels=np.concatenate([labels[: self.taken] for _, labels in sets]),
            image_shape=pictures.shape[1:],
            origin=f"{first}IDX files {' and '.join(self.class_sizes)} of {options.name}",
        )

    def _read_set(self, folder: Path, prefix: str, options: DatasetOptions) -> tuple[np.ndarray, np.ndarray]:
        from .formats.idx import labels_beside, read_idx_pair

        path = _images(folder, prefix)
        assert path is not None, "find() has seen it"
        beside = labels_beside(path)
        if beside is None:
            raise DataError(f"{path}: its labels, {prefix}-labels-idx1-ubyte (.gz or not), are not beside it")
        pictures, labels = read_idx_pair(path, beside)
        if prefix in self.sha256:
            content = pictures.astype(np.uint8).tobytes() + labels.astype(np.uint8).tobytes()
            same, what = hashlib.sha256(content).hexdigest() == self.sha256[prefix], "content (SHA-256)"
        else:
            sizes = tuple(np.unique(labels, return_counts=True)[1].tolist())
            same, what = sizes == self.class_sizes[prefix], "numbers of images in its classes"
        if not same and not options.accept_mismatch:
            wrong = f"{path} does not fit the name {options.name}: it has other {what} than published"
            raise DataError(f"{wrong}; fetch it again or set ", Setting("accept_mismatch", True))
        return pictures, labels


def _images(folder: Path, prefix: str) -> Path | None:
    names = [f"{prefix}-images{dot}idx3-ubyte{end}" for dot in "-." for end in (".gz", "")]
    return next((folder / name for name in names if (folder / name).exists()), None)
