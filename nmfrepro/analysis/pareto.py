"""Scores against seconds: how long a fit takes, and which methods no other beats in both."""

from __future__ import annotations

import math
from collections.abc import Mapping
from statistics import fmean

from ..results.folder import Results


def fit_seconds(results: Results) -> dict[str, float]:
    """Mean seconds of a fit by column, over the trials that all columns have; empty where there are none."""
    seconds: dict[str, dict[tuple[int, ...], float]] = {column.label: {} for column in results.run.columns}
    for trial in results.trials:
        if trial.ok and (fit := trial.times.phases.get("fit")):
            seconds[trial.label][tuple(trial.coordinates.values())] = fit
    common = set.intersection(*map(set, seconds.values()))
    if not common:
        return {}
    return {label: fmean(times[at] for at in common) for label, times in seconds.items()}


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
