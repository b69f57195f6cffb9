"""The .npz files nmfrepro writes: everything comes back."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from nmfrepro.core.errors import DataError, ResultsError
from nmfrepro.datasets.definition import Reading
from nmfrepro.datasets.formats.archive import read_archive, write_archive


def archive(X: np.ndarray, **changes) -> Reading:
    values = {
        "X": X,
        "labels": np.array(["s1"] * len(X)),
        "image_shape": (1, X.shape[1]),
        "levels": 255.0,
        "name": "toy",
        "source": "file",
        "origin": "a file, 32×32",
        "credit": "nobody",
        "notes": ("one", "two"),
    }
    return Reading(**(values | changes))


@pytest.mark.parametrize(
    "X",
    [np.array([[0.0, 255.0]]), np.array([[0.5, 3.0]]), np.array([[-1.0, 3.0]]), np.array([[np.nan, 300.0]])],
    ids=["bytes", "fractions", "negative", "nan"],
)
def test_everything_comes_back(tmp_path: Path, X: np.ndarray):
    path = tmp_path / "toy.npz"
    written = archive(X)
    write_archive(path, written)
    found = read_archive(path)
    assert np.array_equal(found.X, X, equal_nan=True)
    assert found.X.dtype == np.float64
    assert found.labels.tolist() == ["s1"]
    for name in ("image_shape", "levels", "name", "source", "credit", "notes"):
        assert getattr(found, name) == getattr(written, name)
    assert found.origin == "toy.npz: a file, 32×32"
    assert [p.name for p in tmp_path.iterdir()] == ["toy.npz"]


def test_nothing_where_there_is_nothing(tmp_path: Path):
    path = tmp_path / "toy.npz"
    labels = np.array([-3])
    write_archive(path, archive(np.ones((1, 2)), image_shape=None, levels=None, notes=(), labels=labels))
    found = read_archive(path)
    assert (found.image_shape, found.levels, found.notes) == (None, None, ())
    assert found.labels.tolist() == [-3]


def test_other_files_are_told_apart(tmp_path: Path):
    path = tmp_path / "toy.npz"
    np.savez(path, X=np.ones((1, 2)), y=np.array([1]))
    with pytest.raises(DataError, match="bring it in with `nmfrepro data import`"):
        read_archive(path)
    np.savez(path, X=np.ones((1, 2)), nmfrepro_dataset=np.array(99))
    with pytest.raises(DataError, match="another version of nmfrepro"):
        read_archive(path)
    np.savez(path, X=np.ones((1, 2)), nmfrepro_dataset=np.array(1))
    with pytest.raises(DataError, match="is damaged"):
        read_archive(path)
    write_archive(path, archive(np.ones((1, 2)), image_shape=(5, 5)))
    with pytest.raises(DataError, match="is damaged"):
        read_archive(path)


def test_parts_that_nmfrepro_never_writes_are_refused(tmp_path: Path):
    path = tmp_path / "toy.npz"
    for change in ({"X": np.ones((1, 2)) + 1j}, {"levels": np.array(np.inf)}, {"labels": np.array([1j])}):
        parts = {"X": np.ones((1, 2)), "labels": np.array([1]), "levels": np.array(255.0)} | change
        np.savez(
            path,
            X=parts["X"],
            y=parts["labels"],
            levels=parts["levels"],
            image_shape=np.array([1, 2]),
            nmfrepro_dataset=np.array(1),
            notes=np.array([], dtype=str),
            **dict.fromkeys(("name", "source", "origin", "credit"), np.array("")),
        )
        with pytest.raises(DataError, match=r"toy\.npz"):
            read_archive(path)


def test_a_place_that_cannot_be_written_is_named(tmp_path: Path):
    (tmp_path / "none").write_text("no folder")
    with pytest.raises(ResultsError, match="cannot be written"):
        write_archive(tmp_path / "none" / "toy.npz", archive(np.ones((1, 2))))
