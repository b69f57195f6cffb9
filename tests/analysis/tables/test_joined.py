"""Several datasets in one table, as 2DNMF prints its recognition rates."""

from __future__ import annotations

import csv
import io
from pathlib import Path
from typing import Any

import pytest
from commandline import invoke
from handmade import write_results

from nmfrepro.analysis.tables import Table, make_table
from nmfrepro.analysis.tables.joined import join_tables
from nmfrepro.core.errors import ResultsError
from nmfrepro.views import tables as tabletext

CELLS = [{"train": train, "k": k, "draw": draw} for train in (2, 4) for k in (1, 5) for draw in (0, 1)]


def rate(label: str, at: dict[str, int]) -> float:
    """Best at dimension 5; NLCF by .1."""
    return 0.3 + 0.04 * at["k"] + 0.05 * at["train"] + (0.1 if label == "NLCF" else 0)


@pytest.fixture
def run(tmp_path: Path) -> Any:
    def recognition(name: str, dataset: str, **options: Any) -> Any:
        return write_results(
            tmp_path / name,
            rate,
            cells=CELLS,
            metrics=("nn",),
            kind="recognition",
            dataset=dataset,
            **options,
        )

    return recognition


@pytest.fixture
def joined(run: Any) -> Table:
    second = run("second", "mnist", columns=(("NLCF", "nlcf"), ("PCA", "pca")))
    return join_tables({"orl": make_table(run("first", "orl")), "mnist": make_table(second)})


def test_columns_are_datasets_and_training_images(joined: Table) -> None:
    rows = [
        [each.strip() for each in line.strip("|").split("|")]
        for line in tabletext.markdown(joined).splitlines()
        if line.startswith("|")
    ]
    assert rows[0] == ["method / dataset, train", "orl, 2", "orl, 4", "mnist, 2", "mnist, 4"]
    assert rows[2] == ["NMF", "60.0±0.0 (5)", "70.0±0.0 (5)", "–", "–"]
    assert rows[3] == ["NLCF", *(f"**{each}.0±0.0 (5)**" for each in (70, 80, 70, 80))]
    assert rows[4] == ["PCA", "–", "–", "60.0±0.0 (5)", "70.0±0.0 (5)"]


def test_what_holds_for_all_is_said_once(joined: Table) -> None:
    assert sum(note.startswith("In brackets") for note in joined.notes) == 1
    assert [note.split(":")[0] for note in joined.notes if "Data: " in note] == ["orl", "mnist"]


def test_rows_of_unknown_origin_are_told_before_what_holds_for_all(run: Any) -> None:
    tables = {
        "orl": make_table(run("first", "orl")),
        "mnist": make_table(run("second", "mnist", unknown=["0" * 16])),
    }
    assert join_tables(tables).notes[0].startswith("mnist: Of unknown origin: 1 of 16 rows")


def test_a_method_under_two_labels_is_told(run: Any) -> None:
    first, second = run("first", "orl"), run("second", "mnist", columns=(("NLCF", "nlcf"), ("plain", "nmf")))
    told = "NMF is not in every run; plain of mnist is the same method with the same parameters: give both"
    for extent, there in (("full", True), ("short", True), ("none", False)):
        tables = {name: make_table(each, extent=extent) for name, each in (("orl", first), ("mnist", second))}
        assert any(note.startswith(told) for note in join_tables(tables).notes) == there


def test_every_line_of_the_csv_names_its_dataset(joined: Table) -> None:
    lines = list(csv.DictReader(io.StringIO(tabletext.tidy_csv(joined))))
    assert {line["dataset"] for line in lines} == {"orl", "mnist"}
    (found,) = [
        line
        for line in lines
        if (line["dataset"], line["train"], line["label"], line["chosen"]) == ("mnist", "4", "PCA", "1")
    ]
    assert (found["k"], float(found["mean"])) == ("5", pytest.approx(70))


def test_latex_has_a_cell_for_every_column(joined: Table) -> None:
    text = tabletext.latex(joined)
    assert r"\begin{tabular}{lrrrr}" in text
    body = text.partition(r"\toprule")[2].partition(r"\bottomrule")[0]
    assert {line.count("&") for line in body.splitlines() if "&" in line} == {4}
    assert text.count("{") == text.count("}")


def test_other_rows_are_refused(run: Any, tmp_path: Path) -> None:
    clusters = write_results(tmp_path / "clusters", rate_of_k)
    with pytest.raises(ResultsError, match=r"clusters has another kind of rows \(k\) than orl \(train\)"):
        join_tables({"orl": make_table(run("first", "orl")), "clusters": make_table(clusters)})


def test_one_label_for_two_methods_is_refused(run: Any) -> None:
    second = run("second", "mnist", columns=(("NMF", "gnmf"),))
    with pytest.raises(
        ResultsError, match=r"mnist: its column NMF is gnmf, that of orl nmf; give one of them"
    ):
        join_tables({"orl": make_table(run("first", "orl")), "mnist": make_table(second)})


def rate_of_k(label: str, at: dict[str, int]) -> float:
    return 0.5 + 0.001 * at["k"]


def test_there_is_no_note_on_averages_where_there_are_none(tmp_path: Path) -> None:
    given = {name: make_table(write_results(tmp_path / name, rate_of_k)) for name in ("orl", "mnist")}
    assert all(any(note.startswith("Avg") for note in table.notes) for table in given.values())
    assert not any("Avg" in note for note in join_tables(given).notes)


def test_the_command_names_datasets_or_else_runs(run: Any, tmp_path: Path) -> None:
    run("one", "orl")
    run("other", "orl")
    run("third", "mnist")
    for names, headings in (
        (("one", "third"), ("orl, 2", "mnist, 2")),
        (("one", "other"), ("one, 2", "other, 2")),
    ):
        done = invoke("table", "--beside", *(tmp_path / name for name in names))
        assert done.exit_code == 0
        for heading in headings:
            assert f" {heading} |" in done.output
    assert not (tmp_path / "one" / "table.md").exists()
