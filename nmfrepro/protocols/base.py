"""What every protocol declares: where its trials lie, and how one of them is scored."""

from __future__ import annotations

import time
import typing
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, ClassVar, Self

import numpy as np

from ..algorithms import Algorithm
from ..core.errors import Part, Setting, SpecError, suggest
from ..core.options import key_values, options_of
from ..core.problem import Fit, FitSettings, Problem, read_only
from ..datasets import Expected
from ..datasets.base import same_images
from ..factorization import make_problem
from ..metrics import Metric
from ..registry.plugins import source_hash


class Beside(typing.Protocol):
    """What a protocol reads from files besides the images, published splits say."""

    @property
    def identity(self) -> Mapping[str, Any]:
        """What of it decides the numbers of trials, for their keys."""


@dataclass(frozen=True)
class Samples:
    """The images of a trial's dataset, scaled, as worker processes hold them.

    Attributes
    ----------
    identity : str
        What names the dataset in random streams (`Dataset.drawn_as`).
    X : ndarray, shape (n, m)
        Rows are samples, after the spec's `scale`; read-only, as y.
    y : ndarray of int, shape (n,)
        Class codes 0 … c−1.
    image_shape : (rows, columns) or None
    classes : tuple of int or str
        The original label of each code.
    beside : Beside or None
        What the protocol's `ready` has read.
    """

    identity: str
    X: np.ndarray
    y: np.ndarray
    image_shape: tuple[int, int] | None
    classes: tuple[int | str, ...] = ()
    beside: Beside | None = None

    def __post_init__(self) -> None:
        # Trials share them: what one wrote to its images would change those after it.
        for name in ("X", "y"):
            object.__setattr__(self, name, read_only(getattr(self, name)))

    def __setstate__(self, state: dict[str, Any]) -> None:
        # Arrays arrive in a worker writable.
        self.__dict__.update(state)
        self.__post_init__()

    @property
    def content_beside(self) -> Mapping[str, Any]:
        """What of `beside` decides the numbers of trials; nothing where nothing was read."""
        return self.beside.identity if self.beside else {}

    @property
    def n_classes(self) -> int:
        """Number of distinct classes."""
        return int(self.y.max()) + 1

    @cached_property
    def first(self) -> np.ndarray:
        """For each image the first one with the same values, shape (n,)."""
        return same_images(self.X)

    def problem(self, chosen: np.ndarray, k: int, dtype: str, labels: np.ndarray | None = None) -> Problem:
        """The images with these indices, to be factorized with k basis vectors; see `make_problem`."""
        X = self.X[chosen].T
        return make_problem(X, k, labels=labels, image_shape=self.image_shape, dtype=dtype)

    def named(self, chosen: np.ndarray) -> str:
        """The classes of the images with these indices, for a row of results: "2; 5; 7", or "all"."""
        codes = np.unique(self.y[chosen])
        names = self.classes or tuple(range(self.n_classes))
        return "all" if len(codes) == self.n_classes else "; ".join(str(names[code]) for code in codes)


@dataclass(frozen=True)
class Task:
    """A trial to be done: where it lies, and what is to be fitted how."""

    coordinates: Mapping[str, int]
    algorithm: Algorithm
    fit: FitSettings
    seed: int
    # Of no concern to a protocol.  The key is 16 hexadecimal digits; the same work has the same one wherever
    # and in whatever order it runs.  The label is that of its column in the table.
    key: str = ""
    label: str = ""


