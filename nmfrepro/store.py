"""Results on disk: one row per trial, kept the moment the trial is finished.

A results folder holds ``trials.csv`` (one line per trial, no times), ``timings.csv``, ``run.json`` (what the
present spec asks for) and ``arrays/``.  A run appends whole lines and, at its end, rewrites the rows in plan
order, so that the file is the same however it came about.  Commands that only read sort in memory: they must
work in a read-only folder and beside a run that is still going on.
"""

from __future__ import annotations

import csv
import errno
import io
import json
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from . import files
from .errors import ResultsError

if TYPE_CHECKING:
    import pandas as pd

SCHEMA = 1
TEXT = ("key", "algorithm", "label", "parameters", "status", "error", "notes", "version")
TIMINGS = ("key", "seconds", "draw", "fit", "read", "score", "host", "worker", "finished")
Row = dict[str, str]


@dataclass(frozen=True)
class Lines:
    """The rows of one CSV file and what was wrong at its end."""

    header: tuple[str, ...]
    rows: list[Row]
    torn: bool


def read_rows(path: Path) -> Lines:
    """Read a CSV of one line per record that a run may have left half-written.

    A last line that was cut (no line end, or only NUL bytes, as after a power cut) is left out and reported
    as torn; its trial is simply not finished.

    Raises
    ------
    ResultsError
        If any other line is malformed; the message names its number.
    """
    try:
        data = path.read_bytes()
    except OSError as error:
        raise ResultsError(f"{path}: cannot be read ({error.strerror})") from None
    if not data:
        return Lines((), [], torn=False)
    body, newline, tail = data.rpartition(b"\n")
    torn = bool(tail.strip(b"\0")) or bool(tail)
    if not newline:
        return Lines((), [], torn=True)
    try:
        lines = body.decode("utf-8").split("\n")
    except UnicodeDecodeError:
        raise ResultsError(f"{path}: not UTF-8 text; restore it from a copy or run with --fresh") from None
    header = tuple(_cells(path, 1, lines[0]))
    if len(set(header)) != len(header) or "key" not in header:
        raise ResultsError(f"{path}:1: not the header of a results file; restore it or run with --fresh")
    rows = []
    for number, line in enumerate(lines[1:], start=2):
        cells = _cells(path, number, line)
        if len(cells) != len(header) or "\0" in line or cells[header.index("key")] == "key":
            raise ResultsError(
                f"{path}:{number}: malformed row; remove that line, its trial will be run again"
            )
        rows.append(dict(zip(header, cells, strict=True)))
    return Lines(header, rows, torn)


def _cells(path: Path, number: int, line: str) -> list[str]:
    try:
        parsed = list(csv.reader([line], strict=True))
    except csv.Error as error:
        raise ResultsError(f"{path}:{number}: malformed row ({error}); remove that line") from None
    return parsed[0] if parsed else []


