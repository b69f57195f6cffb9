"""Every pair of methods (or one against each other) over the draws or datasets that all of them have."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np

from ...core.errors import ResultsError, Setting
from ...core.grouping import grouped
from ..compare.gain import Gain, gain
from ..tables.layout import column_called
from . import SignedRank, holm, signed_rank
from .paired import Posterior, Row, correlated, signed_rank_posterior, student_posterior
from .scores import Scores, Where

ROPE = 1.0
"""Half width of the region of practical equivalence in points, after Benavoli and others."""


@dataclass(frozen=True)
class Pairwise:
    """A pair of methods; differences are first − second in points, positive where the first is better."""

    first: str
    second: str
    gain: Gain  # the mean difference, for other draws of the same data
    # wins, ties, losses: draws in which the first is better, equal, worse.
    wins: int
    ties: int
    losses: int
    n: int  # draws, or datasets, that both have
    # test, p_holm: of Wilcoxon, and Holm's adjustment of its p-value over the pairs that are shown.
    test: SignedRank
    p_holm: float
    # Over datasets from the Bayesian signed-rank test, over draws of one dataset from the correlated t-test;
    # None where neither can tell, or without `rope`, the half width of the region of practical equivalence.
    posterior: Posterior | None
    rope: float | None
    silent: tuple[Where, ...]  # rows that the t-test leaves out, since they tell nothing of other data

    @property
    def win_tie_loss(self) -> str:
        """In how many draws the first is better, equal, worse: "60/3/37"."""
        return f"{self.wins}/{self.ties}/{self.losses}"

    def clear(self, alpha: float) -> bool:
        """Whether the test tells, at this level, that the method whose mean is ahead is the better one."""
        return self.p_holm < alpha and self.test.sign * self.gain.mean > 0

    @property
    def turned(self) -> Pairwise:
        """The same pair, the second method first."""
        posterior = self.posterior
        return replace(
            self,
            first=self.second,
            second=self.first,
            gain=replace(self.gain, mean=-self.gain.mean),
            wins=self.losses,
            losses=self.wins,
            test=replace(self.test, sign=-self.test.sign),
            posterior=posterior and replace(posterior, first=posterior.second, second=posterior.first),
        )


def pairwise(scores: Scores, control: str | None = None, rope: float | None = None) -> list[Pairwise]:
    """Compare every pair of methods, or a control with each other method.

    Only draws (or datasets) that all methods have are used, so that every pair is compared on the same ones.

    Parameters
    ----------
    scores : Scores
    control : str, optional
        A method by its heading, or its name where no other column has it.
    rope : float, optional
        Within what of each other methods are practically equivalent, in the unit of the metric; `ROPE` by
        default for percents, else not known.

    Returns
    -------
    list of Pairwise
        In the order of the methods; empty if no trial is shared by all.

    Raises
    ------
    ResultsError
        If there is no such control, or several are, or `rope` is negative.
    """
    if rope is None and scores.metric.unit == "%":
        rope = ROPE
    if rope is not None and not rope >= 0:
        raise ResultsError(Setting("rope"), f" must be a number >= 0, not {rope!r}")
    if control is not None:
        columns = {label: scores.algorithms.get(label, label) for label in scores.labels}
        control = column_called(control, columns, "control")
    trials = scores.trials
    shared = set.intersection(*map(set, trials.values())) if trials else set()
    order = [trial for trial in next(iter(trials.values()), {}) if trial in shared]
    if not order:
        return []
    others = [label for label in scores.labels if label != control]
    names = [(control, other) for other in others] if control else list(combinations(others, 2))
    pairs = [_pair(scores, first, second, order, rope) for first, second in names]
    adjusted = holm([each.test.p for each in pairs])
    return [replace(each, p_holm=p) for each, p in zip(pairs, adjusted, strict=True)]


def _pair(scores: Scores, first: str, second: str, order: Sequence[Where], rope: float | None) -> Pairwise:
    """Two methods over these trials, without Holm's adjustment."""
    sign, one, other = scores.metric.sign, scores.trials[first], scores.trials[second]
    # Scores are ratios of small counts: equal differences must not be split by rounding.
    differences = np.round([sign * (one[at] - other[at]) for at in order], 12)
    of_rows = [() if scores.datasets else at[:-1] for at in order]
    by_row = grouped(zip(of_rows, differences.tolist(), strict=True))
    rows = {
        where: Row(tuple(values), scores.correlations.get(where, 1.0)) for where, values in by_row.items()
    }
    beyond, posterior = correlated(list(rows.values())), None
    if rope is not None and scores.datasets:
        posterior = signed_rank_posterior(list(differences), rope)
    elif rope is not None and beyond:
        posterior = student_posterior(beyond, rope)
    return Pairwise(
        first=first,
        second=second,
        gain=gain([row.differences for row in rows.values()]),
        wins=int((differences > 0).sum()),
        ties=int((differences == 0).sum()),
        losses=int((differences < 0).sum()),
        n=len(order),
        test=signed_rank(differences),
        p_holm=math.nan,
        posterior=posterior,
        rope=rope,
        silent=tuple(where for where, row in rows.items() if not row.informative),
    )


def matrix(pairs: Sequence[Pairwise]) -> dict[tuple[str, str], Pairwise]:
    """Every pair in both directions, by its first and second method."""
    return {(each.first, each.second): each for pair in pairs for each in (pair, pair.turned)}
