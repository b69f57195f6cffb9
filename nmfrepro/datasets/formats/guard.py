"""Checks that come before reading: a regular file, a sane size, a hash."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from math import prod
from pathlib import Path

from ...core.errors import DataError

# float64 values of one dataset.  MNIST with all its 70,000 images takes 0.4 GiB.
MAX_BYTES = 4 * 2**30


def regular_file(path: Path) -> Path:
    """Return `path` if it is a regular, readable, non-empty file.

    Raises
    ------
    DataError
        Otherwise; pipes and devices are refused, since reading them may never end.
    """
    try:
        if path.is_dir():
            raise DataError(f"{path} is a folder; a file is expected here")
        if not path.exists():
            raise DataError(f"{path}: there is no such file")
        if not path.is_file():
            raise DataError(f"{path} is not a regular file (a pipe or a device)")
        size = path.stat().st_size
    except OSError as error:
        raise DataError(f"{path} cannot be read: {error.strerror or error}") from None
    if size == 0:
        raise DataError(f"{path} is empty; fetch or copy it again")
    return path


def check_size(shape: Iterable[int], path: Path, what: str) -> None:
    """Refuse an array that would take more than `MAX_BYTES` as float64.

    Raises
    ------
    DataError
        Naming the file and the size that its header claims.
    """
    sides = tuple(int(side) for side in shape)
    if min(sides, default=0) < 0 or prod(sides) * 8 > MAX_BYTES:
        size = " x ".join(map(str, sides))
        raise DataError(
            f"{path}: {what} claims to be {size} values, more than the {MAX_BYTES // 2**30} GiB that are "
            "read; the file is damaged, or must be cut into parts"
        )


def file_hash(path: Path) -> str:
    """SHA-256 of a file, read in pieces."""
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()
