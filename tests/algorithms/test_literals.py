"""One step of each multiplicative method against the paper's sums, entry by entry."""

from __future__ import annotations

import numpy as np
import pytest
from literals import LITERALS

from nmfrepro import algorithms, factorize
from nmfrepro.core.problem import Problem

SHAPES = [(5, 6, 3), (4, 6, 1), (2, 6, 4), (6, 2, 2)]
LABELS = np.array([-1, 3, 0, 3, -1, 0])


def made(name, shape, seed=0):
    """Data, first factors and arguments for a method; `sums` are the arguments of its literal."""
    m, n, k = shape
    stream = np.random.default_rng(seed)
    X = stream.random((m, n)) + 0.05
    literal = LITERALS[name]
    labels = {"labels": LABELS[:n]} if literal.labels else {}
    cls = algorithms.get(name)
    lengths = cls(**literal.parameters).dimensions(Problem(X, k, **labels))
    F = {
        factor: stream.random(tuple(lengths[axis] for axis in axes)) + 0.05
        for factor, axes in cls.factors.items()
    }
    return literal, X, F, literal.parameters | labels


@pytest.mark.parametrize("order", ["UV", "VU"])
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("name", LITERALS)
def test_a_step_is_the_papers_sums(name, shape, order):
    literal, X, F, arguments = made(name, shape)
    fit = factorize(X, name, shape[2], init=F, max_iter=1, order=order, **arguments)
    assert fit.objective[0] == pytest.approx(literal.objective(X, F, **arguments), rel=1e-12)
    expected = dict(F)
    for factor in list(F) if order == "UV" else reversed(list(F)):
        num, den = literal.updates[factor](X, expected, **arguments)
        expected[factor] = expected[factor] * num / den
    for factor, values in expected.items():
        np.testing.assert_allclose(fit.factors[factor], values, rtol=1e-12, err_msg=factor)
    assert fit.objective[-1] == pytest.approx(literal.objective(X, expected, **arguments), rel=1e-11)


@pytest.mark.parametrize("name", LITERALS)
def test_repeats_keep_the_other_factor(name):
    literal, X, F, arguments = made(name, (5, 6, 3))
    first, second = F
    fit = factorize(X, name, 3, init=F, max_iter=1, inner={first: 2, second: 3}, **arguments)
    expected = dict(F)
    for factor in (first, first, second, second, second):
        num, den = literal.updates[factor](X, expected, **arguments)
        expected[factor] = expected[factor] * num / den
    for factor, values in expected.items():
        np.testing.assert_allclose(fit.factors[factor], values, rtol=1e-12, err_msg=factor)


@pytest.mark.parametrize("name", LITERALS)
def test_a_step_goes_down_the_gradient(name):
    """Finite differences of the literal objective are c (den − num), so the step has the opposite sign."""
    literal, X, F, arguments = made(name, (4, 6, 2), seed=1)
    for factor, update in literal.updates.items():
        num, den = update(X, F, **arguments)
        wanted = literal.gradient[factor] * (den - num)
        for index in np.ndindex(F[factor].shape):
            ends = []
            for change in (1e-5, -1e-5):
                moved = {key: value.copy() for key, value in F.items()}
                moved[factor][index] += change
                ends.append(literal.objective(X, moved, **arguments))
            assert (ends[0] - ends[1]) / 2e-5 == pytest.approx(wanted[index], rel=1e-6, abs=1e-6)
