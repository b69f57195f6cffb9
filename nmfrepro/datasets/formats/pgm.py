"""PGM images, read here so that grey levels do not depend on an imaging library's version.

Pillow once ignored a maximum other than 255 and clips 16-bit images; here a pixel is always
value / maxval * 255.
"""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np

from ...core.errors import DataError
from .guard import regular_file

_HEADER = re.compile(rb"(P[25])" + 3 * rb"(?:\s|#[^\n]*\n)+(\d{1,9})" + rb"(?:#[^\n]*\n)?\s", re.ASCII)
MAX_SIDE = 20_000


def read_pgm(path: Path) -> np.ndarray:
    """The grey levels of a PGM file (binary P5 or plain P2), on the scale 0 … 255.

    Returns
    -------
    ndarray of float64, shape (rows, columns)

    Raises
    ------
    DataError
        If the header or the number of pixels is wrong, or a pixel exceeds the maximum.
    """
    return parse_pgm(regular_file(path).read_bytes(), path)


def parse_pgm(data: bytes, path: Path) -> np.ndarray:
    """`read_pgm` for the content of a file; `path` is named in messages."""
    header = _HEADER.match(data)
    if header is None:
        raise DataError(f"{path} is not a PGM image (no P5 or P2 header with width, height and maximum)")
    columns, rows, maximum = (int(number) for number in header.groups()[1:])
    if not 1 <= maximum <= 65535:
        raise DataError(
            f"{path}: the header gives {maximum} as the largest grey level; it must lie in 1 … 65535"
        )
    if not (1 <= rows <= MAX_SIDE and 1 <= columns <= MAX_SIDE):
        raise DataError(f"{path}: the header claims {columns} x {rows} pixels, which is no usable image")
    pixels = (_binary if header[1] == b"P5" else _plain)(data[header.end() :], rows * columns, maximum, path)
    if int(pixels.max()) > maximum:
        raise DataError(
            f"{path}: a pixel of {int(pixels.max())} exceeds the header's largest grey level {maximum}"
        )
    return pixels.reshape(rows, columns).astype(np.float64) * 255.0 / maximum


def _binary(raster: bytes, count: int, maximum: int, path: Path) -> np.ndarray:
    kind = np.dtype(">u2" if maximum > 255 else "u1")
    expected = count * kind.itemsize
    if len(raster) < expected:
        raise DataError(
            f"{path} is cut off: {len(raster)} of {expected} bytes of pixels are there; copy it again"
        )
    if len(raster) > expected:
        raise DataError(
            f"{path} holds {len(raster)} bytes of pixels, its header says {expected}; copy it again"
        )
    return np.frombuffer(raster, kind)


def _plain(raster: bytes, count: int, maximum: int, path: Path) -> np.ndarray:
    words = re.sub(rb"#[^\n]*", b" ", raster).split(maxsplit=count)
    if len(words) != count or not all(word.isdigit() and len(word) < 10 for word in words):
        raise DataError(f"{path} is damaged: {count} pixels are expected, as whole numbers")
    return np.array(words, dtype=np.int64)
