"""Small made-up samples for the protocols."""

import numpy as np
import pytest

from nmfrepro.protocols import Samples


def blocks(classes=4, per_class=9, side=6, noise=0.05, seed=0):
    """Images of `side` × `side` pixels, a pattern for every class plus noise."""
    stream = np.random.default_rng(seed)
    patterns = stream.random((classes, side * side))
    y = np.repeat(np.arange(classes), per_class)
    return Samples("blocks", patterns[y] + noise * stream.random((len(y), side * side)), y, (side, side))


@pytest.fixture
def samples():
    return blocks()
