"""Scores against the coordinate that a table chooses from: recognition rates against the dimension."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from ..tables import heading
from .axes import averaged, curve, ended, ticks, within
from .picture import Picture, legend_beside, panels, text, titled
from .run import PlottedRun
from .style import errors_of


def pictures(run: PlottedRun) -> Iterator[Picture]:
    """One for every metric, "nn-dimensions": a panel for each row of the table.

    Of a single dimension there is none: the picture of the table's numbers says as much.
    The best scores of the published table are hollow points where it prints their dimension.
    """
    table, paper = run.table, run.paper
    across, down = run.axis(table.layout.chosen or ""), ", ".join(map(run.axis, table.layout.rows))
    for block in table.blocks:
        metric = replace(block.metric, title=run.record.protocol.axes.get(block.name, block.metric.title))
        every = [each for cell in block.cells for each in cell.choices if each.mean is not None]
        if len({each.chosen for each in every}) < 2:
            continue
        figure, axes = panels(len(block.rows), 3.0, 2.9, legend=1.3, sharey=True)
        title = None
        for panel, row in zip(axes, block.rows, strict=True):
            at = [each.chosen for cell in row.cells.values() for each in cell.choices]
            for label, cell in row.cells.items():
                look = run.looks[label]
                there = [each for each in cell.choices if each.mean is not None]
                if not there:
                    continue
                dimensions = np.array([each.chosen for each in there], dtype=float)
                curve(panel, dimensions, there, metric, label=text(label), **errors_of(look))
                where = row.where[-1] if row.where else None
                theirs = paper.find(block.name, table.column(label).algorithm, where) if paper else None
                if paper and theirs is not None and theirs.dimension is not None:
                    hollow: dict[str, Any] = {"mfc": "white", "mec": look.colour, "markersize": 8, "mew": 1.2}
                    panel.plot(theirs.dimension, theirs.mean, look.marker, zorder=5, **hollow)
                    title = f"hollow: published\n({paper.source.cited})"
                    at.append(theirs.dimension)
            ticks(panel, np.array(at, dtype=float))
            titled(panel, f"{down}: {row.name}" if down else "")
            panel.set_xlabel(across)
        axes[0].set_ylabel(heading(metric))
        within(axes[0].yaxis, metric)
        legend_beside(figure, title)
        figure.suptitle(f"{metric.title}: {averaged(table, every)}{ended(metric, every)}")
        alt = f"{heading(metric)} of {', '.join(table.labels)} against the {across.lower()}"
        if down:
            alt += f", a panel each for {down.lower()} = {'; '.join(row.name for row in block.rows)}"
        yield Picture(f"{block.name}-dimensions", alt, figure)
