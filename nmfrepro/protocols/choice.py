"""Parameters chosen on draws that take no part in what is reported, so that no score chooses itself."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from ..algorithms import Algorithm
from ..core.errors import FitError
from .scan import Grids, number

Score = Callable[[Algorithm, int], float]
"""Fits a method on one of the draws for choosing, by its number, and scores it."""


def choose(grids: Grids, algorithm: Algorithm, draws: int, score: Score) -> tuple[Algorithm, str]:
    """The combination of values with the best mean score over the draws for choosing.

    Parameters
    ----------
    grids : dict of str to tuple
        Values by parameter; every combination is tried on the same draws.
    algorithm : Algorithm
    draws : int
        Draws for choosing, ≥ 1.
    score : callable
        Larger is better.

    Returns
    -------
    (Algorithm, str)
        The method with the values chosen (the earlier ones where two are equal), and a note of them.

    Raises
    ------
    FitError
        If no combination can be fitted on all these draws.
    """
    best, chosen, reason = -math.inf, None, ""
    for values in itertools.product(*grids.values()):
        candidate = replace(algorithm, **dict(zip(grids, values, strict=True)))
        try:
            mean = math.fsum(score(candidate, i) for i in range(draws)) / draws
        except FitError as error:
            reason = str(error)
            continue
        if mean > best:
            best, chosen = mean, candidate
    if chosen is None:
        raise FitError(f"no combination of {', '.join(grids)} can be fitted; the last: {reason}")
    words = ", ".join(f"{name} = {number(getattr(chosen, name))}" for name in grids)
    return chosen, f"on other draws chose {words}"


def choice_note(grids: Mapping[str, Sequence[Any]], draws: int, by: str, source: str) -> str:
    """How parameters were chosen, for the notes under a table; `by` is the title of a metric."""
    told = "; ".join(f"{name} of {', '.join(map(number, each))}" for name, each in grids.items())
    which = "with none of its classes" if source == "classes" else "of any classes"
    return (
        f"Chosen for every draw by mean {by} on {draws} other draws {which}, whose labels "
        f"are used: {told}. The draw that is reported takes no part in it."
    )
