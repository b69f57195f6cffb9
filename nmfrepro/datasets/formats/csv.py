"""CSV files: one image a line, its label in one of the columns, with or without a heading."""

from __future__ import annotations

import csv
import gzip
import re
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

from ...core.errors import DataError, Setting, suggest
from ..labels import label_vector
from .arrange import LABEL_NAMES, Arranged, Layout, upright
from .guard import regular_file

_AT_ONCE = 1024  # lines turned into numbers together
_DELIMITERS = (",", ";", "\t")
_SEPARATOR = re.compile(r"sep=(.)\r?\n?", re.IGNORECASE)  # Excel's own first line
_COMMA = re.compile(r"\s*[-+]?\d+,\d+([eE][-+]?\d+)?\s*", re.ASCII)
_THOUSANDS = re.compile(r"\s*[-+]?[1-9]\d{0,2}(,\d{3})+\s*", re.ASCII)
_LEADING_ZEROS = re.compile("[-+]?0[0-9]")
_MISSING = frozenset(("na", "n/a", "nan", "none", "null", "missing"))
_ENDS = {"first": 0, "last": -1}
_INDEX_NAMES = ("", "index", "id", "no", "nr", "row", "unnamed: 0")
_ENOUGH = 10  # lines without a heading that show a running number to be none of the pixels
_INDEX_NOTE = "the first column of the CSV file numbers its lines, and is left out"


def read_csv(path: Path, layout: Layout) -> Arranged:
    """Images and labels of a CSV file (comma, semicolon or tab; plain or gzipped).

    The label column is the one that `label_key` names (or "first", "last"), else the one whose heading is a
    word for labels, else the only one that holds text.

    Raises
    ------
    DataError
        For a line of another length, a field that is no number (naming line and column), or where it cannot
        be told whether the first line is a heading, or which column holds the labels.
    """
    for name in ("data_key", "orientation"):
        if getattr(layout, name) not in (None, "rows"):
            raise DataError(f"{path}: {name} does not apply to a CSV file, where every line is an image")
    lines = _rows(path)
    first = next(lines, None)
    if first is None or len(first[1]) < 2:
        raise DataError(f"{path} has no columns separated by comma, semicolon or tab")
    second = next(lines, None)
    heading = _is_heading(first, second[1] if second else first[1], layout, path)
    titles = [title.strip() for title in first[1]] if heading else None
    body = [row for row in (None if heading else first, second) if row is not None]
    if not body:
        raise DataError(f"{path} has a heading but no lines of data")
    column = _label_column(titles, body[0][1], layout.label_key, path)
    X, labels, notes = _numbers(path, _chain(body, lines), len(first[1]), column)
    if column > 0 and _counts_lines(X[:, 0], titles):
        X, notes = X[:, 1:], (*notes, _INDEX_NOTE)
    elif titles and "" in titles and titles.index("") != column:
        raise DataError(
            f"{path}: column {titles.index('') + 1} has no heading; name it if it is a pixel, or leave it out"
        )
    where = f"{path}: column {column + 1}" + (f" ({titles[column]})" if titles else "")
    vector = label_vector(_as_numbers(labels, where), len(X), where)
    return Arranged(
        upright(X, layout.image_shape, layout.pixel_order, path), vector, layout.image_shape, notes
    )


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
            start = text.readline()
            named = _SEPARATOR.fullmatch(start)
            if not named:
                text.seek(0)
            delimiter = named[1] if named else max(_DELIMITERS, key=start.count)
            reader = csv.reader(text, delimiter=delimiter, strict=True)
            for fields in reader:
                if fields:
                    yield reader.line_num + bool(named), fields
    except UnicodeDecodeError as error:
        raise DataError(
            f"{path} is no text in UTF-8 (byte {error.start + 1}); save it again as UTF-8"
        ) from None


def _chain(
    body: list[tuple[int, list[str]]], lines: Iterator[tuple[int, list[str]]]
) -> Iterator[tuple[int, list[str]]]:
    yield from body
    yield from lines


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


