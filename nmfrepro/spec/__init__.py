"""A spec after reading: what is to be run, with every setting resolved."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from ..algorithms import Algorithm
from ..core.errors import NmfreproError, Place
from ..core.problem import FitSettings
from ..datasets import DatasetOptions
from ..protocols import Protocol

# What the name of a run with --smoke ends in.
SMOKE = "-smoke"


@dataclass(frozen=True)
class Entry:
    """One column of the table: a configured method and how it is fitted."""

    algorithm: Algorithm
    label: str  # the column's name; unique in a spec
    fit: FitSettings
    # The swept parameters this entry is one point of, with their values here; empty without a sweep.
    sweep: dict[str, object]


@dataclass(frozen=True)
class Spec:
    """A whole experiment."""

    name: str  # the results folder's name: the file's stem, with "-smoke" for a smoke run
    path: Path  # the file it was read from; relative paths in it are relative to that file
    title: str
    published: str | None  # the published table to compare with, as "nlcf/table5_orl"
    dataset: DatasetOptions
    protocol: Protocol
    entries: tuple[Entry, ...]  # in the order of the table's columns
    seed: int
    metrics: tuple[str, ...]  # what tables show
    keep: tuple[str, ...] = ()  # what is stored besides the row: labels, trace, factors
    timeout: float | None = None  # seconds a single trial may take
    margin: float = 3.0  # points within which a reproduced mean counts as the published one
    inferred: tuple[str, ...] = ()  # settings found by calibration rather than stated, for the notes
    # What `nmfrepro calibrate` tries for settings the paper does not state, by dotted key; a run uses what
    # the spec itself says.
    alternatives: dict[str, tuple[object, ...]] = field(default_factory=dict)
    # Where the protocol's option is written that an error is about; of a spec that was not read, its path.
    places: Callable[[NmfreproError], Place] | None = field(default=None, compare=False, repr=False)
    overrides: tuple[str, ...] = ()  # what ``--set`` put in the place of what the file says, as it was given

    def located(self, error: NmfreproError) -> NmfreproError:
        """The error with the place where what it is about is written."""
        return error.at(self.places(error) if self.places else Place(str(self.path)))
