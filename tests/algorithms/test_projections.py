"""Features of new samples: which projection gives what, and what each depends on."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.optimize
from contract import images

from nmfrepro import algorithms, factorize
from nmfrepro.algorithms.engine import new_samples
from nmfrepro.core.errors import SpecError

SHAPE = (6, 5)
stream = np.random.default_rng(0)
TRAIN, NEW = stream.random((30, 9)), stream.random((30, 4))


def two_sided(U, V, stack, projection):
    method = algorithms.get("twodnmf")(projection=projection)
    return method.project({"U": U, "V": V}, stack.reshape(len(stack), -1).T, stack.shape[1:])


def distances(features):
    return np.linalg.norm(features[:, None] - features[None], axis=2)


def project(name, k=3, projection=None, **parameters):
    shape = SHAPE if algorithms.get(name).needs_image_shape else None
    fit = factorize(TRAIN, name, k, image_shape=shape, max_iter=30, **parameters)
    method = algorithms.get(name)(**parameters)
    return fit.factors, method.project(fit.factors, NEW, shape, projection)


@pytest.mark.parametrize("seed", range(8))
def test_a_basis_of_lower_rank_codes_its_samples_all_the_same(seed):
    """Semi-NMF's has that of X: with k beyond it, the last singular values are rounding."""
    X = np.random.default_rng(seed).random((300, 12))
    basis = factorize(X, "semi_nmf", 20, max_iter=50, seed=seed).factors["U"]
    np.testing.assert_allclose(basis @ new_samples.least_squares(basis, X).T, X, rtol=0, atol=1e-10)


WEIGHTS = {"lds_nmf": {"lam": 0.1, "gamma": 0.01}, "tnmf": {"lam": 1.0}}


@pytest.mark.parametrize(
    ("name", "basis"),
    [("nmf", "U"), ("nmf_kl", "U"), ("lds_nmf", "W"), ("l21_nmf", "F"), ("cim_nmf", "U"), ("tnmf", "W")],
)
def test_least_squares_codes_on_a_basis(name, basis):
    factors, features = project(name, **WEIGHTS.get(name, {}))
    expected = np.linalg.lstsq(factors[basis], NEW, rcond=None)[0].T
    np.testing.assert_allclose(features, expected, rtol=1e-9, atol=1e-12)
    _, codes = project(name, projection="nnls", **WEIGHTS.get(name, {}))
    assert codes.min() >= 0


def test_nonnegative_least_squares_is_optimal():
    """At the solution the slope is zero where the code is positive and upward where it is zero."""
    basis = np.random.default_rng(1).random((30, 6))
    codes = new_samples.nonnegative_least_squares(basis, NEW - 0.3)
    slope = (codes @ basis.T - (NEW - 0.3).T) @ basis
    assert codes.min() == 0
    assert np.abs(slope[codes > 0]).max() < 1e-10
    assert slope.min() > -1e-10
    wide = new_samples.nonnegative_least_squares(basis[:4], NEW[:4])
    assert wide.shape == (4, 6)


def test_nmsf_codes_the_columns_of_images():
    factors, features = project("nmsf", projection="nnls")
    expected = [
        np.stack([scipy.optimize.nnls(factors["U"], column)[0] for column in image.T], axis=1).ravel()
        for image in images(NEW)
    ]
    np.testing.assert_allclose(features, expected, rtol=1e-9, atol=1e-12)
    assert features.min() == 0 > project("nmsf")[1].min()
    np.testing.assert_array_equal(project("nmsf", projection="pinv")[1], project("nmsf")[1])


def test_pca_glram_and_nmsf_project_as_their_papers_say():
    factors, features = project("pca")
    np.testing.assert_allclose(features, (NEW - factors["mean"][:, None]).T @ factors["C"], rtol=1e-12)
    factors, features = project("glram")
    expected = [(factors["L"].T @ image @ factors["R"]).ravel() for image in images(NEW)]
    np.testing.assert_allclose(features, expected, rtol=1e-12)
    factors, features = project("nmsf")
    expected = [np.linalg.lstsq(factors["U"], image, rcond=None)[0].ravel() for image in images(NEW)]
    np.testing.assert_allclose(features, expected, rtol=1e-9)