def format_rows(header: Sequence[str], rows: Iterable[Mapping[str, str]]) -> str:
    """CSV text with a header, one line per row; columns a row lacks stay empty."""
    text = io.StringIO()
    writer = csv.DictWriter(text, header, restval="", lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue()


def one_line(text: str) -> str:
    """Text without line breaks or control characters, so that a row stays a line."""
    return " ".join("".join(c if c.isprintable() else " " for c in text).split())


class Journal:
    """A CSV file that grows by whole lines, each on disk before `append` returns."""

    def __init__(self, path: Path, header: Sequence[str], rows: Iterable[Mapping[str, str]] = ()) -> None:
        self.path = path
        self.header = tuple(header)
        files.replace(path, format_rows(self.header, rows))
        try:
            self._descriptor = os.open(path, os.O_WRONLY | os.O_APPEND)
        except OSError as error:
            raise ResultsError(f"{path}: cannot be written ({error.strerror})") from None

    def append(self, row: Mapping[str, str]) -> None:
        """Add a row; on failure the file is cut back to whole lines.

        Raises
        ------
        ResultsError
            If the disk is full or the file cannot be written.
        """
        line = format_rows(self.header, [row]).partition("\n")[2].encode()
        before = os.fstat(self._descriptor).st_size
        try:
            if os.write(self._descriptor, line) != len(line):
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
            os.fsync(self._descriptor)
        except OSError as error:
            os.ftruncate(self._descriptor, before)
            raise ResultsError(
                f"{self.path}: cannot be written ({error.strerror}); "
                "finished trials are kept, make room and run the same command again"
            ) from None

    def close(self) -> None:
        """Close the file."""
        os.close(self._descriptor)


class Store:
    """A results folder open for one run; a context manager that holds the folder's lock.

    Parameters
    ----------
    folder : Path
    columns : sequence of str
        Columns of this run's rows.
    run : dict
        Content of ``run.json``; its "trials" are the keys in plan order.
    fresh : bool
        Compute everything anew; the old rows are set aside in ``trials.before-fresh.csv``.

    Raises
    ------
    ResultsError
        If another run holds the folder, or it cannot be read or written.
    """

    def __init__(
        self, folder: Path, columns: Sequence[str], run: dict[str, Any], fresh: bool = False
    ) -> None:
        self.folder = folder
        self.run = run
        self.torn = False
        self._columns = tuple(columns)
        self._fresh = fresh

    def __enter__(self) -> Self:
        from filelock import FileLock, Timeout

        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            self._lock = FileLock(self.folder / ".lock")
            self._lock.acquire(timeout=0)
        except Timeout:
            raise ResultsError(
                f"{self.folder}: another run is writing here; wait for it, or give --results another folder"
            ) from None
        except OSError as error:
            raise ResultsError(f"{self.folder}: cannot be written ({error.strerror})") from None
        try:
            self._open()
        except BaseException:
            self._lock.release()
            raise
        return self

    def _open(self) -> None:
        path = self.folder / "trials.csv"
        if self._fresh and path.exists():
            os.replace(path, self.folder / "trials.before-fresh.csv")
        old = read_rows(path) if path.exists() else Lines((), [], torn=False)
        self.torn = old.torn
        self.rows = unique(old.rows)
        header = self._columns + tuple(name for name in old.header if name not in self._columns)
        timings = self.folder / "timings.csv"
        times = read_rows(timings).rows if timings.exists() and not self._fresh else []
        self._times = {row["key"]: row for row in times if row["key"] in self.rows}
        self._trials = Journal(path, header, self.rows.values())
        self._timings = Journal(timings, TIMINGS, self._times.values())
        files.replace(self.folder / "run.json", json.dumps(self.run, indent=1, ensure_ascii=False) + "\n")

    def __exit__(self, *exception: object) -> None:
        self._trials.close()
        self._timings.close()
        self._lock.release()

    def finished(self, keep_failed: bool) -> set[str]:
        """Keys that need not be run: those that are ok, and the failed ones if they are to be kept."""
        return {key for key, row in self.rows.items() if keep_failed or row["status"] == "ok"}

    def add(self, row: Row, timing: Row, arrays: bytes | None = None) -> None:
        """Keep one finished trial; its row is written last, so that a row vouches for the rest."""
        if arrays is not None:
            files.replace(self.array_path(row["key"]), arrays)
        self._timings.append(timing)
        self._trials.append(row)
        self._times[row["key"]] = timing
        self.rows[row["key"]] = row

    def array_path(self, key: str) -> Path:
        """Where `keep` stores a trial's arrays."""
        return self.folder / "arrays" / f"{key}.npz"

    def tidy(self) -> None:
        """Rewrite both files in plan order, rows of other settings behind, sorted by key."""
        planned = [key for key in self.run["trials"] if key in self.rows]
        order = planned + sorted(self.rows.keys() - set(planned))
        files.replace(self._trials.path, format_rows(self._trials.header, (self.rows[key] for key in order)))
        times = (self._times[key] for key in order if key in self._times)
        files.replace(self._timings.path, format_rows(TIMINGS, times))


def unique(rows: Iterable[Row]) -> dict[str, Row]:
    """Rows by key, each trial once: the first that is ok, else the last attempt."""
    kept: dict[str, Row] = {}
    for row in rows:
        if row["key"] not in kept or kept[row["key"]]["status"] != "ok":
            kept[row["key"]] = row
    return kept


@dataclass(frozen=True)
class Results:
    """What a results folder holds for the spec it was last run with.

    Attributes
    ----------
    folder : Path
    run : dict
        Content of ``run.json``.
    frame : pandas.DataFrame
        The rows of the present plan in plan order; metrics as fractions.
    planned : int
        How many trials the plan has.
    others : int
        Rows of other settings in the folder; they never enter a table.
    torn : bool
        Whether a half-written last row was left out.
    """

    folder: Path
    run: dict[str, Any]
    frame: pd.DataFrame
    planned: int
    others: int
    torn: bool


def read(folder: Path) -> Results:
    """Read a results folder.

    Raises
    ------
    ResultsError
        If it is not a results folder, was made by a newer nmfrepro, or holds a malformed row.
    """
    import pandas as pd

    run = read_run(folder)
    path = folder / "trials.csv"
    lines = read_rows(path) if path.exists() else Lines((), [], torn=False)
    kept = unique(lines.rows)
    planned = [key for key in run["trials"] if key in kept]
    header = lines.header or ("key", "status")
    frame = pd.DataFrame([kept[key] for key in planned], columns=list(header), dtype=str)
    for name in header:
        if name not in TEXT:
            frame[name] = _numbers(path, name, [kept[key][name] for key in planned])
    return Results(folder, run, frame, len(run["trials"]), len(kept) - len(planned), lines.torn)


def _numbers(path: Path, name: str, cells: Sequence[str]) -> list[int] | list[float]:
    """A column as integers where all cells are (seeds have 63 bits), else as floats; empty cells are NaN."""
    try:
        if all(cell.lstrip("-").isdigit() for cell in cells):
            return [int(cell) for cell in cells]
        return [float(cell or "nan") for cell in cells]
    except ValueError as error:
        raise ResultsError(f"{path}: column {name} holds text where numbers belong ({error})") from None


def read_finished(folder: Path) -> set[str]:
    """Keys of the trials that are ok in a folder; empty where there is none yet."""
    path = folder / "trials.csv"
    rows = unique(read_rows(path).rows) if path.exists() else {}
    return {key for key, row in rows.items() if row["status"] == "ok"}


def read_run(folder: Path) -> dict[str, Any]:
    """The content of a folder's ``run.json``, checked for schema.

    Raises
    ------
    ResultsError
        If it is missing, damaged or newer than this version.
    """
    path = folder / "run.json"
    try:
        run = json.loads(path.read_text(encoding="utf-8"))
    except OSError:
        raise ResultsError(
            f"{folder}: not a results folder (no run.json); name one that `nmfrepro run` made"
        ) from None
    except ValueError:
        raise ResultsError(f"{path}: damaged; run the spec again, finished trials are kept") from None
    if not isinstance(run, dict) or not isinstance(run.get("trials"), list):
        raise ResultsError(f"{path}: damaged; run the spec again, finished trials are kept")
    if run.get("schema") != SCHEMA:
        raise ResultsError(
            f"{path}: schema {run.get('schema')}, this nmfrepro reads {SCHEMA}; use the version it names"
        )
    return run


def folders(path: Path) -> list[Path]:
    """The results folders at or directly under `path`, in natural order of their names.

    Raises
    ------
    ResultsError
        If there are none.
    """
    if (path / "run.json").is_file():
        return [path]
    found = sorted(child.parent for child in path.glob("*/run.json")) if path.is_dir() else []
    if not found:
        raise ResultsError(f"{path}: holds no results; run a spec first: nmfrepro run SPEC")
    return found
