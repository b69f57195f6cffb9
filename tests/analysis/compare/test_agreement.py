"""The verdict on pairs of numbers, by hand."""

from __future__ import annotations

import math

import pytest

from nmfrepro.analysis.compare.agreement import (
    Column,
    Side,
    comparison,
    pooled_error,
    standard_error,
    verdict,
)
from nmfrepro.metrics import METRICS


def side(mean: float, std: float | None = None, n: int | None = 10) -> Side:
    return Side(mean, std, n, f"{mean}")


@pytest.mark.parametrize(
    ("difference", "error", "expected"),
    [
        (0.0, None, "agrees"),
        (1.0, 0.1, "agrees"),
        (-1.0, 0.1, "agrees"),
        (1.01, 0.1, "differs"),
        (1.01, None, "differs"),
        (4.9, 2.5, "agrees"),
        (5.1, 2.5, "differs"),  # 2 SE is 5, not above it
        (-9.0, 5.0, "agrees"),
        (5.3, 2.6, "too noisy to tell"),
        (-30.0, 2.6, "too noisy to tell"),
        (30.0, 2.4, "differs"),
    ],
)
def test_verdict_is_the_contracts(difference: float, error: float | None, expected: str) -> None:
    assert verdict(difference, error) == expected


def test_standard_error_is_from_both_spreads() -> None:
    assert standard_error(side(0, 3, 10), side(0, 4, 10)) == pytest.approx(math.sqrt(2.5))
    assert standard_error(side(0, 3, 9), side(0, 4, 16)) == pytest.approx(math.sqrt(2))


def test_a_side_without_a_spread_takes_the_others() -> None:
    assert standard_error(side(0, None, 20), side(0, 4, 16)) == pytest.approx(math.sqrt(16 / 20 + 1))
    assert standard_error(side(0, 3, 9), side(0, None, 1)) == pytest.approx(math.sqrt(1 + 9))
    assert standard_error(side(0, None, None), side(0, 4, 16)) == pytest.approx(math.sqrt(2))
    assert standard_error(side(0, None, 1), side(0, None, 1)) is None


def test_error_of_a_mean_of_rows() -> None:
    assert pooled_error([3.0, 4.0]) == pytest.approx(2.5)  # √(9 + 16) / 2
    assert pooled_error([2.0, None]) == pytest.approx(pooled_error([2.0, 2.0]))
    assert pooled_error([None]) is None


def compared(**methods: list[tuple[float, float]]) -> list[Column]:
    matched = [
        (name.upper(), name, [(str(row), side(a, 1), side(b, 1)) for row, (a, b) in enumerate(values)])
        for name, values in methods.items()
    ]
    return list(comparison(METRICS["accuracy"], "", "k", matched, []).columns)


def test_averages_and_counts() -> None:
    (column,) = compared(nmf=[(50, 50.5), (60, 64)])
    assert [pair.verdict for pair in column.pairs] == ["agrees", "differs"]
    assert (column.count("agrees"), column.count("differs"), column.count("too noisy to tell")) == (1, 1, 0)
    assert column.average is not None
    assert (column.average.theirs.mean, column.average.ours.mean) == (55, 57.25)
    # each row has SE √(1/10 + 1/10); the mean of two rows 1/√2 of that
    assert column.average.error == pytest.approx(math.sqrt(0.2) / math.sqrt(2))


def ranking(metric: str, *means: tuple[float, float]) -> object:
    matched = [(f"M{i}", f"m{i}", [("2", side(a), side(b))]) for i, (a, b) in enumerate(means)]
    return comparison(METRICS[metric], "", "k", matched, []).ranking


def test_ranking_and_kendalls_tau() -> None:
    found = ranking("accuracy", (10, 11), (30, 20), (20, 31))
    assert (found.theirs, found.ours) == (("m1", "m2", "m0"), ("m2", "m1", "m0"))
    assert found.tau == pytest.approx(1 / 3)  # one of three pairs is swapped
    assert not found.agrees
    assert ranking("accuracy", (10, 11), (30, 20)).agrees
    assert ranking("accuracy", (10, 11)) is None
    assert math.isnan(ranking("accuracy", (10, 11), (10, 12)).tau)


def test_ranking_is_over_the_rows_that_all_methods_have() -> None:
    matched = [
        ("A", "a", [("2", side(90), side(90)), ("4", side(10), side(10))]),
        ("B", "b", [("2", side(80), side(80))]),
    ]
    assert comparison(METRICS["accuracy"], "", "k", matched, []).ranking.ours == ("a", "b")


def test_running_times_are_compared_as_multiples_of_the_first_method() -> None:
    matched = [
        ("NMF", "nmf", [("5", side(0.1), side(0.01)), ("10", side(0.2), side(0.0))]),
        ("RICA", "rica", [("5", side(4), side(0.25)), ("10", side(9), side(1))]),
    ]
    found = comparison(METRICS["seconds"], "", "k", matched, [], to_first=True)
    (column,) = found.columns
    (pair,) = column.pairs  # a time of zero gives no ratio
    assert (pair.theirs.mean, pair.ours.mean) == pytest.approx((40, 25))
    assert pair.difference == pytest.approx(0.625)
    assert pair.verdict == "agrees"
    assert found.ratio
    assert found.ranking is None


def test_running_times_of_two_runs_are_compared_directly() -> None:
    matched = [("NMF", "nmf", [("5", side(0.1), side(0.3))])]
    (column,) = comparison(METRICS["seconds"], "", "k", matched, []).columns
    assert column.pairs[0].difference == pytest.approx(3)
    assert column.pairs[0].verdict == "differs"


@pytest.mark.parametrize(
    ("gain", "std", "expected"), [(0.1, 9, "agrees"), (-1, 9, "too noisy to tell"), (0, 1, "differs")]
)
def test_claims_without_a_number(gain: float, std: float, expected: str) -> None:
    matched = [("A over B", "a over b", [("Avg", side(math.nan, None, None), side(gain, std, 10))])]
    (column,) = comparison(METRICS["accuracy"], "", "", matched, []).columns
    assert column.pairs[0].verdict == expected