def _is_heading(first: tuple[int, list[str]], second: list[str], layout: Layout, path: Path) -> bool:
    """Whether the first line names the columns: words only; it is an image if it looks like the second line.

    Raises
    ------
    DataError
        Where it may be either.
    """
    number, fields = first
    if layout.first_line is not None:
        return layout.first_line == "heading"
    key = layout.label_key
    if key is not None and key not in _ENDS and key in map(str.strip, fields):
        return True
    words = [i for i, field in enumerate(fields) if not _is_number(field)]
    if len(words) == len(fields) and _are_titles(fields):
        return True
    where, heading = f"{path}, line {number}", Setting("first_line", "heading")
    if len(words) > 1:
        odd = [i for i in words if i < len(second) and _is_number(second[i])] or words
        bad = next((i for i in words if not fields[i].strip()), odd[0])
        raise DataError(
            f"{where}, column {bad + 1}: {fields[bad]!r} is no number; mend it, or, if the line is a heading "
            "all the same, say ",
            heading,
        )
    numbers = [float(field.replace(",", ".")) for field in fields if _is_number(field)]
    running = len(numbers) > 1 and _is_running(numbers)
    if not words:
        if running and len(numbers) > 2:
            raise DataError(
                f"{where}: running numbers are a heading or an image; say so with ", heading, " or image"
            )
        return False
    (at,) = words
    known = fields[at].strip().lower() in LABEL_NAMES
    alike = at < len(second) and not _is_number(second[at])
    if known and running and not alike:
        return True
    if known or not alike or (running and len(numbers) > 2) or not fields[at].strip():
        raise DataError(
            f"{where}, column {at + 1}: {fields[at]!r} among numbers: a heading or an image? say so with ",
            heading,
            " or image",
        )
    return False


def _are_titles(fields: list[str]) -> bool:
    """Whether fields can name columns: different words; a program may have left out the first."""
    titles = [field.strip().lower() for field in fields]
    named = titles[1:] if not titles[0] else titles
    return (
        len(set(titles)) == len(titles)
        and all(any(map(str.isalpha, title)) for title in named)
        and _MISSING.isdisjoint(titles)
    )


def _is_running(values: Sequence[float] | np.ndarray) -> bool:
    """Whether values are 0, 1, 2 … or 1, 2, 3 …"""
    return values[0] in (0, 1) and bool(np.array_equal(values, np.arange(len(values)) + values[0]))


def _counts_lines(values: np.ndarray, titles: list[str] | None) -> bool:
    """Whether the first column is the running number that programs write in front of their rows."""
    if titles is None:
        return len(values) >= _ENOUGH and _is_running(values)
    return titles[0].lower() in _INDEX_NAMES and _is_running(values)


def _label_column(titles: list[str] | None, fields: list[str], key: str | None, path: Path) -> int:
    if key is not None and titles and key in titles:
        return titles.index(key)
    if key in _ENDS:
        return _ENDS[key] % len(fields)
    if key is not None:
        known = ["first", "last", *(titles or ())]
        raise DataError(
            f"{path} has no column {key!r} (", Setting("label_key"), f"); {suggest(key, known[:20])}"
        )
    named = [i for i, title in enumerate(titles or ()) if title.lower() in LABEL_NAMES]
    text = [i for i, field in enumerate(fields) if not _is_number(field)]
    for choice in (named, text):
        if len(choice) == 1:
            return choice[0]
    raise DataError(
        f"{path}: which column holds the labels? say with ",
        Setting("label_key", "first"),
        ", last or a column's heading",
    )


def _numbers(
    path: Path, lines: Iterator[tuple[int, list[str]]], width: int, column: int
) -> tuple[np.ndarray, list[str], tuple[str, ...]]:
    """Pixels, labels, and a note where decimal commas were read."""
    parts: list[np.ndarray] = []
    waiting: list[list[float]] = []
    labels: list[str] = []
    known: dict[str, str] = {}  # one copy of every label
    comma, decimal, points = "", False, False
    for number, fields in lines:
        if len(fields) != width:
            raise DataError(f"{path}, line {number}: {len(fields)} fields where the first line has {width}")
        label = fields.pop(column)
        labels.append(known.setdefault(label, label))
        joined = "".join(fields)
        points = points or "." in joined
        if "," in joined:
            comma = comma or next(field for field in fields if "," in field)
            decimal = decimal or any("," in field and not _THOUSANDS.fullmatch(field) for field in fields)
            fields = [field.replace(",", ".") if _COMMA.fullmatch(field) else field for field in fields]
        try:
            if not _plain(joined):
                raise ValueError
            waiting.append(list(map(float, fields)))
        except ValueError:
            bad = next(i for i, field in enumerate(fields) if not _is_number(field))
            place = bad + 1 + (bad >= column)
            raise DataError(f"{path}, line {number}, column {place}: {fields[bad]!r} is no number") from None
        if len(waiting) == _AT_ONCE:
            parts.append(np.array(waiting))
            waiting = []
    if comma and (points or not decimal):
        raise DataError(
            f"{path}: {comma!r} may have a decimal comma or a separator of thousands; write decimal points"
        )
    X = np.concatenate([*parts, np.array(waiting).reshape(-1, width - 1)])
    return X, labels, ("decimal commas are read as points",) if comma else ()


def _as_numbers(labels: list[str], where: str) -> np.ndarray:
    """Labels as numbers if all of them are, else as text; 1, 1.0 and 1e0 are one class.

    Raises
    ------
    DataError
        Where 01 stands beside 1: one number, or the names of two classes.
    """
    if not all(_is_number(label) and "," not in label for label in labels):
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
