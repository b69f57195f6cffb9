"""Parameters chosen on validation images, one after the other: the rule of the LDS-NMF paper, section III-C.

Liao, Guan and Zhang fit once without regularisation, set the weight gamma so that its term equals the loss of
that fit, try powers of ten for lambda, keep the one with the best validation accuracy, and then try powers of
ten for gamma alike.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np

from ..algorithms import Algorithm
from ..algorithms.lds_nmf import LDSNMF, reference_weights
from ..core.errors import FitError
from ..core.options import options_of
from ..core.problem import Fit, FitSettings, Problem
from ..factorization import fit
from .base import require

Attempt = Callable[[Algorithm], tuple[Fit, dict[str, float]]]


@dataclass(frozen=True)
class Scan:
    """The values to try, by parameter, in the order of the scans."""

    grids: dict[str, tuple[Any, ...]]

    @classmethod
    def of_spec(cls, raw: Mapping[str, Any]) -> Self:
        """From what a spec says: ``{lam: [0.1, 1], gamma: [0.1, 1]}``.

        Raises
        ------
        SpecError
            If it is anything but lists by name.
        """
        require(len(raw) > 0, "scan must name a parameter, as {lam: [0.1, 1]}")
        for name, values in raw.items():
            listed = isinstance(values, (list, tuple)) and len(values) > 0
            require(
                listed, f"scan of {name} must be a list of values, as {{{name}: [0.1, 1]}}, not {values!r}"
            )
        return cls({name: tuple(values) for name, values in raw.items()})

    def of(self, algorithm: Algorithm) -> Self | None:
        """The same with the values in the method's own types; None if it has not all of the parameters.

        Raises
        ------
        SpecError
            If the method does not allow a value.
        """
        options = options_of(type(algorithm))
        if not set(self.grids) <= set(options):
            return None
        checked = {name: tuple(map(options[name].check, grid)) for name, grid in self.grids.items()}
        return replace(self, grids=checked)

    def balanced(
        self, algorithm: Algorithm, problem: Problem, settings: FitSettings, seed: int
    ) -> dict[str, float]:
        """lam and gamma at which either term weighs as much as the loss of a fit without them."""
        free: dict[str, Any] = {"lam": 0.0, "gamma": 0.0}
        found = fit(replace(algorithm, **free), problem, settings, seed)
        lam, gamma = reference_weights(problem.X, found.factors["W"], found.factors["H"])
        return {"lam": lam, "gamma": gamma}


@dataclass(frozen=True)
class Scanned:
    """The fit that was chosen.

    Attributes
    ----------
    fit : Fit
    scores : dict of str to float
    notes : tuple of str
        Which values were chosen.
    arrays : dict of str to ndarray
        Every point that was tried, in order: ``scan_<parameter>``, ``scan_validation``, ``scan_test``, each
        of shape (points,); scores are NaN where the fit failed.
    """

    fit: Fit
    scores: dict[str, float]
    notes: tuple[str, ...]
    arrays: dict[str, np.ndarray]


def balances(algorithm: Algorithm) -> bool:
    """Whether `Scan.balanced` knows where the method's parameters stand."""
    return isinstance(algorithm, LDSNMF)


def scan(
    own: Scan, algorithm: Algorithm, start: Mapping[str, float], attempt: Attempt, decides: str
) -> Scanned:
    """Try the values of one parameter after the other, the others held, and keep the best on validation.

    Parameters
    ----------
    own : Scan
        `Scan.of` the method.
    algorithm : Algorithm
        Its own values hold for what `start` does not name.
    start : mapping of str to float
        Where the parameters stand before their own scan.
    attempt : callable
        Fits and scores a method.
    decides : str
        The classifier whose validation accuracy decides; the earlier value where two are equal.

    Raises
    ------
    FitError
        If no value of a parameter can be fitted.
    """
    point: dict[str, Any] = {name: start.get(name, getattr(algorithm, name)) for name in own.grids}
    tried: list[dict[str, float]] = []
    best: tuple[Fit, dict[str, float]] | None = None
    for name, grid in own.grids.items():
        best, chosen, reason = None, None, ""
        for value in grid:
            here = point | {name: value}
            try:
                found, scores = attempt(replace(algorithm, **here))
            except FitError as error:
                found, scores, reason = None, {}, str(error)
            tried.append(
                here | {"validation": _of(scores, f"{decides}_validation"), "test": _of(scores, decides)}
            )
            if found is None:
                continue
            if best is None or tried[-1]["validation"] > best[1][f"{decides}_validation"]:
                best, chosen = (found, scores), value
        if best is None:
            raise FitError(f"no value of {name} in the scan can be fitted; the last: {reason}")
        point[name] = chosen
    assert best is not None
    words = ", ".join(f"{name} = {value:g}" for name, value in point.items())
    begun = ", ".join(f"{name} = {value:.3g}" for name, value in start.items())
    note = f"scan of {len(tried)} fits chose {words}" + (f" (balanced: {begun})" if begun else "")
    arrays = {f"scan_{name}": np.array([each[name] for each in tried]) for name in tried[0]}
    return Scanned(*best, (note,), arrays)


def _of(scores: Mapping[str, float], name: str) -> float:
    return scores.get(name, float("nan"))
