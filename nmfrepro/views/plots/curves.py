"""A metric against the number of clusters (or training images), as the papers' figures show their tables."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np

from ...analysis.tables import Block, Table, TableRow
from ...papers import PublishedTable
from .picture import (
    Picture,
    axis_name,
    heading,
    legend_beside,
    new_figure,
    panels,
    place,
    text,
    ticks,
    within,
)
from .style import Look, looks_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# Share of the smallest gap between two positions over which the methods' error bars are spread, and the
# largest share of the whole axis: of a few positions, they would otherwise drift far from their numbers.
SPREAD, WIDEST = 0.5, 0.12
# Up to so many methods can be told apart in one panel.
TOGETHER = 5


def metric_curves(table: Table, columns: Sequence[int], paper: PublishedTable | None) -> Iterator[Picture]:
    """Pictures of every metric of a table.

    Parameters
    ----------
    table : Table
    columns : sequence of int
        Which columns to draw.
    paper : PublishedTable or None
        The published numbers to show beside ours.

    Yields
    ------
    Picture
        "accuracy": all methods with error bars (one standard deviation), a panel each where they are more
        than five; "accuracy-published": a panel for each method with the published points.
    """
    looks = looks_of(table.algorithms)
    for block in table.blocks:
        given = [i for i in columns if any(row.cells[i].mean is not None for row in block.rows)]
        if not given:
            continue
        if len(block.rows) == 1:
            yield _dots(table, block, given, looks)
            continue
        several = len(given) > TOGETHER and len(table.layout.rows) == 1
        yield (_each_method if several else _all_methods)(table, block, given, looks)
        if paper is not None and len(table.layout.rows) == 1:
            shown = [i for i in given if _theirs(paper, block, table.algorithms[i])]
            if shown:
                yield _beside_published(table, block, shown, looks, paper)


def _all_methods(table: Table, block: Block, columns: Sequence[int], looks: Sequence[Look]) -> Picture:
    """All methods in one panel; several where there is a second coordinate."""
    groups: dict[tuple[int, ...], list[TableRow]] = {}
    for row in block.rows:
        assert row.where is not None
        groups.setdefault(row.where[:-1], []).append(row)
    figure, axes = panels(len(groups), 4.4 if len(groups) == 1 else 3.2, 3.3, sharey=True)
    figure.set_figwidth(figure.get_figwidth() + 1.3)
    for panel, (where, rows) in zip(axes, groups.items(), strict=True):
        at = _positions(rows)
        step = min(SPREAD * _smallest_gap(at), WIDEST * (float(np.ptp(at)) or 1.0)) / max(len(columns), 1)
        for number, i in enumerate(columns):
            shift = (number - (len(columns) - 1) / 2) * step
            _curve(panel, at + shift, rows, i, label=text(table.labels[i]), **looks[i].errors)
        panel.set_title(place(table.layout.rows[:-1], where))
        panel.set_xlabel(axis_name(table.layout.rows[-1]))
        ticks(panel, at)
    axes[0].set_ylabel(heading(block.metric))
    within(axes[0], block.metric)
    legend_beside(figure, axes[0])
    alt = _alt(table, block, columns) + "; bars are ± one standard deviation"
    return Picture(block.name, alt, figure)


def _each_method(table: Table, block: Block, columns: Sequence[int], looks: Sequence[Look]) -> Picture:
    """A panel for each method, its spread as a band, the other methods behind it in grey."""
    figure, axes = panels(len(columns), 2.3, 2.0, sharex=True, sharey=True)
    at = _positions(block.rows)
    for panel, i in zip(axes, columns, strict=True):
        for other in columns:
            if other != i:
                panel.plot(at, _means(block.rows, other), color="#BBBBBB", linewidth=0.8)
        means, spread = _means(block.rows, i), _spread(block.rows, i)
        panel.fill_between(at, means - spread, means + spread, color=looks[i].colour, alpha=0.2, linewidth=0)
        panel.plot(at, means, **looks[i].line)
        panel.set_title(text(table.labels[i]))
        ticks(panel, at)
    within(axes[0], block.metric)
    figure.supxlabel(axis_name(table.layout.rows[0]), fontsize="medium")
    figure.supylabel(heading(block.metric), fontsize="medium")
    alt = _alt(table, block, columns) + ", in a panel each with the others in grey; bands are ± one standard"
    return Picture(block.name, f"{alt} deviation", figure)


def _alt(table: Table, block: Block, columns: Sequence[int]) -> str:
    against = axis_name(table.layout.rows[-1]).lower()
    return f"{table.title}: {heading(block.metric)} of {_names(table, columns)} against the {against}"


def _beside_published(
    table: Table, block: Block, columns: Sequence[int], looks: Sequence[Look], paper: PublishedTable
) -> Picture:
    """One panel for each method: ours as a line, the paper's as hollow points."""
    figure, axes = panels(len(columns), 2.4, 2.1, sharex=True, sharey=True)
    figure.set_figwidth(figure.get_figwidth() + 1.5)
    source = paper.source.cited
    published = "published\n(" + source.replace(", ", ",\n", 1) + ")"
    at = _positions(block.rows)
    # All panels share an axis, so all have the ticks of every point.
    positions = np.array(
        [cell.row for i in columns for cell in _theirs(paper, block, table.algorithms[i])], float
    )
    shift = min(0.12 * _smallest_gap(at), 0.015 * float(np.ptp(at)))
    for panel, i in zip(axes, columns, strict=True):
        look = looks[i]
        _curve(panel, at - shift, block.rows, i, label="reproduced", **(look.errors | {"linestyle": "-"}))
        cells = _theirs(paper, block, table.algorithms[i])
        theirs = np.array([[cell.row, cell.mean, cell.std or 0] for cell in cells], dtype=float)
        hollow = look.errors | {"linestyle": ":", "mfc": "white", "linewidth": 0.9}
        panel.errorbar(theirs[:, 0] + shift, theirs[:, 1], _bars(theirs[:, 2]), label=published, **hollow)
        panel.set_title(text(table.labels[i]))
        ticks(panel, np.concatenate([at, positions]))
    within(axes[0], block.metric)
    figure.supxlabel(axis_name(table.layout.rows[0]), fontsize="medium")
    figure.supylabel(heading(block.metric), fontsize="medium")
    legend_beside(figure, axes[0])
    against = axis_name(table.layout.rows[0]).lower()
    alt = (
        f"{table.title}: {heading(block.metric)} against the {against}, reproduced beside published "
        f"({source}), in a panel each for {_names(table, columns)}"
    )
    return Picture(f"{block.name}-published", alt, figure)


