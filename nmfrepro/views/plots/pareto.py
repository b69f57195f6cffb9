"""Scores against seconds: which methods are not beaten in both."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ...analysis.pareto import fit_seconds, unbeaten
from ...analysis.significance.scores import of_results
from ...metrics import Metric
from ...protocols import Protocol
from ..tables import heading
from .axes import plain_log
from .picture import Picture, legend_beside, new_figure, text
from .run import PlottedRun
from .style import Looks, line_of


def pictures(run: PlottedRun) -> Iterator[Picture]:
    """Every ranked metric against the seconds of a fit, where not all columns are of sweeps."""
    seconds = fit_seconds(run.results) if run.still else {}
    for block in run.table.blocks if seconds else ():
        scores = of_results(run.results, block.name)
        if block.metric.ranked and len(scores.means):
            times = {label: seconds[label] for label in scores.labels}
            timed = timed_by(run.record.protocol)
            yield pareto(block.name, block.metric, times, scores.averages, run.looks, timed)


def timed_by(protocol: Protocol) -> str:
    """What `nmfrepro.analysis.pareto.fit_seconds` are: "Processor seconds of one fit"."""
    return f"Processor seconds of {protocol.fit_phase}"


def pareto(
    name: str,
    metric: Metric,
    seconds: Mapping[str, float],
    scores: Mapping[str, float],
    looks: Looks,
    timed: str,
) -> Picture:
    """A point for each method: mean score against seconds of a fit, the front as steps.

    Parameters
    ----------
    name, metric : str, Metric
        What was measured; the picture is called by its name.
    seconds, scores : mapping of str to float
        By label; scores in the metric's unit.
    looks : Looks
    timed : str
        What the seconds are, for the axis: see `timed_by`.

    Returns
    -------
    Picture
        "pareto-accuracy".
    """
    front = unbeaten(seconds, scores, metric.lower_is_better)
    figure = new_figure(6.4, 4.2)
    axes = figure.subplots()
    axes.set_xscale("log")
    at = {label: (seconds[label], scores[label]) for label in scores}
    steps = zip(*(at[label] for label in front), strict=True)
    axes.step(*steps, where="post", color="black", linewidth=0.8, alpha=0.5, zorder=1)
    for label in metric.best_first(scores):
        axes.plot(*at[label], label=text(label), **line_of(looks[label]) | {"linestyle": "none"})
    axes.set_xlabel(timed)
    axes.set_ylabel(heading(metric))
    plain_log(axes.xaxis)
    legend = legend_beside(figure, "bold: none is both\nfaster and better")
    for words in legend.get_texts():
        if words.get_text() in map(text, front):
            words.set_fontweight("bold")
    figure.suptitle(f"{metric.title} against time: mean over all rows of the table and all draws")
    alt = f"{metric.title} against seconds of a fit. Not beaten in both: {', '.join(front)}"
    return Picture(f"pareto-{name}", alt, figure)
