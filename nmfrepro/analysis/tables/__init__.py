"""Tables of results in the papers' layout: the numbers, without any formatting.

A table has a block for every metric; a block has the row coordinate (number of clusters, training images)
down and the methods across, and each cell is the mean over the repeats.  `nmfrepro.views.tables` writes it as
markdown, CSV or LaTeX, `nmfrepro.analysis.tables.notes` says what a reader must know.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from ...core.errors import ResultsError, Setting
from ...core.grouping import grouped
from ...metrics import Metric
from ...protocols import description
from ...results.folder import Results
from ...results.record import ColumnRecord, TrialRecord
from ...results.verified import unvouched
from .layout import Layout, check_metrics, have_encodings, layout_of, planned_trials, printed_trials, row_name
from .notes import doubts, notes


@dataclass(frozen=True)
class Cell:
    """The repeats of one method at one row."""

    mean: float | None  # in the metric's unit (percent, seconds), unrounded; None where there is no value
    std: float | None  # sample standard deviation (n − 1 in the denominator); None for fewer than two values
    # n, planned, failed: values averaged, repeats the plan has, trials that failed.
    n: int
    planned: int
    failed: int
    average: bool = False  # whether it is the mean over the rows, which n and planned then count
    chosen: int | None = None  # the value of `Layout.chosen` with the best mean, where one is chosen
    unknown: int = 0  # rows of unknown origin behind it, of all such values
    best: bool = False  # whether no other complete cell of the row is better, and no row of it is unknown
    choices: tuple[Cell, ...] = ()  # all that the best was chosen from
    # The value of every repeat by its number, in the metric's unit.
    draws: Mapping[int, float] = field(default_factory=dict)
    # {"", "better", "worse"}: how it differs from the method that cells are marked against, if they are.
    mark: str = ""

    @property
    def complete(self) -> bool:
        """Whether all planned repeats are in the mean."""
        return self.n == self.planned > 0


@dataclass(frozen=True)
class TableRow:
    """One row: its coordinates and a cell for every column, by label.

    `dataset` is set where the rows of several stand in one table.
    """

    where: tuple[int, ...]
    cells: Mapping[str, Cell]
    dataset: str = ""

    @property
    def average(self) -> bool:
        """Whether it is the row of averages, which has no coordinates."""
        return any(cell.average for cell in self.cells.values())

    @property
    def name(self) -> str:
        """What stands in front of the row."""
        own = row_name(None if self.average else self.where)
        return f"{self.dataset}, {own}" if self.dataset else own


@dataclass(frozen=True)
class Block:
    """The part of a table that shows one metric."""

    name: str
    metric: Metric
    rows: tuple[TableRow, ...]
    average: TableRow | None  # means over the rows; None where there is one row only, or the layout has none

    @property
    def lines(self) -> tuple[TableRow, ...]:
        """The rows, and below them that of averages where there is one."""
        return (*self.rows, self.average) if self.average else self.rows

    @property
    def overall(self) -> TableRow | None:
        """The row that stands for all: the only one, or that of averages; None where there is none."""
        return self.rows[0] if len(self.rows) == 1 else self.average

    @property
    def cells(self) -> list[Cell]:
        """The cells of all rows."""
        return [cell for row in self.rows for cell in row.cells.values()]


@dataclass(frozen=True)
class Table:
    """A whole table."""

    title: str
    layout: Layout
    columns: tuple[ColumnRecord, ...]
    blocks: tuple[Block, ...]  # one for every metric
    notes: tuple[str, ...] = ()  # what a reader must know, a line each
    doubts: tuple[str, ...] = ()  # those of them that say which rows must not be trusted

    @property
    def labels(self) -> tuple[str, ...]:
        """The columns' headings."""
        return tuple(column.label for column in self.columns)

    @property
    def cells(self) -> list[Cell]:
        """The cells of all metrics."""
        return [cell for block in self.blocks for cell in block.cells]

    def column(self, label: str) -> ColumnRecord:
        """The column with that heading."""
        return next(column for column in self.columns if column.label == label)

    def of(self, algorithm: str) -> list[str]:
        """The labels of a method's columns."""
        return [column.label for column in self.columns if column.algorithm == algorithm]


