"""Runs that score exactly what a paper prints, and runs that do not."""

from __future__ import annotations

import json
import re
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from commandline import invoke
from handmade import write_results

from nmfrepro import papers
from nmfrepro.analysis.compare import compare_published, compare_runs, same_draws
from nmfrepro.analysis.compare.gain import FAILS, HOLDS
from nmfrepro.analysis.compare.pairs import Comparison
from nmfrepro.analysis.compare.verdict import DEVIATES, INCONCLUSIVE, NO_SPREAD, REPRODUCED, UNJUDGED
from nmfrepro.analysis.tables import make_table
from nmfrepro.core.errors import NmfreproError, ResultsError
from nmfrepro.papers import PublishedTable
from nmfrepro.results.folder import Results, read
from nmfrepro.views.comparison import of_published, pairs_of
from nmfrepro.views.document import Document

NLCF = (("Kmeans", "kmeans"), ("NMF", "nmf"), ("NLCF", "nlcf"), ("NLCF-G", "nlcf_g"), ("NMF-SC", "nmf_sc"))


def copy_of(table: PublishedTable, factor: float = 0.01) -> Any:
    """Scores around the published means: draws 0, 1, 2 are one std below, at, and above, but 1 at most."""

    def scores(label: str, at: dict[str, int]) -> dict[str, float]:
        found = {}
        for cell in table.cells:
            if cell.column == label and cell.row == at.get("train", at["k"]):
                spread = min(cell.std or 0, 100 - cell.mean) * (at["draw"] - 1) if at["k"] < 40 else 0
                found[cell.metric] = (cell.mean + spread) * factor
        return found

    return scores


def nlcf_run(folder: Path, shift: float = 0, **extra: Any) -> Any:
    table = papers.load("nlcf/table5_orl")
    exact = copy_of(table)

    def scores(label: str, at: dict[str, int]) -> dict[str, float]:
        found = {name: value + shift for name, value in exact(label, at).items()}
        sparse = {"NMF": 0.344, "NLCF": 0.843}.get(label)
        return found | {"sparseness": sparse}

    return write_results(
        folder,
        scores,
        columns=NLCF,
        cells=[{"k": k, "draw": d} for k in table.rows for d in range(1 if k == 40 else 3)],
        metrics=["accuracy", "nmi", "sparseness"],
        published="nlcf/table5_orl",
        **extra,
    )


def total(comparisons: list[Comparison], verdict: str) -> int:
    return sum(pair.verdict == verdict for pair in pairs_of(comparisons))


def test_a_perfect_reproduction_has_no_deviation_and_its_claims_hold(tmp_path: Path) -> None:
    found = compare_published(nlcf_run(tmp_path / "r"))
    assert [each.metric.title for each in found] == ["Accuracy", "NMI", "Sparseness"]
    assert total(found, DEVIATES) == 0
    assert total(found, NO_SPREAD) == 10 + 2  # k = 40 and the sparseness
    told = {column.evidence.verdict for each in found[:2] for column in each.columns if column.evidence}
    assert told == {REPRODUCED, INCONCLUSIVE}  # three draws of ours are few
    assert [(claim.better, claim.other, claim.verdict) for claim in found[0].claims] == [
        ("NLCF", other, HOLDS) for other in ("NMF", "NLCF-G", "Kmeans", "NMF-SC")
    ]
    for each in found:
        assert each.ranking is not None
        assert each.ranking.agrees
        assert each.ranking.tau == pytest.approx(1)
        assert each.absent == ()
    assert [column.theirs for column in found[0].columns] == ["NMF", "NLCF", "NLCF-G", "Kmeans", "NMF-SC"]


def test_single_runs_are_said_and_have_no_spread(tmp_path: Path) -> None:
    found = compare_published(nlcf_run(tmp_path / "r", shift=-0.02))
    last = found[0].columns[0].pairs[-1]
    assert (last.row, last.single, last.verdict) == ("40", True, NO_SPREAD)
    assert last.difference == pytest.approx(-2)
    first = found[0].columns[0].pairs[3]
    assert not first.single
    assert first.judgement is not None
    assert first.judgement.error == pytest.approx((3.4**2 / 10 + 3.4**2 / 3) ** 0.5)