def _dots(table: Table, block: Block, columns: Sequence[int], looks: Sequence[Look]) -> Picture:
    """One row only: a dot for each method, best first where better and worse exist."""
    row = block.rows[0]
    order = [i for i in columns if row.cells[i].mean is not None]
    if block.metric.ranked:
        sign = 1 if block.metric.lower_is_better else -1
        order.sort(key=lambda i: sign * (row.cells[i].mean or 0.0))
    figure = new_figure(4.6, 0.9 + 0.22 * len(order))
    axes = figure.subplots()
    for height, i in enumerate(order):
        cell, line = row.cells[i], looks[i].errors | {"linestyle": "none"}
        axes.errorbar(cell.mean or 0.0, height, xerr=cell.std, **line)
    axes.set_yticks(range(len(order)), [text(table.labels[i]) for i in order])
    axes.set_ylim(len(order) - 0.5, -0.5)
    axes.set_xlabel(heading(block.metric))
    within(axes, block.metric, "x")
    axes.set_title(place(table.layout.rows, row.where or ()))
    where = f" at {at}" if (at := place(table.layout.rows, row.where or ())) else ""
    alt = f"{table.title}: {heading(block.metric)} of {_names(table, order)}{where}"
    return Picture(block.name, alt, figure)


def _names(table: Table, columns: Sequence[int]) -> str:
    return ", ".join(table.labels[i] for i in columns)


def _curve(panel: Axes, at: np.ndarray, rows: Sequence[TableRow], column: int, **line: object) -> None:
    """Means with one standard deviation; rows without a value leave a gap."""
    panel.errorbar(at, _means(rows, column), _bars(_spread(rows, column)), **line)  # type: ignore[arg-type]


def _positions(rows: Sequence[TableRow]) -> np.ndarray:
    """Where rows lie along the axis: their last coordinate."""
    return np.array([row.where[-1] for row in rows if row.where is not None], dtype=float)


def _means(rows: Sequence[TableRow], column: int) -> np.ndarray:
    means = [row.cells[column].mean for row in rows]
    return np.array([np.nan if mean is None else mean for mean in means])


def _spread(rows: Sequence[TableRow], column: int) -> np.ndarray:
    return np.array([row.cells[column].std or 0.0 for row in rows])


def _bars(spread: np.ndarray) -> np.ndarray | None:
    """Error bars, None where there is no spread at all; a single run gets none."""
    return np.where(spread > 0, spread, np.nan) if spread.any() else None


def _theirs(paper: PublishedTable, block: Block, algorithm: str) -> list:  # type: ignore[type-arg]
    return [
        cell
        for cell in paper.cells
        if cell.metric == block.name and cell.algorithm == algorithm and cell.row is not None
    ]


def _smallest_gap(at: np.ndarray) -> float:
    return float(np.diff(np.unique(at)).min()) if len(np.unique(at)) > 1 else 1.0
