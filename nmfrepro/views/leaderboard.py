"""A leaderboard as static pages: a number leads to its rows, and is verified if all were computed again.

A page needs no network and no other file, as the report's, from whose parts it is made.
"""

from __future__ import annotations

import inspect
import math
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass

from .. import algorithms
from ..analysis.significance.standings import standings
from ..analysis.tables import Block, Cell, Table, TableColumn
from ..analysis.tables.layout import printed_trials
from ..core.errors import ResultsError, SpecError
from ..papers.bibliography import bibtex, keys_of
from ..results.folder import Results, read
from ..results.record import TrialRecord
from ..results.verified import Verified, read_verified
from .report.experiment import Experiment
from .report.grid import PLAIN
from .report.page import page
from .tables import cell_text, heading, number


@dataclass(frozen=True)
class BoardNumber:
    """A number of a table."""

    text: str
    value: float | None  # what it is sorted by
    best: bool
    # How many of its rows were computed again and came out the same, of how many.
    again: int
    rows: int
    anchor: str  # where these stand on the page

    @property
    def verified(self) -> bool:
        """Whether all its rows were computed again."""
        return self.value is not None and 0 < self.rows == self.again


@dataclass(frozen=True)
class Board:
    """The table of one metric: methods down, the best first by the last number (or average)."""

    title: str
    heads: tuple[str, ...]  # what the rows of the run's own table are called
    lines: tuple[tuple[TableColumn, list[BoardNumber]], ...]  # every method with its number in each of them


@dataclass(frozen=True)
class TrialLine:
    """A trial as a page lists it: its scores, and how it came out when it was computed again."""

    trial: TrialRecord
    scores: tuple[str, ...]
    verdict: str


@dataclass(frozen=True)
class RunPage:
    """One results folder on the leaderboard, with its rows by their places on the page."""

    shown: Experiment
    boards: tuple[Board, ...]
    rows: dict[str, list[TrialLine]]
    again: int
    present: int
    machines: tuple[str, ...]
    # The methods all of whose rows were computed again.
    verified: frozenset[str]


def pages(found: Sequence[Experiment]) -> Iterator[tuple[str, str]]:
    """The pages of a site by their names: one for each run, ``methods.html``, and ``index.html`` last.

    What could not be read is named on the last.

    Raises
    ------
    ResultsError
        If nothing could be read, or two runs have one name or one has that of another page.
    """
    experiments: dict[str, Experiment] = {}
    problems = [shown.problem for shown in found if shown.problem]
    if len(problems) == len(found):
        raise ResultsError(problems[0])
    for shown in found:
        if shown.run is None:
            continue
        if shown.run.name in ("index", "methods"):
            raise ResultsError(
                f"{shown.folder}: the site has a page of its own called {shown.run.name}; run the spec under "
                "another name, or leave the folder out"
            )
        if shown.run.name in experiments:
            both = f"{experiments[shown.run.name].folder} and {shown.folder}"
            raise ResultsError(f"two folders are of the run {shown.run.name}, {both}; put them on two sites")
        experiments[shown.run.name] = shown
    entries: dict[str, RunPage] = {}
    runs = []
    for name, shown in experiments.items():
        runs.append(read(shown.folder))
        entries[name] = entry = _entry(shown, runs[-1])
        yield f"{name}.html", page("board.html", title=shown.title, it=entry)
    tables = [each.shown.table for each in entries.values() if each.shown.table]
    registry = algorithms.registry()
    methods = {each.algorithm: registry.get(each.algorithm) for table in tables for each in table.columns}
    cites = {name: _cites(name) for name in methods}
    named = {"methods": methods, "cites": cites, "cleandoc": inspect.cleandoc}
    yield "methods.html", page("methods.html", title="nmfrepro leaderboard: methods", **named)
    shown_first = {
        "problems": problems,
        "entries": entries,
        "standings": list(standings(runs)),
        "heading": heading,
    }
    yield "index.html", page("leaderboard.html", title="nmfrepro leaderboard", **shown_first)


def _entry(shown: Experiment, results: Results) -> RunPage:
    verified, table = read_verified(shown.folder), shown.table
    assert table is not None
    behind: dict[str, list[TrialRecord]] = {}
    every = results.present  # further draws too, over which a mean over all datasets is
    trials = [trial for trial in printed_trials(results) if trial.status != "missing"]
    for trial in trials:
        where = tuple(trial.coordinates[name] for name in table.layout.rows)
        behind.setdefault(_anchor(table, where, table.column(trial.label)), []).append(trial)
    boards = [_board(table, block, behind, verified) for block in table.blocks]
    return RunPage(
        shown=shown,
        boards=tuple(boards),
        rows={at: [_row(trial, table, verified) for trial in those] for at, those in behind.items()},
        again=sum(map(verified.holds, trials)),
        present=len(trials),
        machines=tuple(
            dict.fromkeys(f"nmfrepro {each.nmfrepro}, {each.processor}" for each in verified.environments)
        ),
        verified=frozenset(trial.label for trial in every)
        - {trial.label for trial in every if not verified.holds(trial)},
    )


def _anchor(table: Table, where: tuple[int, ...], column: TableColumn) -> str:
    """The anchor of the rows behind a number."""
    return "-".join(("r", *map(str, where), str(table.columns.index(column))))


def _board(table: Table, block: Block, behind: dict[str, list[TrialRecord]], verified: Verified) -> Board:
    rows, lines = block.lines, []
    for column in table.columns:
        numbers = []
        for row in rows:
            cell = row.cells[column]
            anchors = [_anchor(table, each.where, column) for each in (block.rows if row.average else [row])]
            trials = (trial for at in anchors for trial in behind.get(at, ()))
            of = [trial for trial in trials if trial.ok and _counts(table, cell, trial)]
            text = cell_text(cell, block.metric, PLAIN, average=row.average)
            again = sum(map(verified.holds, of))
            numbers.append(BoardNumber(text, cell.mean, cell.best, again, len(of), anchors[0]))
        lines.append((column, numbers))
    sign = block.metric.sign
    lines.sort(key=lambda line: math.inf if (last := line[1][-1].value) is None else -sign * last)
    coordinate = table.layout.coordinate
    heads = tuple(row.name if row.average else f"{coordinate} = {row.name}" for row in rows)
    return Board(heading(block.metric), heads, tuple(lines))


def _counts(table: Table, cell: Cell, trial: TrialRecord) -> bool:
    """Whether a number is made of a row: where a dimension is chosen, of its own alone."""
    chosen = table.layout.chosen
    return chosen is None or cell.dimension in (None, trial.coordinates[chosen])


def _row(trial: TrialRecord, table: Table, verified: Verified) -> TrialLine:
    scores = []
    for block in table.blocks:
        value = trial.value(block.name) * block.metric.factor
        scores.append("–" if math.isnan(value) else number(value, block.metric.unit, 2))
    other = "edited since it was computed again" if trial.key in verified.rows else "not computed again"
    return TrialLine(trial, tuple(scores), verified.verdict(trial) or other)


def _cites(name: str) -> str:
    """How to cite a method; empty where there is nothing to cite."""
    with suppress(SpecError):
        return bibtex(keys_of(name))
    return ""
