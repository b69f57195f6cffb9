"""Two methods on the same draws or datasets: the mean paired difference, and how probable it is to hold.

Two questions have two answers.  *Would other draws of this data say the same?*  The draws are independent
then, and `gain` has the interval.  *Would other classes like these say the same?*  Draws of k out of K
classes share classes, so that their differences are correlated, and the t-test needs the correlation ρ
(Nadeau, Bengio 2003; Corani, Benavoli 2015).

ρ was found by simulation.  If every class has its own effect on the difference, two draws share k/K of them
and ρ = k/K exactly; confusions between pairs of classes and random starts only lower it.  With 600 simulated
datasets each, two methods as nearest centres in noisy views of K classes, ρ came out as

    K    40    40    40    40    15    15    15    10    10    10
    k     5    10    20    30     3     8    12     2     5     8
    ρ  0.07  0.19  0.43  0.72  0.11  0.45  0.75  0.10  0.40  0.73
    k/K 0.12 0.25  0.50  0.75  0.20  0.53  0.80  0.20  0.50  0.80

so that k/K, which is used, errs to the careful side.  For random splits into training and test images ρ is
the share of test images, as Nadeau and Bengio propose.

Datasets share nothing.  Theirs is the Bayesian signed-rank test with a region of practical equivalence:
Benavoli, Corani, Mangili, Zaffalon, Ruggeri: A Bayesian Wilcoxon signed-rank test based on the Dirichlet
process, ICML 2014; Benavoli, Corani, Demšar, Zaffalon: Time for a change, JMLR 18, 2017.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean, variance

import numpy as np

from ..compare.gain import Gain
from ..compare.verdict import error_of_sum

SAMPLES = 20_000
PRIOR = 0.5
"""Weight of a pseudo-case with difference 0, as the authors take it."""


@dataclass(frozen=True)
class Row:
    """Differences of two methods within one row of a table."""

    # first − second, one a draw, in points; positive where the first is better.
    differences: tuple[float, ...]
    # Of the differences of two draws, over datasets like this one, in [0, 1]: k/K for draws of k out of K
    # classes, the share of test images for random splits.
    correlation: float

    @property
    def informative(self) -> bool:
        """Whether it says anything of other data: it has two draws that do not have all data in common."""
        return len(self.differences) > 1 and self.correlation < 1


def correlated(rows: Sequence[Row]) -> Gain | None:
    """The mean over rows with an error that heeds the correlation of draws.

    With s² the variance within a row of n draws and correlation ρ, a row's mean has variance
    s²·(1/n + ρ/(1 − ρ)).  The second part stems from the classes at hand and is the same in all rows, so that
    more rows do not lessen it.

    Returns
    -------
    Gain or None
        None where no row is `informative`.
    """
    used = [row for row in rows if row.informative]
    if not used:
        return None
    parts = []
    for row in used:
        n, share = len(row.differences), row.correlation / (1 - row.correlation)
        factor = 1 / (n * len(used) ** 2) + share / len(used)
        parts.append((variance(row.differences) * factor, n - 1))
    mean = fmean(fmean(row.differences) for row in used)
    return Gain(mean, *error_of_sum(*parts), pairs=sum(len(row.differences) for row in used))


@dataclass(frozen=True)
class Posterior:
    """Probabilities that sum to one."""

    # first, equivalent, second: that the first method is better by more than the region, that both are
    # equivalent, and that the second is better.
    first: float
    equivalent: float
    second: float


def student_posterior(gain: Gain, rope: float) -> Posterior:
    """Probabilities that the true mean is above, inside and below the region of practical equivalence.

    The posterior of the Bayesian correlated t-test: Student's t around the mean.
    """
    first, second = (_tail(sign * gain.mean - rope, gain.error, gain.freedom) for sign in (1, -1))
    return Posterior(first, max(0.0, 1 - first - second), second)


def _tail(distance: float, error: float, freedom: float) -> float:
    """Probability of t below distance/error."""
    from scipy.special import stdtr

    if error == 0:
        return 0.5 if distance == 0 else float(distance > 0)
    return float(stdtr(freedom, distance / error))


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
