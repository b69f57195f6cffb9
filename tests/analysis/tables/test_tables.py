"""Cells against hand-computed values: honest averages, ties, missing and failed trials, chosen dimensions."""

from __future__ import annotations

import json
import math
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from handmade import write_results

from nmfrepro.analysis.significance.scores import of_results
from nmfrepro.analysis.tables import Cell, Table, make_table
from nmfrepro.analysis.tables.notes import fit_text
from nmfrepro.core.errors import ResultsError
from nmfrepro.core.typed import from_json
from nmfrepro.results import folder as store
from nmfrepro.results import reference
from nmfrepro.results.record import FitRecord, RunRecord
from nmfrepro.results.verified import SAME, Verified, write_verified
from nmfrepro.views import tables as tabletext


def cell(table: Table, row: str, label: str, block: int = 0) -> Cell:
    found = table.blocks[block]
    rows = {each.name: each for each in (*found.rows, *([found.average] if found.average else []))}
    return rows[row].cells[label]


def steady(label: str, at: dict[str, int]) -> float:
    """NMF scores .5 .6 .7 in every row, NLCF .1 more; one draw of all classes .5 and .6."""
    return 0.5 + 0.1 * at["draw"] + (0.1 if label == "NLCF" else 0)


def test_c37_std_has_n_minus_1_and_a_single_repeat_has_none(tmp_path: Path) -> None:
    table = make_table(write_results(tmp_path / "r", steady))
    nmf = cell(table, "2", "NMF")
    assert nmf.mean == pytest.approx(60)
    assert nmf.std == pytest.approx(10)  # with n instead of n − 1 it would be 8.16
    assert (cell(table, "40", "NMF").mean, cell(table, "40", "NMF").std) == (50, None)
    text = tabletext.markdown(table)
    assert "60.0±10.0" in text
    assert re.search(r"\| 40 +\| +50\.0 \|", text)
    assert "ddof = 1" in text
    assert "single repeat has no ±" in text


def test_further_draws_and_starts_stay_out_of_the_table_and_in_the_comparison(tmp_path: Path) -> None:
    protocol = {"clusters": [2, 40], "repeats": 2, "further": 1, "further_starts": 2}
    cells = [{"k": k, "draw": draw} for k in (2, 40) for draw in range(3)]
    results = write_results(tmp_path / "r", steady, cells=cells, spec={"protocol": protocol})
    table, all_of_them = make_table(results), make_table(results, further=True)
    assert [cell(table, row, "NMF").draws for row in ("2", "40")] == [{0: 50, 1: 60}, {0: 50}]
    assert [cell(all_of_them, row, "NMF").n for row in ("2", "40")] == [3, 3]
    assert "3 further draws and starts of every method stand in the results" in tabletext.markdown(table)
    assert len(of_results(results).trials["NMF"]) == 6


def test_average_is_the_mean_of_the_rows_means(tmp_path: Path) -> None:
    average = cell(make_table(write_results(tmp_path / "r", steady)), "Avg", "NMF")
    assert average.mean == pytest.approx((60 + 60 + 50) / 3)
    assert average.std is None


def test_best_of_a_row_is_marked_and_all_ties(tmp_path: Path) -> None:
    values = [0.1, 0.2, 0.3]

    def scores(label: str, at: dict[str, int]) -> float:
        order = values if label == "NMF" else values[::-1]  # the same mean, added in another order
        return order[at["draw"]] if at["k"] < 40 else 0.2 + (1e-5 if label == "NLCF" else 0)

    table = make_table(write_results(tmp_path / "r", scores))
    assert cell(table, "2", "NMF").best
    assert cell(table, "2", "NLCF").best
    assert not cell(table, "40", "NMF").best  # both are printed as 20.0
    assert cell(table, "40", "NLCF").best


