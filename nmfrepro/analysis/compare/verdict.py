"""What the difference of two means says, given how precisely both are known.

Both one-sided tests for equivalence within a margin (Schuirmann 1987), and their mirror image, with the
standard error and degrees of freedom of Welch and Satterthwaite.  That a difference is not significant is no
success here (Pawel, Heyard, Micheloud, Held, eLife 2024, 92311): it is inconclusive.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Self

from ...spec import Spec
from ..tables.layout import row_name

REPRODUCED, DEVIATES, DIFFERS = "reproduced", "deviates", "differs, size open"
INCONCLUSIVE, NO_SPREAD = "inconclusive", "no spread"
UNJUDGED = "no verdict"
"""Of smoke runs and of runs on other data than the paper's."""
VERDICTS = (REPRODUCED, DEVIATES, DIFFERS, INCONCLUSIVE, NO_SPREAD)

MARGIN = Spec.margin
"""Points within which a reproduced mean counts as the published one, unless a spec has another margin."""
MARGINS = (1.0, 5.0)
"""Whose verdicts are shown along with those of the declared one."""
MOST_DRAWS = 1_000_000
"""Beyond so many draws nothing is worth deciding."""


@dataclass(frozen=True)
class Side:
    """A mean over repeats, as one number of a pair, in the metric's unit."""

    mean: float
    std: float | None = None  # sample standard deviation of the repeats; None where it is not known
    n: int | None = None  # repeats; None where they are not known
    text: str = ""  # as printed; "" for numbers of ours, which are shown in the table's way
    note: str = ""  # what is to be said behind the number: its dimension, or what it is a mean of
    # The score of every draw; empty where only the mean is known.
    draws: Mapping[int, float] = field(default_factory=dict)
    complete: bool = True  # whether all planned repeats are in the mean; known of ours alone

    @property
    def variance(self) -> float | None:
        """Squared standard error of the mean; None without a spread over at least two repeats."""
        if self.std is None or self.n is None or self.n < 2:
            return None
        return self.std**2 / self.n


@dataclass(frozen=True)
class Sides:
    """A cell on both sides."""

    # The coordinates of our row; None for the mean over the rows that both sides have.
    where: tuple[int, ...] | None
    theirs: Side
    ours: Side

    @property
    def row(self) -> str:
        """What stands in front of our row."""
        return row_name(self.where)


@dataclass(frozen=True)
class Difference:
    """A difference of means, and how precisely it is known."""

    mean: float  # in points; reproduced − published, or first − second
    # error, freedom: its standard error and degrees of freedom; NaN and 0 where there is no spread.
    error: float = math.nan
    freedom: float = 0.0

    @property
    def half_width(self) -> float:
        """Half the 90 % interval; NaN without a spread."""
        return quantile(0.95, self.freedom) * self.error

    def interval(self) -> tuple[float, float]:
        """Where the true difference lies with a confidence of 90 %; NaN without a spread."""
        return self.mean - self.half_width, self.mean + self.half_width

    @property
    def significant(self) -> bool:
        """Whether its 95 % interval is without 0; beside print, the prediction interval without theirs."""
        return abs(self.mean) > quantile(0.975, self.freedom) * self.error


@dataclass(frozen=True)
class Judgement(Difference):
    """A pair of means and what they say."""

    verdict: str = NO_SPREAD  # one of `VERDICTS`
    # Where the verdict is inconclusive: how many draws of ours would decide it if the difference stays; None
    # where no number does, since the published mean is not known precisely enough.
    needed: int | None = None

    @classmethod
    def of(cls, difference: Difference, margin: float, **more: Any) -> Self:
        """What a difference says; see `decide`."""
        verdict = decide(difference, margin)
        return cls(difference.mean, difference.error, difference.freedom, verdict, **more)

    @property
    def undecidable(self) -> bool:
        """Whether the verdict is open and no number of our draws would decide it."""
        return self.verdict == INCONCLUSIVE and self.needed is None


