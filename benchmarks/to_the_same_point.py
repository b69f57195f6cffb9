"""How soon a start comes within 0.1 % of its own limit: the printed order against ``inner: auto``.

    python benchmarks/to_the_same_point.py [METHOD…] [--problems orl:8,orl:20,yale:8]

The limit is the objective after 20,000 iterations of the printed order; with repeats, after as many passes as
give 20,000 updates of the more often repeated factor, 4,000 at least.  The two orders go different ways from
the same start, so each has its own limit; the last column says whether one ends lower, with its standard
error over the starts.
"""

from __future__ import annotations

import click
import numpy as np
from draws import draw
from timing import clock, machine, show

from nmfrepro import algorithms
from nmfrepro.algorithms.engine.base import Iterative
from nmfrepro.algorithms.engine.solver import solve
from nmfrepro.algorithms.engine.stack import Stack
from nmfrepro.core.options import build
from nmfrepro.core.problem import FitSettings, Problem

METHODS = {
    "nmf": {},
    "nlcf, mu = 0.1": {"mu": 0.1},
    "nlcf, mu = 0.5": {"mu": 0.5},
    "nlcf_g": {"mu": 0.1},
    "cnmf": {},
}
RESTARTS, EVERY, UPDATES, FEWEST_PASSES = 10, 5, 20_000, 4_000
NEAR = 1.001
# At least so many times fewer seconds (issue 6).
TARGETS = {"nlcf, mu = 0.1": 4.0, "nlcf, mu = 0.5": 4.0}


def course(
    method: Iterative, problem: Problem, inner: dict[str, int] | None
) -> tuple[np.ndarray, np.ndarray]:
    """Objective of every start (recorded × starts) and the seconds since the first one."""
    values: list[np.ndarray] = []
    seconds: list[float] = []

    class Watched(type(method)):  # type: ignore[misc]
        def objectives(self, stack: Stack, exact: bool) -> np.ndarray:
            found = super().objectives(stack, exact)
            if not exact:
                values.append(found)
                seconds.append(clock())
            return found

    passes = UPDATES if inner is None else max(FEWEST_PASSES, UPDATES // max(inner.values()))
    settings = FitSettings(restarts=RESTARTS, max_iter=passes, inner=inner, trace_every=EVERY)
    solve(Watched(**method.parameters), problem, settings, seed=0)
    return np.array(values), np.array(seconds) - seconds[0]


def arrival(values: np.ndarray, seconds: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Passes and seconds of every start until it is near its limit."""
    first = (values <= NEAR * values[-1]).argmax(axis=0)
    return EVERY * first, seconds[first]


def measure(label: str, dataset: str, k: int) -> list[str]:
    """One row of the table."""
    name = label.partition(",")[0]
    method = build(algorithms.get(name), METHODS[label], name)
    problem = draw(dataset, k, 0, method)
    counts = method.auto_inner(problem)
    printed, repeated = course(method, problem, None), course(method, problem, counts)
    (passes, took), (fewer, sooner) = arrival(*printed), arrival(*repeated)
    faster = float(np.median(took) / np.median(sooner))
    difference = 100 * (repeated[0][-1] / printed[0][-1] - 1)
    error = difference.std(ddof=1) / np.sqrt(RESTARTS)
    target = TARGETS.get(label)
    return [
        f"{dataset} k={k}",
        label,
        ", ".join(f"{factor} {count}" for factor, count in counts.items()),
        f"{np.median(passes):.0f}",
        f"{np.median(fewer):.0f}",
        f"{faster:.1f}" + (" missed" if target is not None and faster < target else ""),
        f"{took.max() / sooner.max():.1f}",
        f"{difference.mean():+.2f} ± {error:.2f} %",
    ]


@click.command(help=__doc__)
@click.argument("methods", nargs=-1)
@click.option("--problems", default="orl:8,orl:20,yale:8", show_default=True)
def main(methods: tuple[str, ...], problems: str) -> None:
    click.echo(f"{RESTARTS} starts, float64; {machine()}\n")
    rows = (
        measure(label, dataset, int(k))
        for dataset, _, k in (each.partition(":") for each in problems.split(","))
        for label in METHODS
        if not methods or label.partition(",")[0] in methods
    )
    head = [
        "draw",
        "method",
        "auto",
        "passes printed",
        "passes auto",
        "seconds printed / auto",
        "slowest start",
    ]
    show([*head, "limit of auto against printed"], rows)


if __name__ == "__main__":
    main()