@pytest.mark.parametrize("other", [None, "nmf"])
@pytest.mark.parametrize("kind", ["clustering", "readings"])
def test_nothing_is_said_of_encodings_where_no_method_has_any(
    tmp_path: Path, kind: str, other: str | None
) -> None:
    columns = [("Kmeans", "kmeans"), *([("Other", other)] if other else [])]
    spec = {"protocol": {"clusters": [2]}}

    def scores(label: str, at: dict[str, int]) -> dict[str, Any]:
        return {"accuracy": 0.5, "sparseness": None if label == "Kmeans" else 0.4}

    options: Any = {"columns": columns, "metrics": ["accuracy", "sparseness"], "kind": kind, "spec": spec}
    results = write_results(tmp_path / "r", scores, **options)
    text = tabletext.markdown(make_table(results))
    for words in ("Sparseness", "encoding", "does not apply"):
        assert (words in text) == (other is not None)
    assert "## Sparseness" in tabletext.markdown(make_table(results, ["sparseness"]))


@pytest.mark.parametrize(("name", "read"), [("spectral", False), ("pca_kmeans", False), ("nmf", True)])
def test_no_clusters_are_read_from_encodings_of_methods_with_labels_of_their_own(
    tmp_path: Path, name: str, read: bool
) -> None:
    columns = [("Kmeans", "kmeans"), ("Other", name)]
    notes = make_table(write_results(tmp_path / "r", lambda label, at: 0.5, columns=columns)).notes
    assert any(note.startswith("Clusters: ") for note in notes) == read


@pytest.mark.parametrize(("metric", "best"), [("seconds", "NMF"), ("accuracy", "NLCF"), ("sparseness", None)])
def test_lower_is_better_where_it_is(tmp_path: Path, metric: str, best: str | None) -> None:
    table = make_table(write_results(tmp_path / "r", steady, metrics=[metric]))
    assert [label for label in table.labels if cell(table, "2", label).best] == ([best] if best else [])
    assert cell(table, "2", "NMF").mean == pytest.approx(0.6 if metric == "seconds" else 60)


def test_failed_trials_are_counted_and_their_mean_is_never_best(tmp_path: Path) -> None:
    def scores(label: str, at: dict[str, int]) -> float | str:
        return (
            "collapsed: every encoding is zero"
            if (label, at["k"], at["draw"]) == ("NLCF", 2, 1)
            else steady(label, at)
        )

    table = make_table(write_results(tmp_path / "r", scores))
    broken = cell(table, "2", "NLCF")
    assert (broken.n, broken.planned, broken.failed, broken.best) == (2, 3, 1, False)
    assert broken.mean == pytest.approx(70)
    assert cell(table, "2", "NMF").best  # the best of the complete cells
    average = cell(table, "Avg", "NLCF")
    assert (average.n, average.planned, average.best) == (2, 3, False)
    text = tabletext.markdown(table)
    assert "70.0±14.1 (n = 2 of 3)" in text
    assert "(2 of 3 rows complete)" in text
    assert "Failed: 1 trial of NLCF: collapsed: every encoding is zero." in text


def test_all_failed_and_not_applicable_are_told_apart(tmp_path: Path) -> None:
    def scores(label: str, at: dict[str, int]) -> Any:
        if label == "NLCF" and at["k"] == 2:
            return "out of memory"
        return {"accuracy": 0.5, "sparseness": None if label == "NMF" else 0.8}

    text = tabletext.markdown(
        make_table(write_results(tmp_path / "r", scores, metrics=["accuracy", "sparseness"]))
    )
    lines = [
        [part.strip() for part in line.split("|")[1:-1]]
        for line in text.splitlines()
        if line.startswith("| 2 ")
    ]
    assert lines == [["2", "50.0±0.0", "failed"], ["2", "–", "failed"]]
    assert "Failed: 3 trials of NLCF: out of memory." in text


@pytest.mark.parametrize("gap", [lambda label, at: label == "NMF", lambda label, at: True])
def test_missing_trials_are_known_even_where_no_method_ran(tmp_path: Path, gap: Any) -> None:
    def scores(label: str, at: dict[str, int]) -> float | None:
        return None if at["k"] == 4 and at["draw"] == 2 and gap(label, at) else steady(label, at)

    results = write_results(tmp_path / "r", scores)
    table = make_table(results)
    assert (cell(table, "4", "NMF").n, cell(table, "4", "NMF").planned) == (2, 3)
    assert not cell(table, "4", "NMF").best
    assert any(note.startswith("Not run yet: ") for note in table.notes)


