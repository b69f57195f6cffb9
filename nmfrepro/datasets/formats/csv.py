"""CSV files: one image a line, its label in one of the columns, with or without a heading."""

from __future__ import annotations

import csv
import gzip
import re
import sys
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from pathlib import Path

import numpy as np

from ...core.errors import DataError, Setting, suggest
from ..definition import Reading
from ..labels import label_vector
from ..request import DatasetOptions
from .arrange import ALONE, LABEL_NAMES, upright
from .guard import regular_file

Line = tuple[int, list[str]]  # its number and its fields

_SEPARATOR = re.compile(r"sep=(.)\r?\n?", re.IGNORECASE)  # Excel's own first line
_QUOTED = re.compile('"[^"]*"')
_COMMA = re.compile(r"\s*[-+]?\d+,\d+([eE][-+]?\d+)?\s*", re.ASCII)
_THOUSANDS = re.compile(r"\s*[-+]?[1-9]\d{0,2}(,\d{3})+\s*", re.ASCII)
_MISSING = {"na", "n/a", "nan", "none", "null", "missing"}
_ENDS = {"first": 0, "last": -1}
_INDEX_NAMES = ("", "index", "id", "no", "nr", "row", "unnamed: 0")
_ENOUGH = 10  # lines without a heading that show a running number to be none of the pixels
_INDEX_NOTE = "the first column of the CSV file numbers its lines, and is left out"
_SPACES_NOTE = "labels are numbers, and those that differ in surrounding spaces only are one class"


def read_csv(path: Path, options: DatasetOptions) -> Reading:
    """Images and labels of a CSV file (comma, semicolon or tab; plain or gzipped).

    The label column is the one that `label_key` names (or "first", "last"), else the one whose heading is a
    word for labels, else the only one that holds text.

    Raises
    ------
    DataError
        For a line of another length, a field that is no number (naming line and column), or where it cannot
        be told whether the first line is a heading, or which column holds the labels.
    """
    lines = _lines(path)
    first, second = next(lines, (1, [])), next(lines, None)
    if len(first[1]) < 2:
        raise DataError(f"{path} has no columns separated by comma, semicolon or tab; save it so")
    heading = _is_heading(first, second[1] if second else first[1], options, path)
    titles = [title.strip() for title in first[1]] if heading else None
    body = [line for line in (None if heading else first, second) if line is not None]
    if not body:
        raise DataError(f"{path} has a heading but no lines of data")
    column = _label_column(titles, body[0][1], options.label_key, path)
    X, labels, notes = _numbers(path, chain(body, lines), len(first[1]), column)
    # Programs write a running number in front of their rows.
    index = column > 0 and (titles[0].lower() in _INDEX_NAMES if titles else len(X) >= _ENOUGH)
    if index and _is_running(X[:, 0]):
        X, notes = X[:, 1:], (*notes, _INDEX_NOTE)
    elif index and titles and titles[0]:
        what = f"{path}: column 1 is called {titles[0]} and does not number the lines"
        raise DataError(f"{what}; call it otherwise if it is a pixel, or leave it out")
    elif titles and "" in titles and titles.index("") != column:
        raise DataError(
            f"{path}: column {titles.index('') + 1} has no heading; name it if it is a pixel, or leave it out"
        )
    where = f"{path}: column {column + 1}" + (f" ({titles[column]})" if titles else "")
    # 1, 1.0 and 1e0 are one class; 01 is a name, which `label_vector` refuses beside 1.
    numeric = all(_is_number(each) and not re.match(r"\s*[-+]?0\d|.*,", each) for each in labels)
    if numeric and len(set(map(str.strip, labels))) < len(set(labels)):
        notes = (*notes, _SPACES_NOTE)
    vector = label_vector(np.array(labels, dtype=np.float64 if numeric else str), len(X), where)
    X = upright(X, options.shape, options.pixel_order, path)
    return Reading(X, vector, options.shape, notes=notes)


def _lines(path: Path) -> Iterator[Line]:
    with regular_file(path).open("rb") as stream:
        opened = gzip.open if stream.read(2) == b"\x1f\x8b" else open
    try:
        with opened(path, "rt", encoding="utf-8-sig", newline="") as text:
            start = text.readline()
            named = _SEPARATOR.fullmatch(start)
            if not named:
                text.seek(0)
            reader = csv.reader(text, delimiter=named[1] if named else _separator(start), strict=True)
            for fields in reader:
                if fields:
                    yield reader.line_num + bool(named), fields
    except UnicodeDecodeError as error:
        what = f"is no text in UTF-8 (byte {error.start + 1}); save it again as UTF-8"
        raise DataError(f"{path} {what}") from None


def _separator(line: str) -> str:
    """What separates a line's fields: a comma, unless it can be the decimal comma of fields."""
    bare = _QUOTED.sub("", line)
    other = max(";\t", key=bare.count)
    return other if other in bare and all(field.count(",") < 2 for field in bare.split(other)) else ","


