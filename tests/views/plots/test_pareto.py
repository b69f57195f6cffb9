"""Scores against seconds."""

import itertools
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from handmade import write_results
from picturetests import THREE, all_pictures, scores

from nmfrepro import protocols
from nmfrepro.analysis.pareto import fit_seconds, unbeaten
from nmfrepro.core.options import build, options_of
from nmfrepro.protocols import description
from nmfrepro.results.record import ColumnRecord, FitRecord
from nmfrepro.results.times import Times
from nmfrepro.views.plots.pareto import pareto, timed_by
from nmfrepro.views.plots.style import drawing, looks_of


@pytest.mark.parametrize("lower", [False, True])
def test_the_front_is_what_no_method_beats_in_both(lower):
    stream = np.random.default_rng(5)
    sign = -1 if lower else 1
    for _ in range(50):
        seconds = {name: float(x) for name, x in zip("abcdef", stream.integers(1, 5, 6), strict=True)}
        scores = {name: float(x) for name, x in zip("abcdef", stream.integers(1, 5, 6), strict=True)}
        front = unbeaten(seconds, scores, lower)
        points = {name: (-seconds[name], sign * scores[name]) for name in seconds}
        for name, (quick, good) in points.items():
            beaten = any(q >= quick and g >= good and (q, g) != (quick, good) for q, g in points.values())
            # Of methods that are alike in both, one stands for all.
            alike = [each for each in front if points[each] == (quick, good)]
            assert len(alike) == (0 if beaten else 1), (name, front)
        assert all(seconds[a] < seconds[b] for a, b in itertools.pairwise(front))


def test_seconds_are_means_over_the_trials_that_all_columns_have():
    def trial(label, draw, seconds):
        times = Times(phases={"fit": seconds})
        return SimpleNamespace(ok=True, label=label, coordinates={"k": 2, "draw": draw}, times=times)

    columns = [SimpleNamespace(label="A"), SimpleNamespace(label="B")]
    trials = [
        trial("A", 0, 1.0),
        trial("A", 1, 3.0),
        trial("A", 2, 90.0),
        trial("B", 0, 5.0),
        trial("B", 1, 7.0),
    ]
    results = SimpleNamespace(run=SimpleNamespace(columns=columns), trials=trials)
    assert fit_seconds(results) == {"A": 2, "B": 6}
    assert fit_seconds(SimpleNamespace(run=results.run, trials=trials[:3])) == {}


def test_a_point_for_each_method():
    seconds, scores = {"NMF": 0.1, "NLCF": 0.4, "Kmeans": 0.5}, {"NMF": 60.0, "NLCF": 80.0, "Kmeans": 70.0}
    looks = looks_of(
        [
            ColumnRecord(label=label, algorithm=label.lower(), parameters={}, fit=FitRecord())
            for label in seconds
        ]
    )
    with drawing():
        picture = pareto("accuracy", description("accuracy"), seconds, scores, looks, "Seconds of one fit")
    (panel,) = picture.figure.axes
    found = {line.get_label(): tuple(line.get_xydata()[0]) for line in panel.lines}
    assert {label: found[label] for label in seconds} == {
        each: (seconds[each], scores[each]) for each in seconds
    }
    names = picture.figure.legends[0].get_texts()
    assert {each.get_text() for each in names if each.get_fontweight() == "bold"} == {"NMF", "NLCF"}
    assert picture.name == "pareto-accuracy"


CHOOSE, SCAN = {"mu": [0.1, 1.0]}, {"lam": [0.1, 1.0]}


@pytest.mark.parametrize(
    ("kind", "options", "axis"),
    [
        ("clustering", {}, "Processor seconds of one fit"),
        ("clustering", {"choose": CHOOSE}, "Processor seconds of a draw's fits, choosing too"),
        ("readings", {"choose": CHOOSE}, "Processor seconds of one fit"),
        ("recognition", {}, "Processor seconds of one fit"),
        ("recognition", {"scan": SCAN, "validation": True}, "Processor seconds of a split's fits"),
        ("rank", {}, "Processor seconds of the fits from all starts"),
        ("runtime", {}, "Processor seconds of one fit"),
        ("convergence", {}, "Processor seconds of one fit"),
    ],
)
def test_the_axis_says_what_the_seconds_are(kind, options, axis):
    cls = protocols.get(kind)
    required = {name: [2] if each.item else 2 for name, each in options_of(cls).items() if each.required}
    assert timed_by(build(cls, required | options, kind)) == axis


def test_the_axis_is_that_of_the_run_s_protocol(tmp_path, monkeypatch):
    monkeypatch.setattr(protocols.get("clustering"), "pictures", ("pareto",))
    results = write_results(tmp_path / "orl", scores, columns=THREE, metrics=("accuracy", "nmi"))
    times = [Times(trial.key, phases={"fit": 0.1 * n}) for n, trial in enumerate(results.trials, 1)]
    timed = [replace(trial, times=each) for trial, each in zip(results.trials, times, strict=True)]
    drawn = all_pictures(replace(results, trials=tuple(timed)))
    assert sorted(drawn) == ["pareto-accuracy", "pareto-nmi"]
    labels = {panel.get_xlabel() for picture in drawn.values() for panel in picture.figure.axes}
    assert labels == {"Processor seconds of one fit"}
