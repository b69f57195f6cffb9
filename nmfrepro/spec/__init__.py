"""A spec after reading: what is to be run, with every setting resolved."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from ..algorithms import Algorithm
from ..core.problem import FitSettings
from ..datasets import DatasetOptions
from ..protocols import Protocol

# What the name of a run with --smoke ends in.
SMOKE = "-smoke"


@dataclass(frozen=True)
class Entry:
    """One column of the table: a configured method and how it is fitted.

    Attributes
    ----------
    algorithm : Algorithm
    label : str
        The column's name; unique in a spec.
    fit : FitSettings
    sweep : dict of str to object
        The swept parameters this entry is one point of, with their values here; empty without a sweep.
    """

    algorithm: Algorithm
    label: str
    fit: FitSettings
    sweep: dict[str, object]


@dataclass(frozen=True)
class Spec:
    """A whole experiment.

    Attributes
    ----------
    name : str
        The results folder's name: the file's stem, with "-smoke" for a smoke run.
    path : Path
        The file it was read from; relative paths in it are relative to that file.
    title : str
    published : str or None
        The published table to compare with, as "nlcf/table5_orl".
    dataset : DatasetOptions
    protocol : Protocol
    entries : tuple of Entry
        In the order of the table's columns.
    seed : int
    metrics : tuple of str
        What tables show.
    keep : tuple of str
        What is stored besides the row: labels, trace, factors.
    margin : float
        Points within which a reproduced mean counts as the published one.
    timeout : float or None
        Seconds a single trial may take.
    inferred : tuple of str
        Settings found by calibration rather than stated, for the notes.
    alternatives : dict of str to tuple
        What `nmfrepro calibrate` tries for settings the paper does not state, by dotted key; a run uses what
        the spec itself says.
    overrides : tuple of str
        What ``--set`` put in the place of what the file says, as it was given.
    """

    name: str
    path: Path
    title: str
    published: str | None
    dataset: DatasetOptions
    protocol: Protocol
    entries: tuple[Entry, ...]
    seed: int
    metrics: tuple[str, ...]
    keep: tuple[str, ...] = ()
    timeout: float | None = None
    margin: float = 3.0
    inferred: tuple[str, ...] = ()
    alternatives: dict[str, tuple[object, ...]] = field(default_factory=dict)
    overrides: tuple[str, ...] = ()
