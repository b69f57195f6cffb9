"""A results folder as it is read: `Results`, with the planned trials and what came of each.

A folder holds ``trials.csv`` (one line per trial, no times), ``timings.csv``, ``run.json`` (what the present
spec asks for) and ``arrays/``.  A run appends whole lines and, at its end, rewrites the rows in plan order,
so that the file is the same however it came about.  Then ``run.json`` gets a digest of every row with its
times and arrays.  Rows without a digest, which a killed run leaves, are taken as they are; the next run that
ends gives them one.
Commands that only read work in a read-only folder and beside a run that is still going on.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from .. import protocols
from ..core import files
from ..core.errors import ResultsError
from ..core.typed import from_json
from .arrays import array_path, load_arrays
from .lines import lost_columns, malformed, read_rows
from .record import FIELDS, REQUIRED, RunRecord, TrialRecord, digest
from .times import TIMES, Times

if TYPE_CHECKING:
    import pandas as pd

T = TypeVar("T")
# 2: digests of all rows in run.json instead of one in every line of timings.csv.
SCHEMA = 2


class NewerError(ResultsError):
    """Results of a later version than this one."""


@dataclass(frozen=True)
class Trials:
    """The rows of a folder, of whatever spec, each trial once."""

    header: tuple[str, ...]
    # A trial that is there twice counts once: the row that is ok, else the last attempt.
    by_key: dict[str, TrialRecord]
    torn: bool  # whether a half-written last row was left out
    lines: dict[str, int]  # the line of each row, counted from 1
    edited: dict[str, ResultsError] = field(default_factory=dict)  # what to say of rows that were edited


def read_trials(folder: Path, run: RunRecord | None = None) -> Trials:
    """The rows in a folder with their times; none where nothing was run yet.

    Without its `run`, whether they were edited is not looked at.

    Raises
    ------
    ResultsError
        At the first line that is malformed or edited, contradicts the run, or another result of its trial.
    """
    trials = read_edited(folder, run)
    for error in trials.edited.values():
        raise error
    if run is not None:
        _check_planned(folder / "trials.csv", trials, run)
    return trials


def read_edited(folder: Path, run: RunRecord | None) -> Trials:
    """As `read_trials`, but rows that were edited or contradict the run are read as they are."""
    path = folder / "trials.csv"
    plan, digests = (run.plan, run.digests) if run else ({}, {})
    coordinates, usual = (run.coordinates, run.row_columns) if run else ((), ())
    found = read_rows(path, REQUIRED, usual)
    planned = any(cells["key"] in plan for cells in found.rows.values())
    # Where a line is not as it was written and columns are missing, that is why.
    lost = lost_columns(path, found.header, usual) if planned else None
    rows: dict[str, TrialRecord] = {}
    lines: dict[str, int] = {}
    for number, cells in found.rows.items():
        try:
            trial = TrialRecord.from_row(cells, coordinates if cells["key"] in plan else ())
        except ValueError as error:
            raise lost or malformed(path, number, str(error)) from None
        key, known = trial.key, rows.get(trial.key)
        if known is None or not known.ok:
            rows[key], lines[key] = trial, number
        elif trial.ok:
            _check_same(path, lines[key], known, number, trial)
    (attempts, lost_times), edited = _read_times(folder), dict[str, ResultsError]()
    for key, trial in rows.items():
        tried, written = attempts.get(key, {}), digests.get(key)
        timed = [replace(trial, times=times) for times in tried.values()]
        # Of several attempts the times are those with which the row was written, else the last.
        same = [each for each in timed if not written or each.digests[1] == written[1]]
        rows[key] = (same or timed or [trial])[-1]
        if written and trial.digests[0] != written[0]:
            why = "not as it was written, by its digest in run.json"
            edited[key] = malformed(path, lines[key], why)
        elif timed and not same:
            why = "times are not as they were written, by their digest in run.json"
            edited[key] = _malformed_times(folder, max(tried), why)
    if edited and (lost := lost or lost_times):
        raise lost
    return Trials(found.header, rows, found.torn, lines, edited)


def _check_same(path: Path, line: int, first: TrialRecord, again: int, second: TrialRecord) -> None:
    """Raise `ResultsError` where two lines are different results of one trial."""
    for name, (one, other) in first.differences(second).items():
        raise ResultsError(
            f"{path}: lines {line} and {again} are results of one trial, {first.key}, but {name} is "
            f"{one or 'empty'} and {other or 'empty'}; remove the wrong line, or both, and the trial "
            "will be run again"
        )


def _read_times(folder: Path) -> tuple[dict[str, dict[int, Times]], ResultsError | None]:
    """The times of every attempt by key and line, and what to say where columns are missing."""
    path, found = folder / "timings.csv", dict[str, dict[int, Times]]()
    read = read_rows(path, usual=TIMES)
    for number, cells in read.rows.items():
        try:
            times = Times.from_row(cells)
        except ValueError as error:
            raise _malformed_times(folder, number, str(error)) from None
        found.setdefault(times.key, {})[number] = times
    return found, lost_columns(path, read.header, TIMES) if read.rows else None


def _malformed_times(folder: Path, number: int, why: str) -> ResultsError:
    """The error for a line of times that no run wrote as it is."""
    return ResultsError(
        f"{folder / 'timings.csv'}:{number}: {why}; remove that line, and that of its key from trials.csv, "
        "and the trial will be run again"
    )


def _check_planned(path: Path, trials: Trials, run: RunRecord) -> None:
    """Raise `ResultsError` where a row contradicts what its key stands for in ``run.json``."""
    wanted = protocols.always() & set(run.spec.metrics) & set(trials.header)
    for key, planned in run.plan.items():
        trial = trials.by_key.get(key)
        if trial is None:
            continue
        for name in (*run.coordinates, "algorithm", "seed"):
            cell, value = trial.cell(name), planned.cell(name)
            if value is not None and name in trials.header and str(cell) != str(value):
                given = "empty" if cell in (None, "") else cell
                why = f"{name} is {given}, but by run.json its key is of {value}"
                raise malformed(path, trials.lines[key], why)
        if trial.ok and (lacking := sorted(wanted - trial.metrics.keys())):
            raise malformed(path, trials.lines[key], f"{lacking[0]} is empty, although the trial is ok")


def read_run(folder: Path) -> RunRecord:
    """The content of a folder's ``run.json``.

    Raises
    ------
    ResultsError
        If it is missing, damaged or newer than this version.
    """
    path = folder / "run.json"
    if not path.exists():
        raise ResultsError(f"{folder}: not a results folder (no run.json); name one that `nmfrepro run` made")
    again = "run the spec again, finished trials are kept"
    try:
        run = json.loads(files.read(path, missing=b""))
    except (ValueError, RecursionError):
        raise ResultsError(f"{path}: damaged; {again}") from None
    schema = run.get("schema") if isinstance(run, dict) else None
    if isinstance(schema, int) and schema > SCHEMA:
        raise NewerError(
            f"{path}: schema {schema}, this nmfrepro reads {SCHEMA}; use the version that made it"
        )
    try:
        found: RunRecord = from_json(RunRecord, run)
    except ValueError as error:
        raise ResultsError(f"{path}: damaged ({error}); {again}") from None
    written = run.get("digest", None if schema == 1 else "")
    if written not in (None, digest(run, "digest")):
        raise ResultsError(f"{path}: not as it was written; {again}")
    return found


def read_before(folder: Path) -> RunRecord | None:
    """What a folder's ``run.json`` said before a run; None where it is missing or damaged, and a run goes on.

    Raises
    ------
    NewerError
        If it is newer than this version, which must not write over it.
    """
    try:
        return read_run(folder)
    except NewerError:
        raise
    except ResultsError:
        return None


@dataclass(frozen=True)
class Results:
    """What a results folder holds for the spec it was last run with."""

    folder: Path
    run: RunRecord
    # The planned trials in plan order, each under the label that its column has now; the status of those that
    # have not been run is "missing".  A metric that the run measures as a time is that of the fit.
    trials: tuple[TrialRecord, ...]
    header: tuple[str, ...]  # the columns of ``trials.csv``
    others: int  # rows of other settings in the folder; they never enter a table
    torn: bool  # whether a half-written last row was left out

    @property
    def present(self) -> tuple[TrialRecord, ...]:
        """The trials that have been run, well or in vain."""
        return tuple(trial for trial in self.trials if trial.status != "missing")

    @cached_property
    def scored(self) -> frozenset[str]:
        """The metrics of which any row has a value."""
        return frozenset(name for trial in self.present for name in trial.metrics)

    @property
    def metrics(self) -> tuple[str, ...]:
        """The metrics that the rows have, or the run is to show, in the order of their columns."""
        known = [name for name in self.columns if name in protocols.metrics()]
        # A classifier that the run leaves out has a column all the same, without a value.
        shown = {*self.scored, *self.run.spec.metrics, *protocols.of_times()} if self.scored else known
        return tuple(name for name in known if name in shown)

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns of the rows, with the times that the run measures."""
        return (*(self.header or ("key", "status")), *_timed(self.run, self.header))

    def column(self, name: str) -> list[Any]:
        """A column of the rows that are there: text, whole numbers or None where all are, else decimals."""
        found = [trial.cell(name) for trial in self.present]
        given = [each for each in found if each is not None]
        whole = given and all(isinstance(each, int) and abs(each) < 2**63 for each in given)
        if FIELDS.get(name) is str or whole:
            return found
        return [math.nan if each is None else float(each) for each in found]

    @property
    def frame(self) -> pd.DataFrame:
        """The rows that are there as a data frame, for notebooks; metrics as fractions."""
        import pandas as pd

        columns = {name: self.column(name) for name in self.columns}
        # Seeds have 63 bits, which floats beside a missing one have not.
        whole = {name: pd.array(each, dtype="Int64") for name, each in columns.items() if None in each}
        return pd.DataFrame(columns | whole)

    def arrays(self, trial: TrialRecord) -> dict[str, np.ndarray]:
        """The arrays stored for a trial.

        Raises
        ------
        ResultsError
            If there are none, or they are damaged, or not as they were written.
        """
        return load_arrays(array_path(self.folder, trial.key), trial.times.arrays)


