"""Does a printed average follow from the rows above it?"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from ...papers import PublishedTable
from .grim import decimals_of

FOLLOWS, LOOSE, WRONG = "follows", "within the rounding of the rows", "does not follow"


@dataclass(frozen=True)
class Average:
    """A printed average beside the mean of its rows."""

    # metric, column, statistic: `statistic` is "mean" or "±".
    metric: str
    column: str
    statistic: str
    printed: str
    rows: float  # the mean of the rows as printed
    # "follows" within the rounding of the average itself, "within the rounding of the rows" where these were
    # rounded before print too, or "does not follow".
    verdict: str


def averages(table: PublishedTable) -> tuple[Average, ...]:
    """Every printed average whose rows are all there."""
    compared = []
    for cell in table.averages:
        rows = table.of(cell.metric, cell.column).values()
        for statistic, printed, values in (
            ("mean", cell.digits, [each.digits for each in rows]),
            ("±", cell.spread, [each.spread for each in rows]),
        ):
            if not printed or not values or not all(values):
                continue
            mean = sum(map(Fraction, values), Fraction()) / len(values)
            gap = abs(Fraction(printed) - mean)
            own = Fraction(1, 2 * 10 ** decimals_of(printed))
            theirs = max(Fraction(1, 2 * 10 ** decimals_of(each)) for each in values)
            verdict = FOLLOWS if gap <= own else LOOSE if gap <= own + theirs else WRONG
            compared.append(Average(cell.metric, cell.column, statistic, printed, float(mean), verdict))
    return tuple(compared)
