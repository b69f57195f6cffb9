"""Audits against counting by hand, known faults of the shipped tables, and tables made to be possible."""

from __future__ import annotations

import csv
import io
import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nmfrepro import papers, protocols
from nmfrepro.analysis.audit import audit
from nmfrepro.analysis.audit.averages import WRONG
from nmfrepro.analysis.audit.bound import lowest_nmi
from nmfrepro.analysis.audit.grim import grim, power
from nmfrepro.analysis.audit.printed import Design, find, published, read_file, read_printed
from nmfrepro.core.errors import DataError
from nmfrepro.metrics import Metric, clustering

IMPOSSIBLE = {
    "TNMF": 7,
    "NSDR": 7,
    "GNMF": 5,
    "NNSC": 3,
    "RICA": 2,
    "Kmeans": 0,
    "NMF": 0,
    "PCA": 0,
    "ANP": 0,
}


def table(text: str, name: str = "mine.csv") -> papers.PublishedTable:
    return read_printed(csv.DictReader(io.StringIO(text)), name)


def test_table_1_of_tnmf() -> None:
    found = audit(*published("tnmf/table1_orl"))
    assert {each.column: len(each.impossible) for each in found.counted} == IMPOSSIBLE
    wrong = [(each.metric, each.column) for each in found.averages if each.verdict == WRONG]
    assert wrong == [("accuracy", "RICA")]
    own = found.tests[0]
    assert (own.p_follows, own.difference_follows) == (False, False)
    assert found.tests[1].difference_follows  # with the average counted as a ninth row
    assert found.findings == sum(IMPOSSIBLE.values()) + 1 + 2
    assert found.bounds == ()


@pytest.mark.parametrize(
    ("name", "findings"),
    [
        ("nlcf/table5_orl", 1),
        ("nlcf/table6_mnist", 0),
        ("nlcf/table7_yale", 1),
        ("tnmf/table2_caltech101", 2),
        ("tnmf/table4_runtime", 0),
        ("twodnmf/table1_orl", 0),
        ("twodnmf/table1_umist", 0),
        ("twodnmf/table1_coil20", 0),
        ("ldsnmf/table1_ar", 0),
        ("ldsnmf/table2_yaleb", 0),
    ],
)
def test_findings_in_the_other_tables(name: str, findings: int) -> None:
    assert audit(*published(name)).findings == findings


@pytest.mark.parametrize(
    ("rows", "p", "follows"),
    # Of three methods in one order in all rows chi-square is twice the rows: p = exp(−rows).
    [
        (6, "0.002", True),
        (6, "0.004", False),
        (8, "0.000", True),
        (20, "2.2e-9", True),
        (20, "2.5e-9", False),
    ],
)
def test_a_p_value_follows_to_its_digits_or_within_a_tenth(rows: int, p: str, follows: bool) -> None:
    lines = [f"{k},accuracy,{name},{50 + at}.0" for k in range(2, rows + 2) for at, name in enumerate("ABC")]
    (test,) = audit(table("\n".join(["k,metric,algorithm,mean", *lines])), Design(p=p)).tests
    assert test.p_follows == follows


def test_every_shipped_table_with_rows_can_be_audited() -> None:
    for name in papers.printed_names():
        assert published(name)[0].cells
    with pytest.raises(DataError, match="no such table"):
        find("cnmf/table4_orl")


@given(st.integers(1, 400), st.integers(0, 2), st.sampled_from([1, 100]), st.data())
def test_every_printed_mean_of_counts_is_possible(
    trials: int, decimals: int, full: int, data: st.DataObject
) -> None:
    hits = data.draw(st.integers(0, trials))
    twice = round(hits * full / trials, decimals + 1)
    for printed in (f"{hits * full / trials:.{decimals}f}", f"{twice:.{decimals}f}"):
        assert grim(printed, trials, full).possible


@pytest.mark.parametrize(("decimals", "trials"), [(1, 200), (1, 165), (2, 500), (2, 2000), (1, 1000), (0, 7)])
def test_power_is_the_share_of_impossible_numbers(decimals: int, trials: int) -> None:
    everything = [f"{i / 10**decimals:.{decimals}f}" for i in range(100 * 10**decimals + 1)]
    counted = sum(not grim(each, trials).possible for each in everything) / len(everything)
    assert power(decimals, trials) == pytest.approx(counted, abs=0.002)


@pytest.mark.parametrize("k", [2, 3, 5, 10])
def test_no_clustering_has_a_lower_nmi_than_the_bound(k: int) -> None:
    random = np.random.default_rng(k)
    y = np.repeat(np.arange(k), 12)
    for share in np.linspace(0, 1, 25):
        for _ in range(4):
            moved = random.random(len(y)) < share
            scores = clustering(y, np.where(moved, random.integers(k, size=len(y)), y), None)
            assert scores["nmi"] >= lowest_nmi(scores["accuracy"], k) - 1e-12
    assert lowest_nmi(1.0, k) == pytest.approx(1)
    assert lowest_nmi(1 / k, k) == pytest.approx(0, abs=1e-12)