def judge(published: Side, ours: Side, margin: float = MARGIN) -> Judgement:
    """Compare a reproduced mean with a published one.

    With d the difference, SE its standard error, ν the degrees of freedom and δ the margin, the verdict is

    - "reproduced" if |d| + t(0.95, ν)·SE < δ: the 90 % interval lies inside ±δ;
    - "deviates" if |d| − t(0.95, ν)·SE > δ: it lies outside;
    - "differs, size open" if neither, and |d| > t(0.975, ν)·SE;
    - "inconclusive" otherwise;
    - "no spread" if a side has none (a single run of ours, or no spread printed): d is shown and not judged.

    A single run in print is held against the prediction interval of one run: its spread is ours.
    """
    found = Judgement.of(welch(published, ours), margin)
    if found.verdict == INCONCLUSIVE:
        return replace(found, needed=draws_needed(published, ours, margin))
    return found


def decide(difference: Difference, margin: float) -> str:
    """The verdict on a difference; see `judge`."""
    size, half = abs(difference.mean), difference.half_width
    if math.isnan(half):
        return NO_SPREAD
    if size + half < margin:
        return REPRODUCED
    if size - half > margin:
        return DEVIATES
    return DIFFERS if difference.significant else INCONCLUSIVE


def welch(first: Side, second: Side) -> Difference:
    """The difference second − first of two means, after Welch and Satterthwaite.

    Where the first is a single run, it varies as the second's runs do.
    """
    mean, a, b = second.mean - first.mean, first.variance, second.variance
    if b is not None and first.n == 1 and second.std is not None and second.n is not None:
        return Difference(mean, math.sqrt(second.std**2 + b), second.n - 1)
    if a is None or b is None or first.n is None or second.n is None:
        return Difference(mean)
    return Difference(mean, *error_of_sum((a, first.n - 1), (b, second.n - 1)))


def error_of_sum(*parts: tuple[float, float]) -> tuple[float, float]:
    """Standard error of a sum, of whose parts the variances with their degrees of freedom are given.

    Its degrees of freedom, the second number, are infinite if all variances are zero.
    """
    total = sum(variance for variance, _ in parts)
    spread = sum(variance**2 / freedom for variance, freedom in parts)
    return math.sqrt(total), total**2 / spread if spread > 0 else math.inf


def error_of_mean(*parts: tuple[float, float]) -> tuple[float, float]:
    """`error_of_sum` of the mean of what the parts are of."""
    return error_of_sum(*((variance / len(parts) ** 2, freedom) for variance, freedom in parts))


def draws_needed(published: Side, ours: Side, margin: float) -> int | None:
    """How many draws of ours would lead to another verdict than "inconclusive" if means and spreads stay.

    Returns
    -------
    int or None
        None where none up to `MOST_DRAWS` does: t·s/√n of the published mean is more than what lies between
        the difference and the margin, and the difference is too small beside it to be one.
    """
    # A single run in print varies as ours do.
    if ours.std is None or published.n is None or (published.variance is None and published.n > 1):
        return None

    def decides(n: int) -> bool:
        return decide(welch(published, Side(ours.mean, ours.std, n)), margin) != INCONCLUSIVE

    # The freedom falls back to that of print while draws are added, so more draws can decide less: the first
    # size that decides is sought by steps of a tenth, and the least one behind the size before it.
    before, size = 1, max(2, ours.n or 2)
    while not decides(size):
        if size >= MOST_DRAWS:
            return None
        before, size = size, max(size + 1, size * 11 // 10)
    return before + 1 + bisect_left(range(before + 1, size), True, key=decides)


def quantile(level: float, freedom: float) -> float:
    """Student's t; the normal distribution's quantile for infinite degrees of freedom."""
    from scipy.special import ndtri, stdtrit

    return float(ndtri(level) if math.isinf(freedom) else stdtrit(freedom, level))