def _is_number(field: str) -> bool:
    """Whether a field is a number, with a decimal point or a decimal comma."""
    try:
        float(field.replace(",", ".") if _COMMA.fullmatch(field) else field)
    except ValueError:
        return False
    return _plain(field)


def _plain(text: str) -> bool:
    """Python reads 1_0 and digits of other scripts as numbers; no spreadsheet does."""
    return text.isascii() and "_" not in text


def _is_heading(first: Line, second: list[str], options: DatasetOptions, path: Path) -> bool:
    """Whether the first line names the columns: words only; an image looks like the second line."""
    number, fields = first
    if options.first_line is not None:
        return options.first_line == "heading"
    titles = [field.strip().lower() for field in fields]
    if options.label_key and options.label_key not in _ENDS and options.label_key in map(str.strip, fields):
        return True
    words = [i for i, field in enumerate(fields) if not _is_number(field)]
    if len(words) == len(fields) == len({*titles} - _MISSING) and all(
        any(map(str.isalpha, title))
        for title in titles[not titles[0] :]  # a program may leave out the first
    ):
        return True
    where, heading = f"{path}, line {number}", Setting("first_line", "heading")
    if len(words) > 1:
        odd = [i for i in words if i < len(second) and _is_number(second[i])] or words
        bad = next((i for i in words if not titles[i]), odd[0])
        raise DataError(
            f"{where}, column {bad + 1}: {fields[bad]!r} is no number; mend it, or, if the line is a heading "
            "all the same, say ",
            heading,
        )
    numbers = [float(field.replace(",", ".")) for field in fields if _is_number(field)]
    running = len(numbers) > 1 and _is_running(numbers)
    known = bool(words) and titles[words[0]] in LABEL_NAMES
    alike = all(titles[i] and i < len(second) and not _is_number(second[i]) for i in words)
    if known and running and not alike:
        return True
    if known or not alike or (running and len(numbers) > 2):
        raise DataError(f"{where}: a heading or an image? say so with ", heading, " or image")
    return False


def _is_running(values: Sequence[float] | np.ndarray) -> bool:
    """Whether values are 0, 1, 2 … or 1, 2, 3 …"""
    return values[0] in (0, 1) and bool(np.array_equal(values, np.arange(len(values)) + values[0]))


def _label_column(titles: list[str] | None, fields: list[str], key: str | None, path: Path) -> int:
    if key is not None and titles and key in titles:
        return titles.index(key)
    if key in _ENDS:
        return _ENDS[key] % len(fields)
    if key is not None:
        known = suggest(key, [*(titles or ()), "first", "last"])
        raise DataError(f"{path} has no column {key!r} (", Setting("label_key"), f"); {known}")
    named = [i for i, title in enumerate(titles or ()) if title.lower() in LABEL_NAMES]
    text = [i for i, field in enumerate(fields) if not _is_number(field)]
    for choice in (named, text):
        if len(choice) == 1:
            return choice[0]
    how = (Setting("label_key", "first"), f", last or a column's heading, or {ALONE}")
    raise DataError(f"{path}: which column holds the labels? say with ", *how)


def _numbers(
    path: Path, lines: Iterable[Line], width: int, column: int
) -> tuple[np.ndarray, list[str], tuple[str, ...]]:
    """Pixels, labels, and a note where decimal commas were read."""
    labels: list[str] = []
    comma, decimal, points = "", False, False

    def rows() -> Iterator[list[float]]:
        nonlocal comma, decimal, points
        for number, fields in lines:
            if len(fields) != width:
                found = f"{len(fields)} fields where the first line has {width}"
                raise DataError(f"{path}, line {number}: {found}")
            labels.append(sys.intern(fields.pop(column)))  # one copy of every label
            joined = "".join(fields)
            points = points or "." in joined
            if "," in joined:
                comma = comma or next(field for field in fields if "," in field)
                decimal = decimal or any("," in field and not _THOUSANDS.fullmatch(field) for field in fields)
                fields = [field.replace(",", ".") if _COMMA.fullmatch(field) else field for field in fields]
            try:
                if not _plain(joined):
                    raise ValueError
                yield list(map(float, fields))
            except ValueError:
                bad = next(i for i, field in enumerate(fields) if not _is_number(field))
                place = f"{path}, line {number}, column {bad + 1 + (bad >= column)}"
                raise DataError(
                    f"{place}: {fields[bad]!r} is no number; mend it, or leave out the line"
                ) from None

    X = np.fromiter(rows(), np.dtype((np.float64, (width - 1,))))
    if comma and (points or not decimal):
        raise DataError(
            f"{path}: {comma!r} may have a decimal comma or a separator of thousands; write decimal points"
        )
    return X, labels, ("decimal commas are read as points",) if comma else ()