def read(folder: Path) -> Results:
    """Read a results folder.

    Raises
    ------
    ResultsError
        If it is not a results folder, was made by a newer nmfrepro, or holds a malformed row.
    """
    while True:
        run = read_run(folder)
        try:
            return _read(folder, run)
        except ResultsError:
            # A run that goes on says in run.json what it will change before it does: then once more.
            if read_run(folder) == run:
                raise


def _read(folder: Path, run: RunRecord) -> Results:
    path, found = folder / "trials.csv", read_trials(folder, run)
    timed, trials = _timed(run, found.header), []
    for key, planned in run.plan.items():
        trial = found.by_key.get(key, planned)
        if trial.label != planned.label:
            trial = replace(trial, label=planned.label)
        if trial.ok and timed:
            if (fit := trial.times.phases.get("fit")) is None:
                raise malformed(path, found.lines[key], "timings.csv has no time of its fit")
            trial = replace(trial, metrics={**trial.metrics, **dict.fromkeys(timed, fit)})
        trials.append(trial)
    present = sum(trial.status != "missing" for trial in trials)
    stored = [name for name in run.spec.metrics if name not in timed]
    if present and (lost := lost_columns(path, found.header, (*run.coordinates, *stored))):
        raise lost
    return Results(folder, run, tuple(trials), found.header, len(found.by_key) - present, found.torn)


