"""A small matrix of rank 3, which NMF with four basis vectors factors exactly, with a dependent basis."""

from __future__ import annotations

import numpy as np

from .definition import DatasetDefinition, Made, Reading

# X (features × samples) is the product of these two.  The columns of the left one are the corners of a
# square, whose opposite sums are equal: their rank is 3, but no three nonnegative vectors generate all four.
LEFT = ((1, 1, 0, 0), (1, 0, 1, 0), (0, 1, 0, 1), (0, 0, 1, 1), (1, 1, 1, 1))
RIGHT = ((1, 0, 0, 0, 1, 0), (0, 1, 0, 0, 1, 1), (0, 0, 1, 0, 0, 1), (0, 0, 0, 1, 0, 0))


def samples() -> Reading:
    """Six samples of five values, all of one class."""
    X = np.array(LEFT, dtype=np.float64) @ np.array(RIGHT, dtype=np.float64)
    labels = np.zeros(X.shape[1], dtype=np.int64)
    return Reading(X.T, labels, image_shape=None, origin="a matrix of rank 3 written in the program")


DATASET = DatasetDefinition(
    name="rank_deficient",
    title="a 5 x 6 matrix of rank 3, for bases with dependent vectors",
    n_samples=6,
    n_classes=1,
    class_sizes=(6, 6),
    sizes={"5": (None, 5)},
    sources=(Made("constant", "part of the program", make=samples),),
    levels=None,
    default_scale="none",
    preprocessing="the matrix of the LDS-NMF paper's Fig. 2 is not in its text; this one serves instead",
    credit="",
    licence="none needed",
    cites=("liao2015ldsnmf",),
)
