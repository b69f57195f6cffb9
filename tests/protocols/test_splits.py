"""Published splits: read from every format, checked against the data, named by content in keys."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.io
from protocolparts import method

from nmfrepro.core.errors import DataError, SpecError
from nmfrepro.core.options import build
from nmfrepro.core.problem import FitSettings
from nmfrepro.protocols import Task
from nmfrepro.protocols.recognition import Recognition
from nmfrepro.protocols.splits import read_splits

Y = np.repeat(np.arange(4), 9)  # the samples of conftest
N = len(Y)


def parts(count: int) -> tuple[list[np.ndarray], list[np.ndarray]]:
    """Splits with three training images of each class."""
    stream = np.random.default_rng(3)
    train = [
        np.concatenate([stream.choice(np.flatnonzero(c == Y), 3, replace=False) for c in range(4)])
        for _ in range(count)
    ]
    return train, [np.setdiff1d(np.arange(N), each) for each in train]


TRAIN, TEST = parts(2)


def write(folder: Path, form: str, base: int) -> Path:
    train, test = [each + base for each in TRAIN], [each + base for each in TEST]
    path = folder / f"splits.{form}"
    if form == "mat":
        scipy.io.savemat(path, {"trainIdx": np.stack(train, axis=1), "testIdx": np.stack(test, axis=1)})
    elif form == "npz":
        np.savez(path, train_idx1=train[0], test_idx1=test[0], train_idx2=train[1], test_idx2=test[1])
    elif form == "csv":
        columns = [train[0], test[0], train[1], test[1]]
        lines = [
            ",".join(str(c[i]) if i < len(c) else "" for c in columns) for i in range(max(map(len, columns)))
        ]
        path.write_text("\n".join(["trainIdx1,testIdx1,trainIdx2,testIdx2", *lines]) + "\n")
    else:
        path = folder / "splits"
        path.mkdir()
        for number, (one, other) in enumerate(zip(train, test, strict=True), 2):
            # As Cai's pages give them: a file for each split, column vectors; 10 comes after 2.
            name = path / f"{number if number == 2 else 10}.mat"
            scipy.io.savemat(name, {"trainIdx": one[:, None], "testIdx": other[:, None]})
    return path


@pytest.mark.parametrize("base", [0, 1])
@pytest.mark.parametrize("form", ["mat", "npz", "csv", "folder"])
def test_every_form_and_both_ways_of_counting(tmp_path: Path, form: str, base: int) -> None:
    found = read_splits(write(tmp_path, form, base), N)
    for draw in (0, 1):
        split = found.split(draw)
        assert split.train.tolist() == sorted(TRAIN[draw])
        assert split.test.tolist() == sorted(TEST[draw])
        assert not split.validation.size
    (tmp_path / "other").mkdir()
    assert found.sha256 == read_splits(write(tmp_path / "other", "npz", 1 - base), N).sha256


@pytest.mark.parametrize(
    ("train", "test", "message"),
    [
        ([1, 2], [2, 3], "split 1 has image 2 in both parts"),
        ([1, 1], [2, 3], "split 1 has image 1 in one part twice"),
        ([1], [2, 3], "split 1 has 3 of the dataset's 4 images"),
        ([1, 2], [3, 5], "split 1 has images 1 to 5, but the dataset has 4"),
        ([2, 3], [4, 5], "split 1 has images 2 to 5, but the dataset has 4"),
        ([-1, 0], [1, 2], "split 1 has images -1 to 2, but the dataset has 4"),
        ([], [1, 2, 3, 4], "split 1 has no training images"),
        ([1.5, 2], [3, 4], "something else than numbers of images"),
    ],
)
def test_splits_that_do_not_fit(tmp_path: Path, train: Any, test: Any, message: str) -> None:
    np.savez(tmp_path / "own.npz", trainIdx=np.array(train, dtype=float), testIdx=test)
    with pytest.raises(DataError, match=message):
        read_splits(tmp_path / "own.npz", 4)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("image,part\n1,train\n", "no splits in it; it must hold trainIdx and testIdx"),
        ("trainIdx,testIdx1\n1,2\n", "trainIdx and testIdx must both be there"),
        ("trainIdx,testIdx\n1,two\n", "column testIdx holds no image number"),
        ("\n", "no splits in it"),
        (f"trainIdx,testIdx\n{'9' * 200_000},2\n", "is not a table of numbers of images"),
    ],
)
def test_csv_files_without_splits(tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "own.csv").write_text(text)
    with pytest.raises(DataError, match=message):
        read_splits(tmp_path / "own.csv", 4)


def protocol(path: Path, **options: Any) -> Recognition:
    given = {"train": [3], "dimensions": [4], "repeats": 2, "splits": str(path)} | options
    return build(Recognition, given, "protocol recognition")


def test_a_split_under_two_names_is_refused(tmp_path: Path) -> None:
    (tmp_path / "s.csv").write_text("trainIdx1,testIdx1,train_idx1\n0,1,1\n")
    with pytest.raises(DataError, match="train_idx1 is there twice, perhaps spelt another way"):
        read_splits(tmp_path / "s.csv", 2)
    (tmp_path / "s.csv").write_text("trainIdx1,testIdx1,trainIdx1\n0,1,1\n")
    with pytest.raises(DataError, match="trainIdx1 is there twice"):
        read_splits(tmp_path / "s.csv", 2)
    np.savez(tmp_path / "s.npz", train=np.array([np.inf]), test=np.array([1.0]))
    with pytest.raises(DataError, match="something else than numbers of images"):
        read_splits(tmp_path / "s.npz", 2)


def test_a_run_takes_the_published_split_and_its_key_names_it_by_content(samples, tmp_path: Path) -> None:
    task = Task({"train": 3, "k": 4, "draw": 1}, method("nmf"), FitSettings(max_iter=20), 7)
    own = protocol(write(tmp_path, "csv", 1))
    ready = own.ready(samples)
    assert own.run(task, ready).arrays["samples"].tolist() == sorted(TRAIN[1])
    with pytest.raises(AssertionError, match="not those of `ready`"):  # rather than random splits
        own.run(task, samples)
    moved = protocol(write(tmp_path, "npz", 0)).ready(samples)
    assert ready.beside.identity == moved.beside.identity
    assert samples.beside is replace(own, splits=None).ready(samples).beside is None
    assert own.repeated == "published splits into training and test samples"


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"train": [2]}, DataError, "split 1 has 3 training images of class 1 of 4, but train says 2"),
        ({"train": [2, 3]}, SpecError, "train must be the one number"),
        ({"validation": True}, SpecError, "splits have no validation images: leave validation out"),
        ({"repeats": 3}, SpecError, "repeats is 3, but .* holds 2 splits"),
    ],
)
def test_options_that_do_not_go_with_the_splits(samples, tmp_path: Path, options, error, message) -> None:
    path = write(tmp_path, "mat", 1)
    with pytest.raises(error, match=message):
        protocol(path, **options).ready(samples)
