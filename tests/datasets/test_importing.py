"""Bringing files in: the copy is checked, and reads as the original did."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import scipy.io
from commandline import invoke

from nmfrepro.core.errors import DataError, SpecError
from nmfrepro.datasets import DatasetOptions, check_values, get, load
from nmfrepro.datasets.importing import import_file


def options(path: Path, **changes) -> DatasetOptions:
    return DatasetOptions(file=str(path), scale="none", **changes)


@pytest.fixture
def yale(tmp_path: Path) -> Path:
    """A file that fits the name yale, pixels column by column."""
    path = tmp_path / "mine.mat"
    X = np.random.default_rng(0).integers(0, 256, (165, 1024)).astype(float)
    scipy.io.savemat(path, {"fea": X, "gnd": np.repeat(np.arange(15), 11)})
    return path


def test_a_known_dataset_is_found_under_its_name(tmp_path: Path, yale: Path):
    path, archive = import_file(options(yale), "yale", get("yale"), tmp_path / "data")
    assert path == tmp_path / "data" / "Yale_32x32.npz"
    assert archive.source == "imported"
    data = load(DatasetOptions(name="yale"), tmp_path / "data")
    (tmp_path / "direct").mkdir()
    yale.rename(tmp_path / "direct" / "Yale_32x32.mat")
    direct = load(DatasetOptions(name="yale"), tmp_path / "direct")
    assert data.sha256 == direct.sha256
    assert (data.source, data.levels, data.image_shape) == ("imported", 255, (32, 32))
    with pytest.raises(DataError, match="says its source is imported, the spec demands crop"):
        load(DatasetOptions(name="yale", source="crop"), tmp_path / "data")


def test_the_known_copy_keeps_its_source(tmp_path: Path, real_data: Path):
    _, archive = import_file(options(real_data / "UMIST_32x32.mat"), "umist", get("umist"), tmp_path)
    assert archive.source == "crop"
    imported = load(DatasetOptions(name="umist", source="crop"), tmp_path)
    assert imported.sha256 == load(DatasetOptions(name="umist"), real_data).sha256


def test_a_file_that_does_not_fit_its_name_is_refused(tmp_path: Path, pictures):
    path = tmp_path / "mine.mat"
    scipy.io.savemat(path, {"fea": pictures.X, "gnd": pictures.labels})
    with pytest.raises(DataError, match=r"15 images \(165 expected\).*12 values per image \(1024 expected\)"):
        import_file(options(path), "yale", get("yale"), tmp_path)
    assert not (tmp_path / "Yale_32x32.npz").exists()
    _, archive = import_file(options(path), "yale", get("yale"), tmp_path, accept_mismatch=True)
    assert "not what the name yale promises" in archive.notes[0]
    with pytest.raises(DataError, match="does not fit the name yale"):
        load(DatasetOptions(name="yale"), tmp_path)


def test_the_pixel_order_is_asked_for_where_it_is_not_known(tmp_path: Path, yale: Path):
    contents = scipy.io.loadmat(yale)
    path = tmp_path / "mine.npz"
    np.savez(path, X=contents["fea"], y=contents["gnd"])
    with pytest.raises(DataError, match="needs pixel_order"):
        import_file(options(path), "yale", get("yale"), tmp_path / "data")
    import_file(options(path, pixel_order="row"), "yale", get("yale"), tmp_path / "data")
    assert load(DatasetOptions(name="yale"), tmp_path / "data").X.tolist() == contents["fea"].tolist()


def test_a_name_of_ones_own(tmp_path: Path, pictures):
    path = tmp_path / "mine.mat"
    scipy.io.savemat(path, {"fea": pictures.by_columns, "gnd": pictures.labels})
    how = {"image_shape": "3x4", "pixel_order": "column", "levels": 255.0}
    written, _ = import_file(options(path, **how), "toy", None, tmp_path)
    data = load(DatasetOptions(file=str(written), scale="grey"))
    assert data.X.tolist() == pictures.X.tolist()
    assert (data.levels, data.image_shape, data.source) == (255, (3, 4), "file")
    with pytest.raises(DataError, match="orientation does not apply to a file made by nmfrepro"):
        load(DatasetOptions(file=str(written), scale="grey", orientation="rows"))
    with pytest.raises(SpecError, match="letters, digits, point"):
        import_file(options(path), "../toy", None, tmp_path)


def test_values_beyond_the_levels_stated_are_not_imported(tmp_path: Path, pictures):
    path = tmp_path / "mine.mat"
    scipy.io.savemat(path, {"fea": pictures.X, "gnd": pictures.labels})
    with pytest.raises(DataError, match=f"levels is 1, but its largest value is {pictures.X.max():g}"):
        import_file(options(path, levels=1.0), "toy", None, tmp_path)


def test_repeated_images_are_counted_and_named(tmp_path: Path, pictures):
    pictures.X[4], pictures.X[11], pictures.X[14] = pictures.X[0], pictures.X[2], 0
    pictures.X[13] = 0
    path = tmp_path / "mine.mat"
    scipy.io.savemat(path, {"fea": pictures.X, "gnd": pictures.labels})
    data = load(options(path))
    assert data.notes[-2:] == (
        "2 of 15 images equal an earlier one (counted from 1: 5 and 1, 12 and 3)",
        "1 of 15 images equal one of another class (counted from 1: 12 and 3)",
    )
    done = invoke("data", "import", path, "--name", "a", "--data-dir", tmp_path)
    assert all(note in done.output for note in data.notes)
    assert load(options(tmp_path / "a.npz")).notes == data.notes


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_what_a_run_refuses_is_not_imported(tmp_path: Path, pictures, value: float):
    pictures.X[3, 5] = value
    path = tmp_path / "mine.mat"
    scipy.io.savemat(path, {"fea": pictures.X, "gnd": pictures.labels})
    data = load(options(path))
    with pytest.raises(DataError) as run:
        check_values(data.X, data.called)
    with pytest.raises(DataError) as imported:
        import_file(options(path), "toy", None, tmp_path)
    assert str(imported.value) == str(run.value)
    assert "image 4 of 15, pixel 6 of 12" in str(run.value)
    assert not (tmp_path / "toy.npz").exists()


def test_nothing_is_overwritten_or_hidden(tmp_path: Path, yale: Path):
    import_file(options(yale), "yale", get("yale"), tmp_path)
    with pytest.raises(DataError, match="is there already; use overwrite to replace it"):
        import_file(options(yale), "yale", get("yale"), tmp_path)
    import_file(options(yale), "yale", get("yale"), tmp_path, overwrite=True)
    (tmp_path / "Yale_32x32.mat").write_bytes(yale.read_bytes())
    with pytest.raises(DataError, match=r"Yale_32x32\.mat is there and would be read instead"):
        import_file(options(yale), "yale", get("yale"), tmp_path, overwrite=True)


def test_what_is_generated_cannot_be_imported(tmp_path: Path, yale: Path):
    with pytest.raises(DataError, match="digits is not read from files; import it under another name"):
        import_file(options(yale), "digits", get("digits"), tmp_path)
