"""Clustering of randomly drawn classes, the protocol of most tables."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar, Self

import numpy as np

from .. import metrics
from ..algorithms import Algorithm
from ..core import seeds
from ..core.errors import FitError
from ..core.magnitude import within_range
from ..core.options import option
from ..core.problem import Fit
from ..datasets import Expected
from ..factorization import fit, make_problem
from .base import Clock, Outcome, Protocol, Samples, Task, require, shrink
from .draws import check_labelled, draw_classes, draw_labels, labelled_count


@dataclass(frozen=True)
class Clustering(Protocol):
    """Draw k classes at random, factorize their images with k components, and compare clusters with classes.

    For every k in `clusters`, `repeats` draws of k classes are made, and all images of the drawn classes are
    clustered; where k is the number of all classes there is one draw.  All algorithms see the same draws.
    """

    kind: ClassVar[str] = "clustering"
    coordinates: ClassVar[tuple[str, ...]] = ("k", "draw")
    metrics: ClassVar[tuple[str, ...]] = metrics.CLUSTERING
    shown: ClassVar[tuple[str, ...]] = ("accuracy", "nmi", "sparseness")
    outer: ClassVar[tuple[str, ...]] = ("clusters", "repeats")

    clusters: tuple[int, ...] = option(low=1, help="numbers of classes k to draw, each also the rank")
    repeats: int = option(10, low=1, help="draws of classes for every k")
    assign: str | dict = option(  # type: ignore[type-arg]
        "argmax",
        choices=("argmax", "kmeans"),
        help="how encodings become clusters: their largest entry, or k-means as {kmeans: {restarts: 20}}",
    )
    labelled: str | int | None = option(
        None, low=1, help="labelled images per class for semi-supervised methods: a count, or a share as 10%"
    )

    def __post_init__(self) -> None:
        require(len(self.clusters) > 0, "clusters must name at least one number of classes")
        require(len(set(self.clusters)) == len(self.clusters), "clusters names a number twice")
        self.reader_restarts()
        labelled_count(self.labelled, 10)

    def reader_restarts(self) -> int | None:
        """Starts of the k-means that reads the encodings; None where their largest entry is read."""
        if self.assign == "argmax":
            return None
        given = {"kmeans": {}} if self.assign == "kmeans" else self.assign
        inner = given.get("kmeans") if isinstance(given, dict) else None
        require(
            isinstance(inner, dict) and set(given) == {"kmeans"} and set(inner) <= {"restarts"},
            f"assign must be argmax or {{kmeans: {{restarts: 20}}}}, not {self.assign!r}",
        )
        assert isinstance(inner, dict)
        restarts = inner.get("restarts", 20)
        require(
            isinstance(restarts, int) and not isinstance(restarts, bool) and restarts >= 1,
            f"assign.kmeans.restarts must be a whole number >= 1, not {restarts!r}",
        )
        return int(restarts)

    def identity(self, algorithm: Algorithm) -> dict[str, object]:
        """How clusters are read; the labelled share for the methods that take labels."""
        labelled = self.labelled if algorithm.needs_labels else None
        return {"kind": self.kind, "kmeans": self.reader_restarts(), "labelled": labelled}

    def check(self, data: Expected, algorithms: Sequence[Algorithm]) -> None:
        """k within the number of classes; labels given if and only if some method takes them."""
        super().check(data, algorithms)
        for k in self.clusters:
            require(
                k <= data.n_classes, f"clusters has k = {k}, but the dataset has {data.n_classes} classes"
            )
        check_labelled(self.labelled, algorithms, data.smallest_class)

    def cells(self, n_classes: int) -> Iterator[dict[str, int]]:
        """k by k, draw by draw; all classes once."""
        for k in self.clusters:
            for draw in range(1 if k == n_classes else self.repeats):
                yield {"k": k, "draw": draw}

    def smoke(self) -> Self:
        """The two smallest k, two draws."""
        return shrink(self, clusters=tuple(sorted(self.clusters)[:2]), repeats=min(2, self.repeats))

    def run(self, task: Task, samples: Samples) -> Outcome:
        """Draw, factorize, read the clusters, score."""
        clock = Clock()
        k, draw = task.coordinates["k"], task.coordinates["draw"]
        names = (task.seed, samples.identity, k, draw)
        chosen = draw_classes(samples, *names)
        X, y = samples.X[chosen], np.unique(samples.y[chosen], return_inverse=True)[1]
        known = draw_labels(y, self.labelled, *names) if task.algorithm.needs_labels else None
        problem = make_problem(X.T, k, labels=known, image_shape=samples.image_shape, dtype=task.fit.dtype)
        clock.lap("draw")
        fit_seed = seeds.derive("fit", *names)
        found = fit(task.algorithm, problem, task.fit, fit_seed)
        clock.lap("fit")
        clusters, notes = self.read(found, k, seeds.derive("reader", *names))
        clock.lap("read")
        scores = metrics.clustering(y, clusters, found.embedding)
        clock.lap("score")
        return Outcome(
            metrics=scores,
            n_iter=found.n_iter,
            objective=float(found.objective[-1]) if len(found.objective) else float("nan"),
            converged=found.converged,
            restart=found.restart,
            fit_seed=fit_seed,
            notes=found.notes + notes,
            arrays={"labels": clusters, "samples": chosen, "trace": found.objective} | found.factors,
            seconds=clock.seconds,
        )

    def read(self, found: Fit, k: int, seed: int) -> tuple[np.ndarray, tuple[str, ...]]:
        """Cluster codes from a fit, and notes on how they came about.

        Raises
        ------
        FitError
            If all encodings are zero: such a factorization has collapsed and is not scored.
        """
        if found.labels is not None:
            clusters = found.labels
        else:
            assert found.embedding is not None
            if not found.embedding.any():
                raise FitError("collapsed: every encoding is zero")
            restarts = self.reader_restarts()
            clusters = (
                found.embedding.argmax(axis=1)
                if restarts is None
                else kmeans(found.embedding, k, restarts, seed)
            )
        used = len(np.unique(clusters))
        return clusters, (f"{used} of {k} clusters are used",) if used < k else ()


def kmeans(embedding: np.ndarray, k: int, restarts: int, seed: int) -> np.ndarray:
    """Clusters of the encodings by k-means, the best of `restarts` random starts by its own cost.

    Fewer distinct encodings than k leave clusters empty.
    """
    from sklearn.cluster import KMeans  # here, so that reading a spec needs no scikit-learn

    distinct = len(np.unique(embedding, axis=0))
    model = KMeans(min(k, distinct), init="random", n_init=restarts, max_iter=300, random_state=seed % 2**32)
    return model.fit_predict(np.ascontiguousarray(within_range(embedding)))
