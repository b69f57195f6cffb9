"""All cells of one method together: mean difference, heterogeneity, coverage, evidence for "no difference".

Prediction intervals and Q as in Patil, Peng, Leek (2016) and Hedges, Schauer (2019).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean

import numpy as np
from numpy.typing import NDArray

from .verdict import DEVIATES, DIFFERS, INCONCLUSIVE, REPRODUCED, Judgement, Sides, judge

RESAMPLES = 2000
TAU = 3.0
"""Standard deviation in points, from study to study, of a method's mean that is not the same in both."""


@dataclass(frozen=True)
class Evidence:
    """One method in one table."""

    # difference, low, high: mean of reproduced − published over the cells, with its 90 % interval.
    difference: float
    low: float
    high: float
    verdict: str  # by where the interval lies: inside the margin, outside, without zero, or else inconclusive
    borrowed: bool = False  # whether some published means have no spread and ours stands for theirs
    # q, p: Q = Σ d²/SE² over the cells with a spread on both sides, and its p-value under no difference; None
    # if there is no such cell.
    q: float | None = None
    p: float | None = None
    freedom: int = 0  # degrees of freedom of Q: the number of its cells
    inside: int = 0  # published means inside the 95 % prediction interval around ours, of `freedom` cells
    # BF01 of the mean difference: how much likelier it is without a true difference than with one.
    bayes: float | None = None


def evidence(cells: Sequence[Sides], margin: float, resamples: int = RESAMPLES) -> Evidence | None:
    """Take the cells of one method and metric together.

    Parameters
    ----------
    cells : sequence of Sides
    margin : float
        In points.
    resamples : int
        Of the bootstrap.

    Returns
    -------
    Evidence or None
        None if no cell has two draws of ours.
    """
    used = [cell for cell in cells if len(cell.ours.draws) > 1]
    if not used:
        return None
    judged = [judge(cell.theirs, cell.ours, margin) for cell in used]
    means = resampled(used, resamples)
    difference = fmean(each.mean for each in judged)
    low, high = (float(x) for x in np.quantile(means, (0.05, 0.95)))
    q, p, freedom = heterogeneity(judged)
    return Evidence(
        difference=difference,
        low=low,
        high=high,
        verdict=verdict_of_interval(low, high, margin, means),
        borrowed=any(cell.theirs.variance is None for cell in used),
        q=q,
        p=p,
        freedom=freedom,
        inside=sum(bool(each.error) and not each.significant for each in judged),
        bayes=bayes_factor(difference, float(means.std(ddof=1))),
    )


def resampled(cells: Sequence[Sides], resamples: int) -> NDArray[np.float64]:
    """Mean differences over cells of resampled draws, shape (resamples,).

    Our draws are resampled within each cell, their deviations stretched by √(n/(n − 1)) since a resampled
    mean varies too little by that; the published mean, of which only n and s are known, varies as
    s/√n·t(n − 1).  Where none is printed our own spread stands for s, and our number of draws for n.
    """
    stream = np.random.default_rng(0)
    total = np.zeros(resamples)
    for cell in cells:
        published, draws = cell.theirs, np.array([*cell.ours.draws.values()])
        n, mean = len(draws), float(draws.mean())
        picked = draws[stream.integers(n, size=(resamples, n))].mean(axis=1)
        total += mean - published.mean + math.sqrt(n / (n - 1)) * (picked - mean)
        std, repeats = published.std, published.n or n
        freedom = repeats - 1
        if std is None or repeats < 2:
            std, freedom = float(draws.std(ddof=1)), n - 1
        total += std / math.sqrt(repeats) * stream.standard_t(freedom, size=resamples)
    return total / len(cells)


def verdict_of_interval(low: float, high: float, margin: float, means: NDArray[np.float64]) -> str:
    """The verdict on a mean difference by its 90 % interval; `means` are its resampled values."""
    if -margin < low and high < margin:
        return REPRODUCED
    if low > margin or high < -margin:
        return DEVIATES
    wide_low, wide_high = np.quantile(means, (0.025, 0.975))
    return DIFFERS if wide_low > 0 or wide_high < 0 else INCONCLUSIVE


def heterogeneity(judged: Sequence[Judgement]) -> tuple[float | None, float | None, int]:
    """Q = Σ d²/SE² over the cells, its p-value, and the number of cells.

    Standard errors of few draws are uncertain themselves, which makes Q larger than χ² says.  For the
    p-value each d/SE is therefore brought from its t-distribution to the normal one first.
    """
    from scipy.special import chdtrc, log_ndtr, ndtri_exp, stdtr

    squares, normal = [], []
    for each in judged:
        if not each.error:
            continue
        t = abs(each.mean) / each.error
        squares.append(t**2)
        if math.isinf(each.freedom):
            log_tail = float(log_ndtr(-t))
        else:
            log_tail = math.log(max(float(stdtr(each.freedom, -t)), 1e-300))
        normal.append(float(ndtri_exp(log_tail)) ** 2)
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
