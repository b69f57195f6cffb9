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
from ..analysis.tables import Block, Cell, Table
from ..analysis.tables.layout import printed_trials
from ..core.errors import ResultsError, SpecError
from ..papers.bibliography import bibtex, keys_of
from ..results.record import ColumnRecord, TrialRecord
from ..results.verified import Verified, read_verified
from .report.experiment import Experiment
from .report.page import page
from .tables import score_text


@dataclass(frozen=True)
class BoardNumber:
    """A number of a table with the rows behind it."""

    cell: Cell
    # How many of its rows were computed again and came out the same, of how many.
    again: int
    rows: int
    anchor: str  # where these stand on the page

    @property
    def verified(self) -> bool:
        """Whether all its rows were computed again."""
        return self.cell.mean is not None and 0 < self.rows == self.again


Board = tuple[Block, list[tuple[ColumnRecord, list[BoardNumber]]]]
"""Every method with its number in each row of a block, the best first by the last number (or average)."""


@dataclass(frozen=True)
class RunPage:
    """One results folder on the leaderboard, with its rows by their places on the page."""

    shown: Experiment
    boards: tuple[Board, ...]
    rows: dict[str, list[TrialRecord]]
    again: int
    present: int
    checks: Verified
    # The methods all of whose rows were computed again.
    verified: frozenset[str]

    @property
    def machines(self) -> tuple[str, ...]:
        """With what rows were computed again."""
        made = (f"nmfrepro {each.nmfrepro}, {each.processor}" for each in self.checks.environments)
        return tuple(dict.fromkeys(made))

    def again_of(self, trial: TrialRecord) -> str:
        """How a row came out when it was computed again."""
        edited = "edited since it was computed again" if trial.key in self.checks.rows else ""
        return self.checks.verdict(trial) or edited or "not computed again"


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
        name = shown.run.spec.name
        if name in ("index", "methods"):
            raise ResultsError(
                f"{shown.folder}: the site has a page of its own called {name}; run the spec under another "
                "name, or leave the folder out"
            )
        if name in experiments:
            both = f"{experiments[name].folder} and {shown.folder}"
            raise ResultsError(f"two folders are of the run {name}, {both}; put them on two sites")
        experiments[name] = shown
    entries = {}
    for name, shown in experiments.items():
        entries[name] = entry = _entry(shown)
        yield f"{name}.html", page("board.html", title=shown.title, it=entry, score=score_text)
    columns = [column for each in experiments.values() if each.table for column in each.table.columns]
    methods = {each.algorithm: algorithms.registry().get(each.algorithm) for each in columns}
    cites = {name: _cites(name) for name in methods}
    named = {"methods": methods, "cites": cites, "cleandoc": inspect.cleandoc}
    yield "methods.html", page("methods.html", title="nmfrepro leaderboard: methods", **named)
    runs = [each.results for each in experiments.values() if each.results]
    first = {"problems": problems, "entries": entries, "standings": list(standings(runs))}
    yield "index.html", page("leaderboard.html", title="nmfrepro leaderboard", **first)


def _entry(shown: Experiment) -> RunPage:
    verified, table, results = read_verified(shown.folder), shown.table, shown.results
    assert table is not None
    assert results is not None
    behind: dict[str, list[TrialRecord]] = {}
    every = results.present  # further draws too, over which a mean over all datasets is
    trials = [trial for trial in printed_trials(results) if trial.status != "missing"]
    for trial in trials:
        where = tuple(trial.coordinates[name] for name in table.layout.rows)
        behind.setdefault(_anchor(table, where, trial.label), []).append(trial)
    return RunPage(
        shown=shown,
        boards=tuple(_board(table, block, behind, verified) for block in table.blocks),
        rows=behind,
        again=sum(map(verified.holds, trials)),
        present=len(trials),
        checks=verified,
        verified=frozenset(trial.label for trial in every)
        - {trial.label for trial in every if not verified.holds(trial)},
    )


def _anchor(table: Table, where: tuple[int, ...], label: str) -> str:
    """The anchor of the rows behind a number."""
    return "-".join(("r", *map(str, where), str(table.labels.index(label))))


def _board(table: Table, block: Block, behind: dict[str, list[TrialRecord]], verified: Verified) -> Board:
    lines = []
    for column in table.columns:
        numbers = []
        for row in block.lines:
            cell = row.cells[column.label]
            anchors = [
                _anchor(table, each.where, column.label) for each in (block.rows if row.average else [row])
            ]
            trials = (trial for at in anchors for trial in behind.get(at, ()))
            of = [trial for trial in trials if trial.ok and _counts(table, cell, trial)]
            numbers.append(BoardNumber(cell, sum(map(verified.holds, of)), len(of), anchors[0]))
        lines.append((column, numbers))
    sign = block.metric.sign
    lines.sort(key=lambda line: math.inf if (last := line[1][-1].cell.mean) is None else -sign * last)
    return block, lines


def _counts(table: Table, cell: Cell, trial: TrialRecord) -> bool:
    """Whether a number is made of a row: where something is chosen, of that alone."""
    chosen = table.layout.chosen
    return chosen is None or cell.chosen in (None, trial.coordinates[chosen])


def _cites(name: str) -> str:
    """How to cite a method; empty where there is nothing to cite."""
    with suppress(SpecError):
        return bibtex(keys_of(name))
    return ""
