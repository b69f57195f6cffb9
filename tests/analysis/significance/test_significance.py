"""Tests of significance against published values, SciPy, and counting by hand."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from nmfrepro import papers
from nmfrepro.analysis.significance import SignedRank, friedman, holm, least_p, signed_rank
from nmfrepro.analysis.significance.scores import of_published
from nmfrepro.core.errors import ResultsError

TNMF_RANKS = {
    "TNMF": 1.5,
    "NNSC": 3.125,
    "ANP": 3.25,
    "NSDR": 4.0,
    "RICA": 4.375,
    "GNMF": 5.125,
    "NMF": 7.0,
    "PCA": 8.125,
    "Kmeans": 8.5,
}


def test_table_1_of_tnmf() -> None:
    scores = of_published("tnmf/table1_orl")
    test = friedman(scores.means, scores.labels)
    assert test.chi_square == pytest.approx(49.33, abs=0.005)
    assert test.p_chi_square == pytest.approx(5.5e-8, rel=0.01)
    assert test.f == pytest.approx(23.5, abs=0.05)
    assert test.p_f == pytest.approx(2.6e-15, rel=0.01)
    assert test.critical_difference == pytest.approx(4.247, abs=0.0005)
    assert dict(test.order) == TNMF_RANKS
    assert test.order[0] == ("TNMF", 1.5)
    told_apart = {name for name in TNMF_RANKS if name not in test.groups[0]}
    assert told_apart == {"NMF", "PCA", "Kmeans"}  # from TNMF


def test_published_tables_of_every_paper_can_be_tested() -> None:
    for name in papers.names():
        table = papers.load(name)
        if len(table.rows) >= 2:
            scores = of_published(name)
            lower = scores.metric.lower_is_better
            assert friedman(scores.means, scores.labels, lower_is_better=lower).rows == len(table.rows)


@pytest.mark.parametrize(
    ("methods", "q"),
    [(3, 2.343), (4, 2.569), (5, 2.728), (6, 2.850), (7, 2.949), (8, 3.031), (9, 3.102), (10, 3.164)],
)
def test_critical_difference_of_demsars_table_5(methods: int, q: float) -> None:
    scores = np.random.default_rng(0).random((14, methods))
    found = friedman(scores, [str(i) for i in range(methods)]).critical_difference
    assert found == pytest.approx(q * math.sqrt(methods * (methods + 1) / (6 * 14)), abs=0.002)


def test_the_critical_difference_of_demsars_example_is_found() -> None:
    assert friedman(
        np.random.default_rng(0).random((14, 4)), list("abcd")
    ).critical_difference == pytest.approx(1.25, abs=0.005)


@given(st.integers(2, 8), st.integers(3, 6), st.integers(2, 20), st.integers(0, 1000))
def test_chi_square_is_scipys_with_and_without_ties(rows: int, methods: int, values: int, seed: int) -> None:
    scores = np.random.default_rng(seed).integers(0, values, (rows, methods)).astype(float)
    test = friedman(scores, [str(i) for i in range(methods)])
    if np.ptp(scores, axis=1).any():
        expected = stats.friedmanchisquare(*scores.T)
        assert test.chi_square == pytest.approx(expected.statistic, abs=1e-9)
        assert test.p_chi_square == pytest.approx(expected.pvalue, abs=1e-9)
    else:
        assert (test.chi_square, test.p_chi_square) == (0, 1)


def test_rows_that_all_agree() -> None:
    test = friedman([[1, 2, 3]] * 4, ["a", "b", "c"])
    assert test.f == math.inf
    assert test.p_f == 0
    assert test.ranks == (3, 2, 1)
    assert friedman([[1, 2, 3]] * 4, ["a", "b", "c"], lower_is_better=True).ranks == (1, 2, 3)


def test_means_that_are_equal_up_to_rounding_tie() -> None:
    assert friedman([[0.1 + 0.2, 0.3, 0.5], [1, 2, 3]], ["a", "b", "c"]).ranks[:2] == (2.75, 2.25)


def test_groups_are_the_largest_and_none_is_inside_another() -> None:
    scores = [[9, 8, 1, 0], [8, 9, 0, 1]] * 8
    assert friedman(scores, ["a", "b", "c", "d"]).groups == (("a", "b"), ("c", "d"))


@pytest.mark.parametrize("scores", [[[1, 2, 3]], [[1, 2], [2, 1]], [[1, 2, math.nan], [1, 2, 3]], [1, 2, 3]])
def test_too_few_or_broken_scores_are_refused(scores: object) -> None:
    with pytest.raises(ResultsError, match="Friedman"):
        friedman(scores, ["a", "b", "c"][: np.asarray(scores).shape[-1]])


@given(st.lists(st.floats(-9, 9), min_size=1, max_size=20, unique_by=abs).filter(lambda d: 0 not in d))
def test_signed_rank_is_scipys_exact_test(differences: list[float]) -> None:
    expected = stats.wilcoxon(differences, method="exact").pvalue
    assert signed_rank(differences).p == pytest.approx(expected, abs=1e-12)


@given(st.lists(st.integers(-3, 3), min_size=1, max_size=8))
def test_signed_rank_with_ties_is_all_signs_counted(differences: list[int]) -> None:
    moved = np.array([d for d in differences if d])
    if len(moved) == 0:
        assert signed_rank(differences) == SignedRank(1, 0)
        return
    ranks = stats.rankdata(np.abs(moved))
    sums = [
        sum(r for r, positive in zip(ranks, signs, strict=True) if positive)
        for signs in itertools.product((0, 1), repeat=len(moved))
    ]
    observed = ranks[moved > 0].sum()
    tail = min(np.mean(np.array(sums) <= observed), np.mean(np.array(sums) >= observed))
    test = signed_rank(differences)
    assert test.p == pytest.approx(min(1, 2 * tail))
    assert test.sign == np.sign(observed - np.mean(sums))


@pytest.mark.parametrize("n", [90, 512, 1100])
def test_signed_rank_of_many_trials(n: int) -> None:
    differences = np.random.default_rng(3).normal(0.06, 1, n)
    for some in (differences, differences.round(1)):  # without ties, and with many
        expected = stats.wilcoxon(some, method="asymptotic").pvalue
        assert signed_rank(some).p == pytest.approx(expected, rel=0.05)
    assert signed_rank(np.ones(n)).p == 2.0 ** (1 - n)  # 0 where that is too small a number


def test_holm_by_hand() -> None:
    # Holm 1979: p sorted .005 .01 .03 .04 times 4 3 2 1, never falling
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert holm([0.6, 0.7]) == [1, 1]
    assert holm([]) == []


@pytest.mark.parametrize(("n", "tests"), [(0, 1), (6, 1), (9, 3), (9, 253), (2000, 3)])
def test_no_p_is_below_the_least_and_differences_of_one_sign_reach_it(n: int, tests: int) -> None:
    found = holm([signed_rank(np.arange(1.0, n + 1)).p, *[1.0] * (tests - 1)])
    assert min(found) == least_p(n, tests)


def test_nemenyi_is_that_of_scikit_posthocs() -> None:
    posthocs = pytest.importorskip("scikit_posthocs")
    scores = np.random.default_rng(2).normal(size=(12, 5)) + np.arange(5) / 2
    labels = [str(i) for i in range(5)]
    p = posthocs.posthoc_nemenyi_friedman(scores).to_numpy()
    found = friedman(scores, labels)
    ranks = dict(found.order)
    for i, j in itertools.combinations(range(5), 2):
        apart = abs(ranks[labels[i]] - ranks[labels[j]]) >= found.critical_difference
        assert apart == (p[i, j] < 0.05)


def test_holm_is_that_of_statsmodels() -> None:
    multitest = pytest.importorskip("statsmodels.stats.multitest")
    p = [0.04, 0.001, 0.3, 0.012, 0.012]
    np.testing.assert_allclose(holm(p), multitest.multipletests(p, method="holm")[1])


def test_a_critical_difference_beyond_the_range_of_ranks_is_known() -> None:
    scores = np.arange(12.0).reshape(2, 6)
    assert friedman(scores, list("abcdef")).blunt  # 5.33 with ranks from 1 to 6
    assert not friedman(np.vstack([scores] * 3), list("abcdef")).blunt
