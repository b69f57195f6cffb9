"""Paired comparisons against baycomp, and by simulation with draws that share classes."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from nmfrepro.analysis.compare.gain import Gain, gain
from nmfrepro.analysis.significance.paired import Row, correlated, signed_rank_posterior, student_posterior


@pytest.mark.parametrize("rope", [0.0, 1.0])
@pytest.mark.parametrize("shift", [0.0, 1.5])
def test_signed_rank_posterior_is_that_of_baycomp(rope: float, shift: float) -> None:
    baycomp = pytest.importorskip("baycomp")
    random = np.random.default_rng(1)
    first, second = random.normal(70 + shift, 2, 12), random.normal(70, 2, 12)
    found = signed_rank_posterior(list(first - second), rope)
    expected = baycomp.SignedRankTest.probs(first, second, rope, nsamples=20_000, random_state=4)
    ours = (found.first, found.equivalent, found.second) if rope else (found.first, found.second)
    np.testing.assert_allclose(ours, expected, atol=0.015)
    assert found.first + found.equivalent + found.second == pytest.approx(1)


@pytest.mark.parametrize("runs", [1, 2])
def test_correlated_posterior_is_that_of_baycomp(runs: int) -> None:
    baycomp = pytest.importorskip("baycomp")
    random = np.random.default_rng(2)
    first, second = random.normal(71, 2, 10), random.normal(70, 2, 10)
    expected = baycomp.CorrelatedTTest.probs(first, second, 1.0, runs=runs)
    found = correlated([Row(tuple(first - second), runs / 10)])
    assert found is not None
    posterior = student_posterior(found, 1.0)
    np.testing.assert_allclose((posterior.first, posterior.equivalent, posterior.second), expected, rtol=1e-9)


def test_all_classes_tell_nothing_of_others() -> None:
    assert correlated([Row((1.0, 2.0), 1.0)]) is None


def p_value(gain: Gain | None) -> float:
    """That of a t-test."""
    assert gain is not None
    assert gain.error > 0
    return float(2 * stats.t.sf(abs(gain.mean) / gain.error, gain.freedom))


def simulated(classes: int, draws: int, datasets: int, ks: tuple[int, ...]) -> list[list[np.ndarray]]:
    """Differences of two methods on draws of k classes: effects of classes and of pairs, and of the start."""
    random = np.random.default_rng(19)
    found = []
    for _ in range(datasets):
        own, both = random.normal(0, 4, classes), random.normal(0, 2, (classes, classes))
        rows = []
        for k in ks:
            picked = [random.choice(classes, k, replace=False) for _ in range(draws)]
            scores = [own[c].mean() + both[np.ix_(c, c)].mean() + random.normal(0, 0.5) for c in picked]
            rows.append(np.array(scores))
        found.append(rows)
    return found


def test_tests_of_shared_draws_are_wrong_as_rarely_as_stated() -> None:
    """Over datasets without a true difference the correlated test rejects in 5 %, the plain one oftener."""
    datasets = simulated(40, 10, 800, (5, 10, 20))
    plain = careful = 0
    for rows in datasets:
        pairs = [Row(tuple(row), k / 40) for row, k in zip(rows, (5, 10, 20), strict=True)]
        found = correlated(pairs)
        assert found is not None
        careful += p_value(found) < 0.05
        plain += p_value(gain([each.differences for each in pairs])) < 0.05
    assert careful / len(datasets) < 0.065
    assert plain / len(datasets) > 0.15


def test_intervals_for_other_draws_hold_nine_times_in_ten() -> None:
    random = np.random.default_rng(23)
    inside = 0
    for _ in range(1500):
        low, high = gain([tuple(random.normal(1, s, 10)) for s in (2, 3, 5)]).interval() or (0, 0)
        inside += low <= 1 <= high
    assert inside / 1500 == pytest.approx(0.90, abs=0.02)
