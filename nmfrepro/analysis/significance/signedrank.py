"""Bayesian signed-rank test with a region of practical equivalence.

Benavoli, Corani, Mangili, Zaffalon, Ruggeri: A Bayesian Wilcoxon signed-rank test based on the Dirichlet
process, ICML 2014; Benavoli, Corani, Demšar, Zaffalon: Time for a change, JMLR 18, 2017.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

SAMPLES = 20_000
PRIOR = 0.5
"""Weight of a pseudo-case with difference 0, as the authors take it."""


@dataclass(frozen=True)
class Posterior:
    """Probabilities that sum to one."""

    # first, equivalent, second: that the first method is better by more than the region, that both are
    # equivalent, and that the second is better.
    first: float
    equivalent: float
    second: float


def signed_rank_posterior(differences: Sequence[float], rope: float) -> Posterior:
    """How probable it is that one method is better than another on cases like these.

    Weights of the cases and of a pseudo-case 0 are drawn from a Dirichlet distribution.  For each such draw a
    verdict is the largest of three sums over pairs of cases: of the pairs whose mean difference is above the
    region, inside it, or below it; on its border a pair counts half.

    Parameters
    ----------
    differences : sequence of float
        first − second, one a case (a dataset, a draw), larger is better.
    rope : float
        Half width of the region of practical equivalence, ≥ 0, in the unit of the differences.
    """
    cases = np.array([0.0, *differences])
    weights = np.random.default_rng(0).dirichlet([PRIOR, *np.ones(len(differences))], SAMPLES)
    sums = cases[:, None] + cases
    above, below = (_step(each, 2 * rope) for each in (sums, -sums))
    first = np.einsum("si,si->s", weights @ above, weights)
    second = np.einsum("si,si->s", weights @ below, weights)
    if rope == 0:
        share = float((first > second).mean() + 0.5 * (first == second).mean())
        return Posterior(share, 0.0, 1 - share)
    largest = np.argmax([second, 1 - first - second, first], axis=0)
    counts = np.bincount(largest, minlength=3) / SAMPLES
    return Posterior(float(counts[2]), float(counts[1]), float(counts[0]))


def _step(values: np.ndarray, threshold: float) -> np.ndarray:
    return (values > threshold) + 0.5 * (values == threshold)
