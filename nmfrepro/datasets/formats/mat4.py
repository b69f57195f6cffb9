"""The headers of a MATLAB 4 file, checked before scipy reads it.

scipy goes from header to header by the sizes they claim; negative ones lead it in a circle, for ever.
"""

from __future__ import annotations

import struct

_HEADER = 20
_SPARSE = 2
# Bytes of a number, by the second last digit of the type.
_BYTES = {0: 8, 1: 4, 2: 4, 3: 2, 4: 2, 5: 1}
_LARGEST_TYPE = 5000


def check_headers(data: memoryview) -> None:
    """Walk through the variables: type, rows, columns, imaginary part, length of the name; name; numbers.

    Raises
    ------
    struct.error
        If one is cut off, or leads backwards.
    """
    at = 0
    order = "<" if 0 <= struct.unpack_from("<i", data)[0] <= _LARGEST_TYPE else ">"
    while at < len(data):
        kind, rows, columns, imaginary, name = struct.unpack_from(f"{order}5i", data, at)
        size = _BYTES.get(kind // 10 % 10)
        if size is None or min(kind, rows, columns, name) < 0:
            raise struct.error(f"a header of type {kind}, {rows} x {columns}")
        parts = 2 if imaginary == 1 and kind % 10 != _SPARSE else 1
        at += _HEADER + name + size * rows * columns * parts
