"""Options take values as NumPy and YAML give them, and keep one canonical form."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest

from nmfrepro.core.errors import SpecError
from nmfrepro.core.options import build, option, options_of


@dataclass(frozen=True)
class Example:
    weight: float = option(1.0, low=0, help="a number")
    count: int = option(1, low=1, help="a whole number")
    matrix: tuple[tuple[float, ...], ...] | None = option(None, low=0, help="a matrix row by row")
    flag: bool = option(False, help="a switch")


@pytest.mark.parametrize("value", [2, 2.0, np.float64(2), np.float32(2), np.int64(2), np.array(2)])
def test_numbers_have_one_form(value):
    made = build(Example, {"weight": value}, "example")
    assert (made.weight, type(made.weight)) == (2.0, float)


@pytest.mark.parametrize(
    ("written", "meant"), [("gray", "grey"), ("MAX", "max"), ("l1", ""), ("", ""), ("sum", "")]
)
def test_a_misspelt_word_is_answered_with_the_closest(written, meant):
    @dataclass(frozen=True)
    class Words:
        one: str | float = option(choices=("grey", "max", "l2"), help="a word or a number")
        several: tuple[str, ...] = option(choices=("grey", "max", "l2"), help="words")

    for name, value in (("one", written), ("several", ["max", written])):
        with pytest.raises(SpecError, match=f"^{name} must be 'grey' or 'max' or 'l2'.*, not ") as refused:
            options_of(Words)[name].check(value)
        assert str(refused.value).endswith(f" (did you mean {meant}?)" if meant else f"'{written}'")


def test_numbers_and_switches_of_numpy_are_taken_as_pythons():
    made = build(Example, {"count": np.int32(3), "flag": np.bool_(True)}, "example")
    assert (made.count, type(made.count), made.flag) == (3, int, True)


@pytest.mark.parametrize("value", [[[1, 0], [2, 3]], ((1, 0), (2, 3)), np.array([[1, 0], [2, 3]])])
def test_matrices_become_nested_tuples(value):
    made = build(Example, {"matrix": value}, "example")
    assert made.matrix == ((1.0, 0.0), (2.0, 3.0))
    assert {type(entry) for row in made.matrix for entry in row} == {float}
    assert hash(made)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("matrix", [1, 2]),
        ("matrix", [[1, -2]]),
        ("matrix", [[1, np.nan]]),
        ("matrix", [["a"]]),
        ("count", np.float64(2)),
        ("count", np.bool_(True)),
        ("weight", np.array([1.0, 2.0])),
        ("weight", np.float64("inf")),
        ("weight", 10**400),
        ("count", 10**400),
    ],
)
def test_what_does_not_fit_is_refused(name, value):
    with pytest.raises(SpecError, match=f"{name} must be"):
        options_of(Example)[name].check(value)


def test_a_forgotten_decorator_and_a_default_that_is_not_allowed_are_said():
    class Forgotten(Example):
        rate: float = option(0.5, help="a rate")

    with pytest.raises(
        SpecError, match=r"class Forgotten has options .rate. .* @dataclass\(frozen=True\) above it"
    ):
        options_of(Forgotten)

    @dataclass(frozen=True)
    class Negative(Example):
        rate: float = option(-1.0, low=0, help="a rate")

    with pytest.raises(SpecError, match="the default of class Negative: rate must be a number >= 0"):
        options_of(Negative)
    for shared in ([1, 2], {"a": 1}, np.zeros(2)):
        what = f"default of an option cannot be a {type(shared).__name__}: write a tuple, or None"
        with pytest.raises(SpecError, match=what):
            option(shared, help="a rate")


@pytest.mark.parametrize("value", [np.zeros((40, 30)), "x" * 5000, ["x"] * 5000])
def test_a_wrong_value_does_not_fill_the_screen(value):
    with pytest.raises(SpecError, match=r"weight must be a number >= 0, not .* …$") as refused:
        options_of(Example)["weight"].check(value)
    assert len(str(refused.value)) < 150
