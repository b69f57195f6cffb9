"""What a paper claims: that one method is ahead of another, and by how much, beside our paired gains.

Of a lost table the text's own claims survive.  A table's own claim is that the method it proposes differs
from each other one as printed.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean

from ...papers import PublishedCell, PublishedTable
from ..tables import Table, TableRow
from .gain import Claim, detectable, gain, paired
from .verdict import Side


@dataclass(frozen=True)
class _Method:
    """One of the two methods of a claim."""

    label: str  # of our column
    design: Mapping[int, Side]  # by row, how well the paper could know its mean


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
    claims, absent = [], []
    rows, repeats = dict(enumerate(ours.blocks[0].rows)), theirs.source.repeats

    def method(label: str) -> _Method:
        return _Method(label, {at: Side(0.0, row.cells[label].std, repeats) for at, row in rows.items()})

    for claim in (each for each in theirs.claims if each.metric == metric):
        better, over = ours.of(claim.algorithm), claim.over_algorithm
        others = ours.of(over) if over else [each for each in ours.labels if each not in better]
        own = []
        for label in better:
            other = _best(ours.blocks[0].rows, label, others)
            if other is not None:
                own.append(_claim(ours, rows, method(label), method(other), claim.gain))
        claims += [each for each in own if each is not None]
        if not any(own):
            absent.append(f"{claim.column} over {claim.over}")
    return claims, absent


def table_claims(
    theirs: PublishedTable, metric: str, ours: Table, rows: Mapping[int, TableRow]
) -> list[Claim]:
    """That the proposed method is ahead of (or behind) each other one, as the table prints it.

    Parameters
    ----------
    theirs : PublishedTable
    metric : str
    ours : Table
        Its first block shows the metric.
    rows : mapping of int to TableRow
        Our rows by what the published rows count.
    """
    printed: dict[str, dict[int, PublishedCell]] = {}
    for cell in theirs.cells:
        if cell.metric == metric and cell.row in rows and ours.of(cell.algorithm):
            printed.setdefault(cell.column, {})[cell.row or 0] = cell
    own = printed.pop(theirs.source.proposed, None)
    if own is None or not ours.blocks[0].metric.ranked:
        return []
    sign = ours.blocks[0].metric.sign

    def method(cells: Mapping[int, PublishedCell]) -> _Method:
        label, design = ours.of(next(iter(cells.values())).algorithm)[0], {}
        for at, cell in cells.items():
            std = rows[at].cells[label].std if cell.std is None else cell.std
            design[at] = Side(0.0, std, cell.repeats)
        return _Method(label, design)

    claims, proposed = [], method(own)
    for cells in printed.values():
        both = (proposed, method(cells))
        where = [at for at in cells if at in own and all(rows[at].cells[each.label].draws for each in both)]
        # Where some rows have several draws, single runs are left out: they have no spread.
        several = [
            at
            for at in where
            if all(rows[at].cells[each.label].n > 1 and each.design[at].n != 1 for each in both)
        ]
        where = several or where
        if not where:
            continue
        stated = sign * fmean(own[at].mean - cells[at].mean for at in where)
        better, other = both if stated >= 0 else both[::-1]  # as printed
        claims.append(_claim(ours, {at: rows[at] for at in where}, better, other, abs(stated)))
    return [each for each in claims if each is not None]


def _claim(
    ours: Table, rows: Mapping[int, TableRow], better: _Method, other: _Method, stated: float | None
) -> Claim | None:
    """A claim with our gain, paired by draw; None where no draw is shared."""
    sign = ours.blocks[0].metric.sign
    leads = {}
    for at, row in rows.items():
        first, second = row.cells[better.label].draws, row.cells[other.label].draws
        leads[at] = [sign * each for each in paired(first, second)]
    if not any(leads.values()):
        return None
    several = [at for at, differences in leads.items() if len(differences) > 1]
    first_design, second_design = ([each.design[at] for at in several] for each in (better, other))
    least = detectable(first_design, second_design) if several else math.nan
    ahead = gain([differences for differences in leads.values() if differences])
    return Claim(better.label, other.label, stated, ahead, least)


def _best(rows: Sequence[TableRow], better: str, others: Sequence[str]) -> str | None:
    """Of the others the one with the highest mean over the rows that all have."""
    shared = [row for row in rows if all(row.cells[each].mean is not None for each in (better, *others))]
    if not shared or not others:
        return None
    return max(others, key=lambda each: math.fsum(row.cells[each].mean or 0.0 for row in shared))