def test_sparseness_without_k_is_beside_our_mean_over_k(tmp_path: Path) -> None:
    (sparse,) = [e for e in compare_published(nlcf_run(tmp_path / "r")) if e.coordinate == ""]
    pair = sparse.columns[1].pairs[0]
    assert (pair.row, pair.theirs.mean, pair.theirs.text) == ("all", 84.3, "84.3")
    assert pair.ours.mean == pytest.approx(84.3)
    assert (pair.ours.note, pair.verdict) == (" (mean of 9 rows)", NO_SPREAD)


def test_a_mean_over_shared_draws_says_of_how_many(tmp_path: Path) -> None:
    def scores(draws: set[int]) -> Any:
        return lambda label, at: 0.1 * at["draw"] if at["draw"] in draws else None

    cells = [{"k": 2, "draw": draw} for draw in range(6)]
    for name, draws in (("a", {0, 1, 2, 3}), ("b", {2, 3, 4, 5})):
        write_results(tmp_path / name, scores(draws), cells=cells)
    text = invoke("compare", tmp_path / "a", tmp_path / "b").output
    assert "| 25.0±7.1 (n = 2) | 25.0±7.1 (n = 2) |" in text


def test_the_mean_over_rows_leaves_out_those_that_lack_draws(tmp_path: Path) -> None:
    """As the table's row of averages does: the paper prints one sparseness for all k."""
    found = write_results(
        tmp_path / "a",
        lambda label, at: {"sparseness": None if at["k"] == 3 and at["draw"] else 0.1 * at["k"]},
        columns=NLCF,
        cells=[{"k": k, "draw": draw} for k in (2, 3, 4) for draw in range(2)],
        metrics=["sparseness"],
        published="nlcf/table5_orl",
    )
    (sparseness,) = compare_published(found)
    for pair in pairs_of([sparseness]):
        assert (pair.ours.mean, pair.ours.note) == (pytest.approx(30), " (mean of 2 rows)")


def test_a_mean_over_a_single_row_says_one_row(tmp_path: Path) -> None:
    results = write_results(
        tmp_path / "r",
        lambda label, at: {"accuracy": 0.5, "sparseness": 0.5},
        cells=[{"k": 8, "draw": draw} for draw in range(2)],
        metrics=["accuracy", "sparseness"],
        published="nlcf/table5_orl",
    )
    (sparse,) = [each for each in compare_published(results) if each.coordinate == ""]
    assert sparse.columns[0].pairs[0].ours.note == " (mean of 1 row)"


def test_missing_columns_and_rows_are_named(tmp_path: Path) -> None:
    cells = [{"k": k, "draw": d} for k in (2, 4, 3) for d in range(3)]
    results = write_results(
        tmp_path / "r",
        lambda label, at: 0.5,
        columns=(("NMF", "nmf"), ("mine", "nlcf"), ("x", "cf")),
        cells=cells,
        published="nlcf/table5_orl",
    )
    (found,) = compare_published(results)
    assert found.absent == ("NLCF-G", "Kmeans", "NMF-SC", "k = 8, 12, 16, 20, 25, 30, 40")
    assert [(column.theirs, column.ours) for column in found.columns] == [("NMF", "NMF"), ("NLCF", "mine")]


def test_every_point_of_a_sweep_is_compared_and_none_is_picked(tmp_path: Path) -> None:
    columns = (("NLCF (mu = 0.1)", "nlcf"), ("NLCF (mu = 1)", "nlcf"))
    results = write_results(
        tmp_path / "r", lambda label, at: 0.5, columns=columns, published="nlcf/table5_orl"
    )
    (found,) = compare_published(results)
    assert [column.ours for column in found.columns] == [label for label, _ in columns]
    assert found.ranking is None