@pytest.mark.parametrize("dimensions", [(), (2, 4)])
def test_a_cell_with_rows_of_unknown_origin_is_never_bold(
    tmp_path: Path, dimensions: tuple[int, ...]
) -> None:
    """Of the best method a row at 2 is of unknown origin, until verify has computed it again."""
    options: dict[str, Any] = {}
    if dimensions:
        cells = [
            {"train": train, "k": k, "split": split}
            for train in (2, 4)
            for k in dimensions
            for split in (0, 1)
        ]
        options = {"cells": cells, "metrics": ("nn",), "kind": "recognition"}
    levels = {"NMF": 0.6, "NLCF": 0.5, "GNMF": 0.4}
    columns = [(label, label.lower()) for label in levels]
    results = write_results(
        tmp_path / "r", lambda label, at: levels[label], columns=columns, unknown=["0" * 16], **options
    )

    def bold() -> list[str]:
        (block,) = make_table(results).blocks
        return [label for row in block.lines for label, cell in row.cells.items() if cell.best]

    count = len(make_table(results).blocks[0].lines)
    assert bold() == ["NLCF"] + ["NMF"] * (count - 1 - (not dimensions)) + ["NLCF"] * (not dimensions)
    notes = make_table(results).notes
    assert notes[0].startswith(f"Of unknown origin: 1 of {len(results.trials)} rows. run.json was missing or")
    assert any("Bold: " in note and note.endswith("and no row of unknown origin.") for note in notes)
    write_verified(results.folder, Verified().joined([(results.trials[0], SAME)], results.run.environment))
    assert bold() == ["NMF"] * count
    assert "of unknown origin" not in "".join(make_table(results).notes)


def test_renamed_columns_show_the_new_name(tmp_path: Path) -> None:
    results = write_results(tmp_path / "r", steady)
    before = cell(make_table(results), "2", "NMF")
    run = json.loads((results.folder / "run.json").read_text())
    run["spec"]["algorithms"][0]["label"] = "plain"
    (results.folder / "run.json").write_text(json.dumps(run))
    assert cell(make_table(store.read(results.folder)), "2", "plain") == before


def test_a_classifier_that_was_left_out_is_no_metric_of_the_run() -> None:
    with (
        reference.unpacked("orl_2dnmf") as folder,
        pytest.raises(ResultsError, match="no metric 'svm' in the results; allowed: nn"),
    ):
        make_table(store.read(folder), ["svm"])


def test_rows_of_other_settings_never_enter(tmp_path: Path) -> None:
    plain = make_table(write_results(tmp_path / "a", steady))
    other = {"key": "f" * 16, "k": "2", "draw": "0", "algorithm": "nmf", "label": "NMF", "status": "ok"}
    rows = [{}] * 14 + [other | {"accuracy": "0.0", "seed": "1", "n_iter": "1", "converged": "0"}]
    table = make_table(write_results(tmp_path / "a", steady, rows=rows))
    assert table.blocks == plain.blocks
    assert any("also holds 1 row of other settings" in note for note in table.notes)


def test_nothing_run_and_unknown_metrics_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ResultsError, match="no trial has finished"):
        make_table(write_results(tmp_path / "a", lambda label, at: None))
    with pytest.raises(ResultsError, match="no metric 'acuracy' in the results; did you mean accuracy"):
        make_table(write_results(tmp_path / "b", steady), ["acuracy"])


def recognition(label: str, at: dict[str, int]) -> dict[str, Any]:
    """Test accuracy best at k = 3, validation at k = 2; NLCF fails once at k = 1, where it is best."""
    test = {1: 0.9 if label == "NLCF" else 0.2, 2: 0.5, 3: 0.7}[at["k"]] + 0.1 * at["split"]
    if label == "NLCF" and at["k"] == 1 and at["split"] == 1:
        return {"nn": "singular"}
    return {"nn": test, "nn_validation": {1: 0.1, 2: 0.9, 3: 0.8}[at["k"]]}


