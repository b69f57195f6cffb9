"""Tables as line charts: where every curve, point and bar lies; the template draws them as SVG."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from ...analysis.tables import Block, Table, TableColumn
from ...metrics import Metric
from ...spec.columnlabels import show, without_settings
from ..plots.picture import LOGARITHMIC, axis_name, symbol
from ..plots.style import NAMED, looks_of
from ..tables import heading, number
from .grid import ComparedTable

WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 560, 310, 50, 12, 10, 46
TICK = 30
"""The least distance of two numbers on the lower axis."""
FEWEST = 3
"""Fewer positions make no curve; the table says more."""
DASHES = {"-": "", "--": "6 3", "-.": "6 3 1.5 3", ":": "1.5 3"}
# Outlines of the markers, about 8 wide around 0, by matplotlib's names; others are dots.
MARKERS = {
    "o": "M-4,0a4,4 0 1,0 8,0a4,4 0 1,0-8,0z",
    "s": "M-3.5-3.5h7v7h-7z",
    "^": "M0-4.6l4.3,8h-8.6z",
    "v": "M0,4.6l4.3-8h-8.6z",
    "<": "M-4.6,0l8-4.3v8.6z",
    ">": "M4.6,0l-8-4.3v8.6z",
    "D": "M0-4.8l4.8,4.8-4.8,4.8-4.8-4.8z",
    "P": "M-1.6-4.6h3.2v3h3v3.2h-3v3h-3.2v-3h-3v-3.2h3z",
    "*": "M0-5.6l1.4,3.8h4l-3.2,2.4 1.2,3.9-3.4-2.4-3.4,2.4 1.2-3.9-3.2-2.4h4z",
}


@dataclass(frozen=True)
class Swatch:
    """How a method is drawn: its colour (empty for that of text), the outline of its marker, its dashes."""

    name: str
    colour: str
    marker: str
    dashes: str


@dataclass(frozen=True)
class Point:
    """A point in the units of the picture, with the ends of its bar and what it tells."""

    x: float
    y: float
    low: float | None
    high: float | None
    tip: str


@dataclass(frozen=True)
class Series:
    """A curve: ours, and the published points beside it."""

    swatch: Swatch
    ours: tuple[Point, ...]
    theirs: tuple[Point, ...]


@dataclass(frozen=True)
class Chart:
    """A line chart of one metric."""

    # title, across: names of the upright and of the level axis.
    title: str
    across: str
    caption: str
    series: tuple[Series, ...]
    # ticks, marks: where numbers stand on the level and on the upright axis.
    ticks: tuple[tuple[float, str], ...]
    marks: tuple[tuple[float, str], ...]

    @property
    def has_published(self) -> bool:
        """Whether there are published points."""
        return any(series.theirs for series in self.series)

    @property
    def bars(self) -> bool:
        """Whether any point has one."""
        return any(point.low is not None for series in self.series for point in series.ours)


def swatches(table: Table) -> dict[TableColumn, Swatch]:
    """How the columns of a table are drawn, as in all pictures."""
    by_column, looks = {}, looks_of(table.columns)
    for column in table.columns:
        look = looks[column.label]
        colour = "" if look.colour == NAMED["black"] else look.colour
        marker = MARKERS.get(look.marker, MARKERS["o"])
        by_column[column] = Swatch(column.label, colour, marker, DASHES[look.dash])
    return by_column


@dataclass(frozen=True)
class _Value:
    """A number before it has a place in the picture."""

    at: float
    mean: float
    std: float | None
    tip: str


_Curves = list[tuple[Swatch, list[_Value], list[_Value]]]


def charts(table: Table, grids: Sequence[ComparedTable]) -> Iterator[Chart]:
    """A chart for every metric against the only coordinate of the rows, or against a swept parameter."""
    swept = sorted({name for column in table.columns for name in column.sweep})
    for block, grid in zip(table.blocks, grids, strict=True):
        if not swept:
            chart = _of_rows(table, block, grid)
        else:
            chart = _of_sweep(table, block, swept[0]) if len(swept) == 1 else None
        if chart is not None:
            yield chart


def _of_rows(table: Table, block: Block, grid: ComparedTable) -> Chart | None:
    if len(table.layout.rows) != 1 or len(block.rows) < FEWEST:
        return None
    coordinate, curves = table.layout.rows[0], _Curves()
    for column, swatch in swatches(table).items():
        ours, theirs = [], []
        for row in block.rows:
            cell, shown = row.cells[column], grid.cells[column, row.name]
            at, where = float(row.where[0]) if row.where else 0.0, f"{swatch.name}, {coordinate} = {row.name}"
            verdict = f"; published {shown.published}: {shown.pair.verdict}" if shown.pair else ""
            if cell.mean is not None:
                ours.append(_Value(at, cell.mean, cell.std, f"{where}: {shown.text}{verdict}"))
            if shown.pair is not None and block.metric.unit != "s":  # of times, ratios are compared
                side = shown.pair.theirs
                theirs.append(_Value(at, side.mean, side.std, f"{where}, published: {shown.published}"))
        curves.append((swatch, ours, theirs))
    ticks = {float(row.where[0]): row.name for row in block.rows if row.where}
    return _chart(block, axis_name(coordinate), curves, ticks)


def _of_sweep(table: Table, block: Block, swept: str) -> Chart | None:
    """The mean over the rows against the values in equal steps; other columns as level lines."""
    row = block.rows[0] if len(block.rows) == 1 else block.average
    given = sorted((column.sweep[swept] for column in table.columns if column.sweep), key=_order)
    values = list(dict.fromkeys(map(show, given)))
    if row is None or len(values) < FEWEST:
        return None
    curves: dict[str, tuple[Swatch, list[_Value], list[_Value]]] = {}
    for column, swatch in swatches(table).items():
        cell = row.cells[column]
        if cell.mean is None:
            continue
        text = number(cell.mean, block.metric.unit)
        text += f"±{number(cell.std, block.metric.unit)}" if cell.std is not None else ""
        if column.sweep:
            value = show(column.sweep[swept])
            name, at = without_settings(column.label, column.sweep), [float(values.index(value))]
            tip = f"{name}, {symbol(swept)} = {value}: {text}"
        else:
            name, at, tip = column.label, [0.0, len(values) - 1.0], f"{column.label}: {text}"
        kept = replace(swatch, name=name, dashes="" if column.sweep else DASHES["--"])
        points = curves.setdefault(name, (kept, [], []))[1]
        points += [_Value(x, cell.mean, cell.std if column.sweep else None, tip) for x in at]
    across = symbol(swept) + (" (means over the rows)" if len(block.rows) > 1 else "")
    ticks = {float(i): value for i, value in enumerate(values)}
    return _chart(block, across, list(curves.values()), ticks)


def _order(value: object) -> tuple[float, str]:
    """Numbers by their size, then words by the alphabet."""
    return (float(value) if isinstance(value, (int, float)) else math.inf, str(value))


def _chart(block: Block, across: str, curves: _Curves, at: dict[float, str]) -> Chart | None:
    curves = [each for each in curves if each[1]]
    every = [value for _, ours, theirs in curves for value in (*ours, *theirs)]
    if len({value.mean for value in every}) < 2:
        return None
    means = [value.mean for value in every]
    log = block.metric.unit == "s" and min(means) > 0 and max(means) >= LOGARITHMIC * min(means)
    marks = _decades(means) if log else _marks(every, block.metric)
    scale = math.log10 if log else float
    y = _line(scale(marks[0]), scale(marks[-1]), HEIGHT - BOTTOM, TOP)
    x = _line(min(at), max(at), LEFT + 14, WIDTH - RIGHT - 10)

    def points(values: Iterable[_Value]) -> tuple[Point, ...]:
        placed = []
        for each in values:
            low = high = None
            if each.std and not log:
                low, high = y(max(each.mean - each.std, marks[0])), y(min(each.mean + each.std, marks[-1]))
            placed.append(Point(x(each.at), y(scale(each.mean)), low, high, each.tip))
        return tuple(placed)

    ticks, last = [], -math.inf
    for where, name in at.items():
        if x(where) - last >= max(TICK, 9 * len(name)):
            last = x(where)
            ticks.append((last, name))
    names = ", ".join(swatch.name for swatch, _, _ in curves)
    caption = f"{heading(block.metric)} of {names} against {across[:1].lower()}{across[1:]}"
    series = tuple(Series(swatch, points(ours), points(theirs)) for swatch, ours, theirs in curves)
    shown = tuple((y(scale(mark)), f"{mark:g}") for mark in marks)
    return Chart(heading(block.metric), across, caption, series, tuple(ticks), shown)


def _line(low: float, high: float, first: float, last: float) -> Callable[[float], float]:
    """The straight line that brings two ends to two places."""
    slope = (last - first) / ((high - low) or 1.0)
    return lambda value: round(first + (value - low) * slope, 1)


def _marks(values: Sequence[_Value], metric: Metric) -> list[float]:
    """Round numbers around all values with their bars, none beyond where the metric ends."""
    least = max(min(value.mean - (value.std or 0) for value in values), metric.low * metric.factor)
    most = min(max(value.mean + (value.std or 0) for value in values), metric.high * metric.factor)
    span = (most - least) or abs(most) or 1.0
    step = 10.0 ** math.floor(math.log10(span / 4))
    step *= next(factor for factor in (1, 2, 5, 10) if span / (factor * step) <= 5)
    first, last = math.floor(least / step + 1e-9), math.ceil(most / step - 1e-9)
    return [round(i * step, 10) for i in range(first, max(last, first + 1) + 1)]


def _decades(means: Sequence[float]) -> list[float]:
    first, last = math.floor(math.log10(min(means))), math.ceil(math.log10(max(means)))
    return [10.0**i for i in range(first, last + 1)]
