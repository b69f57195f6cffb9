"""Published splits into training and test images, read from a file."""

from __future__ import annotations

import csv
import hashlib
import re
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from ..core.errors import DataError
from ..datasets.formats.tables import kind_of, read_variables
from ..datasets.labels import natural_key
from .draws import Split

# No dataset has so many images; infinity is none of them either.
MOST = 2**31
_NAME = re.compile(r"(train|test)_?(?:idx|index|indices)?(\d*)", re.IGNORECASE)


@dataclass(frozen=True, eq=False)
class Splits:
    """Splits as a file holds them."""

    path: Path
    # train, test: tuple of ndarray; for every split the positions of its images in the dataset, counted from
    # 0, in dataset order.
    train: tuple[np.ndarray, ...]
    test: tuple[np.ndarray, ...]

    @property
    def sha256(self) -> str:
        """Hash of the splits themselves, whatever format and counting held them."""
        digest = hashlib.sha256()
        for part in (each for pair in zip(self.train, self.test, strict=True) for each in pair):
            digest.update(f"{len(part)} ".encode() + part.astype("<i8").tobytes())
        return digest.hexdigest()

    @property
    def identity(self) -> dict[str, str]:
        """The splits by content, for keys."""
        return {"splits": self.sha256}

    def split(self, draw: int) -> Split:
        """One of them."""
        return Split(self.train[draw], self.train[draw][:0], self.test[draw])

    def check(self, y: np.ndarray, train: int) -> None:
        """Raise `DataError` unless every split has `train` training images of every class."""
        for number, part in enumerate(self.train, 1):
            counts = np.bincount(y[part], minlength=int(y.max()) + 1)
            if (wrong := np.flatnonzero(counts != train)).size:
                raise DataError(
                    f"{self.path}: split {number} has {counts[wrong[0]]} training images of class "
                    f"{wrong[0] + 1} of {len(counts)}, but train says {train} of each class"
                )


def read_splits(path: Path, n: int) -> Splits:
    """The splits of n images that a file holds.

    A .mat or .npz file has variables trainIdx and testIdx, one split in each column, or trainIdx1, testIdx1,
    trainIdx2 … with a split each; a CSV has columns of these names, filled up with empty fields.  In a folder
    every file holds splits of its own, in natural order.  Whether images are counted from 0 or from 1 follows
    from the numbers, since every image must be in each split.

    Parameters
    ----------
    path : Path
    n : int
        Number of images of the dataset.

    Raises
    ------
    DataError
        If there are no splits in it, a number is no image, an image is in both parts or twice in one, or an
        image is in neither.
    """
    if path.is_dir():
        inside = (each for each in path.iterdir() if each.is_file() and not each.name.startswith("."))
        sources = sorted(inside, key=lambda each: natural_key(each.name))
        if not sources:
            raise DataError(f"{path}: there are no files in this folder")
    else:
        sources = [path]
    found = [pair for source in sources for pair in _pairs(source)]
    checked = [_checked(path, number, pair, n) for number, pair in enumerate(found, 1)]
    return Splits(path, *(tuple(part) for part in zip(*checked, strict=True)))


def _pairs(path: Path) -> list[tuple[np.ndarray, np.ndarray]]:
    """Training and test numbers of every split of one file, as they are written."""
    contents = _columns(path) if kind_of(path) == "csv" else read_variables(path).items()
    named: dict[tuple[str, str], np.ndarray] = {}
    for name, value in contents:
        if (match := _NAME.fullmatch(name)) and isinstance(value, np.ndarray):
            part = match[1].lower(), match[2]
            if part in named:
                raise DataError(f"{path}: {name} is there twice, perhaps spelt another way; keep one")
            named[part] = value
    pairs = []
    for number in sorted({number for _, number in named}, key=natural_key):
        if ("train", number) not in named or ("test", number) not in named:
            raise DataError(f"{path}: trainIdx{number} and testIdx{number} must both be there")
        parts = [_each(path, named[part, number]) for part in ("train", "test")]
        if len(parts[0]) != len(parts[1]):
            raise DataError(f"{path}: {len(parts[0])} training parts, but {len(parts[1])} test parts")
        pairs += list(zip(*parts, strict=True))
    if not pairs:
        raise DataError(f"{path}: no splits in it; it must hold trainIdx and testIdx, one split in a column")
    return pairs


def _columns(path: Path) -> list[tuple[str, np.ndarray]]:
    try:
        lines = list(csv.reader(path.read_text(encoding="utf-8-sig", errors="replace").splitlines()))
    except csv.Error as error:
        raise DataError(f"{path}: is not a table of numbers of images ({error})") from None
    columns = []
    for position, name in enumerate(map(str.strip, lines[0]) if lines else ()):
        if not _NAME.fullmatch(name):
            continue
        cells = [line[position].strip() for line in lines[1:] if position < len(line)]
        try:
            columns.append((name, np.array([int(cell) for cell in cells if cell], dtype=np.int64)))
        except ValueError as error:
            raise DataError(f"{path}: column {name} holds no image number ({error})") from None
    return columns


def _each(path: Path, value: np.ndarray) -> list[np.ndarray]:
    """The columns of a matrix, or a vector as the only one; whole numbers."""
    numbers = value.ndim <= 2 and value.dtype.kind in "iuf" and np.array_equal(value, np.rint(value))
    if not numbers or np.abs(value, dtype=float).max(initial=0) >= MOST:
        raise DataError(f"{path}: the splits hold something else than numbers of images")
    if value.ndim < 2 or 1 in value.shape:
        return [value.ravel().astype(np.int64)]
    return list(value.T.astype(np.int64))


def _checked(
    path: Path, number: int, pair: tuple[np.ndarray, np.ndarray], n: int
) -> tuple[np.ndarray, np.ndarray]:
    """The parts of one split counted from 0, in order."""
    everyone = np.concatenate(pair)
    values, counts = np.unique(everyone, return_counts=True)
    for part, which in zip(pair, ("training", "test"), strict=True):
        if not part.size:
            raise DataError(f"{path}: split {number} has no {which} images")
    if values[counts > 1].size:
        both = np.intersect1d(*pair)
        where = "both parts" if both.size else "one part twice"
        raise DataError(
            f"{path}: split {number} has image {(both if both.size else values[counts > 1])[0]} in {where}"
        )
    base = int(values[0])
    if base not in (0, 1) or values[-1] > n - 1 + base:
        raise DataError(
            f"{path}: split {number} has images {values[0]} to {values[-1]}, but the dataset has {n}"
        )
    if len(values) < n:
        raise DataError(
            f"{path}: split {number} has {len(values)} of the dataset's {n} images; every one must be in it"
        )
    return np.sort(pair[0]) - base, np.sort(pair[1]) - base
