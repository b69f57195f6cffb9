"""The matrix of all pairs: by how much each method is ahead of each other, and in how many draws."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import product
from typing import Any

import numpy as np

from ...analysis.significance.pairwise import Pairwise, matrix
from ...metrics import Metric
from ..tables import heading, number
from .picture import LETTER, Picture, new_figure, text

# Level at which a lead is printed in bold.
ALPHA = 0.05
# Inches across: of a cell, of the number in it, of what stands beside cells and names, and of a cell whose
# name must stand upright.
CELL, NUMBER, AROUND, UPRIGHT = 0.85, 0.4, 1.0, 0.35
# Inches down: of a cell with two lines, with a number, with nothing but its colour.
TWO_LINES, ONE_LINE, NO_LINE = 0.55, 0.3, 0.18
# Sizes in points: of numbers, of names, and the least that can be read.
SIZE, NAMES, LEAST = 7.5, 8, 4


def pair_matrix(name: str, metric: Metric, pairs: Sequence[Pairwise], order: Sequence[str]) -> Picture:
    """Draw the matrix after Ismail-Fawaz and others (arXiv 2305.11921).

    Parameters
    ----------
    name, metric : str, Metric
        What was measured; the picture is called by its name.
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
    figure = new_figure(2.4 + CELL * count, 0)
    cell = (float(figure.get_figwidth()) - AROUND - LETTER * max(map(len, order))) / count
    # A cell has its wins and losses where it is wide enough for them, and no number that cannot be read.
    whole, size = cell > 0.8 * CELL, min(SIZE, SIZE * cell / NUMBER)
    numbered = size >= LEAST
    figure.set_figheight(1.1 + (TWO_LINES if whole else ONE_LINE if numbered else NO_LINE) * count)
    axes = figure.subplots()
    image = axes.imshow(leads, cmap="RdBu", vmin=-1.6 * limit, vmax=1.6 * limit, aspect="auto")
    for (i, first), (j, second) in product(enumerate(order), repeat=2):
        if numbered and i != j:
            each = pair_of[first, second]
            words = number(each.gain.mean, metric.unit, sign="+").replace("-", "−")
            if whole:
                words += f"\n{each.win_tie_loss}"
            weight = "bold" if each.clear(ALPHA) else "normal"
            axes.text(j, i, words, ha="center", va="center", fontsize=size, weight=weight)
    turned: dict[str, Any] = {"rotation": 90} if cell < UPRIGHT else {"rotation": 30, "ha": "right"}
    turned["fontsize"] = max(LEAST, min(NAMES, 60 * cell))
    axes.set_xticks(range(count), [text(name) for name in order], **turned)
    axes.set_yticks(range(count), [text(name) for name in order], fontsize=NAMES)
    axes.tick_params(length=0)
    axes.grid(False)
    axes.spines[:].set_visible(False)
    bar = figure.colorbar(image, ax=axes, aspect=30)
    bar.set_label(f"Row ahead of column,\n{heading(replace(metric, unit=metric.difference))}")
    bar.ax.set_ylim(-limit, limit)
    bar.outline.set_visible(False)
    n, led = pairs[0].n, pairs[0].gain.pairs  # the mean leaves rows of a single draw out
    won = f" in {led} pairs"
    if whole:
        won = f", and win/tie/loss in {n} pairs" if led == n else f"{won}, win/tie/loss in {n}"
    bold = "bold:" if any(each.clear(ALPHA) for each in pairs) else "no lead with"
    level = f"; {bold} p < {ALPHA:g} (Wilcoxon, Holm)" if numbered else ""
    figure.suptitle(f"{metric.title}: mean lead{won}{level}")
    alt = f"matrix of all pairs, {metric.title}; {order[0]} has the best mean"
    return Picture(f"pairs-{name}", alt, figure)
