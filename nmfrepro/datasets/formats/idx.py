"""IDX files, the form in which MNIST is distributed; gzip or not is decided by content, never by name."""

from __future__ import annotations

import gzip
import struct
import zlib
from math import prod
from pathlib import Path

import numpy as np

from ...core.errors import DataError
from .guard import check_size, regular_file
from .textmode import fault

_TYPES = {0x08: "u1", 0x09: "i1", 0x0B: ">i2", 0x0C: ">i4", 0x0D: ">f4", 0x0E: ">f8"}
_MAX_DIMENSIONS = 4


def is_idx(head: bytes) -> bool:
    """Whether the first bytes of a file (already unpacked) are an IDX header."""
    return len(head) >= 4 and head[:2] == b"\0\0" and head[2] in _TYPES and 1 <= head[3] <= _MAX_DIMENSIONS


def unpacked_head(path: Path) -> bytes:
    """The first four bytes of a file, after unpacking if it is gzipped; empty if that fails."""
    with path.open("rb") as stream:
        head = stream.read(4)
    if not head.startswith(b"\x1f\x8b"):
        return head
    try:
        with gzip.open(path) as stream:
            return stream.read(4)
    except (OSError, zlib.error, EOFError):
        return b""


def read_idx(path: Path) -> np.ndarray:
    """The array of an IDX file, gzipped or not.

    The header is held against the bytes that follow, which must be exactly as many as it promises.

    Raises
    ------
    DataError
        If the file is cut off, has surplus bytes, is damaged or converted, or is no IDX file.
    """
    regular_file(path)
    try:
        return _array(path)
    except DataError as error:
        raise fault(error, path.read_bytes(), path, _whole) from None


def _array(path: Path) -> np.ndarray:
    with path.open("rb") as stream:
        packed = stream.read(2) == b"\x1f\x8b"
    try:
        with gzip.open(path) if packed else path.open("rb") as stream:
            head = stream.read(4)
            if not is_idx(head):
                raise DataError(f"{path} is no IDX file (it starts with {head.hex(' ')})")
            count = head[3]
            sides = stream.read(4 * count)
            if len(sides) < 4 * count:
                raise DataError(f"{path} is cut off within its header; fetch it again")
            shape = struct.unpack(f">{count}I", sides)
            check_size(shape, path, "the header")
            kind = np.dtype(_TYPES[head[2]])
            expected = prod(shape) * kind.itemsize
            body = stream.read(expected)
            surplus = stream.read(1)
    except (gzip.BadGzipFile, zlib.error, EOFError) as error:
        raise DataError(f"{path} is a damaged gzip file ({error}); fetch it again") from None
    if len(body) < expected or surplus:
        size = " x ".join(map(str, shape))
        there = "more" if surplus else str(len(body))
        raise DataError(
            f"{path}: the header says {size}, {expected} bytes, but {there} follow; fetch it again"
        )
    return np.frombuffer(body, kind).reshape(shape)


def _whole(data: bytes) -> bool:
    """Whether a file, not gzipped, is as long as its header states."""
    if not is_idx(data[:4]) or len(data) < 4 + 4 * data[3]:
        return False
    shape = struct.unpack_from(f">{data[3]}I", data, 4)
    return len(data) == 4 + 4 * data[3] + prod(shape) * np.dtype(_TYPES[data[2]]).itemsize


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
            f"{images} holds {len(pictures)} images, {labels} {len(values)} labels; fetch both again"
        )
    if pictures.size == 0:
        raise DataError(f"{images} holds no images")
    return pictures, values.astype(np.int64)


def labels_beside(images: Path) -> Path | None:
    """The labels file that goes by an images file's name, with or without .gz; None if there is none."""
    stem = images.name.removesuffix(".gz")
    for a, b in (("images-idx3", "labels-idx1"), ("images.idx3", "labels.idx1"), ("images", "labels")):
        if a in stem:
            partner = stem.replace(a, b)
            return next(
                (p for name in (partner, f"{partner}.gz") if (p := images.with_name(name)).exists()), None
            )
    return None


def images_in(folder: Path) -> list[Path]:
    """The IDX files of images in a folder, by name."""
    return sorted(path for path in folder.glob("*images*idx3*") if path.is_file())