@pytest.mark.parametrize("name", ["pca", "glram"])
def test_samples_of_the_fit_are_projected_on_their_embedding(name):
    shape = SHAPE if name == "glram" else None
    fit = factorize(TRAIN, name, 3, image_shape=shape)
    method = algorithms.get(name)()
    np.testing.assert_allclose(method.project(fit.factors, TRAIN, shape), fit.embedding, atol=1e-12)


def test_2dnmf_projects_as_its_option_says():
    for projection in ("printed", "consistent", "orthonormal"):
        factors, features = project("twodnmf", projection=projection)
        U, V = factors["U"], factors["V"]
        left, right = np.linalg.pinv(U), V
        if projection == "consistent":
            right = np.linalg.pinv(V).T
        if projection == "orthonormal":
            left, right = np.linalg.qr(U)[0].T, np.linalg.qr(V)[0]
        expected = [(left @ image @ right).ravel() for image in images(NEW)]
        np.testing.assert_allclose(features, expected, rtol=1e-9, atol=1e-12)
        method = algorithms.get("twodnmf")(projection=projection)
        np.testing.assert_allclose(method.project(factors, NEW, SHAPE), features)


def test_the_printed_projection_of_an_exact_product_is_not_its_core():
    stream = np.random.default_rng(2)
    U, V, D = stream.random((6, 2)), stream.random((5, 2)), stream.random((9, 2, 2))
    exact = U @ D @ V.T
    printed, consistent = (two_sided(U, V, exact, projection) for projection in ("printed", "consistent"))
    np.testing.assert_allclose(printed, (D @ (V.T @ V)).reshape(9, -1), rtol=1e-10)
    np.testing.assert_allclose(consistent, D.reshape(9, -1), rtol=1e-10)


def test_what_transposed_images_and_scaled_bases_change():
    stream = np.random.default_rng(3)
    U, V, stack = stream.random((6, 2)), stream.random((5, 2)), images(NEW)
    changes = {}
    for projection in ("printed", "consistent", "orthonormal"):
        before = distances(two_sided(U, V, stack, projection))
        turned = distances(two_sided(V, U, stack.transpose(0, 2, 1), projection))
        scaled = distances(two_sided(U * [1, 3], V * [2, 1], stack, projection))
        changes[projection] = (np.abs(turned - before).max() > 1e-9, np.abs(scaled - before).max() > 1e-9)
    assert changes == {"printed": (True, True), "consistent": (False, True), "orthonormal": (False, False)}


@pytest.mark.parametrize("name", ["ntf", "nsdr", "kmeans", "cf"])
def test_methods_without_a_projection_say_so(name):
    with pytest.raises(SpecError, match=f"{name} has no projection for new samples"):
        algorithms.get(name)().project({}, NEW)


def test_unknown_projections_and_missing_shapes():
    for name in ("nmf", "nmsf"):
        with pytest.raises(SpecError, match=r"no projection 'nnsl' on one basis; did you mean nnls"):
            project(name, projection="nnsl")
    with pytest.raises(SpecError, match=r"no projection 'pinv' of images; .*printed, consistent"):
        project("twodnmf", projection="pinv")
    factors, _ = project("glram")
    with pytest.raises(SpecError, match="image_shape"):
        algorithms.get("glram")().project(factors, NEW)


def test_a_dead_column_of_the_basis_gives_a_zero_code():
    basis = np.random.default_rng(4).random((30, 3)) * [1, 0, 1]
    codes = new_samples.least_squares(basis, NEW)
    np.testing.assert_allclose(codes[:, 1], 0, atol=1e-12)
    assert np.isfinite(codes).all()
