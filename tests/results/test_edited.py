"""Rows that were edited by hand: refused by file and line, never numbers of a table."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tiny import COLUMNS, edit, make_spec, run_quietly, unseal

from nmfrepro.core.errors import ResultsError
from nmfrepro.protocols.runtime import Runtime
from nmfrepro.results import folder as store
from nmfrepro.results.record import LATER
from nmfrepro.results.store import Store

pytestmark = pytest.mark.usefixtures("in_process")


@pytest.fixture
def made(tmp_path: Path) -> Path:
    """Results of two methods in three cells."""
    again(tmp_path / "tiny")
    return unseal(tmp_path / "tiny")


def again(folder: Path, **options: Any) -> None:
    """Run the spec of `made`, once more if it has been."""
    spec = make_spec(folder.parent, COLUMNS, metrics=("accuracy", "nmi"))
    run_quietly(spec, folder.parent, **options)


def refused(use: Callable[[], object]) -> str:
    """The one line with which something is refused."""
    with pytest.raises(ResultsError) as caught:
        use()
    assert "\n" not in str(caught.value)
    return str(caught.value)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("accuracy", ""),
        ("ari", "-0.51"),
        ("objective", "abc"),
        ("restart", "0.5"),
        ("fit_seed", "9.22337203685478e+18"),  # as a spreadsheet saves it
    ],
)
def test_what_no_run_writes_is_refused_by_line(made: Path, name: str, value: str) -> None:
    edit(made, lambda rows: rows[2].update({name: value}))
    for use in (lambda: store.read(made), lambda: again(made)):
        said = refused(use)
        assert said.startswith(f"{made / 'trials.csv'}:4: {name} is ")
        assert said.endswith("remove that line, its trial will be run again")


@pytest.mark.parametrize(
    ("name", "value"), [("accuracy", "1"), ("ari", "-0.5"), ("nmi", "1.0000000000000002")]
)
def test_the_ends_of_the_ranges_are_in_them(made: Path, name: str, value: str) -> None:
    edit(made, lambda rows: rows[2].update({name: value}))
    assert store.read(made).frame[name][2] == float(value)


def test_a_failed_row_has_no_numbers(made: Path) -> None:
    edit(made, lambda rows: rows[2].update(status="failed", error="why", accuracy="", nmi="", objective=""))
    assert np.isnan(store.read(made).frame["accuracy"][2])


@pytest.mark.parametrize(
    ("name", "value", "true"),
    [("draw", "1", "0"), ("seed", "2", "1"), ("algorithm", "nlcf", "nmf")],
)
def test_a_row_that_contradicts_its_key_is_refused(made: Path, name: str, value: str, true: str) -> None:
    edit(made, lambda rows: rows[0].update({name: value}))
    for use in (lambda: store.read(made), lambda: again(made)):
        assert f"trials.csv:2: {name} is {value}, but by run.json its key is of {true}" in refused(use)


def test_a_row_belongs_to_the_column_of_its_key_whatever_it_is_called(made: Path) -> None:
    before = (made / "trials.csv").read_bytes()
    edit(made, lambda rows: rows[0].update(label="NLCF"))
    assert store.read(made).trials[0].label == "NMF"
    again(made)
    assert (made / "trials.csv").read_bytes() == before


@pytest.mark.parametrize("name", LATER)
def test_rows_of_a_version_that_did_not_have_a_column_are_kept(made: Path, name: str) -> None:
    edit(made, lambda rows: [row.pop(name) for row in rows])
    run = json.loads((made / "run.json").read_text())
    (made / "run.json").write_text(
        json.dumps(run | {"rows": {}})
    )  # as rows of that version: no digest of them
    kept = store.read(made).trials
    again(made)  # would fill the column, had it run them again
    assert store.read(made).trials == kept


def rename(path: Path, old: str, new: str | None) -> None:
    """Rename a column in the header alone, or take its name out of it."""
    header, _, lines = path.read_text(encoding="utf-8").partition("\n")
    names = [new if name == old else name for name in header.split(",")]
    path.write_text(",".join(name for name in names if name is not None) + "\n" + lines, encoding="utf-8")


@pytest.mark.parametrize(
    ("name", "how"),
    [
        ("accuracy", "deleted"),
        ("purity", "out of the header"),
        ("classes", "misspelt"),
        ("objective", "deleted"),
        ("n_iter", "misspelt"),
    ],
)
def test_a_lost_column_is_named_and_costs_no_line(made: Path, name: str, how: str) -> None:
    again(made, fresh=True)
    path = made / "trials.csv"
    before = path.read_bytes()
    if how == "deleted":
        edit(made, lambda rows: rows[0].pop(name))
    else:
        rename(path, name, None if how == "out of the header" else f"{name}k")
    broken = path.read_bytes()
    unknown = f" ({name}k is unknown)" if how == "misspelt" else ""
    expected = (
        f"{path}:1: column {name} is missing{unknown}; restore it and keep the lines, or run with fresh"
    )
    for use in (lambda: store.read(made), lambda: again(made)):
        assert refused(use) == expected
    assert path.read_bytes() == broken
    again(made, fresh=True)
    assert path.read_bytes() == before


@pytest.mark.parametrize("name", ["accuracy", "objective"])
def test_a_deleted_column_is_missed_where_no_digest_tells(made: Path, name: str) -> None:
    edit(made, lambda rows: rows[0].pop(name))
    assert f"trials.csv:1: column {name} is missing" in refused(lambda: again(made))
    if name != "objective":  # no table shows it
        assert f"trials.csv:1: column {name} is missing" in refused(lambda: store.read(made))


@pytest.mark.parametrize(("name", "new"), [("fit", None), ("fit", "phit"), ("key", None)])
def test_a_lost_column_of_times_costs_no_line(made: Path, name: str, new: str | None) -> None:
    again(made, fresh=True)
    rename(made / "timings.csv", name, new)
    for use in (lambda: store.read(made), lambda: again(made)):
        said = refused(use)
        assert said.startswith(f"{made / 'timings.csv'}:1: ")
        assert "remove" not in said
        assert said.endswith("run with fresh")


def test_other_metrics_of_other_settings_are_no_deleted_column(made: Path) -> None:
    """A folder may hold rows of a protocol that has other columns."""
    timed = replace(make_spec(made.parent, metrics=("seconds",)), protocol=Runtime(classes=(2,)))
    run_quietly(timed, made.parent)
    assert store.read(made).others == 6
    again(made)
    assert len(store.read(made).frame) == 6


def test_two_results_of_one_trial_that_differ_are_refused_by_their_lines(made: Path) -> None:
    def double(rows: list[dict[str, str]], **changes: str) -> None:
        rows.append(rows[1] | changes)

    edit(made, lambda rows: double(rows, version="0.0.1"))
    assert len(store.read(made).frame) == 6  # which version computed it is no number
    edit(made, lambda rows: double(rows, accuracy="0.125"))
    for use in (lambda: store.read(made), lambda: again(made)):
        said = refused(use)
        assert "trials.csv: lines 3 and 9 are results of one trial" in said
        assert "and 0.125; remove the wrong line" in said


def test_a_trial_that_is_run_again_for_its_arrays_is_one_row_at_once(made: Path) -> None:
    """A run that is killed then must not leave two results that differ in their last digits."""
    with Store(made) as opened:
        key = opened.run.trials[0]
        opened.release([key])
        opened.add(replace(opened.rows[key], objective=1.5))
        assert store.read(made).trials[0].objective == 1.5


@pytest.mark.parametrize("value", ["-3", "1e999"])
def test_times_that_are_none_are_refused(made: Path, value: str) -> None:
    edit(made, lambda rows: rows[1].update(fit=value), "timings.csv")
    for use in (lambda: store.read(made), lambda: again(made)):
        assert "timings.csv:3: fit is no number" in refused(use)


def test_a_timed_trial_without_its_time_is_refused(tmp_path: Path) -> None:
    timed = Runtime(classes=(2,), repeats=2)
    spec = replace(make_spec(tmp_path, metrics=("seconds",)), protocol=timed)
    folder = run_quietly(spec, tmp_path).folder
    assert (store.read(folder).frame["seconds"] > 0).all()
    edit(folder, lambda rows: rows.pop(1), "timings.csv")
    assert "trials.csv:3: timings.csv has no time of its fit" in refused(lambda: store.read(folder))


def swap(rows: list[dict[str, str]]) -> None:
    """Exchange the results of two trials."""
    rows[0]["objective"], rows[1]["objective"] = rows[1]["objective"], rows[0]["objective"]


@pytest.mark.parametrize(
    "change",
    [
        lambda rows: rows[2].update(accuracy="0.5"),
        lambda rows: rows[2].update(parameters="{}"),
        swap,
    ],
)
def test_a_row_that_is_not_as_it_was_written_is_refused(
    made: Path, change: Callable[[list[dict[str, str]]], object]
) -> None:
    again(made, fresh=True)
    before = (made / "trials.csv").read_bytes()
    edit(made, change)
    for use in (lambda: store.read(made), lambda: again(made)):
        assert "not as it was written, by its digest in run.json" in refused(use)
    again(made, fresh=True)
    assert (made / "trials.csv").read_bytes() == before


def test_times_that_are_not_as_they_were_written_are_refused(made: Path) -> None:
    again(made, fresh=True)
    edit(made, lambda rows: rows[2].update(fit="1"), "timings.csv")
    for use in (lambda: store.read(made), lambda: again(made)):
        said = refused(use)
        assert said.startswith(
            f"{made / 'timings.csv'}:4: times are not as they were written, by their digest"
        )
    for name in ("timings.csv", "trials.csv"):  # what the error says
        edit(made, lambda rows: rows.pop(2), name)
    again(made)
    assert len(store.read(made).present) == 6


def test_that_rows_were_digested_cannot_be_left_out(made: Path) -> None:
    again(made, fresh=True)
    run = json.loads((made / "run.json").read_text(encoding="utf-8"))
    for lost in (["digest"], ["rows"], ["rows", "digest"]):
        kept = {name: value for name, value in run.items() if name not in lost}
        (made / "run.json").write_text(json.dumps(kept), encoding="utf-8")
        assert "run.json: not as it was written" in refused(lambda: store.read(made))


def test_a_folder_of_the_first_versions_is_read_and_gets_digests(made: Path) -> None:
    edit(made, lambda rows: [row.update(digest="0123456789abcdef") for row in rows], "timings.csv")
    assert len(store.read(made).present) == 6
    again(made)
    assert store.read_run(made).schema == store.SCHEMA
    assert len(store.read_run(made).rows) == 6


def test_a_run_json_that_is_not_as_it_was_written_is_refused_and_set_right(made: Path) -> None:
    again(made, fresh=True)
    before = (made / "run.json").read_bytes()
    (made / "run.json").write_bytes(before.replace(b'"max_iter": ', b'"max_iter": 1'))
    assert "run.json: not as it was written; run the spec again" in refused(lambda: store.read(made))
    again(made)
    then, now = json.loads(before), json.loads((made / "run.json").read_bytes())
    assert now == then | {"unknown": then["trials"], "digest": now["digest"]}


def test_the_time_of_an_attempt_whose_row_was_lost_is_no_reason_to_refuse(made: Path) -> None:
    """Killed after the line of times and before the row of a second attempt."""
    again(made, fresh=True)
    with open(made / "timings.csv", "a", encoding="utf-8") as file:
        first = (made / "timings.csv").read_text(encoding="utf-8").splitlines()[1]
        file.write(first.replace(",vm", ",elsewhere").replace(",host", ",elsewhere") + "\n")
    assert len(store.read(made).frame) == 6
    again(made)
    assert len(store.read(made).frame) == 6


@pytest.mark.parametrize("name", ["trials.csv", "timings.csv", "run.json", ".lock"])
def test_a_pipe_in_place_of_the_rows_is_refused(made: Path, name: str) -> None:
    (made / name).unlink(missing_ok=True)
    os.mkfifo(made / name)
    for use in [lambda: again(made)] + ([] if name == ".lock" else [lambda: store.read(made)]):
        assert re.search(rf"{name}:? (is no|not a) regular file", refused(use))


def test_rows_saved_in_another_encoding_are_no_line_to_remove(made: Path) -> None:
    text = (made / "trials.csv").read_text(encoding="utf-8")
    (made / "trials.csv").write_text(text, encoding="utf-16")
    assert "trials.csv:1: not the header of a results file; restore it" in refused(lambda: store.read(made))
