"""Tables as line charts: where every curve, point and bar lies; the template draws them as SVG."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

from ...algorithms import Look
from ...analysis.tables import Block, Table
from ...metrics import Metric
from ...protocols import Protocol
from ...spec.columnlabels import by_size, show, without_settings
from ..plots.axes import LOGARITHMIC, ended
from ..plots.picture import symbol
from ..plots.style import looks_of
from ..tables import PLAIN, cell_text, heading
from .published import Pairs, published_text

WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 560, 310, 50, 12, 10, 46
TICK = 30
"""The least distance of two numbers on the lower axis."""
FEWEST = 3
"""Fewer positions make no curve; the table says more."""
DASHES = {"--": "6 3", "-.": "6 3 1.5 3", ":": "1.5 3"}
# Outlines of the markers, about 8 wide around 0, by matplotlib's names; others of plug-ins are dots.
OUTLINES = {
    "o": "M-4,0a4,4 0 1,0 8,0a4,4 0 1,0-8,0z",
    "s": "M-3.5-3.5h7v7h-7z",
    "^": "M0-4.6l4.3,8h-8.6z",
    "v": "M0,4.6l4.3-8h-8.6z",
    "<": "M-4.6,0l8-4.3v8.6z",
    ">": "M4.6,0l-8-4.3v8.6z",
    "D": "M0-4.8l4.8,4.8-4.8,4.8-4.8-4.8z",
    "P": "M-1.6-4.6h3.2v3h3v3.2h-3v3h-3.2v-3h-3v-3.2h3z",
    "p": "M0-4.6l4.4,3.2-1.7,5.1h-5.4l-1.7-5.1z",
    "h": "M0-4.6l4,2.3v4.6l-4,2.3-4-2.3v-4.6z",
    "*": "M0-5.6l1.4,3.8h4l-3.2,2.4 1.2,3.9-3.4-2.4-3.4,2.4 1.2-3.9-3.2-2.4h4z",
}


@dataclass(frozen=True)
class Point:
    """A number: where it is along the level axis, and what it tells."""

    at: float
    mean: float
    std: float | None
    tip: str


@dataclass(frozen=True)
class Series:
    """A curve: ours, and the published points beside it."""

    name: str
    look: Look
    ours: list[Point] = field(default_factory=list)
    theirs: list[Point] = field(default_factory=list)


@dataclass(frozen=True)
class Chart:
    """A line chart of one metric."""

    # title, across: names of the upright and of the level axis.
    title: str
    across: str
    series: tuple[Series, ...]
    # ticks, marks: where numbers stand on the level and on the upright axis.
    ticks: tuple[tuple[float, str], ...]
    marks: tuple[tuple[float, str], ...]
    # x, y: where a point lies, in the units of the picture.
    x: Callable[[float], float]
    y: Callable[[float], float]
    logarithmic: bool
    cut: str  # at which ends of the metric bars are cut, to be said behind the caption; empty where at none

    @property
    def caption(self) -> str:
        """What it shows."""
        names = ", ".join(series.name for series in self.series)
        return f"{self.title} of {names} against {self.across[:1].lower()}{self.across[1:]}"

    @property
    def has_published(self) -> bool:
        """Whether there are published points."""
        return any(series.theirs for series in self.series)

    @property
    def bars(self) -> bool:
        """Whether any point has one."""
        return any(self.ends(point) for series in self.series for point in series.ours)

    def ends(self, point: Point) -> tuple[float, float] | None:
        """The ends of a point's bar within the axis; None where it has none."""
        if not point.std or self.logarithmic:
            return None
        lowest, highest = self.marks[0][0], self.marks[-1][0]  # counted downwards
        return min(self.y(point.mean - point.std), lowest), max(self.y(point.mean + point.std), highest)


def charts(table: Table, blocks: Sequence[tuple[Block, Pairs]], protocol: Protocol) -> Iterator[Chart]:
    """A chart for every metric against the only coordinate of the rows, or against a swept parameter."""
    swept = sorted({name for column in table.columns for name in column.sweep})
    for block, pairs in blocks:
        if not swept:
            chart = _of_rows(table, block, pairs, protocol)
        else:
            chart = _of_sweep(table, block, swept[0]) if len(swept) == 1 else None
        if chart is not None:
            yield chart


