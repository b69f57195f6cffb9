"""2DNMF, NMSF, NTF and GLRAM: how they relate to each other and to what they claim."""

from __future__ import annotations

import numpy as np
import pytest
from contract import images

from nmfrepro import factorize
from nmfrepro.algorithms.engine import images as engine_images
from nmfrepro.core.errors import SpecError

SHAPE = (6, 5)
N = 9


@pytest.fixture
def X():
    return np.random.default_rng(0).random((30, N))


def test_nmsf_is_nmf_of_the_images_side_by_side(X):
    first = {"U": np.random.default_rng(1).random((6, 3)), "V": np.random.default_rng(2).random((N, 3, 5))}
    fit = factorize(X, "nmsf", 3, image_shape=SHAPE, init=first, max_iter=40)
    beside = np.concatenate(list(images(X)), axis=1)
    codes = np.concatenate(list(first["V"]), axis=1).T
    nmf = factorize(beside, "nmf", 3, init={"U": first["U"], "V": codes}, max_iter=40)
    np.testing.assert_allclose(fit.factors["U"], nmf.factors["U"], rtol=1e-10)
    np.testing.assert_allclose(np.concatenate(list(fit.factors["V"]), axis=1).T, nmf.factors["V"], rtol=1e-10)
    np.testing.assert_allclose(fit.objective, nmf.objective, rtol=1e-12)
    np.testing.assert_array_equal(fit.embedding[4], fit.factors["V"][4].ravel())


def test_2dnmf_of_an_exact_product_fits_it():
    stream = np.random.default_rng(3)
    U, V, D = stream.random((6, 2)), stream.random((5, 2)), stream.random((N, 2, 2))
    X = (U @ D @ V.T).reshape(N, -1).T
    fit = factorize(X, "twodnmf", 2, image_shape=SHAPE, power=1, restarts=3, max_iter=2000)
    assert fit.objective[-1] < 1e-4 * np.sum(X**2)
    assert fit.embedding.shape == (N, 4)


def test_sizes_of_the_core(X):
    fit = factorize(X, "twodnmf", 4, image_shape=SHAPE, l2=2, max_iter=2)
    assert {name: values.shape for name, values in fit.factors.items()} == {
        "U": (6, 4),
        "V": (5, 2),
        "D": (N, 4, 2),
    }
    np.testing.assert_array_equal(fit.embedding[3], fit.factors["D"][3].ravel())
    assert factorize(X, "glram", 4, image_shape=SHAPE, l1=6, l2=5, max_iter=2).embedding.shape == (N, 30)
    with pytest.raises(SpecError, match="l2 = 6 exceeds the images' 5 columns"):
        factorize(X, "glram", 6, image_shape=SHAPE)


@pytest.mark.parametrize("name", ["twodnmf", "glram"])
def test_transposed_images_swap_the_bases(X, name):
    """Images stored column by column only swap the roles of the bases; 2DNMF's order of steps does matter."""
    turned = images(X).transpose(0, 2, 1).reshape(N, -1).T
    left, right = ("U", "V") if name == "twodnmf" else ("L", "R")
    fit = factorize(X, name, 3, image_shape=SHAPE, max_iter=300)
    first = {left: fit.factors[right], right: fit.factors[left], "D": fit.factors["D"].transpose(0, 2, 1)}
    other = factorize(turned, name, 3, image_shape=SHAPE[::-1], init=first, max_iter=0)
    assert other.objective[-1] == pytest.approx(fit.objective[-1], rel=1e-12)


def test_ntf_reads_its_encodings_at_unit_length(X):
    fit = factorize(X, "ntf", 3, image_shape=SHAPE, max_iter=20)
    U, V, W = (fit.factors[name] for name in "UVW")
    np.testing.assert_allclose(fit.embedding, W * np.linalg.norm(U, axis=0) * np.linalg.norm(V, axis=0))
    raw = factorize(X, "ntf", 3, image_shape=SHAPE, max_iter=20, normalize="none")
    np.testing.assert_array_equal(raw.embedding, raw.factors["W"])
    # The same fit at another scale of its factors has the same encodings.
    scaled = {"U": U * [2, 4, 8], "V": V * [0.5, 1, 2], "W": W / [1, 4, 16]}
    again = factorize(X, "ntf", 3, image_shape=SHAPE, init=scaled, max_iter=5)
    plain = factorize(X, "ntf", 3, image_shape=SHAPE, init=fit.factors, max_iter=5)
    np.testing.assert_allclose(again.embedding, plain.embedding, rtol=1e-12)


