"""Results of several machines or people as one folder."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from commandline import invoke
from storedrows import KEYS, fill, make_run
from tiny import COLUMNS, entry, make_spec, run_quietly, unseal

from nmfrepro.core.errors import ResultsError
from nmfrepro.results.folder import read, read_run
from nmfrepro.results.merge import merge
from nmfrepro.results.record import EnvironmentRecord
from nmfrepro.results.verified import Verified, read_verified, write_verified
from nmfrepro.runs.recorded import open_results

pytestmark = pytest.mark.usefixtures("in_process")


def made(folder: Path, name: str, entries: Any = COLUMNS, only: tuple[str, ...] = (), **changes: Any) -> Path:
    """A machine's results folder."""
    return run_quietly(make_spec(folder, entries, **changes), folder / name, only=only).folder


def test_rows_that_several_have_are_told(tmp_path: Path) -> None:
    one = str(made(tmp_path, "one"))
    said = invoke("merge", one, one, "-o", tmp_path / "both").output.splitlines()
    assert said[:3] == [f"{one}: 6 rows"] * 2 + ["6 rows stood in several of them and count once"]


def test_what_two_machines_ran_is_what_one_would_have_run(tmp_path: Path) -> None:
    whole = made(tmp_path, "whole", keep=("labels",))
    one, two = (made(tmp_path, each, only=(each,), keep=("labels",)) for each in ("nmf", "nlcf"))
    said = invoke("merge", one, two, "-o", tmp_path / "both")
    assert said.output.splitlines()[-1].startswith(
        f"{tmp_path / 'both'}: 6 of 6 trials; next: nmfrepro table"
    )
    assert (tmp_path / "both" / "trials.csv").read_bytes() == (whole / "trials.csv").read_bytes()
    found = read(tmp_path / "both")
    assert [len(found.arrays(trial)["labels"]) for trial in found.trials] == [16, 16, 16, 16, 24, 24]
    assert found.run.trials == read_run(whole).trials


def test_columns_of_several_people_stand_side_by_side(tmp_path: Path) -> None:
    parts = [made(tmp_path, "a", COLUMNS[:1]), made(tmp_path, "b", COLUMNS[1:]), made(tmp_path, "c", COLUMNS)]
    merged = merge(parts, tmp_path / "all")
    assert (merged.rows, merged.present, merged.planned) == ((3, 3, 6), 6, 6)
    assert (merged.folder / "trials.csv").read_bytes() == (parts[2] / "trials.csv").read_bytes()
    assert [each.label for each in read_run(merged.folder).spec.algorithms] == ["NMF", "NLCF"]


def test_every_row_and_the_run_still_say_what_made_them(tmp_path: Path) -> None:
    parts = []
    for name, keys in (("aaa", KEYS[:3]), ("bbb", KEYS[3:])):
        made_by = {"nmfrepro": "0.1.0", "commit": name, "processor": f"that of {name}"}
        fill(tmp_path / name, keys, make_run(environment=made_by))
        parts.append(tmp_path / name)
    found = read(merge(parts, tmp_path / "all").folder)
    assert [each.version for each in found.trials] == 3 * ["0.1.0+aaa"] + 3 * ["0.1.0+bbb"]
    assert [each.processor for each in found.run.environments] == ["that of aaa", "that of bbb"]


def test_the_plug_in_of_one_folder_is_named_where_the_merged_one_lacks_it(tmp_path: Path) -> None:
    parts = [made(tmp_path, "a", COLUMNS[:1]), unseal(made(tmp_path, "b", COLUMNS[1:]))]
    run = (parts[1] / "run.json").read_text().replace('"nlcf"', '"mine"')
    plugin = '"plugins": [{"name": "mine.py", "sha256": "0123456789abcdef"}]'
    (parts[1] / "run.json").write_text(run.replace('"plugins": []', plugin))
    rows = (parts[1] / "trials.csv").read_text().replace(",nlcf,", ",mine,")
    (parts[1] / "trials.csv").write_text(rows)
    merged = merge(parts, tmp_path / "all").folder
    with pytest.raises(ResultsError, match=r"made with plug-in mine.py .*; give --plugin mine.py"):
        open_results(merged)


