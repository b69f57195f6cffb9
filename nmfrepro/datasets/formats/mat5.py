"""The skeleton of a MATLAB 5 file, checked before scipy reads it.

scipy looks up an element's type in a C array without a bound, so that a single damaged byte ends the process;
and it takes memory for what a tag claims.  Here every tag of a file is held against what may stand there.
"""

from __future__ import annotations

import math
import struct
import zlib
from pathlib import Path

from ...core.errors import DataError
from .guard import MAX_BYTES
from .mat4 import check_headers

_MATRIX, _COMPRESSED = 14, 15
_NUMBERS_AND_TEXT = frozenset((1, 2, 3, 4, 5, 6, 7, 9, 12, 13, 16, 17, 18))
_LENGTHS = frozenset((5, 6))  # of axes: 32 bits, signed or not
_MOST_AXES = 32
# Classes of matrices: text, sparse, then all numeric ones up to 15; opaque objects, which have no axes.
_CHAR, _SPARSE, _LAST_NUMERIC, _OPAQUE = 4, 5, 15, 17
_COMPLEX = 0x800
_FLAGS_SIZE = 8
_HEADER = 128
_MAX_DEPTH = 20


def check_skeleton(path: Path) -> None:
    """Refuse a file with unknown element types, cut elements, or more content than is read.

    Raises
    ------
    DataError
        Naming the file.
    """
    if path.stat().st_size > MAX_BYTES:
        raise DataError(f"{path} is larger than the {MAX_BYTES // 2**30} GiB that are read")
    data = memoryview(path.read_bytes())
    mark = bytes(data[126:_HEADER])
    try:
        if 0 in data[:4]:  # text in the others, which begin with a description
            check_headers(data)
        elif mark in (b"IM", b"MI"):
            _elements(data[_HEADER:], "<" if mark == b"IM" else ">", _Budget(path))
    except (struct.error, zlib.error) as error:
        raise DataError(f"{path} is damaged or cut off ({error}); fetch it again") from None


class _Budget:
    """What may still be unpacked of a file."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.left = MAX_BYTES

    def unpack(self, packed: memoryview) -> memoryview:
        """Decompress within the budget."""
        unpacked = zlib.decompressobj().decompress(packed, self.left + 1)
        self.left -= len(unpacked)
        if self.left < 0:
            raise DataError(f"{self.path} unfolds to more than the {MAX_BYTES // 2**30} GiB that are read")
        return memoryview(unpacked)


def _elements(data: memoryview, order: str, budget: _Budget) -> None:
    """The top level: matrices, packed or not."""
    at = 0
    while at < len(data):
        kind, size = struct.unpack_from(f"{order}II", data, at)
        body = data[at + 8 : at + 8 + size]
        at += 8 + size
        if len(body) < size:
            raise struct.error("could not read bytes")
        if kind == _COMPRESSED:
            inner = budget.unpack(body)
            kind, size = struct.unpack_from(f"{order}II", inner)
            body = inner[8 : 8 + size]
        if kind != _MATRIX:
            raise struct.error(f"an element of type {kind}")
        _matrix(body, order, 0)


def _matrix(data: memoryview, order: str, depth: int) -> None:
    """The parts of a matrix: flags, axes, name, then numbers, text or further matrices."""
    if depth > _MAX_DEPTH:
        raise struct.error(f"matrices within matrices, more than {_MAX_DEPTH} deep")
    if not data:
        return  # an empty cell
    kind, size, flags = struct.unpack_from(f"{order}III", data)
    if size != _FLAGS_SIZE:
        raise struct.error(f"{size} bytes of flags")
    plain, matrices, entries = _plain_parts(flags), 0, 0
    at, part = 8 + size, 1
    while at < len(data):
        kind, size = struct.unpack_from(f"{order}II", data, at)
        start, following = at + 8, at + 8 + size + -size % 8
        if kind >> 16:
            # A short element: its size in the upper half of the type, its content in place of the size.
            kind, size, start, following = kind & 0xFFFF, kind >> 16, at + 4, at + 8
            if size > 4:
                raise struct.error(f"a short element of {size} bytes")
        if start + size > len(data):
            raise struct.error("could not read bytes")
        if part == 1 and flags & 0xFF != _OPAQUE:
            entries = _entries(kind, data[start : start + size], order)
        if kind == _MATRIX and part > 2 and not plain:
            _matrix(data[start : start + size], order, depth + 1)
            matrices += 1
        elif kind not in _NUMBERS_AND_TEXT:
            raise struct.error(f"an element of type {kind}")
        at, part = following, part + 1
    if part < (plain or 3):
        raise struct.error(f"a matrix of {part} parts")
    if not plain and entries > max(matrices, 1):
        raise struct.error(f"{entries} cells or structs, and content of {matrices}")


def _entries(kind: int, axes: memoryview, order: str) -> int:
    """How many entries a matrix has by its axes, of which there are two at least."""
    if kind not in _LENGTHS or len(axes) % 4 or not 8 <= len(axes) <= 4 * _MOST_AXES:
        raise struct.error(f"axes in {len(axes)} bytes of type {kind}")
    return math.prod(struct.unpack(f"{order}{len(axes) // 4}I", axes))


def _plain_parts(flags: int) -> int:
    """How many parts a matrix of numbers or text has at least; 0 for cells, structs and the like."""
    kind, is_complex = flags & 0xFF, bool(flags & _COMPLEX)
    if kind == _SPARSE:
        return 6 + is_complex
    return 4 + is_complex if kind == _CHAR or _SPARSE < kind <= _LAST_NUMERIC else 0
