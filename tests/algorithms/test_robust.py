"""LDS-NMF, L21-NMF and CIM-NMF: robustness, collapse, and where printed claims fail."""

from __future__ import annotations

import numpy as np
import pytest
from contract import start

from nmfrepro import algorithms, factorize
from nmfrepro.algorithms import lds_nmf
from nmfrepro.algorithms.engine.robust import FLOOR
from nmfrepro.algorithms.engine.stack import Stack
from nmfrepro.algorithms.lds_nmf import LDSNMF, reference_weights
from nmfrepro.core.errors import FitError, SpecError
from nmfrepro.core.problem import FitSettings, Problem
from nmfrepro.factorization import fit, fit_each


@pytest.fixture
def X():
    return np.random.default_rng(0).random((20, 15))


def parts(n=40, outliers=0):
    """Sums of three disjoint parts; the last samples have all their mass elsewhere."""
    stream = np.random.default_rng(1)
    basis = np.kron(np.eye(3), np.ones((8, 1)))
    X = basis @ stream.random((3, n)) + 0.01 * stream.random((24, n))
    if outliers:
        X[:, -outliers:] = 3 * stream.random((24, outliers))
    return basis, X


def test_l21_is_lds_without_its_weights(X):
    first = start("l21_nmf", X)
    l21 = factorize(X, "l21_nmf", 3, init=first, max_iter=60)
    lds = factorize(X, "lds_nmf", 3, lam=0, gamma=0, init={"W": first["F"], "H": first["G"]}, max_iter=60)
    np.testing.assert_array_equal(lds.factors["W"], l21.factors["F"])
    np.testing.assert_array_equal(lds.factors["H"], l21.factors["G"])
    np.testing.assert_allclose(lds.objective, l21.objective, rtol=1e-14)


def test_the_loss_counts_distances_not_squares(X):
    fit = factorize(X, "l21_nmf", 3, max_iter=40)
    F, G = fit.factors["F"], fit.factors["G"]
    assert fit.objective[-1] == pytest.approx(np.linalg.norm(X - F @ G, axis=0).sum(), rel=1e-12)
    np.testing.assert_array_equal(fit.embedding, G.T)


def inliers_off(name, X, n):
    """How far a fit is from the samples that are no outliers."""
    fit = factorize(X, name, 3, max_iter=500)
    basis = fit.factors[str(algorithms.get(name).basis)]
    return np.linalg.norm(X[:, :n] - basis @ np.linalg.pinv(basis) @ X[:, :n])


def test_outliers_turn_the_basis_less_than_that_of_nmf():
    _, X = parts(outliers=4)
    off = {name: inliers_off(name, X, 36) for name in ("nmf", "l21_nmf", "cim_nmf")}
    assert off["l21_nmf"] < 0.5 * off["nmf"]
    assert off["cim_nmf"] < 0.5 * off["nmf"]


def test_perfectly_fitted_samples_have_bounded_weight():
    stream = np.random.default_rng(2)
    W, H = stream.random((12, 3)) + 0.1, stream.random((3, 7)) + 0.1
    for dtype in ("float64", "float32"):
        fit = factorize(W @ H, "l21_nmf", 3, init={"F": W, "G": H}, max_iter=20, dtype=dtype)
        assert fit.objective[-1] <= 30 * FLOOR[np.dtype(dtype)] * np.linalg.norm(W @ H)
        np.testing.assert_allclose(fit.factors["F"] @ fit.factors["G"], W @ H, rtol=1e-4)


def test_lds_theorem_1_is_false():
    """With one component and no codes the printed update maps w to w/‖w‖²: lengths ‖w‖, 1/‖w‖, ‖w‖, …"""
    X = np.random.default_rng(3).random((5, 4))
    method, problem = LDSNMF(lam=1.0, gamma=0.1), Problem(X, 1)
    w = 3 * np.random.default_rng(4).random((1, 1, 5))
    stack = Stack(problem, {"W": w.copy(), "H": np.zeros((1, 1, 4))})
    stack.state = method.prepare(stack)
    length, objectives = np.linalg.norm(w), []
    for step in range(6):
        objectives.append(method.objectives(stack, exact=True)[0])
        assert np.linalg.norm(stack["W"]) == pytest.approx(length if step % 2 == 0 else 1 / length)
        with stack.moving("W"):
            method.update_W(stack, 1)
    assert max(np.diff(objectives)) > 0