CELLS = [{"train": p, "split": s, "k": k} for p in (2, 3) for s in (0, 1) for k in (1, 2, 3)]


def test_c39_best_dimension_is_chosen_from_means_and_marked(tmp_path: Path) -> None:
    results = write_results(
        tmp_path / "r", recognition, cells=CELLS, metrics=["nn", "nn_validation"], kind="recognition"
    )
    table = make_table(results, ["nn"])
    chosen = cell(table, "2", "NLCF")
    assert (chosen.chosen, chosen.n, len(chosen.choices)) == (3, 2, 3)  # k = 1 lacks a split
    assert chosen.mean == pytest.approx(75)
    assert any("best mean of 3" in note and "test samples themselves" in note for note in table.notes)
    text = tabletext.markdown(table)
    assert "75.0±7.1 (3)" in text
    assert "| method / train |" in text  # methods down, as the papers print recognition
    assert text.count("| NLCF ") == 1
    lines = tabletext.tidy_csv(table).splitlines()
    assert len(lines) == 1 + 2 * 2 * 3  # all points of the grid are kept
    honest = make_table(results, ["nn"], select="validation")
    assert cell(honest, "2", "NLCF").chosen == 2
    assert any("on validation samples" in note for note in honest.notes)
    with pytest.raises(ResultsError, match="no validation scores"):
        make_table(results, ["nn_validation"], select="validation")


def test_a_run_without_validation_has_none_to_choose_by(tmp_path: Path) -> None:
    run = write_results(
        tmp_path / "r",
        lambda label, at: {"nn": 0.5},
        cells=CELLS,
        metrics=["nn", "nn_validation"],
        kind="recognition",
    )
    with pytest.raises(ResultsError, match="nn has no validation scores to choose by"):
        make_table(run, ["nn"], select="validation")


def test_of_one_dimension_none_is_chosen(tmp_path: Path) -> None:
    cells = [each for each in CELLS if each["k"] == 3]
    run = write_results(
        tmp_path / "r", lambda label, at: 0.5, cells=cells, metrics=["nn"], kind="recognition"
    )
    notes = make_table(run).notes
    assert "In brackets: the dimension, of which there is one." in notes
    assert not any("too favourable" in note for note in notes)


def test_c39_the_best_point_of_a_sweep_is_marked_as_chosen(tmp_path: Path) -> None:
    columns = [*((f"NLCF (mu = {mu})", "nlcf") for mu in (0.1, 0.5, 1)), ("NMF", "nmf")]
    table = make_table(write_results(tmp_path / "r", lambda label, at: len(label) / 100, columns=columns))
    assert any("3 settings of nlcf" in note and "best of 3 by test labels" in note for note in table.notes)
    assert not any("settings of nmf" in note for note in table.notes)


def test_ties_between_dimensions_go_to_the_smaller(tmp_path: Path) -> None:
    table = make_table(
        write_results(tmp_path / "r", lambda label, at: 0.5, cells=CELLS, metrics=["nn"], kind="recognition")
    )
    assert cell(table, "3", "NMF").chosen == 1


