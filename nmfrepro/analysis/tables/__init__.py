"""Tables of results in the papers' layout: the numbers, without any formatting.

A table has a block for every metric; a block has the row coordinate (number of clusters, training images)
down and the methods across, and each cell is the mean over the repeats.  `nmfrepro.views.tables` writes it as
markdown, CSV or LaTeX, `nmfrepro.analysis.tables.notes` says what a reader must know.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from ...core.errors import ResultsError
from ...metrics import Metric
from ...protocols import description
from ...results.folder import Results
from ...results.record import TrialRecord
from .layout import Layout, check_metrics, layout_of, planned_trials, printed_trials
from .notes import notes


@dataclass(frozen=True)
class Cell:
    """The repeats of one method at one row."""

    mean: float | None  # in the metric's unit (percent, seconds), unrounded; None where there is no value
    std: float | None  # sample standard deviation (n − 1 in the denominator); None for fewer than two values
    # n, planned, failed: values averaged, repeats the plan has, trials that failed.
    n: int
    planned: int
    failed: int
    dimension: int | None = None  # the dimension with the best mean, where one is chosen
    best: bool = False  # whether no other complete cell of the row is better
    grid: tuple[Cell, ...] = ()  # all dimensions the best was chosen from
    draws: tuple[tuple[int, float], ...] = ()  # the value of every repeat, in the metric's unit
    # {"", "better", "worse"}: how it differs from the method that cells are marked against, if they are.
    mark: str = ""

    @property
    def complete(self) -> bool:
        """Whether all planned repeats are in the mean."""
        return self.n == self.planned > 0


@dataclass(frozen=True)
class TableRow:
    """One row: its coordinates (None for the row of averages) and a cell for every column.

    `dataset` is set where the rows of several stand in one table.
    """

    where: tuple[int, ...] | None
    cells: tuple[Cell, ...]
    dataset: str = ""

    @property
    def name(self) -> str:
        """What stands in front of the row."""
        own = "Avg" if self.where is None else ", ".join(map(str, self.where)) or "all"
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


@dataclass(frozen=True)
class Table:
    """A whole table."""

    title: str
    layout: Layout
    # labels, algorithms: the columns' headings, and the methods behind them.
    labels: tuple[str, ...]
    algorithms: tuple[str, ...]
    blocks: tuple[Block, ...]  # one for every metric
    notes: tuple[str, ...] = field(default=())  # what a reader must know, a line each


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
        What to show; the run's own choice by default.
    select : {"test", "validation"}
        What the best dimension is chosen by, where the layout has one: the metric itself, as it is printed,
        or the column ``<metric>_validation``.
    further : bool
        Whether the trials count that a run has beyond those of its table.
    extent : {"full", "short", "none"}
        How many notes: without definitions, settings and what fits noted where short.
    transposed : bool
        Whether methods stand down where the layout has them across, and the other way round.

    Raises
    ------
    ResultsError
        If nothing has been run, or a metric is not in the results.
    """
    run, layout = results.run, layout_of(results.run)
    trials = planned_trials(results) if further else printed_trials(results)
    layout = replace(layout, methods_down=layout.methods_down != transposed)
    labels = tuple(column.label for column in run.columns)
    shown = check_metrics(results, metrics or run.metrics)
    if select == "validation" and layout.chosen:
        for name in shown:
            if f"{name}_validation" not in results.metrics:
                raise ResultsError(f"{results.folder}: {name} has no validation scores to choose by")
    groups: dict[tuple[int, ...], dict[str, list[TrialRecord]]] = {}
    for trial in trials:
        where = tuple(trial.coordinates[name] for name in layout.rows)
        groups.setdefault(where, {label: [] for label in labels})[trial.label].append(trial)
    blocks = []
    for name in shown:
        by = f"{name}_validation" if select == "validation" else name
        rows = [
            TableRow(where, tuple(_cell(those, name, by, layout) for those in columns.values()))
            for where, columns in sorted(groups.items())
        ]
        average = _average(rows) if len(rows) > 1 and layout.averaged else None
        metric = description(name)
        marked = tuple(_mark_best(row, metric) for row in rows)
        blocks.append(Block(name, metric, marked, average and _mark_best(average, metric)))
    table = Table(run.title, layout, labels, tuple(column.algorithm for column in run.columns), tuple(blocks))
    return replace(table, notes=notes(results, table, trials, select, extent))


def _cell(trials: list[TrialRecord], name: str, by: str, layout: Layout) -> Cell:
    """The cell of the trials of one method at one row; of their best dimension, if there are several."""
    metric = description(name)
    if layout.chosen is None:
        return summary(trials, name, metric, layout.repeat)
    dimensions: dict[int, list[TrialRecord]] = {}
    for trial in trials:
        dimensions.setdefault(trial.coordinates[layout.chosen], []).append(trial)
    grid = tuple(
        replace(summary(those, name, metric, layout.repeat), dimension=dimension)
        for dimension, those in sorted(dimensions.items())
    )
    sign = -1 if metric.lower_is_better else 1
    # Those of the dimensions that have all their repeats.
    scores = {
        cell: sign * judged
        for cell in grid
        if cell.complete and (judged := summary(dimensions[cell.dimension or 0], by, metric).mean) is not None
    }
    if not scores:
        return replace(summary([], name, metric), failed=sum(cell.failed for cell in grid), grid=grid)
    return replace(max(scores, key=scores.__getitem__), grid=grid)


def summary(trials: Sequence[TrialRecord], name: str, metric: Metric, repeat: str = "") -> Cell:
    """Mean and standard deviation of a metric over trials, in the metric's unit.

    `repeat` names the coordinate that tells repeats apart; without it no single values are kept.
    """
    factor = 100 if metric.unit == "%" else 1
    found = [(trial, value) for trial in trials if not math.isnan(value := factor * trial.value(name))]
    values = [value for _, value in found]
    return Cell(
        # fsum, so that equal values in another order are an equal mean
        mean=math.fsum(values) / len(values) if values else None,
        std=statistics.stdev(values) if len(values) > 1 else None,
        n=len(values),
        planned=len(trials),
        failed=sum(trial.failed for trial in trials),
        draws=tuple((trial.coordinates[repeat], value) for trial, value in found if repeat),
    )


def _average(rows: Sequence[TableRow]) -> TableRow:
    """Column by column the mean of the rows' means, as the papers print it; n and planned count rows.

    Where no row has all its repeats there is no mean: each of them will still move.
    """
    cells = []
    for column in zip(*(row.cells for row in rows), strict=True):
        means = [cell.mean for cell in column if cell.mean is not None]
        finished = sum(cell.complete for cell in column)
        cells.append(
            Cell(
                mean=math.fsum(means) / len(means) if finished else None,
                std=None,
                n=finished,
                planned=len(column),
                failed=sum(cell.failed for cell in column),
            )
        )
    return TableRow(None, tuple(cells))


def _mark_best(row: TableRow, metric: Metric) -> TableRow:
    """Mark the best complete cells of a row, all of them where they tie, if there is anything to compare."""
    if not metric.ranked or sum(cell.mean is not None for cell in row.cells) < 2:
        return row
    means = [cell.mean if cell.complete and cell.mean is not None else math.nan for cell in row.cells]
    there = [mean for mean in means if not math.isnan(mean)]
    best = (min if metric.lower_is_better else max)(there, default=math.nan)
    marks = (math.isclose(mean, best) for mean in means)
    return replace(row, cells=tuple(replace(cell, best=next(marks)) for cell in row.cells))
