"""The results folder as it is read: rows, other settings, several attempts."""

from __future__ import annotations

import re
from dataclasses import asdict, fields, replace
from pathlib import Path
from typing import Any

import pytest
from storedrows import COLUMNS, FAILED, KEYS, fill, make_cells, make_row, make_run

from nmfrepro.core.errors import ResultsError
from nmfrepro.core.options import options_of
from nmfrepro.core.problem import FitSettings
from nmfrepro.results import folder as store
from nmfrepro.results import lines as journal
from nmfrepro.results.record import EnvironmentRecord, FitRecord, RunRecord
from nmfrepro.results.store import Store


def test_a_fit_setting_that_the_record_lacks_is_noticed() -> None:
    """It would not be written down, and `verify` would compute with its default."""
    assert {each.name for each in fields(FitRecord)} == {*options_of(FitSettings)}
    column: dict[str, Any] = {"label": "NMF", "algorithm": "nmf", "parameters": {}}
    with pytest.raises(
        ValueError, match=r"^spec\.algorithms\[0\]\.fit\.momentum is unknown to this version$"
    ):
        make_run(spec={"algorithms": [column | {"fit": asdict(FitSettings()) | {"momentum": 0.9}}]})


def test_rows_and_seeds_read_back_exactly(tmp_path: Path) -> None:
    run = make_run(KEYS[:2])
    with Store(tmp_path, run, COLUMNS) as opened:
        opened.add(make_row(KEYS[0], notes="a, b; ÅΩ"))
        opened.add(make_row(KEYS[1], **FAILED, fit_seed=""))
    frame = store.read(tmp_path).frame
    assert frame["notes"].tolist() == ["a, b; ÅΩ", ""]
    assert frame["error"].tolist() == ["", 'it said "no", twice']
    assert frame["objective"][0] == 1.5e-07
    # A failed row has no seed, and the others keep all of their 63 bits.
    assert frame["fit_seed"][0] == 9223372036854775807
    assert frame["fit_seed"].isna().tolist() == [False, True]


@pytest.mark.parametrize("large", ["9223372036854775808", "9" * 30])
def test_whole_numbers_beyond_64_bits_are_read_as_decimals(tmp_path: Path, large: str) -> None:
    """Found by fuzzing: beside an empty cell they ended in an OverflowError."""
    with Store(tmp_path, make_run(KEYS[:2]), COLUMNS) as opened:
        opened.add(make_row(KEYS[0], fit_seed=large))
        opened.add(make_row(KEYS[1], **FAILED, fit_seed=""))
    assert store.read(tmp_path).frame["fit_seed"][0] == float(large)


def test_a_metric_of_a_plug_in_that_is_not_in_use_may_be_a_whole_number(tmp_path: Path) -> None:
    """It was read as a coordinate, and the row as one without that metric."""
    run = make_run(KEYS[:1], kind="own", spec={"metrics": ["purr"], "protocol": {}})
    with Store(tmp_path, run, (*COLUMNS, "purr")) as opened:
        opened.add(replace(make_row(KEYS[0]), metrics={"purr": 1.0}))
    path = tmp_path / "trials.csv"
    path.write_text(re.sub(r"\b1\.0,", "1,", path.read_text()))  # as a spreadsheet saves it
    (trial,) = store.read(tmp_path).trials
    assert (trial.coordinates, trial.metrics) == ({"k": 2, "draw": 0}, {"purr": 1.0})


def test_a_spreadsheet_may_have_saved_it(tmp_path: Path) -> None:
    whole = fill(tmp_path)
    (tmp_path / "trials.csv").write_bytes(b"\xef\xbb\xbf" + whole.replace(b"\n", b"\r\n"))
    assert len(store.read(tmp_path).frame) == len(KEYS)
    assert fill(tmp_path) == whole


def test_of_several_attempts_the_one_that_is_ok_counts(tmp_path: Path) -> None:
    failed = make_cells(KEYS[0]) | FAILED
    for attempts in ([failed, make_cells(KEYS[0])], [make_cells(KEYS[0]), failed]):
        (tmp_path / "trials.csv").write_text(journal.format_rows(COLUMNS, attempts))
        assert store.read_trials(tmp_path).by_key[KEYS[0]].ok
    again = failed | {"error": "another reason"}
    (tmp_path / "trials.csv").write_text(journal.format_rows(COLUMNS, [failed, again]))
    assert store.read_trials(tmp_path).by_key[KEYS[0]].error == "another reason"


