"""Scales, refusals and the content hash, on numbers worked out by hand."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from nmfrepro.core.errors import DataError
from nmfrepro.datasets import Dataset, check_values
from nmfrepro.datasets.base import SCALES, content_hash


def dataset(X: list[list[float]], levels: float | None = 255.0) -> Dataset:
    values = np.array(X, dtype=float)
    return Dataset("toy", values, np.zeros(len(values), int), (1,), None, levels, "file", "here", "0")


def test_scales_are_what_they_say():
    data = dataset([[3, 4], [0, 0], [51, 204]])
    assert data.scaled("none").tolist() == [[3, 4], [0, 0], [51, 204]]
    assert data.scaled("grey").tolist() == [[3 / 255, 4 / 255], [0, 0], [0.2, 0.8]]
    assert data.scaled("max").tolist() == [[3 / 204, 4 / 204], [0, 0], [0.25, 1]]
    assert data.scaled("l2")[:2].tolist() == [[0.6, 0.8], [0, 0]]
    assert np.linalg.norm(data.scaled("l2")[2]) == pytest.approx(1)
    assert dataset([[3e200, 4e200], [0, 0]]).scaled("l2").tolist() == [[pytest.approx(0.6), 0.8], [0, 0]]


@pytest.mark.parametrize("scale", SCALES)
def test_scaling_leaves_the_data_alone(scale: str):
    data = dataset([[3, 4], [5, 6]])
    data.scaled(scale)[:] = -1
    assert data.X.tolist() == [[3, 4], [5, 6]]


def test_grey_uses_the_known_range_and_never_the_largest_value():
    assert dataset([[1, 100]], levels=200).scaled("grey").tolist() == [[0.005, 0.5]]
    with pytest.raises(DataError, match="levels"):
        dataset([[1, 100]], levels=None).scaled("grey")


def test_scales_that_are_not_defined_are_refused():
    with pytest.raises(DataError, match="scale 'max' needs a largest value above 0, not 0"):
        dataset([[0, 0]]).scaled("max")
    with pytest.raises(DataError, match="image 1 of 1, pixel 2 of 2"):
        dataset([[0, np.nan]]).scaled("l2")
    with pytest.raises(DataError, match="allowed: grey, max, l2, none"):
        dataset([[0, 1]]).scaled("gray")


@pytest.mark.parametrize(
    ("value", "shown"), [(-3.0, "is -3, which is negative"), (np.nan, "is nan"), (np.inf, "is inf")]
)
def test_a_bad_pixel_is_named(value: float, shown: str):
    X = np.ones((4, 6))
    X[2, 4] = value
    with pytest.raises(DataError, match=f"faces: image 3 of 4, pixel 5 of 6.*{shown}"):
        check_values(X, "faces", signed=False)


def test_messages_name_the_file():
    with pytest.raises(DataError, match=r"^here: image 1 of 1, pixel 2 of 2"):
        dataset([[0, np.nan]]).scaled("max")
    assert replace(dataset([[0, 1]]), source="crop", origin="toy.mat").called == "toy (toy.mat)"


def test_zero_is_allowed():
    check_values(np.zeros((2, 2)), "faces", signed=False)
    check_values(-np.ones((2, 2)), "faces")


def test_the_hash_is_that_of_the_content_only():
    X, y = np.arange(6.0).reshape(2, 3), np.array([0, 1])
    reference = content_hash(X, y, None)
    assert content_hash(np.asfortranarray(X), y.astype(np.int8), None) == reference
    assert content_hash(X.astype(np.uint8), y, None) == reference
    assert content_hash(X * np.array([[-1.0], [1.0]]) * [[0, 0, 0], [1, 1, 1]], y, None) == content_hash(
        X * [[0, 0, 0], [1, 1, 1]], y, None
    )
    assert content_hash(X, y[::-1].copy(), None) != reference
    assert content_hash(X.reshape(3, 2), np.array([0, 1, 1]), None) != reference
    assert content_hash(X, y, (1, 3)) != reference
