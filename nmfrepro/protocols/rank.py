"""How well a rank k holds: whether restarts agree, and how well entries are foretold that no fit has seen."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self

import numpy as np

from ..algorithms import Algorithm, Iterative
from ..algorithms.engine.plain import Array
from ..core import seeds
from ..core.errors import Setting
from ..core.options import option
from ..datasets import Expected
from ..factorization import fit
from ..metrics import Metric
from .base import Clock, Outcome, Protocol, Samples, Task, require, require_side
from .clusters import read_clusters
from .draws import draw_images

# Images of which a consensus matrix takes less than a gigabyte.
MOST = 10_000

METRICS = {
    "cophenetic": Metric(
        "Cophenetic",
        "correlation of 1 − consensus of the starts with the heights at which average linkage joins the "
        "samples (Brunet et al. 2004); none where all pairs have the same consensus",
        unit="",
        ranked=False,
        low=-1.0,
    ),
    "dispersion": Metric(
        "Dispersion",
        "mean of 4(c − ½)² over the consensus matrix c of the starts (Kim and Park 2007); 1 where all agree",
        unit="",
        ranked=False,
        always=True,
    ),
    "held_out_error": Metric(
        "Held-out error",
        "root mean square error of the entries kept from the fit, over the root mean square of these entries",
        lower_is_better=True,
        high=math.inf,
    ),
}


@dataclass(frozen=True)
class Rank(Protocol):
    """Factorize all images with k components, to choose k: do starts agree, are held-out entries foretold.

    For every k in `ranks` and every draw, each method is fitted from `starts` seeds.  The consensus of two
    samples is the share of these fits whose largest encoding entries (or own labels) put them together.
    Methods with an `update_weighted` (nmf, nmf_kl) are fitted once more, from one random start, without a
    random share `held_out` of the entries, the same for all k and methods of a draw; others have no held-out
    error.
    Objective, iterations and what `keep` stores are those of the first start.  The clusters of all starts
    (array ``clusters``, starts × images) are stored whatever `keep` says, for the pictures of the consensus.
    """

    kind: ClassVar[str] = "rank"
    coordinates: ClassVar[tuple[str, ...]] = ("k", "draw")
    metrics: ClassVar[Mapping[str, Metric]] = METRICS
    shown: ClassVar[tuple[str, ...]] = tuple(METRICS)
    outer: ClassVar[tuple[str, ...]] = ("ranks", "repeats")
    drawn: ClassVar[tuple[str, ...]] = ("images",)
    reads_encodings: ClassVar[bool] = True
    stores: ClassVar[bool] = True
    pictures: ClassVar[tuple[str, ...]] = ("sweeps", "curves", "consensus")

    ranks: tuple[int, ...] = option(low=1, help="numbers of basis vectors; tables and rows call each k")
    repeats: int = option(5, low=1, help="draws of held-out entries and of seeds for every k")
    starts: int = option(20, low=2, help="fits whose clusters make a consensus matrix")
    held_out: float = option(
        0.1, low=0, open_low=True, high=0.9, help="share of the entries that is kept from the weighted fit"
    )
    images: int | None = option(None, low=1, help="images to draw at random from each class; null: all")

    def __post_init__(self) -> None:
        self.require_each_once("ranks")

    def identity(self, algorithm: Algorithm) -> dict[str, Any]:
        """The held-out share for the methods that can leave entries out."""
        found = super().identity(algorithm)
        return found if weighted(algorithm) else found | {"held_out": None}

    def check_data(self, data: Expected) -> None:
        """Images that are there, not too many for a consensus."""
        images, least = self.images, data.smallest_class
        why = f" is {images}, but the smallest class has {least}"
        require(images is None or images <= least, Setting("images"), why)
        n = data.n_samples if images is None else images * data.n_classes
        why = f"{n} images are too many for a consensus matrix, {MOST} are possible: give fewer with "
        require(n <= MOST or not data.opened, why, Setting("images"))

    def check(self, data: Expected, algorithms: Sequence[Algorithm]) -> None:
        """Methods without labels."""
        super().check(data, algorithms)
        for algorithm in algorithms:
            unsupervised = f"{algorithm.name} needs labels, and a rank is chosen without; remove it"
            require(not algorithm.needs_labels, unsupervised, option=f"algorithms.{algorithm.name}")
            if algorithm.needs_image_shape:
                require_side(data, algorithm, max(self.ranks), Setting("ranks"), " has")

    def cells(self, n_classes: int) -> Iterator[dict[str, int]]:
        """k by k, draw by draw."""
        for k in self.ranks:
            for draw in range(self.repeats):
                yield {"k": k, "draw": draw}

    def smoke(self) -> Self:
        """The two smallest k, one draw, three starts."""
        return replace(self, ranks=tuple(sorted(self.ranks)[:2]), repeats=1, starts=min(3, self.starts))

    def run(self, task: Task, samples: Samples) -> Outcome:
        """Fit from every start, compare the clusters, and fit once without the held-out entries."""
        clock = Clock()
        k, draw = task.coordinates["k"], task.coordinates["draw"]
        names = (task.seed, samples.identity)
        chosen = draw_images(samples, samples.n_classes, self.images or 0, *names, draw)
        problem = samples.problem(chosen, k, task.fit.dtype)
        clock.lap("draw")
        fit_seeds = [seeds.derive("fit", *names, k, draw, start) for start in range(self.starts)]
        first = fit(task.algorithm, problem, task.fit, fit_seeds[0])
        others = (fit(task.algorithm, problem, task.fit, seed) for seed in fit_seeds[1:])
        read = [read_clusters(found, k, None, 0) for found in (first, *others)]
        clock.lap("fit")
        clusters = np.array([codes for codes, _ in read])
        agreed = consensus(clusters)
        scores = {"cophenetic": cophenetic(agreed), "dispersion": dispersion(agreed)}
        scores["held_out_error"] = float("nan")
        clock.lap("score")
        if method := weighted(task.algorithm):
            X = problem.X
            W = (seeds.stream("held out", *names, draw).random(X.shape) >= self.held_out).astype(X.dtype)
            start = seeds.uniform((problem.m + problem.n, k), "held out", *names, k, draw).astype(X.dtype)
            U, V = start[: problem.m], start[problem.m :]
            for _ in range(task.fit.max_iter):
                U, V = method.update_weighted(X, W, U, V)
            scores["held_out_error"] = relative_error(X, 1 - W, U @ V.T)
            clock.lap("held out")
        labels, notes = read[0]
        return Outcome(
            first,
            fit_seeds[0],
            chosen,
            scores,
            notes,
            labels,
            kept={"clusters": clusters},
            seconds=clock.seconds,
            classes=samples.named(chosen),
        )

    @property
    def repeated(self) -> str:
        """Draws of what is held out and of the starts; with `images`, of these too."""
        return "draws of held-out entries and of seeds"

    @property
    def fit_phase(self) -> str:
        """All from whose clusters the consensus is; the weighted one has its own phase."""
        return "the fits from all starts"

    def notes(self) -> Iterator[str]:
        """How the consensus came about, and how entries were held out."""
        yield f"Consensus of {self.starts} fits from different seeds, by the largest entry of each encoding."
        how = "weight 0 in multiplicative updates, U before V, from one random start to the last iteration"
        yield f"Held out: {100 * self.held_out:g} % of the entries; {how}, whatever the fits' solver and tol."


def weighted(algorithm: Algorithm) -> Iterative | None:
    """The method itself where it can leave entries out."""
    return algorithm if isinstance(algorithm, Iterative) and algorithm.holds_entries_out() else None


def consensus(clusters: np.ndarray) -> np.ndarray:
    """The share of clusterings (rows of codes, shape (starts, n)) that put two samples together, (n, n)."""
    total = np.zeros((clusters.shape[1],) * 2)
    for codes in clusters:
        total += codes[:, None] == codes
    return total / len(clusters)


def cophenetic(agreed: np.ndarray) -> float:
    """Cophenetic correlation of 1 − consensus (n, n) under average linkage; NaN where all pairs are alike."""
    from scipy.cluster.hierarchy import cophenet, linkage  # here, so that reading a spec needs no SciPy
    from scipy.spatial.distance import squareform

    apart = squareform(1 - agreed, checks=False)
    if not apart.any() or not np.ptp(apart) > 0:
        return float("nan")
    return float(cophenet(linkage(apart, "average"), apart)[0])


def dispersion(agreed: np.ndarray) -> float:
    """Mean of 4(c − ½)² over the consensus matrix (n, n), in [0, 1]; 1 where all starts agree."""
    return float(np.mean(4 * (agreed - 0.5) ** 2))


def relative_error(X: Array, hidden: Array, Y: Array) -> float:
    """‖H∘(X − Y)‖ / ‖H∘X‖ of the entries where `hidden` is 1; NaN where these are all zero."""
    length = np.linalg.norm(hidden * X)
    return float(np.linalg.norm(hidden * (X - Y)) / length) if length else float("nan")