def test_nmi_below_what_accuracy_allows_is_found() -> None:
    text = "k,metric,algorithm,mean\n2,accuracy,A,95.0\n2,nmi,A,{}\n"
    lowest = 100 * lowest_nmi(0.9495, 2)
    assert lowest == pytest.approx(100 * (1 + 0.9495 * math.log2(0.9495) + 0.0505 * math.log2(0.0505)))
    design = Design(draws=10, per_class=10)
    assert not audit(table(text.format(f"{lowest + 0.1:.1f}")), design).bounds
    found = audit(table(text.format(f"{lowest - 0.2:.1f}")), design).bounds
    assert [(each.metric, each.why) for each in found] == [("nmi", "accuracy 95.0")]
    assert not audit(table(text.format("0.1")), Design()).bounds  # classes of unknown sizes


def test_a_metric_may_be_in_fractions_beside_another_in_percent() -> None:
    text = "k,metric,algorithm,mean\n2,accuracy,A,{}\n2,nmi,A,{}\n"
    for accuracy, nmi in (("95.0", "0.80"), ("0.950", "80.0"), ("0.950", "0.80"), ("95.0", "80.0")):
        found = audit(table(text.format(accuracy, nmi)), Design(draws=10, per_class=10))
        assert (found.bounds, found.counted[0].impossible) == ((), ())
    (found_low,) = audit(table(text.format("95.0", "0.10")), Design(per_class=10)).bounds
    assert (found_low.metric, found_low.highest, found_low.why) == ("nmi", 1, "accuracy 95.0")


def test_what_is_tested_is_said_by_the_metric(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of a plug-in's too: whether it is a share of samples, its range, its unit."""
    own = {
        "hits": Metric("Hits", "share of samples that are hit", counted=True),
        "gain": Metric("Gain", "", low=-0.5),
        "steps": Metric("Steps", "", unit="iterations", high=math.inf),
    }
    monkeypatch.setattr(protocols, "metrics", lambda: own)
    rows = ["2,hits,A,55.0", "2,hits,B,55.1", "2,gain,A,-40.0", "2,gain,B,-60.0", "2,steps,A,300.1"]
    printed = table("k,metric,algorithm,mean\n" + "\n".join(rows))
    found = audit(printed, Design(draws=1, samples=20, classes=2, per_class=10))
    assert {(each.metric, each.column): len(each.impossible) for each in found.counted} == {
        ("hits", "A"): 0,
        ("hits", "B"): 1,
    }
    assert [(each.column, each.lowest, each.highest) for each in found.bounds] == [("B", -50, 100)]
    assert found.bounded == 4


def test_a_number_without_a_spread_beside_others_is_a_single_run() -> None:
    text = "k,metric,algorithm,mean,std\n2,accuracy,A,52.5,1.0\n4,accuracy,A,52.5,\n"
    found = audit(table(text), Design(draws=10, per_class=10)).counted[0]
    assert [(row, each.trials) for row, each in found.tests] == [(2, 200), (4, 40)]


def test_recognition_counts_the_images_that_are_left() -> None:
    text = "train_per_class,classifier,algorithm,accuracy\n2,NN,A,0.5125\n2,NN,B,0.5062\n"
    found = audit(table(text), Design(draws=1, samples=100, classes=10)).counted
    assert [each.tests[0][1].trials for each in found] == [80, 80]
    assert [len(each.impossible) for each in found] == [0, 1]  # 0.5125 is 41 of 80, 0.50625 is 40.5


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("metric,algorithm,mean\naccuracy,A,5\n", "mine.csv:2: no column k or train_per_class"),
        ("k,algorithm\n2,A\n", "mine.csv:2: no column mean"),
        ("k,mean\n2,5\n", "mine.csv:2: no column algorithm"),
        ("k,algorithm,mean\n2,A,5,\n2,A,1e3\n", "mine.csv:3: mean must be a number as printed, not '1e3'"),
        ("k,algorithm,mean\nx,A,5\n", "mine.csv:2: k must be a whole number above 0 or avg, not 'x'"),
        ("k,algorithm,mean\n\n2,A,5\n\nx,A,5\n", "mine.csv:5: k must be a whole number"),
        ("k,algorithm,mean\n2,A,5\n2,A,6\n", "A, accuracy at k = 2 stands twice"),
        ("k,metric,algorithm,mean\n2,acuracy,A,5\n", "no metric is called 'acuracy'; did you mean accuracy"),
        ("k,algorithm,mean\n", "holds no rows"),
    ],
)
def test_tables_that_cannot_be_read(text: str, says: str) -> None:
    with pytest.raises(DataError, match=says):
        table(text)


@pytest.mark.parametrize("field", ["A" * 200_000, '"' + "A\n" * 200_000])
def test_a_field_longer_than_python_reads_is_told(tmp_path: Path, field: str) -> None:
    """A file of something else, or a quotation mark that nothing closes."""
    path = tmp_path / "own.csv"
    path.write_text(f"k,metric,algorithm,mean\n2,accuracy,{field},98.3\n")
    with pytest.raises(DataError, match=r"own\.csv: is not a table of numbers"):
        read_file(path)


def test_a_device_or_a_folder_is_no_table(tmp_path: Path) -> None:
    """Reading a pipe or a device may never end."""
    for path in filter(Path.exists, (tmp_path, Path("/dev/null"))):
        with pytest.raises(DataError, match="is not a regular file"):
            find(str(path))
