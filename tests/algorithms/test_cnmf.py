"""CNMF, with the squared error and the Kullback–Leibler divergence."""

from __future__ import annotations

import numpy as np
import pytest

from nmfrepro import algorithms, factorize
from nmfrepro.algorithms.engine.stack import Stack
from nmfrepro.core.problem import Problem

LABELS = np.array([5, -1, 2, 5, -1, 2, 5, -1, -1])
# Class 2 first, then class 5, then the unlabelled in their order.
ROWS = [1, 2, 0, 1, 3, 0, 1, 4, 5]
SIZES = np.array([2, 3, 1, 1, 1, 1])
PAIRS = [("cnmf", "nmf"), ("cnmf_kl", "nmf_kl")]


def class_sums(X, rows):
    return np.stack([X[:, np.array(rows) == row].sum(axis=1) for row in range(max(rows) + 1)], axis=1)


def test_it_is_nmf_on_one_sample_per_class(stream):
    """With X~ = XA N^(−½) and Z~ = N^½ Z, iterate for iterate; the objectives differ by ‖X‖² − ‖X~‖².

    So an iteration costs what NMF's does on p columns, fewer than n: the paper's table of costs, which
    charges the products with A as if it were dense, is too high by far.
    """
    X = stream.random((7, 9))
    U, Z = stream.random((7, 3)), stream.random((6, 3))
    merged = class_sums(X, ROWS) / np.sqrt(SIZES)
    fit = factorize(X, "cnmf", 3, init={"U": U, "Z": Z}, labels=LABELS, max_iter=50)
    nmf = factorize(merged, "nmf", 3, init={"U": U, "V": Z * np.sqrt(SIZES)[:, None]}, max_iter=50)
    np.testing.assert_allclose(fit.factors["U"], nmf.factors["U"], rtol=1e-10)
    np.testing.assert_allclose(fit.factors["Z"] * np.sqrt(SIZES)[:, None], nmf.factors["V"], rtol=1e-10)
    constant = np.sum(X**2) - np.sum(merged**2)
    np.testing.assert_allclose(fit.objective, nmf.objective + constant, rtol=1e-11)
    method, problem = algorithms.get("cnmf")(), Problem(X, 3, labels=LABELS)
    stack = Stack(problem, {"U": U.T[None], "Z": Z.T[None]}, given=method.given(problem))
    stack.state = method.prepare(stack)
    assert stack.X.shape == (7, 6)


def test_kl_is_nmf_kl_on_class_sums(stream):
    X = stream.random((7, 9)) + 0.1
    U, Z = stream.random((7, 3)), stream.random((6, 3))
    fit = factorize(X, "cnmf_kl", 3, init={"U": U, "Z": Z}, labels=LABELS, max_iter=50)
    merged = {"U": U, "V": Z * SIZES[:, None]}
    other = factorize(class_sums(X, ROWS), "nmf_kl", 3, init=merged, max_iter=50)
    np.testing.assert_allclose(fit.factors["U"], other.factors["U"], rtol=1e-10)
    np.testing.assert_allclose(fit.factors["Z"] * SIZES[:, None], other.factors["V"], rtol=1e-10)
    np.testing.assert_allclose(np.diff(fit.objective), np.diff(other.objective), rtol=1e-8)


@pytest.mark.parametrize(("name", "free"), PAIRS)
@pytest.mark.parametrize("labels", [np.full(9, -1), np.where(np.arange(9) == 4, 3, -1)])
def test_no_labels_or_one_of_a_class_change_nothing(stream, name, free, labels):
    X = stream.random((7, 9))
    U, V = stream.random((7, 3)), stream.random((9, 3))
    order = np.argsort(labels < 0, kind="stable")  # a labelled sample comes first in Z
    fit = factorize(X, name, 3, init={"U": U, "Z": V[order]}, labels=labels, max_iter=40)
    other = factorize(X, free, 3, init={"U": U, "V": V}, max_iter=40)
    np.testing.assert_allclose(fit.embedding, other.embedding, rtol=1e-10)
    np.testing.assert_allclose(fit.objective, other.objective, rtol=1e-10)


@pytest.mark.parametrize(("name", "_"), PAIRS)
def test_samples_of_a_class_share_their_encoding(stream, name, _):
    X = stream.random((7, 9))
    fit = factorize(X, name, 3, labels=LABELS, max_iter=40)
    for code in (2, 5):
        members = fit.embedding[code == LABELS]
        np.testing.assert_array_equal(members, np.tile(members[0], (len(members), 1)))
    assert len(np.unique(fit.embedding[LABELS < 0], axis=0)) == 4
    everyone = factorize(X, name, 3, labels=np.arange(9) % 2, max_iter=40)
    assert everyone.factors["Z"].shape == (2, 3)
    assert len(np.unique(everyone.embedding, axis=0)) == 2


def test_the_residual_near_an_exact_fit(stream):
    U, Z = stream.random((7, 3)), stream.random((6, 3))
    X = U @ Z[ROWS].T
    near = {"U": U * (1 + 1e-9 * stream.standard_normal(U.shape)), "Z": Z}
    for name in ("cnmf", "cnmf_kl"):
        trace = factorize(X, name, 3, init=near, labels=LABELS, max_iter=5, trace_every=1).objective
        difference = X - near["U"] @ Z[ROWS].T
        expected = np.sum(difference**2) if name == "cnmf" else 0.5 * np.sum(difference**2 / X)
        assert trace[0] == pytest.approx(expected, rel=1e-4)
        assert np.all(np.diff(trace) <= 0)
