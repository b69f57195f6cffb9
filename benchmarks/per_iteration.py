"""Seconds per iteration against the bare matrix products and against scikit-learn: ratios, one table.

python benchmarks/per_iteration.py [METHOD…] [--repeats 7] [--shapes 01234] [--dtype float64]
"""

from __future__ import annotations

import warnings

import click
import numpy as np
from floors import FLOORS, Arrays
from timing import in_turn, loop, machine, ratio, show, timed_solve

from nmfrepro import algorithms
from nmfrepro.algorithms.engine.base import Iterative
from nmfrepro.core.options import build
from nmfrepro.core.problem import FitSettings, Problem

RESTARTS = 10
SHAPES = ((1024, 20, 2), (1024, 80, 8), (1024, 200, 20), (1024, 400, 40), (784, 4000, 10))
PLAIN, WITH_TERMS = ("nmf", "nlcf", "cnmf"), ("gnmf", "nlcf_g", "tnmf")
# At most so many times the floor, by shape (issue 6).
TARGETS = dict.fromkeys(PLAIN, (1.7, 1.35, 1.15, 1.15, 1.15))
TARGETS |= dict.fromkeys(WITH_TERMS, (1.9, 1.6, 1.35, 1.35, 1.35))
PARAMETERS = {
    "tnmf": {"lam": 1.0},
    "nnsc": {"lam": 0.1},
    "nmf_sc": {"sparseness_v": "balanced"},
    "twodnmf": {"l1": 10, "l2": 10, "power": 1.0},
    "lds_nmf": {"lam": 0.1, "gamma": 0.01},
    "cim_nmf": {"sigma": 1.0},
}
# One measurement of one contestant takes about so long, in seconds.
SLICE = 0.3


def problem_of(method: Iterative, m: int, n: int, k: int, dtype: str) -> Problem:
    """Random positive data; a tenth of every class labelled where labels are needed."""
    X = np.random.default_rng(0).random((m, n)).astype(dtype)
    labels = None
    if method.needs_labels:
        labels = np.where(np.arange(n) % (n // k) < max(1, n // k // 10), np.arange(n) // (n // k), -1)
    side = round(m**0.5)
    return Problem(X, k, (side, side), labels)


def scikit_learn(X: np.ndarray, k: int, iterations: int) -> float:
    """Seconds per iteration of one start of scikit-learn's multiplicative solver."""
    from sklearn.decomposition import NMF
    from sklearn.exceptions import ConvergenceWarning

    rng = np.random.default_rng(1)
    W, H = (rng.random(shape).astype(X.dtype) for shape in ((X.shape[0], k), (k, X.shape[1])))
    model = NMF(k, solver="mu", init="custom", max_iter=iterations, tol=0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return loop(lambda: model.fit_transform(X, W=W.copy(), H=H.copy()), 1) / iterations


def measure(name: str, shape: tuple[int, int, int], dtype: str, repeats: int) -> list[str]:
    """One row of the table."""
    method = build(algorithms.get(name), PARAMETERS.get(name, {}), name)
    problem = problem_of(method, *shape, dtype)
    products = FLOORS[name](Arrays(method, problem, RESTARTS))

    def floor_pass() -> None:
        for product in products:
            product()

    floor_pass()
    per_pass = loop(floor_pass, 3)
    times = max(1, round(SLICE / per_pass / 10)) * 10
    settings = FitSettings(restarts=RESTARTS, max_iter=times + 1)
    contestants = {
        "ours": lambda: timed_solve(method, problem, settings).per_iteration,
        "floor": lambda: loop(floor_pass, times),
    }
    if name == "nmf":
        contestants |= {
            "XT": lambda: scikit_learn(np.ascontiguousarray(problem.X.T), shape[2], times * 3),
            "X": lambda: scikit_learn(problem.X, shape[2], times * 3),
        }
    seconds = in_turn(contestants, repeats)
    over = ratio(seconds["ours"], seconds["floor"])
    target = TARGETS[name][SHAPES.index(shape)] if name in TARGETS else None
    rivals = ""
    if name == "nmf":
        rivals = f"{min(ratio(RESTARTS * seconds[each], seconds['ours']) for each in ('X', 'XT')):.2f}"
    return [
        name,
        "×".join(map(str, shape[:2])) + f" k={shape[2]}",
        dtype,
        f"{1e6 * float(np.median(seconds['floor'])):.0f} µs",
        f"{over:.2f}",
        "" if target is None else f"{target:.2f}" + ("" if over <= target else " missed"),
        rivals,
    ]


@click.command(help=__doc__)
@click.argument("methods", nargs=-1)
@click.option("--repeats", default=7, show_default=True)
@click.option("--shapes", default="01234", help="Which of the five shapes.", show_default=True)
@click.option("--dtype", "dtypes", multiple=True, default=("float64", "float32"))
def main(methods: tuple[str, ...], repeats: int, shapes: str, dtypes: tuple[str, ...]) -> None:
    click.echo(f"{RESTARTS} restarts; {machine()}\n")
    rows = (
        measure(name, SHAPES[int(shape)], dtype, repeats)
        for name in methods or FLOORS
        for dtype in dtypes
        for shape in shapes
    )
    show(["method", "shape", "type", "floor", "times the floor", "at most", "scikit-learn / ours"], rows)


if __name__ == "__main__":
    main()
