"""Metrics against a swept parameter."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ...analysis.tables import Block, Table, TableRow
from ...results.record import ColumnRecord
from ..tables import heading
from .picture import (
    Picture,
    averaged,
    bars,
    legend_beside,
    numbers,
    panels,
    plain_log,
    row_name,
    slug,
    symbol,
    text,
    within,
)
from .style import NAMED, Look, look_of, looks_of, series_looks

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# From this ratio of the largest to the smallest value on, the axis is logarithmic.
LOGARITHMIC = 20
LIGHT = {"linewidth": 0.8, "markersize": 3.5, "alpha": 0.8}


def sweep_curves(table: Table, columns: Sequence[ColumnRecord]) -> Iterator[Picture]:
    """A picture for every method that is swept: a panel for each metric.

    The columns are the run's, which say where in a sweep each lies.

    Yields
    ------
    Picture
        "sweep-nlcf-mu": a thin line for every row of the table, a thick one for their mean.  Where two
        parameters are swept, the mean only, a line for each value of the second.  Methods that are not swept
        are level lines at their mean.
    """
    still = [i for i, column in enumerate(columns) if not column.sweep]
    groups: dict[tuple[str, ...], list[int]] = {}
    for i, column in enumerate(columns):
        if column.sweep:
            groups.setdefault((column.algorithm, *column.sweep), []).append(i)
    for (algorithm, parameter, *others), members in groups.items():
        values = [columns[i].sweep[parameter] for i in members]
        kinds = [", ".join(f"{symbol(name)} = {columns[i].sweep[name]}" for name in others) for i in members]
        method = table.labels[members[0]].partition(" (")[0]
        figure, axes = panels(len(table.blocks), 2.9, 2.7, legend=1.2, sharex=True)
        for panel, block in zip(axes, table.blocks, strict=True):
            at = _positions(panel, list(dict.fromkeys(values)))
            if others:
                for kind, look in zip(dict.fromkeys(kinds), series_looks(len(set(kinds))), strict=True):
                    chosen = [i for i, own in zip(members, kinds, strict=True) if own == kind]
                    _mean(panel, block, chosen, [at[columns[i].sweep[parameter]] for i in chosen], look, kind)
            else:
                where = [at[value] for value in values]
                _rows(panel, table, block, members, where)
                only = row_name(table.layout.rows, block.rows[0].where or ())
                label = text(", ".join(filter(None, (method, "mean" if len(block.rows) > 1 else only))))
                _mean(panel, block, members, where, look_of(algorithm), label)
            _level(panel, table, block, still, algorithm)
            panel.set_xlabel(text(f"{symbol(parameter)} of {method}"))
            panel.set_ylabel(heading(block.metric))
            within(panel.yaxis, block.metric)
        legend_beside(figure, axes[0])
        rows = table.blocks[0].rows
        shown = averaged(table, (row.cells[i] for row in rows for i in members), spread=len(rows) == 1)
        figure.suptitle(text(f"{method} against {symbol(parameter)}: {shown}"))
        metrics = ", ".join(heading(block.metric) for block in table.blocks)
        beside = f", beside {', '.join(table.labels[i] for i in still)}" if still else ""
        alt = f"{table.title}: {metrics} of {algorithm} against {parameter}{beside}"
        yield Picture(f"sweep-{slug(algorithm)}-{slug(parameter)}", alt, figure)


def _rows(panel: Axes, table: Table, block: Block, members: Sequence[int], at: Sequence[float]) -> None:
    """A thin line for every row, if there are several."""
    if len(block.rows) < 2:
        return
    looks = [look for look in series_looks(len(block.rows) + 1) if look.colour != NAMED["vermillion"]]
    for row, look in zip(block.rows, looks, strict=False):
        means, _ = numbers(row.cells[i] for i in members)
        panel.plot(at, means, label=row_name(table.layout.rows, row.where or ()), **(look.line | LIGHT))


def _mean(
    panel: Axes, block: Block, members: Sequence[int], at: Sequence[float], look: Look, label: str
) -> None:
    """The mean over the rows, with error bars where there is one row."""
    row = _overall(block)
    _, spread = numbers(row.cells[i] if row else None for i in members)
    means = np.array([_average(block, i) for i in members], dtype=float)
    panel.errorbar(at, means, bars(spread), label=label, **look.errors)


def _level(panel: Axes, table: Table, block: Block, columns: Sequence[int], swept: str) -> None:
    """A level line for every method that is not swept, where it has values."""
    looks = looks_of([swept, *(table.algorithms[i] for i in columns)])[1:]
    for i, look in zip(columns, looks, strict=True):
        mean = _average(block, i)
        if mean is not None:
            name = text(table.labels[i]) + (" (mean)" if len(block.rows) > 1 else "")
            panel.axhline(mean, label=name, color=look.colour, linestyle=look.dash)


def _overall(block: Block) -> TableRow | None:
    """The row that stands for all: the only one, or that of averages; None where there is none."""
    return block.rows[0] if len(block.rows) == 1 else block.average


def _average(block: Block, column: int) -> float | None:
    """A column's mean over the rows, over those with a value where the table has no average."""
    row = _overall(block)
    if row is not None:
        return row.cells[column].mean
    means = [mean for each in block.rows if (mean := each.cells[column].mean) is not None]
    return math.fsum(means) / len(means) if means else None


def _positions(panel: Axes, values: Sequence[Any]) -> dict[Any, float]:
    """Where each value lies on the axis, which is set up for them: words in equal steps."""
    if not all(isinstance(value, (int, float)) and not isinstance(value, bool) for value in values):
        panel.set_xticks(range(len(values)), [text(str(value)) for value in values], rotation=30, ha="right")
        return {value: float(position) for position, value in enumerate(values)}
    positive = [value for value in values if value > 0]
    if min(values) >= 0 and positive and max(values) >= LOGARITHMIC * min(positive):
        if min(values) == 0:  # in a linear piece of its own, at the left
            panel.set_xscale("symlog", linthresh=min(positive), linscale=0.5)
            first = math.ceil(math.log10(min(positive)))
            decades = [10.0**each for each in range(first, math.floor(math.log10(max(values))) + 1)]
            panel.set_xticks([0, *decades], [f"{each:g}" for each in (0, *decades)])
            panel.set_xlim(-0.3 * min(positive), max(values) / 0.7)
        else:
            panel.set_xscale("log")
            panel.set_xlim(0.7 * min(values), max(values) / 0.7)
            plain_log(panel.xaxis)
    return {value: float(value) for value in values}
