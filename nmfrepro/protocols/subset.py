"""What protocols share that fit a chosen part of the data: so many classes, so many images of each."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self

import numpy as np

from ..algorithms import Algorithm
from ..core import seeds
from ..core.errors import Setting
from ..core.options import option
from ..core.problem import Fit, Problem
from ..datasets import Expected
from ..factorization import fit
from .base import SQUARE, Clock, Outcome, Protocol, Samples, Task, components, require, require_side
from .draws import LABELLED, check_labelled, check_share, draw_images, draw_labels, labelled_note

SMOKE_RANK = 6


@dataclass(frozen=True)
class Posed:
    """The problem of a trial, with the images it was made of."""

    problem: Problem
    chosen: np.ndarray  # int, shape (n,): indices of its images in the dataset
    y: np.ndarray  # int, shape (n,): their class codes, 0 … c−1
    seed: int  # for the fit
    classes: str  # those it saw, as `Samples.named` writes them

    def outcome(
        self,
        found: Fit,
        metrics: dict[str, float],
        kept: dict[str, np.ndarray],
        seconds: dict[str, float],
        notes: Sequence[str] = (),
    ) -> Outcome:
        """What came of it."""
        return Outcome(found, self.seed, self.chosen, metrics, notes, None, kept, seconds, self.classes)


@dataclass(frozen=True)
class Subset(Protocol):
    """Fits on images of randomly drawn classes.

    The coordinate k is the rank, `images` the images of each class (0: all of them).
    """

    coordinates: ClassVar[tuple[str, ...]] = ("k", "images", "draw")
    outer: ClassVar[tuple[str, ...]] = ("classes", "images", "repeats")
    axes: ClassVar[Mapping[str, str]] = {**Protocol.axes, "images": "Images per class"}
    drawn: ClassVar[tuple[str, ...]] = ("classes", "rank")  # with a rank, k says nothing of the classes

    classes: tuple[int, ...] | None = option(
        None, low=1, help="numbers of classes to draw, each also the rank unless `rank` is given; null: all"
    )
    images: tuple[int, ...] | None = option(
        None, low=1, help="numbers of images to draw from each class; null: all"
    )
    rank: int | None = option(
        None, low=1, help="basis vectors k; null: as many as classes.  With it, one number of classes"
    )
    square: bool = option(
        False, help="vector methods get k² basis vectors where image methods get cores of k x k"
    )
    repeats: int = option(1, low=1, help="draws for every number of classes and images")
    labelled: str | int | None = option(None, low=1, help=LABELLED)

    def __post_init__(self) -> None:
        self.require_each_once("classes", "images")
        why = " names several numbers, but rank fixes the basis; give one number, or leave rank out"
        require(self.rank is None or len(self.classes or (0,)) == 1, Setting("classes"), why)
        check_share(self.labelled)

    def identity(self, algorithm: Algorithm) -> dict[str, Any]:
        """What decides the fit beside the coordinates; options that do not concern the method left out."""
        found: dict[str, Any] = {"kind": self.kind}
        if self.rank is not None:
            found["classes"] = self.classes[0] if self.classes else None
        if not algorithm.needs_image_shape:
            found["square"] = self.square
        if algorithm.needs_labels:
            found["labelled"] = self.labelled
        return found

    def check_data(self, data: Expected) -> None:
        """Classes and images that are there."""
        most, there = max(self.classes or (0,)), data.n_classes
        require(most <= there, Setting("classes"), f" has {most}, but the dataset has {there}")
        most, there = max(self.images or (0,)), data.smallest_class
        why = f" has {most} of each class, but the smallest class has {there}"
        require(most <= there, Setting("images"), why)

    def check(self, data: Expected, algorithms: Sequence[Algorithm]) -> None:
        """Sides that images have, and labels if and only if some method takes them."""
        super().check(data, algorithms)
        where = (Setting("classes"), " has") if self.rank is None else (Setting("rank"), " is")
        highest = self.rank or max(self.classes or (data.n_classes,))
        for algorithm in algorithms:
            if algorithm.needs_image_shape:
                require_side(data, algorithm, highest, *where)
        check_labelled(self.labelled, algorithms, min([data.smallest_class, *(self.images or ())]))

    def cells(self, n_classes: int) -> Iterator[dict[str, int]]:
        """Classes, then images, then draws."""
        for classes in self.classes or (n_classes,):
            for images in self.images or (0,):
                for draw in range(self.repeats):
                    yield {"k": self.rank or classes, "images": images, "draw": draw}

    def weight(self, task: Task) -> float:
        """Basis vectors times images of a class."""
        k, images = task.coordinates["k"], task.coordinates["images"] or 10
        return float(components(task.algorithm, k, self.square) * images)

    def smoke(self) -> Self:
        """The fewest classes and images, one draw, a small basis."""
        return replace(
            self,
            classes=None if self.classes is None else (min(self.classes),),
            images=None if self.images is None else (min(self.images),),
            rank=None if self.rank is None else min(self.rank, SMOKE_RANK),
            repeats=1,
        )

    def row_name(self, at: Mapping[str, int]) -> str:
        """All images of each class are not mentioned."""
        return super().row_name({name: value for name, value in at.items() if name != "images" or value})

    def whole_classes(self, at: Mapping[str, int], class_sizes: Sequence[int]) -> bool:
        """Where no number of images is given."""
        return not at.get("images")  # a user's class may have other coordinates

    @property
    def repeated(self) -> str:
        """Draws of classes, or of images from all classes."""
        return f"random draws of {'images' if self.images else 'classes'}"

    def notes(self) -> Iterator[str]:
        """The sizes of bases, and what labels were seen."""
        if self.square:
            yield SQUARE
        yield from labelled_note(self.labelled)

    def fitted(self, task: Task, samples: Samples) -> tuple[Posed, Fit, Clock]:
        """Pose a trial's problem and fit its method, both on the clock."""
        clock = Clock()
        posed = self.pose(task, samples)
        clock.lap("draw")
        found = fit(task.algorithm, posed.problem, task.fit, posed.seed)
        clock.lap("fit")
        return posed, found, clock

    def pose(self, task: Task, samples: Samples) -> Posed:
        """Draw the images of a trial and make its problem."""
        k, images, draw = (task.coordinates[name] for name in self.coordinates)
        classes = k
        if self.rank is not None:
            classes = self.classes[0] if self.classes else samples.n_classes
        names = (task.seed, samples.identity)
        chosen = draw_images(samples, classes, images, *names, draw)
        y = np.unique(samples.y[chosen], return_inverse=True)[1]
        takes = task.algorithm.needs_labels
        known = draw_labels(y, self.labelled, *names, classes, draw) if takes else None
        rank = components(task.algorithm, k, self.square)
        problem = samples.problem(chosen, rank, task.fit.dtype, known)
        seed = seeds.derive("fit", *names, classes, images, k, draw)
        return Posed(problem, chosen, y, seed, samples.named(chosen))
