"""What is known of how the numbers of a printed table were made, and tables of a user's own."""

from __future__ import annotations

import csv
import math
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from ... import papers, protocols
from ...core.errors import DataError, printable, suggest
from ...datasets.formats.guard import regular_file
from ...papers import AVERAGE, PublishedTable
from ...papers.catalogue import TableSource
from ...spec.files import experiments, find_spec
from ...spec.reader import read_spec

_MEANS = ("mean", "accuracy", "seconds")
_ROWS = {"k": "k", "train_per_class": "train", "train": "train"}
_MAX_BYTES = 10_000_000


@dataclass(frozen=True)
class Design:
    """How the numbers came about, as far as the paper says."""

    draws: int | None = None  # runs behind a mean
    labellings: int = 1  # clusterings of each draw that are averaged
    # samples, classes: of the whole data.
    samples: int | None = None
    classes: int | None = None
    per_class: int | None = None  # samples of each class, where all have as many
    # p, critical_difference: of the Friedman and Nemenyi tests as printed; "" where none is.
    p: str = ""
    critical_difference: str = ""
    alpha: float = 0.05  # level of the printed critical difference

    def trials(self, coordinate: str | None, row: int, single: bool) -> int | None:
        """Samples scored, times runs, behind a mean; None where that is not known."""
        scored = self.scored(coordinate, row)
        runs = 1 if single else self.draws
        return None if scored is None or runs is None else scored * runs * self.labellings

    def scored(self, coordinate: str | None, row: int) -> int | None:
        """Samples scored in one run."""
        if coordinate == "train":
            if self.samples is None or self.classes is None:
                return None
            return self.samples - self.classes * row
        if self.per_class is not None:
            return self.per_class * row
        return self.samples if row == self.classes else None


def read_printed(lines: csv.DictReader[str], name: str) -> PublishedTable:
    """A table from the lines of a CSV file.

    Columns: `k` (or `train_per_class`), `metric` (or `classifier`), `algorithm`, `mean` (or `accuracy`), and
    `std` where a ± is printed.  Numbers keep the digits of print.  A row called "avg" holds averages.

    Raises
    ------
    DataError
        For a missing column, a field that is no number, or a row that stands twice; it names the line.
    """
    checked, coordinate = [], ""
    for line in lines:
        where = f"{name}:{lines.reader.line_num}"
        fields = {str(key).strip().lower(): (value or "").strip() for key, value in line.items() if key}
        heads = list(fields)
        at = next((each for each in _ROWS if each in fields), None)
        if at is None:
            raise DataError(f"{where}: no column k or train_per_class; there are {', '.join(heads)}")
        mean = next((each for each in _MEANS if each in fields), None)
        if mean is None or "algorithm" not in fields:
            lacking = "algorithm" if mean else "mean"
            raise DataError(f"{where}: no column {lacking}; there are {', '.join(heads)}")
        metric = (fields.get("metric") or fields.get("classifier") or "").lower()
        metric = metric or ("seconds" if mean == "seconds" else "accuracy")
        if metric not in protocols.metrics():
            raise DataError(
                f"{where}: no metric is called {printable(metric)!r}; {suggest(metric, protocols.metrics())}"
            )
        coordinate, row, spread = _ROWS[at], fields[at].lower(), fields.get("std", "")
        if row != AVERAGE and not (row.isascii() and row.isdigit() and len(row) < 10 and int(row) > 0):
            raise DataError(
                f"{where}: {at} must be a whole number above 0 or avg, not {printable(fields[at])!r}"
            )
        for text, field in ((fields[mean], mean), (spread, "std")):
            if (text or field == mean) and not _is_number(text):
                raise DataError(f"{where}: {field} must be a number as printed, not {printable(text)!r}")
        own = {"k": row, "metric": metric, "algorithm": fields["algorithm"]}
        checked.append(own | {"mean": fields[mean], "std": spread})
    if not checked:
        raise DataError(
            f"{name}: holds no rows; give k,metric,algorithm,mean,std with a line for every number"
        )
    table = papers.of_lines(name, TableSource("", coordinate), {}, checked)
    positions = Counter((c.row, c.metric, c.column) for c in (*table.cells, *table.averages))
    (k, metric, column), count = positions.most_common(1)[0]
    if count > 1:
        raise DataError(f"{name}: {column}, {metric} at {coordinate} = {k or AVERAGE} stands twice")
    return table


def read_file(path: Path) -> PublishedTable:
    """A table of the user's own; see `read_printed`.

    Raises
    ------
    DataError
        If the file cannot be read as UTF-8 text, or holds no such table.
    """
    if regular_file(path).stat().st_size > _MAX_BYTES:
        raise DataError(f"{path}: is too large for a printed table")
    try:
        text = path.read_text(encoding="utf-8-sig")
        return read_printed(csv.DictReader(text.splitlines()), str(path))
    except UnicodeDecodeError:
        raise DataError(f"{path}: is not UTF-8 text; save the table as CSV in UTF-8") from None
    except csv.Error as error:
        raise DataError(f"{path}: is not a table of numbers ({error})") from None


def find(table: str) -> tuple[PublishedTable, Design]:
    """A shipped table by its name or that of its experiment, or a file of the user's own.

    Raises
    ------
    DataError
        If there is none, or the file holds no table.
    """
    path = Path(table)
    if table in experiments() and not path.is_file():  # it may be the folder of its results
        table = read_spec(find_spec(table)).published or table
    if table in papers.printed_names():
        return published(table)
    if not path.exists():
        hint = suggest(table, papers.printed_names())
        raise DataError(f"{table}: no such file, and no such table; {hint}, or a CSV file")
    return read_file(path), Design()


def published(name: str) -> tuple[PublishedTable, Design]:
    """A shipped table of rows of numbers, and what its paper says of it."""
    table = papers.load(name)
    source = table.source
    images, classes = (None if source.validation else source.size) or (None, None)
    design = Design(
        draws=source.repeats,
        samples=images,
        classes=classes,
        per_class=images // classes if images and classes and source.equal else None,
        p=source.printed_p,
        critical_difference=source.printed_difference,
    )
    return table, design


def _is_number(text: str) -> bool:
    """Whether a text is digits with at most one point, as numbers are printed."""
    digits = text.removeprefix("-").replace(".", "", 1)
    return digits.isascii() and digits.isdigit() and len(digits) < 16 and math.isfinite(float(text))
