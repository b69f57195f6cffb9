"""Files of the user's own: every format by one door, and options that do not apply."""

from __future__ import annotations

import gzip
import struct
from pathlib import Path

import numpy as np
import pytest
import scipy.io
from PIL import Image

from nmfrepro.core.errors import DataError
from nmfrepro.datasets import DatasetOptions, load
from nmfrepro.datasets.importing import import_file


def write(folder: Path, kind: str, pictures) -> tuple[Path, dict]:
    """The pictures in one of the formats, and the options it needs to be read."""
    path = folder / f"mine.{kind}"
    shape = {"image_shape": "3x4", "pixel_order": "row", "levels": 255.0}
    if kind == "mat":
        scipy.io.savemat(path, {"fea": pictures.X, "gnd": pictures.labels})
        return path, shape
    if kind == "columns.mat":
        scipy.io.savemat(path, {"fea": pictures.by_columns.T.astype(np.uint8), "gnd": pictures.labels})
        return path, shape | {"pixel_order": "column"}
    if kind == "npz":
        np.savez(path, X=pictures.X, y=pictures.labels)
        return path, shape
    if kind == "npy":
        np.save(path, pictures.X.T)
        np.save(folder / "labels.npy", pictures.labels)
        return path, shape | {"labels_file": str(folder / "labels.npy")}
    if kind == "csv":
        np.savetxt(path, np.column_stack([pictures.X, pictures.labels]), fmt="%g", delimiter=",")
        return path, shape | {"label_key": "last"}
    if kind == "idx":
        path = folder / "my-images-idx3-ubyte"
        head = struct.pack(">4I", 0x803, len(pictures.X), *pictures.shape)
        path.write_bytes(gzip.compress(head + pictures.X.astype(np.uint8).tobytes()))
        labels = struct.pack(">2I", 0x801, len(pictures.X)) + pictures.labels.astype(np.uint8).tobytes()
        (folder / "my-labels-idx1-ubyte").write_bytes(labels)
        return path, {"levels": 255.0}
    path = folder / "pictures"
    for i, (x, label) in enumerate(zip(pictures.X, pictures.labels, strict=True)):
        (path / str(label)).mkdir(parents=True, exist_ok=True)
        Image.fromarray(x.reshape(pictures.shape).astype(np.uint8)).save(path / str(label) / f"{i}.png")
    return path, {}


KINDS = ["mat", "columns.mat", "npz", "npy", "csv", "idx", "folder"]


@pytest.mark.parametrize("kind", KINDS)
def test_the_same_pictures_are_the_same_data_whatever_carries_them(tmp_path: Path, pictures, kind: str):
    path, options = write(tmp_path, kind, pictures)
    data = load(DatasetOptions(file=str(path), scale="grey", **options))
    assert data.X.tolist() == pictures.X.tolist()
    assert data.y.tolist() == np.repeat([0, 1, 2], 5).tolist()
    assert [str(label) for label in data.classes] == ["1", "2", "3"]
    assert (data.image_shape, data.levels, data.source, data.name) == ((3, 4), 255, "file", path.stem)
    (tmp_path / "again").mkdir()
    reference, options = write(tmp_path / "again", "mat", pictures)
    assert data.sha256 == load(DatasetOptions(file=str(reference), scale="grey", **options)).sha256


def test_suffixes_do_not_matter_where_content_tells(tmp_path: Path, pictures):
    for kind in ("mat", "npz", "npy", "idx"):
        path, options = write(tmp_path, kind, pictures)
        renamed = path.rename(tmp_path / "my-images-idx3.dat")
        if kind == "idx":
            options |= {"labels_file": str(tmp_path / "my-labels-idx1-ubyte")}
        data = load(DatasetOptions(file=str(renamed), scale="none", **options))
        assert data.X.tolist() == pictures.X.tolist()


def test_a_folder_of_idx_files(tmp_path: Path, pictures):
    path, _ = write(tmp_path, "idx", pictures)
    assert load(DatasetOptions(file=str(tmp_path), scale="max")).X.tolist() == pictures.X.tolist()
    (tmp_path / "other-images-idx3-ubyte").write_bytes(path.read_bytes())
    with pytest.raises(DataError, match=r"several IDX files of images .*; name one of them"):
        load(DatasetOptions(file=str(tmp_path), scale="max"))
    (tmp_path / "my-labels-idx1-ubyte").unlink()
    with pytest.raises(DataError, match="no file of labels was found beside it; name it with labels_file"):
        load(DatasetOptions(file=str(path), scale="max"))


@pytest.mark.parametrize(
    ("kind", "option", "message"),
    [
        ("mat", {"size": "3x4"}, "size does not apply to a file of variables"),
        ("npz", {"exclude": "*"}, "exclude does not apply to a file of variables"),
        ("npz", {"labels_file": "y"}, "labels_file does not apply"),
        ("csv", {"data_key": "X"}, "data_key does not apply to a CSV file"),
        ("csv", {"orientation": "columns"}, "orientation does not apply to a CSV file"),
        ("idx", {"orientation": "rows"}, "orientation does not apply to an IDX file"),
        ("folder", {"levels": 255.0}, "levels does not apply to a folder of images"),
        ("folder", {"pixel_order": "row"}, "pixel_order does not apply to a folder of images"),
    ],
)
def test_options_that_do_not_apply_are_refused(
    tmp_path: Path, pictures, kind: str, option: dict, message: str
):
    path, _ = write(tmp_path, kind, pictures)
    with pytest.raises(DataError, match=message):
        load(DatasetOptions(file=str(path), scale="none", **option))


