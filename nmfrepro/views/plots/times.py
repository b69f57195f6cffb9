"""Training times."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ...analysis.tables import Cell, Table
from ...papers import PublishedCell, PublishedTable
from .picture import Picture, axis_name, legend_beside, panels, plain_log, text, ticks
from .style import looks_of

# From this ratio of the longest to the shortest time on, the axis is logarithmic.
LOGARITHMIC = 20
# Row by row and method by method: mean and standard deviation in seconds, not-a-number where there is none.
Times = np.ndarray


def time_curves(table: Table, paper: PublishedTable | None) -> Picture:
    """Seconds per fit against the rank, a line for each method; the published times in a panel of their own.

    Parameters
    ----------
    table : Table
        Of a runtime run, with the metric "seconds".
    paper : PublishedTable or None

    Returns
    -------
    Picture
        "seconds".
    """
    block = next(each for each in table.blocks if each.name == "seconds")
    at = np.array([row.where[-1] if row.where else 0 for row in block.rows], dtype=float)
    shown = {"": _times([row.cells for row in block.rows])}
    if paper is not None:
        theirs = _times([[paper.find("seconds", name, int(k)) for name in table.algorithms] for k in at])
        if np.isfinite(theirs).any():
            shown = {"reproduced": shown[""], f"published ({paper.source.cited})": theirs}
    # What is timed is a fit: its k is a rank, whether or not there are as many clusters.
    against = ", ".join("Rank k" if name == "k" else axis_name(name) for name in table.layout.rows)
    figure, axes = panels(len(shown), 3.2, 2.8, sharey=True)
    figure.set_figwidth(figure.get_figwidth() + 1.2)
    for panel, (title, times) in zip(axes, shown.items(), strict=True):
        for i, (label, look) in enumerate(zip(table.labels, looks_of(table.algorithms), strict=True)):
            panel.errorbar(at, times[:, i, 0], times[:, i, 1], label=text(label), **look.errors)
        ticks(panel, at)
        panel.set_title(title)
        panel.set_xlabel(against)
    axes[0].set_ylabel("Seconds per fit")
    means = np.concatenate([times[:, :, 0].ravel() for times in shown.values()])
    if np.nanmax(means) >= LOGARITHMIC * np.nanmin(means):
        axes[0].set_yscale("log", nonpositive="mask")
        plain_log(axes[0].yaxis)
    else:
        axes[0].set_ylim(bottom=0)
    legend_beside(figure, axes[0])
    whose = f", {' and '.join(shown)}" if len(shown) > 1 else ""
    alt = f"{table.title}: seconds per fit of {', '.join(table.labels)} against {against.lower()}{whose}"
    return Picture("seconds", alt, figure)


def _times(rows: Sequence[Sequence[Cell | PublishedCell | None]]) -> Times:
    """Means and spreads of cells that have `mean` and `std`; a missing cell or spread is not a number."""
    pairs = [[(None, None) if cell is None else (cell.mean, cell.std) for cell in row] for row in rows]
    return np.array(pairs, dtype=float)