@pytest.mark.parametrize("name", ["twodnmf/table1_orl", "ldsnmf/table1_ar"])
def test_recognition_with_its_best_dimension(tmp_path: Path, name: str) -> None:
    table = papers.load(name)
    exact = copy_of(table)

    def scores(label: str, at: dict[str, int]) -> dict[str, float]:
        return {metric: value - 0.1 * (at["k"] != 9) for metric, value in exact(label, at).items()}

    algorithms = {cell.column: cell.algorithm for cell in table.cells}
    results = write_results(
        tmp_path / "r",
        scores,
        columns=tuple(algorithms.items()),
        cells=[{"train": p, "k": k, "draw": d} for p in table.rows for k in (4, 9) for d in range(3)],
        metrics=list(table.metrics),
        kind="recognition",
        published=name,
    )
    found = compare_published(results)
    assert total(found, UNJUDGED if name.startswith("ldsnmf") else NO_SPREAD) == len(table.cells)
    assert found[0].columns[0].pairs[0].ours.note == " (9)"
    assert found[0].claims[0].ours.mean == pytest.approx(found[0].claims[0].stated)
    assert found[0].coordinate == "train"


def test_a_classifier_that_the_run_leaves_out_is_not_compared(tmp_path: Path) -> None:
    table = papers.load("ldsnmf/table1_ar")
    results = write_results(
        tmp_path / "r",
        lambda label, at: {"nn": 0.5, "svm": None},
        columns=tuple({cell.column: cell.algorithm for cell in table.cells}.items()),
        cells=[{"train": p, "k": 9, "draw": d} for p in table.rows for d in range(3)],
        metrics=list(table.metrics),
        kind="recognition",
        published=table.name,
    )
    results = replace(results, run=replace(results.run, spec=replace(results.run.spec, metrics=("nn",))))
    assert [each.metric.title for each in compare_published(results)] == ["NN"]


def test_printed_running_times_are_compared_as_multiples(tmp_path: Path) -> None:
    table = papers.load("tnmf/table4_runtime")
    exact = copy_of(table, factor=1 / 50)  # a machine that is fifty times faster
    results = write_results(
        tmp_path / "r",
        exact,
        columns=(("NMF", "nmf"), ("RICA", "rica"), ("TNMF", "tnmf")),
        cells=[{"k": k, "draw": d} for k in table.rows for d in range(3)],
        metrics=["seconds"],
        published="tnmf/table4_runtime",
    )
    (found,) = compare_published(results)
    assert found.metric.timed
    assert [column.ours for column in found.columns] == ["RICA", "TNMF"]
    assert total([found], REPRODUCED) == 8
    assert found.columns[0].pairs[0].theirs.mean == pytest.approx(4.37 / 0.13)


def test_no_published_table_is_one_line(tmp_path: Path) -> None:
    results = write_results(tmp_path / "r", lambda label, at: 0.5)
    with pytest.raises(ResultsError, match="names no published table; give published: NAME"):
        compare_published(results)
    with pytest.raises(ResultsError, match="nothing in it is in ldsnmf/table1_ar"):
        compare_published(results, "ldsnmf/table1_ar")
    with pytest.raises(NmfreproError, match="did you mean"):
        compare_published(results, "nlcf/table5")


def test_two_runs_are_compared_by_label_and_else_by_method(tmp_path: Path) -> None:
    first = nlcf_run(tmp_path / "a")
    found = compare_runs(first, nlcf_run(tmp_path / "b", shift=-0.03))
    assert [pair.difference for pair in found[0].columns[0].pairs] == pytest.approx([-3.0] * 9)
    assert {each.metric.title for each in found} == {"Accuracy", "NMI", "Sparseness"}
    renamed = write_results(
        tmp_path / "c", lambda label, at: 0.5, columns=(("other name", "nlcf"), ("x", "cf"))
    )
    (found_by_method,) = compare_runs(first, renamed)
    assert [(c.theirs, c.ours) for c in found_by_method.columns] == [("NLCF", "other name")]
    assert "NMF" in found_by_method.absent
    splits = write_results(tmp_path / "d", lambda label, at: 0.5, cells=[{"train": 2, "k": 1, "draw": 0}])
    with pytest.raises(ResultsError, match="compare runs of one protocol"):
        compare_runs(first, splits)


