"""Estimates of a run's time, on a clock that counts iterations."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tiny import entry, make_spec

from nmfrepro.core.errors import FitError
from nmfrepro.core.problem import Fit
from nmfrepro.protocols import Outcome, Samples, Task
from nmfrepro.protocols.clustering import Clustering
from nmfrepro.runs import estimate, prepare


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """A clock that the work of `Counted` moves; its last entry is the time."""
    times = [0.0]
    monkeypatch.setattr(estimate.time, "perf_counter", lambda: times[-1])
    return times


def counted(
    clock: list[float], first: float = 0.0, fails: BaseException | None = None, each: float = 0.01
) -> type[Clustering]:
    """A clustering whose trials cost a second and so much per iteration and k, the first one more."""

    class Counted(Clustering):
        def run(self, task: Task, samples: Samples) -> Outcome:
            extra = first if len(clock) == 1 else 0.0
            cost = 1 + each * task.coordinates["k"] * task.fit.max_iter
            clock.append(clock[-1] + cost + extra)
            if fails:
                raise fails
            return Outcome(Fit({}, None), 0, np.empty(0, int), {})

    return Counted


def estimates(folder: Path, protocol: type[Clustering], **fit: Any) -> list[float]:
    """Estimated seconds of all trials in plan order."""
    spec = make_spec(folder, [entry("nmf", fit={"max_iter": 1000} | fit)])
    plan = prepare(spec).plan
    found = estimate.seconds_per_trial(plan, protocol(clusters=(2, 3)), prepare(spec).samples)
    return [found[trial.key] for trial in plan]


def test_few_iterations_are_scaled_up(tmp_path: Path, clock: list[float]) -> None:
    assert estimates(tmp_path, counted(clock)) == pytest.approx([21, 21, 31])
    assert clock[-1] < 10  # the probes themselves cost little


@pytest.mark.parametrize("max_iter", [1, 2, 3, 10, 20, 1000])
def test_probes_of_slow_iterations_are_few(tmp_path: Path, clock: list[float], max_iter: int) -> None:
    """An iteration of 20 and of 30 seconds: one to load libraries, and one and three of each."""
    found = estimates(tmp_path, counted(clock, each=10), max_iter=max_iter)
    assert found == pytest.approx([1 + 20 * max_iter, 1 + 20 * max_iter, 1 + 30 * max_iter])
    assert clock[-1] <= 21 + (21 + 61) + (31 + 91)


def test_one_slow_moment_is_not_taken_for_slow_iterations(
    tmp_path: Path, clock: list[float], monkeypatch: pytest.MonkeyPatch
) -> None:
    seconds = {1: 0.01, 3: 0.9, 20: 0.04}  # another program in the second run
    monkeypatch.setattr(estimate, "_time", lambda trial, *others: seconds[trial.fit.max_iter])
    assert estimates(tmp_path, counted(clock))[0] == pytest.approx(0.04 + 980 * 0.03 / 19)


def test_loading_libraries_does_not_count(tmp_path: Path, clock: list[float]) -> None:
    assert estimates(tmp_path, counted(clock, first=500.0)) == pytest.approx([21, 21, 31])


def test_loading_libraries_does_not_count_for_trials_run_as_they_are(
    tmp_path: Path, clock: list[float]
) -> None:
    found = estimates(tmp_path, counted(clock, first=500.0), max_iter=10)
    assert found == pytest.approx([1.2, 1.2, 1.3])


@pytest.mark.parametrize("failure", [FitError("collapsed"), ValueError("a user's own"), SystemExit(1)])
def test_short_fits_are_run_as_they_are_and_failures_cost_their_time(
    tmp_path: Path, clock: list[float], failure: BaseException
) -> None:
    found = estimates(tmp_path, counted(clock, fails=failure), max_iter=10)
    assert found == pytest.approx([1.2, 1.2, 1.3])


@pytest.mark.parametrize(
    ("seconds", "jobs", "wall"),
    [([], 2, 0), ([5, 1, 1], 1, 7), ([5, 1, 1], 2, 5), ([3, 3, 2, 2, 2], 2, 7), ([1, 1], 8, 1)],
)
def test_wall_time_of_trials_that_start_in_order(seconds: list[float], jobs: int, wall: float) -> None:
    assert estimate.wall_seconds(seconds, jobs) == wall
