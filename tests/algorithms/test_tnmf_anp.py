"""TNMF and ANP: what their penalties do, and that neither problem has a minimiser."""

from __future__ import annotations

import numpy as np
import pytest

from nmfrepro import factorize
from nmfrepro.core.errors import SpecError


@pytest.fixture
def X():
    return np.random.default_rng(0).random((30, 40))


def test_pooling_with_ones_is_the_default(X):
    plain = factorize(X, "tnmf", 4, lam=1, max_iter=30)
    for ones in (np.ones((4, 4)), [[1, 1, 1, 1]] * 4):
        pooled = factorize(X, "tnmf", 4, lam=1, pooling=ones, max_iter=30)
        np.testing.assert_allclose(pooled.factors["S"], plain.factors["S"], rtol=1e-10)
        assert pooled.objective[-1] == pytest.approx(plain.objective[-1], rel=1e-12)


def test_without_a_weight_it_is_nmf(X):
    fit, nmf = factorize(X, "tnmf", 4, lam=0, max_iter=30), factorize(X, "nmf", 4, max_iter=30)
    np.testing.assert_allclose(fit.factors["W"], nmf.factors["U"], rtol=1e-12)
    np.testing.assert_array_equal(fit.embedding, fit.factors["S"])
    np.testing.assert_allclose(
        factorize(X, "anp", 4, lam=0, variant="kkt", max_iter=30).embedding, nmf.factors["V"], rtol=1e-12
    )


@pytest.mark.parametrize(
    "pooling", [np.ones((3, 3)), np.ones((4, 3)), [[1, 1, 1, 1]] * 3, np.ones(4), -np.ones((4, 4)), "all"]
)
def test_pooling_must_be_k_by_k_and_nonnegative(X, pooling):
    with pytest.raises(SpecError, match="pooling must be"):
        factorize(X, "tnmf", 4, lam=1, pooling=pooling)


@pytest.mark.parametrize(("name", "basis"), [("tnmf", "W"), ("anp", "U")])
def test_unit_columns_hold_the_basis(X, name, basis):
    first = factorize(X, name, 4, lam=1, max_iter=3).factors
    first = {factor: 5 * values for factor, values in first.items()}
    fit = factorize(X, name, 4, lam=1, unit_columns=True, max_iter=50, init=first)
    np.testing.assert_allclose(np.linalg.norm(fit.factors[basis], axis=0), 1, rtol=1e-12)
    plain = factorize(X, name, 4, lam=1, max_iter=50, init=first)
    assert np.ptp(np.linalg.norm(plain.factors[basis], axis=0)) > 0.01


def test_anp_variants_meet_but_only_mm_is_safe(X):
    mm = factorize(X, "anp", 3, lam=2, max_iter=4000)
    kkt = factorize(X, "anp", 3, lam=2, variant="kkt", max_iter=1, init=mm.factors)
    np.testing.assert_allclose(kkt.factors["V"], mm.factors["V"], atol=2e-3 * mm.factors["V"].max())
    traces = {
        variant: factorize(
            X / 30, "anp", 3, lam=5000, alpha=0.01, variant=variant, trace_every=1, max_iter=100
        ).objective
        for variant in ("mm", "kkt")
    }
    assert np.diff(traces["mm"]).max() <= 1e-12 * traces["mm"][0]
    assert np.diff(traces["kkt"]).max() > 1
