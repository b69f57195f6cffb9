"""Clustering whose encodings are read in both ways."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar, Self

import numpy as np

from .. import metrics
from ..algorithms import Algorithm
from ..core import seeds
from ..core.options import option
from ..core.problem import Fit
from ..core.terminal import counted
from ..datasets import Expected
from ..metrics import Metric
from .base import Samples, require
from .clustering import METRICS, Clustering, Names
from .clusters import read_clusters
from .draws import check_labelled


@dataclass(frozen=True)
class Readings(Clustering):
    """Clustering whose encodings are read by their largest entry and by k-means, from the same fits.

    As `clustering`.  With `choose`, parameters are chosen for each reading by its own scores, so that a
    trial may fit twice; objective, sparseness and what `keep` stores are those of the largest entry.
    Methods that yield labels have the same scores in both.  Times by phase are the processor's, without
    those of choosing.
    """

    kind: ClassVar[str] = "readings"
    metrics: ClassVar[Mapping[str, Metric]] = METRICS | {
        f"{name}_kmeans": Metric(
            f"{METRICS[name].title}, k-means",
            f"as {METRICS[name].title}, of k-means on the encodings in place of their largest entry",
            always=True,
            counted=METRICS[name].counted,
        )
        for name in ("accuracy", "nmi")
    }
    shown: ClassVar[tuple[str, ...]] = ("accuracy", "accuracy_kmeans", "nmi", "nmi_kmeans")
    suffixes: ClassVar[tuple[str, ...]] = ("", "_kmeans")
    drawn: ClassVar[tuple[str, ...]] = ("images",)
    pictures: ClassVar[tuple[str, ...]] = (*Clustering.pictures, "pareto")
    # Apart from the fit, so that times of fits can be compared between methods.
    choosing: ClassVar[str] = "choose"

    restarts: int = option(10, low=1, help="starts of the k-means on the encodings; the best by its cost")
    images: int | None = option(
        None, low=1, help="at most this many images of each drawn class, at random; null: all"
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        require(self.assign == "argmax", "readings reads in both ways; leave assign out", option="assign")

    def identity(self, algorithm: Algorithm) -> dict[str, object]:
        """As clustering's, and the starts of the k-means."""
        return super().identity(algorithm) | {"kmeans": self.restarts, "images": self.images}

    def check(self, data: Expected, algorithms: Sequence[Algorithm]) -> None:
        """As clustering's, and labels within the images that are drawn."""
        super().check(data, algorithms)
        if self.images is not None:
            check_labelled(self.labelled, algorithms, min(self.images, data.smallest_class))

    def smoke(self) -> Self:
        """As clustering's, with one draw."""
        return replace(super().smoke(), repeats=1)

    def whole_classes(self, at: Mapping[str, int], class_sizes: Sequence[int]) -> bool:
        """Where no class has more images than are drawn."""
        return self.images is None or self.images >= max(class_sizes, default=math.inf)

    def _images(self, samples: Samples, members: np.ndarray, names: Names) -> np.ndarray:
        """At most `images` of each class."""
        if self.images is None:
            return members
        stream, y = seeds.stream("images", *names), samples.y[members]
        order = [stream.permutation(members[y == code])[: self.images] for code in np.unique(y)]
        return np.sort(np.concatenate(order))

    def _other_reading(self, found: Fit, y: np.ndarray, k: int, seed: int) -> dict[str, float]:
        """Those of k-means."""
        clusters, _ = read_clusters(found, k, self.restarts, seed)
        return {"accuracy_kmeans": metrics.accuracy(y, clusters), "nmi_kmeans": metrics.nmi(y, clusters)}

    @property
    def reading_note(self) -> str:
        """Both."""
        largest, starts = super().reading_note.removesuffix("."), counted(self.restarts, "start")
        return f"{largest}; where said so, k-means on them, best of {starts} by its own cost."

    def notes(self) -> Iterator[str]:
        """How many images there are, and what labels were seen."""
        if self.images:
            yield f"Of each drawn class at most {self.images} images, at random, the same for all."
        yield from super().notes()

    def notes_on(self, class_sizes: Sequence[int]) -> Iterator[str]:
        """As clustering's, of the images that are drawn."""
        yield from super().notes_on([min(each, self.images or each) for each in class_sizes])
