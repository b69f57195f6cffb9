"""The tables of a report: every cell of a run beside the published cell, as text and as a number."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ...analysis.compare.pairs import Comparison, Pair, Side
from ...analysis.tables import Block, Cell, Table, TableRow
from ...metrics import Metric
from ..tables import Style, cell_text, heading, number

WIDEST, NARROWEST = 96, 9
"""Characters of the methods that stand side by side, each counted as so many at least; more stand in rows, as
a page is longer than it is wide."""
PLAIN = Style("±", ("", ""), "–", str)


@dataclass(frozen=True)
class GridCell:
    """One cell.

    Attributes
    ----------
    text : str
        The reproduced number as printed.
    value : float or None
        What it is sorted by.
    best : bool
    pair : Pair or None
        Beside the published number, where there is one.
    published : str
        That number in the unit of ours; for running times the ratio and the seconds.
    ratio : bool
        Whether ratios to the first method are compared instead of the numbers.
    """

    text: str
    value: float | None
    best: bool
    pair: Pair | None
    published: str = ""
    ratio: bool = False


@dataclass(frozen=True)
class GridRow:
    """A row: its name, what it is sorted by where it is a number, and its cells."""

    name: str
    value: int | None
    cells: tuple[GridCell, ...]


@dataclass(frozen=True)
class Grid:
    """One metric.

    Attributes
    ----------
    title : str
        Name and unit of the metric.
    corner : str
        What the rows are.
    heads : tuple of str
        The columns' names.
    rows : tuple of GridRow
    average : GridRow or None
        The row of averages, which stays at the bottom.
    beside : bool
        Whether any cell has a published one beside it.
    turned : bool
        Whether methods stand in rows.
    """

    title: str
    corner: str
    heads: tuple[str, ...]
    rows: tuple[GridRow, ...]
    average: GridRow | None
    beside: bool
    turned: bool

    def cell(self, method: int, row: int) -> GridCell:
        """The cell of a method in a row of the table."""
        return self.rows[method].cells[row] if self.turned else self.rows[row].cells[method]


Beside = Mapping[tuple[str, str], Pair]
"""Pairs by our column and the row's name."""


def grids(table: Table, comparisons: Sequence[Comparison]) -> list[Grid]:
    """The blocks of a table, each beside what was published of its metric."""
    return [_grid(table, block, _beside(comparisons, block.metric)) for block in table.blocks]


def _beside(comparisons: Sequence[Comparison], metric: Metric) -> Beside:
    found: dict[tuple[str, str], Pair] = {}
    for each in comparisons:
        if each.metric == metric:
            for column in each.columns:
                for pair in (*column.pairs, *([column.average] if column.average else [])):
                    found.setdefault((column.ours, pair.row), pair)
    return found


def _grid(table: Table, block: Block, beside: Beside) -> Grid:
    taken: set[tuple[str, str]] = set()
    rows = [_row(table, block, row, beside, taken) for row in block.rows]
    average = _row(table, block, block.average, beside, taken) if block.average else None
    corner, paired = ", ".join(table.layout.rows), bool(taken)
    width = sum(max(len(label), NARROWEST) for label in table.labels)
    if not table.layout.methods_down and width <= WIDEST:
        return Grid(heading(block.metric), corner, table.labels, tuple(rows), average, paired, False)
    lines = [*rows, *([average] if average else [])]
    turned = tuple(
        GridRow(label, None, tuple(line.cells[i] for line in lines)) for i, label in enumerate(table.labels)
    )
    heads = tuple(f"{corner} = {line.name}" if line is not average else line.name for line in lines)
    return Grid(heading(block.metric), "method", heads, turned, None, paired, True)


def _row(table: Table, block: Block, row: TableRow, beside: Beside, taken: set[tuple[str, str]]) -> GridRow:
    """A row; of several with the same published counterpart, the first has it, as in the comparison."""
    cells = []
    for label, cell in zip(table.labels, row.cells, strict=True):
        pair = None
        for name in _names(row):
            found = beside.get((label, name))
            if found is not None and (label, name) not in taken and _same(found, cell, row):
                pair = found
                taken.add((label, name))
                break
        cells.append(_cell(cell, block.metric, row, pair))
    value = row.where[0] if row.where else None
    return GridRow(row.name, value, tuple(cells))


def _same(pair: Pair, cell: Cell, row: TableRow) -> bool:
    """Whether a pair is about this cell: an average is, if it is over the same rows."""
    if row.where is not None:
        return True
    return cell.mean is not None and math.isclose(cell.mean, pair.ours.mean)


def _names(row: TableRow) -> tuple[str, ...]:
    """What a published row may be called: all coordinates, or one of them."""
    return (row.name,) if row.where is None else (row.name, *map(str, row.where))


def _cell(cell: Cell, metric: Metric, row: TableRow, pair: Pair | None) -> GridCell:
    text = cell_text(cell, metric, PLAIN, average=row.where is None)
    published = published_text(pair.theirs, metric) if pair else ""
    return GridCell(text, cell.mean, cell.best, pair, published, metric.unit == "s")


def published_text(side: Side, metric: Metric) -> str:
    """A published number in the unit and with the digits of ours: 60.9, where the paper prints 0.6085."""
    if metric.unit == "s":
        return side.text
    spread = "" if side.std is None else f"±{number(side.std, metric.unit)}"
    return number(side.mean, metric.unit) + spread + side.note
