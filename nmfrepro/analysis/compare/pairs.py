"""Cells of two sides that belong together, the verdict on each, and all cells of a method taken together."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from statistics import fmean

import numpy as np

from ...metrics import Metric
from .evidence import Evidence, evidence
from .gain import Claim, gain, paired
from .verdict import DEVIATES, NO_SPREAD, REPRODUCED, UNJUDGED, Judgement, Side, Sides, judge

FACTOR = 2.0
"""Ratios of running times are reproduced within this factor."""


@dataclass(frozen=True)
class Matched:
    """A column of theirs and one of ours that belong together."""

    # theirs, ours: their names.
    theirs: str
    ours: str
    cells: tuple[Sides, ...]  # in the rows that both have


@dataclass(frozen=True)
class Pair(Sides):
    """A cell on both sides with its verdict."""

    difference: float  # ours − theirs in points; for running times the factor ours / theirs
    verdict: str
    # What the verdict rests on; None for factors, averages, and where nothing is judged.
    judgement: Judgement | None = None

    @property
    def single(self) -> bool:
        """Whether a side is a single run."""
        return 1 in (self.theirs.n, self.ours.n)


@dataclass(frozen=True)
class Column:
    """A method on both sides, for one metric."""

    theirs: str
    ours: str
    pairs: tuple[Pair, ...]
    average: Pair | None  # of the means over the rows; None for a single row
    # The cells with a spread taken together; None where there is none, or nothing is judged.
    evidence: Evidence | None
    judged: tuple[Pair, ...]  # those cells; all of them where there is no evidence

    @property
    def means(self) -> tuple[float, float]:
        """Their mean and ours over the judged cells."""
        return _mean(pair.theirs for pair in self.judged), _mean(pair.ours for pair in self.judged)


@dataclass(frozen=True)
class Ranking:
    """The order of the methods by their averages over the rows that all of them have on both sides."""

    # theirs, ours: best first, by the names of the reproduced columns.
    theirs: tuple[str, ...]
    ours: tuple[str, ...]
    tau: float  # Kendall's τ-b between the averages; NaN if it is not defined

    @property
    def agrees(self) -> bool:
        """Whether both orders are the same."""
        return self.theirs == self.ours


@dataclass(frozen=True)
class Rules:
    """How pairs are judged."""

    margin: float  # in points
    # Why there are no verdicts: of smoke runs, and on other data than the paper's; "" where there are.
    unjudged: str = ""
    paired: bool = False  # whether both sides are runs on the same draws


@dataclass(frozen=True)
class Comparison:
    """All pairs of one metric."""

    metric: Metric
    coordinate: str  # what the rows count
    columns: tuple[Column, ...]
    absent: tuple[str, ...]  # their columns or rows without a counterpart
    rules: Rules
    # table, source: where the other side is printed, "Table V", of which paper; "" where it is another run.
    table: str = ""
    source: str = ""
    claims: tuple[Claim, ...] = ()

    @cached_property
    def ranking(self) -> Ranking | None:
        """None for running times, and where there is nothing to rank."""
        return None if self.metric.timed else _ranking(self.columns, self.metric)


def columns_of(metric: Metric, matched: Iterable[Matched], rules: Rules) -> tuple[Column, ...]:
    """All pairs of one metric with their verdicts."""
    ratio, columns = metric.timed, []
    for each in matched:
        pairs = tuple(_pair(cell, ratio, rules) for cell in each.cells)
        if pairs:
            together = None if ratio or rules.unjudged else _evidence(pairs, rules)
            average = None if ratio else _average(pairs, together, rules)
            judged = tuple(pair for pair in pairs if together is None or _enters(pair, rules))
            columns.append(Column(each.theirs, each.ours, pairs, average, together, judged))
    return tuple(columns)


def _pair(cell: Sides, ratio: bool, rules: Rules) -> Pair:
    where, theirs, ours = cell.where, cell.theirs, cell.ours
    if ratio:
        factor = ours.mean / theirs.mean if theirs.mean > 0 else math.inf
        verdict = REPRODUCED if 1 / FACTOR <= factor <= FACTOR else DEVIATES
        return Pair(where, theirs, ours, factor, UNJUDGED if rules.unjudged else verdict)
    if rules.unjudged:
        return Pair(where, theirs, ours, ours.mean - theirs.mean, UNJUDGED)
    shared = _differences(cell) if rules.paired else []
    by_draw = Judgement.of(gain([shared]), rules.margin) if len(shared) > 1 else None
    judgement = by_draw or judge(theirs, ours, rules.margin)
    return Pair(where, theirs, ours, judgement.mean, judgement.verdict, judgement)


def _differences(cell: Sides) -> list[float]:
    return paired(cell.ours.draws, cell.theirs.draws)


def _enters(pair: Pair, rules: Rules) -> bool:
    """Whether a cell has draws enough to count in the evidence."""
    return len(_differences(pair) if rules.paired else pair.ours.draws) > 1


def _evidence(pairs: Sequence[Pair], rules: Rules) -> Evidence | None:
    """All cells of a method together: by paired draws, or beside printed means."""
    if not rules.paired:
        return evidence(pairs, rules.margin)
    rows = [_differences(pair) for pair in pairs if _enters(pair, rules)]
    return Evidence.of(gain(rows), rules.margin) if rows else None


def _average(pairs: Sequence[Pair], together: Evidence | None, rules: Rules) -> Pair | None:
    """The means over the rows both sides have (of two runs, with draws to pair); None for a single row."""
    if len(pairs) < 2:
        return None
    if rules.paired and together is not None:
        pairs = [pair for pair in pairs if _enters(pair, rules)]
    theirs, ours = _mean(pair.theirs for pair in pairs), _mean(pair.ours for pair in pairs)
    verdict = UNJUDGED if rules.unjudged else NO_SPREAD if together is None else together.verdict
    return Pair(None, Side(theirs), Side(ours), ours - theirs, verdict)


def _mean(sides: Iterable[Side]) -> float:
    return fmean(side.mean for side in sides)


def multiples(matched: Sequence[Matched]) -> list[Matched]:
    """Running times as multiples of the first method's in the same row."""
    if not matched:
        return []
    first, *others = matched
    base = {cell.where: cell for cell in first.cells if cell.theirs.mean > 0 and cell.ours.mean > 0}

    def over(side: Side, unit: Side) -> Side:
        seconds, factor = side.text or f"{side.mean:.3g}", side.mean / unit.mean
        return Side(factor, n=side.n, text=f"{factor:.3g} x {first.ours} ({seconds} s)")

    multiples = []
    for each in others:
        shared = ((cell, base[cell.where]) for cell in each.cells if cell.where in base)
        cells = (Sides(c.where, over(c.theirs, unit.theirs), over(c.ours, unit.ours)) for c, unit in shared)
        multiples.append(replace(each, cells=tuple(cells)))
    return multiples


