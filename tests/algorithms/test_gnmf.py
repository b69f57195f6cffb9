"""GNMF and SemiGNMF."""

from __future__ import annotations

import numpy as np
from contract import two_factors
from scipy.sparse import csr_array

from nmfrepro import factorize
from nmfrepro.algorithms.semi_gnmf import with_labels


def test_without_weight_it_is_nmf(stream):
    X, first = stream.random((10, 14)), two_factors(stream, 10, 14, 3)
    fit = factorize(X, "gnmf", 3, init=first, max_iter=60, lam=0.0)
    nmf = factorize(X, "nmf", 3, init=first, max_iter=60)
    np.testing.assert_allclose(fit.factors["V"], nmf.factors["V"], rtol=1e-12)
    np.testing.assert_allclose(fit.embedding, nmf.embedding, rtol=1e-12)


def test_a_start_with_unit_columns_is_the_same_product(stream):
    X = stream.random((10, 14))
    plain, unit = (factorize(X, "gnmf", 3, max_iter=0, unit_start=each).factors for each in (False, True))
    np.testing.assert_allclose(np.linalg.norm(unit["U"], axis=0), 1)
    np.testing.assert_allclose(unit["U"] @ unit["V"].T, plain["U"] @ plain["V"].T)


def test_labels_join_and_part_samples():
    W = csr_array(np.array([[0, 0.5, 0, 0.2], [0.5, 0, 0.4, 0], [0, 0.4, 0, 0.3], [0.2, 0, 0.3, 0]]))
    labels = np.array([7, 2, 7, -1])
    expected = [[0, 0, 1, 0.2], [0, 0, 0, 0], [1, 0, 0, 0.3], [0.2, 0, 0.3, 0]]
    np.testing.assert_array_equal(with_labels(W, labels).toarray(), expected)
    np.testing.assert_array_equal(with_labels(W, np.full(4, -1)).toarray(), W.toarray())


def test_without_labels_semi_gnmf_is_gnmf(stream):
    X, first = stream.random((10, 14)), two_factors(stream, 10, 14, 3)
    gnmf = factorize(X, "gnmf", 3, init=first, max_iter=30)
    fit = factorize(X, "semi_gnmf", 3, init=first, max_iter=30, labels=np.full(14, -1))
    np.testing.assert_array_equal(fit.factors["V"], gnmf.factors["V"])
