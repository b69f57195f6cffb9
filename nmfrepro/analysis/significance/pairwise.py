"""Every pair of methods (or one against each other) over the draws or datasets that all of them have."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from ...core.errors import ResultsError, suggest
from . import holm, signed_rank
from .paired import Paired, Row, paired
from .scores import Scores
from .signedrank import Posterior, signed_rank_posterior

ROPE = 1.0
"""Half width of the region of practical equivalence in points, after Benavoli and others."""


@dataclass(frozen=True)
class Pairwise:
    """A pair of methods."""

    paired: Paired  # mean difference, wins, ties and losses; positive where the first is ahead
    n: int  # draws, or datasets, that both have
    median: float  # of the differences
    # p, p_holm: two-sided signed-rank test of Wilcoxon, and Holm's adjustment over the pairs that are shown.
    p: float
    p_holm: float
    # Over datasets from the Bayesian signed-rank test, over draws of one dataset from the correlated t-test;
    # None where neither can tell.
    posterior: Posterior | None


def pairwise(scores: Scores, control: str | None = None, rope: float = ROPE) -> list[Pairwise]:
    """Compare every pair of methods, or a control with each other method.

    Only draws (or datasets) that all methods have are used, so that every pair is compared on the same ones.

    Parameters
    ----------
    scores : Scores
    control : str, optional
        A method by its heading.
    rope : float
        In points.

    Returns
    -------
    list of Pairwise
        In the order of the methods; empty if no trial is shared by all.

    Raises
    ------
    ResultsError
        If there is no such control.
    """
    if control is not None and control not in scores.labels:
        raise ResultsError(f"--control {control}: no such method; {suggest(control, scores.labels)}")
    trials = scores.trials
    shared = set.intersection(*map(set, trials.values())) if trials else set()
    order = [trial for trial in next(iter(trials.values()), {}) if trial in shared]
    if not order:
        return []
    names = [(control, other) for other in scores.labels if other != control] if control else None
    sign = -1 if scores.metric.lower_is_better else 1
    found = []
    for first, second in names or combinations(scores.labels, 2):
        # Scores are ratios of small counts: equal differences must not be split by rounding.
        differences = np.round([sign * (trials[first][at] - trials[second][at]) for at in order], 12)
        by_row: dict[tuple[int, ...], list[float]] = {}
        for at, difference in zip(order, differences, strict=True):
            by_row.setdefault(() if scores.datasets else at[:-1], []).append(float(difference))
        rows = [Row(tuple(values), scores.correlations.get(where, 1.0)) for where, values in by_row.items()]
        found.append((paired(first, second, rows, rope), differences, signed_rank(differences)))
    adjusted = holm([p for *_, p in found])
    return [
        Pairwise(
            each,
            len(order),
            float(np.median(differences)),
            p,
            corrected,
            signed_rank_posterior(list(differences), rope) if scores.datasets else each.posterior,
        )
        for (each, differences, p), corrected in zip(found, adjusted, strict=True)
    ]


def matrix(pairs: Sequence[Pairwise]) -> dict[tuple[str, str], tuple[float, int, int, int, float]]:
    """Both directions of every pair: lead, wins, ties, losses, adjusted p-value."""
    found = {}
    for each in pairs:
        one = each.paired
        found[one.first, one.second] = one.gain.mean, one.wins, one.ties, one.losses, each.p_holm
        found[one.second, one.first] = -one.gain.mean, one.losses, one.ties, one.wins, each.p_holm
    return found
