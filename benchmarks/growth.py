"""Time and memory as the number of samples grows: random data of 784 pixels, k = 10, ten restarts.

    python benchmarks/growth.py [METHOD…] [--samples 5000,20000,70000]

Memory is what the call allocates beyond the caller's X: the transpose, factors and work arrays.  The graph of
neighbours is timed apart, since it grows like the square of the number of samples.
"""

from __future__ import annotations

import tracemalloc
from collections.abc import Iterable, Iterator

import click
import numpy as np
from scipy.sparse import csr_array
from timing import clock, machine, show, timed_solve

from nmfrepro import algorithms
from nmfrepro.algorithms.engine.base import Iterative
from nmfrepro.algorithms.engine.solver import solve
from nmfrepro.core.options import build
from nmfrepro.core.problem import FitSettings, Problem
from nmfrepro.factorization import make_problem

FEATURES, K, RESTARTS, ITERATIONS = 784, 10, 10, 11
METHODS = ("nmf", "nlcf", "gnmf", "cnmf")
SAMPLES = "5000,10000,20000,40000,70000"
MB = 2**20


def measure(name: str, sizes: Iterable[int], dtype: str) -> Iterator[list[str]]:
    """The rows of a method, for growing numbers of samples."""
    first = None
    for n in sizes:
        X = np.random.default_rng(0).random((FEATURES, n), dtype=dtype)
        method = build(algorithms.get(name), {}, name)
        labels = np.where(np.arange(n) < n // 10, np.arange(n) % K, -1) if method.needs_labels else None
        peak, graph = traced(method, X, labels)
        problem = make_problem(X, K, labels=labels, dtype=dtype)
        seconds = timed_solve(
            method, problem, FitSettings(restarts=RESTARTS, max_iter=ITERATIONS)
        ).per_iteration
        first = first or seconds / n
        allowed = 2 * X.nbytes + 6 * RESTARTS * K * (FEATURES + n) * X.itemsize
        yield [
            name,
            str(n),
            f"{1e3 * seconds:.0f} ms",
            f"{seconds / n / first:.2f}",
            f"{X.nbytes / MB:.0f} MB",
            f"{peak / MB:.0f} MB",
            f"{allowed / MB:.0f} MB" + ("" if peak <= allowed else " missed"),
            graph,
        ]


def traced(method: Iterative, X: np.ndarray, labels: np.ndarray | None) -> tuple[int, str]:
    """Peak of what a fit of two iterations allocates, and the seconds of the graph if there is one."""
    took: list[float] = []

    class Watched(type(method)):  # type: ignore[misc]
        def graph(self, problem: Problem) -> csr_array:
            start = clock()
            found = super().graph(problem)
            took.append(clock() - start)
            return found

    tracemalloc.start()
    problem = make_problem(X, K, labels=labels, dtype=X.dtype.name)
    solve(Watched(**method.parameters), problem, FitSettings(restarts=RESTARTS, max_iter=2, trace_every=1), 0)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak, f"{took[0]:.1f} s" if took else ""


@click.command(help=__doc__)
@click.argument("methods", nargs=-1)
@click.option("--samples", default=SAMPLES, show_default=True)
@click.option("--dtype", default="float64", show_default=True)
def main(methods: tuple[str, ...], samples: str, dtype: str) -> None:
    click.echo(f"{FEATURES} pixels, k = {K}, {RESTARTS} restarts, {dtype}; {machine()}\n")
    sizes = [int(each) for each in samples.split(",")]
    head = ["method", "samples", "an iteration", "per sample, times the first", "X", "peak beyond X"]
    rows = (row for name in methods or METHODS for row in measure(name, sizes, dtype))
    show([*head, "at most 2 X + 6 sets of factors", "graph"], rows)


if __name__ == "__main__":
    main()
