"""The generated datasets."""

import numpy as np

from nmfrepro.datasets import DatasetOptions, load


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
