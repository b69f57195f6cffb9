"""Bases and encodings to look at, with the claims that papers make of such pictures."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from .. import metrics
from ..algorithms import Algorithm
from ..core.options import option
from ..core.problem import Fit
from ..metrics import Metric
from .base import Outcome, Samples, Task
from .clustering import METRICS as OF_CLUSTERS
from .subset import Posed, Subset

METRICS = {
    "single": Metric(
        "Single entry",
        "share of encodings with one entry that counts, the others below a small share of it",
        ranked=False,
    ),
    "single_exact": Metric(
        "Single nonzero", "share of encodings with exactly one nonzero entry", ranked=False
    ),
    "nearest": Metric(
        "At the nearest",
        "share, among the encodings with a single entry that counts, of those whose entry belongs to the "
        "basis vector nearest to the sample",
        ranked=False,
    ),
    "sparseness": OF_CLUSTERS["sparseness"],
    "rcond": Metric(
        "1/condition",
        "smallest over largest singular value of the basis with vectors of unit length; 0 if dependent",
        unit="",
        ranked=False,
    ),
}


@dataclass(frozen=True)
class Basis(Subset):
    """Factorize some images and keep images, basis and encodings for the pictures.

    The arrays ``images`` (n × m, single precision), ``classes``, ``basis`` (m × k) and ``encodings`` (n × k)
    are stored whatever `keep` says; methods without one basis vector per component have no ``basis``.
    """

    kind: ClassVar[str] = "basis"
    metrics: ClassVar[Mapping[str, Metric]] = METRICS
    shown: ClassVar[tuple[str, ...]] = ("single", "single_exact", "nearest", "sparseness")
    stores: ClassVar[bool] = True
    pictures: ClassVar[tuple[str, ...]] = ("bases",)

    negligible: float = option(
        0.01, low=0, high=1, help="an entry counts if it exceeds this share of its encoding's largest"
    )

    def identity(self, algorithm: Algorithm) -> dict[str, Any]:
        """With what counts as an entry."""
        return super().identity(algorithm) | {"negligible": self.negligible}

    def run(self, task: Task, samples: Samples) -> Outcome:
        """Draw, factorize, describe."""
        posed, found, clock = self.fitted(task, samples)
        basis = basis_of(task.algorithm, found, posed)
        X = samples.X[posed.chosen]
        pictures = {"images": X.astype(np.float32), "classes": posed.y}
        if basis is not None:
            pictures["basis"] = basis
        if found.embedding is not None:
            pictures["encodings"] = found.embedding
        scores = dict.fromkeys(self.metrics, float("nan")) | self.scores(X, basis, found.embedding)
        clock.lap("score")
        return posed.outcome(found, scores, pictures, clock.seconds)

    def scores(
        self, X: np.ndarray, basis: np.ndarray | None, encodings: np.ndarray | None
    ) -> dict[str, float]:
        """The metrics that can be had of images (n × m), basis (m × k) and encodings (n × k)."""
        scores: dict[str, float] = {}
        if basis is not None:
            scores["rcond"] = reciprocal_condition(basis)
        if encodings is None:
            return scores
        entries = np.abs(encodings)
        counts = (entries > self.negligible * entries.max(axis=1, keepdims=True)).sum(axis=1)
        scores["single"] = float(np.mean(counts == 1))
        scores["single_exact"] = float(np.mean(np.count_nonzero(entries, axis=1) == 1))
        scores["sparseness"] = metrics.sparseness(encodings)
        single = counts == 1
        if basis is not None and basis.shape[1] == entries.shape[1] and single.any():
            near = nearest(X[single], basis)
            scores["nearest"] = float(np.mean(near == entries[single].argmax(axis=1)))
        return scores


def basis_of(algorithm: Algorithm, found: Fit, posed: Posed) -> np.ndarray | None:
    """The factor with one column per component and one row per feature; None where the method has none.

    A method of one's own that says no shapes of its factors is taken at their lengths.
    """
    axes = algorithm.factors
    for name, factor in found.factors.items():
        if axes.get(name) == ("m", "k") or (not axes and factor.ndim == 2 and len(factor) == posed.problem.m):
            return factor
    return None


def nearest(X: np.ndarray, basis: np.ndarray) -> np.ndarray:
    """The basis vector nearest to each sample by Euclidean distance, both as they are.

    Parameters
    ----------
    X : ndarray, shape (n, m)
    basis : ndarray, shape (m, k)

    Returns
    -------
    ndarray of int, shape (n,)
    """
    squared = (X * X).sum(axis=1)[:, None] - 2 * X @ basis + (basis * basis).sum(axis=0)
    return squared.argmin(axis=1)


def reciprocal_condition(basis: np.ndarray) -> float:
    """Smallest over largest singular value of a basis (m × k), columns of unit length; 0 if k > m."""
    lengths = np.linalg.norm(basis, axis=0)
    if basis.shape[1] > basis.shape[0] or not lengths.all():
        return 0.0
    values = np.linalg.svd(basis / lengths, compute_uv=False)
    return float(values[-1] / values[0])
