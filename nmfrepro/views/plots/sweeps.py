"""Metrics against a swept parameter."""

from __future__ import annotations

import itertools
import math
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ...algorithms import Look
from ...analysis.tables import Block
from ...core.grouping import grouped
from ...spec.columnlabels import show, without_settings
from ..tables import heading
from .axes import LOGARITHMIC, averaged, bars, ended, numbers, plain_log, within
from .picture import Picture, legend_beside, panels, symbol, text, unique_slugs
from .run import PlottedRun
from .style import DASHES, NAMED, Looks, errors_of, level_looks, line_of, looks_of, series_looks

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Positions = Mapping[str, float]
"""Where the columns lie on the axis, by label."""
LIGHT = {"linewidth": 0.8, "markersize": 3.5, "alpha": 0.8}


def pictures(run: PlottedRun) -> Iterator[Picture]:
    """One for every method that is swept: a panel for each metric.

    Yields
    ------
    Picture
        "sweep-nlcf-mu": a thin line for every row of the table, a thick one for their mean.  Where two
        parameters are swept, the mean only, a line for each value of the second.  Methods that are not swept
        are level lines at their mean.
    """
    table, still = run.table, run.still
    groups = grouped(
        ((without_settings(column.label, column.sweep), column.algorithm, *column.sweep), column)
        for column in table.columns
        if column.sweep
    )
    names = unique_slugs(f"{algorithm}-{parameter}" for _, algorithm, parameter, *_ in groups)
    for name, ((method, algorithm, parameter, *others), members) in zip(names, groups.items(), strict=True):
        kinds = grouped(
            (", ".join(f"{symbol(other)} = {show(column.sweep[other])}" for other in others), column)
            for column in members
        )
        # No level line looks as the swept method.
        looks = level_looks(looks_of([members[0], *still], run.record.columns))
        taken = {(look.colour, look.dash) for look in looks.values()}
        figure, axes = panels(len(table.blocks), 2.9, 2.7, legend=1.2, sharex=True)
        for panel, block in zip(axes, table.blocks, strict=True):
            positions = _positions(panel, [each.sweep[parameter] for each in members])
            at = {each.label: x for each, x in zip(members, positions, strict=True)}
            if others:
                for (kind, chosen), look in zip(kinds.items(), series_looks(len(kinds), taken), strict=True):
                    _mean(panel, block, {each.label: at[each.label] for each in chosen}, look, kind)
            else:
                _rows(panel, run, block, at, looks[members[0].label], taken)
                only = run.row_name(block.rows[0].where)
                label = text(", ".join(filter(None, (method, "mean" if len(block.rows) > 1 else only))))
                _mean(panel, block, at, looks[members[0].label], label)
            _level(panel, block, [each.label for each in still], looks)
            panel.set_xlabel(text(f"{symbol(parameter)} of {method}"))
            panel.set_ylabel(heading(block.metric))
            within(panel.yaxis, block.metric)
        legend_beside(figure)
        rows = table.blocks[0].rows
        cells = (row.cells[column.label] for row in rows for column in members)
        shown = averaged(table, cells, spread=len(rows) == 1)
        cut = (ended(each.metric, [each.rows[0].cells[of.label] for of in members]) for each in table.blocks)
        shown += next(filter(None, cut), "") if len(rows) == 1 else ""
        figure.suptitle(text(f"{method} against {symbol(parameter)}: {shown}"))
        metrics = ", ".join(heading(block.metric) for block in table.blocks)
        compared = f", beside {', '.join(column.label for column in still)}" if still else ""
        alt = f"{metrics} of {algorithm} against {parameter}{compared}"
        yield Picture(f"sweep-{name}", alt, figure)


def _rows(
    panel: Axes, run: PlottedRun, block: Block, at: Positions, mean: Look, taken: Collection[tuple[str, str]]
) -> None:
    """A thin line for every row, if there are several, through the columns at their places on the axis."""
    if len(block.rows) < 2:
        return
    # None has the mean's colour, or that of the methods that papers propose.
    reserved = itertools.product((NAMED["vermillion"], mean.colour), DASHES)
    looks = series_looks(len(block.rows), {*taken, *reserved})
    for row, look in zip(block.rows, looks, strict=True):
        means, _ = numbers(row.cells[label] for label in at)
        name = run.row_name(row.where)
        panel.plot(list(at.values()), means, label=name, **(line_of(look) | LIGHT))


def _mean(panel: Axes, block: Block, at: Positions, look: Look, label: str) -> None:
    """The mean over the rows, with error bars where there is one row."""
    row = block.overall
    _, spread = numbers(row.cells[label] if row else None for label in at)
    means = np.array([_average(block, label) for label in at], dtype=float)
    errors = bars(means, spread, block.metric)
    panel.errorbar(list(at.values()), means, errors, label=label, **errors_of(look))


def _level(panel: Axes, block: Block, labels: Iterable[str], looks: Looks) -> None:
    """A level line for every method that is not swept, where it has values."""
    for label in labels:
        mean, look = _average(block, label), looks[label]
        if mean is not None:
            name = text(label) + (" (mean)" if len(block.rows) > 1 else "")
            panel.axhline(mean, label=name, color=look.colour, linestyle=look.dash)


def _average(block: Block, label: str) -> float | None:
    """A column's mean over the rows, over those with a value where the table has no average."""
    if row := block.overall:
        return row.cells[label].mean
    means = [mean for each in block.rows if (mean := each.cells[label].mean) is not None]
    return math.fsum(means) / len(means) if means else None


def _positions(panel: Axes, values: Sequence[Any]) -> list[float]:
    """Where each value lies on the axis, which is set up for them: words in equal steps."""
    if not all(isinstance(value, (int, float)) and not isinstance(value, bool) for value in values):
        words = list(dict.fromkeys(map(show, values)))
        panel.set_xticks(range(len(words)), map(text, words), rotation=30, ha="right")
        return [float(words.index(show(value))) for value in values]
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
            margin = (max(values) / min(values)) ** 0.05
            panel.set_xlim(min(values) / margin, max(values) * margin)
            plain_log(panel.xaxis)
    return list(map(float, values))
