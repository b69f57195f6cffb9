"""`inner`: several updates of a factor per pass over X."""

from __future__ import annotations

import numpy as np
import pytest
from contract import LABELS, SAMPLES, method_and_problem, run

from nmfrepro.algorithms import Iterative, registry
from nmfrepro.algorithms.cnmf import rows_of_Z
from nmfrepro.core.problem import Problem

AUTO = [
    name
    for name, cls in registry().items()
    if issubclass(cls, Iterative) and "inner" in cls.fit_settings and not cls.fixed_budget
]
X = np.random.default_rng(5).random((60, SAMPLES)) ** 3


@pytest.mark.parametrize("name", AUTO)
def test_auto_gives_counts_for_the_factors_of_the_method(name):
    method, problem = method_and_problem(name, X)
    counts = method.auto_inner(problem)
    assert set(counts) <= set(method.factors)
    assert all(1 <= count <= 20 for count in counts.values())


@pytest.mark.parametrize("name", AUTO)
def test_auto_descends_where_the_method_does(name):
    fit = run(name, X, inner="auto", max_iter=40, trace_every=1)
    if registry()[name].monotone:
        assert np.all(np.diff(fit.objective) <= 1e-10 * fit.objective[:-1])
    assert fit.n_iter == 40


@pytest.mark.parametrize(
    ("name", "m", "n", "k", "counts"),
    [
        ("nlcf", 1024, 80, 8, (3, 20)),
        ("nlcf", 1024, 400, 40, (5, 10)),
        ("nmf", 784, 4000, 10, (20, 17)),
        ("nmf", 30, 20, 2, (2, 2)),
        ("nmsf", 1024, 80, 8, (20, 2)),  # NMF of the 32 × 2560 matrix of all image columns
    ],
)
def test_repeats_follow_the_shape(name, m, n, k, counts):
    problem = Problem(np.ones((m, n)), k, (32, 32) if m == 1024 else None)
    assert tuple(registry()[name]().auto_inner(problem).values()) == counts


def test_label_constraints_shorten_the_encodings():
    labels = np.where(np.arange(400) < 390, np.arange(400) % 5, -1)
    free = registry()["nmf"]().auto_inner(Problem(np.ones((100, 400)), 5))
    merged = registry()["cnmf"]().auto_inner(Problem(np.ones((100, 400)), 5, labels=labels))
    assert merged["U"] < free["U"]
    assert merged["Z"] == free["V"]


def test_what_repeats_save_nothing_keeps_the_printed_order():
    problem = Problem(np.ones((1024, 80)), 8)
    assert registry()["nmf_kl"]().auto_inner(problem) == {}
    assert registry()["cim_nmf"]().auto_inner(problem) == {}


@pytest.mark.parametrize("name", ["nmf_kl", "cnmf_kl"])
def test_divergence_of_entries_far_below_their_approximation(name):
    """x = 1e-18 beside y = 0.1: the term is x log(x/y) − x + y ≈ y, not minus infinity."""
    data = X.copy()
    data[3, 4] = 1e-18
    factors = (fit := run(name, data, max_iter=5)).factors
    V = factors["V"] if name == "nmf_kl" else factors["Z"][rows_of_Z(Problem(data, 3, labels=LABELS))]
    Y = factors["U"] @ V.T
    assert fit.objective[-1] == pytest.approx(np.sum(data * np.log(data / Y) - data + Y), rel=1e-10)