def test_notes_name_data_normaliser_fit_and_calibration(tmp_path: Path) -> None:
    fit = {"restarts": 10, "max_iter": 2000, "tol": 0.0, "order": "UV", "inner": None, "dtype": "float64"}
    columns = [
        {"label": "NMF", "algorithm": "nmf", "parameters": {"normalize": "unit", "width": None}, "fit": fit},
        {
            "label": "NLCF",
            "algorithm": "nlcf",
            "parameters": {"mu": 0.1},
            "fit": fit | {"tol": 1e-5, "restarts": 1},
        },
    ]
    spec = {
        "protocol": {"clusters": [2], "assign": {"kmeans": {"restarts": 20}}, "labelled": "10%"},
        "dataset": {"scale": "l2"},
        "inferred": ["nlcf.mu"],
        "seed": 7,
    }
    scores = {"accuracy": 0.5, "nmi": 0.5}
    results = write_results(
        tmp_path / "r",
        lambda label, at: scores,
        metrics=["accuracy", "nmi"],
        columns=(("NMF", "nmf"), ("NLCF", "nlcf")),
    )
    written = results.run.to_json()
    written["spec"] |= spec | {"algorithms": columns}
    run = from_json(RunRecord, written)
    results = replace(results, run=run)
    notes = "\n".join(make_table(results).notes)
    for part in (
        "orl.mat; 400 samples of 1024 values in 40 classes, sha256 0123456789ab; scale l2: each sample",
        "NMI: mutual information over the larger of both entropies",
        "k-means on the encodings, best of 20 starts",
        "labels of 10% of each class",
        "Parameters: NMF: normalize = unit; NLCF: mu = 0.1.",
        "Fit (NMF): 10 random starts, the lowest objective kept; 2000 iterations (tol 0: no early stop).",
        "Fit (NLCF): 1 random start; at most 2000 iterations, stopping at a relative decrease of 1e-05.",
        "calibration against the published numbers, not stated in the paper: nlcf.mu.",
        "Seed 7",
        "±0 throughout: NMF, NLCF (Accuracy, NMI), since",
        "nmfrepro 0.1.0",
    ):
        assert part in notes


def test_a_tol_that_cannot_act_is_said() -> None:
    """No restart ends before its 100th iteration: `tol` was named as the rule of 50 of them."""
    texts = {n: fit_text(FitRecord(restarts=1, max_iter=n, tol=0.5)) for n in (50, 2000)}
    assert texts[50] == "1 random start; 50 iterations (tol 0.5 acts from 100 on)"
    assert texts[2000] == "1 random start; at most 2000 iterations, stopping at a relative decrease of 0.5"


def test_how_a_column_was_fitted_names_all_that_concerns_its_method() -> None:
    """A printed and a fast column had one line, and methods without random starts had none."""
    printed = FitRecord(restarts=1, max_iter=10, tol=0, order="UV", dtype="float64", solver="printed")
    assert fit_text(printed) == "1 random start; 10 iterations (tol 0: no early stop)"
    assert fit_text(replace(printed, solver="fast")) == f"fast solver; {fit_text(printed)}"
    glram = FitRecord(max_iter=3, tol=0, order="VU", dtype="float32")
    assert fit_text(glram) == "3 iterations (tol 0: no early stop); order VU; float32"
    assert fit_text(FitRecord(dtype="float32")) == "float32"
    assert fit_text(FitRecord(dtype="float64")) == ""


def test_all_that_may_have_made_rows_is_named(tmp_path: Path) -> None:
    first = {"nmfrepro": "0.1.0", "commit": "aaa", "processor": "one"}
    last = {"nmfrepro": "0.1.0", "commit": "bbb", "processor": "other"}
    extra = {"environment": last, "earlier_environments": [first]}
    results = write_results(tmp_path / "r", lambda label, at: 0.5, **extra)
    assert "nmfrepro 0.1.0 (bbb, aaa), run r; other, one." in make_table(results).notes


def test_notes_say_what_is_drawn_and_how_long_cores_compare_with_vectors(tmp_path: Path) -> None:
    results = write_results(tmp_path / "r", lambda label, at: {"accuracy": 0.1 * at["draw"]})
    assert any("random draws of classes;" in note for note in make_table(results).notes)
    spec = replace(results.run.spec, protocol={"images": [2, 3], "square": True})
    notes = make_table(replace(results, run=replace(results.run, kind="convergence", spec=spec))).notes
    assert any("random draws of images;" in note for note in notes)
    assert "Vector methods have k² basis vectors where image methods have cores of k x k." in notes


