"""Labels of any shape and value."""

from __future__ import annotations

import numpy as np
import pytest

from nmfrepro.core.errors import DataError
from nmfrepro.datasets.labels import code, label_vector, natural_key, one_hot_axis


@pytest.mark.parametrize(
    "values",
    [
        np.array([[1.0], [2.0], [2.0]]),
        np.array([[1, 2, 2]], dtype=np.uint8),
        np.array([-7, 3, 3]),
        np.array([0, 900, 900], dtype=np.uint64),
        np.array([False, True, True]),
        np.array(["anna  ", " bob", " bob"]),
        np.array([b"anna", b"bob", b"bob"]),
        np.array([[1, 0], [0, 1], [0, 1]]),
        np.array([[1.0, 0.0, 0.0], [0.0, 1.0, 1.0]]),
    ],
    ids=["column", "row", "negative", "gaps", "bool", "text", "bytes", "one-hot rows", "one-hot columns"],
)
def test_every_way_of_writing_the_same_labels_gives_the_same_codes(values: np.ndarray):
    y, classes = code(label_vector(values, 3, "gnd"))
    assert y.tolist() == [0, 1, 1]
    assert y.dtype == np.int64
    assert len(classes) == 2


def test_texts_that_differ_are_classes_of_their_own_and_equal_numbers_are_one():
    for values in (["1.x", "1", "1.0"], ["1", "01", "001"], ["a", "A", "á"], ["é", "e\u0301", "e"]):
        assert len(code(label_vector(np.array(values), 3, "gnd"))[1]) == 3
    assert code(label_vector(np.array([b"\xc3\xa9", b"e", b"e"]), 3, "gnd"))[1] == ("e", "é")
    assert code(label_vector(np.array([1.0, 1, -0.0]), 3, "gnd"))[1] == (0, 1)


def test_codes_follow_the_values_and_keep_them():
    y, classes = code(np.array([7, -2, 101, 7]))
    assert (y.tolist(), classes) == ([1, 0, 2, 1], (-2, 7, 101))
    y, classes = code(np.array(["s10", "s2", "s1"]))
    assert (y.tolist(), classes) == ([2, 1, 0], ("s1", "s2", "s10"))


def test_names_are_sorted_by_their_numbers():
    assert sorted(["10.pgm", "2.pgm", "1.pgm"], key=natural_key) == ["1.pgm", "2.pgm", "10.pgm"]
    # superscript two is a digit to str.isdigit but no number
    assert sorted(["a²", "a1", "a10"], key=natural_key) == ["a1", "a10", "a²"]


@pytest.mark.parametrize(
    ("values", "message"),
    [
        (np.array([1, 1.5, 2.5]), "entry 2 of 3 .* is 1.5, which is fractional.*2 such"),
        (np.array([1, 2, np.nan]), "entry 3 of 3 .* is nan, which is not a label"),
        (np.array([np.inf, 2, 1]), "entry 1 of 3 .* is inf"),
        (np.array([1, 2]), "holds 2 labels for 3 images"),
        (np.array([1, 2, 1e300]), "entry 3 of 3 .* too large"),
        (np.array([1, 2, 2**64 - 1], dtype=np.uint64), "entry 3 of 3 .* too large"),
        (np.array(["a", "", "b"]), "entry 2 of 3 .* is empty"),
        (np.array([[1, 1], [0, 1], [1, 0]]), "3 x 2: labels must be"),
        (np.array([1, 2, 3j]), "complex128"),
        (np.array([b"anna", b"\xff", b"c"]), "not UTF-8"),
    ],
)
def test_wrong_labels_are_refused_by_name(values: np.ndarray, message: str):
    with pytest.raises(DataError, match=f"f.mat: gnd.*{message}"):
        label_vector(values, 3, "f.mat: gnd")


def test_one_hot_needs_one_1_per_sample():
    assert one_hot_axis(np.eye(3), 3) == 0
    assert one_hot_axis(np.eye(3)[:, [0, 1, 2, 0]], 4) == 1
    assert one_hot_axis(2 * np.eye(3), 3) is None
    assert one_hot_axis(np.ones((3, 3)), 3) is None
    assert one_hot_axis(np.array([1, 0, 1]), 3) is None
