"""Degenerate data with every method, and data of any scale: finite factors, or an error that says why not."""

from __future__ import annotations

import numpy as np
import pytest
from contract import ITERATIVE, NAMES, SAMPLES, K, data, method_and_problem, run, start

from nmfrepro import algorithms
from nmfrepro.core.errors import DataError, FitError, NmfreproError


def changed(rows=slice(None), columns=slice(None), value=0.0):
    X = data()
    X[rows, columns] = value
    return X


DATA = {
    "zero image": (changed(columns=3), K),
    "dead pixel": (changed(rows=4), K),
    "both": (np.where(changed(columns=3) == 0, 0, changed(rows=4)), K),
    "constant pixel": (changed(rows=5, value=0.5), K),
    "duplicated images": (data()[:, [0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 3, 3, 3]], K),
    "all images alike": (data()[:, [0] * SAMPLES], K),
    "constant": (changed(value=0.7), K),
    "zero": (changed(value=0.0), K),
    "one image": (data()[:, :1], 1),
    "one image, k = 3": (data()[:, :1], K),
    "k = n": (data()[:, :5], 5),
    "k > m": (data()[:4], 6),
    "tiny": (1e-12 * data(), K),
    "huge": (1e12 * data(), K),
    "grey levels": (np.round(255 * data()), K),
}
# Where a method is not defined, or its type does not fit the data and every encoding is lost.
REFUSED = {
    "glram": {"k > m"},
    "kmeans": {"one image, k = 3"},
    "lds_nmf": {"k > m"},
    "nmf_cd": {"tiny float32"},
    "nmf_sc": {"one image", "one image, k = 3"},
    "pca": {"all images alike", "constant", "zero", "one image", "one image, k = 3"},
    "pca_kmeans": {"all images alike", "constant", "zero", "one image", "one image, k = 3"},
    "rica": {"all images alike", "constant", "zero", "one image", "one image, k = 3"},
    "spectral": {"one image, k = 3"},
}
# Single precision where the numbers' range or their zeros matter.
CASES = [(case, "float64") for case in DATA] + [
    (case, "float32") for case in ("zero image", "dead pixel", "zero", "tiny", "huge")
]


@pytest.mark.parametrize(("case", "dtype"), CASES)
@pytest.mark.parametrize("name", NAMES)
def test_degenerate_data(name, case, dtype):
    X, k = DATA[case]
    if {case, f"{case} {dtype}"} & REFUSED.get(name, set()):
        with pytest.raises(NmfreproError) as caught:
            run(name, X, k, dtype=dtype)
        assert "\n" not in str(caught.value)
        return
    try:
        fit = run(name, X, k, max_iter=55, dtype=dtype)
    except FitError as error:
        if "collapsed" not in str(error) or not zero_is_best(name, X, k):
            raise
    else:
        check_fit(fit, X)


def zero_is_best(name, X, k):
    """Whether a method's weights are for larger data: no multiple of its start is better than zero."""
    method, problem = method_and_problem(name, X, k)
    given, first = method.given(problem), start(name, X, k)

    def value(s):
        return method.objective(**given, **{factor: s * values for factor, values in first.items()})

    return all(value(0) <= value(10.0**-power) for power in range(30))


def check_fit(fit, X):
    """Finite numbers throughout, and encodings unless there is nothing to encode."""
    for factor, values in fit.factors.items():
        assert np.isfinite(values).all(), factor
    assert np.isfinite(fit.objective).all()
    if fit.embedding is not None:
        assert np.isfinite(fit.embedding).all()
        assert fit.embedding.any() or not X.any()


@pytest.mark.parametrize("name", ITERATIVE)
def test_a_zero_column_in_a_factor(name):
    """It stays or recovers, as the method's rule has it; nothing becomes infinite."""
    if "restarts" not in algorithms.get(name).fit_settings:
        pytest.skip("starts from given bases")
    first = start(name, data())
    for factor in first:
        emptied = first[factor].copy()
        emptied[..., 0] = 0
        fit = run(name, data(), init=first | {factor: emptied})
        assert all(np.isfinite(values).all() for values in fit.factors.values())


@pytest.mark.parametrize("name", NAMES)
def test_negative_and_missing_numbers_are_named(name):
    with pytest.raises(DataError, match=r"nan at feature 3 of sample 2 \(counted from 1\)"):
        run(name, changed(rows=2, columns=1, value=np.nan))
    with pytest.raises(DataError, match=r"inf at feature 3 of sample 2 \(counted from 1\)"):
        run(name, changed(rows=2, columns=1, value=np.inf))
    negative = changed(rows=2, columns=1, value=-0.5)
    if algorithms.get(name).signed:
        assert run(name, negative).objective.size
    else:
        with pytest.raises(DataError, match=r"-0.5 at feature 3 of sample 2 .*data >= 0"):
            run(name, negative)


# What X → aX does to parameters and factors, as powers of a; what is not named stays.
SCALING = {
    "anp": ({"lam": 2}, {"U": 1}),
    "cf": ({}, {}),
    "cim_nmf": ({}, {"U": 1}),
    "cnmf": ({}, {"U": 1}),
    "cnmf_kl": ({}, {"U": 1}),
    "gnmf": ({"lam": 2}, {"U": 1}),
    "l21_nmf": ({}, {"F": 1}),
    "nlcf": ({}, {"U": 1}),
    "nlcf_g": ({"lam": 2}, {"U": 1}),
    "nmf": ({}, {"U": 1}),
    "nmf_kl": ({}, {"U": 1}),
    "nmf_ncw": ({}, {}),
    "nmf_sc": ({}, {"U": 1}),
    "nmsf": ({}, {"U": 1}),
    "nnsc": ({"lam": 1}, {"V": 1}),
    "ntf": ({}, {"W": 1}),
    "semi_gnmf": ({"lam": 2}, {"U": 1}),
    "tnmf": ({"lam": 2}, {"W": 1}),
    "twodnmf": ({}, {"D": 1}),
}


@pytest.mark.parametrize("a", [2.0**-80, 2.0**80])
@pytest.mark.parametrize("name", sorted(set(SCALING) & set(NAMES)))
def test_scaled_data_gives_scaled_factors(name, a):
    X, first = data(), start(name, data())
    weights, powers = SCALING[name]
    given = dict.fromkeys(weights, 0.3)
    fit = run(name, X, init=first, **given)
    scaled = {factor: values * a ** powers.get(factor, 0) for factor, values in first.items()}
    given = {weight: value * a ** weights[weight] for weight, value in given.items()}
    other = run(name, a * X, init=scaled, **given)
    for factor, values in fit.factors.items():
        np.testing.assert_allclose(other.factors[factor], values * a ** powers.get(factor, 0), rtol=1e-9)
