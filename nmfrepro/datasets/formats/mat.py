"""MATLAB files: version 4 to 7.2 through scipy, 7.3 through h5py (`hdf5`)."""

from __future__ import annotations

import struct
import warnings
import zlib
from io import BytesIO
from pathlib import Path

import scipy.io

from ...core.errors import one_line
from .guard import regular_file
from .hdf5 import is_hdf5, read_hdf5
from .variables import Unread, Variables, flatten

_HEADER = 128
_COMPRESSED, _OPAQUE = 15, 17
_FLAGS = 16  # bytes before a matrix's name
_ENOUGH = 512  # bytes that hold an object's names


def read_mat(path: Path) -> Variables:
    """All variables of a .mat file, structs as paths ("AllSet.X"), sparse matrices as dense ones.

    Anything may happen on a damaged file: to be called through `quarantined`.
    """
    if is_hdf5(regular_file(path)):
        return read_hdf5(path)
    content, objects = _without_objects(path.read_bytes())
    with warnings.catch_warnings():
        # scipy warns of bytes it cannot make sense of, and of doubled names, and goes on.
        warnings.simplefilter("error", RuntimeWarning)
        warnings.simplefilter("error", UserWarning)
        contents = scipy.io.loadmat(content, struct_as_record=True, spmatrix=False)
    named = {name: value for name, value in contents.items() if not name.startswith("__")}
    return flatten(named) | objects


def _without_objects(data: bytes) -> tuple[BytesIO, dict[str, Unread]]:
    """The content without the top-level objects of version 5, and their names: scipy refuses them."""
    order = {b"IM": "<", b"MI": ">"}.get(data[126:_HEADER])
    if order is None or 0 in data[:4]:  # version 4
        return BytesIO(data), {}
    kept, objects, at = [data[:_HEADER]], {}, _HEADER
    while at < len(data):
        kind, size = struct.unpack_from(f"{order}II", data, at)
        element = data[at : at + 8 + size]
        at += 8 + size
        start = element[8:]
        if kind == _COMPRESSED:
            start = zlib.decompressobj().decompress(start, _ENOUGH)[8:]
        if len(start) > _FLAGS and struct.unpack_from(f"{order}I", start, 8)[0] & 0xFF == _OPAQUE:
            name, _, kind_of_object = _words(start[_FLAGS:], order, 3)
            objects[name] = Unread(f"a MATLAB object of class {one_line(kind_of_object)}")
        else:
            kept.append(element)
    return BytesIO(b"".join(kept)), objects


def _words(data: bytes, order: str, count: int) -> list[str]:
    """The first texts of a matrix, each after its length; short ones have it in half of their type."""
    words, at = [], 0
    for _ in range(count):
        kind, size = struct.unpack_from(f"{order}II", data, at)
        start = at + 8
        if kind >> 16:
            size, start = kind >> 16, at + 4
        words.append(data[start : start + size].decode("ascii", "replace"))
        at = start + size + -(start + size) % 8
    return words
