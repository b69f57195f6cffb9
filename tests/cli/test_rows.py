"""`nmfrepro rows` as a user runs it."""

from __future__ import annotations

from pathlib import Path

import pytest
from commandline import invoke
from handmade import write_results


def score(label: str, at: dict[str, int]) -> float | str | None:
    if label == "NLCF" and at["draw"] == 1:
        return "collapsed: all zero"
    return None if at["draw"] == 2 and label == "NLCF" else 0.5 + 0.1 * at["draw"]


@pytest.fixture
def folder(tmp_path: Path) -> str:
    write_results(tmp_path / "r", score)
    return str(tmp_path / "r")


def rows(*arguments: str) -> list[list[str]]:
    outcome = invoke("rows", *arguments)
    assert outcome.exit_code == 0, outcome.output
    lines = [line for line in outcome.output.splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in line.strip("|").split(" | ")] for line in (lines[0], *lines[2:])]


def test_the_rows_behind_a_cell_and_what_the_table_makes_of_them(folder: str) -> None:
    header, *found = rows(folder, "--k", "4", "--algorithm", "nmf")
    assert header[:4] == ["method", "k", "draw", "Accuracy (%)"]
    assert [row[:4] for row in found] == [["NMF", "4", str(d), f"{50 + 10 * d:.2f}"] for d in range(3)]
    outcome = invoke("rows", folder, "--k", "4", "-a", "NMF")
    told, _, made = outcome.output.splitlines()[-3:]
    assert told == "NMF, k = 4: Accuracy (%) 60.00±10.00"
    assert made.startswith("Data: ")


def test_the_mean_of_the_table_is_told_beside_that_of_all_draws() -> None:
    """Further draws stand in the rows and not in the table; a reader who counts must find both numbers."""
    study = Path(__file__).parents[2] / "results" / "reference" / "orl_nlcf"
    outcome = invoke("rows", study, "--k", "8", "-a", "NLCF", "-m", "accuracy")
    *_, every, heading, ten, _, made = outcome.output.splitlines()
    assert (every, ten) == ("NLCF, k = 8: Accuracy (%) 73.72±8.62", "NLCF, k = 8: Accuracy (%) 74.75±6.20")
    assert heading == "In the table, 10 of them:"
    table = (study / "table.md").read_text(encoding="utf-8")
    assert "74.8±6.2" in next(line for line in table.splitlines() if line.startswith("| 8 "))
    assert "sha256 " in made
    assert "Seed 2013" in made


def test_failed_and_missing_rows_are_shown_alone(folder: str) -> None:
    header, *failed = rows(folder, "--status", "failed")
    assert [row[header.index("error")] for row in failed] == ["collapsed: all zero"] * 2
    assert [row[1] for row in rows(folder, "--status", "missing")[1:]] == ["2", "4"]
    outcome = invoke("rows", folder, "-a", "nmf", "--status", "failed")
    assert (outcome.exit_code, outcome.output) == (0, "None of these 7 trials is failed.\n")


def test_columns_that_were_not_run_are_no_missing_rows(tmp_path: Path) -> None:
    """After `run --only`: the rows of the other columns are told in one line, and shown if asked for."""
    folder = write_results(tmp_path / "r", lambda label, at: 0.5 if label == "NMF" else None).folder
    outcome = invoke("rows", folder, "--k", "4")
    assert outcome.output.startswith("3 trials of NLCF left out, none of which has been run.\n")
    assert "missing" not in outcome.output
    assert {row[0] for row in rows(str(folder), "--k", "4")[1:]} == {"NMF"}
    assert len(rows(str(folder), "--k", "4", "--status", "missing")[1:]) == 3


def test_patterns_and_coordinates(folder: str) -> None:
    assert len(rows(folder, "-a", "n*", "--where", "draw=0")) == 1 + 2 * 3
    assert len(rows(folder, "-a", "NLCF", "--where", "draw=0", "--where", "k=40")) == 2


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("-a", "nmff"), "no column 'nmff'; did you mean nmf"),
        (("--where", "drw=1"), "no coordinate 'drw'; did you mean draw"),
        (("--where", "draw=x"), "give a whole number"),
        (("--where", "draw=1", "--where", "draw=2"), "draw is given twice; give it once"),
        (("--k", "4", "--where", "k=2"), "k is given twice; give it once"),
        (("--k", "3"), "no trials at k = 3; k has 2, 4, 40"),
        (("--where", "draw=9"), "no trials at draw = 9; draw has 0, 1"),
        (("-m", "acc"), "no metric 'acc' in the results; did you mean accuracy?"),
    ],
)
def test_what_is_not_there_is_told_with_what_is(
    folder: str, arguments: tuple[str, ...], message: str
) -> None:
    outcome = invoke("rows", folder, *arguments)
    assert outcome.exit_code == 2
    assert message in str(outcome.exception)
