"""Parameters chosen on validation images, one after the other, as LDS-NMF's paper does in section III-C."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ..algorithms import Algorithm
from ..core.errors import FitError
from ..core.problem import Fit
from .classifiers import METRICS
from .grids import Grids, chosen_note, value_text


@dataclass(frozen=True)
class Scored:
    """A fit, the features of all images on it, and what they score by metric."""

    fit: Fit
    features: np.ndarray
    scores: dict[str, float]


Attempt = Callable[[Sequence[Algorithm]], Sequence[Scored | FitError]]


def scan(
    grids: Grids, algorithm: Algorithm, start: Mapping[str, float], attempt: Attempt, decides: str
) -> tuple[Scored, str, dict[str, np.ndarray]]:
    """Try the values of one parameter after the other, the others held, and keep the best on validation.

    Parameters
    ----------
    grids : dict of str to tuple
        `grids_of` the method.
    algorithm : Algorithm
        Its own values hold for what `start` does not name.
    start : mapping of str to float
        Where the parameters stand before their own scan.
    attempt : callable
        Fits and scores a method with several settings, all of one parameter at once.
    decides : str
        The classifier whose validation accuracy decides; the earlier value where two are equal.

    Returns
    -------
    best : Scored
        The fit that was chosen.
    note : str
        Which values were chosen.
    arrays : dict of str to ndarray
        Every point that was tried, in order: ``scan_<parameter>``, ``scan_validation``, ``scan_test``, each
        of shape (points,); scores are NaN where the fit failed.

    Raises
    ------
    FitError
        If no value of a parameter can be fitted.
    """
    point: dict[str, Any] = {name: start.get(name, getattr(algorithm, name)) for name in grids}
    tried: list[dict[str, float]] = []
    parts = {"validation": METRICS[decides].chosen_by, "test": decides}
    best: Scored | None = None
    for name, grid in grids.items():
        best, chosen, reason = None, None, ""
        points = [point | {name: value} for value in grid]
        for here, found in zip(points, attempt([replace(algorithm, **each) for each in points]), strict=True):
            scores: dict[str, float] = {}
            if isinstance(found, FitError):
                reason = str(found)
            else:
                scores = found.scores
                if best is None or scores[parts["validation"]] > best.scores[parts["validation"]]:
                    best, chosen = found, here[name]
            tried.append(here | {part: scores.get(score, float("nan")) for part, score in parts.items()})
        if best is None:
            raise FitError(f"no value of {name} in the scan can be fitted; the last: {reason}")
        point[name] = chosen
    assert best is not None
    begun = ", ".join(f"{name} = {value:.3g}" for name, value in start.items())
    note = chosen_note(f"scan of {len(tried)} fits", point) + (f" (balanced: {begun})" if begun else "")
    arrays = {f"scan_{name}": _column([each[name] for each in tried]) for name in tried[0]}
    return best, note, arrays


def _column(values: Sequence[Any]) -> np.ndarray:
    """Values of a grid as an array, shape (points,): of numbers, or of texts where some are none."""
    numeric = all(isinstance(each, (int, float)) for each in values)
    return np.array(values if numeric else [value_text(each) for each in values])
