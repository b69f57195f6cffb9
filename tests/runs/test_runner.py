"""Runs: what is computed, what is kept, and that the bytes of the results do not depend on how."""

from __future__ import annotations

import re
import socket
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tiny import COLUMNS, entry, make_spec, run_quietly, trials_csv, unseal, write_data

from nmfrepro import algorithms
from nmfrepro.analysis.tables import make_table
from nmfrepro.core.errors import DataError, ResultsError, SpecError
from nmfrepro.core.problem import Fit
from nmfrepro.protocols import Outcome
from nmfrepro.protocols.clustering import Clustering
from nmfrepro.protocols.runtime import Runtime
from nmfrepro.results import folder as store
from nmfrepro.results.arrays import array_path, load_arrays
from nmfrepro.results.merge import merge
from nmfrepro.results.record import TrialRecord
from nmfrepro.results.store import Store
from nmfrepro.results.times import Times
from nmfrepro.runs import prepare, record
from nmfrepro.runs.progress import Progress

here = pytest.mark.usefixtures("in_process")


@pytest.fixture(scope="module")
def unbroken(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """trials.csv of a run without anything special."""
    folder = tmp_path_factory.mktemp("unbroken")
    summary = run_quietly(make_spec(folder, COLUMNS), folder)
    assert (summary.planned, summary.present, summary.failed, summary.computed) == (6, 6, 0, 6)
    assert sorted(summary.phases) == ["all", "draw", "fit", "read", "score"]
    return trials_csv(folder)


def test_any_number_of_workers_gives_the_same_bytes(tmp_path: Path, unbroken: bytes) -> None:
    run_quietly(make_spec(tmp_path, COLUMNS), tmp_path, jobs=4)
    assert trials_csv(tmp_path) == unbroken


def test_a_method_alone_and_in_another_order_has_the_same_rows(tmp_path: Path, unbroken: bytes) -> None:
    run_quietly(make_spec(tmp_path, COLUMNS[1:]), tmp_path)
    alone = trials_csv(tmp_path).splitlines()
    assert set(alone) < set(unbroken.splitlines())
    summary = run_quietly(make_spec(tmp_path, COLUMNS[::-1]), tmp_path, jobs=2)
    assert summary.computed == 3  # the other method only
    turned = trials_csv(tmp_path).splitlines()
    assert sorted(turned) == sorted(unbroken.splitlines())
    # Back in the first order nothing is computed, and the file is as if it had always been so.
    assert run_quietly(make_spec(tmp_path, COLUMNS), tmp_path).computed == 0
    assert trials_csv(tmp_path) == unbroken


def test_a_run_that_is_broken_off_again_and_again_ends_with_the_same_bytes(
    tmp_path: Path, unbroken: bytes
) -> None:
    spec, finished = make_spec(tmp_path, COLUMNS), Progress.finished
    for kept, after in ((1, 1), (4, 3)):

        def stop(work: Progress, key: str, seconds: float, after: int = after) -> None:
            """End the run, as an error somewhere would, after some trials."""
            finished(work, key, seconds)
            if work.done == after:
                raise KeyboardInterrupt

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(Progress, "finished", stop)
            with pytest.raises(KeyboardInterrupt):
                run_quietly(spec, tmp_path)
        assert len(store.read(tmp_path / "tiny").frame) == kept
    assert run_quietly(spec, tmp_path).computed == 2
    assert trials_csv(tmp_path) == unbroken


def test_the_repeats_are_not_copies_of_each_other(unbroken: bytes) -> None:
    header, *rows = [line.split(",") for line in unbroken.decode().splitlines()]
    seeds = {(row[1], row[2]): row[-header[::-1].index("fit_seed") - 1] for row in rows}
    assert len(set(seeds.values())) == len(seeds) == 3


@here
def test_the_stored_seed_makes_the_fit_again_alone(tmp_path: Path) -> None:
    from nmfrepro import factorize

    spec = make_spec(tmp_path, [entry("nmf")], protocol={"clusters": [3]}, keep=("labels", "factors"))
    run_quietly(spec, tmp_path)
    row = store.read(tmp_path / "tiny").frame.iloc[0]
    stored = load_arrays(array_path(tmp_path / "tiny", row["key"]))
    X = prepare(spec).samples.X[stored["samples"]]
    again = factorize(X.T, "nmf", 3, seed=int(row["fit_seed"]), restarts=2, max_iter=30)
    assert again.embedding is not None
    assert np.array_equal(again.embedding.argmax(axis=1), stored["labels"])
    assert again.restart == row["restart"]


@here
def test_a_changed_setting_computes_what_changed_and_the_old_rows_stay_out(tmp_path: Path) -> None:
    run_quietly(make_spec(tmp_path, COLUMNS), tmp_path)
    first = trials_csv(tmp_path)
    for changes, computed in (
        ({"entries": (COLUMNS[0], entry("nlcf", mu=0.2))}, 3),
        ({"entries": (COLUMNS[0], entry("nlcf", mu=0.1, fit={"max_iter": 5}))}, 3),
        ({"protocol": {"repeats": 3}}, 2),
        ({"seed": 2}, 6),
        ({"entries": (entry("nmf", "renamed"), COLUMNS[1])}, 0),
    ):
        spec = make_spec(tmp_path, changes.pop("entries", COLUMNS), **changes)
        assert run_quietly(spec, tmp_path).computed == computed
        found = store.read(tmp_path / "tiny")
        assert len(found.frame) == len(found.trials) == len(prepare(spec).plan)
        assert set(found.frame["label"]) == {each.label for each in spec.entries}
    assert found.others == 14
    assert run_quietly(make_spec(tmp_path, COLUMNS), tmp_path).computed == 0
    assert trials_csv(tmp_path).startswith(first)


@here
def test_data_that_changed_is_computed_anew(tmp_path: Path) -> None:
    spec = make_spec(tmp_path, COLUMNS[:1])
    run_quietly(spec, tmp_path)
    write_data(tmp_path, seed=1)
    assert run_quietly(spec, tmp_path).computed == 3
    assert store.read(tmp_path / "tiny").others == 3


def test_a_failed_trial_is_a_row_with_its_reason_and_is_tried_again(tmp_path: Path) -> None:
    flag = str(tmp_path / "flag")
    columns = [entry("scripted", "dies once", does="kill", flag=flag), entry("scripted", "bug", does="bug")]
    spec = make_spec(tmp_path, [*columns, entry("scripted")], protocol={"clusters": [3]})
    summary = run_quietly(spec, tmp_path)
    assert (summary.planned, summary.present, summary.failed) == (3, 1, 2)
    frame = store.read(tmp_path / "tiny").frame
    assert frame["status"].tolist() == ["failed", "failed", "ok"]
    assert frame["error"][0].startswith("the worker process died (SIGKILL")
    assert frame["error"][1].startswith("ZeroDivisionError")
    assert frame["accuracy"].isna().tolist() == [True, True, False]

    kept = run_quietly(spec, tmp_path, keep_failed=True)
    assert (kept.computed, kept.present, kept.failed) == (0, 1, 2)
    again = run_quietly(spec, tmp_path)
    assert (again.computed, again.present, again.failed) == (2, 2, 1)
    assert store.read(tmp_path / "tiny").frame["status"].tolist() == ["ok", "failed", "ok"]


@here
def test_results_that_are_no_numbers_are_failures(tmp_path: Path) -> None:
    spec = make_spec(tmp_path, [entry("scripted", does="infinite")], protocol={"clusters": [3]})
    assert run_quietly(spec, tmp_path).failed == 1
    frame = store.read(tmp_path / "tiny").frame
    assert frame["error"].tolist() == ["objective is infinite"]
    assert frame["accuracy"].isna().all()


DIFFER = "metrics of its outcome and of class Clustering differ in"
PROTOCOL = Clustering(clusters=(2,))
SCORES = dict.fromkeys(Clustering.metrics, 0.5) | {"sparseness": np.nan}


def outcome(**changes: Any) -> Outcome:
    """An outcome of a clustering."""
    fits = {name: changes.pop(name) for name in ("objective", "n_iter") if name in changes}
    found = replace(Fit({}, None, objective=np.array([1.5]), n_iter=3, converged=True), **fits)
    return replace(Outcome(found, 7, np.arange(3), SCORES, ("a\nb", "c")), **changes)


@pytest.mark.parametrize(
    ("changes", "error"),
    [
        ({}, ""),
        ({"objective": np.array([2.5, np.nan])}, ""),
        ({"objective": np.array([-np.inf])}, "objective is infinite"),
        ({"metrics": SCORES | {"accuracy": np.inf}}, "accuracy is infinite"),
        ({"metrics": dict.fromkeys(SCORES, np.nan)}, "no metric is a number"),
        ({"metrics": SCORES | {"accuracy": np.nan}}, "accuracy is not a number"),
        ({"metrics": SCORES | {"accuracy": 1.5}}, "accuracy is 1.5, and must be from 0 to 1"),
        ({"metrics": SCORES | {"ari": -1}}, "ari is -1.0, and must be from -0.5 to 1"),
        (
            {"metrics": SCORES | {"rate": 1}},
            f"{DIFFER} rate; give a value of all, NaN where one does not apply",
        ),
        # What a method of a user's may return.
        ({"notes": (3,)}, "notes are (3,), and must be texts"),
        ({"notes": "done"}, "notes are 'done', and must be texts"),
        ({"n_iter": -5}, "n_iter is -5, and must be a count"),
        ({"n_iter": 2.5}, "n_iter is 2.5, and must be a count"),
        ({"metrics": SCORES | {"nmi": None}}, "nmi is None, and must be a number"),
        ({"kept": {"U": np.array([None])}}, "U is an array of objects, and must be one of numbers"),
    ],
)
def test_what_counts_as_a_result(tmp_path: Path, changes: dict[str, Any], error: str) -> None:
    trial = prepare(make_spec(tmp_path)).plan[0]
    made = record.trial_record(PROTOCOL, trial, outcome(**changes), (), Times())
    assert (made.status, made.error) == ("failed" if error else "ok", error)
    assert ("accuracy" in made.metrics) == (not error)
    assert made.arrays is None


def test_a_reason_is_short_whatever_a_method_has_put_into_it(tmp_path: Path) -> None:
    trial = prepare(make_spec(tmp_path)).plan[0]
    made = record.trial_record(PROTOCOL, trial, outcome(n_iter="x" * 9000), (), Times())
    assert len(made.error) < 1000
    assert made.error.startswith("n_iter is 'xxx")
    assert made.error.endswith("xxx', and must be a count")


def test_a_row_is_one_line_of_plain_values(tmp_path: Path) -> None:
    trial = prepare(make_spec(tmp_path, [entry("nmf", 'a "b", c')])).plan[0]
    made = record.trial_record(PROTOCOL, trial, outcome(), (), Times())
    row = made.to_row()
    assert (row["notes"], row["objective"], row["converged"]) == ("a b; c", "1.5", "1")
    assert (row["label"], "sparseness" in row) == ('a "b", c', False)
    assert TrialRecord.from_row(row) == replace(made, times=Times())
    assert record.failed(trial, "", Times()).error == "no reason given"


@pytest.mark.parametrize("note", ["a; b", "a;\nb", "a;\tb; c"])
def test_a_note_stays_one_note_whatever_it_says(tmp_path: Path, note: str) -> None:
    trial = prepare(make_spec(tmp_path)).plan[0]
    made = record.trial_record(PROTOCOL, trial, outcome(notes=(note, "other")), (), Times())
    first, second = made.notes.split("; ")
    assert first == ", ".join(re.findall(r"\w", note))
    assert second == "other"


def test_long_parameters_are_given_by_their_hash(tmp_path: Path) -> None:
    matrix = np.eye(80).tolist()
    trial = prepare(make_spec(tmp_path, [entry("tnmf", lam=0.1, pooling=matrix)])).plan[0]
    made = record.trial_record(PROTOCOL, trial, outcome(), (), Times())
    assert made.parameters.startswith("sha256 ")


@here
def test_spaces_of_any_kind_in_a_name_are_plain_ones_in_rows(tmp_path: Path) -> None:
    spec = make_spec(tmp_path, [entry("nmf", "NMF\u00a0new\u200b")])
    run_quietly(spec, tmp_path)
    before = trials_csv(tmp_path)
    assert run_quietly(spec, tmp_path).computed == 0
    assert trials_csv(tmp_path) == before
    assert store.read(tmp_path / "tiny").trials[0].ok


@here
def test_only_leaves_the_others_for_later(tmp_path: Path, unbroken: bytes) -> None:
    spec = make_spec(tmp_path, COLUMNS)
    summary = run_quietly(spec, tmp_path, only=["nlcf"])
    assert (summary.planned, summary.present, summary.left) == (3, 3, 3)
    assert run_quietly(spec, tmp_path).left == 0
    assert trials_csv(tmp_path) == unbroken


@here
def test_fresh_computes_anew_and_with_only_just_that(tmp_path: Path, unbroken: bytes) -> None:
    spec = make_spec(tmp_path, COLUMNS)
    run_quietly(spec, tmp_path)
    path = unseal(tmp_path / "tiny") / "trials.csv"
    path.write_bytes(unbroken.replace(b",30,", b",29,"))  # what looks like a result is not computed again
    assert run_quietly(spec, tmp_path).computed == 0
    assert run_quietly(spec, tmp_path, fresh=True, only=["nmf"]).computed == 3
    assert trials_csv(tmp_path).count(b",29,") == 3
    assert run_quietly(spec, tmp_path, fresh=True).computed == 6
    assert trials_csv(tmp_path) == unbroken
    assert len(list(path.parent.glob("trials.before-fresh-*.csv"))) == 2


@here
def test_times_that_several_machines_took_are_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for host, entries, told in (("one", [entry("nmf")], 0), ("two", [entry("nmf"), entry("nlcf")], 1)):
        monkeypatch.setattr(socket, "gethostname", lambda host=host: host)
        spec = make_spec(tmp_path, entries, metrics=("seconds",))
        timed = replace(spec, protocol=Runtime(classes=(2,), timings=1))
        folder = run_quietly(timed, tmp_path).folder
        every = make_table(store.read(folder)).notes
        notes = [each for each in every if each.startswith("Timed on several machines")]
        assert len(notes) == told
    assert notes[0].endswith("not comparable: NMF on one; NLCF on two.")


def test_a_torn_row_is_told_and_computed_again(tmp_path: Path, unbroken: bytes) -> None:
    spec, said = make_spec(tmp_path, COLUMNS), list[str]()
    run_quietly(spec, tmp_path)
    (tmp_path / "tiny" / "trials.csv").write_bytes(unbroken[:-9])
    assert run_quietly(spec, tmp_path, announce=said.append).computed == 1
    assert said == [f"{tmp_path}/tiny/trials.csv: a half-written last row was dropped; its trial runs again."]
    assert trials_csv(tmp_path) == unbroken


def test_when_a_row_cannot_be_kept_the_run_ends_and_the_workers_with_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import multiprocessing

    add = Store.add

    def add_once(self: Store, *arguments: Any) -> None:
        if self.rows:
            raise ResultsError("trials.csv: cannot be written (No space left on device)")
        add(self, *arguments)

    monkeypatch.setattr(Store, "add", add_once)
    columns = [entry("scripted", each, does=each) for each in ("nothing", "nap", "hang")]
    with pytest.raises(ResultsError, match="No space left") as told:
        run_quietly(make_spec(tmp_path, columns, protocol={"clusters": [3]}), tmp_path, jobs=3)
    assert told.tb is not None  # which holds all frames of the run, so that none of them is at its end yet
    assert len(store.read(tmp_path / "tiny").frame) == 1
    assert not multiprocessing.active_children()


def test_long_trials_start_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    order: list[float] = []

    def note(work: Progress) -> None:
        order.extend(weight for _, weight in work.weights.values())
        raise KeyboardInterrupt

    monkeypatch.setattr(Progress, "__enter__", note)
    with pytest.raises(KeyboardInterrupt):
        run_quietly(make_spec(tmp_path, COLUMNS), tmp_path)
    assert len(set(order)) == 2
    assert order == sorted(order, reverse=True)


@here
def test_a_folder_that_held_other_settings_is_told_of(tmp_path: Path) -> None:
    def said(fresh: bool = False, **changes: Any) -> str:
        told: list[str] = []
        spec = replace(make_spec(tmp_path, COLUMNS), **changes)
        run_quietly(spec, tmp_path, announce=told.append, fresh=fresh)
        return "".join(told)

    assert said() == ""
    assert said() == ""
    told = said(seed=2, overrides=("seed=2",))
    assert "held this spec with other settings (as in its file)" in told
    assert "give the results another folder" in told
    assert said(seed=2, overrides=("seed=2",)) == ""
    assert "other settings (--set seed=2)" in said()
    write_data(tmp_path, seed=1)
    assert "held other data (tiny, sha256 " in said()
    kept = tmp_path / "tiny" / "trials.before-fresh-1.csv"
    told = said(fresh=True, seed=3, overrides=("seed=3",))
    assert told == f"  note    the rows that were there are kept in {kept}"


@here
def test_where_run_json_is_lost_nobody_vouches_for_the_rows(tmp_path: Path) -> None:
    spec, told = make_spec(tmp_path, COLUMNS), list[str]()
    path = tmp_path / "tiny" / "run.json"
    run_quietly(spec, tmp_path, announce=told.append)
    path.write_text(path.read_text().replace("tiny", "tony", 1))
    run_quietly(spec, tmp_path, announce=told.append)
    path.unlink()
    run_quietly(spec, tmp_path, announce=told.append)
    run_quietly(spec, tmp_path, announce=told.append)
    assert len(told) == 2
    for each in told:
        assert f"{path} is missing or damaged: whether the 6 rows there were edited" in each


@here
def test_that_nobody_vouches_for_rows_stands_under_tables_as_long_as_they_are_there(tmp_path: Path) -> None:
    spec, path = make_spec(tmp_path, COLUMNS), tmp_path / "tiny" / "run.json"

    def said(**options: Any) -> str:
        run_quietly(spec, tmp_path, **options)
        return " ".join(re.findall(r"^Of unknown origin: \d+ of \d+ rows", notes(tmp_path / "tiny")[0]))

    assert said() == ""
    path.unlink()
    assert said() == said() == "Of unknown origin: 6 of 6 rows"
    assert said(fresh=True, only=["nmf"]) == "Of unknown origin: 3 of 6 rows"
    merge([tmp_path / "tiny"], tmp_path / "merged")
    assert notes(tmp_path / "merged")[0].startswith("Of unknown origin: 3 of 6 rows")
    assert said(fresh=True) == ""


def notes(folder: Path) -> tuple[str, ...]:
    return make_table(store.read(folder)).notes


@here
def test_run_json_says_with_what_the_results_were_made(tmp_path: Path) -> None:
    prepared = prepare(make_spec(tmp_path, COLUMNS))
    run_quietly(prepared, tmp_path, only=["nmf"])
    made = store.read_run(tmp_path / "tiny")
    assert made.dataset.sha256 == prepared.dataset.sha256
    assert made.cells == ({"k": 2, "draw": 0}, {"k": 2, "draw": 1}, {"k": 3, "draw": 0})
    assert [column.label for column in made.columns] == ["NMF", "NLCF"]
    environment = made.environment
    assert {"numpy", "scipy", "scikit-learn", "pillow"} <= environment.packages.keys()
    assert environment.threads == 1
    assert environment.blas
    assert environment.processor


@pytest.mark.parametrize(
    ("changes", "error", "message"),
    [
        ({"protocol": {"clusters": [2, 4]}}, SpecError, r"tiny.yaml: .*k = 4.*3 classes"),
        (
            {"dataset": {"scale": "l2", "levels": None, "file": "negative.npz"}},
            DataError,
            "negative",
        ),
    ],
)
def test_what_does_not_fit_the_data_is_refused_before_any_work(
    tmp_path: Path, changes: dict[str, Any], error: type[Exception], message: str
) -> None:
    write_data(tmp_path)
    with np.load(tmp_path / "tiny.npz") as data:
        np.savez(tmp_path / "negative.npz", fea=data["fea"] - 100, gnd=data["gnd"])
    if "dataset" in changes:
        changes["dataset"]["file"] = str(tmp_path / changes["dataset"]["file"])
    with pytest.raises(error, match=message):
        prepare(make_spec(tmp_path, COLUMNS, **changes))


# cim_nmf's restarts are not comparable at its default; the images of the data have no shape.
UNSUPERVISED = [
    entry(name, fit={"restarts": 1} if name == "cim_nmf" else None, **cls.example)
    for name, cls in algorithms.registry().items()
    if not (cls.needs_labels or cls.needs_image_shape)
]


@pytest.mark.parametrize("assign", ["argmax", "kmeans"])
@pytest.mark.parametrize("column", UNSUPERVISED, ids=lambda column: column.algorithm.name)
def test_labels_choose_nothing(tmp_path: Path, column: Any, assign: str) -> None:
    """Fits, restarts and clusters of a method without labels are those of any other labelling."""
    spec = make_spec(tmp_path, [column], protocol={"clusters": [3], "assign": assign})
    prepared = prepare(spec)
    samples, task = prepared.samples, prepared.plan[0]
    shuffled = replace(samples, y=np.random.default_rng(1).permutation(samples.y))
    true, false = (spec.protocol.run(task, each) for each in (samples, shuffled))
    assert np.array_equal(true.arrays["labels"], false.arrays["labels"])
    assert (true.fit.restart, true.fit.n_iter) == (false.fit.restart, false.fit.n_iter)
    assert np.array_equal(true.objective, false.objective, equal_nan=True)
    # One cluster of all samples scores alike whatever the labels are.
    one = len(np.unique(true.arrays["labels"])) == 1
    assert one or true.metrics["accuracy"] != false.metrics["accuracy"]


def test_of_the_restarts_the_lowest_objective_is_kept_not_the_best_score(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from nmfrepro.algorithms.engine import solver

    seen: list[Sequence[Any]] = []
    best: Callable[..., Fit] = solver._best

    def spy(algorithm: Any, problem: Any, finished: Sequence[Any]) -> Fit:
        seen.append(finished)
        return best(algorithm, problem, finished)

    monkeypatch.setattr(solver, "_best", spy)
    spec = make_spec(tmp_path, [entry("nmf", fit={"restarts": 8})], protocol={"clusters": [3]})
    prepared = prepare(spec)
    found = spec.protocol.run(prepared.plan[0], prepared.samples)
    objectives = {each.restart: each.trace[-1] for each in seen[0]}
    assert len(objectives) == 8
    assert found.fit.restart == min(objectives, key=lambda restart: objectives[restart])
