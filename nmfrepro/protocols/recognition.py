"""Recognition of test images by classifiers on features learned from training images."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, ClassVar, Self

import numpy as np

from ..algorithms import Algorithm
from ..algorithms.engine.plain import unit
from ..core import seeds
from ..core.errors import FitError, Setting
from ..core.magnitude import within_range
from ..core.options import option, options_of
from ..core.problem import Fit, Problem
from ..core.terminal import counted
from ..datasets import Expected
from ..factorization import fit, fit_each
from ..metrics import Metric
from .base import SQUARE, Clock, Outcome, Protocol, Samples, Task, components, require, require_side
from .classifiers import CLASSIFIERS, METRICS, MULTICLASS, rates
from .draws import Split, draw_split
from .grids import check_grids, few, grids_of, grids_text, raw_grids, scanned
from .scan import Scored, scan
from .splits import Splits, read_splits


@dataclass(frozen=True)
class Recognition(Protocol):
    """Learn a basis from some images of every class, project all images on it, and classify the others.

    For every number `train` of training images per class, `repeats` random splits are made; all algorithms
    and all dimensions see the same splits.  A trial fits once, without labels, and scores every classifier
    on the test images and, with `validation`, on the validation images.  Which dimension a table shows is
    chosen when the table is made, and said under it.
    """

    kind: ClassVar[str] = "recognition"
    coordinates: ClassVar[tuple[str, ...]] = ("train", "k", "draw")
    metrics: ClassVar[Mapping[str, Metric]] = METRICS
    shown: ClassVar[tuple[str, ...]] = ("nn",)
    outer: ClassVar[tuple[str, ...]] = ("train", "dimensions", "repeats")
    drawn: ClassVar[tuple[str, ...]] = ("validation",)
    paths: ClassVar[tuple[str, ...]] = ("splits",)
    repeat: ClassVar[str] = "split"
    chosen: ClassVar[str | None] = "k"
    chosen_noun: ClassVar[str] = "dimension"
    axes: ClassVar[Mapping[str, str]] = {
        **Protocol.axes,
        "train": "Training images per class",
        "k": "Dimension k",
        **{name: f"Recognition rate, {metric.title}" for name, metric in METRICS.items()},
    }
    pictures: ClassVar[tuple[str, ...]] = ("dimensions", "sweeps", "curves", "ranks")

    train: tuple[int, ...] = option(low=1, help="numbers of training images per class")
    dimensions: tuple[int, ...] = option(low=1, help="numbers of basis vectors k, a grid to choose from")
    repeats: int = option(20, low=1, help="random splits for every number of training images")
    splits: str | None = option(
        None,
        help="published splits instead of random ones: a .mat, .npz or .csv with trainIdx and testIdx, "
        "counted from 0 or 1, or a folder of such files",
    )
    validation: bool = option(
        False, help="halve the images that are not for training into validation and test, class by class"
    )
    square: bool = option(
        False,
        help="vector methods get k² basis vectors where image methods get cores of k x k (2DNMF's grid)",
    )
    beyond_rank: str = option(
        "refuse",
        choices=("refuse", "allow"),
        help="what to do with more basis vectors than training images or pixels: the data has no such rank",
    )
    classifiers: tuple[str, ...] = option(
        ("nn",), choices=CLASSIFIERS, help="nn: nearest neighbour (Euclidean), svm: linear; the first decides"
    )
    svm_c: float = option(
        1.0,
        low=0,
        open_low=True,
        help="the SVM's penalty C, for features of mean squared length 1 over the training images",
    )
    svm_multiclass: str = option(
        "one-vs-one",
        choices=MULTICLASS,
        help="how the SVM tells more than two classes apart: each from each other, or each from all others",
    )
    projection: str = option(
        "pinv",
        choices=("pinv", "nnls"),
        help="features on one basis: least squares, or nonnegative; image methods have their own parameter",
    )
    basis: str = option(
        "fitted",
        choices=("fitted", "unit"),
        help="that basis as it was fitted, or with columns of unit length: their scale, in most models the "
        "start's, acts on the distances between features",
    )
    scan: dict[str, Any] | None = option(
        None,
        help="parameters chosen on the validation images, one after the other, for the methods that have "
        "them, as {lam: [0.1, 1], gamma: [0.1, 1]}",
    )
    scan_start: str = option(
        "given",
        choices=("given", "balanced"),
        help="where a parameter stands before its own scan: as the spec gives it, or as LDS-NMF balances it "
        "with the loss of a fit without regularisation",
    )

    def __post_init__(self) -> None:
        self.require_each_once("train", "dimensions", "classifiers")
        needs = (" chooses on validation images: set ", Setting("validation", True))
        require(self.scan is None or self.validation, Setting("scan"), *needs)
        starts = self.scan is not None or self.scan_start == "given"
        require(starts, Setting("scan_start"), " says how a scan starts: give scan")
        if self.scan is not None:
            check_grids(self.scan)
        if self.splits is not None:
            one = len(self.train) == 1
            require(one, Setting("train"), " must be the one number that the published splits have")
            none = (Setting("splits"), " have no validation images: leave ", Setting("validation"), " out")
            require(not self.validation, *none)

    def identity(self, algorithm: Algorithm) -> dict[str, Any]:
        """What decides the numbers of a trial of that method; options that do not concern it are left out."""
        found: dict[str, Any] = {"kind": self.kind, "validation": self.validation}
        found["classifiers"] = list(self.classifiers)
        if "svm" in self.classifiers:
            found["svm_c"] = self.svm_c
            if self.svm_multiclass != MULTICLASS[0]:
                found["svm_multiclass"] = self.svm_multiclass
        if algorithm.basis is not None:
            found["projection"] = self.projection
            if self.basis == "unit":
                found["basis"] = self.basis
        if not algorithm.needs_image_shape:
            found["square"] = self.square
        if grids := grids_of(self.scan, algorithm):
            found["scan"] = {name: list(values) for name, values in grids.items()}
            found["scan_start"] = self.scan_start
        return found

    def ready(self, samples: Samples) -> Samples:
        """With the published splits."""
        if self.splits is None:
            return samples
        published = read_splits(Path(self.splits), len(samples.y))
        published.check(samples.y, self.train[0])
        there = len(published.train)
        why = f" is {self.repeats}, but {self.splits} holds {counted(there, 'split')}"
        require(self.repeats <= there, Setting("repeats"), why)
        return replace(samples, beside=published)

    def check_data(self, data: Expected) -> None:
        """Images left to test on, classes to tell apart."""
        svm = "svm" in self.classifiers and data.n_classes < 2
        require(not svm, Setting("classifiers"), " has svm, which needs two classes, and the dataset has one")
        left = 2 if self.validation else 1
        which = "" if data.smallest_label is None else f", {data.smallest_label},"
        needing = "validation and test need" if self.validation else "the test needs"
        for train in self.train:
            there = f"the smallest class{which} has {data.smallest_class}, and {needing} one each"
            enough = train + left <= data.smallest_class
            require(enough, Setting("train"), f" has {counted(train, 'image')} per class, but {there}")

    def check(self, data: Expected, algorithms: Sequence[Algorithm]) -> None:
        """Dimensions that the data has, and methods that can code new samples."""
        super().check(data, algorithms)
        for algorithm in algorithms:
            name, about = algorithm.name, f"algorithms.{algorithm.name}"
            labels = f"{name} learns from labels, but recognition fits without; remove it"
            require(not algorithm.needs_labels, labels, option=about)
            coded = algorithm.codes_new_samples()
            require(coded, f"{name} has no projection for new samples; remove it", option=about)
            options = options_of(type(algorithm))
            for key in algorithm.read_options:
                usual = key not in options or getattr(algorithm, key) == options[key].default
                why = "and recognition projects images on the basis; leave it out"
                unit = ("; the protocol has ", Setting("basis", "unit")) if key == "normalize" else ()
                text = f"{name}: {key} says how encodings are read, {why}"
                require(usual, text, *unit, option=f"{about}.{key}")
            for k in self.dimensions:
                self._check_dimension(data, algorithm, k)
        if self.scan is not None:
            found = scanned(self.scan, algorithms, "scan")
            without = ", ".join(each.name for each in found if type(each).balanced is Algorithm.balanced)
            why = f" balanced needs a method that has such a rule; {without} has none"
            require(self.scan_start == "given" or not without, Setting("scan_start"), why)

    def _check_dimension(self, data: Expected, algorithm: Algorithm, k: int) -> None:
        rank = components(algorithm, k, self.square)
        if algorithm.needs_image_shape:
            require_side(data, algorithm, k, Setting("dimensions"), " has")
            return
        shown = f" has {k}" + (f", {rank} basis vectors with square" if rank != k else "")
        most = f"{shown}, but {algorithm.name} has {data.n_features} at most: the values of an image"
        require(rank <= data.n_features, Setting("dimensions"), most)
        least, fewest = min(self.train), min(self.train) * data.n_classes
        most = f"{shown}, but {least} training images of {data.n_classes} classes have rank {fewest} at most"
        remedy = ("; drop it or set ", Setting("beyond_rank", "allow"))
        require(self.beyond_rank == "allow" or rank <= fewest, Setting("dimensions"), most, *remedy)

    def cells(self, n_classes: int) -> Iterator[dict[str, int]]:
        """Training images, then dimension, then split."""
        for train in self.train:
            for k in self.dimensions:
                for draw in range(self.repeats):
                    yield {"train": train, "k": k, "draw": draw}

    def weight(self, task: Task) -> float:
        """Basis vectors times training images, times the fits of a scan."""
        fits = 1 + sum(map(len, grids_of(self.scan, task.algorithm).values()))
        rank = components(task.algorithm, task.coordinates["k"], self.square)
        return float(fits * task.coordinates["train"] * rank)

    def smoke(self) -> Self:
        """The fewest training images, two small dimensions, two splits, two values of each scan."""
        return replace(
            self,
            train=(min(self.train),),
            dimensions=tuple(sorted(self.dimensions)[:2]),
            repeats=min(2, self.repeats),
            scan=few(self.scan),
        )

    def run(self, task: Task, samples: Samples) -> Outcome:
        """Split, fit on the training images, project all, classify."""
        clock = Clock()
        train, k, draw = (task.coordinates[name] for name in self.coordinates)
        names = (task.seed, samples.identity, train, draw)
        if self.splits is None:
            split = draw_split(samples.y, train, self.validation, *names)
        else:
            assert isinstance(samples.beside, Splits), "the samples are not those of `ready`"
            split = samples.beside.split(draw)
        rank = components(task.algorithm, k, self.square)
        problem = samples.problem(split.train, rank, task.fit.dtype)
        clock.lap("draw")
        fit_seed = seeds.derive("fit", *names, k)

        decides, *others = self.classifiers
        score = partial(rates, svm_c=self.svm_c, svm_multiclass=self.svm_multiclass, y=samples.y, split=split)

        def attempt(methods: Sequence[Algorithm]) -> list[Scored | FitError]:
            tried: list[Scored | FitError] = []
            fits = fit_each(methods, problem, task.fit, fit_seed)
            for method, found in zip(methods, fits, strict=True):
                clock.lap("fit")
                try:
                    if isinstance(found, FitError):
                        raise found
                    features = self.features(method, found, samples)
                    clock.lap("read")
                    tried.append(Scored(found, features, score([decides], features)))
                except FitError as error:
                    tried.append(error)
                clock.lap("score")
            return tried

        notes = (*beyond_note(task.algorithm, problem), *twins_note(samples, split))
        kept: dict[str, np.ndarray] = {}
        if grids := grids_of(self.scan, task.algorithm):
            start: dict[str, float] = {}
            if self.scan_start == "balanced":
                start = task.algorithm.balanced(problem, lambda free: fit(free, problem, task.fit, fit_seed))
            best, note, kept = scan(grids, task.algorithm, start, attempt, decides)
            notes = (*notes, note)
        else:
            (only,) = attempt([task.algorithm])
            if isinstance(only, FitError):
                raise only
            best = only
        scores = best.scores | score(others, best.features)
        clock.lap("score")
        return Outcome(
            best.fit,
            fit_seed,
            split.train,
            {name: scores.get(name, float("nan")) for name in self.metrics},
            notes,
            kept=kept,
            seconds=clock.seconds,
        )

    @property
    def usual_metrics(self) -> tuple[str, ...]:
        """The rate of every classifier."""
        return self.classifiers

    @property
    def repeated(self) -> str:
        """Splits: the published ones where `splits` names them."""
        return f"{'published' if self.splits else 'random'} splits into training and test samples"

    def in_common(self, at: Mapping[str, int], n_samples: int, n_classes: int) -> float:
        """Test images over those for training and test, as Nadeau and Bengio propose."""
        trained = at["train"] * n_classes
        tested = (n_samples - trained) / (2 if self.validation else 1)
        return tested / (trained + tested)

    def chooses(self, method: str, parameters: Collection[str]) -> Mapping[str, bool]:
        """Those of `scan`, which begins at the values of the spec."""
        return dict.fromkeys(raw_grids(self.scan, method, parameters), True)

    @property
    def fit_phase(self) -> str:
        """With `scan`, one for every value."""
        return "a split's fits" if self.scan else super().fit_phase

    def axis(self, coordinate: str) -> str:
        """With `square`, k is of methods on images, and others have k² vectors."""
        squared = " (k² for methods on vectors)" if self.square and coordinate == "k" else ""
        return super().axis(coordinate) + squared

    def notes(self) -> Iterator[str]:
        """The sizes of bases, how samples were split and classified, and what was chosen on which."""
        if self.square:
            yield SQUARE
        bases = "the bases as they were fitted" if self.basis == "fitted" else "bases of unit columns"
        yield f"Features: images projected on {bases}; normalize does not act on them."
        if self.splits:
            yield f"Splits: those of {Path(self.splits).name}."
        if self.validation:
            yield (
                "Samples that are not for training are halved into validation and test samples, "
                "class by class."
            )
        if "svm" in self.classifiers:
            yield f"SVM: linear, {self.svm_multiclass}, C = {self.svm_c:g}."
        if self.scan:
            yield f"Chosen on the validation samples, one after the other: {grids_text(self.scan)}."

    def features(self, algorithm: Algorithm, found: Fit, samples: Samples) -> np.ndarray:
        """Features of all images on the factors, in float64; training images are projected like the others.

        Classifiers see ratios of distances only, so features that cannot be squared are brought into range.

        Raises
        ------
        FitError
            If they are not finite or not a row for each image, or all zero: such a factorization has
            collapsed and is not scored.
        """
        factors, projection = found.factors, None
        if algorithm.basis is not None:
            projection = self.projection
            if self.basis == "unit":
                factors = {**factors, algorithm.basis: unit(factors[algorithm.basis], axis=0)}
        features = algorithm.project(factors, samples.X.T, samples.image_shape, projection)
        if np.iscomplexobj(features):  # NumPy would drop the imaginary parts
            raise FitError(f"{algorithm.name}: the projections are complex numbers")
        features = np.asarray(features, dtype=np.float64)
        if features.ndim != 2 or len(features) != len(samples.X):
            shape = " x ".join(map(str, features.shape))
            raise FitError(
                f"{algorithm.name}: the projections have shape {shape}, but need a row for each of the "
                f"{len(samples.X)} images"
            )
        if not np.isfinite(features).all():
            raise FitError(f"{algorithm.name}: the projections are not finite")
        if not features.any():
            raise FitError("collapsed: every feature is zero")
        return within_range(features)


def beyond_note(algorithm: Algorithm, problem: Problem) -> tuple[str, ...]:
    """A note where a method on vectors has more basis vectors than the training images have rank."""
    if problem.k <= min(problem.m, problem.n) or not algorithm.codes_on_basis():
        return ()
    return (f"{problem.k} basis vectors for {problem.n} training images, which do not determine them",)


def twins_note(samples: Samples, split: Split) -> Iterator[str]:
    """A note that counts the test images which are training images too, and those under another label."""
    first, y = samples.first, samples.y
    of_training = dict(zip(first[split.train], y[split.train], strict=True))
    twins = [i for i in split.test if first[i] in of_training]
    if twins:
        wrong = sum(y[i] != of_training[first[i]] for i in twins)
        under = f", {wrong} of them under another label" if wrong else ""
        yield f"{len(twins)} of {len(split.test)} test images are training images too{under}"
