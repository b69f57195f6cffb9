"""Training times as bars."""

from __future__ import annotations

import math

from ...analysis.tables import Table
from ...papers import PublishedTable
from .picture import Picture, axis_name, legend_beside, panels, plain_log, text
from .style import looks_of

# From this ratio of the longest to the shortest time on, the axis is logarithmic.
LOGARITHMIC = 20
WIDTH = 0.8
# Row by row and method by method: mean and standard deviation in seconds.
Times = list[list[tuple[float | None, float | None]]]


def time_bars(table: Table, paper: PublishedTable | None) -> Picture:
    """A group of bars for each row, a bar for each method; the published times in a panel of their own.

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
    ours: Times = [[(cell.mean, cell.std) for cell in row.cells] for row in block.rows]
    rows = [row.where[-1] if row.where else 0 for row in block.rows]
    # What is timed is a fit: its k is a rank, whether or not there are as many clusters.
    against = ", ".join("Rank k" if name == "k" else axis_name(name) for name in table.layout.rows)
    shown = [("reproduced", ours)]
    if paper is not None:
        found = [[paper.find("seconds", name, row) for name in table.algorithms] for row in rows]
        if any(cell for line in found for cell in line):
            theirs: Times = [
                [(cell.mean, cell.std) if cell else (None, None) for cell in line] for line in found
            ]
            shown.append((f"published ({paper.source.number})", theirs))
    figure, axes = panels(len(shown), 3.2, 2.8)
    figure.set_figwidth(figure.get_figwidth() + 1.2)
    for panel, (title, cells) in zip(axes, shown, strict=True):
        for i, (label, look) in enumerate(zip(table.labels, looks_of(table.algorithms), strict=True)):
            offset = (i - (len(table.labels) - 1) / 2) * WIDTH / len(table.labels)
            means, spread = _column(cells, i)
            # On a logarithmic axis a bar of error cannot reach 0.
            below = [min(each, 0.99 * mean) for mean, each in zip(means, spread, strict=True)]
            panel.bar(
                [number + offset for number in range(len(rows))],
                means,
                WIDTH / len(table.labels),
                yerr=[below, spread] if any(spread) else None,
                error_kw={"elinewidth": 0.8},
                label=text(label),
                **look.bar,
            )
        times = [mean for line in cells for mean, _ in line if mean]
        if times and max(times) >= LOGARITHMIC * min(times):
            panel.set_yscale("log")
            panel.set_ylim(bottom=10 ** math.floor(math.log10(min(times))))
            plain_log(panel.yaxis)
        panel.set_xticks(range(len(rows)), [row.name for row in block.rows])
        panel.set_xlim(-0.6, len(rows) - 0.4)
        panel.xaxis.grid(False)
        panel.set_title(title)
        panel.set_xlabel(against)
        panel.set_ylabel("Seconds per fit")
    legend_beside(figure, axes[0])
    kinds = " and ".join(title for title, _ in shown)
    alt = f"{table.title}: bars of seconds per fit of {', '.join(table.labels)} by {against.lower()}, {kinds}"
    return Picture("seconds", alt, figure)


def _column(cells: Times, i: int) -> tuple[list[float], list[float]]:
    """Means and spreads of one method; a missing mean is no bar, and one run has no spread."""
    means = [math.nan if line[i][0] is None else float(line[i][0] or 0.0) for line in cells]
    return means, [float(line[i][1] or 0.0) for line in cells]
