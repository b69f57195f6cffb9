"""The matrix of all pairs: by how much each method is ahead of each other, and in how many draws."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ...analysis.significance.pairwise import Pairwise, matrix
from ...metrics import Metric
from ..tables import heading
from .picture import Picture, new_figure, slug, text

# Level at which a lead is printed in bold.
ALPHA = 0.05
# Inches across: of a cell, and of the number in it; and the number's size in points.
CELL, NUMBER, SIZE = 0.85, 0.4, 7.5


def pair_matrix(title: str, metric: Metric, pairs: Sequence[Pairwise], order: Sequence[str]) -> Picture:
    """Draw the matrix after Ismail-Fawaz and others (arXiv 2305.11921).

    Parameters
    ----------
    title : str
    metric : Metric
    pairs : sequence of Pairwise
        Every pair once.
    order : sequence of str
        The methods, best first.

    Returns
    -------
    Picture
        "pairs-accuracy".
    """
    pair_of, count = matrix(pairs), len(order)
    leads = np.array([[pair_of[a, b].gain.mean if a != b else np.nan for b in order] for a in order])
    limit = float(np.nanmax(np.abs(leads))) or 1.0
    figure = new_figure(2.4 + CELL * count, 1.1 + 0.55 * count)
    # A cell has its wins and losses where it is wide enough for them.
    cell = CELL * float(figure.get_size_inches()[0]) / (2.4 + CELL * count)
    whole, size = cell > 0.8 * CELL, min(SIZE, SIZE * cell / NUMBER)
    axes = figure.subplots()
    image = axes.imshow(
        np.ma.masked_invalid(leads), cmap="RdBu", vmin=-1.6 * limit, vmax=1.6 * limit, aspect="auto"
    )
    for i, first in enumerate(order):
        for j, second in enumerate(order):
            if i != j:
                each = pair_of[first, second]
                words = f"{each.gain.mean:+.1f}".replace("-", "−") + f"\n{each.win_tie_loss}" * whole
                weight = "bold" if each.clear(ALPHA) else "normal"
                axes.text(j, i, words, ha="center", va="center", fontsize=size, weight=weight)
    axes.set_xticks(range(count), [text(name) for name in order], rotation=30, ha="right", fontsize=8)
    axes.set_yticks(range(count), [text(name) for name in order], fontsize=8)
    axes.tick_params(length=0)
    axes.grid(False)
    axes.spines[:].set_visible(False)
    bar = figure.colorbar(image, ax=axes, aspect=30)
    bar.set_label(f"Row ahead of column,\n{heading(metric)}")
    bar.ax.set_ylim(-limit, limit)
    bar.outline.set_visible(False)
    won = f"{', and win/tie/loss' * whole} in {pairs[0].n} pairs"
    figure.suptitle(f"{metric.title}: mean lead{won}; bold: p < {ALPHA:g} (Wilcoxon, Holm)")
    alt = f"{title}: matrix of all pairs, {metric.title}; {order[0]} has the best mean"
    return Picture(f"pairs-{slug(metric.title)}", alt, figure)
