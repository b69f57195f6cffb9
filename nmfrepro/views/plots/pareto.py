"""Scores against seconds: which methods are not beaten in both."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING

from ...metrics import Metric
from ...protocols import Protocol
from ..tables import heading
from .picture import Picture, legend_beside, new_figure, plain_log, slug, text
from .style import Look

if TYPE_CHECKING:
    from ...results.folder import Results


def fit_seconds(results: Results) -> dict[str, float]:
    """Mean seconds of a fit by column, over the trials that all columns have; empty where there are none."""
    found: dict[str, dict[tuple[int, ...], float]] = {column.label: {} for column in results.run.columns}
    for trial in results.trials:
        if trial.ok and trial.label in found and trial.times is not None and trial.times.fit:
            found[trial.label][tuple(trial.coordinates.values())] = trial.times.fit
    common = set.intersection(*map(set, found.values())) if found else set()
    if not common:
        return {}
    return {label: math.fsum(times[at] for at in common) / len(common) for label, times in found.items()}


def timed_by(protocol: Protocol) -> str:
    """What `fit_seconds` are: "Seconds of one fit (processor)"."""
    return f"Seconds of {protocol.fits} ({'processor' if protocol.processor_time else 'wall clock'})"


def unbeaten(seconds: Mapping[str, float], scores: Mapping[str, float], lower: bool = False) -> list[str]:
    """The methods that no other beats in both seconds and score, quickest first (the Pareto front)."""
    front: list[str] = []
    best = -math.inf
    for label in sorted(seconds, key=lambda each: (seconds[each], scores[each] if lower else -scores[each])):
        value = -scores[label] if lower else scores[label]
        if value > best:
            front.append(label)
            best = value
    return front


def pareto(
    title: str,
    metric: Metric,
    seconds: Mapping[str, float],
    scores: Mapping[str, float],
    looks: Mapping[str, Look],
    timed: str,
) -> Picture:
    """A point for each method: mean score against seconds of a fit, the front as steps.

    Parameters
    ----------
    title : str
    metric : Metric
    seconds, scores : mapping of str to float
        By label; scores in the metric's unit.
    looks : mapping of str to Look
    timed : str
        What the seconds are, for the axis: see `timed_by`.

    Returns
    -------
    Picture
        "pareto-accuracy".
    """
    front = unbeaten(seconds, scores, metric.lower_is_better)
    figure = new_figure(6.4, max(4.2, 0.8 + 0.17 * len(scores)))
    axes = figure.subplots()
    axes.set_xscale("log")
    at = {label: (seconds[label], scores[label]) for label in scores}
    steps = zip(*(at[label] for label in front), strict=True)
    axes.step(*steps, where="post", color="black", linewidth=0.8, alpha=0.5, zorder=1)
    for label in sorted(scores, key=scores.__getitem__, reverse=not metric.lower_is_better):
        axes.plot(*at[label], label=text(label), **looks[label].line | {"linestyle": "none"})
    axes.set_xlabel(timed)
    axes.set_ylabel(heading(metric))
    plain_log(axes.xaxis)
    legend = legend_beside(figure, axes, "bold: none is both\nfaster and better")
    for words in legend.get_texts():
        if words.get_text() in map(text, front):
            words.set_fontweight("bold")
    figure.suptitle(f"{metric.title} against time: mean over all rows of the table and all draws")
    alt = f"{title}: {metric.title} against seconds of a fit. Not beaten in both: {', '.join(front)}"
    return Picture(f"pareto-{slug(metric.title)}", alt, figure)
