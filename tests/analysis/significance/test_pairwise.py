"""Pairs of methods over the draws of a run, and over datasets."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from handmade import with_columns, write_results

from nmfrepro import protocols
from nmfrepro.analysis.significance import SignedRank
from nmfrepro.analysis.significance.pairwise import matrix, pairwise
from nmfrepro.analysis.significance.scores import Scores, Where, of_results, of_runs
from nmfrepro.core.errors import ResultsError
from nmfrepro.core.options import options_of
from nmfrepro.results.folder import Results
from nmfrepro.results.record import FitRecord
from nmfrepro.views.significance import document


def scored(**trials: Mapping[Where, float]) -> Scores:
    means = np.array([[np.mean(list(each.values())) for each in trials.values()]])
    return Scores(
        "here", protocols.metrics()["accuracy"], "k", tuple(trials), ("2",), means, trials, (), {(2,): 0.05}
    )


def test_only_trials_that_all_methods_share_are_used() -> None:
    first = {(2, draw): 0.5 + 0.01 * draw for draw in range(8)}
    better = {trial: value + 0.1 + 0.001 * trial[1] for trial, value in first.items()}
    partly = {trial: value for trial, value in first.items() if trial[1] < 6}
    found = pairwise(scored(a=first, b=better, c=partly))
    assert [(each.first, each.second, each.n) for each in found] == [
        ("a", "b", 6),
        ("a", "c", 6),
        ("b", "c", 6),
    ]
    assert found[0].test.p == pytest.approx(2 / 2**6)
    assert found[0].p_holm == pytest.approx(6 / 2**6)
    assert (found[0].wins, found[0].losses, found[1].ties) == (0, 6, 6)
    assert (found[0].test.sign, found[1].test) == (-1, SignedRank(1, 0))
    assert pairwise(scored(a={(1, 0): 1.0}, b={(2, 0): 1.0})) == []
    lead = matrix(found)
    assert lead["a", "b"].gain.mean == -lead["b", "a"].gain.mean
    assert lead["b", "a"].win_tie_loss == "6/0/0"
    assert lead["b", "a"].turned == lead["a", "b"]


def test_the_better_method_is_the_one_that_the_test_names() -> None:
    """Twenty ties in 32 draws, of which twelve are won: the median is 0 and says nothing."""
    second = {(2, draw): 0.0 for draw in range(32)}
    often = {trial: 0.01 if trial[1] < 12 else 0.0 for trial in second}
    (found,) = pairwise(scored(a=often, b=second))
    assert (found.test.p, found.test.sign) == (pytest.approx(2 / 2**12), 1)
    assert found.clear(0.05)
    assert found.turned.clear(0.05)
    # Fewer, but far larger gains: the mean is ahead where the test names the other.
    rarely = {trial: -0.01 if trial[1] < 30 else 9.0 for trial in second}
    (found,) = pairwise(scored(a=rarely, b=second))
    assert found.gain.mean > 0 > found.test.sign
    assert found.p_holm < 0.05
    assert not found.clear(0.05)


def test_differences_of_one_size_tie_despite_rounding() -> None:
    first = {(2, draw): 0.1 * draw for draw in range(5)}
    second = {trial: value + 0.1 for trial, value in first.items()}
    assert pairwise(scored(a=first, b=second))[0].test.p == pytest.approx(2 / 2**5)


def test_wins_ties_and_losses_are_counted_over_all_rows() -> None:
    second = {(k, draw): 0.0 for k in (2, 3) for draw in range(3)}
    first = dict(zip(second, (1.0, 0.0, -2.0, 3.0, 3.0, 3.0), strict=True))
    (found,) = pairwise(scored(a=first, b=second))
    assert (found.wins, found.ties, found.losses) == (4, 1, 1)
    assert found.gain.mean == pytest.approx((-1 / 3 + 3) / 2)
    (single,) = pairwise(scored(a={(2, 0): 1.0}, b={(2, 0): 0.0}))
    assert single.posterior is None


def test_a_control_is_held_against_each_other_method() -> None:
    random = np.random.default_rng(0)
    trials = {name: {(2, i): float(x) for i, x in enumerate(random.normal(size=9))} for name in "abcd"}
    found = pairwise(scored(**trials), control="c")
    assert [(each.first, each.second) for each in found] == [("c", "a"), ("c", "b"), ("c", "d")]
    assert max(each.p_holm for each in found) <= 3 * max(each.test.p for each in found)
    with pytest.raises(ResultsError, match="control: x: no such method"):
        pairwise(scored(**trials), control="x")


def test_draws_are_correlated_by_the_classes_they_share(tmp_path: Path) -> None:
    found = of_results(write_results(tmp_path / "r", lambda label, at: 0.5))
    assert found.correlations == {(2,): 2 / 40, (4,): 4 / 40, (40,): 1.0}
    cells = [{"train": 2, "k": 4, "draw": d} for d in range(3)]
    splits = write_results(
        tmp_path / "s", lambda label, at: 0.5, cells=cells, metrics=["nn"], kind="recognition"
    )
    assert of_results(splits).correlations == {(2,): pytest.approx(320 / 400)}


@pytest.mark.parametrize("kind", protocols.registry())
def test_rows_are_left_out_of_probabilities_only_where_that_is_said(tmp_path: Path, kind: str) -> None:
    """Of every protocol: what draws have in common is its own to say, whatever its coordinates are called."""
    cls = protocols.get(kind)
    required = {name: [2] for name, each in options_of(cls).items() if each.required}
    places = [(k, draw) for k, draws in ((2, 3), (4, 3), (40, 2), (50, 2)) for draw in range(draws)]
    cells = [dict.fromkeys(cls.coordinates, min(k, 8)) | {"k": k, "draw": draw} for k, draw in places]
    spec = {"protocol": required}
    metric = next(iter(cls.metrics), None)
    if metric is None:
        return  # times alone, which stand elsewhere
    random = np.random.default_rng(0)
    run = write_results(
        tmp_path / "r",
        lambda label, at: float(random.uniform(0.4, 0.6)),
        columns=(("A", "nmf"), ("B", "nlcf"), ("C", "cf")),
        cells=cells,
        metrics=[metric],
        kind=kind,
        spec=spec,
    )
    scores = of_results(run)
    pairs = pairwise(scores)
    notes = document(scores, None, pairs, 0.05).sections[-1].notes
    said = {
        "clustering": ["Probabilities leave out k = 40, 50"],
        "readings": ["Probabilities leave out k = 40, 50"],
        "recognition": [],
    }.get(kind, ["There are no probabilities"])
    assert [note.partition(":")[0] for note in notes if "all their data in common" in note] == said
    known = said != ["There are no probabilities"]
    assert any("correlated t-test" in note for note in notes) == known
    assert any("the same in all rows (fully correlated)" in note for note in notes) == known
    assert all((each.posterior is not None) == known for each in pairs)


def over_datasets(*runs: Results) -> Scores:
    """Mean scores of several runs."""
    return of_runs([of_results(run) for run in runs])


def test_datasets_are_the_cases(tmp_path: Path) -> None:
    def run(dataset: str, lead: float) -> Any:
        levels = {"A": 0.5 + lead, "B": 0.5, "C": 0.4}
        return write_results(
            tmp_path / dataset,
            lambda label, at: levels[label],
            columns=(("A", "nmf"), ("B", "nlcf"), ("C", "cf")),
            dataset=dataset,
        )

    runs = [run("orl", 0.02), run("mnist", 0.04)]
    scores = over_datasets(*runs)
    assert (scores.rows, scores.labels, scores.datasets) == (("orl", "mnist"), ("A", "B", "C"), True)
    first = pairwise(scores)[0]
    assert (first.n, first.wins, first.gain.mean) == (2, 2, pytest.approx(3))
    assert first.posterior is not None
    assert first.posterior.first > 0.8
    (means, *_) = document(scores, None, pairwise(scores), 0.05).sections
    assert means.grid.rows[:2] == [
        ["method", "orl", "mnist", "mean", "first on"],
        ["A", "52.0 *", "54.0 *", "53.0", "2"],
    ]
    with pytest.raises(ResultsError, match="two runs on orl; a dataset counts once"):
        over_datasets(runs[0], runs[0])
    other = write_results(
        tmp_path / "other", lambda label, at: 0.5, columns=(("A", "gnmf"),), dataset="mnist"
    )
    with pytest.raises(ResultsError, match="A is nmf and gnmf; give one of them another name"):
        over_datasets(runs[0], other)


def test_settings_that_differ_between_datasets_are_told(tmp_path: Path) -> None:
    """What a run does not record, as a parameter of a later version, is no difference."""

    def run(dataset: str, parameters: dict[str, Any]) -> Results:
        results: Results = write_results(tmp_path / dataset, lambda label, at: 0.5, dataset=dataset)
        nmf, nlcf = results.run.columns
        return replace(results, run=with_columns(results.run, (nmf, replace(nlcf, parameters=parameters))))

    scores = over_datasets(run("orl", {"mu": 0.1}), run("mnist", {"mu": 1.0, "new": 2}))
    assert scores.notes == ("NLCF is not the same on every dataset: mu = 0.1 (orl), 1 (mnist).",)
    assert document(scores, None, pairwise(scores), 0.05).sections[-1].notes[-1] == scores.notes[0]


def test_options_that_records_leave_out_are_told_by_their_default(tmp_path: Path) -> None:
    def run(dataset: str, algorithm: str, solver: str | None, parameters: dict[str, Any]) -> Results:
        results: Results = write_results(
            tmp_path / dataset, lambda label, at: 0.5, columns=(("A", algorithm),), dataset=dataset
        )
        column = replace(results.run.columns[0], parameters=parameters, fit=FitRecord(solver=solver))
        return replace(results, run=with_columns(results.run, (column,)))

    told = "A is not the same on every dataset: "
    plain, other = run("orl", "gnmf", None, {}), run("mnist", "gnmf", None, {"unit_start": True})
    assert over_datasets(plain, other).notes == (f"{told}unit_start = false (orl), true (mnist).",)
    assert over_datasets(other, plain).notes == (f"{told}unit_start = true (mnist), false (orl).",)
    fast = f"{told}solver = printed (orl), fast (mnist)."
    for method in ("nmf", "of_a_plug_in_that_is_gone"):
        assert over_datasets(run("orl", method, None, {}), run("mnist", method, "fast", {})).notes == (fast,)


def test_a_parameter_that_trials_choose_is_not_told_by_its_default(tmp_path: Path) -> None:
    def run(dataset: str, mu: float, **choose: Any) -> Results:
        spec = {"protocol": {"clusters": [2, 4, 40], **choose}}
        results: Results = write_results(
            tmp_path / dataset, lambda label, at: 0.5, dataset=dataset, spec=spec
        )
        nmf, nlcf = results.run.columns
        columns = (nmf, replace(nlcf, parameters={"mu": mu, "sigma": 2.0}))
        return replace(results, run=with_columns(results.run, columns))

    choose = {"choose": {"mu": [0.5, 1.0]}}
    fixed, chosen = run("mnist", 1.0), run("orl", 0.1, **choose)
    told = "NLCF is not the same on every dataset: mu "
    assert over_datasets(chosen, fixed).notes == (f"{told}chosen trial by trial (orl), 1 (mnist).",)
    assert over_datasets(fixed, chosen).notes == (f"{told}= 1 (mnist), chosen trial by trial (orl).",)
    assert over_datasets(chosen, run("mnist", 1.0, **choose)).notes == ()


def test_a_method_under_two_labels_is_told_where_it_is_left_out(tmp_path: Path) -> None:
    def run(dataset: str, **labels: dict[str, Any]) -> Results:
        results: Results = write_results(
            tmp_path / dataset,
            lambda label, at: 0.5,
            dataset=dataset,
            columns=[(label, "nmf") for label in labels],
        )
        columns = tuple(replace(each, parameters=labels[each.label]) for each in results.run.columns)
        return replace(results, run=with_columns(results.run, columns))

    none, unit = {"normalize": "none"}, {"normalize": "unit"}
    several = run("orl", a={}, none=none, unit=unit)
    scores = over_datasets(several, run("mnist", a={}, NMF=none))
    assert scores.left_out == (
        "none is not in every run; NMF of mnist is the same method with the same parameters: "
        "give both one label (as: …)",
        "unit is not in every run",
        "NMF is not in every run",
    )


def test_repeats_are_called_what_they_are(tmp_path: Path) -> None:
    """In recognition a draw is a split."""
    cells = [{"train": 2, "k": 4, "draw": draw} for draw in range(3)]
    run = write_results(
        tmp_path / "r", lambda label, at: 0.5, metrics=("nn",), cells=cells, kind="recognition"
    )
    scores = of_results(run)
    pairs = next(each for each in document(scores, None, pairwise(scores), 0.05).sections if each.grid)
    assert pairs.heading == "All pairs, split by split"
    assert pairs.grid is not None
    assert pairs.grid.rows[0][2] == "splits"


def test_that_a_lead_leaves_out_single_draws_is_said() -> None:
    trials = {(2, 0): 1.0, (2, 1): 2.0, (9, 0): 7.0}
    scores = scored(a=trials, b=dict.fromkeys(trials, 0.0))
    pairs = pairwise(scores)
    assert (pairs[0].n, pairs[0].gain.mean) == (3, 1.5)
    notes = [note for section in document(scores, None, pairs, 0.05).sections for note in section.notes]
    assert any("leaves out rows of a single draw (1)" in note for note in notes)


def test_why_test_and_interval_may_disagree_is_said_where_they_do() -> None:
    """Most draws one way, two large ones the other."""
    for large, verdict, said in (
        (1.0, "a better", False),
        (-8.0, "a better", True),
        (-15.0, "a by ranks alone", True),  # the mean of a is behind
    ):
        trials = {(2, draw): 1.0 if draw < 20 else large for draw in range(22)}
        scores = scored(a=trials, b=dict.fromkeys(trials, 0.0))
        sections = document(scores, None, pairwise(scores), 0.05).sections
        assert sections[0].grid is not None
        assert sections[0].grid.rows[1][8] == verdict
        assert said == any("all on its side of 0" in note for each in sections for note in each.notes)
