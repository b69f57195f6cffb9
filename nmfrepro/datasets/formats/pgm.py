"""PGM images, read here so that grey levels do not depend on an imaging library's version.

Pillow once ignored a maximum other than 255 and clips 16-bit images; here a pixel is always
value / maxval * 255.
"""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np

from ...core.errors import DataError
from .textmode import PAIR, fault

_HEADER = re.compile(rb"(P[25])" + 3 * rb"(?:\s|#[^\n]*\n)+(\d{1,9})" + rb"(?:#[^\n]*\n)?\s", re.ASCII)


def parse_pgm(data: bytes, path: Path) -> np.ndarray:
    """The grey levels of a PGM image (binary P5 or plain P2), on the scale 0 … 255.

    Parameters
    ----------
    data : bytes
        The content of the file.
    path : Path
        Its name, for messages.

    Returns
    -------
    ndarray of float64, shape (rows, columns)

    Raises
    ------
    DataError
        If the header or the number of pixels is wrong, a pixel exceeds the maximum, or the file went through
        a text-mode conversion.
    """
    header = _HEADER.match(data)
    if header is None:
        raise DataError(f"{path} is not a PGM image (no P5 or P2 header with width, height and maximum)")
    columns, rows, maximum = (int(number) for number in header.groups()[1:])
    if not 1 <= maximum <= 65535:
        raise DataError(
            f"{path}: the header gives {maximum} as the largest grey level; it must lie in 1 … 65535"
        )
    if header[1] == b"P2":
        pixels = _plain(data[header.end() :], rows * columns, path)
    elif _whole(data):
        pixels = np.frombuffer(data, ">u2" if maximum > 255 else "u1", offset=header.end())
    else:
        there, expected = len(data) - header.end(), _size(header)
        what = "is cut off" if there < expected else "holds more than its header says"
        error = DataError(f"{path} {what}: {there} bytes of pixels in place of {expected}; copy it again")
        raise fault(error, data, path, _whole)
    if int(pixels.max()) > maximum:
        raise DataError(
            f"{path}: a pixel of {int(pixels.max())} exceeds the header's largest grey level {maximum}"
        )
    return pixels.reshape(rows, columns).astype(np.float64) * 255.0 / maximum


def _size(header: re.Match[bytes]) -> int:
    """Bytes of pixels that a header states."""
    columns, rows, maximum = (int(number) for number in header.groups()[1:])
    return rows * columns * (2 if maximum > 255 else 1)


def _whole(data: bytes) -> bool:
    """Whether a binary image is as long as its header states; 13 10 after its first line is no header's."""
    header = _HEADER.match(data)
    return header is not None and data[2:4] != PAIR and len(data) - header.end() == _size(header)


def _plain(raster: bytes, count: int, path: Path) -> np.ndarray:
    words = re.sub(rb"#[^\n]*", b" ", raster).split(maxsplit=count)
    if len(words) != count or not all(word.isdigit() and len(word) < 10 for word in words):
        raise DataError(f"{path} is damaged: {count} pixels are expected, as whole numbers")
    return np.array(words, dtype=np.int64)
