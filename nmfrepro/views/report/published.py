"""The tables of a report beside print: which published number belongs to which cell, and how it is shown."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

from ...analysis.compare.pairs import Comparison, Pair
from ...analysis.compare.verdict import Side
from ...analysis.tables import Block, Cell, Table
from ...metrics import Metric
from ..comparison import side_text

WIDEST, NARROWEST = 96, 9
"""Characters of the methods that stand side by side, each counted as so many at least; more stand in rows, as
a page is longer than it is wide."""

Pairs = dict[tuple[str, str], Pair]
"""By the label of our column and the name of our row."""


def published(block: Block, comparisons: Sequence[Comparison]) -> Pairs:
    """The cells of a block that have a published one beside them.

    Of several with the same published counterpart the first has it.
    """
    free: Pairs = {}
    for column in (each for one in comparisons if one.metric == block.metric for each in one.columns):
        for pair in (*column.pairs, *([column.average] if column.average else [])):
            free.setdefault((column.ours, pair.row), pair)
    found: Pairs = {}
    for row in block.lines:
        for label, cell in row.cells.items():
            # A published row may be called by all coordinates, or by one of them.
            names = (row.name, *map(str, row.where))
            at = next((name for name in names if _same(free.get((label, name)), cell)), None)
            if at is not None:
                found[label, row.name] = free.pop((label, at))
    return found


def _same(pair: Pair | None, cell: Cell) -> bool:
    """Whether a pair is about this cell: an average is, if it is over the same rows."""
    if pair is None or not cell.average:
        return pair is not None
    return cell.mean is not None and math.isclose(cell.mean, pair.ours.mean)


def methods_down(table: Table) -> bool:
    """Whether a page has the methods in rows."""
    return table.layout.methods_down or sum(max(len(each), NARROWEST) for each in table.labels) > WIDEST


def published_text(side: Side, metric: Metric) -> str:
    """A published number in the unit and with the digits of ours: 60.9, where the paper prints 0.6085."""
    return side_text(side if metric.timed else replace(side, text=""), metric)
