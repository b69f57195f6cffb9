"""By how much one method leads another: a paper's claim, and our gain paired by draw.

The draws of a run are shared by all methods, so that the difference within a draw is free of how hard the
draw is.  Whether a gain is too small for the paper to have found it is asked as Simonsohn (2015) does: a
study speaks against an effect if it rules out what the earlier design would have found in one case of three.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean, variance

from .verdict import Difference, Side, error_of_mean, error_of_sum, quantile

HOLDS, FAILS, OPEN = "holds", "fails", "open"
POWER = 1 / 3
"""Power at which the earlier design could have found an effect."""


@dataclass(frozen=True)
class Gain(Difference):
    """Mean of paired differences over rows and draws: over rows, of each row's mean over draws.

    Its error is that for other draws of the same data; there is none where no row has two draws.
    """

    pairs: int = 0  # of draws that it is the mean of


def paired(first: Mapping[int, float], second: Mapping[int, float]) -> list[float]:
    """first − second in the draws that both have."""
    return [value - second[draw] for draw, value in first.items() if draw in second]


def gain(rows: Sequence[Sequence[float]]) -> Gain:
    """The gain behind paired differences first − second, of which there must be one.

    Each row (number of clusters, training images) has one for a draw.  Where some rows have several draws,
    those with a single one are left out: they have no spread.
    """
    several = [row for row in rows if len(row) > 1]
    used = several or [row for row in rows if row]
    mean = fmean(fmean(row) for row in used)
    count = sum(len(row) for row in used)
    if not several:
        return Gain(mean, pairs=count)
    parts = ((variance(row) / len(row), len(row) - 1) for row in used)
    return Gain(mean, *error_of_mean(*parts), pairs=count)


@dataclass(frozen=True)
class Claim:
    """A claim of a paper ("A before B by g") and what our draws say of it."""

    # better, other: the methods, by the names of our columns.
    better: str
    other: str
    stated: float | None  # the gain in print, in points; None where the text only says which is better
    ours: Gain
    # The gain that the paper's design would have found significant (two-sided, 5 %) in one case of three;
    # NaN where no spread is known.
    detectable: float

    @property
    def turned_round(self) -> bool:
        """Whether our 90 % interval ends below 0: the other method is ahead."""
        return self.ours.interval()[1] < 0

    @property
    def too_small(self) -> bool:
        """Whether the upper end of our 90 % interval is below what the paper's design could have found."""
        return self.ours.interval()[1] < self.detectable

    @property
    def verdict(self) -> str:
        """`HOLDS` with the 90 % interval above 0, `FAILS` if it ends below 0 or is too small, or `OPEN`."""
        if self.ours.interval()[0] > 0:
            return HOLDS
        return FAILS if self.turned_round or self.too_small else OPEN


def detectable(better: Sequence[Side], other: Sequence[Side]) -> float:
    """The difference of two averages over rows that a design finds significant with `POWER`.

    Two-sided test at 5 % with the means as independent samples: print does not say how its draws pair up.

    Parameters
    ----------
    better, other : sequences of Side
        The rows of both methods.

    Returns
    -------
    float
        In points; NaN where a row has no spread, or none varies.
    """
    from scipy.optimize import brentq
    from scipy.special import nctdtr

    parts = []
    for each in (*better, *other):
        if each.variance is None or each.n is None:
            return math.nan
        parts.append((each.variance / len(better) ** 2, each.n - 1))
    error, freedom = error_of_sum(*parts)
    if not error:
        return math.nan
    critical = quantile(0.975, freedom)

    def missing(noncentrality: float) -> float:
        upper = 1 - float(nctdtr(freedom, noncentrality, critical))
        return upper + float(nctdtr(freedom, noncentrality, -critical)) - POWER

    high = 1.0
    while missing(high) < 0:
        high += 1.0
    return error * float(brentq(missing, high - 1.0, high, xtol=1e-9))
