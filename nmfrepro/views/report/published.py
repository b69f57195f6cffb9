"""The tables of a report beside print: which published number belongs to which cell, and how it is shown."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

from ...analysis.compare.pairs import Comparison, Pair
from ...analysis.compare.verdict import Side
from ...analysis.tables import Block, Table
from ...metrics import Metric
from ..comparison import side_text

WIDEST, NARROWEST = 96, 9
"""Characters of the methods that stand side by side, each counted as so many at least; more stand in rows, as
a page is longer than it is wide."""

Pairs = dict[tuple[str, str], Pair]
"""By the label of our column and the name of our row."""


def published(block: Block, comparisons: Sequence[Comparison]) -> Pairs:
    """The cells of a block that have a published one beside them; an average, if it is over the same rows."""
    pairs: dict[tuple[str, tuple[int, ...] | None], Pair] = {}
    for column in (column for one in comparisons if one.metric == block.metric for column in one.columns):
        for each in (*column.pairs, *([column.average] if column.average else [])):
            pairs.setdefault((column.ours, each.where), each)
    found: Pairs = {}
    for row in block.lines:
        for label, cell in row.cells.items():
            pair = pairs.get((label, None if row.average else row.where))
            mean = math.nan if cell.mean is None else cell.mean
            if pair is not None and (not row.average or math.isclose(mean, pair.ours.mean)):
                found[label, row.name] = pair
    return found


def methods_down(table: Table) -> bool:
    """Whether a page has the methods in rows."""
    return table.layout.methods_down or sum(max(len(each), NARROWEST) for each in table.labels) > WIDEST


def published_text(side: Side, metric: Metric) -> str:
    """A published number in the unit and with the digits of ours: 60.9, where the paper prints 0.6085."""
    return side_text(side if metric.timed else replace(side, text=""), metric)
