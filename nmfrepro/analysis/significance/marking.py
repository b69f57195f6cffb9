"""Cells of a table that differ significantly from a method's, as papers mark them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ..compare.gain import paired
from ..tables import Block, Table, TableRow
from ..tables.layout import column_called
from . import holm, least_p, signed_rank

ALPHA = 0.05
"""Level of significance."""


def marked(table: Table, control: str) -> Table:
    """The table with every cell marked that is better or worse than the control's in its row.

    Wilcoxon's signed-rank test over the repeats that both cells have, with Holm's correction over the methods
    of the row.  A note says so.

    Parameters
    ----------
    table : Table
    control : str
        A column's heading, or its method where no other column has it.

    Raises
    ------
    ResultsError
        If there is no such column, or several are.
    """
    label = _called(table, control)
    blocks = tuple(
        replace(block, rows=tuple(_row(row, label, block) for row in block.rows)) for block in table.blocks
    )
    note = (
        f"↑ better, ↓ worse than {label} at {ALPHA:g}: Wilcoxon's signed-rank test over the repeats "
        "of both cells, Holm's correction over the methods beside."
    )
    note = " ".join(filter(None, (note, too_few(table, control))))
    return replace(table, blocks=blocks, notes=(*table.notes, note) if table.notes else ())


def too_few(table: Table, control: str) -> str:
    """In which rows no cell can be marked for want of repeats, as a sentence; empty where there are none."""
    label = _called(table, control)
    few = [row.name for row in table.blocks[0].rows if not _enough(row, label)]
    if not few:
        return ""
    everywhere = len(few) == len(table.blocks[0].rows)
    which = "No row has" if everywhere else f"At {', '.join(few)} there are not"
    return f"{which} repeats enough for any mark."


def _called(table: Table, control: str) -> str:
    methods = {column.label: column.algorithm for column in table.columns}
    return column_called(control, methods, "mark")


def _enough(row: TableRow, control: str) -> bool:
    """Whether all repeats of a method being better would be marked."""
    counts = [len(each) for each in _differences(row, control).values()]
    return least_p(max(counts, default=0), len(counts)) <= ALPHA


def _row(row: TableRow, control: str, block: Block) -> TableRow:
    """A row with its marks."""
    by_label = {label: block.metric.sign * each for label, each in _differences(row, control).items()}
    tests = {label: signed_rank(each) for label, each in by_label.items()}
    adjusted = holm([test.p for test in tests.values()])
    cells = dict(row.cells)
    for (label, test), p in zip(tests.items(), adjusted, strict=True):
        if p <= ALPHA and block.metric.ranked:
            cells[label] = replace(cells[label], mark="better" if test.sign > 0 else "worse")
    return replace(row, cells=cells)


def _differences(row: TableRow, control: str) -> dict[str, np.ndarray]:
    """Of every other cell that has any: cell − control over the repeats of both.

    Equal differences are not split by rounding.
    """
    theirs = row.cells[control].draws
    by_label = {
        label: np.round(paired(cell.draws, theirs), 10)
        for label, cell in row.cells.items()
        if label != control
    }
    return {label: differences for label, differences in by_label.items() if len(differences)}
