"""Problems as the clustering tables pose them: all images of k classes drawn at random."""

from __future__ import annotations

import functools

import numpy as np

from nmfrepro import datasets
from nmfrepro.algorithms.engine.base import Iterative
from nmfrepro.core.problem import Problem
from nmfrepro.factorization import make_problem
from nmfrepro.protocols import Samples
from nmfrepro.protocols.clustering import draw_classes

SEED = 2013
# Labelled images per class for the semi-supervised methods.
LABELLED = 2


@functools.cache
def samples(name: str) -> Samples:
    """A dataset as a run sees it, from $NMFREPRO_DATA, ./data or the package that carries it."""
    options = datasets.resolve(datasets.DatasetOptions(name=name))
    dataset = datasets.load(options)
    return Samples(name, dataset.scaled(options.scale), dataset.y, dataset.image_shape)


def draw(name: str, k: int, repeat: int, method: Iterative, dtype: str = "float64") -> Problem:
    """The problem of one trial; the same draw as in the experiments with this seed."""
    data = samples(name)
    chosen = draw_classes(data, SEED, data.identity, k, repeat)
    labels = None
    if method.needs_labels:
        codes = np.unique(data.y[chosen], return_inverse=True)[1]
        labels = np.full(len(codes), -1)
        for code in range(k):
            labels[np.flatnonzero(codes == code)[:LABELLED]] = code
    return make_problem(data.X[chosen].T, k, labels=labels, image_shape=data.image_shape, dtype=dtype)
