"""Critical-difference diagrams: mean ranks of methods, and which of them do not differ."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ...analysis.significance import Friedman
from ...analysis.significance.pairwise import pairwise
from ...analysis.significance.scores import of_published, of_results
from .matrix import pair_matrix
from .picture import LETTER, Picture, new_figure, text
from .run import PlottedRun
from .style import Looks, look_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# Heights in the diagram, from the axis of ranks downwards.
STEP, FIRST, BAR = 0.55, 0.75, 0.22
# Inches that the number of a rank needs; where there are fewer, not every rank has its number.
NUMBERED = 0.2
# Points from the end of a line, where the marker stands, to the name.
GAP = 6


def pictures(run: PlottedRun) -> Iterator[Picture]:
    """A diagram for each metric in which better and worse exist, where not all columns are of sweeps."""
    if not run.still:
        return
    results, table, paper = run.results, run.table, run.paper
    printed = {cell.column: look_of(cell.algorithm) for cell in paper.cells} if paper else {}
    for block in table.blocks:
        if not block.metric.ranked:
            continue
        scores = {"reproduced": of_results(results, block.name)}
        if paper is not None and block.name in paper.metrics:
            scores["published"] = of_published(paper.name, block.name)
        ours = scores["reproduced"]
        tests = {name: test for name, each in scores.items() if (test := each.friedman())}
        if "reproduced" in tests:
            if len(scores) == 1:  # a run with nothing published reproduces nothing
                tests = {"": tests["reproduced"]}
            yield rank_diagram(block.name, block.metric.title, tests, printed | run.looks)
        pairs = pairwise(ours)
        if len(ours.labels) > 2 and pairs and pairs[0].n > 1:
            yield pair_matrix(block.name, block.metric, pairs, ours.best_first)


def rank_diagram(name: str, metric: str, tests: Mapping[str, Friedman], looks: Looks) -> Picture:
    """Diagrams below each other, as Demšar (2006) draws them.

    Parameters
    ----------
    name, metric : str
        What was ranked: its name, by which the picture is called, and a heading.
    tests : mapping of str to Friedman
        The diagrams by what they show: "reproduced", "published"; nothing where there is one only.
    looks : Looks

    Returns
    -------
    Picture
        "ranks-accuracy".
    """
    heights = [_depth(test) + 1.9 for test in tests.values()]
    figure = new_figure(6.2, 0.33 * sum(heights) + 0.3)
    axes = figure.subplots(len(tests), 1, squeeze=False, gridspec_kw={"height_ratios": heights})[:, 0]
    for panel, (shown, test) in zip(axes, tests.items(), strict=True):
        _diagram(panel, test, looks, float(figure.get_figwidth()))
        whose = f", {shown}" if shown else ""
        over = f"mean rank over {test.rows} rows (Nemenyi, α\u00a0=\u00a0{test.alpha:g})"
        panel.set_title(f"{metric}{whose}: {over}", fontsize="medium", wrap=True)
    figure.suptitle(
        "Ranks in each row of the table by means over all draws; a bar joins what is not told apart"
    )
    best = [f"{shown}: {test.order[0][0]}" if shown else test.order[0][0] for shown, test in tests.items()]
    leaders = "; ".join(f"{each} ranks best" for each in best)
    alt = f"critical-difference diagram of {metric}; {leaders}"
    return Picture(f"ranks-{name}", alt, figure)


def _depth(test: Friedman) -> float:
    """How far the diagram reaches below its axis."""
    half = -(-len(test.labels) // 2)
    return FIRST + BAR * len(test.groups) + STEP * half


def _diagram(panel: Axes, test: Friedman, looks: Looks, wide: float) -> None:
    """A diagram in a figure of this size in inches."""
    methods = len(test.labels)
    panel.set_axis_off()
    panel.set_xlim(1 - 0.32 * (methods - 1), methods + 0.32 * (methods - 1))
    panel.set_ylim(-_depth(test), 1.8)
    # What names and margins leave to the axis.
    wide = max((wide - 2 * LETTER * max(len(_name(*each)) for each in test.order)) / 1.2, 1.0)
    _axis(panel, methods, test.critical_difference, wide)
    floor = -FIRST + 0.35
    for number, group in enumerate(test.groups):
        ranks = [rank for label, rank in test.order if label in group]
        height = floor - BAR * number
        panel.plot([min(ranks) - 0.04, max(ranks) + 0.04], [height] * 2, color="black", linewidth=3)
    lowest, half = floor - BAR * len(test.groups) - 0.1, -(-methods // 2)
    _names(panel, test.order[:half], looks, lowest, 1 - 0.1 * (methods - 1), "right")
    _names(panel, test.order[: half - 1 : -1], looks, lowest, methods + 0.1 * (methods - 1), "left")


def _axis(panel: Axes, methods: int, critical: float, wide: float) -> None:
    """The ranks, `wide` inches across, and the critical difference above them."""
    panel.plot([1, methods], [0, 0], color="black", linewidth=1)
    every = math.ceil(NUMBERED * (methods - 1) / wide)
    for rank in range(1, methods + 1):
        panel.plot([rank, rank], [0, 0.18], color="black", linewidth=1)
        if (rank - 1) % every == 0:
            panel.text(rank, 0.26, str(rank), ha="center", va="bottom", fontsize="small")
    end, caption = 1 + critical, f"critical difference {critical:.2f}"
    panel.plot([1, end], [1.1, 1.1], color="black", linewidth=1.4)
    for edge in (1, end):
        panel.plot([edge, edge], [1.0, 1.2], color="black", linewidth=1.4)
    panel.text(1, 1.3, caption, ha="left", va="bottom", fontsize="small")


def _names(
    panel: Axes, methods: Sequence[tuple[str, float]], looks: Looks, lowest: float, edge: float, side: str
) -> None:
    """Names on one side, the outermost rank highest, each tied to its place on the axis.

    The markers stand at the names: on the axis, those of equal ranks would hide each other.
    """
    gap = (GAP if side == "left" else -GAP, 0)
    place: dict[str, Any] = {"xytext": gap, "textcoords": "offset points", "ha": side, "va": "center"}
    for number, (label, rank) in enumerate(methods):
        height = lowest - STEP * (number + 0.3)
        look = looks.get(label)
        panel.plot([rank, rank, edge], [0, height, height], color="black", linewidth=0.8)
        if look is not None:
            face = "white" if look.hollow else look.colour
            panel.plot(edge, height, marker=look.marker, color=look.colour, mfc=face, zorder=5)
        name = text(_name(label, rank))
        panel.annotate(name, (edge, height), fontsize="small", label=text(label), **place)


def _name(label: str, rank: float) -> str:
    return f"{label}  {rank:.2f}"
