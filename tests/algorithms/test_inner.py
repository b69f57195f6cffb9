"""`inner`: several updates of a factor per pass over X."""

from __future__ import annotations

import numpy as np
import pytest

from nmfrepro import factorize
from nmfrepro.algorithms import Iterative, registry
from nmfrepro.core.problem import Problem

AUTO = [
    name
    for name, cls in registry().items()
    if issubclass(cls, Iterative) and "inner" in cls.fit_settings and not cls.fixed_budget
]
X = np.random.default_rng(5).random((60, 24)) ** 3


def arguments(name):
    cls = registry()[name]
    extra = dict(cls.example)
    if cls.needs_labels:
        extra["labels"] = np.where(np.arange(24) < 6, np.arange(24) % 3, -1)
    if cls.needs_image_shape:
        extra["image_shape"] = (10, 6)
    return extra


@pytest.mark.parametrize("name", AUTO)
def test_auto_gives_counts_for_the_factors_of_the_method(name):
    cls = registry()[name]
    counts = cls(**cls.example).auto_inner(
        Problem(X, 3, (10, 6), np.full(24, -1) if cls.needs_labels else None)
    )
    assert set(counts) <= set(cls.factors)
    assert all(1 <= count <= 20 for count in counts.values())


@pytest.mark.parametrize("name", AUTO)
def test_auto_descends_where_the_method_does(name):
    fit = factorize(X, name, 3, inner="auto", max_iter=40, trace_every=1, **arguments(name))
    if registry()[name].monotone:
        assert np.all(np.diff(fit.objective) <= 1e-10 * fit.objective[:-1])
    assert fit.n_iter == 40


@pytest.mark.parametrize("name", ["nmf", "nlcf", "nlcf_g", "cnmf"])
def test_repeats_on_one_factor_are_its_updates_with_the_other_held(name):
    """{U: 3} once is: U moved three times from the same V, then V once."""
    options = arguments(name)
    first = factorize(X, name, 3, max_iter=0, **options).factors
    other = next(key for key in first if key != "U")
    held, moved = dict(first), None
    for _ in range(3):
        moved = factorize(X, name, 3, init=held, max_iter=1, **options).factors
        held = {"U": moved["U"], other: first[other]}
    got = factorize(X, name, 3, init=first, max_iter=1, inner={"U": 3}, **options).factors
    np.testing.assert_allclose(got["U"], moved["U"], rtol=1e-12)
    np.testing.assert_allclose(got[other], moved[other], rtol=1e-12)


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
    fit = factorize(data, name, 3, max_iter=5, **arguments(name))
    labels = arguments(name).get("labels")
    factors = fit.factors
    if labels is None:
        V = factors["V"]
    else:
        rows, unlabelled = [], 3
        for label in labels:
            rows.append(label if label >= 0 else unlabelled)
            unlabelled += label < 0
        V = factors["Z"][rows]
    Y = factors["U"] @ V.T
    assert fit.objective[-1] == pytest.approx(np.sum(data * np.log(data / Y) - data + Y), rel=1e-10)
