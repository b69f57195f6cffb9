"""Parameters chosen on draws that take no part in what is reported, so that no score chooses itself."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from ..algorithms import Algorithm
from ..core.errors import FitError
from ..core.terminal import counted
from .grids import Grids, chosen_note, grids_text

Score = Callable[[Algorithm, int], Mapping[str, float]]
"""Fits a method on one of the draws for choosing, by its number, and scores it by metric."""


def choose(
    grids: Grids, algorithm: Algorithm, draws: int, score: Score, by: str, suffixes: Sequence[str] = ("",)
) -> list[tuple[Algorithm, str]]:
    """For each reading the combination of values with the best mean score over the draws for choosing.

    Parameters
    ----------
    grids : dict of str to tuple
        Values by parameter; every combination is tried on the same draws.
    algorithm : Algorithm
    draws : int
        Draws for choosing, ≥ 1.
    score : callable
        Larger is better.
    by : str
        The metric to choose by.
    suffixes : sequence of str
        What its name, and those of parameters in the notes, end with, for each reading of the encodings.

    Returns
    -------
    list of (Algorithm, str)
        By reading the method with the values chosen (the earlier where two are equal), and a note of them.

    Raises
    ------
    FitError
        If no combination can be fitted on all these draws.
    """
    best: dict[str, tuple[float, Algorithm]] = {}
    reason = ""
    for values in itertools.product(*grids.values()):
        candidate = replace(algorithm, **dict(zip(grids, values, strict=True)))
        try:
            scores = [score(candidate, i) for i in range(draws)]
        except FitError as error:
            reason = str(error)
            continue
        for suffix in suffixes:
            mean = math.fsum(each[by + suffix] for each in scores) / draws
            if suffix not in best or mean > best[suffix][0]:
                best[suffix] = mean, candidate
    if not best:
        raise FitError(f"no combination of {', '.join(grids)} can be fitted; the last: {reason}")
    found = []
    for suffix in suffixes:
        chosen = best[suffix][1]
        picked = {f"{name}{suffix}": getattr(chosen, name) for name in grids}
        found.append((chosen, chosen_note("on other draws", picked)))
    return found


def choice_note(
    grids: Mapping[str, Sequence[Any]], draws: int, by: str, source: str, k: int, n_classes: int
) -> str:
    """How parameters were chosen, for the notes under a table; `by` is the title of a metric.

    Two draws of k of n classes share at least 2k − n of them, which is said of this k, the largest below n.
    """
    which = "with none of its classes" if source == "classes" else "of any classes"
    shared = 2 * k - n_classes
    most = ""
    if source == "draws" and shared > 0:
        most = f", but at k = {k} shares at least {counted(shared, 'class')} with every other"
    return (
        f"Chosen for every draw by mean {by} on {counted(draws, 'other draw')} {which}, whose labels "
        f"are used: {grids_text(grids)}. The draw that is reported takes no part in it{most}."
    )
