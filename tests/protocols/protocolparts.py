"""Methods, and what is known of data before it is read, for tests of protocols."""

from nmfrepro import algorithms
from nmfrepro.core.options import build
from nmfrepro.datasets import Expected

ORL = Expected(400, 40, 10, 1024, (32, 32))
BLOCKS = Expected(36, 4, 9, 36, (6, 6))  # the samples of conftest


def method(name, **parameters):
    """A method with parameters, as a spec has it."""
    return build(algorithms.get(name), parameters, f"algorithm {name}")
