"""Cells of two sides, averages, rankings, ratios; paired by draw where draws are shared."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

from nmfrepro import protocols
from nmfrepro.analysis.compare.control import negative_control
from nmfrepro.analysis.compare.pairs import Comparison, Matched, Rules, columns_of, multiples
from nmfrepro.analysis.compare.verdict import (
    DEVIATES,
    INCONCLUSIVE,
    REPRODUCED,
    UNJUDGED,
    Side,
    Sides,
)

METRICS = protocols.metrics()
WITHIN_3 = Rules(3.0)


def side(mean: float, std: float | None = None, n: int | None = 10) -> Side:
    return Side(mean, std, n, f"{mean}")


def drawn(mean: float, spread: float = 1.0, n: int = 10) -> Side:
    """A side of ours: n draws around a mean."""
    draws = {i: mean + spread * (-1) ** i for i in range(n)}
    return Side(mean, spread * math.sqrt(n / (n - 1)), n, "", "", draws)


def matched(theirs: str, ours: str, *rows: tuple[tuple[int, ...], Side, Side]) -> Matched:
    return Matched(theirs, ours, tuple(Sides(*each) for each in rows))


def compared(rules: Rules, **methods: list[tuple[float, float]]) -> Comparison:
    both = [
        matched(name.upper(), name, *(((row,), side(a, 1), drawn(b)) for row, (a, b) in enumerate(values)))
        for name, values in methods.items()
    ]
    return comparison("accuracy", both, rules)


def comparison(metric: str, both: list[Matched], rules: Rules = WITHIN_3) -> Comparison:
    return Comparison(METRICS[metric], "k", columns_of(METRICS[metric], both, rules), (), rules)


def test_averages_counts_and_evidence() -> None:
    (column,) = compared(Rules(3.0), nmf=[(50, 50.5), (60, 64.5)]).columns
    assert [pair.verdict for pair in column.pairs] == [REPRODUCED, DEVIATES]
    assert column.average is not None
    assert column.evidence is not None
    assert (column.average.theirs.mean, column.average.ours.mean) == (55, 57.5)
    assert column.average.verdict == column.evidence.verdict
    assert column.evidence.mean == pytest.approx(2.5)


def test_nothing_is_judged_where_there_is_no_verdict() -> None:
    (column,) = compared(Rules(3.0, unjudged="a smoke run"), nmf=[(50, 50.5), (60, 64.5)]).columns
    assert {pair.verdict for pair in (*column.pairs, column.average) if pair} == {UNJUDGED}
    assert column.evidence is None


def test_runs_on_the_same_draws_are_paired() -> None:
    hard = {i: 50 + 20 * (i % 5) for i in range(10)}  # draws differ far more than the methods
    first = Side(90, 30, 10, "", "", hard)
    second = Side(91, 30, 10, "", "", {i: value + 1 + 0.1 * (-1) ** i for i, value in hard.items()})
    for paired, verdict in ((True, REPRODUCED), (False, INCONCLUSIVE)):
        both = [matched("a", "a", ((2,), first, second))]
        (column,) = comparison("accuracy", both, Rules(3.0, paired=paired)).columns
        assert column.pairs[0].verdict == verdict
        assert column.pairs[0].difference == pytest.approx(1)
    assert column.evidence is not None


def test_negative_control_holds_printed_columns_against_other_methods() -> None:
    runs = compared(
        Rules(3.0), a=[(50, 50.2), (60, 60.1)], b=[(70, 70.3), (80, 79.9)], c=[(50, 50), (60, 60)]
    )
    assert negative_control([runs]) is None  # beside another run of ours it means nothing
    control = negative_control([replace(runs, table="Table V", source="Table V of a paper")])
    assert control is not None
    assert control.own_cells == {REPRODUCED: 6}
    # a and c are alike: their 4 wrong cells are called reproduced, the 8 with b deviate
    assert (control.cells[REPRODUCED], control.cells[DEVIATES]) == (4, 8)
    assert (control.methods[REPRODUCED], control.methods[DEVIATES]) == (2, 4)
    unjudged = compared(Rules(3.0, unjudged="a smoke run"), a=[(50, 50)])
    assert negative_control([replace(unjudged, table="Table V", source="Table V of a paper")]) is None


def ranking(metric: str, *means: tuple[float, float]) -> object:
    both = [matched(f"M{i}", f"m{i}", ((2,), side(a), side(b))) for i, (a, b) in enumerate(means)]
    return comparison(metric, both).ranking


def test_ranking_and_kendalls_tau() -> None:
    found = ranking("accuracy", (10, 11), (30, 20), (20, 31))
    assert (found.theirs, found.ours) == (("m1", "m2", "m0"), ("m2", "m1", "m0"))
    assert found.tau == pytest.approx(1 / 3)  # one of three pairs is swapped
    assert not found.agrees
    assert ranking("accuracy", (10, 11), (30, 20)).agrees
    assert ranking("accuracy", (10, 11)) is None
    assert math.isnan(ranking("accuracy", (10, 11), (10, 12)).tau)


def test_ranking_is_over_the_rows_that_all_methods_have() -> None:
    both = [
        matched("A", "a", ((2,), side(90), side(90)), ((4,), side(10), side(10))),
        matched("B", "b", ((2,), side(80), side(80))),
    ]
    assert comparison("accuracy", both).ranking.ours == ("a", "b")


def test_running_times_are_compared_as_multiples_of_the_first_method() -> None:
    both = [
        matched("NMF", "nmf", ((5,), side(0.1), side(0.01)), ((10,), side(0.2), side(0.0))),
        matched("RICA", "rica", ((5,), side(4), side(0.25)), ((10,), side(9), side(1))),
    ]
    found = comparison("seconds", multiples(both))
    (column,) = found.columns
    (pair,) = column.pairs  # a time of zero gives no ratio
    assert (pair.theirs.mean, pair.ours.mean) == pytest.approx((40, 25))
    assert pair.difference == pytest.approx(0.625)
    assert pair.verdict == REPRODUCED
    assert found.metric.timed
    assert found.ranking is None


def test_running_times_of_two_runs_are_compared_directly() -> None:
    both = [matched("NMF", "nmf", ((5,), side(0.1), side(0.3)))]
    (column,) = comparison("seconds", both).columns
    assert column.pairs[0].difference == pytest.approx(3)
    assert column.pairs[0].verdict == DEVIATES
