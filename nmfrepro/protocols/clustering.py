"""Clustering of randomly drawn classes, the protocol of most tables."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar, Self

import numpy as np

from .. import metrics
from ..algorithms import Algorithm
from ..core import seeds
from ..core.errors import Setting
from ..core.options import option
from ..datasets import Expected
from ..factorization import fit, make_problem
from .base import Clock, Outcome, Protocol, Samples, Task, require, require_each_once
from .draws import LABELLED, check_labelled, draw_classes, draw_labels, labelled_count, labelled_note
from .reading import read_clusters, reader_restarts


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
    averaged: ClassVar[bool] = True

    clusters: tuple[int, ...] = option(low=1, help="numbers of classes k to draw, each also the rank")
    repeats: int = option(10, low=1, help="draws of classes for every k")
    assign: str | dict = option(  # type: ignore[type-arg]
        "argmax",
        choices=("argmax", "kmeans"),
        help="how encodings become clusters: their largest entry, or k-means as {kmeans: {restarts: 20}}",
    )
    labelled: str | int | None = option(None, low=1, help=LABELLED)

    def __post_init__(self) -> None:
        require_each_once(self, "clusters")
        reader_restarts(self.assign)
        labelled_count(self.labelled, 10)

    def identity(self, algorithm: Algorithm) -> dict[str, object]:
        """How clusters are read; the labelled share for the methods that take labels."""
        labelled = self.labelled if algorithm.needs_labels else None
        return {"kind": self.kind, "kmeans": reader_restarts(self.assign), "labelled": labelled}

    def check(self, data: Expected, algorithms: Sequence[Algorithm]) -> None:
        """k within the number of classes; labels given if and only if some method takes them."""
        super().check(data, algorithms)
        for k in self.clusters:
            require(
                k <= data.n_classes,
                Setting("clusters"),
                f" has k = {k}, but the dataset has {data.n_classes} classes",
            )
        check_labelled(self.labelled, algorithms, data.smallest_class)

    def cells(self, n_classes: int) -> Iterator[dict[str, int]]:
        """k by k, draw by draw; all classes once."""
        for k in self.clusters:
            for draw in range(1 if k == n_classes else self.repeats):
                yield {"k": k, "draw": draw}

    def smoke(self) -> Self:
        """The two smallest k, two draws."""
        return replace(self, clusters=tuple(sorted(self.clusters)[:2]), repeats=min(2, self.repeats))

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
        clusters, notes = read_clusters(
            found, k, reader_restarts(self.assign), seeds.derive("reader", *names)
        )
        clock.lap("read")
        scores = metrics.clustering(y, clusters, found.embedding)
        clock.lap("score")
        return Outcome.of(
            found,
            fit_seed,
            chosen,
            notes,
            classes=samples.named(chosen),
            metrics=scores,
            arrays={"labels": clusters},
            seconds=clock.seconds,
        )

    def reading(self) -> Iterator[str]:
        """How encodings became clusters, and what labels were seen."""
        restarts = reader_restarts(self.assign)
        if restarts is None:
            yield "Clusters: the largest entry of each sample's encoding (no k-means on the encodings)."
        else:
            yield f"Clusters: k-means on the encodings, best of {restarts} starts by its own cost."
        yield from labelled_note(self.labelled)
