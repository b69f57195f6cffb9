"""A stream of random numbers for tests of single methods."""

import numpy as np
import pytest


@pytest.fixture
def stream():
    return np.random.default_rng(7)