def _of_rows(table: Table, block: Block, pairs: Pairs, protocol: Protocol) -> Chart | None:
    if len(table.layout.rows) != 1 or len(block.rows) < FEWEST:
        return None
    coordinate, looks, curves = table.layout.rows[0], looks_of(table.columns), []
    for column in table.columns:
        curves.append(curve := Series(column.label, looks[column.label]))
        for row in block.rows:
            cell, pair = row.cells[column.label], pairs.get((column.label, row.name))
            at, where = float(row.where[0]), f"{curve.name}, {coordinate} = {row.name}"
            text, printed = cell_text(cell, block.metric, PLAIN), ""
            if pair is not None:
                printed = published_text(pair.theirs, block.metric)
                text += f"; published {printed}: {pair.verdict}"
            if cell.mean is not None:
                curve.ours.append(Point(at, cell.mean, cell.std, f"{where}: {text}"))
            if pair is not None and not block.metric.timed:  # of times, ratios are compared
                side = pair.theirs
                curve.theirs.append(Point(at, side.mean, side.std, f"{where}, published: {printed}"))
    ticks = {float(row.where[0]): row.name for row in block.rows}
    return _chart(block, protocol.axis(coordinate), curves, ticks)


def _of_sweep(table: Table, block: Block, swept: str) -> Chart | None:
    """The mean over the rows against the values in equal steps; other columns as level lines."""
    row = block.overall
    values = sorted({show(column.sweep[swept]) for column in table.columns if column.sweep}, key=by_size)
    if row is None or len(values) < FEWEST:
        return None
    looks, curves = looks_of(table.columns), dict[str, Series]()
    for column in table.columns:
        cell = row.cells[column.label]
        if cell.mean is None:
            continue
        text = cell_text(cell, block.metric, PLAIN)
        if column.sweep:
            value = show(column.sweep[swept])
            name, at = without_settings(column.label, column.sweep), [float(values.index(value))]
            tip = f"{name}, {symbol(swept)} = {value}: {text}"
        else:
            name, at, tip = column.label, [0.0, len(values) - 1.0], f"{column.label}: {text}"
        look = looks[column.label]._replace(dash="-" if column.sweep else "--")
        curve = curves.setdefault(name, Series(name, look))
        curve.ours.extend(Point(x, cell.mean, cell.std if column.sweep else None, tip) for x in at)
    across = symbol(swept) + (" (means over the rows)" if len(block.rows) > 1 else "")
    ticks = {float(i): value for i, value in enumerate(values)}
    return _chart(block, across, list(curves.values()), ticks)


def _chart(block: Block, across: str, curves: Sequence[Series], at: dict[float, str]) -> Chart | None:
    curves = [each for each in curves if each.ours]
    every = [point for each in curves for point in (*each.ours, *each.theirs)]
    means = [point.mean for point in every]
    if len(set(means)) < 2:
        return None
    log = block.metric.timed and min(means) > 0 and max(means) >= LOGARITHMIC * min(means)
    marks = _decades(means) if log else _marks(every, block.metric)
    x = _line(min(at), max(at), LEFT + 14, WIDTH - RIGHT - 10)
    y = _line(marks[0], marks[-1], HEIGHT - BOTTOM, TOP, math.log10 if log else float)
    ticks, last = [], -math.inf
    for where, name in at.items():
        if x(where) - last >= max(TICK, 9 * len(name)):
            last = x(where)
            ticks.append((last, name))
    shown = tuple((y(mark), f"{mark:g}") for mark in marks)
    cut = ended(block.metric, every)
    return Chart(heading(block.metric), across, tuple(curves), tuple(ticks), shown, x, y, log, cut)


def _line(
    low: float, high: float, first: float, last: float, scale: Callable[[float], float] = float
) -> Callable[[float], float]:
    """The straight line that brings two ends to two places, on an axis with that scale."""
    slope = (last - first) / ((scale(high) - scale(low)) or 1.0)
    return lambda value: round(first + (scale(value) - scale(low)) * slope, 1)


def _marks(values: Sequence[Point], metric: Metric) -> list[float]:
    """Round numbers around all values with their bars, none beyond where the metric ends."""
    low, high = metric.ends
    least = max(min(value.mean - (value.std or 0) for value in values), low)
    most = min(max(value.mean + (value.std or 0) for value in values), high)
    span = (most - least) or abs(most) or 1.0
    step = 10.0 ** math.floor(math.log10(span / 4))
    step *= next(factor for factor in (1, 2, 5, 10) if span / (factor * step) <= 5)
    first, last = math.floor(least / step + 1e-9), math.ceil(most / step - 1e-9)
    return [round(i * step, 10) for i in range(first, max(last, first + 1) + 1)]


def _decades(means: Sequence[float]) -> list[float]:
    first, last = math.floor(math.log10(min(means))), math.ceil(math.log10(max(means)))
    return [10.0**i for i in range(first, last + 1)]
