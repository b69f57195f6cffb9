"""A table as it stands in print, digit by digit, and what is known of how its numbers were made."""

from __future__ import annotations

import csv
import math
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from ... import papers, protocols
from ...core.errors import DataError, printable, suggest
from ...spec.files import experiments, find_spec
from ...spec.reader import read_spec

SHARES = ("accuracy", "nmi", "nn", "svm", "purity")
"""Metrics from 0 to 1, of which COUNTS are shares of samples."""
COUNTS = ("accuracy", "purity", "nn", "svm")
AVERAGE = "avg"
_MEANS = ("mean", "accuracy", "seconds")
_ROWS = {"k": "k", "train_per_class": "train", "train": "train"}
_MAX_BYTES = 10_000_000


@dataclass(frozen=True)
class PrintedCell:
    """One number as printed."""

    row: int | None  # number of clusters, or of training images per class; None for the average over the rows
    metric: str
    column: str
    # mean, spread: digits as printed; `spread` is "" where there is no ±.
    mean: str
    spread: str


@dataclass(frozen=True)
class Printed:
    """A printed table."""

    name: str
    coordinate: str  # what the rows count: "k" or "train"
    cells: tuple[PrintedCell, ...]  # in printed order, averages included

    @property
    def rows(self) -> tuple[int, ...]:
        """The rows without the average."""
        return tuple(dict.fromkeys(cell.row for cell in self.cells if cell.row is not None))

    @property
    def metrics(self) -> tuple[str, ...]:
        """The metrics in printed order."""
        return tuple(dict.fromkeys(cell.metric for cell in self.cells))

    @property
    def columns(self) -> tuple[str, ...]:
        """The headings in printed order."""
        return tuple(dict.fromkeys(cell.column for cell in self.cells))

    def of(self, metric: str, column: str) -> dict[int, PrintedCell]:
        """The cells of one heading by row, the average left out."""
        own = (c for c in self.cells if (c.metric, c.column) == (metric, column))
        return {cell.row: cell for cell in own if cell.row is not None}

    def full(self, metric: str) -> int:
        """What stands for all samples: 1 where none of a metric's numbers is above 1, else 100 (percent)."""
        return 1 if all(float(cell.mean) <= 1 for cell in self.cells if cell.metric == metric) else 100


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

    def trials(self, coordinate: str, row: int, single: bool) -> int | None:
        """Samples scored, times runs, behind a mean; None where that is not known."""
        scored = self.scored(coordinate, row)
        runs = 1 if single else self.draws
        return None if scored is None or runs is None else scored * runs * self.labellings

    def scored(self, coordinate: str, row: int) -> int | None:
        """Samples scored in one run."""
        if coordinate == "train":
            if self.samples is None or self.classes is None:
                return None
            return self.samples - self.classes * row
        if self.per_class is not None:
            return self.per_class * row
        return self.samples if row == self.classes else None


def read_printed(lines: csv.DictReader[str], name: str) -> Printed:
    """A table from the lines of a CSV file.

    Columns: `k` (or `train_per_class`), `metric` (or `classifier`), `algorithm`, `mean` (or `accuracy`), and
    `std` where a ± is printed.  Numbers keep the digits of print.  A row called "avg" holds averages.

    Raises
    ------
    DataError
        For a missing column, a field that is no number, or a row that stands twice; it names the line.
    """
    cells, coordinate = [], ""
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
        coordinate = _ROWS[at]
        row = None if fields[at].lower() == AVERAGE else _whole(fields[at], f"{where}: {at}")
        spread = fields.get("std", "")
        for text, field in ((fields[mean], mean), (spread, "std")):
            if (text or field == mean) and not _is_number(text):
                raise DataError(f"{where}: {field} must be a number as printed, not {printable(text)!r}")
        cells.append(PrintedCell(row, metric, fields["algorithm"], fields[mean], spread))
    if not cells:
        raise DataError(
            f"{name}: holds no rows; give k,metric,algorithm,mean,std with a line for every number"
        )
    positions = Counter((cell.row, cell.metric, cell.column) for cell in cells)
    (row, metric, column), count = positions.most_common(1)[0]
    if count > 1:
        at = AVERAGE if row is None else str(row)
        raise DataError(f"{name}: {column}, {metric} at {coordinate} = {at} stands twice")
    return Printed(name, coordinate, tuple(cells))


def read_file(path: Path) -> Printed:
    """A table of the user's own; see `read_printed`.

    Raises
    ------
    DataError
        If the file cannot be read as UTF-8 text, or holds no such table.
    """
    try:
        if path.stat().st_size > _MAX_BYTES:
            raise DataError(f"{path}: is too large for a printed table")
        text = path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError:
        raise DataError(f"{path}: is not UTF-8 text; save the table as CSV in UTF-8") from None
    except OSError as error:
        raise DataError(f"{path}: cannot be read: {error.strerror}") from None
    try:
        return read_printed(csv.DictReader(text.splitlines()), str(path))
    except csv.Error as error:
        raise DataError(f"{path}: is not a table of numbers ({error})") from None


def find(table: str) -> tuple[Printed, Design]:
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


def published(name: str) -> tuple[Printed, Design]:
    """A shipped table of rows of numbers, and what its paper says of it."""
    source = papers.load(name).source
    images, classes = (None if source.validation else source.size) or (None, None)
    design = Design(
        draws=source.repeats,
        samples=images,
        classes=classes,
        per_class=images // classes if images and classes and source.equal else None,
        p=source.printed_p,
        critical_difference=source.printed_difference,
    )
    return read_printed(papers.lines(name), name), design


def _is_number(text: str) -> bool:
    """Whether a text is digits with at most one point, as numbers are printed."""
    digits = text.removeprefix("-").replace(".", "", 1)
    return digits.isascii() and digits.isdigit() and len(digits) < 16 and math.isfinite(float(text))


def _whole(text: str, where: str) -> int:
    if text.isascii() and text.isdigit() and 0 < len(text) < 10 and int(text) > 0:
        return int(text)
    raise DataError(f"{where} must be a whole number above 0 or avg, not {printable(text)!r}")
