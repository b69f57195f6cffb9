"""MATLAB 7.3 files, which are HDF5, and others: read through h5py where it is installed (extra `[hdf5]`)."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path
from typing import Any

import numpy as np

from ...core.errors import DataError, one_line
from .variables import Variables, flatten

_SIGNATURE = b"\x89HDF\r\n\x1a\n"
# What MATLAB calls its own kinds of values; all others are objects.
_CLASSES = re.compile(rb"double|single|logical|char|cell|struct|function_handle|u?int(8|16|32|64)")


def is_hdf5(path: Path) -> bool:
    """Whether the file is HDF5, with or without MATLAB's 512-byte head."""
    with path.open("rb") as stream:
        head = stream.read(520)
    return head.startswith(_SIGNATURE) or head[512:] == _SIGNATURE


def read_hdf5(path: Path) -> Variables:
    """All variables of a MATLAB 7.3 file, with the axes as MATLAB shows them, or of another HDF5 file.

    Raises
    ------
    DataError
        If h5py is not installed, or values lie in other files.
    """
    if importlib.util.find_spec("h5py") is None:
        how = "install h5py (pip install h5py), or save it in MATLAB with save(…, '-v7')"
        raise DataError(f"{path} is a MATLAB 7.3 file: {how}")
    import h5py

    with h5py.File(path, "r") as file:
        return flatten(_group(file))


def _group(group: Any) -> dict[str, Any]:
    import h5py

    return {
        name: _value(group[name])
        for name in group
        # External and soft links could lead to other files, or in circles; MATLAB writes none.
        if not name.startswith("#") and isinstance(group.get(name, getlink=True), h5py.HardLink)
    }


def _value(item: Any) -> Any:
    import h5py

    kind = item.attrs.get("MATLAB_class")
    if "MATLAB_object_decode" in item.attrs or (isinstance(kind, bytes) and not _CLASSES.fullmatch(kind)):
        return f"a MATLAB object of class {one_line(bytes(kind or b'unknown').decode('latin1'))}"
    if isinstance(item, h5py.Group):
        return _sparse(item) if "MATLAB_sparse" in item.attrs else _group(item)
    if not isinstance(item, h5py.Dataset) or item.shape is None:
        return None
    if item.external or item.is_virtual:
        what = "takes its values from elsewhere (external storage, virtual dataset); save them in one file"
        raise DataError(f"{item.file.filename}: {item.name.lstrip('/')} {what}")
    if "MATLAB_empty" in item.attrs:
        return np.empty((0, 0))
    if item.dtype.kind == "O" and h5py.check_ref_dtype(item.dtype) is h5py.Reference:
        cells = np.empty(item.shape, dtype=object)
        for index, reference in np.ndenumerate(item[()]):
            cells[index] = _value(item.file[reference])
        return cells.T
    values = np.asarray(item[()])
    if kind == b"char":
        return np.array(["".join(map(chr, row)) for row in values.T.astype(np.int64)])
    # MATLAB, whose files have a head of their own, stores axes the other way round than it shows them.
    return values.T if kind is not None or item.file.userblock_size else values


def _sparse(group: Any) -> Any:
    import scipy.sparse

    columns = np.asarray(group["jc"])
    shape = (int(group.attrs["MATLAB_sparse"]), columns.size - 1)
    if "data" not in group:
        return np.zeros(shape)
    entries = (np.asarray(group["data"]), np.asarray(group["ir"]).astype(np.int64), columns.astype(np.int64))
    return scipy.sparse.csc_array(entries, shape=shape)