def _timed(run: RunRecord, header: Sequence[str]) -> tuple[str, ...]:
    """The metrics of a run that stand with its times, not in its rows."""
    return tuple(name for name in run.spec.metrics if name in protocols.of_times() and name not in header)


def folders(path: Path) -> list[Path]:
    """The results folders at or directly under `path`, in alphabetical order.

    Raises
    ------
    ResultsError
        If there are none.
    """
    if (path / "run.json").exists():
        return [path]
    found = sorted(child.parent for child in path.glob("*/run.json")) if path.is_dir() else []
    if not found:
        raise ResultsError(f"{path}: holds no results; run a spec first: nmfrepro run SPEC")
    return found


def path_of(folder: Path | str) -> Path:
    """What somebody has named a results folder by from Python, as a path.

    Raises
    ------
    ResultsError
        If it is neither text nor a path.
    """
    try:
        return Path(folder)
    except TypeError:
        given = type(folder).__name__
        raise ResultsError(f"a results folder is named by text or a path, not by {given}") from None


def folders_of(paths: Iterable[Path | str]) -> list[Path]:
    """The results folders at or directly under some paths, each once; under ``results`` where none is given.

    Raises
    ------
    ResultsError
        If there are none at one of them.
    """
    return list(dict.fromkeys(each for path in list(paths) or ["results"] for each in folders(path_of(path))))


def use_each(folders: Iterable[Path], use: Callable[[Path], T]) -> tuple[list[T], list[ResultsError]]:
    """What comes of every results folder, and why some could not be used.

    Raises
    ------
    ResultsError
        The first one, if none can be used.
    """
    made, problems = list[T](), list[ResultsError]()
    for folder in folders:
        try:
            made.append(use(folder))
        except ResultsError as error:
            problems.append(error)
    if problems and not made:
        raise problems[0]
    return made, problems
