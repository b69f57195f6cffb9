"""What every protocol declares: where its trials lie, and how one of them is scored."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Self

import numpy as np

from ..algorithms import Algorithm
from ..core.errors import SpecError
from ..core.options import options_of
from ..core.problem import FitSettings
from ..datasets import Expected


@dataclass(frozen=True)
class Samples:
    """The images of a trial's dataset, scaled, as worker processes hold them.

    Attributes
    ----------
    identity : str
        What names the dataset in random streams: the same for every source and size of one dataset.
    X : ndarray, shape (n, m)
        Rows are samples, after the spec's `scale`.
    y : ndarray of int, shape (n,)
        Class codes 0 … c−1.
    image_shape : (rows, columns) or None
    """

    identity: str
    X: np.ndarray
    y: np.ndarray
    image_shape: tuple[int, int] | None

    @property
    def n_classes(self) -> int:
        """Number of distinct classes."""
        return int(self.y.max()) + 1


@dataclass(frozen=True)
class Task:
    """One trial as a protocol sees it: where it lies, and what is to be fitted how."""

    coordinates: Mapping[str, int]
    algorithm: Algorithm
    fit: FitSettings
    seed: int


@dataclass(frozen=True)
class Outcome:
    """What a trial found.

    Attributes
    ----------
    metrics : dict of str to float
        Every metric of the protocol; NaN where it does not apply.
    arrays : dict of str to ndarray
        What `keep` may store: labels, trace, factors.
    kept : dict of str to ndarray
        What is stored whatever `keep` says: results of the protocol that are no single numbers.
    fit_seed : int
        The seed given to `factorize`; with it the fit can be made again alone.
    seconds : dict of str to float
        Where the time went, by phase: fit, read, score.
    """

    metrics: dict[str, float]
    n_iter: int
    objective: float
    converged: bool
    restart: int
    fit_seed: int
    notes: tuple[str, ...] = ()
    arrays: dict[str, np.ndarray] = field(default_factory=dict)
    kept: dict[str, np.ndarray] = field(default_factory=dict)
    seconds: dict[str, float] = field(default_factory=dict)


@dataclass(frozen=True)
class Protocol:
    """A way of running and scoring algorithms on a dataset.

    A subclass is a frozen dataclass whose `option` fields are the keys of a spec's ``protocol``.

    Attributes
    ----------
    kind : str
        The spec's ``protocol.kind``.
    coordinates : tuple of str
        The columns that say where a trial lies, in plan order: ("k", "draw").
    metrics : tuple of str
        Every metric a trial gets, in column order.
    shown : tuple of str
        The metrics of a table unless the spec asks for others.
    outer : tuple of str
        Options that only say which trials there are; they are not part of a trial's key.
    alone : bool
        Whether its trials must not run beside each other, because they are timed.
    """

    kind: ClassVar[str]
    coordinates: ClassVar[tuple[str, ...]]
    metrics: ClassVar[tuple[str, ...]]
    shown: ClassVar[tuple[str, ...]]
    outer: ClassVar[tuple[str, ...]]
    alone: ClassVar[bool] = False

    def check(self, data: Expected, algorithms: Sequence[Algorithm]) -> None:
        """Raise `SpecError` where the protocol cannot be run on such data with these methods.

        What holds for every protocol: methods that treat images as matrices need images.
        """
        for algorithm in algorithms:
            require(
                data.image_shape is not None or not algorithm.needs_image_shape,
                f"{algorithm.name} works on images as matrices, but this data holds vectors without an image "
                "shape; give image_shape and pixel_order if they are images, or remove it from algorithms",
            )

    def cells(self, n_classes: int) -> Iterator[dict[str, int]]:
        """Coordinates of the trials of one algorithm, in plan order."""
        raise NotImplementedError

    def identity(self, algorithm: Algorithm) -> dict[str, Any]:
        """The options that decide the numbers of a trial of that method, for its key."""
        names = [name for name in options_of(type(self)) if name not in self.outer]
        return {"kind": self.kind} | {name: getattr(self, name) for name in names}

    def weight(self, task: Task) -> float:
        """How long a trial takes relative to others, roughly, to start long ones first."""
        return float(task.coordinates.get("k", 1))

    def smoke(self) -> Self:
        """The same protocol shrunk to seconds."""
        return self

    def run(self, task: Task, samples: Samples) -> Outcome:
        """Compute and score one trial."""
        raise NotImplementedError


class Clock:
    """Wall time by phase: ``clock.lap("fit")`` books what has passed since the last lap."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}
        self._last = time.perf_counter()

    def lap(self, phase: str) -> None:
        """Book the time since the last lap under `phase`."""
        now = time.perf_counter()
        self.seconds[phase] = self.seconds.get(phase, 0.0) + now - self._last
        self._last = now


def shrink(protocol: Any, **smaller: Any) -> Any:
    """A copy of a protocol with some options replaced, for `Protocol.smoke`."""
    return replace(protocol, **smaller)


def require(condition: bool, message: str) -> None:
    """Raise `SpecError` with `message` unless `condition` holds."""
    if not condition:
        raise SpecError(message)


def require_side(data: Expected, algorithm: Algorithm, k: int, what: str) -> None:
    """Raise `SpecError` where a method that treats images as matrices is asked for more than their side.

    `what` says where k is written, as "dimensions has".
    """
    assert data.image_shape is not None
    side = min(data.image_shape)
    require(k <= side, f"{what} {k}, but {algorithm.name} has {side} at most: the images' side")
