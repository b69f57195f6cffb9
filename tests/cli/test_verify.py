"""`nmfrepro verify` and `nmfrepro clean`, and what is behind them."""

from __future__ import annotations

import json
import re
import shutil
import signal
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from commandline import invoke
from tiny import TEXT, edit, run_quietly, terminated, unseal, write_data, write_spec

from nmfrepro.algorithms.nlcf import NLCF
from nmfrepro.core.errors import NmfreproError, ResultsError
from nmfrepro.protocols import Task
from nmfrepro.results import folder as store
from nmfrepro.results.record import TrialRecord
from nmfrepro.results.store import Store
from nmfrepro.results.verified import DIFFERENT, Verified, read_verified, write_verified
from nmfrepro.runs import prepare, verify
from nmfrepro.runs.record import run_record, spec_record
from nmfrepro.runs.recorded import open_results, recorded_spec
from nmfrepro.spec.reader import read_spec
from nmfrepro.views.unasked import by_settings, ends

EVERYTHING = """\
dataset: {file: tiny.npz, scale: grey, levels: 255, orientation: rows}
protocol: {kind: clustering, clusters: [3], repeats: 2, assign: {kmeans: {restarts: 2}}, labelled: 25%}
fit: {restarts: 2, max_iter: 20, tol: 0}
algorithms:
  - {name: kmeans, restarts: 3}
  - {name: nmf, fit: {inner: {U: 2, V: 3}, order: VU}}
  - {name: nlcf, mu: {sweep: [0.1, 1]}}
  - {name: cnmf, as: with labels}
  - {name: tnmf, lam: 0.1, pooling: [[1, 0, 0], [0, 1, 0], [0, 0, 1]]}
seed: 1
keep: [labels]
timeout: 600
inferred: [nlcf.mu]
"""


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The results of the tiny spec."""
    folder = tmp_path_factory.mktemp("made")
    return run_quietly(read_spec(write_spec(folder)), folder / "results").folder


@pytest.fixture
def results(made: Path, tmp_path: Path) -> Path:
    """A copy of the results to spoil."""
    known = shutil.ignore_patterns("verified.json")  # what other tests have verified
    return Path(shutil.copytree(made, tmp_path / "tiny", ignore=known))


def spoil(results: Path, line: int, name: str = "trials.csv", **cells: str) -> None:
    """Change cells of a row."""
    edit(results, lambda rows: rows[line].update(cells), name)


def test_rows_come_out_the_same_from_the_results_and_the_data_alone(made: Path) -> None:
    result = invoke("verify", made, "--all", "--jobs", "1")
    assert result.exit_code == 0, result.output
    assert result.output.splitlines()[0] == f"{made}: computing 6 of 6 rows again"
    assert result.output.splitlines()[-1] == "  6 the same"
    key = store.read(made).frame["key"][0]
    assert f"  {key}  NMF (k 2, draw 0): the same\n" in result.output


def test_sigterm_ends_it_with_the_exit_code_of_a_run(made: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(verify, "run_trials", terminated)
    assert invoke("verify", made).exit_code == 128 + signal.SIGTERM


@pytest.mark.usefixtures("in_process")
def test_a_row_that_was_altered_is_told(results: Path) -> None:
    """In every row something else."""
    altered = {
        ("accuracy", "0.99"): "accuracy 0.99, now ",
        ("objective", "1e-7"): "objective 1e-07, now ",
        ("seed", "2"): "seed 2, now 1",
        ("parameters", '{"mu":0.5}'): 'parameters {"mu":0.5}, now ',
        ("nmi", ""): "nmi –, now ",
        ("draw", "7"): "draw 7, now 0",
    }
    for line, (name, value) in enumerate(altered):
        spoil(results, line, **{name: value})
    result = invoke("verify", results, "--all", "--jobs", "1")
    assert result.exit_code == 1
    told = re.findall(r"different\n      (.*)", result.output)
    assert len(told) == len(altered)
    for said, expected in zip(told, altered.values(), strict=True):
        assert said.startswith(expected)
    assert result.output.splitlines()[-1] == "  6 different"


def test_a_line_that_is_no_row_ends_with_the_code_that_the_help_says(results: Path) -> None:
    spoil(results, 0, accuracy="1.7")
    result = invoke("verify", results)
    assert result.exit_code == 2
    said = " ".join(invoke("verify", "--help").output.split())
    assert "2 nothing to compare, or a line that is no row" in said


@pytest.mark.usefixtures("in_process")
@pytest.mark.parametrize(
    ("name", "cells", "chosen"),
    [
        ("trials.csv", {"accuracy": "0.99"}, ["-a", "NLCF", "--all"]),
        ("trials.csv", {"status": "failed", "error": "took too long"}, ["-a", "NMF", "--where", "k=3"]),
        ("trials.csv", {"version": "9"}, ["-a", "NLCF", "--all"]),
        ("timings.csv", {"fit": "7"}, ["-a", "NMF", "--where", "k=3"]),
    ],
)
def test_an_edited_row_is_told_although_it_was_not_computed(
    results: Path, name: str, cells: dict[str, str], chosen: list[str]
) -> None:
    line = [trial.label for trial in store.read(results).trials].index("NMF")
    spoil(results, line, name, **cells)
    result = invoke("verify", results, *chosen, "--jobs", "1")
    assert result.exit_code == 1, result.output
    *_, summary, told = result.output.splitlines()
    assert summary in ("  1 the same, of 6 rows", "  3 the same, of 6 rows")
    assert told.startswith(f"  {results / name}:{line + 2}: ")
    assert "not as " in told


@pytest.mark.usefixtures("in_process")
@pytest.mark.parametrize(
    ("name", "lines", "told"),
    [
        ("trials.csv", [4], "1 row that run.json knows is gone from trials.csv"),
        ("trials.csv", [3, 5], "2 rows that run.json knows are gone from trials.csv"),
        ("timings.csv", [4], "1 line that run.json knows is gone from timings.csv"),
        ("timings.csv", [], "6 lines that run.json knows are gone from timings.csv"),
    ],
)
def test_rows_and_times_that_were_removed_are_told(
    results: Path, name: str, lines: list[int], told: str
) -> None:
    path = results / name
    kept = [x for n, x in enumerate(path.read_text().splitlines(True), 1) if n not in lines]
    path.unlink()
    if lines:
        path.write_text("".join(kept))
    result = invoke("verify", results, "--sample", "1", "--jobs", "1")
    assert result.exit_code == 1, result.output
    there = 6 - (len(lines) if name == "trials.csv" else 0)
    assert result.output.splitlines()[-2:] == [f"  1 the same, of {there} rows", f"  {told}"]


@pytest.mark.usefixtures("in_process")
def test_the_last_line_says_how_many_rows_are_of_unknown_origin(results: Path) -> None:
    path = unseal(results) / "run.json"
    content = json.loads(path.read_text())
    path.write_text(json.dumps(content | {"unknown": content["trials"][:3]}))
    some = invoke("verify", results, "--where", "k=3", "--jobs", "1")
    assert some.output.splitlines()[-2:] == [
        "  2 the same, of 6 rows",
        "  of unknown origin, by run.json: 3 of 6 rows",
    ]
    every = invoke("verify", results, "--all", "--jobs", "1")
    assert every.output.splitlines()[-1] == "  6 the same"


@pytest.mark.usefixtures("in_process")
def test_rows_that_came_out_different_are_told_wherever_they_are_shown(results: Path) -> None:
    note = "2 rows came out different when nmfrepro verify computed them again."
    page = results.parent / "page.html"
    shown = [["table"], ["stats"], ["rows"], ["compare", str(results)]]
    shown = [[first, str(results), *others] for first, *others in shown]
    report = ["report", str(results), "-o", str(page)]

    def places() -> list[bool]:
        said = [invoke(*each).output for each in shown]
        assert invoke(*report).exit_code == 0
        return [note in text for text in (*said, page.read_text())]

    opened = open_results(results)
    checks = [(opened.rows[trial.key], DIFFERENT) for trial in opened.trials[:2]]
    write_verified(results, Verified().joined(checks, opened.run.environment))
    assert places() == [True] * 5
    rows = [(replace(row, objective=1.5), verdict) for row, verdict in checks]  # those were others than now
    write_verified(results, Verified().joined(rows, opened.run.environment))
    assert places() == [False] * 5


@pytest.mark.usefixtures("in_process")
def test_a_row_that_was_edited_within_rounding_is_told(results: Path) -> None:
    accuracy = store.read(results).trials[0].metrics["accuracy"]
    spoil(results, 0, accuracy=str(accuracy - 0.001))
    result = invoke("verify", results, "--all", "--jobs", "1")
    assert result.exit_code == 1
    assert (
        f"  5 the same, 1 the same to rounding\n  {results / 'trials.csv'}:2: not as it was written"
        in result.output
    )


def check(results: Path, **cells: str) -> verify.Check:
    """The verdict on the first row, where the recomputed one has other cells."""
    opened = open_results(results)
    trial = opened.trials[0]
    stored = opened.rows[trial.key]
    return verify.compare_rows(trial, stored, TrialRecord.from_row(stored.to_row() | cells))


@pytest.mark.parametrize(
    ("cell", "factor", "added", "verdict"),
    [
        ("objective", 1 + 1e-12, 0, verify.ROUNDED),
        ("objective", 1 + 1e-6, 0, verify.DIFFERENT),
        ("accuracy", 1, -0.0099, verify.ROUNDED),
        ("accuracy", 1, -0.0101, verify.DIFFERENT),
        ("n_iter", 1, 1, verify.ROUNDED),
        ("fit_seed", 1, 1, verify.DIFFERENT),
    ],
)
def test_what_counts_as_rounding(made: Path, cell: str, factor: float, added: float, verdict: str) -> None:
    stored = store.read(made).trials[0].to_row()[cell]
    whole = stored.isdigit()
    value = int(stored) + int(added) if whole else float(stored) * factor + added
    assert check(made, **{cell: repr(value)}).verdict == verdict


@pytest.mark.parametrize(
    ("name", "stored", "again", "verdict"),
    [
        ("rcond", 0.001, 0.010, verify.DIFFERENT),
        ("rcond", 0.001, 0.001005, verify.ROUNDED),
        ("rcond", 3e-17, 0.0, verify.ROUNDED),
        ("settled", 300.0, 310.0, verify.DIFFERENT),
        ("single", 0.001, 0.010, verify.ROUNDED),
    ],
)
def test_metrics_that_are_not_in_percent_differ_by_their_size(
    made: Path, name: str, stored: float, again: float, verdict: str
) -> None:
    trial = open_results(made).trials[0]
    first, second = (replace(ROW, key=trial.key, metrics={name: value}) for value in (stored, again))
    assert verify.compare_rows(trial, first, second).verdict == verdict


def test_version_and_label_do_not_count(made: Path) -> None:
    assert check(made, version="9", label="x").verdict == verify.SAME


def test_a_sample_is_random_in_plan_order_and_repeats_with_a_seed(made: Path) -> None:
    trials = open_results(made).trials
    assert verify.sample(trials, 3, seed=1) == verify.sample(trials, 3, seed=1)
    chosen = {tuple(trial.key for trial in verify.sample(trials, 2)) for _ in range(60)}
    assert len(chosen) > 3
    order = {trial.key: position for position, trial in enumerate(trials)}
    assert all(order[first] < order[second] for first, second in chosen)
    assert verify.sample(trials, 100) == list(trials)


@pytest.mark.usefixtures("in_process")
def test_the_row_that_was_traced_is_verified(results: Path) -> None:
    where = ["--where", "draw=0", "--where", "k=2"]
    result = invoke("verify", results, *where, "-a", "nlcf", "--jobs", "1")
    assert result.exit_code == 0, result.output
    assert "computing 1 of 1 rows again" in result.output
    assert "NLCF (k 2, draw 0): the same" in result.output
    wrong = invoke("verify", results, "--where", "drow=0")
    assert "no coordinate 'drow'; did you mean draw?" in str(wrong.exception)


@pytest.mark.usefixtures("in_process")
def test_what_two_verify_at_once_is_kept_of_both(results: Path) -> None:
    opened = open_results(results)
    first, second = opened.trials[:2]
    slow = verify.verify(opened, [first])
    next(slow)
    assert len([*verify.verify(opened, [second])]) == 1
    assert [*slow] == []
    assert read_verified(results).rows.keys() == {first.key, second.key}


@pytest.mark.usefixtures("in_process")
def test_what_was_verified_is_written_down_before_the_end(
    results: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(verify, "EVERY", 0.0)
    opened = open_results(results)
    for count, _ in enumerate(verify.verify(opened, opened.trials), start=1):
        assert len(read_verified(results).rows) == count  # as a process that is killed now would leave it


@pytest.mark.usefixtures("in_process")
def test_failed_and_missing_trials_are_left_out(results: Path) -> None:
    spoil(unseal(results), 0, status="failed", error="took too long")
    result = invoke("verify", results, "--sample", "2", "--seed", "1", "--jobs", "1")
    assert result.exit_code == 0
    assert "computing 2 of 5 rows again" in result.output
    assert "left out: 1 failed trial\n" in result.output


def test_a_method_of_another_revision_is_left_out(results: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(NLCF, "revision", NLCF.revision + 1)
    opened = open_results(results)
    assert opened.changed == {"NLCF": "another revision of the method, or of how its data is drawn, now"}
    assert {trial.label for trial in opened.trials} == {"NMF"}


@pytest.mark.usefixtures("in_process")
def test_of_columns_that_are_asked_for_alone_it_is_said_why_they_are_left_out(
    results: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(NLCF, "revision", NLCF.revision + 1)
    other = invoke("verify", results, "--algorithm", "NLCF")
    assert "nothing to verify there: NLCF: another revision of the method" in str(other.exception)
    assert "NLCF" not in invoke("verify", results, "--algorithm", "NMF", "--jobs", "1").output
    every = invoke("verify", results, "--all", "--jobs", "1").output
    assert every.splitlines()[-1] == "  3 the same, of 6 rows"


def test_other_data_is_refused_and_moved_data_can_be_named(made: Path, results: Path, tmp_path: Path) -> None:
    run_json = json.loads((unseal(results) / "run.json").read_text())
    run_json["spec"]["dataset"]["file"] = str(tmp_path / "gone.npz")
    (results / "run.json").write_text(json.dumps(run_json))
    with pytest.raises(NmfreproError, match=r"gone.npz"):
        open_results(results)
    moved = made.parent.parent / "tiny.npz"
    assert len(open_results(results, file=moved).trials) == 6
    write_data(tmp_path, seed=5)
    with pytest.raises(ResultsError, match=r"made with data of sha256 .* but here is"):
        open_results(results, file=tmp_path / "tiny.npz")


@pytest.mark.parametrize(
    "damage",
    [
        lambda spec: spec.pop("protocol"),
        lambda spec: spec["protocol"].update(kind="another"),
        lambda spec: spec["algorithms"][0].update(algorithm="another"),
        lambda spec: spec["algorithms"][0].update(parameters=[1]),
        lambda spec: spec["algorithms"][0]["parameters"].update(another=1),
        lambda spec: spec.update(algorithms=3),
        lambda spec: spec["dataset"].update(scale="another"),
        lambda spec: spec.update(seed=None),
    ],
)
def test_a_recorded_spec_that_cannot_be_run_is_one_line(
    results: Path, damage: Callable[[dict[str, Any]], object]
) -> None:
    run_json = json.loads((results / "run.json").read_text())
    damage(run_json["spec"])
    (results / "run.json").write_text(json.dumps(run_json))
    with pytest.raises(NmfreproError, match=r"run\.json|nothing to verify") as told:
        open_results(results)
    assert "\n" not in str(told.value)


def test_every_setting_survives_the_way_through_run_json(tmp_path: Path) -> None:
    spec = read_spec(write_spec(tmp_path, EVERYTHING))
    prepared = prepare(spec)
    back = recorded_spec(
        run_record(spec, prepared.dataset, prepared.plan, prepared.samples.content_beside), tmp_path
    )
    assert [trial.key for trial in prepare(back).plan] == [trial.key for trial in prepared.plan]
    assert spec_record(back) == replace(spec_record(spec), keep=(), inferred=())


def keys(results: Path) -> list[str]:
    """Keys of all rows."""
    return list(store.read_trials(results).by_key)


@pytest.fixture
def changed(results: Path, made: Path, tmp_path: Path) -> tuple[Path, list[str]]:
    """Results whose spec has changed since: six rows are asked for, three are not, and the six keys."""
    spec = write_spec(made.parent.parent, TEXT.replace("mu: 0.1", "mu: 0.5"))
    prepared = prepare(read_spec(spec))
    run_quietly(prepared, tmp_path)
    return results, [trial.key for trial in prepared.plan]


def test_clean_says_what_it_drops_and_asks(changed: tuple[Path, list[str]]) -> None:
    results, asked = changed
    before = (results / "trials.csv").read_bytes()
    stray = results / "arrays" / "00000000000000aa.npz"
    stray.parent.mkdir()
    np.savez(stray, a=1)
    refused = invoke("clean", results, input="n\n")
    assert refused.exit_code == 0
    assert refused.output.endswith("Drop them? (--yes does not ask) [y/N]: n\n  nothing removed\n")
    assert "6 rows are asked for by the spec it was last run with" in refused.output
    assert '  to drop: 3 rows of NLCF: {"mu":0.1}, seed 1, 30 iterations' in refused.output
    assert "  to drop: 1 file in arrays/ without a row\n" in refused.output
    assert (results / "trials.csv").read_bytes() == before
    assert stray.exists()

    dropped = invoke("clean", results, "--yes")
    assert dropped.exit_code == 0, dropped.output
    assert keys(results) == asked
    assert not stray.exists()
    assert store.read(results).others == 0
    again = invoke("clean", results)
    assert again.output == f"{results}: nothing to drop, all 6 rows are asked for\n"


ROW = TrialRecord(key="", coordinates={}, algorithm="nmf", label="NMF", status="ok")


def row_of(label: str, parameters: str, n_iter: int | None = None, status: str = "ok") -> TrialRecord:
    """What `clean` looks at in a row."""
    return replace(ROW, label=label, status=status, parameters=parameters, seed=1, n_iter=n_iter)


def test_clean_groups_rows_by_their_settings_however_long_their_trials_took() -> None:
    rows = [
        row_of("Kmeans", "{}", 9),
        row_of("NLCF", '{"mu":1}', 30),
        row_of("Kmeans", "{}", 11),
        row_of("Kmeans", "{}", status="failed"),
        row_of("Kmeans", '{"restarts":3}', 1),
        row_of("PCA", "{}", status="failed"),
    ]
    found = {settings: (len(group), ends(group)) for settings, group in by_settings(rows).items()}
    assert found == {
        "Kmeans: {}, seed 1": (3, "9 to 11 iterations, 1 failed"),
        'NLCF: {"mu":1}, seed 1': (1, "30 iterations"),
        'Kmeans: {"restarts":3}, seed 1': (1, "1 iteration"),
        "PCA: {}, seed 1": (1, "failed"),
    }


def test_clean_says_one_row_of_a_single_one(changed: tuple[Path, list[str]]) -> None:
    results, asked = changed
    path = results / "trials.csv"
    lines = path.read_text().splitlines(keepends=True)
    unasked = [line for line in lines[1:] if line.split(",")[0] not in asked]
    path.write_text("".join(line for line in lines if line not in unasked[1:]))
    dropped = invoke("clean", results, input="y\n")
    assert dropped.exit_code == 0
    assert '  to drop: 1 row of NLCF: {"mu":0.1}, seed 1, 30 iterations\n' in dropped.output
    assert dropped.output.endswith("  dropped; 6 rows are left\n")


def test_clean_waits_for_no_run_and_takes_nothing_from_it(changed: tuple[Path, list[str]]) -> None:
    results, _ = changed
    with Store(results):
        result = invoke("clean", results, "--yes")
    assert result.exit_code == 2
    assert "another run is writing here" in str(result.exception)
    assert len(keys(results)) == 9


def test_trials_are_compared_by_their_own_settings(made: Path) -> None:
    trial = open_results(made).trials[0]
    assert isinstance(trial, Task)
    row = replace(ROW, key=trial.key, objective=1.0)
    other = replace(row, objective=1.00001)
    assert verify.compare_rows(trial, row, other).verdict == verify.DIFFERENT
    single = replace(trial, fit=replace(trial.fit, dtype="float32"))
    assert verify.compare_rows(single, row, other).verdict == verify.ROUNDED
