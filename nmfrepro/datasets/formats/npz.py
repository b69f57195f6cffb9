"""NumPy's .npz and .npy files; pickled objects are never loaded."""

from __future__ import annotations

import zipfile
from pathlib import Path
from typing import IO

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
    arrays = {}
    with zipfile.ZipFile(regular_file(path)) as archive:
        members = [each for each in archive.namelist() if each.endswith(".npy")]
        if {*members} >= _SPARSE:
            raise DataError(f"{path} is a sparse matrix of scipy (save_npz), which is not read; {DENSE}")
        for member in members:
            with archive.open(member) as stream:
                arrays[member.removesuffix(".npy")] = _array(stream, f"{path}: variable {member[:-4]}")
    return flatten(arrays)


def read_npy(path: Path) -> np.ndarray:
    """The array of a .npy file.

    Raises
    ------
    DataError
        If it holds pickled objects, or bytes behind its end.
    """
    with regular_file(path).open("rb") as stream:
        return _array(stream, f"{path}: the array")


def _array(stream: IO[bytes], what: str) -> np.ndarray:
    try:
        array = np.lib.format.read_array(stream, allow_pickle=False)
    except ValueError as error:
        if "allow_pickle" not in str(error):
            raise
        how = "save it as numbers or text, as np.asarray(labels, dtype=str)"
        raise DataError(f"{what} holds pickled Python objects, which are never loaded; {how}") from None
    if stream.read(1):
        raise DataError(f"{what} holds more bytes than its header states; copy the file again")
    return array
