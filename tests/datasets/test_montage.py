"""Montages: every image where it belongs, upright."""

from __future__ import annotations

import itertools
from dataclasses import replace

import numpy as np
import pytest

from nmfrepro.core.errors import DataError
from nmfrepro.datasets import Dataset
from nmfrepro.datasets.montage import _GAP, _MARGIN, montage


def dataset(X: np.ndarray, y: np.ndarray, shape: tuple[int, int] | None, levels: float | None) -> Dataset:
    classes = tuple(range(int(y.max()) + 1))
    return Dataset("toy", X, y, classes, shape, levels, "file", "here", "0")


def test_rows_are_classes_and_images_stand_upright():
    # 64 high, 32 wide, white in the upper half
    picture = np.zeros((64, 32))
    picture[:32] = 255
    X = np.stack([picture.ravel(), np.zeros(64 * 32), picture.ravel()])
    sheet = np.asarray(montage(dataset(X, np.array([1, 0, 1]), (64, 32), 255.0)))
    assert sheet.shape == (2 * (64 + _GAP) + _GAP, _MARGIN + 2 * (32 + _GAP))
    tile = sheet[64 + 2 * _GAP :, _MARGIN : _MARGIN + 32][:64]
    assert (tile[:32] == 255).all()
    assert (tile[32:] == 0).all()
    assert (sheet[_GAP : _GAP + 64, _MARGIN : _MARGIN + 32] == 0).all()


def test_rows_and_columns_are_bounded():
    X = np.ones((30, 64 * 64))
    sheet = montage(dataset(X, np.arange(30) % 3, (64, 64), 255.0), classes=2, per_class=4)
    assert sheet.size == (_MARGIN + 4 * (64 + _GAP), 2 * (64 + _GAP) + _GAP)


def test_small_images_are_enlarged_and_an_unknown_range_is_stretched():
    sheet = np.asarray(
        montage(dataset(np.array([[-1.0, 3.0], [1.0, np.nan]]), np.array([0, 0]), (1, 2), None))
    )
    assert sheet[_GAP, _MARGIN] == 0
    assert sheet[_GAP, _MARGIN + 32] == 255
    assert sheet.shape[0] == 32 + 2 * _GAP


def test_labels_are_read_in_any_letters_and_long_ones_are_cut():
    names = ("Jörg", "Jürg", "Łukasz", "x" * 99, "y\n" * 60)
    shown = replace(dataset(np.zeros((5, 64)), np.arange(5), (8, 8), 255.0), classes=names)
    sheet = np.asarray(montage(shown))
    margin = sheet.shape[1] - 64 - _GAP
    assert _MARGIN < margin < 300
    rows = [sheet[i * 66 + _GAP : (i + 1) * 66, :margin] for i in range(5)]
    assert all((a != b).any() for a, b in itertools.combinations(rows, 2))
    assert all((row[:, -4:] == 255).all() for row in rows)


def test_what_is_no_picture_is_refused():
    with pytest.raises(DataError, match=r"^here: its samples are no pictures"):
        montage(dataset(np.ones((1, 4)), np.array([0]), None, None))


def test_without_matplotlib_s_fonts_there_is_a_sheet_all_the_same(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("nmfrepro.datasets.montage.package_folder", lambda name: None)
    sheet = montage(dataset(np.ones((2, 64)), np.arange(2), (8, 8), 255.0))
    assert np.asarray(sheet)[:, : _MARGIN - 4].min() < 255  # the labels