def test_a_note_says_where_draws_are_of_the_same_classes(tmp_path: Path) -> None:
    made = write_results(tmp_path / "r", steady)
    classes = {(2, 0): "3; 7", (2, 1): "1; 7", (2, 2): "3; 7", (40, 0): "all"}
    trials = tuple(
        replace(trial, classes=classes.get((trial.coordinates["k"], trial.coordinates["draw"]), "1; 2; 3; 4"))
        for trial in made.trials
    )
    said = [note for note in make_table(replace(made, trials=trials)).notes if "Different draws" in note]
    (note,) = said
    assert note.startswith("Different draws of classes: 2 of 3 at k = 2, 1 of 3 at k = 4; ")
    assert not any("Different draws" in note for note in make_table(made).notes)
    # Draws of some images of the same classes are other draws.
    some = replace(
        made.run,
        kind="readings",
        spec=replace(made.run.spec, protocol={"clusters": [2, 4, 40], "images": 5}),
    )
    found = make_table(replace(made, run=some, trials=trials)).notes
    assert not any("Different draws" in note for note in found)


def test_notes_of_trials_are_counted_and_iterations_told(tmp_path: Path) -> None:
    changes = [
        {"notes": "1 of 2 clusters are used"},
        {"notes": "stopped at 1e-06"},
        {"notes": "3 of 4 clusters are used; stopped", "n_iter": "20"},
        {"notes": "stopped at 0.5"},
    ]
    notes = make_table(write_results(tmp_path / "r", steady, rows=changes)).notes
    assert "NMF, 2 trials at k = 2: 1 to 3 of 2 to 4 clusters are used." in notes
    assert "NLCF, 2 trials at k = 2: stopped at 1e-06 to 0.5." in notes
    assert "NMF, 1 trial at k = 2: stopped." in notes
    assert "Iterations used: NMF 20–300, converged in 0 of 7 trials." in notes


def test_nan_is_not_averaged(tmp_path: Path) -> None:
    def scores(label: str, at: dict[str, int]) -> float:
        return 0.5 if at["draw"] else math.nan

    results = write_results(tmp_path / "r", scores, metrics=["sparseness"])
    assert (cell(make_table(results), "2", "NMF").n, cell(make_table(results), "2", "NMF").mean) == (2, 50)


def test_no_average_of_rows_none_of_which_is_finished(tmp_path: Path) -> None:
    def scores(label: str, at: dict[str, int]) -> float | str | None:
        if label == "NMF":
            return 0.6 if at["draw"] == 0 else None
        return 0.5 if at["draw"] == 0 else "collapsed"

    cells = [{"k": k, "draw": draw} for k in (2, 4) for draw in range(2)]
    table = make_table(write_results(tmp_path / "r", scores, cells=cells))
    assert [cell(table, "Avg", label).mean for label in ("NMF", "NLCF")] == [None, None]
    assert re.search(r"\| Avg +\| +– \| +– \|", tabletext.markdown(table))
    assert "Avg: mean of the 2 rows' means; – where no row has all its repeats." in table.notes


def test_an_average_leaves_unfinished_rows_out(tmp_path: Path) -> None:
    def scores(label: str, at: dict[str, int]) -> float | None:
        return None if at == {"k": 4, "draw": 1} else 0.6 if at["k"] == 2 else 0.9

    cells = [{"k": k, "draw": draw} for k in (2, 4) for draw in range(2)]
    table = make_table(write_results(tmp_path / "r", scores, cells=cells))
    average = cell(table, "Avg", "NMF")
    assert "Avg: mean over the rows with all their repeats." in table.notes
    assert (average.mean, average.n, average.planned) == (60, 1, 2)


