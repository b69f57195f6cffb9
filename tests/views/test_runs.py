"""What is said at the end of a run: trials that failed, durations."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import pytest
from tiny import entry, make_spec, write_data

from nmfrepro import runs
from nmfrepro.analysis.tables import make_table
from nmfrepro.protocols.clustering import Clustering
from nmfrepro.results.folder import read
from nmfrepro.runs import Summary
from nmfrepro.runs.estimate import Estimate
from nmfrepro.runs.progress import duration
from nmfrepro.views.runs import ending, headline, preview
from nmfrepro.views.tables import markdown


@pytest.fixture
def said(tmp_path: Path, in_process: None) -> list[str]:
    """The lines about failed trials; of every column there are three."""
    columns = [
        entry("nmf"),
        entry("scripted", "lost", does="collapse"),
        entry("scripted", "short of memory", does="memory"),
        entry("scripted", "failed once", does="collapse", flag=str(tmp_path / "flag")),
    ]
    spec = make_spec(tmp_path, columns)
    summary = runs.run(runs.prepare(spec), tmp_path, announce=lambda line: None)
    assert (summary.planned, summary.failed) == (12, 7)
    return ending(summary).splitlines()[1:]


def test_the_reason_for_which_all_trials_of_a_column_failed_is_told_once(said: list[str]) -> None:
    assert said[:2] == [
        "  all 3 trials of lost failed: collapsed: every encoding is zero",
        "  all 3 trials of short of memory failed: out of memory",
    ]


def test_columns_that_share_a_reason_are_told_together(tmp_path: Path) -> None:
    reasons = {"A": Counter({"collapsed": 3}), "B": Counter({"out of memory": 3})}
    reasons["C"] = reasons["A"]
    summary = Summary(tmp_path, 9, 0, 9, 0, 9, False, 1.0, {}, reasons)
    assert ending(summary).splitlines()[1:3] == [
        "  all 6 trials of A, C failed: collapsed",
        "  all 3 trials of B failed: out of memory",
    ]


def test_a_column_that_failed_for_several_reasons_is_told_with_the_first(tmp_path: Path) -> None:
    """As a method whose factors have a wrong shape, which is another for every k."""
    reasons = {"A": Counter({"V must be 2 x 9": 2, "V must be 4 x 9": 1})}
    said = ending(Summary(tmp_path, 3, 0, 3, 0, 3, False, 1.0, {}, reasons)).splitlines()
    assert said[1:3] == [
        "  all 3 trials of A failed: V must be 2 x 9 (and 1 other reason)",
        f"  reasons: nmfrepro rows {tmp_path} --status failed",
    ]


def test_where_to_look_for_other_reasons_is_told(said: list[str], tmp_path: Path) -> None:
    assert said[2] == f"  reasons: nmfrepro rows {tmp_path / 'tiny'} --status failed"


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (0.04, "0.0 s"), (9.94, "9.9 s"), (9.96, "10 s"), (59.4, "59 s"), (59.6, "1 min 0 s"),
        (200, "3 min 20 s"), (3599.6, "1 h 0 min"), (7500, "2 h 5 min"),
    ],
)  # fmt: skip
def test_durations_in_words(seconds: float, words: str) -> None:
    assert duration(seconds) == words


@pytest.mark.usefixtures("in_process")
def test_what_there_is_one_of_is_not_told_as_several(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_data(tmp_path, classes=1, per_class=2)
    one = {"clusters": [1], "repeats": 1, "assign": {"kmeans": {"restarts": 1}}}
    monkeypatch.setattr(Clustering, "check_data", lambda self, data: None)  # which refuses one class
    prepared = runs.prepare(
        make_spec(tmp_path, [entry("nmf", fit={"restarts": 1, "max_iter": 1})], protocol=one)
    )
    summary = runs.run(prepared, tmp_path, announce=lambda line: None)
    said = "\n".join(
        (
            headline(prepared),
            preview(Estimate({"NMF": [1.0]}, there=0, workers=1, wall=1.0, notes=())),
            ending(Summary(tmp_path, 1, 1, 0, 1, 1, False, 1.0, {})),
            markdown(make_table(read(summary.folder))),
            repr(prepared.dataset),
        )
    )
    nouns = "row|class(?=es)|image|sample|value|trial|iteration|start|draw"
    several = re.findall(rf"(?<!of )\b1 (?:\w+ )?(?:{nouns})e?s\b.*", said)
    assert several == []
    assert "2 samples of 12 values in 1 class," in said
