"""The generated datasets."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from nmfrepro.core.errors import DataError
from nmfrepro.datasets import DatasetOptions, get, load
from nmfrepro.datasets.definition import Made
from nmfrepro.datasets.loading import load_from


def test_points_of_four_gaussians():
    data = load(DatasetOptions(name="gaussians"))
    assert data.X.shape == (180, 2)
    assert data.class_sizes.tolist() == [45] * 4
    assert data.X.min() > 0
    centres = np.array([data.X[data.y == code].mean(axis=0) for code in range(4)])
    assert np.abs(centres - [[2, 6.5], [6, 8], [7.5, 2.5], [3.5, 2]]).max() < 0.3
    assert np.array_equal(data.X, load(DatasetOptions(name="gaussians")).X)


def test_the_rank_deficient_matrix():
    data = load(DatasetOptions(name="rank_deficient"))
    assert data.X.T.shape == (5, 6)
    assert np.linalg.matrix_rank(data.X) == 3
    assert data.X.min() == 0


def test_a_source_that_gives_no_reading_is_told():
    own = replace(get("gaussians"), sources=(Made("made", make=lambda: (np.eye(2), [0, 1])),))
    with pytest.raises(DataError, match=r"must give a Reading of nmfrepro\.datasets\.definition, not tuple"):
        load_from(own, DatasetOptions(size=own.default_size), own.sources[0], Path())
