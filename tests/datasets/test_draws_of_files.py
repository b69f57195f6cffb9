"""What a file's random draws depend on: its classes, not its values, the order of its rows or its labels."""

from __future__ import annotations

from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.datasets import load_digits

from nmfrepro import datasets
from nmfrepro.datasets import DatasetOptions, load

X = np.random.default_rng(0).integers(0, 255, (24, 12)).astype(float)
Y = np.repeat([3, 5, 7, 11], 6)


def read(folder: Path, X: np.ndarray, y: Any, **options: Any) -> datasets.Dataset:
    path = folder / "own.npz"
    np.savez(path, fea=X, gnd=y)
    return load(DatasetOptions(file=str(path), scale="none", **options))


def test_rows_values_shape_and_labels_leave_the_draws_alone(tmp_path: Path) -> None:
    name = read(tmp_path, X, Y).drawn_as
    stream = np.random.default_rng(1)
    order = stream.permutation(24)
    changed = X.copy()
    changed[0, 0] += 1
    for values, labels, options in (
        (X[order], Y[order], {}),
        (changed, Y, {}),
        (X, Y, {"image_shape": "3x4", "pixel_order": "row"}),
        (X, stream.permutation(Y), {}),
        (X, Y.astype(str), {}),
        (X[:-1], Y[:-1], {}),
    ):
        assert read(tmp_path, values, labels, **options).drawn_as == name
    assert read(tmp_path, X, Y + 1).drawn_as == name


def test_a_copy_of_a_dataset_is_drawn_as_it_is_and_says_so(tmp_path: Path) -> None:
    digits = load_digits()
    copy = read(tmp_path, digits.data, digits.target, levels=16)
    assert copy.drawn_as == load(DatasetOptions(name="digits")).drawn_as == "digits"
    assert "the counts are those of digits, so the same draws are made" in copy.notes
    assert read(tmp_path, digits.data[:-1], digits.target[:-1]).drawn_as != "digits"


def test_no_two_datasets_have_the_same_counts() -> None:
    for one, other in combinations(datasets.builtin().values(), 2):
        values = [{m for _, m in each.sizes.values()} for each in (one, other)]
        counts = [(each.n_samples, each.n_classes) for each in (one, other)]
        assert counts[0] != counts[1] or not values[0] & values[1]


@pytest.mark.parametrize("n", [1, 3])
def test_same_images_name_the_first(n: int) -> None:
    rows = np.repeat(np.arange(n), 2).reshape(-1, 1).astype(float)
    assert datasets.base.same_images(rows).tolist() == [i - i % 2 for i in range(2 * n)]
