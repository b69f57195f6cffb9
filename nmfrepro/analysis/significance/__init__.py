"""Are methods different?  Friedman and Nemenyi over the rows of a table, Wilcoxon and Holm over paired draws.

After Demšar, Statistical comparisons of classifiers over multiple data sets, JMLR 7, 2006.  All p-values are
two-sided; every method is compared with every other.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...core.errors import ResultsError

LEAST_METHODS, LEAST_ROWS = 3, 2
"""Friedman's test ranks no fewer."""
BLOCK = 512
"""Ranks after which counts of their sums are scaled: 2^1024 is no number."""


@dataclass(frozen=True)
class Friedman:
    """Friedman's test with Nemenyi's critical difference."""

    labels: tuple[str, ...]  # the methods
    ranks: tuple[float, ...]  # mean rank of every method, 1 is best, ties averaged
    rows: int  # how many rows (cluster numbers, data sets) were ranked
    # chi_square, p_chi_square: Friedman's statistic, corrected for ties, with methods − 1 degrees of freedom.
    chi_square: float
    p_chi_square: float
    # f, p_f: Iman and Davenport's less conservative form; infinite, with p = 0, where all rows agree.
    f: float
    p_f: float
    alpha: float
    # Methods whose mean ranks differ by at least this much differ at level alpha (Nemenyi).
    critical_difference: float
    # The largest sets of methods that do not differ, best first; the bars of a critical-difference diagram.
    groups: tuple[tuple[str, ...], ...]

    @property
    def blunt(self) -> bool:
        """Whether the critical difference exceeds the range of mean ranks, so that it is never reached."""
        return self.critical_difference > len(self.labels) - 1

    @property
    def order(self) -> tuple[tuple[str, float], ...]:
        """Methods with their mean ranks, best first."""
        return tuple(sorted(zip(self.labels, self.ranks, strict=True), key=lambda each: each[1]))


def friedman(
    scores: ArrayLike, labels: Sequence[str], alpha: float = 0.05, lower_is_better: bool = False
) -> Friedman:
    """Test whether methods differ, and which.

    Parameters
    ----------
    scores : array_like, shape (rows, methods)
        One row per data set (here: number of clusters), one column per method; finite.
    labels : sequence of str
        Names of the methods.
    alpha : float
        Level of the critical difference, in (0, 1).
    lower_is_better : bool

    Raises
    ------
    ResultsError
        For fewer than three methods or two rows, or scores that are not finite.
    """
    from scipy.stats import f, friedmanchisquare, rankdata, studentized_range

    values = np.asarray(scores, dtype=np.float64)
    if values.ndim != 2 or values.shape[1] != len(labels) or not np.isfinite(values).all():
        raise ResultsError("Friedman's test needs a finite score of every method in every row")
    values = np.round(values, 10)  # means that are equal must tie, whatever the order they were added in
    rows, methods = values.shape
    if rows < LEAST_ROWS or methods < LEAST_METHODS:
        raise ResultsError(
            f"Friedman's test needs at least {LEAST_METHODS} methods and {LEAST_ROWS} rows that all of them "
            f"have, not {methods} and {rows}"
        )
    ranks = np.asarray(rankdata(values if lower_is_better else -values, axis=1))
    mean = ranks.mean(axis=0)
    with np.errstate(invalid="ignore"):
        chi, p_chi = map(float, friedmanchisquare(*values.T))
    if math.isnan(chi):  # all methods equal in every row
        chi, p_chi = 0.0, 1.0
    largest = rows * (methods - 1)
    statistic = (rows - 1) * chi / (largest - chi) if largest - chi > 1e-9 * largest else math.inf
    degrees = methods - 1, (methods - 1) * (rows - 1)
    q = float(studentized_range.ppf(1 - alpha, methods, np.inf)) / math.sqrt(2)
    critical = q * math.sqrt(methods * (methods + 1) / (6 * rows))
    return Friedman(
        labels=tuple(labels),
        ranks=tuple(float(rank) for rank in mean),
        rows=rows,
        chi_square=chi,
        p_chi_square=p_chi,
        f=statistic,
        p_f=0.0 if math.isinf(statistic) else float(f.sf(statistic, *degrees)),
        alpha=alpha,
        critical_difference=critical,
        groups=_groups(list(labels), mean, critical),
    )


def _groups(labels: list[str], ranks: NDArray[np.float64], critical: float) -> tuple[tuple[str, ...], ...]:
    """Runs of neighbours in rank order that span less than the critical difference, none inside another."""
    order = np.argsort(ranks, kind="stable")
    spans: list[tuple[int, int]] = []
    for start in range(len(order)):
        end = max(i for i in range(start, len(order)) if ranks[order[i]] - ranks[order[start]] < critical)
        if end > start and (not spans or end > spans[-1][1]):
            spans.append((start, end))
    return tuple(tuple(labels[i] for i in order[start : end + 1]) for start, end in spans)


@dataclass(frozen=True)
class SignedRank:
    """Wilcoxon's signed-rank test of differences."""

    p: float  # two-sided
    sign: int  # which way the ranks point, 1 or −1; 0 where they balance


def signed_rank(differences: ArrayLike) -> SignedRank:
    """Wilcoxon's signed-rank test, exact also where differences tie.

    Differences of zero are left out.  Under the hypothesis each rank counts as positive with probability ½;
    the distribution of their sum is built rank by rank as far as the smaller of both sums that are there, so
    no approximation for large n is needed.

    Its p-value is 1 if all differences, shape (n,), are zero.
    """
    from scipy.stats import rankdata

    moved = np.asarray(differences, dtype=np.float64)
    moved = moved[moved != 0]
    ranks = np.rint(2 * rankdata(np.abs(moved))).astype(np.int64)  # mean ranks of ties are halves
    ranks //= np.gcd.reduce(ranks, initial=0) or 1
    above, below = (int(ranks[side].sum()) for side in (moved > 0, moved < 0))
    chances = np.zeros(min(above, below) + 1)
    chances[0], end = 1.0, 1
    for count, rank in enumerate(np.sort(ranks), start=1):
        end = min(end + rank, len(chances))
        chances[rank:end] += chances[: max(0, end - rank)]
        if count % BLOCK == 0:
            chances[:end] *= 2.0**-BLOCK
    p = 2 * float(chances.sum()) * 2.0 ** -(len(ranks) % BLOCK)
    return SignedRank(min(1.0, p), int(np.sign(above - below)))


def least_p(n: int, tests: int) -> float:
    """The smallest p-value that Holm leaves one of so many tests, each of n differences: all of one sign."""
    return min(1.0, tests * 2.0 ** (1 - n))


def holm(p: Sequence[float]) -> list[float]:
    """Holm's step-down adjustment of p-values: each is to be held against the level itself."""
    adjusted, highest = [1.0] * len(p), 0.0
    for step, position in enumerate(sorted(range(len(p)), key=p.__getitem__)):
        highest = max(highest, min(1.0, (len(p) - step) * p[position]))
        adjusted[position] = highest
    return adjusted
