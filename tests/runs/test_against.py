"""`nmfrepro run --against`: stored rows beside new ones, taken by their keys and marked."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from commandline import invoke
from tiny import COLUMNS, entry, make_spec, run_quietly, write_spec

from nmfrepro import protocols
from nmfrepro.analysis.compare import compare_runs
from nmfrepro.analysis.tables import make_table
from nmfrepro.core.errors import ResultsError
from nmfrepro.core.options import build, options_of
from nmfrepro.protocols.rank import Rank
from nmfrepro.protocols.recognition import Recognition
from nmfrepro.registry import plugins, skeleton
from nmfrepro.results.folder import read, read_run
from nmfrepro.results.merge import merge
from nmfrepro.runs import Prepared, Summary, prepare, verify
from nmfrepro.runs.against import NOTHING_STORED, find_stored
from nmfrepro.runs.recorded import open_results

NMF, NLCF = COLUMNS

pytestmark = pytest.mark.usefixtures("in_process")


@pytest.fixture
def stored(tmp_path: Path) -> Path:
    """A folder with rows of NMF."""
    return go(tmp_path, "stored", [NMF]).folder


def go(tmp_path: Path, name: str, entries: Any, against: Path | None = None, **options: Any) -> Summary:
    """Run the tiny spec with some columns."""
    changes = options.pop("changes", {})
    prepared = prepare(make_spec(tmp_path, entries, **changes))
    found = find_stored(prepared, str(against)) if against else NOTHING_STORED
    return run_quietly(prepared, tmp_path / name, stored=found, **options)


def marked(folder: Path) -> list[str]:
    """The columns of the stored rows, row by row."""
    run = read_run(folder)
    return [run.plan[key].label for each in run.stored for key in each.trials]


def test_only_what_is_not_stored_is_computed(tmp_path: Path, stored: Path) -> None:
    whole = go(tmp_path, "whole", [NMF, NLCF])
    made = go(tmp_path, "made", [NMF, NLCF], stored)
    assert (made.computed, made.present, made.planned) == (3, 6, 6)
    assert (made.folder / "trials.csv").read_bytes() == (whole.folder / "trials.csv").read_bytes()
    assert marked(made.folder) == ["NMF"] * 3
    results = read(made.folder)
    (note,) = [each for each in make_table(results).notes if each.startswith("Not computed here but stored")]
    assert note.startswith("Not computed here but stored: NMF; from tiny, made by nmfrepro 0.1.0")
    assert results.run.environment in results.run.stored[0].environments


def test_where_only_a_new_column_is_run_the_stored_rows_of_the_others_are_taken(
    tmp_path: Path, stored: Path
) -> None:
    made = go(tmp_path, "made", [NMF, NLCF, entry("kmeans")], stored, only=["nlcf"])
    assert (made.computed, made.present, made.planned, made.left) == (3, 3, 3, 3)
    assert marked(made.folder) == ["NMF"] * 3


def test_marks_stay_for_as_long_as_the_rows_do(tmp_path: Path, stored: Path) -> None:
    folder = go(tmp_path, "made", [NMF, NLCF], stored, only=["nmf"]).folder
    assert go(tmp_path, "made", [NLCF, NMF]).computed == 3  # goes on, without asking for stored rows
    assert marked(folder) == ["NMF"] * 3
    assert go(tmp_path, "made", [NMF, NLCF], fresh=True, only=["nmf"]).computed == 3
    assert marked(folder) == []


def test_rows_that_were_taken_at_two_times_are_one_note(tmp_path: Path, stored: Path) -> None:
    whole = go(tmp_path, "whole", [NMF, NLCF]).folder
    for against in (stored, whole):
        folder = go(tmp_path, "made", [NMF, NLCF], against, only=["nmf"]).folder
    assert marked(folder) == ["NMF"] * 3 + ["NLCF"] * 3
    notes = [each for each in make_table(read(folder)).notes if each.startswith("Not computed here")]
    assert [each.partition(";")[0] for each in notes] == ["Not computed here but stored: NMF, NLCF"]


def test_a_row_that_was_computed_again_for_its_arrays_is_of_here(tmp_path: Path, stored: Path) -> None:
    folder = go(tmp_path, "made", [NMF, NLCF], stored).folder
    assert go(tmp_path, "made", [NMF, NLCF], changes={"keep": ("labels",)}).computed == 6
    assert marked(folder) == []


def test_stored_rows_are_verified_and_merged_like_others(tmp_path: Path, stored: Path) -> None:
    folder = go(tmp_path, "made", [NMF, NLCF], stored).folder
    opened = open_results(folder)
    assert (len(opened.trials), len(opened.run.stored[0].trials)) == (6, 3)
    assert {check.verdict for check in verify.verify(opened, opened.trials)} == {verify.SAME}
    other = go(tmp_path, "other", [entry("kmeans")]).folder
    assert marked(merge([other, folder], tmp_path / "both").folder) == ["NMF"] * 3
    # Taken once more they keep the origin they have.
    again = go(tmp_path, "again", [NMF, NLCF], folder).folder
    assert [len(each.trials) for each in read_run(again).stored] == [3, 3]
    assert read_run(again).stored[0] == read_run(folder).stored[0]


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({"seed": 2}, "seed is 2, stored 1"),
        ({"dataset": {"scale": "max"}}, "scale is max, stored grey"),
        ({"dataset": {"levels": 510}}, "levels is 510.0, stored 255"),
        ({"protocol": {"assign": {"kmeans": {"restarts": 2}}}}, "the protocol has other settings"),
        ({"entries": [entry("nmf", fit={"max_iter": 5})]}, "max_iter is 5, stored 30"),
        ({"entries": [entry("nmf", normalize="none")]}, "normalize is none, stored unit"),
        ({"entries": [NLCF]}, "no rows of nlcf on tiny are stored"),
        ({"keep": ("labels",)}, "stored rows are without arrays; leave keep out of tiny$"),
    ],
)
def test_rows_of_other_settings_are_not_taken_and_it_is_said_why(
    tmp_path: Path, stored: Path, changes: dict[str, Any], why: str
) -> None:
    entries = changes.pop("entries", [NMF])
    with pytest.raises(ResultsError, match=why):
        find_stored(prepare(make_spec(tmp_path, entries, **changes)), str(stored))


def test_a_protocol_that_stores_arrays_is_told_to_run_without_stored_rows(tmp_path: Path) -> None:
    protocol = build(Rank, {"ranks": [2], "repeats": 2}, "protocol")
    spec = replace(make_spec(tmp_path, [NMF]), protocol=protocol, metrics=Rank.shown)
    with pytest.raises(ResultsError, match="without the arrays of protocol rank; leave it out"):
        find_stored(prepare(spec), "reference")


@pytest.mark.parametrize(
    ("source", "meant"),
    [("refrence", "reference"), ("storde", "stored"), ("stored/tinny", "stored/tiny")],
)
def test_a_misspelt_place_of_stored_rows_is_told_with_the_closest(
    tmp_path: Path, stored: Path, monkeypatch: pytest.MonkeyPatch, source: str, meant: str
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(
        ResultsError, match=f"^against: {source}: there is no such folder; did you mean {meant}"
    ):
        find_stored(prepare(make_spec(tmp_path, [NMF])), source)


def write_splits(path: Path, first: int) -> None:
    """Two splits of the tiny data: four images of each class, from the `first` on, are for training."""
    turned = [np.roll(np.arange(24).reshape(3, 8), -first - i, axis=1) for i in (0, 1)]
    train = np.array([each[:, :4].ravel() for each in turned])
    test = np.array([np.setdiff1d(np.arange(24), each) for each in train])
    np.savez(path, trainIdx=train.T, testIdx=test.T)


def options(kind: str, folder: Path) -> dict[str, Any]:
    """What a protocol needs on the tiny data; everything it can read from files is given."""
    splits = folder / "splits.npz"
    if not splits.exists():
        write_splits(splits, 0)
    given = {"train": 4, "splits": str(splits), "starts": 2, "images": 4}
    known = options_of(protocols.get(kind))
    required = {name: 2 for name, each in known.items() if each.required}
    chosen = required | {name: value for name, value in given.items() if name in known} | {"repeats": 1}
    return {name: [value] if known[name].item else value for name, value in chosen.items()}


@pytest.mark.parametrize("kind", [kind for kind, cls in protocols.registry().items() if not cls.stores])
def test_what_no_setting_has_to_do_with_is_not_said_of_the_protocol(tmp_path: Path, kind: str) -> None:
    cls = protocols.get(kind)

    def prepared(max_iter: int) -> Prepared:
        spec = make_spec(tmp_path, [entry("nmf", fit={"max_iter": max_iter})], metrics=cls.shown)
        protocol = build(cls, options(kind, tmp_path), f"protocol {kind}")
        return prepare(replace(spec, protocol=protocol))

    run_quietly(prepared(30), tmp_path / "stored")
    with pytest.raises(ResultsError) as caught:
        find_stored(prepared(20), str(tmp_path / "stored"))
    assert "(NMF: max_iter is 20, stored 30)" in str(caught.value)


def test_other_splits_are_told_wherever_runs_meet(tmp_path: Path) -> None:
    def prepared() -> Prepared:
        given = {"train": [4], "dimensions": [2], "repeats": 2, "splits": str(tmp_path / "splits.npz")}
        protocol = build(Recognition, given, "protocol")
        return prepare(replace(make_spec(tmp_path), protocol=protocol, metrics=("nn",)))

    folders = []
    for first in (0, 4):
        write_splits(tmp_path / "splits.npz", first)
        folders.append(run_quietly(prepared(), tmp_path / str(first)).folder)
    differ = "the splits differ in content: stored [0-9a-f]{12}, now [0-9a-f]{12}"
    with pytest.raises(ResultsError, match=f"NMF: {differ}"):
        find_stored(prepared(), str(folders[0]))
    with pytest.raises(ResultsError, match=f"nothing to verify: NMF: {differ}"):
        open_results(folders[0])
    assert not open_results(folders[1]).changed
    with pytest.raises(ResultsError, match="its content of splits is another than that of"):
        merge(folders, tmp_path / "both")
    (told,) = compare_runs(*map(read, folders))
    assert not told.rules.paired
    said = invoke("compare", *folders).output
    for which, folder in zip(("First", "Second"), folders, strict=True):
        content = f"the splits by content: {read_run(folder).beside['splits'][:12]}"
        assert any(line.startswith(f"- {which}: Data: ") and content in line for line in said.splitlines())
        assert content in invoke("table", folder).output
    (told,) = compare_runs(*map(read, folders[:1] * 2))
    assert told.rules.paired


def test_splits_that_were_moved_can_be_named(tmp_path: Path) -> None:
    write_splits(tmp_path / "splits.npz", 0)
    given = {"train": [4], "dimensions": [2], "repeats": 2, "splits": str(tmp_path / "splits.npz")}
    spec = replace(make_spec(tmp_path), protocol=build(Recognition, given, "protocol"), metrics=("nn",))
    folder = run_quietly(spec, tmp_path / "runs").folder
    moved = (tmp_path / "splits.npz").rename(tmp_path / "moved.npz")
    gone = invoke("verify", folder, "--jobs", "1")
    assert str(gone.exception) == (
        f"{tmp_path / 'splits.npz'}: there is no such file; say where it is now with --splits"
    )
    again = invoke("verify", folder, "--jobs", "1", "--splits", moved)
    assert again.exit_code == 0, again.output
    write_splits(moved, 4)
    with pytest.raises(ResultsError, match="the splits differ in content"):
        open_results(folder, splits=moved)
    plain = run_quietly(make_spec(tmp_path), tmp_path / "plain").folder
    with pytest.raises(ResultsError, match="protocol clustering reads no splits; leave splits out"):
        open_results(plain, splits=moved)


def test_a_parameter_that_is_called_like_a_fit_setting_is_the_reason(tmp_path: Path) -> None:
    folder = go(tmp_path, "stored", [entry("kmeans", restarts=3)]).folder
    spec = make_spec(tmp_path, [entry("kmeans", restarts=2)])
    with pytest.raises(ResultsError, match=r"\(Kmeans: restarts is 2, stored 3\)"):
        find_stored(prepare(spec), str(folder))
    # Of a run with another name it is said which one that is.
    with pytest.raises(ResultsError, match=r"\(Kmeans: restarts is 2, stored 3 \(beside tiny\)\)"):
        find_stored(prepare(replace(spec, name="other")), str(folder))


def test_an_edited_plug_in_is_the_reason(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    method, _ = skeleton.write("algorithm", "own_nmf", tmp_path)
    plugins.use([method])
    folder = go(tmp_path, "stored", [entry("own_nmf")]).folder
    recorded = read_run(folder).environment.plugins
    monkeypatch.setattr(plugins, "content_hash", lambda module: "0" * 64)
    with pytest.raises(ResultsError) as caught:
        go(tmp_path, "made", [entry("own_nmf")], folder)
    assert (
        "OWN-NMF: plug-in own_nmf.py differs from the one that made the rows: "
        f"sha256 was {str(recorded[0].sha256)[:12]}, is {'0' * 12}" in str(caught.value)
    )


def test_further_draws_are_computed_and_it_is_said_why(tmp_path: Path, stored: Path) -> None:
    found = find_stored(prepare(make_spec(tmp_path, [NMF], protocol={"repeats": 3})), str(stored))
    assert len(found.rows) == 3
    assert len(found.notes) == 1
    assert found.lacking == ("not stored: NMF: no row for k 2, draw 2",)


def test_what_is_not_stored_is_told_only_while_something_is_left_to_compute(
    tmp_path: Path, stored: Path
) -> None:
    spec = write_spec(tmp_path)
    run = ["run", spec, "--results", str(tmp_path / "made"), "--against", str(stored), "--also", "kmeans"]
    for told in (True, False):
        for further in (["--dry-run"], []):
            said = invoke(*run, *further)
            assert said.exit_code == 0, said.output
            assert ("not stored: " in said.output) == told
            assert "stored rows of NMF" in said.output


def test_from_the_command_line_a_method_is_added_to_a_spec(tmp_path: Path, stored: Path) -> None:
    spec = write_spec(tmp_path)
    where = ["--results", str(tmp_path / "results"), "--against", str(stored), "--also", "kmeans"]
    said = invoke("run", spec, *where, "--dry-run")
    assert said.exit_code == 0, said.output
    lines = [line.split() for line in said.output.splitlines()]
    assert ["3", "stored", "rows", "of", "NMF,"] in [line[:5] for line in lines]
    assert any(line[:3] == ["6", "trials", "to"] for line in lines)
    said = invoke("run", spec, "--set", "seed+=3")
    assert "seed is no list of the spec" in str(said.exception)
    said = invoke("run", spec, "--also", "kmean")
    assert str(said.exception).startswith("--also kmean: ")
    assert "did you mean kmeans?" in str(said.exception)
