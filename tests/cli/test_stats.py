"""`nmfrepro stats` as a user runs it."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from commandline import invoke
from handmade import write_results

import nmfrepro


def call(*arguments: str) -> Any:
    return invoke("stats", *arguments)


def test_a_published_table_is_tested_beside_what_its_paper_prints() -> None:
    outcome = call("published:tnmf/table1_orl")
    assert outcome.exit_code == 0
    for part in (
        "chi-square(8) = 49.33, p = 5.5e-08",
        "CD = 4.247",
        "| TNMF   |     1.500 |",
        "not independent",
    ):
        assert part in outcome.output
    assert "draw by draw" not in outcome.output  # single draws are not printed
    assert "4.01" in outcome.output  # what the paper prints instead


def test_three_methods_are_ranked_and_tested_pair_by_pair(tmp_path: Path) -> None:
    levels = {"A": 0.2, "B": 0.4, "C": 0.6}
    write_results(
        tmp_path / "r",
        lambda label, at: levels[label] + 0.01 * at["draw"] + 0.001 * at["k"] * levels[label],
        columns=(("A", "nmf"), ("B", "nlcf"), ("C", "cf")),
    )
    outcome = call(str(tmp_path / "r"))
    assert outcome.exit_code == 0
    for part in (
        "3 methods ranked in 3 rows (k = 2, 4, 40)",
        "chi-square(2) = 6.00",
        "F(2, 4) has no finite value, since all rows have the same order; p <0.001 (Iman, Davenport).",
    ):
        assert part in outcome.output
    line = " ".join(next(x for x in outcome.output.splitlines() if x.startswith("| A     | C")).split())
    assert line.startswith("| A | C | 7 | -")
    assert "| 0/0/7 |" in line
    assert "| C better |" in line
    assert "exceeds the range of mean ranks" not in outcome.output
    assert "## Matrix of all pairs" in outcome.output
    assert call(str(tmp_path / "r"), "--alpha", "0.01").output.count("better |") == 0


@pytest.mark.parametrize(
    ("metric", "unit"), [("accuracy", " (points)"), ("seconds", " (s)"), ("cophenetic", "")]
)
def test_a_lead_has_the_unit_of_a_difference(tmp_path: Path, metric: str, unit: str) -> None:
    """55 % is 5 points ahead of 50 %, and 10 % more."""
    levels = {"NMF": 0.55, "NLCF": 0.5}
    write_results(tmp_path / "r", lambda label, at: levels[label], metrics=(metric,))
    assert f"| first ahead by{unit} |" in " ".join(call(str(tmp_path / "r")).output.split())


@pytest.mark.parametrize(("draws", "methods", "told"), [(5, 2, True), (6, 2, False), (6, 3, True)])
def test_that_no_p_can_be_small_enough_is_said(tmp_path: Path, draws: int, methods: int, told: bool) -> None:
    """p is 2/2^draws at least, times the number of pairs."""
    names = "ABC"[:methods]
    cells = [{"k": 2, "draw": draw} for draw in range(draws)]
    write_results(
        tmp_path / "r",
        lambda label, at: 0.1 + 0.2 * names.index(label) + 0.01 * at["draw"],
        columns=[(name, name) for name in names],
        cells=cells,
    )
    output = call(str(tmp_path / "r")).output
    assert told == (f"Mind: with {draws} draws p (Holm) is" in output)
    assert told == (" better |" not in output)


def test_two_methods_have_a_paired_test_only(tmp_path: Path) -> None:
    write_results(tmp_path / "r", lambda label, at: 0.5)
    outcome = call(str(tmp_path / "r"))
    assert outcome.exit_code == 0
    assert "chi-square" not in outcome.output
    assert "at least 3 methods" in outcome.output


def test_a_row_that_the_means_leave_out_counts_in_pairs_and_that_is_said(tmp_path: Path) -> None:
    write_results(tmp_path / "r", lambda label, at: None if label == "NLCF" and at["draw"] == 2 else 0.5)
    outcome = call(str(tmp_path / "r"))
    assert "| NMF   | NLCF   |     5 |" in outcome.output
    for part in (
        "- Left out: k = 2 of the means (trials of NLCF are missing).",
        "- Pairs count the 5 of 7 draws that all methods have, whatever the means leave out: NLCF lacks 2.",
    ):
        assert part in outcome.output


def test_a_method_that_takes_draws_from_the_others_is_named(tmp_path: Path) -> None:
    """The comparison of A and B changes with the trials of C that failed."""
    columns = (("A", "nmf"), ("B", "nmf"), ("C", "nmf"))
    failing = {"C": 2}
    write_results(
        tmp_path / "r", lambda label, at: None if failing.get(label) == at["k"] else 0.5, columns=columns
    )
    outcome = call(str(tmp_path / "r"))
    lacks = "C lacks 3; without those methods the others have more in common."
    assert f"Pairs count the 4 of 7 draws that all methods have, whatever the means leave out: {lacks}" in (
        " ".join(outcome.output.split())
    )


def test_refusals_are_one_line(tmp_path: Path) -> None:
    write_results(tmp_path / "r", lambda label, at: 0.5, columns=(("A", "nmf"),))
    (tmp_path / "empty").mkdir()
    for source, said in (
        (str(tmp_path / "r"), "two methods"),
        ("published:tnmf/table9", "there is no published table 'tnmf/table9'; did you mean tnmf/table1_orl?"),
        (str(tmp_path / "empty"), "holds no results; run a spec first"),
        (
            "published:nlcf/table8_sparseness",
            "has no rows, over which methods could be tested",
        ),
    ):
        outcome = call(source)
        assert outcome.exit_code == 2
        assert said in str(outcome.exception)
        assert "\n" not in str(outcome.exception)


def test_where_nothing_can_be_tested_the_folder_and_what_to_do_are_named(tmp_path: Path) -> None:
    write_results(tmp_path / "r", lambda label, at: 0.5 if (label == "NMF") == (at["draw"] == 0) else None)
    said = str(call(str(tmp_path / "r")).exception)
    assert said.startswith(f"{tmp_path / 'r'}: no two methods have a draw in common")
    assert said.endswith("not 2 and 0; `nmfrepro table` says what is missing")


def test_formats_and_a_control(tmp_path: Path) -> None:
    levels = {"A & B": 0.2, "B": 0.4, "C": 0.6}
    columns = (("A & B", "nmf"), ("B", "nlcf"), ("C", "cf"))
    write_results(
        tmp_path / "r", lambda label, at: levels[label] + 0.01 * at["draw"] * levels[label], columns=columns
    )
    plain = call(str(tmp_path / "r"), "--format", "text", "--control", "C").output
    assert "C against each other method, draw by draw" in plain
    assert "|" not in plain
    assert "Matrix" not in plain
    tex = call(str(tmp_path / "r"), "--format", "latex").output
    assert tex.count(r"\begin{tabular}") == tex.count(r"\end{table}") == 3
    assert r"A \& B" in tex


@pytest.mark.parametrize(
    ("name", "label"),
    [
        ("C", "C"),
        ("c", "C"),
        ("cf", "C"),
        ("A*", "A & B"),
        ("nmf", "A & B"),
        ("SO", ""),
        ("nlcf", ""),
        ("nmff", "nmf"),
    ],
)
@pytest.mark.parametrize("option", ["--control", "--mark"])
def test_a_method_that_has_one_column_is_named_as_well(
    tmp_path: Path, option: str, name: str, label: str
) -> None:
    columns = (("A & B", "nmf"), ("SO (mu = 1)", "nlcf"), ("SO (mu = 2)", "nlcf"), ("C", "cf"))
    write_results(tmp_path / "r", lambda label, at: 0.05 * len(label) + 0.01 * at["draw"], columns=columns)
    verb = {"--control": "stats", "--mark": "table"}[option]
    outcome = invoke(verb, tmp_path / "r", option, name)
    short = invoke("table", tmp_path / "r", "--notes", "short", "--mark", name)
    assert (short.exception is None) == (outcome.exception is None)
    said = {"--control": "{} against each other method", "--mark": "worse than {} at"}[option]
    if not label:
        refused = f"{option} {name} names SO (mu = 1), SO (mu = 2); give one of them"
        assert str(outcome.exception) == refused
    elif name == "nmff":
        assert f"{option} {name}: no such method; did you mean nmf? allowed: A & B, SO" in str(
            outcome.exception
        )
    else:
        assert said.format(label) in outcome.output


def test_runs_on_several_datasets_are_tested_over_the_datasets(tmp_path: Path) -> None:
    for dataset in ("orl", "mnist"):
        write_results(
            tmp_path / dataset,
            lambda label, at: {"A": 0.2, "B": 0.4, "C": 0.5}[label],
            columns=(("A", "nmf"), ("B", "nlcf"), ("C", "cf")),
            dataset=dataset,
        )
    outcome = call(str(tmp_path / "orl"), str(tmp_path / "mnist"))
    assert outcome.exit_code == 0
    assert call(str(tmp_path)).output == call(str(tmp_path / "mnist"), str(tmp_path / "orl")).output
    assert "dataset = orl, mnist" in outcome.output
    assert "All pairs, dataset by dataset" in outcome.output
    assert "exceeds the range of mean ranks, 2" in outcome.output
    assert "two runs on orl" in str(call(str(tmp_path / "orl"), str(tmp_path / "orl")).exception)
    empty = write_results(tmp_path / "empty", lambda label, at: None).folder
    left = call(str(tmp_path))
    assert left.exit_code == 1
    assert left.stdout == call(str(tmp_path / "mnist"), str(tmp_path / "orl")).stdout
    assert left.stderr == f"Left out: {empty}: no trial has finished yet; run the spec first\n"
    assert call(str(empty)).exit_code == 2


def test_of_several_runs_those_without_the_metric_are_left_out_and_named(tmp_path: Path) -> None:
    levels = {"A": 0.2, "B": 0.4, "C": 0.5}
    for name, metric in (("mnist", "nmi"), ("orl", "nmi"), ("other", "purity")):
        write_results(
            tmp_path / name,
            lambda label, at: levels[label],
            columns=(("A", "nmf"), ("B", "nlcf"), ("C", "cf")),
            dataset="mnist" if name == "mnist" else "orl",
            metrics=(metric,),
        )
    both = call(str(tmp_path / "mnist"), str(tmp_path / "orl"))
    for arguments in ([], ["--metric", "nmi"]):  # the first one of the first table, and one that is asked for
        every = call(str(tmp_path), *arguments)
        assert (every.exit_code, every.stdout) == (1, both.stdout)
        assert every.stderr.startswith(f"Left out: {tmp_path / 'other'}: no metric 'nmi' in the results; ")
    assert str(call(str(tmp_path), "--metric", "ari").exception).startswith(
        f"{tmp_path / 'mnist'}: no metric"
    )


def test_those_without_validation_scores_are_left_out_where_these_select(tmp_path: Path) -> None:
    for name in ("mnist", "orl", "other"):
        validation = {} if name == "other" else {"nn_validation": 0.5}
        write_results(
            tmp_path / name,
            lambda label, at, more=validation: {"nn": 0.2 if label == "NMF" else 0.4} | more,
            cells=[{"train": 2, "split": split, "k": k} for split in (0, 1) for k in (1, 2)],
            kind="recognition",
            metrics=["nn", "nn_validation"],
            dataset="mnist" if name == "mnist" else "orl",
        )
    both = call(str(tmp_path / "mnist"), str(tmp_path / "orl"), "--select", "validation")
    every = call(str(tmp_path), "--select", "validation")
    said = f"Left out: {tmp_path / 'other'}: nn has no validation scores to choose by"
    assert (both.exit_code, every.exit_code, every.stdout) == (0, 1, both.stdout)
    assert every.stderr == f"{said}\n"
    with pytest.warns(UserWarning, match=re.escape(said)):
        tested = nmfrepro.stats(tmp_path, select="validation")
    assert tested.equals(nmfrepro.stats([tmp_path / "mnist", tmp_path / "orl"], select="validation"))
    assert tested.attrs["left_out"] == (said.removeprefix("Left out: "),)
