"""A small set of pictures, in whatever form a test wants it, and the folder of real data."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

ROWS, COLUMNS, PEOPLE, EACH = 3, 4, 3, 5


@dataclass(frozen=True)
class Pictures:
    """15 pictures of 3 x 4 pixels of 3 people: X row by row, labels 1 … 3."""

    X: np.ndarray
    labels: np.ndarray
    shape: tuple[int, int] = (ROWS, COLUMNS)

    @property
    def by_columns(self) -> np.ndarray:
        """The pixels as MATLAB stores them."""
        return np.array([image.reshape(self.shape).ravel(order="F") for image in self.X])


@pytest.fixture
def pictures() -> Pictures:
    rng = np.random.default_rng(7)
    X = rng.integers(1, 255, (PEOPLE * EACH, ROWS * COLUMNS)).astype(float)
    return Pictures(X, np.repeat(np.arange(1, PEOPLE + 1), EACH))


@pytest.fixture(scope="session")
def real_data() -> Path:
    """The folder of real datasets; tests that want it skip without it."""
    folder = os.environ.get("NMFREPRO_DATA")
    if not folder:
        pytest.skip("NMFREPRO_DATA names no folder of real datasets")
    return Path(folder)
