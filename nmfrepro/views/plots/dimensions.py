"""Recognition rates against the dimension of the features."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from ..tables import heading
from .axes import averaged, curve, ended, ticks, within
from .picture import Picture, legend_beside, panels, slug, text, titled
from .run import PlottedRun
from .style import errors_of


def pictures(run: PlottedRun) -> Iterator[Picture]:
    """One for every classifier, "nn-dimensions": a panel for each number of training images.

    Of a single dimension there is none: the picture of the table's numbers says as much.
    The best accuracies of the published table are hollow points where it prints their dimension.
    """
    table, paper = run.table, run.paper
    for block in table.blocks:
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
                curve(panel, dimensions, there, block.metric, label=text(label), **errors_of(look))
                where = row.where[-1] if row.where else None
                theirs = paper.find(block.name, table.column(label).algorithm, where) if paper else None
                if paper and theirs is not None and theirs.dimension is not None:
                    hollow: dict[str, Any] = {"mfc": "white", "mec": look.colour, "markersize": 8, "mew": 1.2}
                    panel.plot(theirs.dimension, theirs.mean, look.marker, zorder=5, **hollow)
                    title = f"hollow: published\n({paper.source.cited})"
                    at.append(theirs.dimension)
            ticks(panel, np.array(at, dtype=float))
            titled(panel, f"{run.axis(table.layout.rows[-1])}: {row.name}")
            panel.set_xlabel(run.axis("k"))
        axes[0].set_ylabel(f"Recognition rate, {heading(block.metric)}")
        within(axes[0].yaxis, block.metric)
        legend_beside(figure, title)
        figure.suptitle(
            f"Recognition rate, {block.metric.title}: {averaged(table, every)}{ended(block.metric, every)}"
        )
        names = ", ".join(row.name for row in block.rows)
        alt = (
            f"recognition rate, {heading(block.metric)}, of {', '.join(table.labels)} against "
            f"the dimension, a panel for each number of training images per class ({names})"
        )
        yield Picture(f"{slug(block.metric.title)}-dimensions", alt, figure)