def test_two_runs_of_different_draws_are_not_called_print(tmp_path: Path) -> None:
    def scores(label: str, at: dict[str, int]) -> float:
        return 0.5 + 0.1 * at["draw"]

    folders = [
        write_results(tmp_path / splits, scores, beside={"splits": splits}).folder for splits in ("a", "b")
    ]
    said = invoke("compare", *folders).output
    assert "4 inconclusive, 2 no spread." in said
    assert "print" not in said
    assert "published" not in said
    assert (
        "A single run of the first is held against the interval in which one run of the second lies" in said
    )
    assert sum(line.endswith(" inconclusive |") for line in said.splitlines()) == 4


def test_runs_on_two_datasets_get_no_verdict(tmp_path: Path) -> None:
    folders = [
        write_results(tmp_path / name, lambda label, at: 0.5 + 0.1 * at["draw"], dataset=name).folder
        for name in ("orl", "mnist")
    ]
    said = invoke("compare", *folders).output
    assert "No verdict: the first run is on orl, the second on mnist." in said
    assert "reproduced" not in said
    assert "inconclusive" not in said


def test_rows_of_two_runs_are_matched_by_all_their_coordinates(tmp_path: Path) -> None:
    def run(name: str, images: list[int]) -> Any:
        cells = [{"k": k, "images": i, "draw": 0} for k in (2, 4) for i in images]
        return write_results(tmp_path / name, lambda label, at: at["images"] / 100, cells=cells, kind="basis")

    both, few, many = run("both", [5, 9]), run("few", [5]), run("many", [9])
    assert [pair.difference for pair in compare_runs(both, many)[0].columns[0].pairs] == [0, 0]
    (found,) = compare_runs(both, few)
    assert found.absent == ("k, images = (2, 9), (4, 9)",)
    assert [pair.difference for pair in found.columns[0].pairs] == [0, 0]
    with pytest.raises(ResultsError, match="in common"):
        compare_runs(few, many)
    assert any(note == "In all trials: images = 9." for note in make_table(many).notes)


def test_what_the_second_run_lacks_is_named(tmp_path: Path) -> None:
    first = write_results(tmp_path / "a", lambda label, at: 0.5)
    second = write_results(
        tmp_path / "b",
        lambda label, at: None if at["k"] == 40 else 0.5,
        columns=(("NMF", "nmf"), ("x", "cf")),
    )
    assert compare_runs(first, second)[0].absent == ("NLCF", "k = 40")
    outcome = invoke("compare", tmp_path / "a", tmp_path / "b")
    assert "Not in the second run: NLCF; k = 40." in outcome.output


def test_a_difference_of_zero_as_printed_has_no_minus(tmp_path: Path) -> None:
    for name, less in (("a", 0.0), ("b", 1e-4)):
        write_results(tmp_path / name, lambda label, at, less=less: 0.5 - less * (1 + at["draw"] / 10))
    outcome = invoke("compare", tmp_path / "a", tmp_path / "b")
    # The ends of an interval keep their sign: a verdict may rest on it.
    assert re.search(r"\+0\.0 \| +-0\.0 to -0\.0 \|", outcome.output)


def test_command_prints_and_writes(tmp_path: Path) -> None:
    nlcf_run(tmp_path / "orl_nlcf")
    write_results(tmp_path / "other", lambda label, at: 0.5)
    outcome = invoke("compare", tmp_path)
    assert outcome.exit_code == 0
    text = (tmp_path / "orl_nlcf" / "compare.md").read_text(encoding="utf-8")
    assert text.partition("\n<!-- nmfrepro-rows ")[0] in outcome.output
    assert "other: names no published table, left out" in outcome.output
    assert not (tmp_path / "other" / "compare.md").exists()
    for part in (
        "| NMF | 40 | 39.5 | 39.5 | +0.0 | – | | | single run |",
        "the same order (published NLCF, NLCF-G, NMF-SC, Kmeans, NMF; reproduced NLCF,",
        "- Accuracy, claims: 4 hold, 0 fail, 0 open (of 4).",
        "- Accuracy, mean difference within ±3: reproduced ",
        "| Accuracy | NLCF before NMF | +",
        "Held against another method's reproduced column, ",
        "no free choice was fitted",
    ):
        assert " ".join(part.split()) in " ".join(text.split())