@pytest.mark.parametrize("rule", ["printed", "safeguard", "root"])
def test_lds_from_points_where_the_regulariser_outweighs_the_fit(rule):
    rises = 0
    for seed in range(12):
        stream = np.random.default_rng(seed)
        X = stream.random((8, 6))
        init = {"W": stream.random((8, 2)), "H": 0.02 * stream.random((2, 6))}
        trace = factorize(
            X, "lds_nmf", 2, lam=100, gamma=0.3, w_rule=rule, init=init, max_iter=40, trace_every=1
        ).objective
        rises += int(np.sum(np.diff(trace) > 1e-10 * trace[:-1]))
    assert (rises > 0) == (rule == "printed")


@pytest.mark.parametrize("lam", [0.01, 1, 10])
def test_lds_falls_while_the_fit_outweighs_the_regulariser(lam):
    _, X = parts()
    trace = factorize(X, "lds_nmf", 3, lam=lam, gamma=0.05, max_iter=200, trace_every=1).objective
    assert np.diff(trace).max() <= 1e-10 * trace[0]


@pytest.mark.parametrize("w_rule", ["printed", "safeguard"])
@pytest.mark.parametrize("restarts", [1, 3])
def test_collapsed_codes_are_an_error(X, restarts, w_rule):
    with pytest.raises(FitError, match=r"collapsed.*gamma = 10 .*lam = 1"):
        factorize(X, "lds_nmf", 3, lam=1, gamma=10, w_rule=w_rule, restarts=restarts, max_iter=2000)


def test_codes_on_their_way_to_zero_are_an_error(X):
    """Even where the run ends before they are gone."""
    for max_iter in range(20, 60, 10):
        with pytest.raises(FitError, match="collapsed"):
            factorize(X, "lds_nmf", 3, lam=1, gamma=10, max_iter=max_iter)


@pytest.mark.parametrize("w_rule", ["printed", "safeguard"])
def test_fits_stacked_with_their_own_weights_are_those_made_alone(X, w_rule):
    weights = [(0.01, 0.01), (1.0, 10.0), (1.0, 0.1), (30.0, 0.01)]
    methods = [LDSNMF(lam=lam, gamma=gamma, w_rule=w_rule) for lam, gamma in weights]
    problem, settings = Problem(X, 3), FitSettings(max_iter=60)
    together = fit_each(methods, problem, settings, 5)
    with pytest.raises(FitError) as collapsed:
        fit(methods[1], problem, settings, 5)
    assert str(together[1]) == str(collapsed.value)
    for each, method in zip(together, methods, strict=True):
        if method is not methods[1]:
            alone = fit(method, problem, settings, 5)
            np.testing.assert_allclose(each.objective, alone.objective, rtol=1e-12)
            for name, factor in alone.factors.items():
                np.testing.assert_allclose(each.factors[name], factor, rtol=0, atol=1e-10 * factor.max())


def test_a_fit_that_takes_its_stack_with_it_fails_alone(X, monkeypatch):
    def inverse(WW):
        if np.trace(WW, axis1=-2, axis2=-1).min() < 3.0:  # as WᵀW of the heavier weight becomes
            raise FitError("no inverse")
        return real(WW)

    real = lds_nmf._inverse
    monkeypatch.setattr(lds_nmf, "_inverse", inverse)
    methods = [LDSNMF(lam=lam, gamma=0.01) for lam in (0.0, 1e3)]
    settings = FitSettings(max_iter=30)
    kept, failed = fit_each(methods, Problem(X, 3), settings, 0)
    assert str(failed) == "no inverse"
    assert kept.objective[-1] == fit(methods[0], Problem(X, 3), settings, 0).objective[-1]


def test_lds_needs_no_more_components_than_features(X):
    with pytest.raises(SpecError, match="k = 21 exceeds the 20 features"):
        factorize(X, "lds_nmf", 21, lam=1, gamma=0)


