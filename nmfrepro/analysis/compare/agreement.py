"""Do two numbers agree?  Pairs of cells, the verdict on each, and the order of methods on both sides.

The verdict is the same everywhere.  With d = reproduced − published and SE from both standard deviations
over the number of repeats: a cell agrees if |d| ≤ max(1, 2 SE) points; else it is too noisy to tell if
2 SE > 5 points; else it differs.  Running times agree within a factor of two.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from ...metrics import Metric
from ...views.tables import number

Matched = list[tuple[str, str, list[tuple[str, "Side", "Side"]]]]
"""Per method: their name, our name, and the rows that both sides have."""

AGREES, NOISY, DIFFERS = "agrees", "too noisy to tell", "differs"
NARROW, WIDE = 1.0, 5.0
"""Points within which any difference agrees, and beyond which 2 SE tells nothing."""
FACTOR = 2.0
"""Ratios of running times agree within this factor."""


@dataclass(frozen=True)
class Side:
    """One number of a pair.

    Attributes
    ----------
    mean : float
        In the metric's unit; NaN for a claim that only says which method is better.
    std : float or None
        Standard deviation of the repeats; None where it is not known.
    n : int or None
        Repeats; None where they are not known.
    text : str
        As it is shown.
    """

    mean: float
    std: float | None
    n: int | None
    text: str


@dataclass(frozen=True)
class Pair:
    """A cell on both sides.

    Attributes
    ----------
    row : str
        Its coordinates, "Avg" for the mean over the rows that both sides have.
    theirs, ours : Side
    difference : float
        ours − theirs in points; for running times the factor ours / theirs.
    error : float or None
        Standard error of the difference; None where no side has a spread.
    verdict : str
    """

    row: str
    theirs: Side
    ours: Side
    difference: float
    error: float | None
    verdict: str

    @property
    def single(self) -> bool:
        """Whether a side is a single run."""
        return 1 in (self.theirs.n, self.ours.n)

    @property
    def wide(self) -> bool:
        """Whether 2 SE is so large that agreement says little."""
        return self.error is not None and 2 * self.error > WIDE

    @property
    def far(self) -> bool:
        """Whether the difference is more than 4 SE, which noise does not explain."""
        return self.error is not None and abs(self.difference) > 4 * self.error


@dataclass(frozen=True)
class Column:
    """A method on both sides, for one metric."""

    theirs: str
    ours: str
    pairs: tuple[Pair, ...]
    average: Pair | None

    def count(self, verdict: str) -> int:
        """How many cells have that verdict, the average not counted."""
        return sum(pair.verdict == verdict for pair in self.pairs)

    @property
    def overall(self) -> Pair:
        """The average, or the only cell."""
        return self.average or self.pairs[0]


@dataclass(frozen=True)
class Ranking:
    """The order of the methods by their averages over the rows that all of them have on both sides.

    Attributes
    ----------
    theirs, ours : tuple of str
        Best first, by the names of the reproduced columns.
    tau : float
        Kendall's τ-b between the averages; NaN if it is not defined.
    """

    theirs: tuple[str, ...]
    ours: tuple[str, ...]
    tau: float

    @property
    def agrees(self) -> bool:
        """Whether both orders are the same."""
        return self.theirs == self.ours


@dataclass(frozen=True)
class Comparison:
    """All columns for one metric.

    Attributes
    ----------
    metric : Metric
    source : str
        Where the other side's numbers are from; empty where that is clear.
    coordinate : str
        What the rows are.
    ratio : bool
        Whether ratios to the first method are compared instead of the numbers.
    columns : tuple of Column
    absent : tuple of str
        Their columns (or rows) that have no counterpart in the run.
    ranking : Ranking or None
    """

    metric: Metric
    source: str
    coordinate: str
    ratio: bool
    columns: tuple[Column, ...]
    absent: tuple[str, ...]
    ranking: Ranking | None


def verdict(difference: float, error: float | None) -> str:
    """The verdict on a difference in points; without a standard error only the first rule can be met.

    Parameters
    ----------
    difference : float
        reproduced − published.
    error : float or None
        Standard error of the difference.
    """
    two = 0.0 if error is None else 2 * error
    if abs(difference) <= max(NARROW, two):
        return AGREES
    return NOISY if two > WIDE else DIFFERS


def standard_error(theirs: Side, ours: Side) -> float | None:
    """Of the difference of two means; a side without a spread takes the other's.  None if neither has one."""
    total = 0.0
    for side, other in ((theirs, ours), (ours, theirs)):
        std, n = side.std if side.std is not None else other.std, side.n or other.n
        if std is None or n is None:
            return None
        total += std**2 / n
    return math.sqrt(total)


def pooled_error(errors: Sequence[float | None]) -> float | None:
    """Standard error of the mean of rows; a row without one counts with the mean square of the others."""
    known = [error for error in errors if error is not None]
    if not known:
        return None
    return math.sqrt(math.fsum(error**2 for error in known) / len(known) / len(errors))


