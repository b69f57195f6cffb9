"""CSV files as spreadsheets and scripts write them."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from nmfrepro.core.errors import DataError
from nmfrepro.datasets.formats import csv
from nmfrepro.datasets.formats.arrange import Layout
from nmfrepro.datasets.formats.csv import read_csv

X = [[1, 2], [3, 4.5], [0, 9]]


@pytest.fixture
def read(tmp_path: Path):
    def write_and_read(text: str | bytes, **layout):
        path = tmp_path / "f.csv"
        path.write_bytes(text.encode() if isinstance(text, str) else text)
        return read_csv(path, Layout(**layout))

    return write_and_read


@pytest.mark.parametrize(
    ("text", "layout"),
    [
        ("label,a,b\n5,1,2\n5,3,4.5\n7,0,9\n", {}),
        ("a;b;gnd\n1;2;5\n3;4.5;5\n0;9;7\n", {}),
        ("a\tperson\tb\n1\t5\t2\n3\t5\t4.5\n0\t7\t9", {"label_key": "person"}),
        ("1,2,5\n3,4.5,5\n0,9,7\n", {"label_key": "last"}),
        ("5,1,2\r\n5,3,4.5\r\n\r\n7,0,9\r\n", {"label_key": "first"}),
        ("\ufefflabel,0,1\n5,1,2\n5,3,4.5\n7,0,9\n", {}),
        ('"label","a","b"\n"5","1","2"\n"5","3","4.5"\n"7","0","9"\n', {}),
    ],
)
def test_every_way_of_writing_the_same_table(read, text: str, layout: dict):
    for data in (text.encode(), gzip.compress(text.encode())):
        found = read(data, **layout)
        assert found.X.tolist() == X
        assert found.labels.tolist() == [5, 5, 7]


def test_text_labels_need_no_key_and_stay_text(read):
    assert read("anna,1,2\nNone,3,4.5\nNA,0,9\n").labels.tolist() == ["anna", "None", "NA"]
    assert read("a,b,who\n1,2,anna\n3,4.5,x\n0,9,x\n").labels.tolist() == ["anna", "x", "x"]
    assert read("y,0,1\nanna,1,2\n").labels.tolist() == ["anna"]


def test_numbers_that_are_equal_are_one_class_however_written(read):
    assert read("y,a\n1,1\n1.0,1\n1e0,1\n+1,1\n 1,2\n2,3\n").labels.tolist() == [1, 1, 1, 1, 1, 2]
    assert read("y,a\n01,1\n02,1\n01,4\n10,4\n").labels.tolist() == [1, 2, 1, 10]
    # Not 10 and 1: no spreadsheet reads these as numbers.
    assert read("y,a\n1_0,1\n１,2\n10,4\n").labels.tolist() == ["1_0", "１", "10"]


def test_pictures(read):
    found = read("7,1,3,2,4\n", label_key="first", image_shape=(2, 2), pixel_order="column")
    assert found.X.tolist() == [[1, 2, 3, 4]]


@pytest.mark.parametrize(
    ("text", "layout", "message"),
    [
        ("1,2,5\n3,4,5\n", {}, "which column holds the labels.*first, last or a column's heading"),
        ("label,a\n01,1\n2,2\n1,3\n", {}, r"column 1 .label. holds '01' and '1': two classes, or one"),
        ("label,a\n1,1\n2,2\n01.0,3\n", {}, r"column 1 .label. holds '1' and '01.0': two classes, or one"),
        ("label,a\n01,1\n001,2\n", {}, r"column 1 .label. holds '01' and '001': two classes, or one"),
        ("label,a\nx,1\ny,2\nx ,3\n", {}, r"column 1 .label. holds 'x' and 'x ': two classes, or one"),
        ("label,a,b\n5,1,2\n5,3,1_0\n", {}, "line 3, column 3: '1_0' is no number"),
        ("label,a,b\n5,1,2\n5,3\n", {}, "line 3: 2 fields where the first line has 3"),
        ("label,a,b\n5,1,2\n5,3,x\n", {}, "line 3, column 3: 'x' is no number"),
        ("label,a,b\n5,1,\n", {}, "line 2, column 3: '' is no number"),
        ("label,a,b\n5.5,1,2\n", {}, "column 1 .label.: entry 1 of 1 .* is fractional"),
        ("label,a,b\n,1,2\n", {}, "column 1 .label.: entry 1 of 1 .* is empty"),
        ("label,a,b\n5,1,2\n", {"label_key": "labl"}, "no column 'labl' .*did you mean label"),
        ("label,a,b\n5,1,2\n", {"orientation": "columns"}, "orientation does not apply"),
        ("label,a,b\n5,1,2\n", {"data_key": "a"}, "data_key does not apply"),
        ("label,a,b\n", {}, "a heading but no lines of data"),
        ("a\nb\n", {}, "no columns separated by"),
        ("label,a\n5,\xff".encode("latin1"), {}, "no text in UTF-8"),
        (gzip.compress(b"label,a\n" + b"5,1\n" * 99)[:-9], {}, "damaged CSV file"),
        ('label,a\n5,"1\n', {}, "damaged CSV file"),
    ],
)
def test_what_is_wrong_is_named(read, text: str | bytes, layout: dict, message: str):
    with pytest.raises(DataError, match=r"f\.csv.*" + message):
        read(text, **layout)


def test_an_endless_line_is_not_taken_into_memory(read, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(csv, "_MAX_LINE", 1000)
    with pytest.raises(DataError, match="too long to be read as CSV"):
        read(gzip.compress(b"1,2\n" + b"1" * 5000))
    monkeypatch.setattr(csv, "_MAX_TEXT", 1000)
    with pytest.raises(DataError, match="too long to be read as CSV"):
        read(gzip.compress(b"anna,1,2\n" * 1000))
