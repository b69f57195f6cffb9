"""NumPy's .npz and .npy files; pickled objects are never loaded."""

from __future__ import annotations

import tokenize
import zipfile
import zlib
from io import BytesIO
from math import prod
from pathlib import Path
from typing import IO

import numpy as np
from numpy.lib import format as npy

from ...core.errors import DataError, reason
from .guard import check_size, regular_file
from .textmode import fault
from .variables import Variables, flatten

# What NumPy and zipfile raise on damaged files; a header is Python source to NumPy, hence tokenize.
_FAULTS = (
    EOFError, KeyError, MemoryError, OSError, RuntimeError, SyntaxError, ValueError, tokenize.TokenError,
    zipfile.BadZipFile, zlib.error,
)  # fmt: skip


# The members that scipy.sparse.save_npz writes.
_SPARSE = frozenset(("format.npy", "shape.npy", "data.npy"))
DENSE = "save it with its labels as np.savez(file, X=matrix.toarray(), y=labels)"


def read_npz(path: Path) -> Variables:
    """All arrays of a .npz file.

    Raises
    ------
    DataError
        If it is damaged, claims absurd sizes, or holds pickled objects.
    """
    regular_file(path)
    try:
        with zipfile.ZipFile(path) as archive:
            if set(archive.namelist()) >= _SPARSE:
                raise DataError(f"{path} is a sparse matrix of scipy (save_npz), which is not read; {DENSE}")
            members = [member for member in archive.infolist() if member.filename.endswith(".npy")]
            check_size([sum(member.file_size for member in members) // 8], path, "its content")
            arrays = {
                member.filename.removesuffix(".npy"): _member(archive, member, path) for member in members
            }
            return flatten(arrays, path)
    except _FAULTS as error:
        raise DataError(f"{path} is a damaged .npz file ({reason(error)}); copy it again") from None


def read_npy(path: Path) -> np.ndarray:
    """The array of a .npy file.

    Raises
    ------
    DataError
        As `read_npz`.
    """
    regular_file(path)
    try:
        with path.open("rb") as stream:
            return _array(stream, path.stat().st_size, path, "the array")
    except DataError as error:
        raise fault(error, path.read_bytes(), path, _whole) from None
    except _FAULTS as error:
        broken = DataError(f"{path} is a damaged .npy file ({reason(error)}); copy it again")
        raise fault(broken, path.read_bytes(), path, _whole) from None


def _whole(data: bytes) -> bool:
    """Whether a .npy file is as long as its header states."""
    try:
        _array(BytesIO(data), len(data), Path(), "")
    except (DataError, *_FAULTS):
        return False
    return True


def _member(archive: zipfile.ZipFile, member: zipfile.ZipInfo, path: Path) -> np.ndarray:
    with archive.open(member) as stream:
        return _array(stream, member.file_size, path, f"variable {member.filename.removesuffix('.npy')}")


def _array(stream: IO[bytes], size: int, path: Path, what: str) -> np.ndarray:
    """Read one array after holding its header against the bytes that are there."""
    version = npy.read_magic(stream)
    if version not in ((1, 0), (2, 0)):
        raise DataError(
            f"{path}: {what} is in version {version[0]}.{version[1]} of NumPy's format; save it again"
        )
    read_header = npy.read_array_header_1_0 if version == (1, 0) else npy.read_array_header_2_0
    shape, by_columns, kind = read_header(stream)
    if kind.hasobject:
        raise DataError(
            f"{path}: {what} holds pickled Python objects, which are never loaded; "
            "save it as numbers or text, as np.asarray(labels, dtype=str)"
        )
    check_size(shape, path, what)
    expected = prod(shape) * kind.itemsize
    if expected > size:
        raise DataError(f"{path}: {what} claims {expected} bytes, {size} are there; the file is damaged")
    body = stream.read(expected)
    if len(body) < expected:
        raise DataError(f"{path}: {what} is cut off; copy the file again")
    if stream.read(1):
        raise DataError(f"{path}: {what} holds more than the {expected} bytes it states; copy the file again")
    return np.frombuffer(body, kind).reshape(shape, order="F" if by_columns else "C")
