"""GRIM: is a printed mean a mean of counts at all?

A mean accuracy over r runs of n samples is a whole number of hits out of r·n.  Brown, Heathers: The GRIM
test, Social Psychological and Personality Science 8(4), 2017.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction


@dataclass(frozen=True)
class Grim:
    """One printed mean beside the counts it can be a mean of."""

    printed: str
    trials: int  # samples times runs: the denominator
    possible: bool
    # Share of the numbers with so many decimals that the test would call impossible, in [0, 1]: what it can
    # find.  0 where every printable number is a mean of counts.
    power: float
    nearest: float  # the nearest mean of counts, in the unit of the printed number


def grim(printed: str, trials: int, full: int = 100) -> Grim:
    """Test a printed mean.

    A number that was first rounded to one decimal more, and then as printed, is called possible too.

    Parameters
    ----------
    printed : str
        As it stands in print; its decimals count.
    trials : int
        Samples times runs, ≥ 1.
    full : int
        The number that stands for all hits: 100 for percent, 1 for fractions.
    """
    decimals, value = decimals_of(printed), Fraction(printed)
    hits = min(trials, max(0, round(value * trials / full)))
    gap = abs(value - Fraction(hits * full, trials))
    return Grim(printed, trials, gap <= reach(decimals), power(decimals, trials, full), hits * full / trials)


def power(decimals: int, trials: int, full: int = 100) -> float:
    """Share of the printable numbers between 0 and `full` that are no mean of counts out of `trials`."""
    if Fraction(full, trials) <= 2 * reach(decimals):
        return 0.0
    # Each count stands for one printable number, or for two if it lies near the middle between them.
    period = trials // math.gcd(trials, full * 10**decimals)
    middle = math.floor(Fraction(11, 20) * period) - math.ceil(Fraction(9, 20) * period) + 1
    reachable = trials + 1 + trials // period * middle
    return 1 - reachable / (full * 10**decimals + 1)


def reach(decimals: int) -> Fraction:
    """How far a printed number may lie from the mean it stands for, rounded once or twice."""
    return Fraction(1, 2 * 10**decimals) + Fraction(1, 20 * 10**decimals)


def decimals_of(printed: str) -> int:
    """Decimals of a number as printed."""
    return max(0, -int(Decimal(printed).as_tuple().exponent))
