"""CSV files: one image a line, its label in one of the columns, with or without a heading."""

from __future__ import annotations

import csv
import gzip
import re
import sys
from collections.abc import Iterator, Sequence
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
_COMMA = re.compile(r"\s*[-+]?\d+,\d+([eE][-+]?\d+)?\s*", re.ASCII)
_ENDS = {"first": 0, "last": -1}
# What programs call the number of a line, which they write in front of it.
_INDEX_NAMES = ("", "index", "id", "no", "nr", "row", "unnamed: 0")
_ENOUGH = 10  # lines without a heading that show a running number to be none of the pixels


def read_csv(path: Path, options: DatasetOptions) -> Reading:
    """Images and labels of a CSV file (comma, semicolon or tab; plain or gzipped).

    The label column is the one that `label_key` names (or "first", "last"), else the one whose heading is a
    word for labels, else the only one that holds text.  A column of numbers that programs write in front is
    left out with a note.  Where fields are not separated by commas, a comma in a number is its decimal point.

    Raises
    ------
    DataError
        For a line of another length, a field that is no number (naming line and column), or where it cannot
        be told whether the first line is a heading, or which column holds the labels.
    """
    notes: list[str] = []
    lines = _lines(path, notes)
    first, second = next(lines, (1, [])), next(lines, None)
    if len(first[1]) < 2:
        raise DataError(f"{path} has no columns separated by comma, semicolon or tab; save it so")
    heading = _is_heading(first, second[1] if second else first[1], options, path)
    titles = [title.strip() for title in first[1]] if heading else []
    body = [line for line in (None if heading else first, second) if line is not None]
    if not body:
        raise DataError(f"{path} has a heading but no lines of data")
    column = _label_column(titles, body[0][1], options.label_key, path)
    width, labels = len(first[1]), list[str]()

    def pixels() -> Iterator[list[float]]:
        for number, fields in chain(body, lines):
            if len(fields) != width:
                raise DataError(f"{path}, line {number}: {len(fields)} fields, and {width} in the first line")
            labels.append(sys.intern(fields.pop(column)))  # one copy of every label
            try:
                if not _is_plain("".join(fields)):
                    raise ValueError
                yield list(map(float, fields))
            except ValueError:
                bad = next(i for i, field in enumerate(fields) if not _is_number(field))
                raise _no_number(path, number, bad + (bad >= column), fields[bad]) from None

    X = np.fromiter(pixels(), np.dtype((np.float64, (width - 1,))))
    title = titles[column == 0] if titles else ""
    numbered = title.lower() in _INDEX_NAMES if titles else len(X) >= _ENOUGH and _is_running(X[:, 0])
    if numbered:
        if width == 2:
            raise DataError(f"{path} holds no pixels, but numbers of lines and their labels")
        X = X[:, 1:]
        called = f" ({title})" if title else ""
        notes.append(f"the first column of the CSV file{called} numbers its lines, and is left out")
    where = f"{path}: column {column + 1}" + (f" ({titles[column]})" if titles else "")
    said = options.label_key is not None or (titles and titles[column].lower() in LABEL_NAMES)
    if not said and (odd := next(filter(_is_number, labels), None)):
        why = f"has text in its first line and {odd} below: are these the labels? say with "
        raise DataError(f"{where} {why}", Setting("label_key"))
    # 1, 1.0 and 1e0 are one class; in a column with 01 all are names.
    numeric = all(_is_number(each) and not re.match(r"\s*[-+]?0\d", each) for each in labels)
    vector = label_vector(np.array(labels, dtype=np.float64 if numeric else str), len(X), where)
    X = upright(X, options.shape, options.pixel_order, path)
    return Reading(X, vector, options.shape, notes=tuple(notes))