def test_a_claim_that_is_turned_round_is_no_gain_too_small(tmp_path: Path) -> None:
    def scores(label: str, at: dict[str, int]) -> float:
        return {"NLCF": 0.4, "NMF": 0.5}.get(label, 0.399) + 0.02 * at["draw"]

    cells = [{"k": k, "draw": draw} for k in (2, 8) for draw in range(3)]
    write_results(tmp_path / "orl", scores, columns=NLCF, cells=cells, published="nlcf/table5_orl")
    outcome = invoke("compare", tmp_path / "orl")
    assert "- Accuracy, claims: 3 hold, 1 fail (1 turned round), 0 open (of 4)." in outcome.output
    assert re.search(r"NLCF before NMF .* fails \(turned round\) \|", outcome.output)
    assert re.search(r"NLCF before Kmeans .* holds \(less than the paper could find\) \|", outcome.output)


def test_command_says_what_was_calibrated_and_what_does_not_fit(tmp_path: Path) -> None:
    spec = {"protocol": {"clusters": [2]}, "inferred": ["nlcf.mu", "fit.max_iter"]}
    nlcf_run(tmp_path / "orl-smoke", spec=spec, dataset="mnist")
    nlcf_run(tmp_path / "orl", spec=spec, dataset="mnist")
    outcome = invoke("compare", tmp_path / "orl-smoke")
    assert (
        "After calibration: 2 free choices fitted to the published numbers (92 of them, those of the methods "
        "concerned): nlcf.mu, fit.max_iter" in outcome.output
    )
    assert outcome.output.splitlines()[2].startswith("**No verdict: this is a smoke run")
    other = invoke("compare", tmp_path / "orl")
    assert "**No verdict: the run is on mnist, the published table on orl.**" in other.output
    assert "reproduced 5" not in other.output
    assert "59.3" in outcome.output  # the sparseness published for MNIST, not for ORL


def test_claims_of_a_smoke_run_are_not_counted(tmp_path: Path) -> None:
    """Of a lost table no cell says that there is no verdict."""
    for name in ("orl", "orl-smoke"):
        columns = (("CNMF", "cnmf"), ("CNMF_KL", "cnmf_kl"))
        write_results(
            tmp_path / name,
            lambda label, at: 0.5 + 0.01 * at["draw"],
            columns=columns,
            published="cnmf/table4_orl",
        )
        said = invoke("compare", tmp_path / name).output
        assert ("- Accuracy, claims: " in said) == (name == "orl")


def test_an_unfinished_run_is_called_so_first(tmp_path: Path) -> None:
    def scores(label: str, at: dict[str, int]) -> float | None:
        return 0.7 if at["draw"] else None

    cells = [{"k": 2, "draw": draw} for draw in range(3)]
    for name in ("a", "b"):
        write_results(tmp_path / name, scores, columns=NLCF, cells=cells, published="nlcf/table5_orl")
    for folders, line in (("a",), "- Not run yet: 5 of 15"), (("a", "b"), "- First: Not run yet: 5 of 15"):
        text = invoke("compare", *(tmp_path / each for each in folders)).output
        assert text.partition("## In short")[2].strip().startswith(line)
        assert "| 70.0±0.0 (n = 2) |" in text


def test_command_goes_on_behind_a_run_that_has_nothing_in_common(tmp_path: Path) -> None:
    write_results(tmp_path / "a", lambda label, at: 0.5, published="ldsnmf/table1_ar")
    nlcf_run(tmp_path / "b")
    outcome = invoke("compare", tmp_path)
    assert outcome.exit_code == 1
    assert "a: nothing in it is in ldsnmf/table1_ar" in outcome.stderr
    assert outcome.stderr.startswith("Left out: ")  # as other verbs say it
    assert (tmp_path / "b" / "compare.md").exists()
    alone = invoke("compare", tmp_path / "a")
    assert "nothing in it is in ldsnmf/table1_ar" in str(alone.exception)
    (tmp_path / "b" / "run.json").write_text("{")
    none = invoke("compare", tmp_path)
    assert none.exit_code == 2  # nothing was done


