"""CSV files as spreadsheets and scripts write them."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from nmfrepro.core.errors import DataError
from nmfrepro.datasets import DatasetOptions
from nmfrepro.datasets.formats import quarantine
from nmfrepro.datasets.formats.csv import read_csv

X = [[1, 2], [3, 4.5], [0, 9]]


@pytest.fixture
def read(tmp_path: Path):
    def write_and_read(text: str | bytes, **layout):
        path = tmp_path / "f.csv"
        path.write_bytes(text.encode() if isinstance(text, str) else text)
        return quarantine.quarantined(read_csv, path, DatasetOptions(**layout))

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
    assert read("y,0,1\nanna,1,2\n", first_line="heading").labels.tolist() == ["anna"]


def test_numbers_that_are_equal_are_one_class_however_written(read):
    assert read("y,a\n1,1\n1.0,1\n1e0,1\n+1,1\n 1,2\n2,3\n").labels.tolist() == [1, 1, 1, 1, 1, 2]
    assert read("y,a\n01,1\n02,1\n01,4\n10,4\n").labels.tolist() == ["01", "02", "01", "10"]
    assert read("y,a\n01,1\n1,2\nx,1\nx ,4\n").labels.tolist() == ["01", "1", "x", "x"]
    # Not 10 and 1: no spreadsheet reads these as numbers.
    assert read("y,a\n1_0,1\n１,2\n10,4\n").labels.tolist() == ["1_0", "１", "10"]


def test_pixels_column_by_column_are_turned_upright(read):
    found = read("7,1,3,2,4\n", label_key="first", image_shape="2x2", pixel_order="column")
    assert found.X.tolist() == [[1, 2, 3, 4]]


@pytest.mark.parametrize(
    ("text", "heading", "image"),
    [
        ("y,9,9,8\nx,1,2,3\n", ["x"], ["y", "x"]),
        ("y,9,9,8\n3,1,2,3\n", [3], ["y", "3"]),
        ("0,1,2,species\n5,1,2,setosa\n", ["setosa"], ["species", "setosa"]),
        ("y,0,1\nanna,1,2\n", ["anna"], ["y", "anna"]),
        ("0,1,2,3\n7,5,5,1\n", [1], [3, 1]),
    ],
)
def test_a_first_line_that_may_be_either_is_asked_for(read, text: str, heading: list, image: list):
    key = {"label_key": "last"} if "," in text and not any(map(str.isalpha, text)) else {}
    with pytest.raises(DataError, match=r"f\.csv, line 1.* say so with first_line: heading or image"):
        read(text, **key)
    key |= {"label_key": "first"} if text[0] in "yx" else {}
    assert read(text, first_line="heading", **key).labels.tolist() == heading
    assert read(text, first_line="image", **key).labels.tolist() == image


@pytest.mark.parametrize(
    ("line", "column", "field"),
    [
        ("anna,,2", 2, ""),
        ("anna,x,2", 2, "x"),
        ("anna,NA,2", 2, "NA"),
        ("1,x,anna", 2, "x"),
        ("a,#,#", 2, "#"),
    ],
)
def test_an_unreadable_field_is_an_error_in_the_first_line_too(read, line: str, column: int, field: str):
    with pytest.raises(DataError, match=rf"f\.csv, line 1, column {column}: '{field}' is no number"):
        read(f"{line}\n{'3,4,bob' if line.endswith('anna') else 'bob,3,4'}\n")


@pytest.mark.parametrize("numbers", [(0, 1, 2), (4, 9, 7)])  # of all lines, or of a part of them
@pytest.mark.parametrize("title", ["", "Unnamed: 0", "id", "ID"])
def test_the_number_of_a_line_is_no_pixel(read, title: str, numbers: tuple):
    rows = zip(numbers, ("1,2,5", "3,4.5,5", "0,9,7"), strict=True)
    found = read(f"{title},a,b,gnd\n" + "".join(f"{number},{row}\n" for number, row in rows))
    assert found.X.tolist() == X
    called = f" ({title})" if title else ""
    assert found.notes == (f"the first column of the CSV file{called} numbers its lines, and is left out",)


def test_a_running_number_without_a_heading_is_no_pixel(read):
    found = read("".join(f"{i},{7 * i % 5},3,{i % 2}\n" for i in range(1, 13)), label_key="last")
    assert found.X.shape == (12, 2)
    assert found.notes


def test_a_german_spreadsheet(read):
    found = read("sep=;\r\na;b;gnd\r\n1;2,0;5\r\n3;4,5;5\r\n0;9,0;7\r\n")
    assert found.X.tolist() == X
    assert found.notes == ("decimal commas are read as points",)
    assert read("anna;1,5;2\nbob;3;4,5\n").X.tolist() == [[1.5, 2], [3, 4.5]]
    # In the first line there may be more decimal commas than separators; commas in quotes separate nothing.
    assert read("1,5;2,5;anna\n3,0;4,5;bob\n").X.tolist() == [[1.5, 2.5], [3, 4.5]]
    assert read('1,5\t"a, b, c"\n3,0\t"d, e, f"\n').labels.tolist() == ["a, b, c", "d, e, f"]
    assert read('1,2,"a; b; c"\n3,4,"d; e; f"\n').X.tolist() == [[1, 2], [3, 4]]
    for number in ("1.234,5", "1,234,5"):
        with pytest.raises(DataError, match=f"line 2, column 1: '{number}' is no number"):
            read(f"a;gnd\n{number};5\n")
    for number in ("1,5", "1,234"):  # of a file of commas, in quotes, be it the label
        for line in (f'"{number}",5', f'5,"{number}"'):
            with pytest.raises(DataError, match="line 2: commas in numbers may be decimal or separate thou"):
                read(f"a,gnd\n{line}\n")
    for lines in ("1,234;5.6;5\n", "1,5;2;5\n2;3.5;5\n", "2;3.5;5\n1,5;2;5\n"):  # points, too
        with pytest.raises(DataError, match=r"line [23]: commas in numbers may be decimal"):
            read(f"a;b;gnd\n{lines}")


def test_a_missing_number_makes_no_column_of_labels(read):
    with pytest.raises(DataError, match=r"column 2 .b. has text in its first line and 5 below.*label_key"):
        read("a,b,c\n1,NA,3\n4,5,6\n")
    assert read("a,b,c\n1,x1,3\n4,7,6\n", label_key="b").labels.tolist() == ["x1", "7"]


@pytest.mark.parametrize(
    ("text", "layout", "message"),
    [
        ("y,a\n9007199254740992,1\n9007199254740993,2\n", {}, "entry 1 of 2 .* is too large for a label"),
        ("1,2,5\n3,4,5\n", {}, "which column holds the labels.*first, last or a column's heading, or save"),
        ("label,a,b\n5,1,2\n5,3\n", {}, "line 3: 2 fields, and 3 in the first line"),
        ("label,a,b\n5,1,2\n5,3,x\n", {}, "line 3, column 3: 'x' is no number"),
        ("label,a,b\n5,1,2\n5,3,1_0\n", {}, "line 3, column 3: '1_0' is no number"),
        ("label,a,b\n5,1,\n", {}, "line 2, column 3: '' is no number"),
        ("label,a,b\n5.5,1,2\n", {}, "column 1 .label.: entry 1 of 1 .* is fractional"),
        ("label,a,b\n,1,2\n", {}, "column 1 .label.: entry 1 of 1 .* is empty"),
        ("label,a,b\n5,1,2\n", {"label_key": "labl"}, "no column 'labl' .*did you mean label"),
        (
            ",".join(f"p{i}" for i in range(200)) + ",class\n" + "1," * 200 + "1\n",
            {"label_key": "clas"},
            "did you mean class. allowed: class, .* and 198 more",
        ),
        ("label,a,b\n", {}, "a heading but no lines of data"),
        ("id,label\n1,5\n2,7\n", {}, "holds no pixels, but numbers of lines"),
        ("a\nb\n", {}, "no columns separated by"),
        ("label,a\n5,\xff".encode("latin1"), {}, "no UTF-8 text"),
        (gzip.compress(b"label,a\n" + b"5,1\n" * 99, mtime=0)[:-9], {}, "damaged or not"),
        ('label,a\n5,"1\n', {}, "damaged or not"),
    ],
)
def test_what_is_wrong_is_named(read, text: str | bytes, layout: dict, message: str):
    with pytest.raises(DataError, match=r"f\.csv.*" + message):
        read(text, **layout)


def test_what_unfolds_without_end_is_not_taken_into_memory(read, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(quarantine, "MEMORY", 50 * 2**20)
    monkeypatch.setattr(quarantine, "SECONDS", 1)
    late = "takes more than 1 seconds to read"  # on a machine that is busy with other work
    with pytest.raises(
        DataError, match=rf"f\.csv (needs more memory|is damaged .*field larger than field limit|{late})"
    ):
        read(gzip.compress(b"1,2\n" + b"1" * 2**26))
    # What was 60 million lines: a quarter of a megabyte.
    with pytest.raises(DataError, match=rf"f\.csv (needs more memory|{late})"):
        read(gzip.compress(b"anna,1\n" * 4_000_000))
