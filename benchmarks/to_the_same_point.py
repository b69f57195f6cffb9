"""How soon a start comes within 1 % and 0.1 % of the best objective known: ours against scikit-learn's cd.

    python benchmarks/to_the_same_point.py [--problems orl:8,orl:20,orl:40,mnist:10] [--methods nlcf,cnmf]

NMF first: seconds per start of scikit-learn's cd, of ours with one start and of ours with ten stacked.  The
best objective known of a problem is the lowest that any of them reached in the time given, which is several
times what the slowest needs for 1 %; a start that never arrives counts as later than all others in the
median, which is over the starts.  Then the other methods: their printed updates, and when the fast solver
reaches the same objective.  Thread time, one process, the sides in turn; recording is not counted.
"""

from collections.abc import Callable

import click
import numpy as np
from draws import draw, samples
from sklearn.decomposition._nmf import _update_coordinate_descent
from timing import clock, machine, show

from nmfrepro import algorithms
from nmfrepro.algorithms.engine.base import Iterative
from nmfrepro.algorithms.engine.solver import FastRun, StackedRun, first_factors
from nmfrepro.core.options import build
from nmfrepro.core.problem import Problem

STARTS, SEED = 10, 2013
NEAR = (1.01, 1.001)
# Seconds per start, by which the slowest contestant is within 1 % of its limit several times over.
SECONDS = {"orl:8": 0.6, "orl:20": 4.0, "orl:40": 7.0, "mnist:10": 4.0}
PRINTED = 2000
MNIST = 4000
METHODS: dict[str, dict[str, object]] = {"nlcf": {"mu": 0.1}, "nlcf_g": {"mu": 0.1}, "cnmf": {}, "gnmf": {}}


class Course:
    """Seconds and objectives of a run, one row per look."""

    def __init__(self) -> None:
        self.seconds: list[float] = []
        self.values: list[np.ndarray] = []

    def follow(self, step: Callable[[], object], look: Callable[[], np.ndarray], until: float) -> None:
        """Take steps until so many seconds have gone, and look ever more rarely; looking is not counted."""
        gone, seen = 0.0, 0.0
        while gone < until:
            begun = clock()
            step()
            gone += clock() - begun
            if gone >= 1.03 * seen:
                self.seconds.append(gone)
                self.values.append(look())
                seen = gone

    def arrival(self, limit: np.ndarray | float) -> np.ndarray:
        """When each start is at `limit` or below; infinite if never."""
        below = np.array(self.values) <= limit
        first = below.argmax(axis=0)
        return np.where(below.any(axis=0), np.array(self.seconds)[first], np.inf)

    @property
    def lowest(self) -> np.ndarray:
        """Per start."""
        return np.min(self.values, axis=0)


def ours(method: Iterative, problem: Problem, starts: range, kind: type[StackedRun], until: float) -> Course:
    """The course of some restarts, advanced together."""
    course, order = Course(), [(name, 1) for name in method.factors]
    begun = clock()
    run = kind(method, problem, [first_factors(method, problem, 0, each, None) for each in starts], order)
    set_up = clock() - begun
    with np.errstate(all="ignore"):
        course.follow(run.advance, lambda: run.objectives(exact=False), until)
    course.seconds = [each + set_up for each in course.seconds]
    return course


def theirs(X: np.ndarray, k: int, start: int, until: float) -> Course:
    """The course of scikit-learn's solver, its own kind of start and its own sweep, without its checks."""
    XT = np.ascontiguousarray(X.T)
    stream = np.random.RandomState(start)
    H, W = (
        np.abs(np.sqrt(X.mean() / k) * stream.standard_normal((length, k))) for length in (len(X), len(XT))
    )

    def step() -> None:
        _update_coordinate_descent(XT, W, H, 0, 0, False, stream)
        _update_coordinate_descent(XT.T, H, W, 0, 0, False, stream)

    course = Course()
    course.follow(step, lambda: np.array([np.sum((XT - W @ H.T) ** 2)]), until)
    return course


