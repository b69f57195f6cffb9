"""Verdicts against other programs' tests, and by simulation: the stated error rates hold."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from statistics import fmean, stdev

import numpy as np
import pytest
from scipy import stats

from nmfrepro.analysis.compare.evidence import bayes_factor, evidence, heterogeneity
from nmfrepro.analysis.compare.gain import FAILS, HOLDS, OPEN, Claim, detectable, gain
from nmfrepro.analysis.compare.verdict import (
    DEVIATES,
    DIFFERS,
    INCONCLUSIVE,
    NO_SPREAD,
    REPRODUCED,
    Difference,
    Side,
    Sides,
    decide,
    draws_needed,
    judge,
    welch,
)


def drawn(theirs: Side, draws: Sequence[float]) -> Sides:
    """A published mean beside these draws of ours."""
    spread = stdev(draws) if len(draws) > 1 else None
    return Sides((), theirs, Side(fmean(draws), spread, len(draws), draws=dict(enumerate(draws))))


def test_welch_is_that_of_scipy() -> None:
    random = np.random.default_rng(0)
    ours, theirs = random.normal(70, 4, 10), random.normal(71, 6, 25)
    first, second = (Side(x.mean(), x.std(ddof=1), len(x)) for x in (theirs, ours))
    found = welch(first, second)
    expected = stats.ttest_ind(ours, theirs, equal_var=False)
    assert found.error > 0
    assert found.freedom == pytest.approx(expected.df)
    assert found.mean / found.error == pytest.approx(expected.statistic)
    assert found.interval() == pytest.approx(tuple(expected.confidence_interval(0.90)))
    assert found.significant == (expected.pvalue < 0.05)


@pytest.mark.parametrize("shift", [0.0, 1.0, 2.0, 6.0])
def test_reproduced_where_two_one_sided_tests_reject(shift: float) -> None:
    weights = pytest.importorskip("statsmodels.stats.weightstats")
    random = np.random.default_rng(3)
    for n in (5, 20, 80):
        ours, theirs = random.normal(70 + shift, 3, n), random.normal(70, 3, 20)
        p = weights.ttost_ind(ours, theirs, -3, 3, usevar="unequal")[0]
        first, second = (Side(x.mean(), x.std(ddof=1), len(x)) for x in (theirs, ours))
        assert (judge(first, second).verdict == REPRODUCED) == (p < 0.05)


def test_each_verdict_by_hand() -> None:
    # t(0.95, 18) = 1.734, t(0.975, 18) = 2.101; with both spreads 2 over 10 draws SE = 0.894
    cases = {0.0: REPRODUCED, 1.4: REPRODUCED, 1.8: INCONCLUSIVE, 2.5: DIFFERS, 4.5: DIFFERS, 4.6: DEVIATES}
    for difference, verdict in cases.items():
        found = judge(Side(70, 2, 10), Side(70 + difference, 2, 10))
        assert found.verdict == verdict, difference
        assert found.interval() == pytest.approx(
            (difference - 1.734 * 0.8944, difference + 1.734 * 0.8944), abs=1e-3
        )
    assert judge(Side(70, 2, 10), Side(70, 2, 10), margin=1).verdict == INCONCLUSIVE


def test_a_side_without_a_spread_is_not_judged() -> None:
    for published, ours in (
        (Side(70, None, 20), Side(75, 2, 10)),
        (Side(70, 2, 10), Side(75, None, 1)),
    ):
        found = judge(published, ours)
        assert (found.verdict, found.mean) == (NO_SPREAD, 5)
        assert np.isnan(found.error)


def test_a_single_run_in_print_is_held_against_the_prediction_interval_of_one_run() -> None:
    # t(0.975, 9) = 2.262 and s·√(1 + 1/n) = 3·1.0488: 7.12 points either side
    for published, verdict in ((70 + 7.1, INCONCLUSIVE), (70 + 7.2, DIFFERS)):
        found = judge(Side(published, None, 1), Side(70, 3, 10))
        assert found.error == pytest.approx(3.1464, abs=1e-4)
        assert found.verdict == verdict
        assert found.significant == (verdict == DIFFERS)


def test_no_variance_at_all_is_exact() -> None:
    assert judge(Side(70, 0, 10), Side(72, 0, 10)).verdict == REPRODUCED
    assert judge(Side(70, 0, 10), Side(74, 0, 10)).verdict == DEVIATES


@pytest.mark.parametrize(
    ("published", "ours"),
    [
        (Side(70, 3, 10), Side(70.5, 5, 10)),
        (Side(70, None, 1), Side(70.5, 1, 3)),  # a single run in print, which varies as ours do
    ],
)
def test_draws_that_decide_are_the_fewest(published: Side, ours: Side) -> None:
    found = judge(published, ours)
    assert found.verdict == INCONCLUSIVE
    assert found.needed is not None
    assert judge(published, replace(ours, n=found.needed)).verdict == REPRODUCED
    assert judge(published, replace(ours, n=found.needed - 1)).verdict == INCONCLUSIVE


@pytest.mark.parametrize("printed", [2, 3, 10])
@pytest.mark.parametrize("spread", [0.4, 0.8, 2])
def test_draws_that_decide_are_found_where_more_of_them_decide_nothing(printed: int, spread: float) -> None:
    """Of two or three runs in print the quantile grows again while draws are added; held against a count."""
    for mean in (50.8, 51.6, 52.4, 53.5):
        published, ours = Side(50, spread, printed), Side(mean, 4, 5)
        verdicts = {n: judge(published, replace(ours, n=n)).verdict for n in range(5, 400)}
        fewest = next((n for n, verdict in verdicts.items() if verdict != INCONCLUSIVE), None)
        found = draws_needed(published, ours, 3)
        assert found == fewest if fewest else found is None or found >= 400


def test_print_that_is_too_noisy_is_never_decided() -> None:
    # 1.833·6/√10 = 3.48 points: beyond the margin by itself
    found = judge(Side(70, 6, 10), Side(70, 5, 10))
    assert found.undecidable
    assert judge(Side(70, 6, 10), Side(70, 0.01, 100_000)).verdict == INCONCLUSIVE
    assert judge(Side(70, None, 1), Side(70, 5, 10)).undecidable
    # known to ±1.7, but so near the margin that it cannot be told on which side
    assert draws_needed(Side(70, 3, 10), Side(71.6, 3, 10), 3) is None


def test_a_large_difference_is_decided_though_print_could_not_be_reproduced() -> None:
    """t·s/√n of the printed mean is 5.8, beyond the margin; but 8 points are more than its 7.2 at 5 %."""
    published, ours = Side(70, 10, 10), Side(78, 10, 10)
    found = judge(published, ours)
    assert found.verdict == INCONCLUSIVE
    assert found.needed is not None
    assert judge(published, replace(ours, n=found.needed)).verdict == DIFFERS
    assert judge(published, replace(ours, n=found.needed - 1)).verdict == INCONCLUSIVE
    assert judge(published, replace(ours, mean=77)).undecidable


@pytest.mark.parametrize(("true", "verdict"), [(3.0, REPRODUCED), (3.0, DEVIATES), (0.0, DIFFERS)])
def test_wrong_verdicts_are_as_rare_as_stated(true: float, verdict: str) -> None:
    """At the margin one-sided verdicts are wrong in 5 % at most; without a difference 5 % differ at most."""
    random = np.random.default_rng(7)
    wrong, tables = 0, 4000
    for spread in (1.0, 3.0):
        theirs = random.normal(0, spread, (tables, 10))
        ours = random.normal(true, 2 * spread, (tables, 15))
        for first, second in zip(theirs, ours, strict=True):
            a, b = (Side(x.mean(), x.std(ddof=1), len(x)) for x in (first, second))
            wrong += judge(a, b).verdict == verdict
    assert wrong / (2 * tables) < 0.05 + 0.006  # two standard deviations of the count


@pytest.mark.parametrize(("draws", "spreads"), [(10, (2, 3, 4, 5, 6, 4, 3, 2)), (3, (2, 3, 4))])
def test_intervals_of_mean_differences_hold_the_truth_nine_times_in_ten(
    draws: int, spreads: tuple[float, ...]
) -> None:
    random = np.random.default_rng(11)
    inside, tables, counts = 0, 1500, Counter[str]()
    for _ in range(tables):
        cells = []
        for spread in spreads:
            theirs = random.normal(70, spread, 10)
            ours = random.normal(71, spread, draws)
            cells.append(drawn(Side(theirs.mean(), theirs.std(ddof=1), 10), ours))
        found = evidence(cells, 3.0)
        assert found is not None
        low, high = found.interval()
        inside += low <= 1 <= high
        counts[found.verdict] += 1
    assert 0.88 < inside / tables < 0.92
    assert counts[DEVIATES] < 0.05 * tables


def test_of_one_cell_the_verdict_of_the_method_is_its_own() -> None:
    cell = drawn(Side(70, 4, 10), (68.0, 71.0))
    found, alone = evidence([cell], 3), judge(cell.theirs, cell.ours)
    assert found is not None
    assert (found.interval(), found.verdict) == (alone.interval(), alone.verdict)


def test_a_cell_without_any_error_is_not_counted_as_inside() -> None:
    """100 ± 0 on both sides says nothing of print's error: 1 of 1, not 2 of 1."""
    cells = [drawn(Side(100, 0, 10), (100.0, 100.0)), drawn(Side(70, 5, 10), (69.0, 71.0))]
    found = evidence(cells, 3)
    assert found is not None
    assert (found.inside, found.cells) == (1, 1)