def mean_of_rows(mean: float, error: float | None, rows: int, text: str) -> Side:
    """A mean over rows, with a spread over that many repeats whose standard error is that of the mean."""
    return Side(mean, None if error is None else error * math.sqrt(rows), rows, text)


def comparison(
    metric: Metric,
    source: str,
    coordinate: str,
    matched: Matched,
    absent: Sequence[str],
    to_first: bool = False,
) -> Comparison:
    """All pairs of one metric with their verdicts, the averages and the order of the methods.

    Parameters
    ----------
    metric : Metric
    source, coordinate : str
        Where the other side is from, and what the rows count.
    matched : list
        Per method: their name, our name, and (row, theirs, ours) for the rows both sides have.
    absent : sequence of str
        Their columns or rows without a counterpart.
    to_first : bool
        Whether running times are compared as multiples of the first method's.
    """
    ratio = metric.unit == "s"
    if ratio and to_first:
        matched = _multiples(matched)
    columns = []
    for theirs, ours, sides in matched:
        pairs = tuple(_pair(row, first, second, ratio) for row, first, second in sides)
        if pairs:
            columns.append(Column(theirs, ours, pairs, None if ratio else _average(pairs, metric)))
    ranking = None if ratio else _ranking(columns, metric)
    return Comparison(metric, source, coordinate, ratio, tuple(columns), tuple(absent), ranking)


def _pair(row: str, theirs: Side, ours: Side, ratio: bool) -> Pair:
    if ratio:
        factor = ours.mean / theirs.mean if theirs.mean > 0 else math.inf
        return Pair(row, theirs, ours, factor, None, AGREES if 1 / FACTOR <= factor <= FACTOR else DIFFERS)
    error = standard_error(theirs, ours)
    if math.isnan(theirs.mean):  # a claim without a number: ours is a gain, and it should be one
        said = AGREES if ours.mean > 0 else NOISY if error is not None and 2 * error > WIDE else DIFFERS
        return Pair(row, theirs, ours, ours.mean, error, said)
    difference = ours.mean - theirs.mean
    return Pair(row, theirs, ours, difference, error, verdict(difference, error))


def _average(pairs: Sequence[Pair], metric: Metric) -> Pair | None:
    """The means over the rows both sides have; None for a single row."""
    if len(pairs) < 2:
        return None
    theirs, ours = (
        math.fsum(side) / len(pairs)
        for side in zip(*((p.theirs.mean, p.ours.mean) for p in pairs), strict=True)
    )
    error = pooled_error([pair.error for pair in pairs])
    return Pair(
        "Avg",
        Side(theirs, None, None, number(theirs, metric.unit)),
        Side(ours, None, None, number(ours, metric.unit)),
        ours - theirs,
        error,
        verdict(ours - theirs, error),
    )


def _multiples(matched: Matched) -> Matched:
    """Times as multiples of the first method's in the same row."""
    if not matched:
        return []
    name = matched[0][1]
    base = {
        row: (first.mean, second.mean)
        for row, first, second in matched[0][2]
        if first.mean > 0 and second.mean > 0
    }

    def over(side: Side, unit: float) -> Side:
        return Side(side.mean / unit, None, side.n, f"{side.mean / unit:.3g} x {name} ({side.text} s)")

    return [
        (
            theirs,
            ours,
            [(row, over(a, base[row][0]), over(b, base[row][1])) for row, a, b in sides if row in base],
        )
        for theirs, ours, sides in matched[1:]
    ]


def _ranking(columns: Sequence[Column], metric: Metric) -> Ranking | None:
    """The order of the methods; of a method with several columns of ours, the first one counts."""
    first: dict[str, Column] = {}
    for column in columns:
        first.setdefault(column.theirs, column)
    rows = (
        set.intersection(*({pair.row for pair in column.pairs} for column in first.values()))
        if first
        else set()
    )
    if len(first) < 2 or not rows:
        return None
    means: list[tuple[float, float]] = []
    for column in first.values():
        shared = [pair for pair in column.pairs if pair.row in rows]
        means.append((math.fsum(p.theirs.mean for p in shared), math.fsum(p.ours.mean for p in shared)))
    names, sign = [column.ours for column in first.values()], 1 if metric.lower_is_better else -1
    by_theirs = sorted(range(len(names)), key=lambda i: sign * means[i][0])
    by_ours = sorted(range(len(names)), key=lambda i: sign * means[i][1])
    return Ranking(tuple(names[i] for i in by_theirs), tuple(names[i] for i in by_ours), _kendall(means))


def _kendall(means: Sequence[tuple[float, float]]) -> float:
    from scipy.stats import kendalltau

    theirs, ours = zip(*means, strict=True)
    if len(set(theirs)) == 1 or len(set(ours)) == 1:
        return math.nan
    return float(kendalltau(theirs, ours).statistic)
