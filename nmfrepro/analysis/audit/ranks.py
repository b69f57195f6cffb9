"""Do a printed p-value and critical difference follow from the table they were computed from?"""

from __future__ import annotations

import math
from dataclasses import dataclass

from ... import protocols
from ...papers import PublishedTable
from ..significance import Friedman, friedman
from .grim import decimals_of
from .printed import Design


@dataclass(frozen=True)
class Recomputed:
    """The Friedman test and Nemenyi's critical difference of one metric, over one choice of rows."""

    # metric, rows: `rows` says which: "8 rows", or with the average counted as one.
    metric: str
    rows: str
    averaged: bool  # whether the row of averages is counted as one more
    test: Friedman
    # p_follows, difference_follows: whether the printed p-value (of χ² or F) and critical difference are
    # these; None if none is printed.
    p_follows: bool | None
    difference_follows: bool | None


def recomputed(table: PublishedTable, design: Design) -> tuple[Recomputed, ...]:
    """The tests of every metric that has three methods and two rows, without and with the row of averages."""
    tests = []
    for metric in table.metrics:
        both = (*table.cells, *table.averages)
        cells = {(c.row, c.column): float(c.digits) for c in both if c.metric == metric}
        columns = [c for c in table.columns if all((row, c) in cells for row in table.rows)]
        if len(columns) < 3 or len(table.rows) < 2:
            continue
        lower = protocols.description(metric).lower_is_better
        averages = design.critical_difference and all((None, column) in cells for column in columns)
        for averaged in (False, True) if averages else (False,):
            name = f"{len(table.rows)} rows{' and the average as one more' if averaged else ''}"
            rows = (*table.rows, None) if averaged else table.rows
            scores = [[cells[row, c] for c in columns] for row in rows]
            test = friedman(scores, columns, design.alpha, lower)
            printed_p, printed_cd = design.p, design.critical_difference
            p = any(_same(printed_p, each) for each in (test.p_chi_square, test.p_f)) if printed_p else None
            cd = _near(printed_cd, test.critical_difference, 1.5) if printed_cd else None
            tests.append(Recomputed(metric, name, averaged, test, p, cd))
    return tuple(tests)


def _same(printed: str, value: float) -> bool:
    """Whether a p-value is the printed one: to its digits, or within a tenth, since programs differ."""
    if _near(printed, value, 0.55):
        return True
    return min(value, float(printed)) > 0 and abs(math.log10(float(printed)) - math.log10(value)) < 0.05


def _near(printed: str, value: float, reach: float) -> bool:
    """Whether a number is printed so, give or take some of the last digit."""
    return abs(float(printed) - value) <= reach * 10.0 ** -decimals_of(printed)
