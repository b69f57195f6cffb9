"""Whether iterations slow down as entries decay: the last hundred of a long run against the second hundred.

python benchmarks/slow_tail.py [--iterations 10000]
"""

from __future__ import annotations

import click
import numpy as np
from draws import draw
from timing import machine, show, timed_solve

from nmfrepro import algorithms
from nmfrepro.core.options import build
from nmfrepro.core.problem import FitSettings

METHODS = {
    "nmf": {},
    "nlcf": {"mu": 0.1},
    "nlcf, mu = 1": {"mu": 1.0},
    "nlcf_g": {"mu": 0.1},
    "cnmf": {},
    "gnmf": {},
    "tnmf": {"lam": 1.0},
}
# At most so many times as long (issue 6).
TARGET = 1.5


def measure(label: str, dtype: str, iterations: int) -> list[str]:
    """One row of the table: a draw of eight ORL subjects, ten restarts."""
    name = label.partition(",")[0]
    method = build(algorithms.get(name), METHODS[label], name)
    problem = draw("orl", 8, 0, method, dtype)
    timed = timed_solve(method, problem, FitSettings(restarts=10, max_iter=iterations), every=1)
    seconds = np.diff(timed.ends)
    early, late = float(np.median(seconds[100:200])), float(np.median(seconds[-100:]))
    zeros = max(float(np.mean(factor == 0)) for factor in timed.fit.factors.values())
    verdict = "" if late <= TARGET * early else " missed"
    return [label, dtype, f"{1e6 * early:.0f} µs", f"{late / early:.2f}{verdict}", f"{100 * zeros:.0f} %"]


@click.command(help=__doc__)
@click.option("--iterations", default=10_000, show_default=True)
def main(iterations: int) -> None:
    click.echo(f"{iterations} iterations; {machine()}\n")
    rows = (measure(label, dtype, iterations) for label in METHODS for dtype in ("float64", "float32"))
    show(["method", "type", "second hundred", f"last hundred (at most {TARGET})", "zeros in a factor"], rows)


if __name__ == "__main__":
    main()