def make_table(
    results: Results,
    metrics: Sequence[str] | None = None,
    select: str = "test",
    *,
    further: bool = False,
    extent: str = "full",
    transposed: bool = False,
) -> Table:
    """Make the table of a run.

    Parameters
    ----------
    results : Results
    metrics : sequence of str, optional
        What to show; by default the run's own choice, of methods without encodings what has a value.
    select : {"test", "validation"}
        What the best is chosen by, where the layout has something to choose: the metric itself, as it is
        printed, or the metric that it is `chosen_by`.
    further : bool
        Whether the trials count that a run has beyond those of its table.
    extent : {"full", "short", "none"}
        How many notes: as for a paper where short, see `nmfrepro.analysis.tables.notes.notes`.
    transposed : bool
        Whether methods stand down where the layout has them across, and the other way round.

    Raises
    ------
    ResultsError
        If nothing has been run, a metric is not in the results, or `select` is neither.
    """
    if select not in ("test", "validation"):
        raise ResultsError(Setting("select"), f" must be test or validation, not {select!r}")
    run, layout = results.run, layout_of(results.run)
    trials = planned_trials(results) if further else printed_trials(results)
    layout = replace(layout, methods_down=layout.methods_down != transposed)
    shown = check_metrics(results, metrics or run.spec.metrics)
    if select == "validation" and layout.chosen:
        for name in shown:
            if not any(description(name).chosen_by in trial.metrics for trial in trials):
                raise ResultsError(f"{results.folder}: {name} has no validation scores to choose by")
    groups: dict[tuple[int, ...], dict[str, list[TrialRecord]]] = {}
    for trial in trials:
        where = tuple(trial.coordinates[name] for name in layout.rows)
        groups.setdefault(where, {column.label: [] for column in run.columns})[trial.label].append(trial)
    blocks, unknown = [], unvouched(results.folder, run, trials)
    for name in shown:
        metric = description(name)
        by = metric.chosen_by if select == "validation" else name
        rows = [
            TableRow(where, {label: _cell(own, name, by, layout, unknown) for label, own in those.items()})
            for where, those in sorted(groups.items())
        ]
        average = _average(rows) if len(rows) > 1 and layout.averaged else None
        marked = tuple(_mark_best(row, metric) for row in rows)
        blocks.append(Block(name, metric, marked, average and _mark_best(average, metric)))
    if not metrics and not have_encodings(run):  # and so no sparseness
        valued = [block for block in blocks if any(cell.mean is not None for cell in block.cells)]
        blocks = valued or blocks
    table = Table(run.spec.title, layout, run.columns, tuple(blocks))
    if extent == "none":
        return table
    table = replace(table, doubts=tuple(doubts(results)))
    return replace(table, notes=notes(results, table, trials, select, extent == "full"))


def _cell(trials: list[TrialRecord], name: str, by: str, layout: Layout, unknown: set[str]) -> Cell:
    """The cell of the trials of one method at one row; of the best value, where one is chosen."""
    metric, doubtful = description(name), sum(trial.key in unknown for trial in trials)
    if layout.chosen is None:
        return replace(summary(trials, name, metric, layout.repeat), unknown=doubtful)
    by_value = grouped((trial.coordinates[layout.chosen], trial) for trial in trials)
    cells = {
        value: replace(summary(those, name, metric, layout.repeat), chosen=value)
        for value, those in sorted(by_value.items())
    }
    # Those of the values that have all their repeats.
    scores = {
        value: judged
        for value, cell in cells.items()
        if cell.complete and (judged := summary(by_value[value], by, metric).mean) is not None
    }
    every = tuple(cells.values())
    if not scores:
        return replace(summary([], name, metric), failed=sum(each.failed for each in every), choices=every)
    return replace(cells[metric.best_first(scores)[0]], choices=every, unknown=doubtful)


def summary(trials: Sequence[TrialRecord], name: str, metric: Metric, repeat: str = "") -> Cell:
    """Mean and standard deviation of a metric over trials, in the metric's unit.

    `repeat` names the coordinate that tells repeats apart; without it no single values are kept.
    """
    factor = metric.factor
    scored = [(trial, value) for trial in trials if not math.isnan(value := factor * trial.value(name))]
    values = [value for _, value in scored]
    return Cell(
        mean=statistics.fmean(values) if values else None,  # exact, whatever order they are in
        std=statistics.stdev(values) if len(values) > 1 else None,
        n=len(values),
        planned=len(trials),
        failed=sum(trial.failed for trial in trials),
        draws={trial.coordinates[repeat]: value for trial, value in scored if repeat},
    )


def _average(rows: Sequence[TableRow]) -> TableRow:
    """Column by column the mean of the rows' means, as the papers print it; n and planned count rows.

    Rows that lack repeats are left out: they will still move.  A column that lacks a row which another has
    gets no mean, since it would be over other rows than the one beside it.
    """
    whole = {
        label: {
            row.where: cell.mean
            for row in rows
            if (cell := row.cells[label]).complete and cell.mean is not None
        }
        for label in rows[0].cells
    }
    there, cells = set[tuple[int, ...]]().union(*whole.values()), {}
    for label, means in whole.items():
        own = [row.cells[label] for row in rows]
        cells[label] = Cell(
            mean=statistics.fmean(means.values()) if means and means.keys() == there else None,
            std=None,
            n=len(means),
            planned=len(own),
            failed=sum(cell.failed for cell in own),
            average=True,
            unknown=sum(cell.unknown for cell in own),
        )
    return TableRow((), cells)


def _mark_best(row: TableRow, metric: Metric) -> TableRow:
    """Mark the best complete cells of a row, all of them where they tie, if there is anything to compare.

    Cells that rest on rows of unknown origin are left out.
    """
    there = {label: cell for label, cell in row.cells.items() if cell.mean is not None}
    if not metric.ranked or len(there) < 2:
        return row
    means = {
        label: cell.mean
        for label, cell in there.items()
        if cell.complete and not cell.unknown and cell.mean is not None
    }
    best = (min if metric.lower_is_better else max)(means.values(), default=math.nan)
    marked = {
        label: replace(row.cells[label], best=math.isclose(mean, best)) for label, mean in means.items()
    }
    return replace(row, cells={**row.cells, **marked})
