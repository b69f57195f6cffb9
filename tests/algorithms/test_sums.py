"""One step of the methods on images, the robust and the regularised ones against sums entry by entry."""

from __future__ import annotations

import inspect

import numpy as np
import pytest
from sums import STEPS

from nmfrepro import algorithms, factorize
from nmfrepro.core.problem import Problem

K = {"tnmf pooled": (3,)}
SAMPLES = 5


def made(label, k, seed=0):
    """Data (6 × 5), first factors and the arguments of a method."""
    name, step = STEPS[label]
    stream = np.random.default_rng(seed)
    X = stream.random((6, SAMPLES)) + 0.05
    cls = algorithms.get(name)
    lengths = cls(**step.parameters).dimensions(Problem(X, k, step.image_shape))
    F = {
        factor: stream.random(tuple(lengths[axis] for axis in axes)) + 0.05
        for factor, axes in cls.factors.items()
    }
    return X, F


def call(label, X, k, **settings):
    name, step = STEPS[label]
    return factorize(X, name, k, image_shape=step.image_shape, **step.parameters, **settings)


def moved(label, X, F, factors):
    """The factors after one iteration of updates in this order."""
    step = STEPS[label][1]
    expected = dict(F)
    for factor in factors:
        update = step.updates[factor]
        weights = {"first": F} if "first" in inspect.signature(update).parameters else {}
        num, den = update(X, expected, **weights, **step.parameters)
        power = step.power.get(factor, 1)
        expected[factor] = expected[factor] * num**power / den**power
    return expected


CASES = [
    (label, k)
    for label, (name, _) in STEPS.items()
    for k in K.get(label, (1, 3) if name == "lds_nmf" else (1, 3, 7))
]


@pytest.mark.parametrize("order", ["UV", "VU"])
@pytest.mark.parametrize(("label", "k"), CASES)
def test_a_step_is_the_papers_sums(label, k, order):
    step = STEPS[label][1]
    X, F = made(label, k)
    fit = call(label, X, k, init=F, max_iter=1, order=order)
    expected = moved(label, X, F, list(F) if order == "UV" else list(reversed(list(F))))
    for factor, values in expected.items():
        np.testing.assert_allclose(fit.factors[factor], values, rtol=1e-12, err_msg=factor)
    assert fit.objective[0] == pytest.approx(step.objective(X, F, **step.parameters), rel=1e-12)
    assert fit.objective[-1] == pytest.approx(step.objective(X, expected, **step.parameters), rel=1e-11)


@pytest.mark.parametrize("label", [label for label in STEPS if not label.startswith("nsdr")])
def test_repeats_keep_the_other_factors(label):
    X, F = made(label, 3)
    counts = dict(zip(F, (2, 3, 2), strict=False))
    fit = call(label, X, 3, init=F, max_iter=1, inner=counts)
    expected = moved(label, X, F, [factor for factor in F for _ in range(counts[factor])])
    for factor, values in expected.items():
        np.testing.assert_allclose(fit.factors[factor], values, rtol=1e-12, err_msg=factor)


@pytest.mark.parametrize("label", STEPS)
def test_a_step_goes_down_the_gradient(label):
    """Finite differences of the literal objective are c (den − num), so the step has the opposite sign."""
    step = STEPS[label][1]
    X, F = made(label, 3, seed=1)
    for factor, constant in step.gradient.items():
        update = step.updates[factor]
        if step.parameters.get("w_rule") == "root" and factor == "W":
            continue  # its ratio is the root of a quadratic whose slope is that of the printed rule
        weights = {"first": F} if "first" in inspect.signature(update).parameters else {}
        num, den = update(X, F, **weights, **step.parameters)
        for index in list(np.ndindex(F[factor].shape))[::2]:
            ends = []
            for change in (1e-5, -1e-5):
                changed = {key: value.copy() for key, value in F.items()}
                changed[factor][index] += change
                ends.append(step.objective(X, changed, **step.parameters))
            slope = (ends[0] - ends[1]) / 2e-5
            assert slope == pytest.approx(constant * (den - num)[index], rel=1e-6, abs=1e-6)
