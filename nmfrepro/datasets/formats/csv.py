"""CSV files: one image a line, its label in one of the columns, with or without a header."""

from __future__ import annotations

import csv
import gzip
import re
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import IO

import numpy as np

from ...core.errors import DataError, reason
from ...core.options import suggest
from ..labels import label_vector
from .arrange import LABEL_NAMES, Arranged, Layout, upright
from .guard import MAX_BYTES, check_size, regular_file

_MAX_LINE = 2**24
_MAX_TEXT = MAX_BYTES // 4
_DELIMITERS = (",", ";", "\t")
_LEADING_ZEROS = re.compile("[-+]?0[0-9]")
_ENDS = {"first": 0, "last": -1}


def read_csv(path: Path, layout: Layout) -> Arranged:
    """Images and labels of a CSV file (comma, semicolon or tab; plain or gzipped).

    The label column is the one that `label_key` names (or "first", "last"), else the one whose heading is a
    word for labels, else the only one that holds text.

    Raises
    ------
    DataError
        For a line of another length, a field that is no number (naming line and column), or where the label
        column cannot be told.
    """
    for name in ("data_key", "orientation"):
        if getattr(layout, name) not in (None, "rows"):
            raise DataError(f"{path}: {name} does not apply to a CSV file, where every line is an image")
    lines = _rows(path)
    first = next(lines, None)
    if first is None or len(first[1]) < 2:
        raise DataError(f"{path} has no columns separated by comma, semicolon or tab")
    second = next(lines, None)
    header = _is_header(first[1], second[1] if second else None)
    titles = [title.strip() for title in first[1]] if header else None
    body = [row for row in (None if header else first, second) if row is not None]
    if not body:
        raise DataError(f"{path} has a heading but no lines of data")
    column = _label_column(titles, body[0][1], layout.label_key, path)
    X, labels = _numbers(path, body, lines, len(first[1]), column)
    where = f"{path}: column {column + 1}" + (f" ({titles[column]})" if titles else "")
    vector = label_vector(_as_numbers(labels, where), len(X), where)
    return Arranged(upright(X, layout.image_shape, layout.pixel_order, path), vector, layout.image_shape, ())


def _rows(path: Path) -> Iterator[tuple[int, list[str]]]:
    """Line numbers and fields."""
    with regular_file(path).open("rb") as stream:
        packed = stream.read(2) == b"\x1f\x8b"
    try:
        with (
            gzip.open(path, "rt", encoding="utf-8-sig", newline="")
            if packed
            else path.open(encoding="utf-8-sig", newline="") as text
        ):
            start = text.readline(_MAX_LINE)
            text.seek(0)
            delimiter = max(_DELIMITERS, key=start.count)
            reader = csv.reader(_lines(text, path), delimiter=delimiter, strict=True)
            for fields in reader:
                if fields:
                    yield reader.line_num, fields
    except UnicodeDecodeError as error:
        raise DataError(
            f"{path} is no text in UTF-8 (byte {error.start + 1}); save it again as UTF-8"
        ) from None
    except (csv.Error, OSError, EOFError, zlib.error) as error:
        raise DataError(f"{path} is a damaged CSV file ({reason(error)})") from None


def _lines(text: IO[str], path: Path) -> Iterator[str]:
    """The lines of a file that may be a gzip bomb."""
    size = 0
    while line := text.readline(_MAX_LINE):
        size += len(line)
        if len(line) == _MAX_LINE or size > _MAX_TEXT:
            raise DataError(
                f"{path} is too long to be read as CSV ({size:,} characters and more); save it as .npz"
            )
        yield line


def _is_number(field: str) -> bool:
    try:
        float(field)
    except ValueError:
        return False
    return _plain(field)


def _plain(text: str) -> bool:
    """Python reads 1_0 and digits of other scripts as numbers; no spreadsheet does."""
    return text.isascii() and "_" not in text


def _is_header(first: list[str], second: list[str] | None) -> bool:
    words = [i for i, field in enumerate(first) if not _is_number(field)]
    if len(words) != 1:
        # A line of data has one label at most; a line without any word is data.
        return len(words) > 1
    i = words[0]
    known = first[i].strip().lower() in LABEL_NAMES
    return known or (second is not None and i < len(second) and _is_number(second[i]))


def _label_column(titles: list[str] | None, fields: list[str], key: str | None, path: Path) -> int:
    if key is not None and titles and key in titles:
        return titles.index(key)
    if key in _ENDS:
        return _ENDS[key] % len(fields)
    if key is not None:
        known = ["first", "last", *(titles or ())]
        raise DataError(f"{path} has no column {key!r} (label_key); {suggest(key, known[:20])}")
    named = [i for i, title in enumerate(titles or ()) if title.lower() in LABEL_NAMES]
    text = [i for i, field in enumerate(fields) if not _is_number(field)]
    for choice in (named, text):
        if len(choice) == 1:
            return choice[0]
    raise DataError(
        f"{path}: which column holds the labels? say with label_key: first, last or a column's heading"
    )


def _numbers(
    path: Path,
    body: list[tuple[int, list[str]]],
    lines: Iterator[tuple[int, list[str]]],
    width: int,
    column: int,
) -> tuple[np.ndarray, list[str]]:
    rows: list[np.ndarray] = []
    labels: list[str] = []

    def take(number: int, fields: list[str]) -> None:
        if len(fields) != width:
            raise DataError(f"{path}, line {number}: {len(fields)} fields where the first line has {width}")
        labels.append(fields.pop(column))
        try:
            if not _plain("".join(fields)):
                raise ValueError
            rows.append(np.array(fields, dtype=np.float64))
        except ValueError:
            bad = next(i for i, field in enumerate(fields) if not _is_number(field))
            place = bad + 1 + (bad >= column)
            raise DataError(f"{path}, line {number}, column {place}: {fields[bad]!r} is no number") from None

    for number, fields in body:
        take(number, fields)
    for number, fields in lines:
        take(number, fields)
        if len(rows) % 4096 == 0:
            check_size((len(rows), width), path, "the table")
    return np.stack(rows), labels


def _as_numbers(labels: list[str], where: str) -> np.ndarray:
    """Labels as numbers if all of them are, else as text; 1, 1.0 and 1e0 are one class.

    Raises
    ------
    DataError
        Where 01 stands beside 1: one number, or the names of two classes.
    """
    if not all(map(_is_number, labels)):
        return np.array(labels)
    padded: dict[float, tuple[str, str]] = {}
    for label in map(str.strip, labels):
        name = label if _LEADING_ZEROS.match(label) else ""
        first = padded.setdefault(float(label), (name, label))
        if first[0] != name:
            raise DataError(
                f"{where} holds {first[1]!r} and {label!r}: two classes, or one? write them alike, or give "
                "the labels names that are no numbers"
            )
    return np.array(labels, dtype=np.float64)
