"""Files that a text-mode conversion went through (13 10 in place of 10), or that are cut, are refused."""

from __future__ import annotations

import gzip
import io
import struct
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.io
from PIL import Image

from nmfrepro.core.errors import DataError
from nmfrepro.datasets.formats.idx import read_idx
from nmfrepro.datasets.formats.images import read_image
from nmfrepro.datasets.formats.npz import read_npy
from nmfrepro.datasets.formats.quarantine import quarantined
from nmfrepro.datasets.formats.tables import read_variables

# Many newline bytes, and no pair of 13 and 10.
PICTURE = np.random.default_rng(0).integers(0, 256, (40, 60)).astype(np.uint8)
PICTURE[PICTURE == 13] = 10


def written(save: Callable[[io.BytesIO], object]) -> bytes:
    """What is saved into a file."""
    buffer = io.BytesIO()
    save(buffer)
    return buffer.getvalue()


def drawn(kind: str) -> bytes:
    """The picture as an image file."""
    return written(lambda buffer: Image.fromarray(PICTURE).save(buffer, kind))


VARIABLES = {"fea": PICTURE, "gnd": np.arange(40.0)}
IDX = struct.pack(">4I", 0x803, 10, 4, 60) + PICTURE.tobytes()
FILES: dict[str, tuple[Callable[[Path], Any], bytes]] = {
    "a.pgm": (read_image, b"P5\n60 40\n255\n" + PICTURE.tobytes()),
    "a.png": (read_image, drawn("PNG")),
    "a.bmp": (read_image, drawn("BMP")),
    "a.jpg": (read_image, drawn("JPEG")),
    "a.gif": (read_image, drawn("GIF")),
    "a.tif": (read_image, drawn("TIFF")),
    "idx3": (read_idx, IDX),
    "idx3.gz": (read_idx, gzip.compress(IDX, mtime=0)),
    "a.npy": (read_npy, written(lambda buffer: np.save(buffer, PICTURE))),
    "a.npz": (read_variables, written(lambda buffer: np.savez(buffer, X=PICTURE, y=np.arange(40)))),
    "4.mat": (read_variables, written(lambda buffer: scipy.io.savemat(buffer, VARIABLES, format="4"))),
    "5.mat": (read_variables, written(lambda buffer: scipy.io.savemat(buffer, VARIABLES))),
    "c.mat": (
        read_variables,
        written(lambda buffer: scipy.io.savemat(buffer, VARIABLES, do_compression=True)),
    ),
}


def converted(content: bytes) -> bytes:
    """What a program does that takes the file for text."""
    return content.replace(b"\n", b"\r\n")


@pytest.mark.parametrize("name", FILES)
def test_a_converted_file_is_refused(tmp_path: Path, name: str):
    read, content = FILES[name]
    path = tmp_path / name
    path.write_bytes(content)
    quarantined(read, path)
    path.write_bytes(converted(content))
    assert path.read_bytes() != content
    with pytest.raises(DataError, match=name):
        quarantined(read, path)


@pytest.mark.parametrize("name", ["a.bmp", "a.jpg", "a.gif", "a.tif"])
def test_an_image_that_would_open_and_be_sheared_is_told_why(tmp_path: Path, name: str):
    path = tmp_path / name
    path.write_bytes(converted(FILES[name][1]))
    with pytest.raises(DataError, match=f"{name} went through a text-mode conversion .* as a binary file"):
        read_image(path)


@pytest.mark.parametrize("name", ["a.pgm", "idx3", "a.npy"])
def test_bytes_behind_the_end_are_refused(tmp_path: Path, name: str):
    read, content = FILES[name]
    path = tmp_path / name
    path.write_bytes(content + b"\n")
    with pytest.raises(DataError, match=name):
        quarantined(read, path)


@pytest.mark.parametrize("name", [name for name in FILES if FILES[name][0] is read_image])
def test_an_image_that_is_cut_is_never_filled_up(tmp_path: Path, name: str):
    path, content = tmp_path / name, FILES[name][1]
    for share in (0.3, 0.6, 0.9):
        path.write_bytes(content[: int(share * len(content))])
        with pytest.raises(DataError, match=name):
            read_image(path)


def test_an_intact_image_of_13_and_10_is_read(tmp_path: Path):
    """The length decides where the header states it."""
    path = tmp_path / "a.pgm"
    path.write_bytes(b"P5 4 4 255 " + b"\r\n" * 8)
    assert read_image(path).tolist() == [[13, 10, 13, 10]] * 4
