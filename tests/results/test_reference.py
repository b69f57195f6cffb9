"""The trials of the reference study that travel with the package."""

from __future__ import annotations

import csv
import json
import os
import shutil
import tarfile
from pathlib import Path

import pytest
from commandline import invoke

import nmfrepro
from nmfrepro.analysis.tables import make_table
from nmfrepro.core.errors import DataError, ResultsError
from nmfrepro.results import reference
from nmfrepro.results.folder import read, read_run
from nmfrepro.results.marks import MARK, state
from nmfrepro.runs import prepare
from nmfrepro.runs.recorded import recorded_spec
from nmfrepro.spec.files import experiments
from nmfrepro.spec.reader import read_spec
from nmfrepro.views import document
from nmfrepro.views import tables as tabletext
from nmfrepro.views.comparison import of_published, of_runs

STUDY = Path(__file__).parents[2] / "results" / "reference"
FOLDERS = sorted(path.parent.relative_to(STUDY).as_posix() for path in STUDY.rglob("run.json"))


def test_the_archives_hold_what_lies_in_results_reference() -> None:
    folders = {path.parent.relative_to(STUDY).as_posix(): path.parent for path in STUDY.rglob("run.json")}
    assert reference.names() == sorted(folders, key=lambda name: (name.count("/"), name))
    for name, folder in folders.items():
        with tarfile.open(reference.archive(name)) as files:
            assert files.getnames() == list(reference.FILES)
            for part in reference.FILES:
                content = files.extractfile(part)
                assert content is not None
                assert content.read() == (folder / part).read_bytes(), f"{name}/{part}: run `make stored`"


def test_an_archive_has_the_same_bytes_whenever_and_by_whom_it_is_made(tmp_path: Path) -> None:
    copy = tmp_path / "copy"
    copy.mkdir(mode=0o700)
    for part in reference.FILES:
        shutil.copyfile(STUDY / "orl_nlcf_basis" / part, copy / part)
        os.utime(copy / part, (0, 0))
    assert reference.pack(copy) == reference.pack(STUDY / "orl_nlcf_basis")


@pytest.mark.parametrize("name", [path.parent.name for path in sorted(STUDY.glob("*/run.json"))])
def test_trials_that_are_stored_have_the_keys_that_they_would_have_today(name: str) -> None:
    """By run.json and by the experiment's file: a change of what goes into keys would orphan them all.

    With a new revision, run the study again.
    """
    if "NMFREPRO_DATA" not in os.environ:
        pytest.skip("set NMFREPRO_DATA to the folder of the datasets")
    run = read_run(STUDY / name)
    written = read_spec(experiments()[run.spec.name], run.overrides)
    try:
        found = [prepare(spec) for spec in (recorded_spec(run, STUDY / name), written)]
    except DataError as error:
        pytest.skip(str(error))
    for each in found:
        if each.dataset.sha256 != run.dataset.sha256:
            pytest.skip(f"another {run.dataset.name} than that of the study")
        assert {trial.key for trial in each.plan} == set(run.trials)


@pytest.mark.parametrize("folder", FOLDERS)
def test_the_tables_beside_stored_rows_are_those_of_today(folder: str) -> None:
    """A change of a table's words or numbers shows in the study, or it is none; make them anew with it."""
    results = read(STUDY / folder)
    table = make_table(results)
    made = {"table.md": tabletext.markdown(table), "table.csv": tabletext.tidy_csv(table)}
    if (STUDY / folder / "compare.md").exists():
        comparison = document.markdown(of_published(results, None, "test"))
        made["compare.md"] = f"{comparison}\n<!-- {MARK} {state(results)} -->"
    for file, text in made.items():
        assert (STUDY / folder / file).read_text(encoding="utf-8").strip() == text.strip(), file


@pytest.mark.parametrize(
    "folder", sorted(path.parent.relative_to(STUDY) for path in STUDY.rglob("compare-run.md"))
)
def test_comparisons_of_two_stored_runs_are_those_of_today(folder: Path) -> None:
    """Each begins with the two folders that it compares."""
    title, _, written = (STUDY / folder / "compare-run.md").read_text(encoding="utf-8").partition("\n")
    first, second = (read(STUDY.parents[1] / name) for name in title.removeprefix("# ").split(" and "))
    printed = document.markdown(of_runs(first, second), escaped=False)
    assert printed.partition("\n")[2].strip() == written.strip()


def test_what_run_json_says_outside_its_spec_is_as_earlier_versions_wrote_it() -> None:
    for folder in FOLDERS:
        written = json.loads((STUDY / folder / "run.json").read_text(encoding="utf-8"))
        again = read_run(STUDY / folder).to_json()
        assert list(again)[:9] == list(written)[:9]
        assert all(again[name] == written[name] for name in written if name not in ("digest", "spec")), folder


def test_as_a_data_frame_they_are_the_rows_of_trials_csv() -> None:
    frame = nmfrepro.reference("orl_nlcf")
    with (STUDY / "orl_nlcf" / "trials.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert list(frame.columns) == list(rows[0])
    assert frame["key"].tolist() == [row["key"] for row in rows]
    assert frame["accuracy"].tolist() == [float(row["accuracy"]) for row in rows]
    assert frame.attrs["sha256"].startswith("099047cbafe6")
    with pytest.raises(ResultsError, match="no trials of 'orl_nlfc' are stored; did you mean orl_nlcf"):
        nmfrepro.reference("orl_nlfc")


def test_they_are_listed_with_what_made_them(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "100")
    said = invoke("reference", "list").output
    (line,) = [line for line in said.splitlines() if line.startswith("orl_nlcf ")]
    for fact in (" orl ", "clustering", " 2050 ", " 5 ", "0.1.0 ("):
        assert fact in line
    assert len(said.splitlines()) >= len(reference.names())
