"""Clustering of randomly drawn classes, the protocol of most tables."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, ClassVar, Self

import numpy as np

from .. import metrics
from ..algorithms import Algorithm
from ..core import seeds
from ..core.errors import Setting, SpecError
from ..core.options import option
from ..core.problem import Fit
from ..core.terminal import counted
from ..datasets import Expected
from ..factorization import fit
from ..metrics import Metric
from .base import Clock, Outcome, Protocol, Samples, Task, require
from .choice import choice_note, choose
from .clusters import read_clusters, reader_restarts
from .draws import (
    LABELLED,
    check_labelled,
    check_share,
    draw_classes,
    draw_labels,
    labelled_count,
    labelled_note,
)
from .grids import check_grids, few, grids_of, raw_grids, scanned

Names = tuple[object, ...]
"""What names the random streams of a draw."""

METRICS = {
    "accuracy": Metric(
        "Accuracy",
        "share of samples in the class that the optimal one-to-one matching gives their cluster; "
        "clusters left over count as errors",
        always=True,
        counted=True,
    ),
    "nmi": Metric("NMI", "mutual information over the larger of both entropies", always=True),
    "sparseness": Metric(
        "Sparseness",
        "Hoyer's measure of a sample's encoding, (√d − L1/L2)/(√d − 1), mean over samples",
        ranked=False,
    ),
    "purity": Metric(
        "Purity",
        "share of samples in the largest class of their cluster (many clusters to one class)",
        always=True,
        counted=True,
    ),
    "ari": Metric("ARI", "Rand index of pairs, adjusted for chance", low=-0.5, always=True),
    "nmi_min": Metric("NMI (min)", "mutual information over the smaller of both entropies", always=True),
    "nmi_geometric": Metric(
        "NMI (geometric)", "mutual information over the geometric mean of both entropies", always=True
    ),
    "nmi_arithmetic": Metric(
        "NMI (arithmetic)", "mutual information over the arithmetic mean of both entropies", always=True
    ),
}


@dataclass(frozen=True)
class Clustered:
    """A fit of the images of one draw, and what was read from it.

    Attributes
    ----------
    fit : Fit
    clusters : ndarray of int, shape (n,)
    scores : dict of str to float
        By metric, of these clusters.
    other : dict of str to float
        The same, of those that another reading of the encodings gives.
    notes : tuple of str
    """

    fit: Fit
    clusters: np.ndarray
    scores: dict[str, float]
    other: dict[str, float]
    notes: tuple[str, ...]


@dataclass(frozen=True)
class Clustering(Protocol):
    """Draw k classes at random, factorize their images with k components, and compare clusters with classes.

    For every k in `clusters`, `repeats` draws of k classes are made, and all images of the drawn classes are
    clustered; where k is the number of all classes there is one draw.  All algorithms see the same draws.
    Ten draws decide little: `further` ones, and further starts where all classes are taken, stay out of the
    table and make its comparison with print more precise.
    """

    kind: ClassVar[str] = "clustering"
    coordinates: ClassVar[tuple[str, ...]] = ("k", "draw")
    metrics: ClassVar[Mapping[str, Metric]] = METRICS
    shown: ClassVar[tuple[str, ...]] = ("accuracy", "nmi", "sparseness")
    outer: ClassVar[tuple[str, ...]] = ("clusters", "repeats", "further", "further_starts")
    averaged: ClassVar[bool] = True
    axes: ClassVar[Mapping[str, str]] = {**Protocol.axes, "k": "Number of clusters k"}
    reads_encodings: ClassVar[bool] = True
    # What the names of metrics end with, for each reading of the encodings; the phase that choosing is in.
    suffixes: ClassVar[tuple[str, ...]] = ("",)
    choosing: ClassVar[str] = "fit"

    clusters: tuple[int, ...] = option(low=1, help="numbers of classes k to draw, each also the rank")
    repeats: int = option(10, low=1, help="draws of classes for every k")
    further: int = option(
        0, low=0, help="draws beyond those, which `compare` and `stats` count and the table leaves out"
    )
    further_starts: int = option(
        0, low=0, help="the same where k is the number of all classes: starts beyond the one of the table"
    )
    assign: str | dict = option(  # type: ignore[type-arg]
        "argmax",
        choices=("argmax", "kmeans"),
        help="how encodings become clusters: their largest entry, or k-means as {kmeans: {restarts: 20}}",
    )
    labelled: str | int | None = option(None, low=1, help=LABELLED)
    choose: dict[str, Any] | None = option(
        None,
        help="parameters chosen anew for every draw by scores on other draws, for the methods that have "
        "them, as {lam: [0.1, 1, 10]}, or for each its own, as {nlcf: {mu: [0.1, 1]}}; every combination is "
        "tried",
    )
    choose_draws: int = option(3, low=1, help="other draws that `choose` scores on, for every reported draw")
    choose_by: str = option("accuracy", choices=("accuracy", "nmi"), help="the score that `choose` goes by")
    choose_from: str = option(
        "draws",
        choices=("draws", "classes"),
        help="what the other draws are made of: any classes, or only those that the reported draw has not",
    )

    def __post_init__(self) -> None:
        self.require_each_once("clusters")
        if self.choose is not None:
            check_grids(self.choose, "choose")
        for each in fields(self) if self.choose is None else ():
            idle = each.name.startswith("choose_") and getattr(self, each.name) != each.default
            require(not idle, Setting(each.name), " does nothing without choose: leave it out")
        reader_restarts(self.assign)
        check_share(self.labelled)

    def identity(self, algorithm: Algorithm) -> dict[str, object]:
        """How clusters are read; the labelled share for the methods that take labels."""
        found: dict[str, object] = {"kind": self.kind, "kmeans": reader_restarts(self.assign)}
        found["labelled"] = self.labelled if algorithm.needs_labels else None
        if grids := grids_of(self.choose, algorithm):
            found["choose"] = {name: list(values) for name, values in grids.items()}
            found["choose_on"] = [self.choose_draws, self.choose_by, self.choose_from]
        return found

    def check_data(self, data: Expected) -> None:
        """k from two to the number of classes."""
        why = " has k = 1, and one class has nothing to tell apart; leave it out"
        require(1 not in self.clusters, Setting("clusters"), why)
        most, n = max(self.clusters), data.n_classes
        require(most <= n, Setting("clusters"), f" has k = {most}, but the dataset has {counted(n, 'class')}")

    def check(self, data: Expected, algorithms: Sequence[Algorithm]) -> None:
        """Factors that images have, labels if and only if some method takes them, draws to choose on."""
        super().check(data, algorithms)
        most, n = max(self.clusters), data.n_classes
        check_labelled(self.labelled, algorithms, data.smallest_class)
        for algorithm in algorithms:
            try:
                if data.image_shape is not None:
                    algorithm.check_shape(most, data.image_shape)
            except SpecError as error:
                raise SpecError(Setting("clusters"), f" has k = {most}, but ", *error.what) from error
        if self.choose is None:
            return
        scanned(self.choose, algorithms, "choose")
        limit = n // 2 if self.choose_from == "classes" else n - 1
        needs = f"with {counted(n, 'class')} choose needs k <= {limit}: there are no other draws to choose on"
        require(most <= limit, Setting("clusters"), f" has k = {most}, but {needs}")

    def weight(self, task: Task) -> float:
        """The rank, times the fits of a choice."""
        grids = grids_of(self.choose, task.algorithm)
        fits = self.choose_draws * math.prod(map(len, grids.values())) if grids else 0
        return super().weight(task) * (1 + fits)

    def cells(self, n_classes: int) -> Iterator[dict[str, int]]:
        """k by k, draw by draw; all classes once."""
        for k in self.clusters:
            for draw in range(1 + self.further_starts if k == n_classes else self.repeats + self.further):
                yield {"k": k, "draw": draw}

    def as_printed(self) -> Self:
        """Without further draws and starts."""
        return replace(self, further=0, further_starts=0)

    def smoke(self) -> Self:
        """The two smallest k, two draws."""
        return replace(
            self.as_printed(),
            clusters=tuple(sorted(self.clusters)[:2]),
            repeats=min(2, self.repeats),
            choose=few(self.choose),
            choose_draws=1 if self.choose else self.choose_draws,
        )

    def run(self, task: Task, samples: Samples) -> Outcome:
        """Draw, choose what is to be chosen on other draws, factorize, read the clusters, score."""
        clock = Clock()
        k, draw = task.coordinates["k"], task.coordinates["draw"]
        names = (task.seed, samples.identity, k, draw)
        chosen = self._images(samples, draw_classes(samples, *names), names)
        picks = [(task.algorithm, "")]
        if grids := grids_of(self.choose, task.algorithm):
            apart = np.unique(samples.y[chosen]) if self.choose_from == "classes" else ()

            def score(candidate: Algorithm, number: int) -> dict[str, float]:
                streams = ("choice", *names, number)
                drawn = draw_classes(samples, *names, number, stream="choice", apart=apart)
                others = self._images(samples, drawn, streams)
                tried = self._clustered(candidate, task, samples, others, streams, Clock())
                return tried.scores | tried.other

            picks = choose(grids, task.algorithm, self.choose_draws, score, self.choose_by, self.suffixes)
            clock.lap(self.choosing)
        algorithm = picks[0][0]
        found = self._clustered(algorithm, task, samples, chosen, names, clock)
        other = found.other
        for method, _ in picks[1:]:
            if method != algorithm:
                other = self._clustered(method, task, samples, chosen, names, Clock()).other
                clock.lap(self.choosing)
        return Outcome(
            found.fit,
            seeds.derive("fit", *names),
            chosen,
            found.scores | other,
            (*(note for _, note in picks if note), *found.notes),
            found.clusters,
            seconds=clock.seconds,
            classes=samples.named(chosen),
        )

    def _images(self, samples: Samples, members: np.ndarray, names: Names) -> np.ndarray:
        """Which of the images of the drawn classes, `members`, are clustered: all."""
        return members

    def _clustered(
        self, method: Algorithm, task: Task, samples: Samples, chosen: np.ndarray, names: Names, clock: Clock
    ) -> Clustered:
        """A method on the images of one draw; `names` name its streams."""
        k = task.coordinates["k"]
        y = np.unique(samples.y[chosen], return_inverse=True)[1]
        known = draw_labels(y, self.labelled, *names) if method.needs_labels else None
        problem = samples.problem(chosen, k, task.fit.dtype, known)
        clock.lap("draw")
        found = fit(method, problem, task.fit, seeds.derive("fit", *names))
        clock.lap("fit")
        restarts = reader_restarts(self.assign)
        clusters, notes = read_clusters(found, k, restarts, seeds.derive("reader", *names))
        clock.lap("read")
        scores = metrics.clustering(y, clusters, found.embedding)
        clock.lap("score")
        other = self._other_reading(found, y, k, seeds.derive("reader", *names))
        clock.lap("read")
        return Clustered(found, clusters, scores, other, notes)

    def _other_reading(self, found: Fit, y: np.ndarray, k: int, seed: int) -> dict[str, float]:
        """Scores of clusters that are read from a fit in another way."""
        return {}

    @property
    def repeated(self) -> str:
        """Draws of classes."""
        return "random draws of classes"

    def in_common(self, at: Mapping[str, int], n_samples: int, n_classes: int) -> float:
        """The share of the classes that are drawn."""
        return min(1.0, at["k"] / n_classes)

    @property
    def fit_phase(self) -> str:
        """With `choose`, also those of choosing where these are not booked apart."""
        return "a draw's fits, choosing too" if self.choose and self.choosing == "fit" else super().fit_phase

    def chooses(self, method: str, parameters: Collection[str]) -> Mapping[str, bool]:
        """Those of `choose`, whatever their values in the spec."""
        return dict.fromkeys(raw_grids(self.choose, method, parameters), False)

    @property
    def reading_note(self) -> str:
        """How encodings became clusters."""
        restarts = reader_restarts(self.assign)
        if restarts is None:
            return "Clusters: the largest entry of each sample's encoding (no k-means on the encodings)."
        return f"Clusters: k-means on the encodings, best of {counted(restarts, 'start')} by its own cost."

    def notes(self) -> Iterator[str]:
        """What labels were seen."""
        yield from labelled_note(self.labelled)

    def notes_on(self, class_sizes: Sequence[int]) -> Iterator[str]:
        """What was chosen on which draws; that all samples scored are of classes that methods were given."""
        if self.choose:
            by, n = METRICS[self.choose_by].title, len(class_sizes)
            most = max((k for k in self.clusters if k < n), default=0)
            yield choice_note(self.choose, self.choose_draws, by, self.choose_from, most, n)
        if class_sizes and all(labelled_count(self.labelled, each) >= each for each in class_sizes):
            yield (
                "All samples that are scored are labelled ones: the scores of semi-supervised methods say "
                "nothing of samples whose class is not known."
            )