@pytest.mark.parametrize(
    ("kind", "protocol", "sizes", "all_of_them"),
    [
        ("clustering", {"labelled": 10}, [10, 10], True),
        ("clustering", {"labelled": "100%"}, [10, 12], True),
        ("clustering", {"labelled": 10}, [10, 12], False),
        ("clustering", {"labelled": "10%"}, [10, 10], False),
        ("clustering", {"labelled": 10}, [], False),  # of versions that did not write sizes down
        ("clustering", {}, [10, 10], False),
        ("readings", {"labelled": 4, "images": 4}, [10, 12], True),
    ],
)
def test_that_only_labelled_samples_are_scored_is_told(
    tmp_path: Path,
    kind: str,
    protocol: dict[str, Any],
    sizes: list[int],
    all_of_them: bool,
) -> None:
    run = write_results(
        tmp_path / "r", steady, kind=kind, spec={"protocol": {"clusters": [2, 4, 40], **protocol}}
    )
    dataset = replace(run.run.dataset, class_sizes=tuple(sizes))
    table = make_table(replace(run, run=replace(run.run, dataset=dataset)), extent="short")
    assert (
        any(note.startswith("All samples that are scored are labelled") for note in table.notes)
        == all_of_them
    )


def test_no_average_stands_beside_one_over_other_rows(tmp_path: Path) -> None:
    """NLCF is behind wherever both are, and lacks the row that is worst for all."""

    def scores(label: str, at: dict[str, int]) -> float | None:
        if label == "NLCF":
            return {2: 0.8, 4: None, 8: 0.5}[at["k"]]
        return {2: 0.9, 4: 0.2, 8: 0.6}[at["k"]]

    cells = [{"k": k, "draw": draw} for k in (2, 4, 8) for draw in range(2)]
    table = make_table(write_results(tmp_path / "r", scores, cells=cells))
    assert (cell(table, "Avg", "NLCF").mean, cell(table, "Avg", "NLCF").n) == (None, 2)
    assert cell(table, "Avg", "NMF").mean == pytest.approx(170 / 3)
    assert re.search(r"\| Avg +\| +56\.7 \| +– \(2 of 3 rows complete\) \|", tabletext.markdown(table))
    assert "Avg: mean of the 3 rows' means; – where a column lacks a row that another has." in table.notes


def test_a_smoke_run_is_called_one_first_of_all(tmp_path: Path) -> None:
    notes = make_table(write_results(tmp_path / "orl-smoke", steady)).notes
    assert notes[0] == "This is a smoke run: everything is shrunk, and its numbers reproduce nothing."
    assert "smoke" not in " ".join(make_table(write_results(tmp_path / "orl", steady)).notes)


def test_notes_count_what_was_chosen(tmp_path: Path) -> None:
    values = ["0.1", "1", "0.1", "10", "1", "1", "0.1"]
    rows = [
        {"notes": f"on other draws chose lam = {values[i // 2]}, mu = 2; 1 of 2 clusters are used"}
        if i % 2
        else {}
        for i in range(14)
    ]
    notes = make_table(write_results(tmp_path / "r", lambda label, at: 0.5, rows=rows)).notes
    assert "NLCF, chosen trial by trial: lam: 0.1 in 3, 1 in 3, 10 in 1." in notes
    assert "NLCF, chosen trial by trial: mu: 2 in 7." in notes
    assert "NLCF, 7 trials: 1 of 2 clusters are used." in notes


def test_a_fits_own_words_are_no_choice(tmp_path: Path) -> None:
    rows = [{"notes": "the solver chose step = 2 of 3; on other draws chose nothing"}]
    notes = make_table(write_results(tmp_path / "r", steady, rows=rows)).notes
    assert "NMF, 1 trial at k = 2: the solver chose step = 2 of 3." in notes
    assert "NMF, 1 trial at k = 2: on other draws chose nothing." in notes
    assert not any("chosen trial by trial" in note for note in notes)


@pytest.mark.parametrize("text", ["item {} lost", "{}", "a {}{} b", "{}. of {}"])
def test_a_note_holds_whatever_others_have_in_the_place_of_a_number(tmp_path: Path, text: str) -> None:
    given = ("5", "#", "{}", "7", "1e3", "x")
    rows = [{"notes": text.format(each, each)} for each in given]
    notes = make_table(write_results(tmp_path / "r", steady, rows=rows)).notes
    told = [note for note in notes if note.startswith(("NMF, ", "NLCF, "))]
    assert all(any(each in note for note in told) for each in given)
