"""Specs' YAML: numbers and words as people write them."""

from __future__ import annotations

import pytest
from yamltexts import error_of, value_of

from nmfrepro.core.errors import SpecError
from nmfrepro.spec.scalars import resolve


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1", 1),
        ("-3", -3),
        ("+5", 5),
        ("0", 0),
        ("-0", 0),
        ("0.5", 0.5),
        (".5", 0.5),
        ("5.", 5.0),
        ("1e-5", 1e-5),
        ("1E-04", 1e-4),
        ("1e2", 100.0),
        ("1.0e3", 1000.0),
        ("1.0e+3", 1000.0),
        ("-2.5E1", -25.0),
        ("0e0", 0.0),
        ("5.0", 5.0),
        ("true", True),
        ("True", True),
        ("FALSE", False),
        ("null", None),
        ("Null", None),
        ("~", None),
        ("", None),
    ],
)
def test_plain_words_have_their_evident_value(text: str, value: object) -> None:
    found = resolve(text)
    assert found == value
    assert type(found) is type(value)


@pytest.mark.parametrize(
    "text",
    [
        *("on", "off", "yes", "no", "NO", "y", "n", "On"),
        *("None", "none", "nan", "NaN", "inf", "NA", "nil"),
        *("1_0", "1,000", "0-9", "10%", "32x32", "1.2.3", "2013-01-02", "1e", "e5", ".", "-", "--1", "1 2"),
        *("=1+1", "=", "５", "²", "1e5x", "e", "+", ".e3"),
    ],
)
def test_everything_else_is_text(text: str) -> None:
    assert resolve(text) == text


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("010", "leading zero"),
        ("08", "leading zero"),
        ("-07", "leading zero"),
        ("00.5", "leading zero"),
        ("1:30", "base 60"),
        ("1:30:00", "base 60"),
        ("190:20:30.15", "base 60"),
        ("0x1F", "decimal"),
        ("0o17", "decimal"),
        ("0b11", "decimal"),
        (".nan", "finite"),
        (".inf", "finite"),
        ("-.INF", "finite"),
        ("1e999", "too large"),
        ("1e-999", "too small"),
        ("1" * 19, "too large"),
        ("1" * 5000, "this many digits"),
    ],
)
def test_ambiguous_numbers_are_refused(text: str, part: str) -> None:
    with pytest.raises(SpecError, match=part):
        resolve(text)


def test_negative_zero_is_zero() -> None:
    assert str(resolve("-0.0")) == "0.0"


def test_quoted_scalars_are_text() -> None:
    assert value_of("""a: "5"\nb: '1e-5'\nc: 'null'\nd: "on"\ne: ''\nf: '010'\n""") == {
        "a": "5",
        "b": "1e-5",
        "c": "null",
        "d": "on",
        "e": "",
        "f": "010",
    }


def test_numbers_with_exponents_in_lists_and_names_that_stay_names() -> None:
    assert value_of("grid: [1e-2, 0.1, 1, 1e1, 100]\non: [ORL, NO, Yale]\noff: no\n") == {
        "grid": [0.01, 0.1, 1, 10.0, 100],
        "on": ["ORL", "NO", "Yale"],
        "off": "no",
    }


def test_block_scalars_are_text_on_one_line() -> None:
    assert value_of("a: >\n  NLCF\n  on ORL\nb: |\n  12\n") == {"a": "NLCF on ORL", "b": "12"}
    assert "control character" in error_of("a: |\n  two\n  lines\n")


def test_empty_values_are_null() -> None:
    assert value_of("a:\nb: ~\nc: [null, ~]\n") == {"a": None, "b": None, "c": [None, None]}
