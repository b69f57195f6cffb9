"""A metric against the number of clusters (or training images), as the papers' figures show their tables."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from ...analysis.tables import Block, Table, TableRow
from ...core.grouping import grouped
from ...papers import PublishedCell, PublishedTable
from ..tables import heading
from .axes import averaged, bars, curve, ended, numbers, ticks, within
from .picture import Picture, legend_beside, panels, text, titled
from .run import PlottedRun
from .style import errors_of, line_of

# Share of the smallest gap between two positions over which the methods' error bars are spread, and the
# largest share of the whole axis: of a few positions, they would otherwise drift far from their numbers.
SPREAD, WIDEST = 0.5, 0.12
# Up to so many methods can be told apart in one panel.
TOGETHER = 5
# Columns of a run with a sweep up to which each is drawn, too.
SWEPT = 12


def pictures(run: PlottedRun) -> Iterator[Picture]:
    """Of every column; where a sweep makes too many panels, of the others, which is then said."""
    every, still = run.table.labels, [column.label for column in run.still]
    shown = every if len(every) <= SWEPT else still
    for picture in _metric_curves(run, shown) if still else ():
        if len(shown) < len(every):
            picture.figure.suptitle(f"{picture.figure.get_suptitle()}; methods that are not swept")
        yield picture


def _metric_curves(run: PlottedRun, labels: Sequence[str]) -> Iterator[Picture]:
    """Pictures of every metric, of some of the columns.

    Yields
    ------
    Picture
        "accuracy": all methods with error bars (one standard deviation), a panel each where they are more
        than five; "accuracy-published": a panel for each method with the published points.
    """
    table, paper = run.table, run.paper
    for block, whole in zip(table.blocks, run.all_draws.blocks, strict=True):
        given = [each for each in labels if any(row.cells[each].mean is not None for row in block.rows)]
        if not given:
            continue
        if len(block.rows) == 1:
            yield _dots(run, block, given)
            continue
        single = len(table.layout.rows) == 1
        draw = _each_method if single and len(given) > TOGETHER else _all_methods
        yield draw(run, block, given)
        if paper is None or not single:
            continue
        if theirs := {
            label: cells for label in given if (cells := _theirs(paper, block, table.column(label).algorithm))
        }:
            yield _beside_published(run, whole, theirs, paper.source.cited)


def _all_methods(run: PlottedRun, block: Block, labels: Sequence[str]) -> Picture:
    """All methods in one panel; several where there is a second coordinate."""
    table = run.table
    groups = grouped((row.where[:-1], row) for row in block.rows)
    figure, axes = panels(len(groups), 4.4 if len(groups) == 1 else 3.2, 3.3, legend=1.3, sharey=True)
    for panel, (where, rows) in zip(axes, groups.items(), strict=True):
        at = _positions(rows)
        step = min(SPREAD * _smallest_gap(at), WIDEST * (float(np.ptp(at)) or 1.0)) / max(len(labels), 1)
        for number, label in enumerate(labels):
            shift = (number - (len(labels) - 1) / 2) * step
            cells = (row.cells[label] for row in rows)
            curve(panel, at + shift, cells, block.metric, label=text(label), **errors_of(run.looks[label]))
        titled(panel, run.row_name(where))
        panel.set_xlabel(run.axis(table.layout.rows[-1]))
        ticks(panel, at)
    axes[0].set_ylabel(heading(block.metric))
    within(axes[0].yaxis, block.metric)
    legend_beside(figure)
    figure.suptitle(_title(table, block, labels))
    return Picture(block.name, f"{_alt(run, block, labels)}; bars are ± one standard deviation", figure)


def _each_method(run: PlottedRun, block: Block, labels: Sequence[str]) -> Picture:
    """A panel for each method, its spread a band within the metric's range, the others in grey behind."""
    table = run.table
    figure, axes = panels(len(labels), 2.3, 2.0, sharex=True, sharey=True)
    at = _positions(block.rows)
    curves = {label: numbers(row.cells[label] for row in block.rows) for label in labels}
    for panel, label in zip(axes, labels, strict=True):
        for other in labels:
            if other != label:
                panel.plot(at, curves[other][0], color="#D0D0D0", linewidth=0.7)
        look = run.looks[label]
        means, spread = curves[label]  # a single run has no band
        low, high = np.clip([means - spread, means + spread], *block.metric.ends)
        panel.fill_between(at, low, high, color=look.colour, alpha=0.2, linewidth=0, zorder=1)
        panel.plot(at, means, linewidth=1.8, zorder=3, **line_of(look))
        titled(panel, label)
        ticks(panel, at)
    within(axes[0].yaxis, block.metric)
    figure.supxlabel(run.axis(table.layout.rows[0]), fontsize="medium")
    figure.supylabel(heading(block.metric), fontsize="medium")
    figure.suptitle(f"{_title(table, block, labels, what='bands')}; the other methods in grey")
    how = "in a panel each with the others in grey; bands are ± one standard deviation"
    return Picture(block.name, f"{_alt(run, block, labels)}, {how}", figure)


