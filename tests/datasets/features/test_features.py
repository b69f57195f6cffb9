"""Visual words, end to end on images the test draws itself."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import numpy as np
import pytest
from PIL import Image, ImageDraw
from sklearn.metrics import pairwise_distances_argmin

from nmfrepro.core.errors import DataError
from nmfrepro.datasets import get
from nmfrepro.datasets.features.build import build_features, select
from nmfrepro.datasets.features.codebook import count_words, learn_codebook
from nmfrepro.datasets.features.sift import descriptors, require_opencv
from nmfrepro.datasets.formats.images import list_folder

needs_opencv = pytest.mark.skipif(importlib.util.find_spec("cv2") is None, reason="OpenCV is not installed")


def shapes(rng: np.random.Generator, lines: bool) -> Image.Image:
    """Random lines, or random discs: two kinds of picture that SIFT tells apart."""
    picture = Image.new("L", (160, 120), 90)
    draw = ImageDraw.Draw(picture)
    for _ in range(25):
        x, y, size = (int(each) for each in rng.integers((0, 0, 10), (160, 120, 30)))
        grey = int(rng.integers(256))
        if lines:
            draw.line((x, y, x + 2 * size, y + size), fill=grey, width=2)
        else:
            draw.ellipse((x, y, x + size, y + size), fill=grey)
    return picture


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("images")
    rng = np.random.default_rng(3)
    for name, lines in (("discs", False), ("lines", True)):
        (root / name).mkdir()
        for i in range(8):
            shapes(rng, lines).save(root / name / f"{i}.png")
    Image.new("L", (40, 40), 128).save(root / "discs" / "flat.png")
    return root


@needs_opencv
def test_histograms_count_every_descriptor_and_tell_the_classes_apart(folder: Path):
    files, _ = list_folder(folder)
    found = build_features(files, "toy", words=20, seed=0, jobs=2)
    lengths = [len(each) for each in descriptors(files, 1)]
    assert found.X.shape == (17, 20)
    assert found.X.sum(axis=1).tolist() == lengths
    assert np.array_equal(found.X, np.rint(found.X))
    assert found.labels.tolist() == ["discs"] * 9 + ["lines"] * 8
    assert found.notes == ("1 of 17 images have no SIFT descriptors: discs/flat.png",)
    assert f"{sum(lengths):,} SIFT descriptors of 17 images" in found.origin
    assert "seed 0" in found.origin
    # By cosine, the nearest other image is of the same kind nearly always.
    textured = found.X.any(axis=1)
    X, labels = found.X[textured], found.labels[textured]
    unit = X / np.linalg.norm(X, axis=1, keepdims=True)
    nearest = np.argmax(unit @ unit.T - 2 * np.eye(16), axis=1)
    assert (labels[nearest] == labels).mean() >= 0.8


@needs_opencv
def test_neither_jobs_nor_repetition_change_the_result_but_the_seed_does(folder: Path):
    files, _ = list_folder(folder)
    one = build_features(files, "toy", words=12, seed=1, jobs=1)
    assert np.array_equal(one.X, build_features(files, "toy", words=12, seed=1, jobs=3).X)
    assert not np.array_equal(one.X, build_features(files, "toy", words=12, seed=2, jobs=1).X)


@needs_opencv
def test_too_few_descriptors_and_broken_images_are_refused(folder: Path, tmp_path: Path):
    files, _ = list_folder(folder)
    with pytest.raises(DataError, match="too few for 5000 words"):
        build_features(files, "toy", words=5000, seed=0, jobs=1)
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "1.png").write_text("no image")
    with pytest.raises(DataError, match=r"1\.png is a damaged image"):
        build_features(list_folder(tmp_path)[0], "toy", words=2, seed=0, jobs=2)


@needs_opencv
def test_large_images_are_brought_down(tmp_path: Path):
    rng = np.random.default_rng(0)
    shapes(rng, False).resize((1600, 1200)).save(tmp_path / "a.png")
    (found,) = descriptors([tmp_path / "a.png"], 1)
    assert found.dtype == np.uint8
    assert found.shape[1] == 128
    assert 0 < len(found) < 1000


def test_without_opencv_the_message_names_the_extra(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with pytest.raises(DataError, match=r"pip install 'nmfrepro\[features\]'"):
        require_opencv()


def test_words_are_the_nearest_centres():
    rng = np.random.default_rng(0)
    points = rng.integers(0, 256, (300, 128)).astype(np.uint8)
    centres = rng.uniform(0, 255, (7, 128)).astype(np.float32)
    counts = count_words(points, np.array([100, 0, 200]), centres)
    nearest = pairwise_distances_argmin(points.astype(float), centres.astype(float))
    expected = [np.bincount(part, minlength=7) for part in (nearest[:100], nearest[:0], nearest[100:])]
    assert counts.tolist() == np.array(expected).tolist()


def test_the_codebook_finds_well_separated_centres():
    rng = np.random.default_rng(0)
    true = rng.integers(30, 220, (6, 128))
    points = np.clip(true[rng.integers(6, size=9000)] + rng.normal(size=(9000, 128)), 0, 255).astype(np.uint8)
    found = learn_codebook(points, 6, seed=0)
    match = pairwise_distances_argmin(true.astype(float), found.astype(float))
    assert sorted(match.tolist()) == list(range(6))
    assert np.abs(found[match] - true).max() < 1.5


def test_a_dataset_takes_the_folders_it_is_made_of(tmp_path: Path):
    caltech = get("caltech101")
    for name in (*caltech.folders[1:], "BACKGROUND_Google"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "1.png").touch()
    with pytest.raises(DataError, match="has no images of airplanes, which caltech101 is made of"):
        select(tmp_path, caltech, None)
    (tmp_path / "airplanes").mkdir()
    (tmp_path / "airplanes" / "1.png").touch()
    with pytest.raises(DataError, match="holds 10 images in 10 folders; caltech101 has 3044 in 10"):
        select(tmp_path, caltech, None)
    assert len(select(tmp_path, None, None)) == 11
