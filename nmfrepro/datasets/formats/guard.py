"""Checks that come before reading: a regular file, its hash."""

from __future__ import annotations

import hashlib
from pathlib import Path

from ...core.errors import DataError


def regular_file(path: Path) -> Path:
    """Return `path` if it is a regular, readable, non-empty file.

    Raises
    ------
    DataError
        Otherwise; pipes and devices are refused, since reading them may never end.
    """
    try:
        if not path.exists():
            raise DataError(f"{path}: there is no such file")
        if not path.is_file():
            raise DataError(f"{path} is not a regular file, but a folder, a pipe or a device")
        with path.open("rb") as stream:
            if not stream.read(1):
                raise DataError(f"{path} is empty; fetch or copy it again")
    except OSError as error:
        raise DataError(f"{path} cannot be read: {error.strerror or error}") from None
    return path


def file_hash(path: Path) -> str:
    """SHA-256 of a file, read in pieces."""
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()
