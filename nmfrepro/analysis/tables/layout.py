"""Where a run's trials lie in its table: rows, columns, and what a cell averages over.

A protocol names the coordinates of its trials, and the one to take the best of, if there is one (in
recognition the dimension).  The last of the others is what a cell averages over; the rest make the rows.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from ... import algorithms
from ...algorithms import Algorithm
from ...core.errors import ResultsError, Setting, suggest
from ...protocols import Task
from ...registry import plugins
from ...results.folder import Results
from ...results.record import RunRecord, TrialRecord
from ...spec.columnlabels import matches

T = TypeVar("T", TrialRecord, Task)


@dataclass(frozen=True)
class Layout:
    """How the coordinates of a run become a table."""

    rows: tuple[str, ...]  # coordinates that make the rows: ("k",)
    chosen: str | None  # the coordinate of which a cell shows the best value, in brackets
    chosen_noun: str  # what such a value is called: "dimension"
    repeat: str  # the coordinate a cell averages over
    repeat_noun: str  # what a repeat is called: "draw", "split"
    # Whether methods are printed as rows and the coordinates as columns, as recognition tables are.
    methods_down: bool
    averaged: bool  # whether a row of averages over the rows makes sense
    fixed: tuple[tuple[str, int], ...] = ()  # coordinates that are the same everywhere and make no rows

    @property
    def coordinate(self) -> str:
        """What rows are called by: "k", or "k, images"."""
        return ", ".join(self.rows)

    def at(self, where: Iterable[int]) -> dict[str, int]:
        """The coordinates of a row, those that are the same everywhere too."""
        return dict(zip(self.rows, where, strict=True)) | dict(self.fixed)


def row_name(where: Iterable[int] | None) -> str:
    """What stands in front of the row at some coordinates: "2", "2, 6"; "Avg" where it is over all rows."""
    return "Avg" if where is None else ", ".join(map(str, where)) or "all"


def layout_of(run: RunRecord) -> Layout:
    """The layout of a run."""
    chosen = run.protocol.chosen
    others = [name for name in run.coordinates if name != chosen]
    down, cells = others[:-1], run.cells
    # A coordinate that is the same everywhere would only repeat itself in every row.
    varied = [name for name in down if len({cell[name] for cell in cells}) != 1] or down[:1]
    return Layout(
        rows=tuple(varied),
        chosen=chosen,
        chosen_noun=run.protocol.chosen_noun or chosen or "",
        repeat=others[-1],
        repeat_noun=run.protocol.repeat or others[-1],
        methods_down=chosen is not None,
        averaged=run.protocol.averaged,
        fixed=tuple((name, cells[0][name]) for name in down if name not in varied),
    )


def have_encodings(run: RunRecord) -> bool:
    """Whether any method of a run has encodings, as one has that is not known here."""
    return any(cls is None or cls.has_encodings for cls in known_methods(run))


def encodings_are_read(run: RunRecord) -> bool:
    """Whether clusters of any method of a run are read from its encodings, as of one not known here."""
    return any(cls is None or (cls.has_encodings and not cls.has_labels) for cls in known_methods(run))


def known_methods(run: RunRecord) -> list[type[Algorithm] | None]:
    """The methods of its columns; None for one that is not known here."""
    return [algorithms.registry().get(column.algorithm) for column in run.columns]


def planned_trials(results: Results) -> tuple[TrialRecord, ...]:
    """All planned trials in plan order.

    Raises
    ------
    ResultsError
        If nothing has been run yet.
    """
    if not results.present:
        raise ResultsError(f"{results.folder}: no trial has finished yet; run the spec first")
    return results.trials


def printed_trials(results: Results) -> tuple[TrialRecord, ...]:
    """Those of them that a table shows: without further draws.

    Raises
    ------
    ResultsError
        If nothing has been run yet.
    """
    run, trials = results.run, planned_trials(results)
    shown = run.protocol.as_printed()
    if shown == run.protocol:
        return trials
    cells = {frozenset(cell.items()) for cell in shown.cells(run.dataset.classes)}
    return tuple(trial for trial in trials if frozenset(trial.coordinates.items()) in cells)


def trials_at(
    folder: Path, run: RunRecord, trials: Iterable[T], where: Iterable[str], column: str | None = None
) -> list[T]:
    """Those of a run's trials that lie at some coordinates, of some columns.

    Parameters
    ----------
    folder : Path
        The run's, for messages.
    run : RunRecord
    trials : iterable of TrialRecord or Task
    where : iterable of str
        Coordinates as ``NAME=VALUE``.
    column : str, optional
        A label or a method (* and ? as in shells); all columns by default.

    Raises
    ------
    ResultsError
        For a coordinate, a value or a column that the run does not have, a value that is no whole number, or
        a coordinate that is given twice.
    """
    at = dict[str, int]()
    for each in where:
        name, _, value = each.partition("=")
        if name not in run.coordinates:
            hint = suggest(name, run.coordinates)
            raise ResultsError(f"{folder}: trials have no coordinate {name!r}; {hint}")
        if name in at:
            raise ResultsError(f"{name} is given twice; give it once")
        try:
            at[name] = int(value)
        except ValueError:
            raise ResultsError(Setting("where", each), f": give a whole number, as {name}=2") from None
    pattern = column or "*"
    labels = {each.label for each in run.columns if matches(pattern, each.label, each.algorithm)}
    if not labels:
        names = dict.fromkeys(name for each in run.columns for name in (each.label, each.algorithm))
        raise ResultsError(f"{folder}: no column {column!r}; {suggest(pattern, names)}")
    asked = [each for each in trials if each.label in labels]
    for name, number in at.items():
        known = sorted({each.coordinates[name] for each in asked})
        if number not in known:
            held = ", ".join(map(str, known))
            raise ResultsError(f"{folder}: no trials at {name} = {number}; {name} has {held}")
    return [each for each in asked if at.items() <= each.coordinates.items()]


def column_called(name: str, columns: Mapping[str, str], setting: str) -> str:
    """The label of the one column that a name stands for.

    Parameters
    ----------
    name : str
        A label, or what only one column has: its method, its label without settings (* and ? as in shells).
    columns : mapping of str to str
        Methods by label.
    setting : str
        What the name was given for.

    Raises
    ------
    ResultsError
        If no column has the name, or several have.
    """
    if name in columns:
        return name
    patterns = name, f"{name} (*"
    found = [label for label, method in columns.items() if any(matches(p, label, method) for p in patterns)]
    if len(found) == 1:
        return found[0]
    if found:
        raise ResultsError(Setting(setting, name), f" names {', '.join(found)}; give one of them")
    names = dict.fromkeys([*columns, *columns.values()])
    raise ResultsError(Setting(setting, name), f": no such method; {suggest(name, names)}")


def check_metrics(results: Results, wanted: Iterable[str]) -> tuple[str, ...]:
    """The metrics asked for, if the results have them all.

    Raises
    ------
    ResultsError
        If there is no such column; the message suggests the closest.
    """
    for name in wanted:
        if name not in results.metrics:
            message = f"{results.folder}: no metric {name!r} in the results; {suggest(name, results.metrics)}"
            unknown = ResultsError(message, unknown=("metric", name))
            # What the rows have all the same is a metric of a plug-in.
            held = {*results.run.spec.metrics, *results.scored}
            lacking = plugins.lacking(results.run.plugins, held, unknown)
            raise ResultsError(message, f"; {lacking}" if lacking else "")
    return tuple(dict.fromkeys(wanted))