def _title(table: Table, block: Block, labels: Sequence[str], what: str = "bars") -> str:
    cells = [row.cells[label] for row in block.rows for label in labels]
    return f"{block.metric.title}: {averaged(table, cells)}{ended(block.metric, cells, what)}"


def _alt(run: PlottedRun, block: Block, labels: Sequence[str]) -> str:
    against = run.axis(run.table.layout.rows[-1]).lower()
    return f"{heading(block.metric)} of {', '.join(labels)} against the {against}"


def _beside_published(
    run: PlottedRun, block: Block, theirs: Mapping[str, Sequence[PublishedCell]], source: str
) -> Picture:
    """One panel for each method: ours over all draws, as `compare` judges them, the paper's as points."""
    table = run.all_draws
    figure, axes = panels(len(theirs), 2.4, 2.1, legend=1.5, sharex=True, sharey=True)
    at, across = _positions(block.rows), run.axis(table.layout.rows[0])
    published = "published\n(" + source.replace(", ", ",\n", 1) + ")"
    # All panels share an axis, so all have the ticks of every point.
    positions = np.array([cell.row for cells in theirs.values() for cell in cells], float)
    shift = min(0.12 * _smallest_gap(at), 0.015 * float(np.ptp(at)))
    for panel, (label, cells) in zip(axes, theirs.items(), strict=True):
        errors, ours = errors_of(run.looks[label]), (row.cells[label] for row in block.rows)
        curve(panel, at - shift, ours, block.metric, label="reproduced", **(errors | {"linestyle": "-"}))
        hollow = errors | {"linestyle": ":", "mfc": "white", "linewidth": 0.9}
        points = np.array([cell.row for cell in cells], float) + shift
        curve(panel, points, cells, block.metric, label=published, **hollow)
        titled(panel, label)
        ticks(panel, np.concatenate([at, positions]))
    within(axes[0].yaxis, block.metric)
    figure.supxlabel(across, fontsize="medium")
    figure.supylabel(heading(block.metric), fontsize="medium")
    legend_beside(figure)
    drawn = [row.cells[label] for row in block.rows for label in theirs]
    over = averaged(table, drawn) + _starts(run, block)
    cut = ended(block.metric, [*drawn, *(cell for cells in theirs.values() for cell in cells)])
    figure.suptitle(f"{block.metric.title}, reproduced: {over}{cut}")
    alt = (
        f"{heading(block.metric)} against the {across.lower()}, reproduced beside published "
        f"({source}), in a panel each for {', '.join(theirs)}"
    )
    return Picture(f"{block.name}-published", alt, figure)


def _starts(run: PlottedRun, block: Block) -> str:
    """Where nothing is drawn, since all classes are taken, draws are random starts."""
    name = run.all_draws.layout.rows[0]
    whole = {trial.coordinates[name] for trial in run.results.present if trial.classes == "all"}
    rows = [row for row in block.rows if row.where[0] in whole]
    several = [run.row_name(row.where) for row in rows if any(cell.n > 1 for cell in row.cells.values())]
    return f", starts at {', '.join(several)}" if several and len(rows) < len(block.rows) else ""


def _dots(run: PlottedRun, block: Block, labels: Sequence[str]) -> Picture:
    """One row only: a dot for each method, best first where better and worse exist."""
    table = run.table
    row, order = block.rows[0], list(labels)
    if block.metric.ranked:
        order = block.metric.best_first({each: row.cells[each].mean or 0.0 for each in labels})
    figure, (axes,) = panels(1, 4.6, 0.9 + 0.22 * len(order))
    for height, label in enumerate(order):
        means, spread = numbers([row.cells[label]])
        line = errors_of(run.looks[label]) | {"linestyle": "none"}
        axes.errorbar(means, [height], xerr=bars(means, spread, block.metric), **line)
    axes.set_yticks(range(len(order)), list(map(text, order)))
    axes.set_ylim(len(order) - 0.5, -0.5)
    axes.set_xlabel(heading(block.metric))
    within(axes.xaxis, block.metric)
    at = run.row_name(row.where)
    axes.set_title(at)
    figure.suptitle(_title(table, block, order))
    where = f" at {at}" if at else ""
    alt = f"{heading(block.metric)} of {', '.join(order)}{where}"
    return Picture(block.name, alt, figure)


def _positions(rows: Sequence[TableRow]) -> np.ndarray:
    """Where rows lie along the axis: their last coordinate."""
    return np.array([row.where[-1] for row in rows], dtype=float)


def _theirs(paper: PublishedTable, block: Block, algorithm: str) -> list[PublishedCell]:
    wanted = block.name, algorithm
    return [c for c in paper.cells if (c.metric, c.algorithm) == wanted and c.row is not None]


def _smallest_gap(at: np.ndarray) -> float:
    return float(np.diff(np.unique(at)).min()) if len(np.unique(at)) > 1 else 1.0