def test_what_was_verified_stays_so(tmp_path: Path) -> None:
    parts = [made(tmp_path, each, only=(each,)) for each in ("nmf", "nlcf")]
    for part, environment in zip(parts, ("one", "two"), strict=True):
        checks = [(trial, "the same") for trial in read(part).present[:2]]
        write_verified(part, Verified().joined(checks, EnvironmentRecord(processor=environment)))
    merged = merge(parts, tmp_path / "all").folder
    known = read_verified(merged)
    assert [each.processor for each in known.environments] == ["one", "two"]
    held = [known.holds(trial) for trial in read(merged).trials]
    assert held == [known.rows.get(trial.key) is not None for trial in read(merged).trials]
    assert sum(held) == 4


def test_a_failed_trial_gives_way_to_one_that_is_ok(tmp_path: Path) -> None:
    flag, protocol = str(tmp_path / "flag"), {"clusters": [2], "repeats": 1}
    columns = [entry("scripted", does="bug", flag=flag)]
    parts = [made(tmp_path, each, columns, protocol=protocol) for each in ("a", "b")]
    assert [read(part).trials[0].status for part in parts] == ["failed", "ok"]
    assert merge(parts, tmp_path / "all").present == merge(parts[::-1], tmp_path / "again").present == 1


def test_two_results_of_one_trial_are_refused_by_name(tmp_path: Path) -> None:
    one, two = made(tmp_path, "one"), unseal(made(tmp_path, "two"))
    lines = (two / "trials.csv").read_text().splitlines(keepends=True)
    (two / "trials.csv").write_text("".join([lines[0], lines[1].replace(",30,", ",29,"), *lines[2:]]))
    with pytest.raises(
        ResultsError, match=r"two/tiny: trial \w+ of NMF \(k 2, draw 0\) has n_iter 29, but 30"
    ):
        merge([one, two], tmp_path / "both")
    assert not (tmp_path / "both").exists()


def test_one_column_under_two_names_is_refused(tmp_path: Path) -> None:
    one, two = made(tmp_path, "one", COLUMNS[:1]), made(tmp_path, "two", [entry("nmf", label="Mine")])
    with pytest.raises(ResultsError, match=r"two/tiny: its column Mine is NMF of .*one/tiny; run one under"):
        merge([one, two], tmp_path / "both")


def test_what_was_fitted_to_published_numbers_is_said_of_all(tmp_path: Path) -> None:
    parts = [
        made(tmp_path, name, [entry(name)], inferred=inferred)
        for name, inferred in (("nmf", ("init", "nmf.normalize")), ("nlcf", ("init", "nlcf.mu")))
    ]
    merged = read_run(merge(parts, tmp_path / "all").folder)
    assert merged.spec.inferred == ("init", "nmf.normalize", "nlcf.mu")


def test_nothing_is_left_of_a_merge_that_fails_midway(tmp_path: Path) -> None:
    one = made(tmp_path, "one", keep=("labels",))
    next((one / "arrays").iterdir()).unlink()
    with pytest.raises(ResultsError, match="npz: cannot be read"):
        merge([one], tmp_path / "all")
    assert not (tmp_path / "all").exists()


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({"seed": 2}, "its seed is another"),
        ({"protocol": {"repeats": 3}}, "its protocol is another"),
        ({"dataset": {"scale": "max"}}, "its scale is another"),
        ({"entries": COLUMNS[1:], "dataset": {"levels": 1023}}, "its range of grey levels is another"),
        ({"entries": [entry("nmf", fit={"max_iter": 5})]}, "its column NMF has other settings"),
    ],
)
def test_runs_that_do_not_belong_together_are_refused(
    tmp_path: Path, changes: dict[str, Any], why: str
) -> None:
    one, two = made(tmp_path, "one"), made(tmp_path, "two", **changes)
    with pytest.raises(ResultsError, match=why):
        merge([one, two], tmp_path / "both")
    with pytest.raises(ResultsError, match="is there already"):
        merge([one, one], two)
