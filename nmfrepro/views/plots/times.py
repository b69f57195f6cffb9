"""Training times."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from ...analysis.tables import Cell
from ...papers import PublishedCell
from .axes import LOGARITHMIC, averaged, curve, ended, plain_log, ticks
from .picture import Picture, legend_beside, panels, text, titled
from .run import PlottedRun
from .style import errors_of

Times = Mapping[str, Sequence[Cell | PublishedCell | None]]


def pictures(run: PlottedRun) -> Iterator[Picture]:
    """Seconds per fit against the rank, a line for each method; published times in a panel of their own."""
    table, paper = run.table, run.paper
    block = next((each for each in table.blocks if each.metric.timed), None)
    if block is None:  # other metrics were asked for
        return
    at = np.array([row.where[-1] if row.where else 0 for row in block.rows], dtype=float)
    ours: Times = {each: [row.cells[each] for row in block.rows] for each in table.labels}
    shown = {"": ours}
    if paper is not None:
        theirs: Times = {
            each.label: [paper.find(block.name, each.algorithm, int(k)) for k in at] for each in table.columns
        }
        if any(map(any, theirs.values())):
            shown = {"reproduced": ours, f"published ({paper.source.cited})": theirs}
    cells = (cell for times in shown.values() for row in times.values() for cell in row)
    every = [cell.mean for cell in cells if cell and cell.mean is not None]
    if not every:  # all failed
        return
    against = ", ".join(map(run.axis, table.layout.rows))
    figure, axes = panels(len(shown), 3.2, 2.8, legend=1.2, sharey=True)
    for panel, (title, times) in zip(axes, shown.items(), strict=True):
        for label, those in times.items():
            errors = errors_of(run.looks[label])
            curve(panel, at, those, block.metric, label=text(label), **errors)
        ticks(panel, at)
        titled(panel, title)
        panel.set_xlabel(against)
    axes[0].set_ylabel("Seconds per fit")
    if max(every) >= LOGARITHMIC * min(every):
        axes[0].set_yscale("log", nonpositive="mask")
        plain_log(axes[0].yaxis)
    else:
        axes[0].set_ylim(bottom=0)
    legend_beside(figure)
    figure.suptitle(f"Seconds per fit: {averaged(table, block.cells)}{ended(block.metric, block.cells)}")
    whose = f", {' and '.join(shown)}" if len(shown) > 1 else ""
    alt = f"seconds per fit of {', '.join(table.labels)} against {against.lower()}{whose}"
    yield Picture("seconds", alt, figure)
