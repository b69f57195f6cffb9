"""Cells of a table that differ significantly from a method's, as papers mark them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ...core.errors import ResultsError, suggest
from ..tables import Block, Cell, Table, TableRow
from . import holm, signed_rank


def marked(table: Table, control: str, alpha: float = 0.05) -> Table:
    """The table with every cell marked that is better or worse than the control's in its row.

    Wilcoxon's signed-rank test over the repeats that both cells have, with Holm's correction over the methods
    of the row.  A note says so.

    Parameters
    ----------
    table : Table
    control : str
        A column's heading.
    alpha : float
        Level of significance.

    Raises
    ------
    ResultsError
        If there is no such column.
    """
    if control not in table.labels:
        raise ResultsError(f"no column {control!r} to mark against; {suggest(control, table.labels)}")
    at = table.labels.index(control)
    blocks = tuple(
        replace(block, rows=tuple(_row(row, at, block, alpha) for row in block.rows))
        for block in table.blocks
    )
    note = (
        f"↑ better, ↓ worse than {control} at {alpha:g}: Wilcoxon's signed-rank test over the repeats of "
        "both cells, Holm's correction over the methods beside."
    )
    few = [row.name for row in table.blocks[0].rows if not _enough(row, at, alpha)]
    if few:
        everywhere = len(few) == len(table.blocks[0].rows)
        which = "No row has" if everywhere else f"At {', '.join(few)} there are not"
        note += f" {which} repeats enough for any mark."
    return replace(table, blocks=blocks, notes=(*table.notes, note) if table.notes else ())


def _enough(row: TableRow, at: int, alpha: float) -> bool:
    """Whether all repeats of a method being better would be marked: p is then 2^(1 − n) before correction."""
    counts = [len(_differences(cell, row.cells[at])) for i, cell in enumerate(row.cells) if i != at]
    tested = sum(count > 0 for count in counts)
    return tested * 2.0 ** (1 - max(counts, default=0)) <= alpha


def _row(row: TableRow, at: int, block: Block, alpha: float) -> TableRow:
    """A row with its marks."""
    sign = -1 if block.metric.lower_is_better else 1
    found = {
        position: sign * differences
        for position, cell in enumerate(row.cells)
        if position != at and len(differences := _differences(cell, row.cells[at]))
    }
    adjusted = holm([signed_rank(each) for each in found.values()])
    cells = list(row.cells)
    for (position, differences), p in zip(found.items(), adjusted, strict=True):
        if p <= alpha and block.metric.ranked:
            mark = "better" if np.mean(differences) > 0 else "worse"
            cells[position] = replace(cells[position], mark=mark)
    return replace(row, cells=tuple(cells))


def _differences(cell: Cell, control: Cell) -> np.ndarray:
    """Cell − control over the repeats of both; equal differences are not split by rounding."""
    theirs = dict(control.draws)
    return np.round([value - theirs[draw] for draw, value in cell.draws if draw in theirs], 10)
