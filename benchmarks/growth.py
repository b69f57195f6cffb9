"""Time and memory as the number of samples grows: random data of 784 pixels, k = 10, ten restarts.

    python benchmarks/growth.py [METHOD…] [--samples 5000,20000,70000]

Memory is what the call allocates beyond the caller's X: the transpose, factors and work arrays.  The graph of
neighbours is timed apart, since it grows like the square of the number of samples.
"""

from __future__ import annotations

import time
import tracemalloc

import click
import numpy as np
from timing import machine, table, timed_solve

from nmfrepro import algorithms, factorize
from nmfrepro.algorithms.graph import GraphOptions
from nmfrepro.factorization import make_problem
from nmfrepro.options import build
from nmfrepro.problem import FitSettings

FEATURES, K, RESTARTS, ITERATIONS = 784, 10, 10, 11
METHODS = ("nmf", "nlcf", "gnmf", "cnmf")
SAMPLES = "5000,10000,20000,40000,70000"
MB = 2**20


def measure(name: str, n: int, dtype: str) -> tuple[float, float, list[str]]:
    """Seconds per iteration, MB beyond X, and the rest of the row."""
    X = np.random.default_rng(0).random((FEATURES, n), dtype=dtype)
    method = build(algorithms.get(name), {}, name)
    labels = np.where(np.arange(n) < n // 10, np.arange(n) % K, -1) if method.needs_labels else None
    graph = ""
    if isinstance(method, GraphOptions):
        start = time.thread_time()
        method.graph(make_problem(X, K, labels=labels, dtype=dtype))
        graph = f"{time.thread_time() - start:.1f} s"
    tracemalloc.start()
    factorize(X, name, K, labels=labels, restarts=RESTARTS, max_iter=2, trace_every=1, dtype=dtype)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    problem = make_problem(X, K, labels=labels, dtype=dtype)
    timed = timed_solve(method, problem, FitSettings(restarts=RESTARTS, max_iter=ITERATIONS))
    sets = RESTARTS * K * (FEATURES + n) * X.itemsize
    allowed = 2 * X.nbytes + 6 * sets
    verdict = "" if peak <= allowed else " missed"
    memory = [f"{X.nbytes / MB:.0f}", f"{peak / MB:.0f}", f"{allowed / MB:.0f}{verdict}", graph]
    return timed.per_iteration, peak, memory


@click.command(help=__doc__)
@click.argument("methods", nargs=-1)
@click.option("--samples", default=SAMPLES, show_default=True)
@click.option("--dtype", default="float64", show_default=True)
def main(methods: tuple[str, ...], samples: str, dtype: str) -> None:
    click.echo(f"{FEATURES} pixels, k = {K}, {RESTARTS} restarts, {dtype}; {machine()}\n")
    rows = []
    for name in methods or METHODS:
        first = None
        for n in map(int, samples.split(",")):
            seconds, _, memory = measure(name, n, dtype)
            first = first or seconds / n
            rows.append([name, str(n), f"{1e3 * seconds:.0f} ms", f"{seconds / n / first:.2f}", *memory])
    head = ["method", "samples", "an iteration", "per sample, times the first", "X in MB"]
    click.echo(table([*head, "peak beyond X in MB", "at most 2 X + 6 sets", "graph"], rows))


if __name__ == "__main__":
    main()