def test_the_range_is_asked_for_and_held(tmp_path: Path, pictures):
    path, _ = write(tmp_path, "mat", pictures)
    with pytest.raises(DataError, match="scale 'grey' needs levels"):
        load(DatasetOptions(file=str(path), scale="grey"))
    with pytest.raises(DataError, match="levels is 100, but its largest value is"):
        load(DatasetOptions(file=str(path), levels=100.0))
    scipy.io.savemat(path, {"fea": pictures.X.astype(np.uint8), "gnd": pictures.labels})
    with pytest.raises(DataError, match="scale 'grey' needs levels"):
        load(DatasetOptions(file=str(path), scale="grey"))


@pytest.mark.parametrize("scale", ["grey", "none", "max"])
@pytest.mark.parametrize(("largest", "levels", "noted"), [(1, 255, True), (1, 1, False), (2, 255, False)])
def test_values_that_seem_scaled_already_are_told(
    tmp_path: Path, pictures, scale: str, largest: float, levels: float, noted: bool
):
    path = tmp_path / "mine.npz"
    np.savez(path, X=pictures.X / pictures.X.max() * largest, y=pictures.labels)
    notes = load(DatasetOptions(file=str(path), scale=scale, levels=levels)).notes
    note = "the largest value is 1 where levels is 255, by which scale grey divides"
    assert [each.startswith(note) for each in notes] == [True] * noted


def test_odd_images_of_a_folder_are_called_by_their_files(tmp_path: Path, pictures):
    pictures.X[4], pictures.X[6], pictures.X[7] = pictures.X[0], 0, 9
    path, _ = write(tmp_path, "folder", pictures)
    assert load(DatasetOptions(file=str(path), scale="grey", subjects=2)).notes[-3:] == (
        "1 of 10 images are zero throughout (2/6.png)",
        "1 of 10 images have one value throughout (2/7.png)",
        "1 of 10 images equal an earlier one (1/4.png and 1/0.png)",
    )


@pytest.mark.parametrize(
    ("odd", "notes"),
    [
        ({}, ()),
        ({0: -1}, ("class -1 has a single image",)),
        ({0: -1, 14: 7}, ("2 of 5 classes have a single image: -1, 7",)),
    ],
)
def test_classes_of_a_single_image_are_told(tmp_path: Path, pictures, odd: dict[int, int], notes: tuple):
    for sample, label in odd.items():
        pictures.labels[sample] = label
    path, options = write(tmp_path, "npz", pictures)
    assert load(DatasetOptions(file=str(path), scale="grey", **options)).notes == notes


def test_the_storage_type_decides_nothing(tmp_path: Path, pictures):
    hashes = set()
    for kind in (np.uint8, np.int16, np.float32, np.float64):
        path = tmp_path / "mine.mat"
        scipy.io.savemat(path, {"fea": pictures.X.astype(kind), "gnd": pictures.labels})
        data = load(DatasetOptions(file=str(path), scale="none"))
        hashes.add(data.sha256)
        # 200² does not fit a byte.
        assert (data.X**2).max() == pictures.X.max() ** 2
    assert len(hashes) == 1


@pytest.mark.parametrize(
    ("kind", "save"),
    [
        ("mat", lambda path, X: scipy.io.savemat(path, {"fea": X})),
        ("npz", lambda path, X: np.savez(path, X=X)),
        ("npy", np.save),
    ],
)
def test_a_matrix_alone_is_refused_where_classes_are_needed(tmp_path: Path, pictures, kind: str, save):
    path = tmp_path / f"mine.{kind}"
    save(path, pictures.X)
    options = DatasetOptions(file=str(path), scale="none")
    assert set(load(options, labelled=False).y) == {0}
    for refused in (lambda: load(options), lambda: import_file(options, "toy", None, tmp_path)):
        with pytest.raises(DataError, match=rf"mine\.{kind} holds no labels: .* with labels_file"):
            refused()


def test_odd_files_are_named(tmp_path: Path):
    page = tmp_path / "ORL.mat"
    page.write_text("\n<!DOCTYPE html><html>404</html>")
    with pytest.raises(DataError, match=r"ORL\.mat is a web page, not data"):
        load(DatasetOptions(file=str(page), scale="none"))
    other = tmp_path / "a.pdf"
    other.write_text("%PDF")
    with pytest.raises(DataError, match=r"a\.pdf is of no kind that is read"):
        load(DatasetOptions(file=str(other), scale="none"))
    with pytest.raises(DataError, match=r"none\.mat: there is no such file"):
        load(DatasetOptions(file=str(tmp_path / "none.mat"), scale="none"))


def test_subjects_of_a_file(tmp_path: Path, pictures):
    path, _ = write(tmp_path, "mat", pictures)
    assert load(DatasetOptions(file=str(path), scale="none", subjects=2)).class_sizes.tolist() == [5, 5]
    with pytest.raises(DataError, match="subjects is 4, but it has 3 classes"):
        load(DatasetOptions(file=str(path), scale="none", subjects=4))


def test_a_folder_is_called_by_its_whole_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    folder = tmp_path / "faces v1.5" / "anna"
    folder.mkdir(parents=True)
    Image.new("L", (4, 3), 90).save(folder / "1.png")
    monkeypatch.chdir(folder.parent)
    assert {
        load(DatasetOptions(file=each, scale="max")).name for each in (".", "anna/..", str(folder.parent))
    } == {"faces v1.5"}


@pytest.mark.parametrize("shape", [(0, 5), (5, 0)])
def test_a_matrix_without_entries_is_refused(tmp_path: Path, shape: tuple[int, int]):
    np.savez(tmp_path / "a.npz", X=np.zeros(shape), y=np.arange(shape[0]))
    with pytest.raises(DataError, match=r"a\.npz is damaged .*there are no images in it"):
        load(DatasetOptions(file=str(tmp_path / "a.npz"), scale="max", data_key="X", label_key="y"))