def test_order_of_finishing_and_interruptions_leave_no_trace(tmp_path: Path) -> None:
    whole = fill(tmp_path / "a")
    assert fill(tmp_path / "b", KEYS[::-1]) == whole
    fill(tmp_path / "c", KEYS[3:5])
    fill(tmp_path / "c", KEYS[:1])
    assert fill(tmp_path / "c") == whole


def test_rows_of_other_settings_stay_behind_and_out_of_tables(tmp_path: Path) -> None:
    fill(tmp_path)
    others = [f"{number:016x}" for number in (5, 3)]
    fill(tmp_path, others, make_run(others))
    found = store.read(tmp_path)
    assert (len(found.frame), len(found.trials), found.others) == (2, 2, len(KEYS))
    back = fill(tmp_path)
    assert [line.split(b",")[0].decode() for line in back.splitlines()[1:]] == [*KEYS, *sorted(others)]
    assert store.read(tmp_path).others == 2


def test_columns_of_other_rows_are_kept_and_leave_with_them(tmp_path: Path) -> None:
    whole = fill(tmp_path / "a")
    other = f"{3:016x}"
    with Store(tmp_path / "b", make_run([other]), (*COLUMNS, "rate")) as opened:
        opened.add(make_row(other, rate="0.25"))
    fill(tmp_path / "b")
    assert store.read_trials(tmp_path / "b").by_key[other].metrics["rate"] == 0.25
    with Store(tmp_path / "b") as opened:
        opened.drop([other])
    assert fill(tmp_path / "b") == whole


def test_labels_follow_the_spec(tmp_path: Path) -> None:
    fill(tmp_path)
    renamed = fill(tmp_path, [], make_run(label="NMF (new)"))
    assert store.read(tmp_path).frame["label"].unique().tolist() == ["NMF (new)"]
    assert renamed == fill(tmp_path / "direct").replace(b",NMF,", b",NMF (new),")


def test_environments_of_earlier_rows_are_kept(tmp_path: Path) -> None:
    """Those that made none of the rows are not named."""
    fill(tmp_path, KEYS[:2])
    for there, keys in (("elsewhere", KEYS[:3]), ("here", KEYS[:4]), ("idle", KEYS[:4])):
        fill(tmp_path, keys, make_run(environment={"nmfrepro": "0.1.0", "processor": there}))
    run = store.read_run(tmp_path)
    assert run.environment == EnvironmentRecord(nmfrepro="0.1.0", processor="here")
    assert run.earlier_environments == (EnvironmentRecord(nmfrepro="0.1.0", processor="elsewhere"),)
    with Store(tmp_path, make_run(), COLUMNS, fresh=True):
        pass
    assert store.read_run(tmp_path).earlier_environments == ()


def test_a_folder_that_a_run_renames_meanwhile_is_read_once_more(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fill(tmp_path, KEYS[:3])
    real, done = store.read_trials, list[bool]()

    def in_between(folder: Path, run: RunRecord | None = None) -> store.Trials:
        if not done:  # between run.json and the rows: a failed trial's row is replaced, a column renamed
            done.append(True)
            with Store(tmp_path, make_run(label="renamed"), COLUMNS) as opened:
                opened.release(KEYS[:1])
                opened.add(make_row(KEYS[0], "0.75"))
                opened.tidy()
        return real(folder, run)

    monkeypatch.setattr(store, "read_trials", in_between)
    trials = store.read(tmp_path).trials
    assert {trial.label for trial in trials} == {"renamed"}
    assert trials[0].metrics["accuracy"] == 0.75


def test_folders_are_found_at_or_below_a_path(tmp_path: Path) -> None:
    fill(tmp_path / "b")
    fill(tmp_path / "a")
    (tmp_path / "c").mkdir()
    assert store.folders(tmp_path) == [tmp_path / "a", tmp_path / "b"]
    assert store.folders(tmp_path / "b") == [tmp_path / "b"]
    for nothing in (tmp_path / "c", tmp_path / "d"):
        with pytest.raises(ResultsError, match="holds no results"):
            store.folders(nothing)