@dataclass(frozen=True)
class Outcome:
    """What a trial found.

    Attributes
    ----------
    fit : Fit
        The fit that was kept.
    fit_seed : int
        The seed given to `factorize`; with it the fit can be made again alone.
    samples : ndarray of int, shape (n,)
        Indices in the dataset of the images that were factorized.
    metrics : dict of str to float
        Every metric of the protocol; NaN where it does not apply.
    notes : sequence of str
        What a reader must know besides the fit's own notes.
    labels : ndarray of int, shape (n,), or None
        The clusters that were scored, where there are any.
    kept : dict of str to ndarray
        What is stored whatever `keep` says: results of the protocol that are no single numbers.
    seconds : dict of str to float
        Where the time went, by phase: draw, fit, read and score are stored, others seen in profiles alone.
    classes : str
        The classes whose images the trial saw, as `Samples.named` writes them.
    """

    fit: Fit
    fit_seed: int
    samples: np.ndarray
    metrics: dict[str, float]
    notes: Sequence[str] = ()
    labels: np.ndarray | None = None
    kept: dict[str, np.ndarray] = field(default_factory=dict)
    seconds: dict[str, float] = field(default_factory=dict)
    classes: str = "all"

    @property
    def objective(self) -> float:
        """The last value of the fit's objective; NaN where it has none."""
        return float(self.fit.objective[-1]) if len(self.fit.objective) else float("nan")

    @property
    def arrays(self) -> dict[str, np.ndarray]:
        """What `keep` may store: images, trace, factors and labels."""
        labels = {} if self.labels is None else {"labels": self.labels}
        return {"samples": self.samples, "trace": self.fit.objective} | self.fit.factors | labels


