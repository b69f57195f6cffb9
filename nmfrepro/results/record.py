"""What is written down of a run, its columns and its trials: one frozen type each, read everywhere.

``run.json`` is a `RunRecord`, a line of ``trials.csv`` a `TrialRecord` with its `Times`.  The types of the
fields are the description of the files: `nmfrepro.core.typed` checks them.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from typing import Any, ClassVar, Self

from .. import protocols
from ..core.errors import SpecError
from ..core.typed import fields_to_json, to_json
from ..datasets import DatasetOptions
from ..protocols import Protocol
from ..registry.plugins import Plugin
from ..spec import SMOKE
from .lines import cell_text
from .times import Row, Times, plain_fields, read_cell


@dataclass(frozen=True)
class FitRecord:
    """How a column was fitted, the options of `FitSettings`; None for what its method does not use."""

    closed: ClassVar[bool] = True  # what was left out would be computed again with its default
    restarts: int | None = None
    max_iter: int | None = None
    tol: float | None = None
    order: str | None = None
    inner: str | Mapping[str, int] | None = None
    dtype: str | None = None
    solver: str | None = None
    trace_every: int | None = None

    def to_json(self) -> dict[str, Any]:
        """What is used; that `inner` is null is said where it could have been something else."""
        inner = ["inner"] if self.restarts is not None and self.order is not None else []
        content = fields_to_json(self)
        return {name: each for name, each in content.items() if each is not None or name in inner}


@dataclass(frozen=True, kw_only=True)
class ColumnRecord:
    """A column of the table: a method with its parameters, and how it was fitted."""

    # label, algorithm: its heading, unique in a run, and the method's name.
    label: str
    algorithm: str
    revision: int | None = None  # of the method
    parameters: Mapping[str, Any]
    fit: FitRecord
    # The swept parameters with their values here; empty without a sweep.
    sweep: Mapping[str, Any] = field(default_factory=dict)
    # How encodings are read, where the class of a plug-in's method says so and no option: "unit" or "none".
    normalize: str | None = None

    def to_json(self) -> dict[str, Any]:
        """As a spec lists it, without what is not known."""
        return {name: each for name, each in fields_to_json(self).items() if each is not None}

    @property
    def settings(self) -> dict[str, Any]:
        """Its parameters and the fit settings that its method uses; k-means has restarts of its own."""
        return {**self.parameters, **self.fit.to_json()}

    def differences(self, other: ColumnRecord) -> Iterator[tuple[str, Any, Any]]:
        """What decides the numbers of its trials and is otherwise in another: a name, and both values."""
        mine, theirs = ({"revision": each.revision, **each.settings} for each in (self, other))
        for name in dict.fromkeys((*mine, *theirs)):
            if mine.get(name) != theirs.get(name):
                yield name, mine.get(name), theirs.get(name)


@dataclass(frozen=True)
class SpecRecord:
    """A spec with every setting written out; see `nmfrepro.spec.Spec`."""

    name: str
    title: str
    published: str | None = None  # the published table to compare with
    dataset: DatasetOptions = field(default_factory=DatasetOptions)
    protocol: Mapping[str, Any] = field(default_factory=dict)  # see `RunRecord.protocol`
    algorithms: tuple[ColumnRecord, ...] = ()
    seed: int | None = None
    metrics: tuple[str, ...] = ()
    keep: tuple[str, ...] = ()
    timeout: float | None = None
    margin: float | None = None
    inferred: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if self.margin is not None and not 0 < self.margin <= 100:
            raise ValueError("margin is not between 0 and 100")


@dataclass(frozen=True)
class DatasetRecord:
    """The data of a run: what it is, from where, and its hash."""

    name: str
    origin: str
    sha256: str
    n: int
    m: int
    classes: int
    source: str | None = None
    file_sha256: str | None = None
    class_sizes: tuple[int, ...] = ()
    image_shape: tuple[int, ...] | None = None
    credit: str = ""
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class EnvironmentRecord:
    """With what results were made: everything of the machine and installation that may change a digit."""

    nmfrepro: str | None = None
    commit: str | None = None
    python: str | None = None
    packages: Mapping[str, str] = field(default_factory=dict)
    plugins: tuple[Plugin, ...] = ()
    platform: str | None = None
    processor: str | None = None
    blas: tuple[Mapping[str, Any], ...] = ()
    threads: int | None = None

    @property
    def version(self) -> str:
        """What rows name: "0.1.0+ab0814d2ac51", without a commit "0.1.0"."""
        return "+".join(filter(None, (self.nmfrepro, self.commit)))


@dataclass(frozen=True)
class StoredRecord:
    """Rows of a folder that were not computed for it but taken from stored results."""

    origin: str  # "reference orl_nlcf", or a folder's name
    environments: tuple[EnvironmentRecord, ...]  # with what they were made
    trials: tuple[str, ...]  # their keys

    @property
    def made(self) -> str:
        """Where they come from and what made them, in a clause."""
        found = []
        for each in self.environments:
            commit = f" ({each.commit})" if each.commit else ""
            found.append(f"nmfrepro {each.nmfrepro}{commit}, {each.processor or 'an unknown processor'}")
        return f"from {self.origin}, made by {' and '.join(dict.fromkeys(found))}"

    def among(self, keys: Collection[str]) -> StoredRecord:
        """The same of those of its rows alone that have one of some keys."""
        return replace(self, trials=tuple(key for key in self.trials if key in keys))


@dataclass(frozen=True)
class RunRecord:
    """A run: enough to trace every number, and to make tables without the spec."""

    schema: int  # version of the format
    kind: str
    coordinates: tuple[str, ...]
    spec: SpecRecord
    dataset: DatasetRecord
    environment: EnvironmentRecord
    cells: tuple[Mapping[str, int], ...]  # coordinates of the plan's cells, in order
    trials: tuple[str, ...]  # keys of the planned trials: cell by cell, in each the columns in their order
    overrides: tuple[str, ...] = ()  # what ``--set`` replaced
    # What the protocol read beside the data, by content: {"splits": their SHA-256}.
    beside: Mapping[str, Any] = field(default_factory=dict)
    # Others, in which rows of the folder were made before.
    earlier_environments: tuple[EnvironmentRecord, ...] = ()
    stored: tuple[StoredRecord, ...] = ()  # rows that were made elsewhere and taken by ``--against``
    # Rows that were there when there was no run.json, which nothing vouches for.
    unknown: tuple[str, ...] = ()
    # What the rows said when this was written, by key: the `TrialRecord.digests` of each, joined.  A row that
    # was edited since is known by it; one not in it was added by a run that did not come to its end.
    rows: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        name = self.spec.name
        if not name.isprintable() or {"/", "\\"} & {*name}:  # pages and macros are called by it
            raise ValueError(f"{name!r} is no name of a run")
        if not len(self.trials) == len(self.cells) * len(self.columns) > 0:
            raise ValueError("trials are not as many as cells times columns")
        if len(set(self.trials)) < len(self.trials):
            raise ValueError("a trial is planned twice")
        if len({column.label for column in self.columns}) < len(self.columns):
            raise ValueError("two columns have one label")
        own = set(self.coordinates)  # the protocol's options are checked with it
        if len(own) < len(self.coordinates) or own <= {self.protocol.chosen}:
            raise ValueError("coordinates are doubled, or there is none to average over")
        if any(cell.keys() != own for cell in self.cells) or not self.spec.metrics:
            raise ValueError("cells lack coordinates, or there are no metrics")

    def to_json(self) -> dict[str, Any]:
        """What ``run.json`` holds; earlier versions look for what a table needs outside the spec."""
        spec, seldom = self.spec, ("beside", "earlier_environments", "stored", "unknown")
        first = {
            "schema": self.schema,
            "name": spec.name,
            "title": spec.title,
            "published": spec.published,
            "kind": self.kind,
            "coordinates": self.coordinates,
            "metrics": spec.metrics,
            "columns": [replace(column, revision=None) for column in self.columns],
        }
        content = to_json(first) | fields_to_json(self)
        return {name: each for name, each in content.items() if each or name not in seldom}

    @property
    def columns(self) -> tuple[ColumnRecord, ...]:
        """The columns of its table."""
        return self.spec.algorithms

    @property
    def row_columns(self) -> tuple[str, ...]:
        """The columns of its ``trials.csv``: the fields of a `TrialRecord`, two of which have several."""
        shown = (name for name in self.spec.metrics if name not in protocols.of_times())
        metrics = tuple(dict.fromkeys((*self.protocol.metrics, *shown)))
        several = {"coordinates": self.coordinates, "metrics": metrics, "times": (), "arrays": ()}
        return tuple(name for each in fields(TrialRecord) for name in several.get(each.name, (each.name,)))

    @cached_property
    def plan(self) -> Mapping[str, TrialRecord]:
        """Every planned trial by its key, as one that has not been run."""
        places = ((cell, column) for cell in self.cells for column in self.columns)
        return {
            key: TrialRecord(
                key=key,
                coordinates=cell,
                algorithm=column.algorithm,
                label=column.label,
                seed=self.spec.seed,
                status="missing",
            )
            for key, (cell, column) in zip(self.trials, places, strict=True)
        }

    @cached_property
    def digests(self) -> Mapping[str, tuple[str, str]]:
        """The `TrialRecord.digests` that every row had when this was written, by key."""
        return {key: (joined[:8], joined[8:]) for key, joined in self.rows.items()}

    @property
    def environments(self) -> tuple[EnvironmentRecord, ...]:
        """All in which rows may have been made, the last first."""
        return (self.environment, *self.earlier_environments)

    def made_in(self, *environments: EnvironmentRecord) -> RunRecord:
        """As one whose rows may have been made in these environments, the last first; each is named once."""
        last, *earlier = (each for n, each in enumerate(environments) if each not in environments[:n])
        return replace(self, environment=last, earlier_environments=tuple(earlier))

    @property
    def plugins(self) -> tuple[Plugin, ...]:
        """Those with which rows may have been made; of several of one name the last."""
        every = (*self.earlier_environments, self.environment)
        return tuple({plugin.name: plugin for each in every for plugin in each.plugins}.values())

    def column(self, label: str) -> ColumnRecord:
        """The column with that heading."""
        return next(column for column in self.columns if column.label == label)

    @property
    def names(self) -> frozenset[str]:
        """The methods, the protocol and the dataset, any of which may be a plug-in's."""
        return frozenset((*(column.algorithm for column in self.columns), self.kind, self.dataset.name))

    @property
    def smoke(self) -> bool:
        """Whether everything was shrunk, so that the numbers reproduce nothing."""
        return self.spec.name.endswith(SMOKE)

    @cached_property
    def protocol(self) -> Protocol:
        """The protocol with its options; where that is a plug-in's not in use, one that says so."""
        try:
            return protocols.recorded(self.kind, self.spec.protocol)
        except SpecError as error:
            raise ValueError(str(error)) from None


