"""Data files of any bytes: read as arrays of bounded size, or refused in one line that names the file."""

from __future__ import annotations

import gzip
import io
import struct
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pytest
import scipy.io
import scipy.sparse
from fuzzing import fuzzed
from hypothesis import example, given
from hypothesis import strategies as st
from PIL import Image

from nmfrepro.core.errors import DataError
from nmfrepro.datasets import DatasetOptions
from nmfrepro.datasets.formats.csv import read_csv
from nmfrepro.datasets.formats.hdf5 import read_hdf5
from nmfrepro.datasets.formats.idx import read_idx
from nmfrepro.datasets.formats.images import read_image
from nmfrepro.datasets.formats.mat import read_mat
from nmfrepro.datasets.formats.npz import read_npy, read_npz
from nmfrepro.datasets.formats.pgm import parse_pgm
from nmfrepro.datasets.formats.quarantine import quarantined

FAST = fuzzed(60)
FEA, GND = np.arange(12.0).reshape(3, 4), np.array([[1.0], [2.0], [2.0]])
Damage = list[tuple[float, int, bytes]]


def mat(content: dict[str, Any], **options: Any) -> bytes:
    """The bytes of a MATLAB file."""
    buffer = io.BytesIO()
    scipy.io.savemat(buffer, content, **options)
    return buffer.getvalue()


def saved(save: Callable[..., None], *arrays: np.ndarray, **named: np.ndarray) -> bytes:
    """The bytes of a numpy file."""
    buffer = io.BytesIO()
    save(buffer, *arrays, **named)
    return buffer.getvalue()


def cells() -> np.ndarray:
    """A cell array of stacks and text."""
    found = np.empty((1, 2), dtype=object)
    found[0, 0], found[0, 1] = np.zeros((2, 2, 3)), "anna"
    return found


IMAGES = np.arange(24, dtype=np.uint8).reshape(2, 3, 4)
IDX = bytes([0, 0, 8, 3]) + struct.pack(">3I", 2, 3, 4) + IMAGES.tobytes()


def drawn(kind: str, **options: Any) -> bytes:
    """The bytes of an image file."""
    buffer = io.BytesIO()
    Image.fromarray(IMAGES[0]).save(buffer, kind, **options)
    return buffer.getvalue()


def hdf5() -> bytes:
    """The bytes of a MATLAB 7.3 file with a matrix, labels, a packed matrix, text and a struct."""
    h5py = pytest.importorskip("h5py")
    buffer = io.BytesIO()
    with h5py.File(buffer, "w") as file:
        file["fea"], file["gnd"] = FEA.T, GND.T
        file.create_dataset("packed", data=FEA, chunks=(2, 2), compression="gzip")
        file["name"] = np.array([[97], [98]], np.uint16)
        file["name"].attrs["MATLAB_class"] = np.bytes_(b"char")
        file["set/X"] = FEA
    return buffer.getvalue()


ORIENTED = Image.Exif()
ORIENTED[0x0112] = 6
FORMATS: dict[str, tuple[Callable[[Path], Any], list[bytes]]] = {
    "mat": (
        read_mat,
        [
            mat({"fea": FEA, "gnd": GND}),
            mat({"fea": FEA.astype(np.uint8), "gnd": GND}, do_compression=True),
            mat({"fea": FEA, "gnd": GND}, format="4"),
            mat({"set": {"X": FEA, "inner": {"y": GND}}, "c": cells(), "s": scipy.sparse.csc_matrix(FEA)}),
        ],
    ),
    "idx": (
        read_idx,
        [IDX, gzip.compress(IDX, mtime=0), bytes([0, 0, 0x0D, 1]) + struct.pack(">I2f", 2, 0.5, 1)],
    ),
    "pgm": (
        lambda path: parse_pgm(path, path.read_bytes()),
        [
            b"P5\n# a comment\n3 2\n255\n" + bytes(range(6)),
            b"P5 3 2 3000\n" + bytes(range(12)),
            b"P2\n3 2 # sizes\n15\n0 1 2\n3 4 15\n",
        ],
    ),
    "npz": (read_npz, [saved(np.savez, fea=FEA, gnd=GND), saved(np.savez_compressed, fea=FEA, gnd=GND)]),
    "csv": (
        lambda path: read_csv(path, DatasetOptions()).X,
        [
            b"label,a,b\n5,1,2\n5,3,4.5\n7,0,9\n",
            b"sep=;\r\na;b;gnd\r\n1;2,5;5\r\n3;4,5;5\r\n",
            b',a,"b",who\n0,1,2,anna\n1,3,4.5,bob\n',
            gzip.compress(b"anna,1,2\nbob,3,4e2\n", mtime=0),
        ],
    ),
    "hdf5": (read_hdf5, [hdf5()]),
    "image": (
        read_image,
        [
            drawn("PNG"),
            drawn("JPEG", exif=ORIENTED),
            drawn("TIFF", compression="tiff_lzw"),
            drawn("BMP"),
            drawn("GIF", save_all=True, append_images=[Image.fromarray(IMAGES[1])]),
        ],
    ),
    "npy": (read_npy, [saved(np.save, FEA)]),
}


def attempt(read: Callable[[Path], Any], content: bytes, run: Callable[..., Any] = quarantined) -> None:
    """Read a file of this content: arrays come out, or one line."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "f"
        path.write_bytes(content)
        said = f"{path}: read"
        try:
            found = run(read, path)
        except DataError as error:
            said = str(error)
        else:
            for each in found.values() if isinstance(found, dict) else [found]:
                assert isinstance(each, (np.ndarray, list, str))
                assert not isinstance(each, np.ndarray) or each.nbytes < 10**7
    assert str(path) in said
    assert "\n" not in said
    assert len(said) < 2000


@pytest.mark.parametrize("name", FORMATS)
def test_what_the_fuzz_starts_from_can_be_read(tmp_path: Path, name: str) -> None:
    read, contents = FORMATS[name]
    for content in contents:
        (tmp_path / "f").write_bytes(content)
        assert read(tmp_path / "f") is not None


@pytest.mark.parametrize("name", FORMATS)
@FAST
@given(
    st.integers(0, 4),
    st.lists(
        st.tuples(
            st.floats(0, 1),
            st.sampled_from([0, 0, 1, 1, 2, 4, 8, 40]),
            st.binary(max_size=8) | st.sampled_from([b"\xff" * 4, b"\0" * 4, b"\x7f\xff\xff\xff", b"9" * 12]),
        ),
        min_size=1,
        max_size=4,
    ),
)
@example(0, [(0.0, 10**6, b"")])
@example(0, [(0.0, 0, b"<!DOCTYPE html>\n")])
@example(0, [(0.0, 0, b"\x80\x04\x95")])
def test_files_with_other_bytes(name: str, which: int, damage: Damage) -> None:
    read, contents = FORMATS[name]
    content = contents[which % len(contents)]
    for share, removed, inserted in damage:
        start = int(share * len(content))
        content = content[:start] + inserted + content[start + removed :]
    attempt(read, content)


@pytest.mark.parametrize("name", FORMATS)
@FAST
@given(st.binary(max_size=300))
def test_any_bytes(name: str, content: bytes) -> None:
    attempt(FORMATS[name][0], content)