@dataclass(frozen=True)
class Protocol:
    """A way of running and scoring algorithms on a dataset.

    A subclass is a frozen dataclass whose `option` fields are the keys of a spec's ``protocol``.

    Attributes
    ----------
    kind : str
        The spec's ``protocol.kind``.
    coordinates : tuple of str
        The columns that say where a trial lies, in plan order: ("k", "draw").  A cell of a table averages
        over the last that is not `chosen`.
    metrics : mapping of str to Metric
        Every metric a trial gets, in column order, with what it is.
    times : mapping of str to Metric
        What the phase "fit" of a trial's times is shown as; it stands with these, not in the rows.
    shown : tuple of str
        The metrics of a table unless the spec asks for others.
    outer : tuple of str
        Options that only say which trials there are; they are not part of a trial's key.
    drawn : tuple of str
        Options that decide which images a draw sees.
    paths : tuple of str
        Options that are paths, relative to the spec.
    alone : bool
        Whether its trials must not run beside each other, because they are timed.
    chosen : str or None
        The coordinate of which a table shows the best value, in brackets, with the methods as rows.
    chosen_noun : str
        What such a value is called in notes; the name of the coordinate where this is empty.
    stores : bool
        Whether every trial has arrays that are stored whatever `keep` says.
    repeat : str
        What the repeats behind a cell of a table are called; the name of their coordinate where empty.
    averaged : bool
        Whether a table has a row of averages.
    reads_encodings : bool
        Whether clusters are read from the encodings, whose scale then matters.
    axes : mapping of str to str
        What coordinates are called on the axes of pictures, where not by their names, and metrics, where not
        by their titles.
    pictures : tuple of str
        The kinds of pictures its results have: modules of `nmfrepro.views.plots`.
    """

    kind: ClassVar[str]
    coordinates: ClassVar[tuple[str, ...]]
    metrics: ClassVar[Mapping[str, Metric]]
    times: ClassVar[Mapping[str, Metric]] = {}
    shown: ClassVar[tuple[str, ...]]
    outer: ClassVar[tuple[str, ...]]
    drawn: ClassVar[tuple[str, ...]] = ()
    paths: ClassVar[tuple[str, ...]] = ()
    alone: ClassVar[bool] = False
    chosen: ClassVar[str | None] = None
    chosen_noun: ClassVar[str] = ""
    stores: ClassVar[bool] = False
    repeat: ClassVar[str] = ""
    averaged: ClassVar[bool] = False
    reads_encodings: ClassVar[bool] = False
    axes: ClassVar[Mapping[str, str]] = {"k": "Rank k", "draw": "Draw"}
    pictures: ClassVar[tuple[str, ...]] = ("sweeps", "curves", "ranks")

    def __init_subclass__(cls, **arguments: Any) -> None:
        super().__init_subclass__(**arguments)
        if "kind" not in vars(cls):  # for others to derive from
            return
        names = ("coordinates", "shown", "outer")
        lacking = [
            f"{name} (a tuple of names)" for name in names if type(getattr(cls, name, None)) is not tuple
        ]
        if not isinstance(getattr(cls, "metrics", None), Mapping):
            lacking.append("metrics (each a Metric by its name)")
        lacking += [f"{name}()" for name in ("cells", "run") if getattr(cls, name) is getattr(Protocol, name)]
        if lacking:
            raise SpecError(f"{cls.__name__}: a protocol needs {', '.join(lacking)}; write them in the class")
        measured = cls.measures()
        if loose := [name for name, each in measured.items() if not isinstance(each, Metric)]:
            how = 'write Metric("Title", "what it is")'
            raise SpecError(f"{cls.__name__}: {', '.join(loose)} among its metrics is no Metric; {how}")
        if strange := [name for name in cls.shown if name not in measured]:
            raise SpecError(
                f"{cls.__name__}: shown names {', '.join(strange)}; {suggest(strange[0], measured)}"
            )

    @property
    def usual_metrics(self) -> tuple[str, ...]:
        """The metrics of a table where the spec names none."""
        return self.shown

    @classmethod
    def measures(cls) -> dict[str, Metric]:
        """Whatever a table can show: the metrics, and what is measured as times."""
        return {**cls.metrics, **cls.times}

    def require_each_once(self, *names: str) -> None:
        """Raise `SpecError` unless these options, where given, list at least one value and none twice."""
        for name in names:
            if (values := getattr(self, name)) is not None:
                require(len(values) > 0, Setting(name), " must name at least one")
                often, count = Counter(values).most_common(1)[0]
                require(count == 1, Setting(name), f" names {often} twice")

    def check_data(self, data: Expected) -> None:
        """Raise `SpecError` where the protocol cannot be run on such data, whatever the methods."""

    def check(self, data: Expected, algorithms: Sequence[Algorithm]) -> None:
        """Raise `SpecError` where the protocol cannot be run on such data with these methods.

        What holds for every protocol: methods that treat images as matrices need images, and cells of tables
        something to average over.
        """
        averaged = f"protocol {self.kind} has no coordinate to average over: add one that is not chosen"
        require(len({*self.coordinates} - {self.chosen}) > 0, averaged)
        self.check_data(data)
        why = "works on images as matrices, but this data holds vectors without an image shape; give "
        both = (Setting("image_shape"), " and ", Setting("pixel_order"))
        remedy = (*both, " if they are images, or remove it from algorithms")
        for algorithm in algorithms:
            possible = data.image_shape is not None or not algorithm.needs_image_shape
            option = f"algorithms.{algorithm.name}"
            require(possible, f"{algorithm.name} {why}", *remedy, option=option)

    def check_fit(self, algorithm: Algorithm, settings: FitSettings) -> None:
        """Raise `SpecError` where a method cannot be run with such settings; by default it can."""

    def ready(self, samples: Samples) -> Samples:
        """The samples with all that the protocol reads beside them, checked against them.

        Raises
        ------
        SpecError, DataError
            If something is not there or does not fit the data.
        """
        return samples

    def cells(self, n_classes: int) -> Iterator[dict[str, int]]:
        """Coordinates of the trials of one algorithm, in plan order."""
        raise NotImplementedError

    def identity(self, algorithm: Algorithm) -> dict[str, Any]:
        """The options that decide the numbers of a trial of that method, for its key."""
        names = [name for name in options_of(type(self)) if name not in self.outer]
        return {"kind": self.kind} | {name: getattr(self, name) for name in names}

    @property
    def added(self) -> tuple[str, ...]:
        """The options besides `outer` that a user's class adds to the one of nmfrepro that it derives from.

        The `identity` and the `notes` of that one know nothing of them.
        """
        lineage = (each for each in type(self).__mro__ if issubclass(each, Protocol))
        ours = next(each for each in lineage if source_hash(each.__module__) is None)
        known = {*options_of(ours), *self.outer}
        return tuple(name for name in options_of(type(self)) if name not in known)

    def deciding(self, algorithm: Algorithm) -> dict[str, Any]:
        """`identity`, and the options `added`."""
        return key_values(self, self.added) | self.identity(algorithm)

    def weight(self, task: Task) -> float:
        """How long a trial takes relative to others, roughly, to start long ones first."""
        return float(task.coordinates.get("k", 1))

    def as_printed(self) -> Self:
        """The protocol with those trials alone that a table shows."""
        return self

    def smoke(self) -> Self:
        """The same protocol shrunk to seconds."""
        return self

    def run(self, task: Task, samples: Samples) -> Outcome:
        """Compute and score one trial."""
        raise NotImplementedError

    def row_name(self, at: Mapping[str, int]) -> str:
        """Where trials lie, in words, for `at` some of their coordinates: "k = 8, images = 5"."""
        return ", ".join(f"{name} = {value}" for name, value in at.items())

    def whole_classes(self, at: Mapping[str, int], class_sizes: Sequence[int]) -> bool:
        """Whether trials `at` these coordinates see all images of the classes that they draw."""
        return True

    @property
    def repeated(self) -> str:
        """What a cell of a table averages over, in words."""
        return "repeats"

    def in_common(self, at: Mapping[str, int], n_samples: int, n_classes: int) -> float:
        """What share of the data two draws have in common, in the trials `at` the coordinates of a row.

        Tests take it for the correlation of differences between methods.  Draws that are all of the same
        data, 1, tell nothing of other data.
        """
        return 1.0

    @property
    def fit_phase(self) -> str:
        """What the phase "fit" of a trial's times is of, in words."""
        return "one fit"

    def chooses(self, method: str, parameters: Collection[str]) -> Mapping[str, bool]:
        """Parameters of a method that every trial chooses: by name, whether it begins at the spec's value.

        Where it does not, that value is used for nothing.
        """
        return {}

    def axis(self, coordinate: str) -> str:
        """What a coordinate is, for the axis of a picture."""
        return self.axes.get(coordinate, coordinate)

    @property
    def reading_note(self) -> str:
        """Note under a table of methods without labels of their own: how encodings are read; empty: not."""
        return ""

    def notes(self) -> Iterator[str]:
        """Notes under a table: how trials were made and scored.  The options `added` are named besides."""
        yield from ()

    def notes_on(self, class_sizes: Sequence[int]) -> Iterator[str]:
        """Further ones that depend on how many images the classes have."""
        yield from ()


