"""PGM: the same picture in every encoding, and damaged ones."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from nmfrepro.core.errors import DataError
from nmfrepro.datasets.formats.pgm import parse_pgm

PIXELS = np.array([[0, 51, 102], [153, 204, 255]])


def raster(maximum: int) -> bytes:
    values = np.rint(PIXELS / 255 * maximum)
    return values.astype(">u2" if maximum > 255 else "u1").tobytes()


def read(data: bytes) -> np.ndarray:
    return parse_pgm(Path("a.pgm"), data)


@pytest.mark.parametrize("maximum", [5, 15, 255, 1275, 65535])
def test_the_largest_level_is_255_whatever_the_maximum(maximum: int):
    found = read(b"P5\n3 2\n%d\n" % maximum + raster(maximum))
    assert found.dtype == np.float64
    assert np.abs(found - PIXELS).max() < 1e-12


def test_plain_text_and_comments():
    text = b"P2\n# by a scanner\n3 # width\n2\n255\n0 51 102 # one\n153 204 255\n"
    assert read(text).tolist() == PIXELS.tolist()
    assert read(b"P5\n# a\n# b\n3 2\n# c\n255\n" + raster(255)).tolist() == PIXELS.tolist()


def test_a_raster_that_looks_like_a_comment():
    assert read(b"P5 2 1 255\n#\n").tolist() == [[35, 10]]
    assert read(b"P5 2 1 255 \n#").tolist() == [[10, 35]]


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"P5\n3 2\n0\n" + bytes(6), "largest grey level is given as 0"),
        (b"P5\n3 2\n65536\n" + bytes(12), "given as 65536"),
        (b"P5\n3 2\n255\n" + bytes(5), "6 bytes of pixels are expected, but 5 follow"),
        (b"P5\n3 2\n255\n" + bytes(7), "6 bytes of pixels are expected, but 7 follow"),
        (b"P5\n3 2\n1023\n" + bytes(6), "12 bytes of pixels are expected, but 6 follow"),
        (b"P5\n999999999 999999999\n255\n" + bytes(6), "but 6 follow; copy it again"),
        (b"P5\n0 2\n255\n" + bytes(6), "0 bytes of pixels are expected"),
        (b"P5\n3 2\n100\n" + raster(255), "a pixel of 255 exceeds .* 100"),
        (b"P2\n3 2\n255\n1 2 3", "6 pixels are expected"),
        (b"P2\n3 2\n255\n1 2 3 4 5 x", "6 pixels are expected"),
        (b"P2\n3 2\n255\n1 2 3 4 5 6 7", "6 pixels are expected"),
        (b"P6\n3 2\n255\n" + bytes(18), "not a PGM image"),
        (b"GIF89a", "not a PGM image"),
    ],
)
def test_damaged_files_are_refused_by_name(data: bytes, message: str):
    with pytest.raises(DataError, match=r"a\.pgm.*" + message):
        read(data)