def test_heterogeneity_is_found_as_rarely_as_stated() -> None:
    random = np.random.default_rng(13)
    tables, rejected, found = 1500, 0, 0
    for _ in range(tables):
        for shift in (0.0, 4.0):
            judged = [
                judge(*(Side(x.mean(), x.std(ddof=1), 10) for x in (a, b)))
                for a, b in zip(random.normal(0, 3, (8, 10)), random.normal(shift, 3, (8, 10)), strict=True)
            ]
            q, p, freedom = heterogeneity(judged)
            assert q is not None
            assert p is not None
            assert freedom == 8
            if shift:
                found += p < 0.05
            else:
                rejected += p < 0.05
    assert 0.035 < rejected / tables < 0.065
    assert found / tables > 0.95


def test_a_bayes_factor_is_a_ratio_of_densities() -> None:
    for difference in (0.0, 2.0, 8.0):
        expected = stats.norm.pdf(difference, 0, 1.5) / stats.norm.pdf(
            difference, 0, math.sqrt(1.5**2 + 2 * 3**2)
        )
        assert bayes_factor(difference, 1.5) == pytest.approx(expected)
    assert bayes_factor(0.0, 0.0) is None


def test_published_means_without_a_spread_borrow_ours() -> None:
    draws = (70.0, 72.0, 74.0, 76.0)
    found = evidence([drawn(Side(73, None, 20), draws)], 3.0)
    assert found is not None
    assert (found.borrowed, found.q, found.cells) == (True, None, 0)
    half = stats.t.ppf(0.95, 3) * np.std(draws, ddof=1) * math.sqrt(1 / 4 + 1 / 20)
    assert found.interval() == pytest.approx((-half, half))
    assert evidence([drawn(Side(73, 2, 10), (70.0,))], 3.0) is None


