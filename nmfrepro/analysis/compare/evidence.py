"""All cells of one method together: mean difference, heterogeneity, coverage, evidence for "no difference".

Prediction intervals and Q as in Patil, Peng, Leek (2016) and Hedges, Schauer (2019).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean

from .verdict import Difference, Judgement, Sides, error_of_mean, welch

TAU = 3.0
"""Standard deviation in points, from study to study, of a method's mean that is not the same in both."""


@dataclass(frozen=True)
class Evidence(Judgement):
    """One method in one table: the mean of reproduced − published over the cells, and what it says."""

    borrowed: bool = False  # whether some published means have no spread and ours stands for theirs
    # q, p: Q = Σ d²/SE² over the cells with a spread on both sides, and its p-value under no difference; None
    # if there is no such cell.
    q: float | None = None
    p: float | None = None
    cells: int = 0  # of Q: its degrees of freedom
    inside: int = 0  # published means inside the 95 % prediction interval around ours, of `cells`
    # BF01 of the mean difference: how much likelier it is without a true difference than with one.
    bayes: float | None = None


def evidence(cells: Sequence[Sides], margin: float) -> Evidence | None:
    """Take the cells of one method and metric together.

    The cells are independent given the data: their draws are others.  Of one cell the interval is its own.

    Parameters
    ----------
    cells : sequence of Sides
    margin : float
        In points.

    Returns
    -------
    Evidence or None
        None if no cell has two draws of ours.
    """
    used = [cell for cell in cells if len(cell.ours.draws) > 1]
    if not used:
        return None
    differences = [welch(cell.theirs, cell.ours) for cell in used]
    alone = [_difference(cell) for cell in used]
    parts = ((each.error**2, each.freedom) for each in alone)
    together = Difference(fmean(each.mean for each in alone), *error_of_mean(*parts))
    q, p, freedom = heterogeneity(differences)
    return Evidence.of(
        together,
        margin,
        borrowed=any(cell.theirs.variance is None for cell in used),
        q=q,
        p=p,
        cells=freedom,
        inside=sum(each.error > 0 and not each.significant for each in differences),
        bayes=bayes_factor(together.mean, together.error),
    )


def _difference(cell: Sides) -> Difference:
    """The difference of a cell; where no spread is printed ours stands for it, and our number of draws."""
    theirs, ours = cell.theirs, cell.ours
    if theirs.variance is not None:
        return welch(theirs, ours)
    assert ours.std is not None
    assert ours.n is not None
    error = ours.std * math.sqrt(1 / (theirs.n or ours.n) + 1 / ours.n)
    return Difference(ours.mean - theirs.mean, error, ours.n - 1)


def heterogeneity(differences: Sequence[Difference]) -> tuple[float | None, float | None, int]:
    """Q = Σ d²/SE² over the cells, its p-value, and the number of cells.

    Standard errors of few draws are uncertain themselves, which makes Q larger than χ² says.  For the
    p-value each d/SE is therefore brought from its t-distribution to the normal one first.
    """
    from scipy.special import chdtrc, ndtri_exp, stdtr

    squares, normal = [], []
    for each in (each for each in differences if each.error > 0):
        t = abs(each.mean) / each.error
        squares.append(t**2)
        tail = max(float(stdtr(each.freedom, -t)), 1e-300)
        normal.append(float(ndtri_exp(math.log(tail))) ** 2)
    if not squares:
        return None, None, 0
    return math.fsum(squares), float(chdtrc(len(normal), math.fsum(normal))), len(squares)


def bayes_factor(difference: float, error: float) -> float | None:
    """BF01 = N(d; 0, SE²) / N(d; 0, SE² + 2τ²): above 1 for no difference, below 1 for one.

    Under the alternative the true means of both studies vary independently with standard deviation τ.

    Returns
    -------
    float or None
        None without a standard error.
    """
    if error <= 0:
        return None
    wide = error**2 + 2 * TAU**2
    log = 0.5 * math.log(wide / error**2) - 0.5 * difference**2 * (1 / error**2 - 1 / wide)
    return math.exp(max(-700.0, min(700.0, log)))
