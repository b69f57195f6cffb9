"""A metric against the number of clusters (or training images), as the papers' figures show their tables."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np

from ...analysis.tables import Block, Table, TableRow
from ...papers import PublishedTable
from .picture import Picture, axis_name, heading, legend_beside, new_figure, panels, place, text, ticks
from .style import Look, looks_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# Share of the smallest gap between two positions over which the methods' error bars are spread, and the
# largest share of the whole axis: of a few positions, they would otherwise drift far from their numbers.
SPREAD, WIDEST = 0.5, 0.12


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
        "accuracy": all methods with error bars (one standard deviation); "accuracy-published": a panel for
        each method with the published points.
    """
    looks = looks_of(table.algorithms)
    for block in table.blocks:
        if not any(row.cells[i].mean is not None for row in block.rows for i in columns):
            continue
        if len(block.rows) == 1:
            yield _dots(table, block, columns, looks)
            continue
        yield _all_methods(table, block, columns, looks)
        if paper is not None and len(table.layout.rows) == 1:
            shown = [i for i in columns if _theirs(paper, block, table.algorithms[i])]
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
        at = np.array([row.where[-1] for row in rows if row.where is not None], dtype=float)
        step = min(SPREAD * _smallest_gap(at), WIDEST * (float(np.ptp(at)) or 1.0)) / max(len(columns), 1)
        for number, i in enumerate(columns):
            shift = (number - (len(columns) - 1) / 2) * step
            _curve(panel, at + shift, rows, i, label=text(table.labels[i]), **looks[i].errors)
        panel.set_title(place(table.layout.rows[:-1], where))
        panel.set_xlabel(axis_name(table.layout.rows[-1]))
        ticks(panel, at)
    axes[0].set_ylabel(heading(block.metric))
    legend_beside(figure, axes[0])
    against = axis_name(table.layout.rows[-1]).lower()
    alt = f"{table.title}: {heading(block.metric)} of {_names(table, columns)} against the {against}"
    return Picture(block.name, alt, figure)


def _beside_published(
    table: Table, block: Block, columns: Sequence[int], looks: Sequence[Look], paper: PublishedTable
) -> Picture:
    """One panel for each method: ours as a line, the paper's as hollow points."""
    figure, axes = panels(len(columns), 2.4, 2.1, sharex=True, sharey=True)
    figure.set_figheight(figure.get_figheight() + 0.4)
    at = np.array([row.where[0] for row in block.rows if row.where is not None], dtype=float)
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
        panel.errorbar(theirs[:, 0] + shift, theirs[:, 1], _bars(theirs[:, 2]), label="published", **hollow)
        panel.set_title(text(table.labels[i]))
        ticks(panel, np.concatenate([at, positions]))
    figure.supxlabel(axis_name(table.layout.rows[0]), fontsize=9)
    figure.supylabel(heading(block.metric), fontsize=9)
    handles, labels = axes[0].get_legend_handles_labels()
    source = f"{paper.source.number} of {paper.source.paper.partition(':')[0]}"
    labels = [labels[0], f"{labels[1]} ({source})"]
    figure.legend(handles, labels, loc="outside upper center", ncols=2, handlelength=3.2)
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
    axes.set_title(place(table.layout.rows, row.where or ()))
    where = f" at {at}" if (at := place(table.layout.rows, row.where or ())) else ""
    alt = f"{table.title}: {heading(block.metric)} of {_names(table, order)}{where}"
    return Picture(block.name, alt, figure)


def _names(table: Table, columns: Sequence[int]) -> str:
    return ", ".join(table.labels[i] for i in columns)


def _curve(panel: Axes, at: np.ndarray, rows: Sequence[TableRow], column: int, **line: object) -> None:
    """Means with one standard deviation; rows without a value leave a gap."""
    cells = [row.cells[column] for row in rows]
    means = np.array([np.nan if cell.mean is None else cell.mean for cell in cells])
    spread = np.array([cell.std or 0.0 for cell in cells])
    panel.errorbar(at, means, _bars(spread), **line)  # type: ignore[arg-type]


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