def test_gains_are_paired_t_intervals() -> None:
    random = np.random.default_rng(5)
    differences = random.normal(1, 2, 12)
    found = gain([tuple(differences)])
    expected = stats.ttest_1samp(differences, 0).confidence_interval(0.90)
    assert found.interval() == pytest.approx(tuple(expected))
    rows = [tuple(random.normal(1, 2, 10)) for _ in range(4)]
    assert gain(rows).mean == pytest.approx(np.mean(rows))
    assert gain([*rows, (50.0,)]).mean == pytest.approx(np.mean(rows))  # a single run has no spread
    assert np.isnan(gain([(2.0,), (4.0,)]).interval()).all()


def test_what_a_design_could_have_found_is_found_in_a_third() -> None:
    random = np.random.default_rng(17)
    found = detectable([Side(0, 4, 10)], [Side(0, 5, 10)])
    assert found is not None
    significant, studies = 0, 6000
    first, second = random.normal(found, 4, (studies, 10)), random.normal(0, 5, (studies, 10))
    significant = int((stats.ttest_ind(first, second, axis=1, equal_var=False).pvalue < 0.05).sum())
    assert significant / studies == pytest.approx(1 / 3, abs=0.025)
    assert np.isnan(detectable([Side(0, None, 10)], [Side(0, 5, 10)]))


def test_a_claim_holds_fails_or_is_open() -> None:
    steady = [tuple(2 + 0.1 * (-1) ** i for i in range(10))] * 3
    assert Claim("A", "B", 5.0, gain(steady), 1.0).verdict == HOLDS
    nothing = [tuple(0.3 * (-1) ** i for i in range(10))] * 3
    assert Claim("A", "B", 5.0, gain(nothing), 1.0).verdict == FAILS  # below what the paper could have found
    assert Claim("A", "B", 5.0, gain(nothing), np.nan).verdict == OPEN
    assert Claim("A", "B", 5.0, gain([tuple(-x for x in steady[0])]), np.nan).verdict == FAILS
    assert Claim("A", "B", None, gain([(3.0,)]), np.nan).verdict == OPEN


def test_decide_agrees_with_itself_for_infinite_freedom() -> None:
    for freedom in (math.inf, 1e9):
        assert decide(Difference(0, 1, freedom), 3) == REPRODUCED
