"""What the stack keeps between moves holds for the factors as they are, whatever an author leaves out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pytest

from nmfrepro.algorithms.engine.stack import Stack
from nmfrepro.core.options import option
from nmfrepro.core.problem import FitSettings, Problem
from nmfrepro.factorization import fit
from nmfrepro.method import TwoFactor, squared_error

X = np.random.default_rng(0).random((12, 9))


@dataclass(frozen=True)
class Bare(TwoFactor):
    """NMF with a ridge penalty, written with NumPy: it says nothing to the stack."""

    name: ClassVar[str] = "bare"
    factors: ClassVar[dict[str, tuple[str, ...]]] = {"U": ("m", "k"), "V": ("n", "k")}
    lam: float = option(0.1, help="weight of the penalty")

    def update_V(self, stack, repeats):
        U, V = stack["U"], stack["V"]
        for _ in range(repeats):
            V *= (U @ stack.X) / ((U @ U.transpose(0, 2, 1) + self.lam * np.eye(U.shape[1])) @ V)

    def objectives(self, stack, exact):
        return squared_error(stack, exact) + self.lam * np.einsum("rkn,rkn->r", stack["V"], stack["V"])

    def embedding(self, factors, problem):
        return factors["V"]


@dataclass(frozen=True)
class OldForm(Bare):
    """As the README of version 0.1 had it."""

    def update_V(self, stack, repeats):
        U, V = stack["U"], stack["V"]
        XU = stack.times(U, stack.X, "XU")
        A = stack.gram_of("U") + self.lam * np.eye(U.shape[1])
        for _ in range(repeats):
            stack.multiply_ratio(V, XU, A @ V)
        stack.last = ("V", XU)


@dataclass(frozen=True)
class Meddling(Bare):
    """Moves a factor that is not its turn."""

    def update_V(self, stack, repeats):
        stack["U"][...] *= 2


@pytest.mark.parametrize("method", [Bare(), OldForm()])
@pytest.mark.parametrize("order", ["UV", "VU"])
def test_the_objective_recorded_is_that_of_the_factors(method, order):
    def run(count):
        settings = FitSettings(max_iter=count, order=order, trace_every=1)
        return fit(method, Problem(X, 3), settings, 0)

    for count, recorded in enumerate(run(8).objective):
        U, V = (run(count).factors[name] for name in ("U", "V"))
        assert recorded == pytest.approx(np.sum((X - U @ V.T) ** 2) + 0.1 * np.sum(V**2), rel=1e-12)


def test_a_factor_moves_in_its_own_turn_only():
    with pytest.raises(ValueError, match="read-only"):
        fit(Meddling(), Problem(X, 3), FitSettings(max_iter=2), 0)


def test_products_are_dropped_when_a_factor_gets_into_hands_that_may_change_it():
    rng = np.random.default_rng(1)
    stack = Stack(Problem(X, 3), {"U": rng.random((2, 3, 12)), "V": rng.random((2, 3, 9))})
    first = stack.product("U", stack.X)
    assert stack.product("U", stack.X) is first
    with pytest.raises(ValueError, match="read-only"):
        first *= 2
    with stack.moving("U"):
        assert stack.has_product("U", stack.X)  # nobody has the factor yet
        U = stack["U"]
        for _ in range(2):
            U *= 2
            np.testing.assert_allclose(stack.product("U", stack.X), U @ X)
    np.testing.assert_allclose(stack.product("U", stack.X), stack["U"] @ X)
    total = stack.kept("sum", ("U", "V"), lambda: stack["U"].sum(axis=2) + stack["V"].sum(axis=2))
    with stack.moving("V"):
        stack["V"][...] = 0
    again = stack.kept("sum", ("U", "V"), lambda: stack["U"].sum(axis=2) + stack["V"].sum(axis=2))
    assert np.all(again < total)


def test_products_are_dropped_when_entries_are_flushed():
    U = np.zeros((1, 3, 12))
    U[0, :, 0] = 1, 1, 1e-250  # what the third component has left is negligible
    stack = Stack(Problem(X, 3), {"U": U, "V": np.ones((1, 3, 9))})
    kept = stack.product("U", stack.X), stack.gram_of("U"), stack.kept("U", ("U",), lambda: stack["U"].copy())
    assert kept[0][0, 2].any()
    stack.flush()
    assert not stack["U"][0, 2].any()
    again = (
        stack.product("U", stack.X),
        stack.gram_of("U"),
        stack.kept("U", ("U",), lambda: stack["U"].copy()),
    )
    assert not again[0][0, 2].any()
    np.testing.assert_array_equal(again[2], stack["U"])


def test_the_squared_length_of_a_large_matrix_has_all_digits_in_single_precision():
    large = np.random.default_rng(1).random((2000, 1500)).astype(np.float32)
    exact = np.sum(large.astype(np.float64) ** 2)
    assert Stack(Problem(large, 1), {}).X_squared == pytest.approx(exact, rel=1e-9)
