"""Small made-up samples for the protocols."""

import numpy as np
import pytest

from nmfrepro.protocols import Samples


@pytest.fixture
def samples():
    """Nine images of 6 × 6 pixels of each of four classes: a pattern for every class plus noise."""
    stream = np.random.default_rng(0)
    patterns, y = stream.random((4, 36)), np.repeat(np.arange(4), 9)
    return Samples("blocks", patterns[y] + 0.05 * stream.random((36, 36)), y, (6, 6))
