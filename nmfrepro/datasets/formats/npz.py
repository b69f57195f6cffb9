"""NumPy's .npz and .npy files; pickled objects are never loaded."""

from __future__ import annotations

import zipfile
from pathlib import Path
from typing import IO, Any

import numpy as np

from ...core.errors import DataError
from .guard import regular_file
from .variables import Variables, flatten

# The members that scipy.sparse.save_npz writes.
_SPARSE = frozenset(("format.npy", "shape.npy", "data.npy"))
DENSE = "save it with its labels as np.savez(file, X=matrix.toarray(), y=labels)"


def read_npz(path: Path) -> Variables:
    """All arrays of a .npz file.

    Raises
    ------
    DataError
        If it holds pickled objects or a sparse matrix.
    """
    with zipfile.ZipFile(regular_file(path)) as archive:
        if set(archive.namelist()) >= _SPARSE:
            raise DataError(f"{path} is a sparse matrix of scipy (save_npz), which is not read; {DENSE}")
        arrays = {}
        for member in (each for each in archive.namelist() if each.endswith(".npy")):
            name = member.removesuffix(".npy")
            if name in arrays:
                raise DataError(f"{path} holds {name} twice; save it again with one of them")
            with archive.open(member) as stream:
                arrays[name] = _array(stream, path, f"variable {name}")
    return flatten(arrays)


def read_npy(path: Path) -> np.ndarray:
    """The array of a .npy file.

    Raises
    ------
    DataError
        If it holds pickled objects, or bytes behind its end.
    """
    with regular_file(path).open("rb") as stream:
        return _array(stream, path, "the array")


def _kind(stream: IO[bytes]) -> np.dtype[Any]:
    """The type of an array by its header, at whose beginning the stream then is again."""
    version = np.lib.format.read_magic(stream)
    # Version 3 is version 2 with names in UTF-8; NumPy has no public reader of it.
    read = np.lib.format.read_array_header_1_0 if version == (1, 0) else np.lib.format.read_array_header_2_0
    kind = read(stream)[-1]
    stream.seek(0)
    return kind


def _array(stream: IO[bytes], path: Path, what: str) -> np.ndarray:
    if _kind(stream).hasobject:
        raise DataError(
            f"{path}: {what} holds pickled Python objects, which are never loaded; "
            "save it as numbers or text, as np.asarray(labels, dtype=str)"
        )
    array = np.lib.format.read_array(stream, allow_pickle=False)
    if stream.read(1):
        raise DataError(f"{path}: {what} holds more bytes than its header states; copy the file again")
    return array
