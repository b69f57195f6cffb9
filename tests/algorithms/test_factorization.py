"""What `factorize` refuses before it starts."""

from __future__ import annotations

import numpy as np
import pytest

from nmfrepro import factorize
from nmfrepro.algorithms import get
from nmfrepro.core import seeds
from nmfrepro.core.errors import DataError, FitError, SpecError
from nmfrepro.core.problem import Problem

X = np.arange(12.0).reshape(4, 3)


@pytest.mark.parametrize("matrix", [X + 1j, np.ma.masked_greater(X, 9)], ids=["complex", "masked"])
def test_what_numpy_would_drop_in_silence_is_refused(matrix: np.ndarray) -> None:
    with pytest.raises(DataError, match="neither complex nor masked"):
        factorize(matrix, "nmf", 2, max_iter=2)


def test_complex_encodings_are_no_result(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(get("nmf"), "embedding", lambda method, factors, problem: 1j * factors["V"])
    with pytest.raises(FitError, match="the encodings are complex"):
        factorize(X, "nmf", 2, max_iter=2)


def test_whole_numbers_of_any_type_are_one_seed() -> None:
    first = factorize(X, "nmf", 2, seed=1, max_iter=3).factors["U"]
    for seed in (np.int64(1), np.uint8(1), np.intp(1)):
        np.testing.assert_array_equal(factorize(X, "nmf", 2, seed=seed, max_iter=3).factors["U"], first)
    assert seeds.derive("draw", np.int32(5)) == seeds.derive("draw", 5) != seeds.derive("draw", "5")


@pytest.mark.parametrize("seed", ["1", True, np.True_, 1.0, 1.5, None, np.array([1])])
def test_what_is_no_whole_number_is_no_seed(seed: object) -> None:
    with pytest.raises(SpecError, match="seed must be a whole number, not"):
        factorize(X, "nmf", 2, seed=seed, max_iter=3)  # type: ignore[arg-type]


def test_what_the_type_of_the_run_cannot_hold_is_refused() -> None:
    tiny = np.full((4, 3), 1e-50)
    assert factorize(tiny, "nmf", 2, max_iter=2).embedding is not None
    with pytest.raises(DataError, match="largest entry is 1e-50, and its square is no float32 number"):
        factorize(tiny, "nmf", 2, max_iter=2, dtype="float32")


def test_numbers_in_objects_are_real_or_refused() -> None:
    mixed = X.astype(object)
    assert factorize(mixed, "nmf", 2, max_iter=2).embedding is not None
    mixed[1, 1] = np.complex128(4 + 2j)
    with pytest.raises(DataError, match="neither complex nor masked"):
        factorize(mixed, "nmf", 2, max_iter=2)
    with pytest.raises(DataError, match="matrix of real numbers"):
        factorize(X.astype(str), "nmf", 2, max_iter=2)


@pytest.mark.parametrize("wrong", [np.ones((4, 2)) * 1j, np.full((4, 2), np.nan)])
def test_an_init_of_other_numbers_is_refused(wrong: np.ndarray) -> None:
    with pytest.raises(SpecError, match="init U must hold finite real numbers"):
        factorize(X, "nmf", 2, init={"U": wrong, "V": np.ones((3, 2))}, max_iter=2)


def test_a_method_cannot_write_to_its_data(monkeypatch: pytest.MonkeyPatch) -> None:
    data, labels = X.copy(), np.array([0, 1, -1])

    def update(self, X, U, V):  # type: ignore[no-untyped-def]
        X *= 2
        return U, V

    problem = Problem(data, 2, labels=labels)
    for array in (problem.X, problem.labels):
        assert array is not None
        with pytest.raises(ValueError, match="read-only"):
            array[...] = 0
    monkeypatch.setattr(get("nmf"), "stacked", False)
    monkeypatch.setattr(get("nmf"), "update", update)
    with pytest.raises(ValueError, match="read-only"):
        factorize(data, "nmf", 2, max_iter=1)
    np.testing.assert_array_equal(data, X)
    data[0, 0] = 5  # the caller's own array stays the caller's
