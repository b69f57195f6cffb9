"""IDX files: content decides what they are, and header and bytes must agree."""

from __future__ import annotations

import gzip
import struct
from functools import partial
from pathlib import Path

import numpy as np
import pytest

from nmfrepro.core.errors import DataError
from nmfrepro.datasets.formats import idx as reader
from nmfrepro.datasets.formats.idx import labels_beside
from nmfrepro.datasets.formats.quarantine import quarantined

IMAGES = np.arange(2 * 3 * 4, dtype=np.uint8).reshape(2, 3, 4)
read_idx, read_idx_pair = partial(quarantined, reader.read_idx), partial(quarantined, reader.read_idx_pair)
LABELS = np.array([7, 3], dtype=np.uint8)


def idx(array: np.ndarray, claimed: tuple[int, ...] | None = None) -> bytes:
    shape = claimed or array.shape
    return bytes([0, 0, 8, len(shape)]) + struct.pack(f">{len(shape)}I", *shape) + array.tobytes()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "t-images-idx3-ubyte").write_bytes(idx(IMAGES))
    (tmp_path / "t-labels-idx1-ubyte").write_bytes(idx(LABELS))
    return tmp_path


@pytest.mark.parametrize("name", ["a", "a.gz"])
@pytest.mark.parametrize("packed", [False, True])
def test_gzip_is_decided_by_content(tmp_path: Path, name: str, packed: bool):
    data = idx(IMAGES)
    (tmp_path / name).write_bytes(gzip.compress(data) if packed else data)
    assert read_idx(tmp_path / name).tolist() == IMAGES.tolist()


def test_numbers_that_are_no_bytes_are_read_too(tmp_path: Path):
    path = tmp_path / "a"
    path.write_bytes(bytes([0, 0, 0x0D, 1]) + struct.pack(">I2f", 2, 0.5, -1))
    assert read_idx(path).tolist() == [0.5, -1]


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (idx(IMAGES)[:-1], r"is damaged .*size 23 into shape \(2,3,4\).*; fetch or copy it again"),
        (idx(IMAGES) + b"\0", r"size 25 into shape \(2,3,4\)"),
        (idx(IMAGES, (5, 3, 4)), r"size 24 into shape \(5,3,4\)"),
        (idx(IMAGES, (2**31, 28, 28)), r"size 24 into shape \(2147483648,28,28\)"),
        (idx(IMAGES)[:10], "is damaged .*requires a buffer of at least 16 bytes"),
        (gzip.compress(idx(IMAGES), mtime=0)[:-10], "is damaged or not what it seems"),
        (gzip.compress(gzip.compress(idx(IMAGES), mtime=0), mtime=0), "is no IDX file"),
        (b"<html>", "is no IDX file"),
        (b"", "is empty"),
    ],
)
def test_damage_is_refused_by_name(tmp_path: Path, data: bytes, message: str):
    (tmp_path / "a.gz").write_bytes(data)
    with pytest.raises(DataError, match=r"a\.gz.*" + message):
        read_idx(tmp_path / "a.gz")


def test_a_pair_belongs_together(folder: Path):
    images, labels = folder / "t-images-idx3-ubyte", folder / "t-labels-idx1-ubyte"
    pictures, values = read_idx_pair(images, labels)
    assert (pictures.tolist(), values.tolist()) == (IMAGES.tolist(), [7, 3])
    with pytest.raises(DataError, match="the two files are swapped"):
        read_idx_pair(labels, images)
    with pytest.raises(DataError, match="holds no labels"):
        read_idx_pair(images, images)
    with pytest.raises(DataError, match="holds no images"):
        read_idx_pair(labels, labels)
    labels.write_bytes(idx(LABELS[:1]))
    with pytest.raises(DataError, match=r"holds 2 images, .* 1 label;"):
        read_idx_pair(images, labels)


def test_the_labels_are_found_by_name(folder: Path):
    images = folder / "t-images-idx3-ubyte"
    assert labels_beside(images) == folder / "t-labels-idx1-ubyte"
    assert labels_beside(images.with_suffix(".gz")) == folder / "t-labels-idx1-ubyte"
    assert labels_beside(folder / "pictures") is None
    (folder / "t-labels-idx1-ubyte").unlink()
    assert labels_beside(images) is None