def first_columns(columns: Iterable[Column]) -> dict[str, Column]:
    """By their method; of one with several columns of ours, the first."""
    first: dict[str, Column] = {}
    for column in columns:
        first.setdefault(column.theirs, column)
    return first


def _ranking(columns: Sequence[Column], metric: Metric) -> Ranking | None:
    """The order of the methods; of a method with several columns of ours, the first one counts."""
    first = first_columns(columns)
    every = [{pair.where for pair in column.pairs} for column in first.values()]
    rows = set.intersection(*every) if len(every) > 1 else set()
    if not rows:
        return None
    theirs, ours = dict[str, float](), dict[str, float]()  # sums by their name of the method
    for name, column in first.items():
        shared = [pair for pair in column.pairs if pair.where in rows]
        theirs[name] = math.fsum(pair.theirs.mean for pair in shared)
        ours[name] = math.fsum(pair.ours.mean for pair in shared)
    orders = [tuple(first[name].ours for name in metric.best_first(sums)) for sums in (theirs, ours)]
    return Ranking(orders[0], orders[1], _kendall(theirs, ours))


def _kendall(first: Mapping[str, float], second: Mapping[str, float]) -> float:
    """Kendall's τ-b; scipy has it too, in a module that takes half a second to import."""
    values = (np.array(list(each.values())) for each in (first, second))
    a, b = (np.sign(np.subtract.outer(each, each)) for each in values)  # which of two is the larger
    ties = float(np.abs(a).sum() * np.abs(b).sum())
    return float((a * b).sum()) / math.sqrt(ties) if ties else math.nan