def test_a_dead_pixel_fades_from_the_base(X):
    """Its row of W decays where that of L21-NMF is zero after one step: the log-determinant holds it back."""
    X[4] = 0
    rows = [
        factorize(X, "lds_nmf", 3, lam=1, gamma=0.01, max_iter=n).factors["W"][4].max() for n in (1, 10, 100)
    ]
    assert 1 > rows[0] > rows[1] > rows[2]
    assert not factorize(X, "l21_nmf", 3, max_iter=1).factors["F"][4].any()


def test_silent_samples_are_counted(X):
    X[:, 2] = 0
    for name, weights in (("lds_nmf", {"lam": 0.1, "gamma": 0.01}), ("l21_nmf", {})):
        assert factorize(X, name, 3, max_iter=5, **weights).notes == (
            "1 of 15 samples have an all-zero code",
        )


def test_reference_weights_do_not_see_the_scale_of_the_fit(X):
    fit = factorize(X, "l21_nmf", 3, max_iter=50)
    F, G = fit.factors["F"], fit.factors["G"]
    lam, gamma = reference_weights(X, F, G)
    np.testing.assert_allclose(reference_weights(X, 10 * F, G / 10), (lam, gamma), rtol=1e-10)
    unit = F / np.linalg.norm(F, axis=0)
    divergence = 3 - np.linalg.slogdet(unit.T @ unit)[1] - 3
    assert lam == pytest.approx(2 * fit.objective[-1] / divergence, rel=1e-10)
    assert gamma == pytest.approx(fit.objective[-1] / np.sum(G.T * np.linalg.norm(F, axis=0)), rel=1e-10)
    with pytest.raises(FitError, match="column of W is zero"):
        reference_weights(X, F * [1, 0, 1], G)


@pytest.mark.parametrize("k", [1, 3])
def test_there_are_no_reference_weights_where_the_divergence_is_zero(X, k):
    W = np.random.default_rng(k).random((X.shape[0], k)) * (
        np.arange(X.shape[0])[:, None] % k == np.arange(k)
    )
    with pytest.raises(FitError, match="orthonormal, as one alone always is"):
        reference_weights(X, W, np.ones((k, X.shape[1])))


def test_cim_adaptive_width_is_refused_where_it_means_nothing(X):
    with pytest.raises(SpecError, match="give sigma"):
        factorize(X, "cim_nmf", 3, restarts=2)
    with pytest.raises(SpecError, match="give sigma"):
        factorize(X, "cim_nmf", 3, tol=1e-4)
    assert factorize(X, "cim_nmf", 3, sigma=0.3, restarts=2, tol=1e-3).converged


def test_cim_of_a_perfect_fit_has_all_weights_one():
    stream = np.random.default_rng(6)
    U, V = stream.random((6, 2)), stream.random((4, 2))
    fit = factorize(
        np.ones((6, 4)), "cim_nmf", 1, init={"U": np.ones((6, 1)), "V": np.ones((4, 1))}, max_iter=3
    )
    assert fit.objective.tolist() == [0, 0]
    close = factorize(U @ V.T, "cim_nmf", 2, sigma=0.5, init={"U": U, "V": V}, max_iter=3)
    assert close.objective[-1] < 1e-25


def test_cim_with_a_wide_kernel_is_nmf(X):
    first = start("cim_nmf", X)
    wide = factorize(X, "cim_nmf", 3, sigma=1e6, init=first, max_iter=30)
    nmf = factorize(X, "nmf", 3, init=first, max_iter=30)
    np.testing.assert_allclose(wide.factors["U"], nmf.factors["U"], rtol=1e-8)
    assert wide.objective[-1] == pytest.approx(nmf.objective[-1] / 2e12, rel=1e-8)


def test_cim_objective_can_rise_with_a_renewed_width():
    X = np.random.default_rng(0).random((20, 15)) + 0.05
    trace = factorize(X, "cim_nmf", 4, max_iter=100, trace_every=1).objective
    assert np.diff(trace).max() > 0.1
    fixed = factorize(X, "cim_nmf", 4, sigma=0.3, max_iter=100, trace_every=1).objective
    assert np.diff(fixed).max() <= 1e-12


def test_cim_outliers_throughout_are_reported():
    X = np.random.default_rng(7).random((10, 8))
    X[:, 3] += 1e4
    fit = factorize(X, "cim_nmf", 2, sigma=0.05, max_iter=30)
    assert not fit.embedding[3].any()
    assert any("1 of 8 samples are not zero" in note for note in fit.notes)