def problem_of(name: str, method: Iterative) -> Problem:
    """ORL by its classes as the tables draw them, or some images of MNIST."""
    dataset, _, k = name.partition(":")
    if dataset == "orl":
        return draw(dataset, int(k), 0, method)
    data = samples(dataset)
    chosen = np.sort(np.random.default_rng(SEED).permutation(len(data.X))[:MNIST])
    return Problem(np.ascontiguousarray(data.X[chosen].T, dtype=float), int(k))


def against_scikit_learn(name: str, starts: int) -> list[str]:
    """One row of the first table."""
    method = build(algorithms.get("nmf"), {}, "nmf")
    problem = problem_of(name, method)
    until = SECONDS[name]
    alone, them = [], []
    for start in range(starts):
        them.append(theirs(problem.X, problem.k, start, until))
        alone.append(ours(method, problem, range(start, start + 1), FastRun, until))
    together = ours(method, problem, range(STARTS), FastRun, until * STARTS / 2)
    best = min(float(each.lowest.min()) for each in (*them, *alone, together))
    cells = [f"{name} {'×'.join(map(str, problem.X.shape))}"]
    for near in NEAR:
        cd, one = (np.array([each.arrival(near * best)[0] for each in side]) for side in (them, alone))
        ten = together.arrival(near * best) / STARTS
        cells += [f"{np.median(side):.3f} ({np.isfinite(side).mean():.0%})" for side in (cd, one, ten)]
        cells += [times_sooner(cd, one), times_sooner(cd, ten)]
    return cells


def times_sooner(slow: np.ndarray, quick: np.ndarray) -> str:
    """Ratio of the medians; a dash where half of the quick side's starts never arrive."""
    here, there = np.median(quick), np.median(slow)
    return "–" if not np.isfinite(here) else f"{there / here:.1f}"


def against_printed(name: str, label: str) -> list[str]:
    """One row of the second table: when the fast solver is where the printed updates are, stacked alike."""
    method = build(algorithms.get(label), METHODS[label], label)
    problem = problem_of(name, method)
    run = StackedRun(
        method,
        problem,
        [first_factors(method, problem, 0, each, None) for each in range(STARTS)],
        [(factor, 1) for factor in method.factors],
    )
    marks = {100: 0.0, 300: 0.0, 1000: 0.0, PRINTED: 0.0}
    values: dict[int, np.ndarray] = {}
    gone = 0.0
    for iteration in range(1, PRINTED + 1):
        begun = clock()
        run.advance()
        gone += clock() - begun
        if iteration in marks:
            marks[iteration], values[iteration] = gone, run.objectives(exact=False)
    fast = ours(method, problem, range(STARTS), FastRun, gone / 3)
    cells = [name, label]
    for iteration, took in marks.items():
        sooner = took / np.median(fast.arrival(values[iteration]))
        cells.append(f"{took / STARTS:.3f}: {sooner:.1f}")
    below = 100 * np.median(fast.lowest / values[PRINTED] - 1)
    return [*cells, f"{below:+.2f} %"]


@click.command(help=__doc__)
@click.option("--problems", default="orl:8,orl:20,orl:40,mnist:10", show_default=True)
@click.option("--methods", default=",".join(METHODS), show_default=True)
@click.option("--starts", default=5, show_default=True, help="Of scikit-learn and of ours alone.")
def main(problems: str, methods: str, starts: int) -> None:
    click.echo(f"float64; {machine()}\n")
    sides = ["cd", "one start", "ten, per start", "cd / one", "cd / ten"]
    head = ["problem", *(f"{each}, {near}" for near in ("1 %", "0.1 %") for each in sides)]
    show(head, (against_scikit_learn(name, starts) for name in problems.split(",") if name))
    if not methods:
        return
    click.echo("\nPrinted updates, seconds per start, and how many times sooner the fast solver is there:\n")
    counts = [f"{count} iterations" for count in (100, 300, 1000, PRINTED)]
    images = [name for name in problems.split(",") if name.startswith("orl:") and name != "orl:40"]
    rows = (against_printed(name, label) for name in images for label in methods.split(","))
    show(["problem", "method", *counts, "fast lower at the end"], rows)


if __name__ == "__main__":
    main()
