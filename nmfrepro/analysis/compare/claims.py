"""What a paper claims: that one method is ahead of another, and by how much, beside our paired gains.

Of a lost table the text's own claims survive.  A table's own claim is that the method it proposes differs
from each other one as printed.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence

from ...papers import PublishedCell, PublishedTable
from ..tables import Cell, Table
from .gain import Claim, detectable, gain
from .verdict import Sample

Row = Sequence[Cell]
"""One of our rows, method by method."""


def text_claims(theirs: PublishedTable, metric: str, ours: Table) -> tuple[list[Claim], list[str]]:
    """The claims of a text on one metric, and those that the run cannot tell of.

    Parameters
    ----------
    theirs : PublishedTable
        Of kind "claims".
    metric : str
    ours : Table
        Its first block shows the metric.
    """
    found, absent = [], []
    rows = [row.cells for row in ours.blocks[0].rows]
    for claim in (each for each in theirs.claims if each.metric == metric):
        better = [i for i, name in enumerate(ours.algorithms) if name == claim.algorithm]
        others = [
            i
            for i, name in enumerate(ours.algorithms)
            if (name == claim.over_algorithm if claim.over_algorithm else i not in better)
        ]
        told = []
        for i in better:
            j = _best(rows, i, others)
            if j is not None:
                design = [[Sample(0.0, row[k].std, theirs.source.repeats) for row in rows] for k in (i, j)]
                told.append(_claim(ours, rows, (i, j), claim.gain, design))
        found += [each for each in told if each is not None]
        if not any(told):
            absent.append(f"{claim.column} over {claim.over}")
    return found, absent


def table_claims(theirs: PublishedTable, metric: str, ours: Table, rows: Mapping[int, Row]) -> list[Claim]:
    """That the proposed method is ahead of (or behind) each other one, as the table prints it.

    Parameters
    ----------
    theirs : PublishedTable
    metric : str
    ours : Table
        Its first block shows the metric.
    rows : mapping of int to sequence of Cell
        Our rows by what the published rows count.
    """
    printed: dict[str, dict[int, PublishedCell]] = {}
    for cell in theirs.cells:
        if cell.metric == metric and cell.row in rows and cell.algorithm in ours.algorithms:
            printed.setdefault(cell.column, {})[cell.row or 0] = cell
    own = printed.pop(theirs.source.proposed, None)
    if own is None or not ours.blocks[0].metric.ranked:
        return []
    sign = -1 if ours.blocks[0].metric.lower_is_better else 1
    found = []
    for cells in printed.values():
        sides = [(ours.algorithms.index(next(iter(each.values())).algorithm), each) for each in (own, cells)]
        where = [row for row in cells if row in own and all(rows[row][i].draws for i, _ in sides)]
        # Where some rows have several draws, single runs are left out: they have no spread.
        several = [all(rows[row][i].n > 1 and side[row].repeats != 1 for i, side in sides) for row in where]
        where = list(itertools.compress(where, several)) or where
        if not where:
            continue
        stated = sign * math.fsum(own[row].mean - cells[row].mean for row in where) / len(where)
        if stated < 0:  # the other one is printed ahead
            sides.reverse()
        design = [
            [
                Sample(0.0, c.std if c.std is not None else rows[row][i].std, c.repeats)
                for row, c in ((row, side[row]) for row in where)
            ]
            for i, side in sides
        ]
        indices = (sides[0][0], sides[1][0])
        found.append(_claim(ours, [rows[row] for row in where], indices, abs(stated), design))
    return [each for each in found if each is not None]


def _claim(
    ours: Table, rows: Sequence[Row], pair: tuple[int, int], stated: float | None, design: list[list[Sample]]
) -> Claim | None:
    """A claim with our gain, paired by draw; None where no draw is shared."""
    i, j = pair
    sign = -1 if ours.blocks[0].metric.lower_is_better else 1
    paired = []
    for row in rows:
        second = dict(row[j].draws)
        paired.append([sign * (value - second[draw]) for draw, value in row[i].draws if draw in second])
    several = [k for k, row in enumerate(paired) if len(row) > 1]
    if not any(paired):
        return None
    better, other = ([side[k] for k in several] for side in design)
    found = detectable(better, other) if several else None
    return Claim(ours.labels[i], ours.labels[j], stated, gain([row for row in paired if row]), found)


def _best(rows: Sequence[Row], better: int, others: Sequence[int]) -> int | None:
    """Of the others the one with the highest mean over the rows that all have."""
    shared = [row for row in rows if all(row[i].mean is not None for i in (better, *others))]
    if not shared or not others:
        return None
    return max(others, key=lambda i: math.fsum(row[i].mean or 0.0 for row in shared))
