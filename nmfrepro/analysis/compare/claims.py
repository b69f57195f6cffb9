"""Claims of a paper's text on a table that is lost, beside differences of our averages."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

from ...papers import Claim, PublishedTable
from ..tables import Table
from .agreement import Comparison, Matched, Side, comparison, mean_of_rows, pooled_error


def compare_claims(theirs: PublishedTable, metric: str, ours: Table) -> Comparison:
    """Compare the claims on one metric.

    Parameters
    ----------
    theirs : PublishedTable
        Of kind "claims".
    metric : str
    ours : Table
        Its first block shows the metric.
    """
    matched: Matched = []
    absent: list[str] = []
    for claim in (each for each in theirs.claims if each.metric == metric):
        gains = _gains(claim, ours)
        matched += [
            (f"{claim.column} over {claim.over}", label, [("Avg", _stated(claim), g)]) for label, g in gains
        ]
        if not gains:
            absent.append(f"{claim.column} over {claim.over}")
    source = f"text on {theirs.source.number} of {theirs.source.paper}"
    return replace(comparison(ours.blocks[0].metric, source, "", matched, absent), ranking=None)


def _stated(claim: Claim) -> Side:
    if claim.gain is None:
        return Side(math.nan, None, None, "better")
    return Side(claim.gain, None, None, f"{claim.gain:+.2f}")


def _gains(claim: Claim, table: Table) -> list[tuple[str, Side]]:
    """Per column of the better method: its name and the other's, and the difference of their averages."""
    better = [i for i, name in enumerate(table.algorithms) if name == claim.algorithm]
    if claim.over_algorithm:
        others = [i for i, name in enumerate(table.algorithms) if name == claim.over_algorithm]
    else:
        others = [i for i in range(len(table.algorithms)) if i not in better]
    return [_gain(table, i, others) for i in better if others and _shared(table, [i, *others])]


def _shared(table: Table, columns: Sequence[int]) -> list[int]:
    """The rows in which all these columns have a value."""
    rows = table.blocks[0].rows
    return [r for r, row in enumerate(rows) if all(row.cells[i].mean is not None for i in columns)]


def _gain(table: Table, better: int, others: Sequence[int]) -> tuple[str, Side]:
    """By how much a column's average is above the best of the others, over the rows that all have."""
    rows = [table.blocks[0].rows[r].cells for r in _shared(table, [better, *others])]
    means = {i: math.fsum(row[i].mean or 0.0 for row in rows) / len(rows) for i in (better, *others)}
    best = max(others, key=means.__getitem__)
    errors: list[float | None] = []
    for row in rows:
        spreads = [cell.std / math.sqrt(cell.n) for cell in (row[better], row[best]) if cell.std is not None]
        errors.append(math.hypot(*spreads) if len(spreads) == 2 else None)
    gain = means[better] - means[best]
    side = mean_of_rows(gain, pooled_error(errors), len(rows), f"{gain:+.2f}")
    return f"{table.labels[better]} over {table.labels[best]}", side
