"""One step of each multiplicative method against the paper's sums, entry by entry."""

from __future__ import annotations

import inspect

import numpy as np
import pytest
from sums import STEPS

from nmfrepro import algorithms, factorize
from nmfrepro.core.problem import Problem

LABELS = np.array([-1, 3, 0, 3, -1, 0])


def shapes(label):
    """Features, samples and k: as usual, one component, more than features, more than samples."""
    name, literal = STEPS[label]
    if literal.image_shape:
        return [(6, 5, 1), (6, 5, 3), (6, 5, 7)]
    if label == "tnmf pooled":
        return [(6, 5, 3)]
    return [(6, 5, 3), (6, 5, 1), (6, 2, 3), *([] if name == "lds_nmf" else [(2, 6, 4)])]


def made(label, shape=(6, 5, 3), seed=0):
    """Data, first factors, and the arguments of a literal."""
    name, literal = STEPS[label]
    m, n, k = shape
    stream = np.random.default_rng(seed)
    X = stream.random((m, n)) + 0.05
    labels = {"labels": LABELS[:n]} if literal.labels else {}
    cls = algorithms.get(name)
    lengths = cls(**literal.parameters).dimensions(Problem(X, k, literal.image_shape, **labels))
    F = {
        factor: stream.random(tuple(lengths[axis] for axis in axes)) + 0.05
        for factor, axes in cls.factors.items()
    }
    return X, F, literal.parameters | labels


def call(label, X, k, arguments, **settings):
    name, literal = STEPS[label]
    return factorize(X, name, k, image_shape=literal.image_shape, max_iter=1, **arguments, **settings)


def ratio(label, factor, X, F, first, arguments):
    """Numerator and denominator of an update; `first` are the factors that its iteration began with."""
    update = STEPS[label][1].updates[factor]
    weights = {"first": first} if "first" in inspect.signature(update).parameters else {}
    return update(X, F, **weights, **arguments)


def moved(label, X, F, factors, arguments):
    """The factors after one iteration of updates in this order."""
    expected = dict(F)
    for factor in factors:
        num, den = ratio(label, factor, X, expected, F, arguments)
        power = STEPS[label][1].power.get(factor, 1)
        expected[factor] = expected[factor] * num**power / den**power
    return expected


@pytest.mark.parametrize("order", ["UV", "VU"])
@pytest.mark.parametrize(("label", "shape"), [(label, shape) for label in STEPS for shape in shapes(label)])
def test_a_step_is_the_papers_sums(label, shape, order):
    X, F, arguments = made(label, shape)
    fit = call(label, X, shape[2], arguments, init=F, order=order)
    expected = moved(label, X, F, list(F) if order == "UV" else reversed(F), arguments)
    for factor, values in expected.items():
        np.testing.assert_allclose(fit.factors[factor], values, rtol=1e-12, err_msg=factor)
    objective = STEPS[label][1].objective
    assert fit.objective[0] == pytest.approx(objective(X, F, **arguments), rel=1e-12)
    assert fit.objective[-1] == pytest.approx(objective(X, expected, **arguments), rel=1e-11)


@pytest.mark.parametrize("label", [label for label in STEPS if not label.startswith("nsdr")])
def test_repeats_keep_the_other_factors(label):
    X, F, arguments = made(label)
    counts = dict(zip(F, (2, 3, 2), strict=False))
    fit = call(label, X, 3, arguments, init=F, inner=counts)
    expected = moved(label, X, F, [factor for factor in F for _ in range(counts[factor])], arguments)
    for factor, values in expected.items():
        np.testing.assert_allclose(fit.factors[factor], values, rtol=1e-12, err_msg=factor)


@pytest.mark.parametrize("label", STEPS)
def test_a_step_goes_down_the_gradient(label):
    """Finite differences of the literal objective are c (den − num), so the step has the opposite sign."""
    literal = STEPS[label][1]
    X, F, arguments = made(label, seed=1)
    for factor, constant in literal.gradient.items():
        if arguments.get("w_rule") == "root" and factor == "W":
            continue  # its ratio is the root of a quadratic whose slope is that of the printed rule
        num, den = ratio(label, factor, X, F, F, arguments)
        for index in list(np.ndindex(F[factor].shape))[::2]:
            ends = []
            for change in (1e-5, -1e-5):
                changed = {key: value.copy() for key, value in F.items()}
                changed[factor][index] += change
                ends.append(literal.objective(X, changed, **arguments))
            slope = (ends[0] - ends[1]) / 2e-5
            assert slope == pytest.approx(constant * (den - num)[index], rel=1e-6, abs=1e-6)