def _lines(path: Path, notes: list[str]) -> Iterator[Line]:
    """The lines that are not empty, decimal commas as points, which `notes` then says."""
    with regular_file(path).open("rb") as stream:
        opened = gzip.open if stream.read(2) == b"\x1f\x8b" else open
    try:
        with opened(path, "rt", encoding="utf-8-sig", newline="") as text:
            start = text.readline()
            named = _SEPARATOR.fullmatch(start)
            if not named:
                text.seek(0)
            unquoted = re.sub('"[^"]*"', "", start)
            separator = named[1] if named else next((each for each in "\t;" if each in unquoted), ",")
            reader, points = csv.reader(text, delimiter=separator, strict=True), separator == ","
            for fields in filter(None, reader):
                number, joined = reader.line_num + bool(named), "".join(fields)
                commas = [*filter(_COMMA.fullmatch, fields)] if "," in joined else []
                points = points or ("." in joined and any("." in each for each in filter(_is_number, fields)))
                if commas:
                    notes[:] = ["decimal commas are read as points"]
                    fields = [each.replace(",", ".") if each in commas else each for each in fields]
                if notes and points:
                    why = "commas in numbers may be decimal or separate thousands; write decimal points"
                    raise DataError(f"{path}, line {number}: {why}")
                yield number, fields
    except UnicodeDecodeError as error:
        raise DataError(f"{path} is no UTF-8 text (byte {error.start + 1}); save it as UTF-8") from None


def _is_number(field: str) -> bool:
    try:
        float(field)
    except ValueError:
        return False
    return _is_plain(field)


def _is_plain(text: str) -> bool:
    """Python reads 1_0 and digits of other scripts as numbers; no spreadsheet does."""
    return text.isascii() and "_" not in text


def _no_number(path: Path, line: int, column: int, field: str) -> DataError:
    what = f"{path}, line {line}, column {column + 1}: {field!r} is no number; mend it, or leave out the line"
    return DataError(what)


def _is_heading(first: Line, second: list[str], options: DatasetOptions, path: Path) -> bool:
    """Whether the first line names the columns: words only; an image has no word but its label."""
    number, fields = first
    titles = [field.strip() for field in fields]
    if options.first_line is not None:
        return options.first_line == "heading"
    words = [i for i, field in enumerate(fields) if not _is_number(field)]
    names = titles[not titles[0] :]  # a program may leave out the first
    if options.label_key in {*titles} - {*_ENDS}:
        return True
    if len(words) == len({*titles}) == len(fields) and all(any(map(str.isalpha, each)) for each in names):
        return True
    heading = Setting("first_line", "heading")
    above = [i for i in words if i < len(second) and _is_number(second[i])]
    if len(words) > 1:
        bad = (above or words)[0]
        error = _no_number(path, number, bad, fields[bad])
        raise error.advised("if it is a heading all the same, say ", heading)
    numbers = [float(field) for field in fields if _is_number(field)]
    running = len(numbers) > 1 and _is_running(numbers)  # as pandas calls columns
    if above and titles[above[0]] and running:
        return True
    known = any(titles[i].lower() in ("", *LABEL_NAMES) for i in words)
    if known or above or (running and len(numbers) > 2):
        raise DataError(f"{path}, line {number}: a heading or an image? say so with ", heading, " or image")
    return False


def _is_running(values: Sequence[float] | np.ndarray) -> bool:
    """Whether values are 0, 1, 2 … or 1, 2, 3 …"""
    return values[0] in (0, 1) and bool(np.array_equal(values, np.arange(len(values)) + values[0]))


def _label_column(titles: list[str], fields: list[str], key: str | None, path: Path) -> int:
    """The column of the labels, from the headings if there are any and the fields of a line."""
    if key in titles:
        return titles.index(key)
    if key in _ENDS:
        return _ENDS[key] % len(fields)
    if key is not None:
        known = suggest(key, [*titles, *_ENDS])
        raise DataError(f"{path} has no column {key!r} (", Setting("label_key"), f"); {known}")
    named = [i for i, title in enumerate(titles) if title.lower() in LABEL_NAMES]
    text = [i for i, field in enumerate(fields) if not _is_number(field)]
    for choice in (named, text):
        if len(choice) == 1:
            return choice[0]
    how = (Setting("label_key", "first"), f", last or a column's heading, or {ALONE}")
    raise DataError(f"{path}: which column holds the labels? say with ", *how)