class Clock:
    """Processor seconds by phase: ``clock.lap("fit")`` books what was spent since the last lap.

    What else runs on the machine, and a pause, hardly matter to them.
    """

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}
        self._last = time.process_time()

    def lap(self, phase: str) -> None:
        """Book the time under `phase`."""
        now = time.process_time()
        self.seconds[phase] = self.seconds.get(phase, 0.0) + now - self._last
        self._last = now


# The note under a table of a protocol whose option `square` is on.
SQUARE = "Vector methods have k² basis vectors where image methods have cores of k x k."


def components(algorithm: Algorithm, k: int, square: bool) -> int:
    """Basis vectors of a method where k is asked for: with `square` k² of vector methods."""
    return k * k if square and not algorithm.needs_image_shape else k


def require(condition: bool, *what: Part, option: str | None = None) -> None:
    """Raise `SpecError` unless `condition` holds; `what` and `option` are the error's."""
    if not condition:
        raise SpecError(*what, option=option)


def require_side(data: Expected, algorithm: Algorithm, k: int, *what: Part) -> None:
    """Raise `SpecError` where a method that treats images as matrices cannot have so many basis vectors.

    `what` says where k is written: the setting, and " has".
    """
    assert data.image_shape is not None
    most = algorithm.most_vectors(data.image_shape)
    require(
        most is None or k <= most, *what, f" {k}, but {algorithm.name} has {most} at most: the images' side"
    )
    algorithm.check_shape(k, data.image_shape)
