"""IDX files, the form in which MNIST is distributed; gzip or not is decided by content, never by name."""

from __future__ import annotations

import gzip
import struct
import zlib
from contextlib import suppress
from pathlib import Path

import numpy as np

from ...core.errors import DataError
from ...core.terminal import counted
from .guard import regular_file

_TYPES = {0x08: "u1", 0x09: "i1", 0x0B: ">i2", 0x0C: ">i4", 0x0D: ">f4", 0x0E: ">f8"}
_MAX_DIMENSIONS = 4
GZIP = b"\x1f\x8b"


def is_idx(head: bytes) -> bool:
    """Whether the first bytes of a file (already unpacked) are an IDX header."""
    return len(head) >= 4 and head[:2] == b"\0\0" and head[2] in _TYPES and 1 <= head[3] <= _MAX_DIMENSIONS


def unpacked_head(path: Path) -> bytes:
    """The first four bytes of a file, after unpacking if it is gzipped and that succeeds."""
    with path.open("rb") as stream:
        head = stream.read(4)
    if head.startswith(GZIP):
        with suppress(OSError, zlib.error, EOFError), gzip.open(path) as unpacked:
            return unpacked.read(4)
    return head


def read_idx(path: Path) -> np.ndarray:
    """The array of an IDX file, gzipped or not.

    The bytes that follow the header must be exactly as many as it promises: to be called through
    `quarantined`, which says so in a line.

    Raises
    ------
    DataError
        If it is no IDX file.
    """
    data = regular_file(path).read_bytes()
    if data.startswith(GZIP):
        data = gzip.decompress(data)
    if not is_idx(data[:4]):
        raise DataError(f"{path} is no IDX file (it starts with {data[:4].hex(' ')})")
    shape = struct.unpack_from(f">{data[3]}I", data, 4)
    return np.frombuffer(data, _TYPES[data[2]], offset=4 + 4 * data[3]).reshape(shape)


def read_idx_pair(images: Path, labels: Path) -> tuple[np.ndarray, np.ndarray]:
    """Images and labels that belong together.

    Returns
    -------
    pictures : ndarray, shape (n, rows, columns)
    values : ndarray of int64, shape (n,)

    Raises
    ------
    DataError
        If one of them is damaged, the two are swapped, or their counts differ.
    """
    pictures, values = read_idx(images), read_idx(labels)
    if pictures.ndim == 1 and values.ndim == 3:
        raise DataError(f"{images} holds labels and {labels} holds images: the two files are swapped")
    if pictures.ndim != 3:
        raise DataError(f"{images} holds no images: {pictures.ndim} dimensions where 3 are expected")
    if values.ndim != 1 or values.dtype.kind not in "iu":
        raise DataError(f"{labels} holds no labels: a vector of whole numbers is expected")
    if len(pictures) != len(values):
        raise DataError(
            f"{images} holds {counted(len(pictures), 'image')}, "
            f"{labels} {counted(len(values), 'label')}; fetch both again"
        )
    return pictures, values.astype(np.int64)


def labels_beside(images: Path) -> Path | None:
    """The labels file that goes by an images file's name, with or without .gz; None if there is none."""
    stem = images.name.removesuffix(".gz")
    for a, b in (("images-idx3", "labels-idx1"), ("images.idx3", "labels.idx1"), ("images", "labels")):
        if a in stem:
            partners = (images.with_name(stem.replace(a, b) + ending) for ending in ("", ".gz"))
            return next((each for each in partners if each.exists()), None)
    return None