def test_command_prints_a_run_before_it_compares_the_next(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("a", "b"):
        nlcf_run(tmp_path / name)

    def ends(results: Results, name: str | None, select: str) -> Document:
        if results.folder.name == "b":
            raise KeyboardInterrupt
        return of_published(results, name, select)

    monkeypatch.setattr("nmfrepro.cli.compare.of_published", ends)
    outcome = invoke("compare", tmp_path)
    assert "# A table: published and reproduced" in outcome.stdout
    assert (tmp_path / "a" / "compare.md").exists()


def test_command_compares_two_folders(tmp_path: Path) -> None:
    nlcf_run(tmp_path / "a")
    shutil.copytree(tmp_path / "a", tmp_path / "b")
    outcome = invoke("compare", tmp_path / "a", tmp_path / "b")
    assert outcome.exit_code == 0
    assert "Both runs see the same draws: differences, intervals and verdicts are paired" in outcome.output
    assert "reproduced 5" in outcome.output
    assert "\n## Accuracy (%)\n" in outcome.output
    assert not (tmp_path / "b" / "compare.md").exists()
    refused = invoke("compare", tmp_path / "a", tmp_path / "b", "--published", "x")
    assert refused.exit_code == 2


@pytest.mark.parametrize(
    ("kind", "at", "metric", "protocol", "other"),
    [
        # halves of the test images, and all of them
        (
            "recognition",
            {"train": 2, "k": 2},
            "nn",
            {"train": [2], "dimensions": [2], "validation": False},
            {"validation": True},
        ),
        # the same rank on other classes
        ("basis", {"k": 6, "images": 0}, "sparseness", {"classes": [6], "rank": 6}, {"classes": [4]}),
    ],
)
def test_draws_of_other_images_are_not_the_same_draws(
    tmp_path: Path,
    kind: str,
    at: dict[str, int],
    metric: str,
    protocol: dict[str, Any],
    other: dict[str, Any],
) -> None:
    whole, again, part = (
        write_results(
            tmp_path / name,
            lambda label, at: 0.5,
            cells=[at | {"draw": draw} for draw in range(2)],
            metrics=[metric],
            kind=kind,
            spec={"protocol": protocol | changed},
        )
        for name, changed in (("whole", {}), ("again", {}), ("part", other))
    )
    assert same_draws(whole, again)
    assert not same_draws(whole, part)


@pytest.mark.parametrize(
    ("name", "count", "repeats"),
    [("orl_tnmf", 3 * 2 * 9, {10, None}), ("orl_nlcf", 3 * 3 * 10, {10, 1, None})],
)
def test_a_difference_is_that_of_the_means_beside_it_where_one_run_has_further_draws(
    name: str, count: int, repeats: set[int | None]
) -> None:
    """Fifty draws beside ten: a mean over fifty would contradict a difference over the ten that both have.

    So would one over ten starts beside one.
    """
    study = Path(__file__).parents[3] / "results" / "reference"
    ours, model = read(study / name), read(study / "models" / name)
    found = compare_runs(ours, model)
    columns = [column for each in found for column in each.columns]
    pairs = [pair for column in columns for pair in (*column.pairs, column.average) if pair is not None]
    assert len(pairs) == count
    for pair in pairs:
        assert pair.difference == pytest.approx(pair.ours.mean - pair.theirs.mean)
    for column in columns:
        assert column.evidence is not None
        theirs, ours = column.means
        assert ours - theirs == pytest.approx(column.evidence.mean)
    assert {(pair.theirs.n, pair.ours.n) for pair in pairs} == {(each, each) for each in repeats}


def test_the_means_of_a_method_are_over_the_cells_that_its_difference_is_of(tmp_path: Path) -> None:
    """Eight rows have several draws; k = 40 has one, and so no spread."""
    (accuracy, *_) = compare_published(nlcf_run(tmp_path / "a"))
    for column in accuracy.columns:
        assert column.evidence is not None
        assert len(column.pairs) == 9
        assert len(column.judged) == 8
        theirs, ours = column.means
        assert ours - theirs == pytest.approx(column.evidence.mean)


def test_two_folders_of_different_settings_say_in_which_they_differ(tmp_path: Path) -> None:
    nlcf_run(tmp_path / "a")
    shutil.copytree(tmp_path / "a", tmp_path / "b")
    run = json.loads((tmp_path / "b" / "run.json").read_text())
    run["spec"]["algorithms"][0]["fit"] = {"restarts": 7, "max_iter": 20, "tol": 0}
    run["spec"]["protocol"] |= {"assign": "kmeans", "repeats": 3, "labelled": None}
    run.pop("digest", None)
    (tmp_path / "b" / "run.json").write_text(json.dumps(run))
    label = run["spec"]["algorithms"][0]["label"]
    outcome = invoke("compare", tmp_path / "a", tmp_path / "b")
    assert (
        f"Second: Fit ({label}): 7 random starts, the lowest objective kept; 20 iterations" in outcome.output
    )
    assert "First: Protocol: assign = argmax.\n" in outcome.output
    assert "Second: Protocol: assign = kmeans.\n" in outcome.output
    assert "Both: Data: " in outcome.output


def test_claims_of_a_lost_table_are_beside_differences_of_averages(tmp_path: Path) -> None:
    levels = {"CNMF_KL": 0.80, "CNMF": 0.77, "SemiGNMF": 0.73, "odd": 0.9}

    def scores(label: str, at: dict[str, int]) -> dict[str, float]:
        value = levels[label] + 0.02 * (at["draw"] - 1) * (at["k"] < 40)
        return {"accuracy": value, "nmi": value}

    columns = (("CNMF_KL", "cnmf_kl"), ("CNMF", "cnmf"), ("SemiGNMF", "semi_gnmf"), ("odd", "cf"))
    results = write_results(
        tmp_path / "r", scores, columns=columns, metrics=["accuracy", "nmi"], dataset="mnist"
    )
    accuracy, nmi = compare_published(results, "cnmf/table7_caltech101")
    (claim,) = accuracy.claims
    assert (claim.better, claim.other, claim.stated) == ("CNMF_KL", "SemiGNMF", 7.2)
    assert claim.ours.mean == pytest.approx(7)
    assert claim.ours.error == pytest.approx(0, abs=1e-9)  # draw by draw the same
    assert [each.stated for each in nmi.claims] == [9.01, 2.87]
    assert nmi.ranking is None
    first, *others = compare_published(results, "cnmf/table4_orl")[0].claims
    assert (first.better, first.other, first.stated, first.verdict) == ("CNMF", "CNMF_KL", None, FAILS)
    assert [(each.better, each.other, each.verdict) for each in others] == [
        ("CNMF_KL", "SemiGNMF", HOLDS),
        ("CNMF_KL", "odd", FAILS),
    ]
    outcome = invoke("compare", tmp_path / "r", "--published", "cnmf/table4_orl")
    assert outcome.exit_code == 0
    assert "Not in this run: CNMF_KL over NMF; CNMF_KL over NTF; CNMF_KL over GNMF." in outcome.output
    assert "nan" not in outcome.output


def test_a_claim_over_all_others_is_held_against_the_best_of_them(tmp_path: Path) -> None:
    levels = {"TNMF": 0.5, "NMF": 0.4, "PCA": 0.45}
    columns = (("TNMF", "tnmf"), ("NMF", "nmf"), ("PCA", "pca"))
    results = write_results(tmp_path / "r", lambda label, at: levels[label], columns=columns)
    (found,) = compare_published(results, "tnmf/table3_yale")
    (claim,) = found.claims
    assert (claim.better, claim.other) == ("TNMF", "PCA")
    assert claim.ours.mean == pytest.approx(5)
