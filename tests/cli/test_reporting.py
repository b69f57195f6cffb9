"""`nmfrepro report` as a user runs it."""

from __future__ import annotations

from pathlib import Path

import pytest
from commandline import invoke
from handmade import write_results


def score(label: str, at: dict[str, int]) -> float:
    return 0.5 + 0.1 * at["draw"]


def test_writes_one_page_of_a_root(tmp_path: Path) -> None:
    for name in ("one", "two"):
        write_results(tmp_path / "results" / name, score)
    page = tmp_path / "page.html"
    outcome = invoke("report", tmp_path / "results", "-o", page, "--title", "T")
    assert outcome.exit_code == 0
    assert f"2 experiments, {page.stat().st_size / 1000:.0f} KB" in outcome.output
    text = page.read_text(encoding="utf-8")
    assert text.startswith("<!DOCTYPE html>")
    assert "<title>T</title>" in text
    assert text.count('class="experiment"') == 2


def test_a_folder_that_cannot_be_read_is_told(tmp_path: Path) -> None:
    for name in ("one", "two"):
        write_results(tmp_path / name, score)
    (tmp_path / "two" / "run.json").write_text("{}", encoding="utf-8")
    outcome = invoke("report", tmp_path, "-o", tmp_path / "page.html")
    assert outcome.exit_code == 1
    assert "damaged" in outcome.output
    assert (tmp_path / "page.html").exists()


def test_report_and_leaderboard_count_and_name_the_same_experiments(tmp_path: Path) -> None:
    """One without a finished trial is none; what has one title is told apart by its folder."""
    for name, level in (("one", 0.5), ("two", 0.5), ("open", None)):
        write_results(tmp_path / "a" / name, lambda label, at, level=level: level)
    write_results(tmp_path / "a" / "other", score, title="Another")
    write_results(tmp_path / "b" / "other", score, title="Another", name="third")
    roots, pages = [str(tmp_path / root) for root in ("a", "b")], {}
    for verb, page in (("report", tmp_path / "page.html"), ("leaderboard", tmp_path / "site")):
        outcome = invoke(verb, *roots, "-o", page)
        assert outcome.exit_code == 1
        assert ": 4 experiments" in outcome.stdout
        assert outcome.stderr.startswith(f"{tmp_path / 'a' / 'open'}: no trial has finished yet")
        pages[verb] = (page / "index.html" if page.is_dir() else page).read_text(encoding="utf-8")
        assert '<p class="lede">4 experiments.' in pages[verb]
        assert "from 4 results folders" in pages[verb]
        for title in ("A table (one)", "A table (two)", *(f"Another ({root}/other)" for root in roots)):
            assert f">{title}</a>" in pages[verb]


@pytest.mark.parametrize(("verb", "page"), [("report", "site"), ("leaderboard", "site/index.html")])
def test_an_earlier_page_is_replaced_and_no_other_file(tmp_path: Path, verb: str, page: str) -> None:
    write_results(tmp_path / "one", score)
    command = [verb, str(tmp_path / "one"), "-o", str(tmp_path / "site")]
    for _ in range(2):
        assert invoke(*command).exit_code == 0
    (tmp_path / page).write_text("<html>mine")
    error = invoke(*command).exception
    assert (
        str(error)
        == f"{tmp_path / page} is there already and is no page of nmfrepro; move it, or name another"
    )
    assert (tmp_path / page).read_text() == "<html>mine"


def test_no_results_is_an_error(tmp_path: Path) -> None:
    outcome = invoke("report", tmp_path, "-o", tmp_path / "page.html")
    assert (outcome.exit_code, "holds no results" in str(outcome.exception)) == (2, True)
    assert not (tmp_path / "page.html").exists()


def test_a_mistyped_folder_is_told_and_not_made(tmp_path: Path) -> None:
    write_results(tmp_path / "one", score)
    page = tmp_path / "nonexist" / "page.html"
    outcome = invoke("report", tmp_path, "-o", page)
    assert outcome.exit_code == 2
    assert str(outcome.exception) == f"{page.parent} is no folder; make it first (mkdir -p {page.parent})"
    assert not page.parent.exists()


@pytest.mark.parametrize("select", ["test", "validation"])
def test_validation_needs_validation_scores(tmp_path: Path, select: str) -> None:
    cells = [{"train": 2, "k": k, "split": s} for k in (5, 6) for s in range(2)]
    kind = {"cells": cells, "metrics": ["nn"], "kind": "recognition"}
    write_results(tmp_path / "one", lambda label, at: 0.5, **kind)
    outcome = invoke("report", tmp_path, "-o", tmp_path / "page.html", "--select", select)
    assert outcome.exit_code == (1 if select == "validation" else 0)
