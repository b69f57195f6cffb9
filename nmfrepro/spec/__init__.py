"""A spec after reading: what is to be run, with every setting resolved."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from ..algorithms import Algorithm
from ..core.errors import NmfreproError, Place
from ..core.options import option
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
    place: Place = field(default=Place(""), compare=False, repr=False)  # where it is written, if it was read
    given: tuple[str, ...] = field(default=(), compare=False, repr=False)  # the parameters written there

    @cached_property
    def settings(self) -> dict[str, Any]:
        """Everything that decides its results: parameters, then the fit settings it uses."""
        fit = asdict(self.fit)
        return self.algorithm.parameters | {name: fit[name] for name in self.algorithm.fit_settings}


@dataclass(frozen=True)
class Head:
    """What keys of a spec say that hold a single value or a list."""

    title: str | None = option(None, help="heading of tables and pages; the file's name where it is left out")
    published: str | None = option(None, help="a table to compare with, see `nmfrepro list published`")
    seed: int = option(low=0, help="names all random streams")
    metrics: tuple[str, ...] | None = option(
        None, help="what tables show, see `nmfrepro list metrics`; the protocol's usual ones where left out"
    )
    keep: tuple[str, ...] = option(
        (), choices=("labels", "trace", "factors"), help="what is stored of every trial besides its row"
    )
    timeout: float | None = option(None, low=0, open_low=True, help="seconds that a single trial may take")
    margin: float = option(
        3.0,
        low=0,
        open_low=True,
        high=100,
        help="points within which `nmfrepro compare` takes a mean for the published one; changes no trial",
    )
    inferred: tuple[str, ...] = option(
        (),
        help="settings whose value was taken because it fits printed numbers: nlcf_g.lam, fit.max_iter, "
        "gnmf.fit.max_iter",
    )


@dataclass(frozen=True, kw_only=True)
class Spec(Head):
    """A whole experiment."""

    name: str  # the results folder's name: the file's stem, with "-smoke" for a smoke run
    path: Path  # the file it was read from; relative paths in it are relative to that file
    title: str
    dataset: DatasetOptions
    protocol: Protocol
    entries: tuple[Entry, ...]  # in the order of the table's columns
    metrics: tuple[str, ...]
    # What `nmfrepro calibrate` tries for settings the paper does not state, by dotted key; a run uses what
    # the spec itself says.
    alternatives: dict[str, tuple[object, ...]] = field(default_factory=dict)
    # Where the protocol's option is written that an error is about; of a spec that was not read, its path.
    places: Callable[[NmfreproError], Place] | None = field(default=None, compare=False, repr=False)
    overrides: tuple[str, ...] = ()  # what ``--set`` put in the place of what the file says, as it was given

    def located(self, error: NmfreproError) -> NmfreproError:
        """The error with the place where what it is about is written."""
        return error.at(self.places(error) if self.places else Place(str(self.path)))
