"""Datasets by name: the real files where they are, and files that do not fit their names."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import scipy.io

from nmfrepro.core.errors import DataError
from nmfrepro.datasets import Dataset, DatasetOptions, load
from nmfrepro.datasets.definition import is_other

FACES = ["orl", "yale", "yaleb", "ar", "jaffe"]


def fake(
    folder: Path, *, people: int = 15, each: int = 11, pixels: int = 1024, divisor: float = 1
) -> np.ndarray:
    """A file of the name Yale_32x32.mat; its images, row by row."""
    rng = np.random.default_rng(0)
    X = rng.integers(0, 256, (people * each, pixels)).astype(float) / divisor
    scipy.io.savemat(
        folder / "Yale_32x32.mat", {"fea": X, "gnd": np.repeat(np.arange(people), each)[:, None]}
    )
    return X


@pytest.mark.parametrize(
    ("name", "size"),
    [
        ("orl", "32x32"), ("orl", "64x64"), ("yale", "32x32"), ("yale", "64x64"), ("yaleb", "32x32"),
        ("ar", "50x40"), ("coil20", "32x32"), ("umist", "32x32"), ("jaffe", "32x32"),
    ],
)  # fmt: skip
def test_the_real_files_fit_their_names(real_data: Path, name: str, size: str):
    data = load(DatasetOptions(name=name, size=size), real_data)
    assert data.X.dtype == np.float64
    assert not data.X.flags.writeable
    assert data.image_shape == tuple(map(int, size.split("x")))
    assert data.classes == tuple(range(1, len(data.classes) + 1))
    # What the real files hold twice, counted with pandas' duplicated().
    repeated = {("yale", "64x64"): 2, ("umist", "32x32"): 10}.get((name, size))
    assert int(pd.DataFrame(data.X).duplicated().sum()) == (repeated or 0)
    assert [note.split(" (")[0] for note in data.notes] == (
        [f"{repeated} of {len(data.X)} images equal an earlier one"] if repeated else []
    )
    assert 0 <= data.X.min() < data.X.max() <= 255
    scaled = data.scaled("grey")
    assert np.array_equal(scaled * 255, data.X) or np.allclose(scaled * 255, data.X, rtol=1e-15)


@pytest.mark.parametrize("name", FACES)
def test_faces_stand_upright(real_data: Path, name: str):
    """The mean face resembles its mirror image, and itself upside down far less."""
    data = load(DatasetOptions(name=name), real_data)
    face = data.X.mean(axis=0).reshape(data.image_shape)
    mirror = np.corrcoef(face.ravel(), face[:, ::-1].ravel())[0, 1]
    upside_down = np.corrcoef(face.ravel(), face[::-1].ravel())[0, 1]
    assert mirror > upside_down + 0.3


def test_what_the_reader_notes_of_another_copy_is_kept(tmp_path: Path):
    """Columns that are images, and what was not read, as where the same file is given by its path."""
    fake(tmp_path)
    path = tmp_path / "Yale_32x32.mat"
    held = scipy.io.loadmat(path)
    scipy.io.savemat(path, {"fea": held["fea"].T, "gnd": held["gnd"], "junk": np.ones(3, complex)})
    notes = load(DatasetOptions(name="yale"), tmp_path).notes
    assert any("columns of fea are the images" in note for note in notes), notes
    assert any("junk" in note for note in notes), notes


def test_a_demanded_source_is_never_replaced(tmp_path: Path):
    with pytest.raises(
        DataError, match=r"orl \(32x32\) from source crop is not here.*nmfrepro data fetch orl"
    ):
        load(DatasetOptions(name="orl", source="crop"), tmp_path)


def test_what_is_not_here_says_how_to_get_it(tmp_path: Path):
    with pytest.raises(
        DataError, match=r"no Yale_64x64\.mat or .*get the crop with `nmfrepro data fetch yale`"
    ):
        load(DatasetOptions(name="yale", size="64x64"), tmp_path)
    with pytest.raises(
        DataError, match=r"download Caltech-101 .*nmfrepro data features 101_ObjectCategories"
    ):
        load(DatasetOptions(name="caltech101", scale="l2"), tmp_path)


def test_another_copy_that_fits_is_taken_and_noted(tmp_path: Path):
    X = fake(tmp_path)
    data = load(DatasetOptions(name="yale"), tmp_path)
    assert data.X[3].reshape(32, 32).tolist() == X[3].reshape(32, 32, order="F").tolist()
    assert "not the copy known to nmfrepro" in data.notes[0]
    assert is_other(data.notes[0])
    assert data.classes == tuple(range(15))


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"people": 5}, r"55 images \(165 expected\); 5 classes \(15 expected\)"),
        ({"each": 12}, r"180 images \(165 expected\)"),
        ({"divisor": 255}, "values up to 1, already scaled"),
        ({"divisor": 0.5}, r"values from 0 to 510 \(0 to 255 expected\)"),
    ],
)
def test_a_file_that_does_not_fit_its_name_is_refused(tmp_path: Path, changes: dict, message: str):
    fake(tmp_path, **changes)
    with pytest.raises(DataError, match=r"Yale_32x32\.mat does not fit the name yale: " + message):
        load(DatasetOptions(name="yale"), tmp_path)
    data = load(DatasetOptions(name="yale", accept_mismatch=True), tmp_path)
    assert any("not what the name yale promises" in note and is_other(note) for note in data.notes)


def test_uneven_classes_do_not_fit(tmp_path: Path):
    X = fake(tmp_path)
    labels = np.repeat(np.arange(15), 11)
    labels[:2] = 14
    scipy.io.savemat(tmp_path / "Yale_32x32.mat", {"fea": X, "gnd": labels})
    with pytest.raises(DataError, match=r"classes of 9 to 13 images \(11 to 11 expected\)"):
        load(DatasetOptions(name="yale"), tmp_path)


def test_images_of_another_shape_do_not_fit(tmp_path: Path):
    stack = np.random.default_rng(0).integers(0, 256, (165, 16, 64)).astype(float)
    scipy.io.savemat(tmp_path / "Yale_32x32.mat", {"faces": stack, "gnd": np.repeat(np.arange(15), 11)})
    with pytest.raises(DataError, match=r"yale: images of 16x64 pixels \(32x32 expected\); put the right"):
        load(DatasetOptions(name="yale"), tmp_path)
    data = load(DatasetOptions(name="yale", accept_mismatch=True), tmp_path)
    assert data.image_shape == (16, 64)
    assert any("images of 16x64 pixels" in note for note in data.notes)


def test_an_image_of_another_size_is_refused(tmp_path: Path):
    fake(tmp_path, pixels=1000)
    with pytest.raises(DataError, match=r"Yale_32x32\.mat.*32x32 has 1024 pixels, its images 1000"):
        load(DatasetOptions(name="yale"), tmp_path)


def test_keys_and_pixel_order_can_be_given(tmp_path: Path):
    X = fake(tmp_path)
    labels = np.repeat(np.arange(15), 11)
    scipy.io.savemat(
        tmp_path / "Yale_32x32.mat", {"AllSet": {"A": X, "B": X, "p": labels, "q": labels[::-1]}}
    )
    with pytest.raises(DataError, match=r"AllSet\.p and AllSet\.q could be the labels"):
        load(DatasetOptions(name="yale"), tmp_path)
    data = load(
        DatasetOptions(name="yale", data_key="AllSet.A", label_key="AllSet.p", pixel_order="row"), tmp_path
    )
    assert data.X.tolist() == X.tolist()


def test_the_first_subjects_by_label(tmp_path: Path):
    X = fake(tmp_path)
    data: Dataset = load(DatasetOptions(name="yale", subjects=4, pixel_order="row"), tmp_path)
    assert data.X.tolist() == X[:44].tolist()
    assert data.class_sizes.tolist() == [11] * 4
    assert "the first 4 classes by label" in data.notes


def test_black_images_are_named(tmp_path: Path):
    X = fake(tmp_path)
    X[[3, 7]] = 0
    labels = np.repeat(np.arange(15), 11)
    scipy.io.savemat(tmp_path / "Yale_32x32.mat", {"fea": X, "gnd": labels})
    notes = load(DatasetOptions(name="yale"), tmp_path).notes
    assert "2 of 165 images are zero throughout (counted from 1: 4, 8)" in notes


def test_digits_are_those_of_scikit_learn():
    data = load(DatasetOptions(name="digits"))
    assert data.X.shape == (1797, 64)
    assert data.scaled("grey").max() == 1
    assert data.classes == tuple(range(10))


@pytest.mark.parametrize("option", [{"data_key": "X"}, {"label_key": "y"}, {"orientation": "rows"}])
def test_what_only_a_mat_file_has_is_never_passed_over(option: dict):
    """digits are carried by a package, and gaussians are made."""
    for name in ("digits", "gaussians"):
        with pytest.raises(DataError, match=f"dataset {name}: {next(iter(option))}.* is for .mat files"):
            load(DatasetOptions(name=name, scale="max", **option))
