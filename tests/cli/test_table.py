"""`nmfrepro table` as a user runs it."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path
from typing import Any

import pytest
from commandline import invoke, nmfrepro
from handmade import write_results

from nmfrepro.analysis.tables import Table, make_table
from nmfrepro.results.folder import Results


def score(label: str, at: dict[str, int]) -> float:
    return 0.5 + 0.1 * at["draw"] + (0.1 if label == "NLCF" else 0)


def test_prints_and_writes_every_run_of_a_root(tmp_path: Path) -> None:
    for name in ("one", "two"):
        write_results(tmp_path / name, score)
    outcome = invoke("table", tmp_path)
    assert outcome.exit_code == 0
    assert outcome.output.count("# A table") == 2
    for name in ("one", "two"):
        written = (tmp_path / name / "table.md").read_text(encoding="utf-8")
        assert written in outcome.output
        assert (tmp_path / name / "table.csv").read_text(encoding="utf-8").startswith('"k","metric"')


def test_prints_a_run_before_it_makes_the_next(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("one", "two"):
        write_results(tmp_path / name, score)

    def ends(results: Results, *arguments: Any, **options: Any) -> Table:
        if results.folder.name == "two":
            raise KeyboardInterrupt
        return make_table(results, *arguments, **options)

    monkeypatch.setattr("nmfrepro.cli.table.make_table", ends)
    assert "# A table" in invoke("table", tmp_path).stdout
    assert (tmp_path / "one" / "table.md").exists()


def test_that_nothing_is_chosen_is_told_where_it_was_asked_for(tmp_path: Path) -> None:
    for name in ("one", "two"):
        write_results(tmp_path / name, score)
    one, two = (str(tmp_path / name) for name in ("one", "two"))
    for verb in (["table", one], ["table", "--beside", one, two], ["stats", one], ["compare", one, two]):
        asked = invoke(*verb, "--select", "validation")
        assert f"{one}: nothing is chosen there, so that --select changes nothing" in asked.stderr
        assert invoke(*verb).stderr == ""


def test_formats_metrics_and_digits(tmp_path: Path) -> None:
    both = {"accuracy": 0.5, "purity": 0.75}
    folder = tmp_path / "one"
    write_results(folder, lambda label, at: both, metrics=["accuracy", "purity"])
    outcome = invoke("table", folder, "-f", "latex", "-m", "purity", "--digits", "2")
    assert "Purity" in outcome.output
    assert "Accuracy" not in outcome.output
    assert r"75.00$\pm$0.00" in outcome.output
    assert (folder / "table.tex").read_text(encoding="utf-8") in outcome.output
    outcome = invoke("table", folder, "--format", "csv")
    assert outcome.output.startswith('"k","metric","unit","label"')


def test_the_files_hold_the_whole_table_whatever_is_printed(tmp_path: Path) -> None:
    def scores(label: str, at: dict[str, int]) -> dict[str, float]:
        better = at["k"] == 9  # on the test samples; the other one on those for validation
        return {"nn": 0.5 + 0.1 * better, "nn_validation": 0.5 - 0.1 * better, "svm": 0.7}

    folder = write_results(
        tmp_path / "one",
        scores,
        kind="recognition",
        metrics=["nn", "nn_validation", "svm"],
        cells=[{"train": 2, "split": split, "k": k} for split in range(2) for k in (4, 9)],
    ).folder
    table, files = ["table", str(folder), "-f", "md"], [folder / "table.md", folder / "table.csv"]
    printed = invoke(*table).output
    whole = [path.read_bytes() for path in files]
    options = [
        "-m nn",
        "-m nn --select validation",
        "--transpose",
        "--digits 0",
        "--notes none",
        "--mark NMF",
    ]
    for asked in options:
        assert invoke(*table, *asked.split()).output not in (printed, "")
        assert [path.read_bytes() for path in files] == whole, asked


def test_latex_for_a_paper(tmp_path: Path) -> None:
    folder = write_results(tmp_path / "one", score).folder
    latex = ["table", str(folder), "-f", "latex"]
    text = invoke(*latex, "--notes", "none", "--label", "tab:a_b", "--caption", "50 %").output
    assert "\\caption{50 \\%}\n\\label{tab:a_b}\n" in text
    assert "minipage" not in text
    assert "Data: " in (folder / "table.md").read_text("utf-8")  # which stays what a reader can rely on
    short = invoke(*latex, "--notes", "short", "--transpose").output
    assert "{method / k} & {2} & {4} & {40} & {Avg}" in short
    assert "best of the column" in short
    assert "Data: " in short
    assert "Accuracy: share" not in short
    for arguments, remedy in (
        (["--label", "x"], "give --format latex too"),
        (["-f", "latex", "--label", "a}b"], "make a label"),
    ):
        refused = invoke("table", folder, *arguments)
        assert refused.exit_code == 2
        assert remedy in refused.output


def test_short_notes_are_for_a_paper(tmp_path: Path) -> None:
    """How methods were fitted and other data than the name says; not how the run was called, and on what."""
    fit = {"restarts": 10, "max_iter": 500, "tol": 0}
    columns = [
        {"label": label, "algorithm": label.lower(), "parameters": given, "fit": fit}
        for label, given in (("NMF", {"normalize": "none"}), ("NLCF", {"mu": 0.1}))
    ]
    other = ("not what the name orl promises: 3 images (400 expected)", "orl.mat is not the copy known to us")
    notes = ["default source: crop, since nothing was found; get it with `nmfrepro data fetch orl`", *other]
    run = write_results(tmp_path / "one", score, columns=[("NMF", "nmf"), ("NLCF", "nlcf")])
    content = json.loads((run.folder / "run.json").read_text("utf-8"))
    content["overrides"] = ["seed=2"]
    content["spec"]["algorithms"] = columns
    content["environment"]["processor"] = "A Processor"
    content["dataset"]["notes"] = notes
    (run.folder / "run.json").write_text(json.dumps(content), encoding="utf-8")
    full, short = (invoke("table", run.folder, "--notes", extent).output for extent in ("full", "short"))
    for part, in_short in (
        ("Parameters: NMF: normalize = none; NLCF: mu = 0.1.", True),
        ("Fit (NMF, NLCF): 10 random starts, the lowest objective kept; 500 iterations (tol 0", True),
        ("Seed 1; ", True),
        *((part, True) for part in other),
        ("Replaced on the command line: seed=2.", False),
        ("nmfrepro data fetch", False),
        ("A Processor", False),
    ):
        assert part in full
        assert (part in short) == in_short


def test_short_notes_say_what_labels_were_used_for(tmp_path: Path) -> None:
    folder = Path(__file__).parents[2] / "results" / "reference" / "field_digits"
    copy = shutil.copytree(folder, tmp_path / "field", ignore=shutil.ignore_patterns("figures"))
    short = invoke("table", copy, "-f", "latex", "--notes", "short").output
    assert "Chosen for every draw by mean Accuracy" in short
    assert "whose labels are used" in short
    assert "largest entry" in short
    assert "chosen trial by trial" not in short


def test_cells_are_marked_by_wilcoxon_and_holm(tmp_path: Path) -> None:
    """p-values of Wilcoxon's test for 8 draws, all in favour: 2/256; Holm's for two methods doubles one."""
    cells = [{"k": k, "draw": draw} for k in (2, 4) for draw in range(8)]
    above = {"far": 0.2, "mixed": 0.0, "control": 0.0}

    def scores(label: str, at: dict[str, int]) -> float:
        moved = (0.01 if at["draw"] % 2 else -0.02) * (label == "mixed")
        return 0.3 + 0.01 * at["draw"] + moved + (above[label] if at["k"] == 2 else -above[label])

    columns = [(label, label) for label in above]
    folder = write_results(tmp_path / "one", scores, columns=columns, cells=cells).folder
    outcome = invoke("table", folder, "--mark", "control")
    lines = [line for line in outcome.output.splitlines() if line.startswith(("| 2 ", "| 4 "))]
    assert ["↑" in lines[0], "↓" in lines[0], "↑" in lines[1], "↓" in lines[1]] == [True, False, False, True]
    assert all("↑" not in line.split("|")[3] + line.split("|")[4] for line in lines)
    assert "↑ better, ↓ worse than control" in outcome.output
    for form, said in (("csv", "CSV has no marks; --mark shows in markdown and LaTeX\n"), ("md", "")):
        assert invoke("table", folder, "--mark", "control", "-f", form).stderr == said
    refused = invoke("table", folder, "--mark", "contrl")
    assert "did you mean control?" in str(refused.exception)


def test_what_is_printed_has_no_escapes_and_the_file_has(tmp_path: Path) -> None:
    name = r"**A** | <b> `x` [1] \ y"
    folder = write_results(tmp_path / "one", score, columns=[(name, "nmf"), ("_B", "nlcf")]).folder
    plain = invoke("table", folder).output
    assert f"| {name} | " in plain
    assert len({len(line) for line in plain.splitlines() if line.startswith("|")}) == 1
    assert invoke("table", folder, "-f", "md").output == (folder / "table.md").read_text("utf-8")
    assert r"\*\*A\*\* \| \<b> \`x\` \[1] \\ y" in (folder / "table.md").read_text("utf-8")


def test_bad_input_is_one_line_and_leaves_files_alone(tmp_path: Path) -> None:
    write_results(tmp_path / "one", score)
    invoke("table", tmp_path)
    before = (tmp_path / "one" / "table.md").read_bytes()
    for arguments, said in (
        ((tmp_path, "-m", "acuracy"), "did you mean accuracy?"),
        ((tmp_path / "none",), "holds no results"),
    ):
        outcome = invoke("table", *arguments)
        assert (outcome.exit_code, said in str(outcome.exception)) == (2, True)
        assert "\n" not in str(outcome.exception)
    assert (tmp_path / "one" / "table.md").read_bytes() == before


@pytest.mark.parametrize("options", [[], ["--beside"], ["--format", "csv"]])
def test_of_several_runs_those_without_a_table_are_told_and_the_rest_is_printed(
    tmp_path: Path, options: list[str]
) -> None:
    kept = [write_results(tmp_path / name, score, dataset=name).folder for name in ("mnist", "orl")]
    whole = invoke("table", tmp_path, *options)
    assert whole.exit_code == 0
    empty = write_results(tmp_path / "empty", lambda label, at: None).folder
    broken = write_results(tmp_path / "new", score).folder
    (broken / "run.json").write_text("{")
    outcome = invoke("table", tmp_path, *options)
    assert outcome.exit_code == 1
    assert outcome.stdout == whole.stdout
    first, second = outcome.stderr.splitlines()
    assert first == f"Left out: {empty}: no trial has finished yet; run the spec first"
    assert second.startswith(f"Left out: {broken / 'run.json'}: damaged")
    assert [(folder / "table.md").exists() for folder in (*kept, empty)] == [options != ["--beside"]] * 2 + [
        False
    ]
    for none in ([empty], [empty, broken]):
        outcome = invoke("table", *none, *options)
        assert outcome.exit_code == 2
        assert str(outcome.exception).startswith(f"{empty}: no trial")


def test_too_few_repeats_to_mark_are_told(tmp_path: Path) -> None:
    """With three draws p is 2/2³ at least; with six 2/2⁶, under 0.05 for one method and 0.06 for two."""
    for draws, columns, told in (
        (3, ("control", "better"), "No row has repeats enough for any mark."),
        (6, ("control", "better"), None),
        (6, ("control", "better", "other"), "No row has repeats enough for any mark."),
    ):
        cells = [{"k": 2, "draw": draw} for draw in range(draws)]
        folder = tmp_path / f"{draws}-{len(columns)}"
        write_results(
            folder,
            lambda label, at: 0.1 * len(label) + 0.01 * at["draw"],
            columns=[(name, name) for name in columns],
            cells=cells,
        )
        said = invoke("table", folder, "--mark", "control").output
        assert ("repeats enough" in said) == (told is not None)
        assert told is None or told in said
        bare = invoke("table", folder, "--mark", "control", "--notes", "none")
        assert bare.stderr == ("" if told is None else f"{folder}: {told}\n")
        assert "repeats enough" not in bare.stdout


@pytest.mark.skipif(os.name != "posix", reason="needs directory permissions")
def test_c36_any_locale_and_a_folder_that_cannot_be_written(tmp_path: Path) -> None:
    folder = tmp_path / "one"
    write_results(folder, score)
    (folder / "table.md").mkdir()  # cannot be replaced by a file, even by root
    done = nmfrepro("table", folder, PYTHONIOENCODING="ascii", LC_ALL="C", PYTHONUTF8="0")
    assert done.returncode == 0
    assert "60.0±10.0" in done.stdout
    assert done.stderr.startswith("Not kept: ")
    assert not [each for each in folder.iterdir() if each.name.startswith(".table")]
