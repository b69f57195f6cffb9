"""Values whose squares are 0 or infinite: no result comes of them by chance."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from nmfrepro import algorithms, factorize
from nmfrepro.core.errors import DataError
from nmfrepro.core.magnitude import squares_fit, within_range
from nmfrepro.protocols.clusters import kmeans
from nmfrepro.runs import prepare
from nmfrepro.spec.reader import read_spec

Y = np.repeat([0, 1, 2], 15)
ENCODINGS = np.eye(3)[Y] + 0.4 * np.random.default_rng(5).random((45, 3))


@pytest.mark.parametrize("exponent", [-1000, -565, -487, 500, 512, 1000])  # 2⁻⁵⁶⁵ is 1e-170
def test_encodings_of_any_size_are_clustered_alike(exponent: int) -> None:
    clusters = kmeans(ENCODINGS, 3, 20, 1)
    assert len(set(zip(clusters.tolist(), Y.tolist(), strict=True))) == 3
    np.testing.assert_array_equal(kmeans(np.ldexp(ENCODINGS, exponent), 3, 20, 1), clusters)


@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_ordinary_values_keep_their_bits_and_others_their_digits(dtype: str) -> None:
    X = ENCODINGS.astype(dtype)
    for scale in (1e-12, 1, 255, 1e12, 0):
        assert within_range(scaled := X * np.array(scale, dtype)) is scaled
    assert squares_fit(ENCODINGS * 1e-50)
    far = np.ldexp(X, 120 if dtype == "float32" else 1000)
    assert not squares_fit(far)
    assert 0.5 <= np.abs(within_range(far)).max() < 1
    np.testing.assert_array_equal(within_range(far) / within_range(far)[0, 0], X / X[0, 0])


@pytest.mark.parametrize("scale", [1e-50, 1e-25])
def test_data_that_float32_makes_zero_is_refused(tmp_path: Path, scale: float) -> None:
    np.savez(tmp_path / "tiny.npz", X=ENCODINGS * scale, y=Y)
    (tmp_path / "s.yaml").write_text(
        "dataset: {file: tiny.npz, scale: none}\nprotocol: {kind: clustering, clusters: [2], repeats: 1}\n"
        "algorithms: [nmf]\nfit: {restarts: 1, max_iter: 5, tol: 0, dtype: float32}\nseed: 1\n"
    )
    with pytest.raises(DataError, match=r"tiny\.npz: the largest entry is .* square is no float32 number"):
        prepare(read_spec(tmp_path / "s.yaml"))


@pytest.mark.parametrize("name", ["nmf", "kmeans", "gnmf", "pca"])
@pytest.mark.parametrize(
    ("scale", "dtype"), [(1e-170, "float64"), (1e170, "float64"), (1e-50, "float32"), (1e30, "float32")]
)
def test_data_that_cannot_be_squared_is_refused(name: str, scale: float, dtype: str) -> None:
    settings = {} if issubclass(algorithms.get(name), algorithms.Direct) else {"max_iter": 5}
    told = rf"^X: the largest entry is 1\.\d+e\S+, and its square is no {dtype} number"
    with pytest.raises(DataError, match=told):
        factorize(ENCODINGS.T * scale, name, 3, dtype=dtype, **settings)
