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


def surplus(data: bytes) -> int | None:
    """How many bytes a binary image has beyond those its header states; None without a header."""
    header = _HEADER.match(data)
    if header is None:
        return None
    columns, rows, maximum = map(int, header.groups()[1:])
    return len(data) - header.end() - rows * columns * (2 if maximum > 255 else 1)


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
    header, more = _HEADER.match(data), surplus(data)
    if header is None or more is None:
        raise DataError(f"{path} is not a PGM image (no P5 or P2 header with width, height and maximum)")
    columns, rows, maximum = map(int, header.groups()[1:])
    if not 1 <= maximum <= 65535:
        raise DataError(
            f"{path}: the header gives {maximum} as the largest grey level; it must lie in 1 … 65535"
        )
    if header[1] == b"P2":
        words = re.sub(rb"#[^\n]*", b" ", data[header.end() :]).split(maxsplit=rows * columns)
        if len(words) != rows * columns or not all(word.isdigit() and len(word) < 10 for word in words):
            raise DataError(f"{path} is damaged: {rows * columns} pixels are expected, as whole numbers")
        pixels = np.array(words, dtype=np.int64)
    elif more == 0:
        pixels = np.frombuffer(data, ">u2" if maximum > 255 else "u1", offset=header.end())
    else:
        what, there = (
            "is cut off" if more < 0 else "holds more than its header says",
            len(data) - header.end(),
        )
        raise DataError(f"{path} {what}: {there} bytes of pixels in place of {there - more}; copy it again")
    if int(pixels.max()) > maximum:
        raise DataError(
            f"{path}: a pixel of {int(pixels.max())} exceeds the header's largest grey level {maximum}"
        )
    return pixels.reshape(rows, columns).astype(np.float64) * 255.0 / maximum