@dataclass(frozen=True, kw_only=True)
class TrialRecord:
    """A trial: what was to be done, and what came of it, in the order of the columns of ``trials.csv``."""

    key: str  # 16 hexadecimal digits for everything that decides its numbers
    coordinates: Mapping[str, int]  # where it lies
    # algorithm, label: the method and the column.
    algorithm: str
    label: str
    parameters: str = ""  # of the method, as JSON
    # seed, fit_seed: of the spec, and of this fit.
    seed: int | None = None
    fit_seed: int | None = None
    status: str  # {"ok", "failed", "missing"}
    error: str = ""  # why it failed
    # n_iter, restart: iterations, and the random start that was kept.
    n_iter: int | None = None
    converged: bool | None = None
    restart: int | None = None
    objective: float | None = None
    notes: str = ""  # divided by "; ", which no note has within
    # Those whose images it saw, divided by "; ", or "all"; empty in rows of versions that did not say so.
    classes: str = ""
    # As fractions; what does not apply is not there.
    metrics: Mapping[str, float] = field(default_factory=dict)
    version: str = ""  # of nmfrepro, with the commit; earlier rows do not name it
    times: Times = field(default_factory=Times)
    # Those to be stored, as the bytes of an .npz file: on the way from where it was run to the results.
    arrays: bytes | None = field(default=None, repr=False)

    @classmethod
    def from_row(cls, row: Row, where: Collection[str] = ()) -> Self:
        """From the cells of a line of ``trials.csv``, by column.

        Columns that are no fields are coordinates or metrics: `where` names the coordinates.  Where it is
        empty (rows of another spec's), they are those with whole numbers that no protocol has as a metric.

        Raises
        ------
        ValueError
            If no run wrote such a line; the message says what is wrong with it.
        """
        given = {name: read_cell(row, name, kind) for name, kind in FIELDS.items()}
        ok = row["status"] == "ok"
        if row["status"] not in ("ok", "failed") or ok != (given["error"] == ""):
            raise ValueError("status and error do not go together")
        if ok and (given["n_iter"] is None or given["converged"] is None):
            raise ValueError("n_iter or converged is empty")
        coordinates, metrics, known = {}, {}, protocols.metrics()
        for name in row:
            if name in FIELDS or (value := read_cell(row, name)) is None:
                continue
            if name in known and not known[name].holds(value):
                raise ValueError(f"{name} is {row[name]}, and must be {known[name].allowed}")
            if row[name].lstrip("-").isdigit() and (name in where if where else name not in known):
                coordinates[name] = int(row[name])
            else:
                metrics[name] = value
        return cls(**given, coordinates=coordinates, metrics=metrics)

    def to_row(self) -> dict[str, str]:
        """Its cells by column, cleaned of what would break a line; empty cells are left out."""
        own = {name: getattr(self, name) for name in FIELDS}
        cells = {**own, **self.coordinates, **self.metrics}
        return {name: _text(value) for name, value in cells.items() if value is not None and value != ""}

    def cell(self, name: str) -> str | int | float | None:
        """What it has in a column of ``trials.csv``."""
        if name not in FIELDS:
            return self.coordinates.get(name, self.metrics.get(name))
        value = getattr(self, name)
        return int(value) if isinstance(value, bool) else value

    @property
    def ok(self) -> bool:
        """Whether there is a result."""
        return self.status == "ok"

    @property
    def failed(self) -> bool:
        """Whether it was run in vain."""
        return self.status == "failed"

    def value(self, metric: str) -> float:
        """A metric as stored; NaN where there is no result or it does not apply."""
        return self.metrics.get(metric, math.nan) if self.ok else math.nan

    def differences(self, other: TrialRecord) -> dict[str, tuple[str, str]]:
        """Where two records of a trial differ, both texts by column; label and version do not count."""
        mine, theirs = self.to_row(), other.to_row()
        names = [name for name in mine | theirs if name not in ("label", "version")]
        both = {name: (mine.get(name, ""), theirs.get(name, "")) for name in names}
        return {name: texts for name, texts in both.items() if texts[0] != texts[1]}

    @property
    def digests(self) -> tuple[str, str]:
        """A hash of all it says but how its column is called, and one of its times."""
        return digest(self.to_row(), "label")[:8], digest(self.times.to_row())[:8]


def digest(content: Mapping[str, Any], *besides: str) -> str:
    """16 hexadecimal digits for all that a mapping says but what is named; empty texts left out."""
    said = {name: value for name, value in content.items() if name not in besides and value != ""}
    return hashlib.sha256(json.dumps(said, sort_keys=True).encode()).hexdigest()[:16]


FIELDS = plain_fields(TrialRecord)
"""The columns of ``trials.csv`` that every protocol has, with their types; others are numbers."""
# Those that rows of earlier versions lack, and those that rows of all versions have.
LATER = ("classes", "version")
REQUIRED = tuple(name for name in FIELDS if name not in LATER)


def _text(value: str | int | float) -> str:
    """Shortest text that reads back as the same value."""
    if isinstance(value, str):
        return cell_text(value)
    return str(int(value) if isinstance(value, int) else float(value))
