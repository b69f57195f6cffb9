"""The tables of a report: every cell of a run beside the published cell, as text and as a number."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from ...analysis.compare.pairs import Comparison, Pair
from ...analysis.compare.verdict import Side
from ...analysis.tables import Block, Cell, Table, TableColumn, TableRow
from ...metrics import Metric
from ..comparison import side_text
from ..tables import Style, cell_text, heading

WIDEST, NARROWEST = 96, 9
"""Characters of the methods that stand side by side, each counted as so many at least; more stand in rows, as
a page is longer than it is wide."""
PLAIN = Style("±", ("", ""), "–", str)


@dataclass(frozen=True)
class GridCell:
    """One cell."""

    # column, row: where it stands in the table of the run.
    column: TableColumn
    row: str
    text: str  # the reproduced number as printed
    value: float | None  # what it is sorted by
    best: bool
    pair: Pair | None  # beside the published number, where there is one
    published: str  # that number in the unit of ours; for running times the ratio and the seconds


@dataclass(frozen=True)
class GridRow:
    """A row: its name, what it is sorted by where it is a number, and its cells."""

    name: str
    value: int | None
    cells: tuple[GridCell, ...]


@dataclass(frozen=True)
class ComparedTable:
    """One metric."""

    title: str  # name and unit of the metric
    corner: str  # what the rows are
    heads: tuple[str, ...]  # the columns' names
    rows: tuple[GridRow, ...]
    average: GridRow | None  # the row of averages, which stays at the bottom
    compared: bool  # whether any cell has a published one beside it
    turned: bool  # whether methods stand in rows

    @cached_property
    def cells(self) -> dict[tuple[TableColumn, str], GridCell]:
        """The cells by the column and the name of the row that they have in the table of the run."""
        return {(cell.column, cell.row): cell for row in self.rows for cell in row.cells}


def grids(table: Table, comparisons: Sequence[Comparison]) -> list[ComparedTable]:
    """The blocks of a table, each beside what was published of its metric."""
    return [_grid(table, block, _pairs(comparisons, block.metric)) for block in table.blocks]


def _pairs(comparisons: Sequence[Comparison], metric: Metric) -> dict[tuple[str, str], Pair]:
    """Pairs by our column and the row's name."""
    pairs: dict[tuple[str, str], Pair] = {}
    for column in (column for each in comparisons if each.metric == metric for column in each.columns):
        for pair in (*column.pairs, *([column.average] if column.average else [])):
            pairs.setdefault((column.ours, pair.row), pair)
    return pairs


def _grid(table: Table, block: Block, pairs: dict[tuple[str, str], Pair]) -> ComparedTable:
    count = len(pairs)
    lines = [_row(table, block, row, pairs) for row in block.lines]
    title, corner, paired = heading(block.metric), table.layout.coordinate, len(pairs) < count
    width = sum(max(len(label), NARROWEST) for label in table.labels)
    if not table.layout.methods_down and width <= WIDEST:
        average = lines.pop() if block.average else None
        return ComparedTable(title, corner, table.labels, tuple(lines), average, paired, False)
    cells = [cell for line in lines for cell in line.cells]
    turned = tuple(
        GridRow(column.label, None, tuple(cell for cell in cells if cell.column == column))
        for column in table.columns
    )
    heads = tuple(row.name if row.average else f"{corner} = {row.name}" for row in block.lines)
    return ComparedTable(title, "method", heads, turned, None, paired, True)


def _row(table: Table, block: Block, row: TableRow, pairs: dict[tuple[str, str], Pair]) -> GridRow:
    """A row, whose pairs are taken out: of several with the same published counterpart the first has it."""
    metric, cells = block.metric, []
    for column, cell in row.cells.items():
        # A published row may be called by all coordinates, or by one of them.
        keys = [(column.label, name) for name in (row.name, *map(str, row.where))]
        at = next((each for each in keys if each in pairs and _same(pairs[each], cell, row)), None)
        pair = pairs.pop(at) if at else None
        text = cell_text(cell, metric, PLAIN, average=row.average)
        published = published_text(pair.theirs, metric) if pair else ""
        cells.append(GridCell(column, row.name, text, cell.mean, cell.best, pair, published))
    return GridRow(row.name, row.where[0] if row.where else None, tuple(cells))


def _same(pair: Pair, cell: Cell, row: TableRow) -> bool:
    """Whether a pair is about this cell: an average is, if it is over the same rows."""
    return not row.average or (cell.mean is not None and math.isclose(cell.mean, pair.ours.mean))


def published_text(side: Side, metric: Metric) -> str:
    """A published number in the unit and with the digits of ours: 60.9, where the paper prints 0.6085."""
    return side_text(side if metric.unit == "s" else replace(side, text=""), metric)