def test_ntf_of_an_exact_sum_of_rank_one_images_fits_it():
    stream = np.random.default_rng(4)
    U, V, W = stream.random((6, 2)), stream.random((5, 2)), stream.random((N, 2))
    X = np.einsum("ia,ja,na->ijn", U, V, W).reshape(30, N)
    fit = factorize(X, "ntf", 2, image_shape=SHAPE, restarts=3, max_iter=2000)
    assert fit.objective[-1] < 1e-5 * np.sum(X**2)


def test_glram_steps_are_eigenvectors(X):
    fit = factorize(X, "glram", 3, image_shape=SHAPE, l2=2, max_iter=2)
    L = np.eye(6, 3)
    for _ in range(2):
        right = sum(image.T @ L @ L.T @ image for image in images(X))
        R = np.linalg.svd(right)[0][:, :2]
        left = sum(image @ R @ R.T @ image.T for image in images(X))
        L = np.linalg.svd(left)[0][:, :3]
    for found, expected in ((fit.factors["L"], L), (fit.factors["R"], R)):
        np.testing.assert_allclose(found @ found.T, expected @ expected.T, atol=1e-12)
        np.testing.assert_allclose(found.T @ found, np.eye(found.shape[1]), atol=1e-12)
        assert np.all(found[np.abs(found).argmax(axis=0), np.arange(found.shape[1])] > 0)
    cores = np.array([fit.factors["L"].T @ image @ fit.factors["R"] for image in images(X)])
    np.testing.assert_allclose(fit.factors["D"], cores, rtol=1e-12)
    np.testing.assert_array_equal(fit.embedding, fit.factors["D"].reshape(N, -1))
    residual = sum(np.sum((image - L @ L.T @ image @ R @ R.T) ** 2) for image in images(X))
    assert fit.objective[-1] == pytest.approx(residual, rel=1e-12)
    assert np.sum(X**2) - np.sum(cores**2) == pytest.approx(residual, rel=1e-12)


def test_glram_never_rises_and_settles(X):
    X = X - 0.5
    long = factorize(X, "glram", 2, image_shape=SHAPE, max_iter=400, trace_every=1)
    assert np.diff(long.objective).max() <= 1e-12 * long.objective[0]
    longer = factorize(X, "glram", 2, image_shape=SHAPE, max_iter=900)
    for name, values in long.factors.items():
        np.testing.assert_array_equal(longer.factors[name], values)
    assert longer.n_iter == 900


def test_glram_has_one_start(X):
    one = factorize(X, "glram", 2, image_shape=SHAPE, max_iter=5)
    many = factorize(X, "glram", 2, image_shape=SHAPE, max_iter=5, restarts=7, seed=99)
    np.testing.assert_array_equal(one.embedding, many.embedding)
    assert one.objective[0] == pytest.approx(np.sum(X**2) - np.sum(images(X)[:, :2, :2] ** 2), rel=1e-12)


def test_glram_with_full_bases_is_exact(X):
    fit = factorize(X, "glram", 1, l1=6, l2=5, image_shape=SHAPE, max_iter=3)
    assert fit.objective[-1] < 1e-24 * np.sum(X**2)


@pytest.mark.parametrize("name", ["twodnmf", "ntf", "nmsf"])
def test_restarts_in_groups_of_bounded_memory(X, name, monkeypatch):
    whole = factorize(X, name, 3, image_shape=SHAPE, restarts=5, max_iter=20)
    # One restart's products and core: k · n · (r + c + k) numbers.
    monkeypatch.setattr(engine_images, "WORK_BYTES", 2 * 8 * 3 * N * (6 + 5 + 3))
    grouped = factorize(X, name, 3, image_shape=SHAPE, restarts=5, max_iter=20)
    assert grouped.restart == whole.restart
    np.testing.assert_allclose(grouped.embedding, whole.embedding, rtol=1e-10)
