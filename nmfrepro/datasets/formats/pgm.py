"""PGM images, read here so that grey levels do not depend on an imaging library's version.

Pillow once ignored a maximum other than 255 and clips 16-bit images; here a pixel is always
value / maxval * 255.
"""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np

from ...core.errors import DataError

_HEADER = re.compile(rb"(P[25])" + 3 * rb"(?:\s|#[^\n]*\n)+(\d{1,9})" + rb"(?:#[^\n]*\n)?\s", re.ASCII)


def parse_pgm(path: Path, data: bytes) -> np.ndarray:
    """The grey levels of a PGM image (binary P5 or plain P2), on the scale 0 … 255.

    Parameters
    ----------
    path : Path
        The name of the file, for messages.
    data : bytes
        Its content.

    Returns
    -------
    ndarray of float64, shape (rows, columns)

    Raises
    ------
    DataError
        If the header or the number of pixels is wrong, or a pixel exceeds the maximum.
    """
    header = _HEADER.match(data)
    if header is None:
        raise DataError(f"{path} is not a PGM image (no P5 or P2 header with width, height and maximum)")
    columns, rows, maximum = map(int, header.groups()[1:])
    if not 1 <= maximum <= 65535:
        raise DataError(f"{path}: the largest grey level is given as {maximum}; it must lie in 1 … 65535")
    if header[1] == b"P2":
        words = re.sub(rb"#[^\n]*", b" ", data[header.end() :]).split(maxsplit=rows * columns)
        if len(words) != rows * columns or not all(word.isdigit() and len(word) < 10 for word in words):
            raise DataError(f"{path} is damaged: {rows * columns} pixels are expected, as whole numbers")
        pixels = np.array(words, dtype=np.int64)
    else:
        kind = np.dtype(">u2" if maximum > 255 else "u1")
        expected, there = rows * columns * kind.itemsize, len(data) - header.end()
        if there != expected:
            remedy = "copy it again, as a binary file"
            raise DataError(f"{path}: {expected} bytes of pixels are expected, but {there} follow; {remedy}")
        pixels = np.frombuffer(data, kind, offset=header.end())
    if (peak := int(pixels.max())) > maximum:
        raise DataError(f"{path}: a pixel of {peak} exceeds the header's largest grey level {maximum}")
    return pixels.reshape(rows, columns).astype(np.float64) * 255.0 / maximum
