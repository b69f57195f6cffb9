"""Results on disk: one row per trial, kept the moment the trial is finished.

A results folder holds ``trials.csv`` (one line per trial, no times), ``timings.csv``, ``run.json`` (what the
present spec asks for) and ``arrays/``.  A run appends whole lines and, at its end, rewrites the rows in plan
order, so that the file is the same however it came about.  Commands that only read sort in memory: they must
work in a read-only folder and beside a run that is still going on.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from ..core import files
from ..core.errors import ResultsError
from .journal import Journal, Row, malformed, read_rows
from .rowchecks import (
    PHASES,
    TEXT,
    Rows,
    check_again,
    check_columns,
    check_planned,
    check_row,
    check_time,
    digest,
    row_digest,
)
from .runshape import is_whole

if TYPE_CHECKING:
    import pandas as pd

SCHEMA = 1
REQUIRED = ("key", "algorithm", "label", "parameters", "status", "error", "n_iter", "converged", "notes")
TIMINGS = ("key", *PHASES, "host", "worker", "finished", "digest")


def read_trials(folder: Path) -> Rows:
    """The rows in a folder, of whatever spec; none where nothing was run yet.

    A trial that is there twice counts once: the row that is ok, else the last attempt.

    Raises
    ------
    ResultsError
        If a row is malformed, or two results of one trial differ; the message names file and line.
    """
    path = folder / "trials.csv"
    found = read_rows(path, REQUIRED)
    kept: dict[str, Row] = {}
    lines: dict[str, int] = {}
    for number, row in enumerate(found.rows, start=2):
        check_row(path, number, row)
        key = row["key"]
        if key not in kept or kept[key]["status"] != "ok":
            kept[key], lines[key] = row, number
        elif row["status"] == "ok":
            check_again(path, lines[key], number, kept[key], row)
    return Rows(found.header, kept, found.torn, lines)


def read_timings(folder: Path, trials: Rows) -> dict[str, Row]:
    """The times of the trials in a folder, by key; of several attempts those of the row that counts.

    Every line holds a digest of the row it was written with (older ones do not): a row that was changed since
    is known.

    Raises
    ------
    ResultsError
        If a line is malformed, or a row is not as it was written; the message names file and line.
    """
    path = folder / "timings.csv"
    found: dict[str, Row] = {}
    others: dict[str, Row] = {}
    for number, line in enumerate(read_rows(path).rows, start=2):
        check_time(path, number, line)
        row = trials.by_key.get(line["key"])
        if row is not None:
            fits = line.get("digest", "") in ("", row_digest(row))
            (found if fits else others)[line["key"]] = line
    for key in others:
        if key not in found:
            why = "it is not as it was written, by its digest in timings.csv"
            raise malformed(folder / "trials.csv", trials.lines[key], why)
    return found


class Store:
    """A results folder open for writing; a context manager that holds the folder's lock.

    Parameters
    ----------
    folder : Path
    run : dict, optional
        What ``run.json`` is to say; "trials" are the keys in plan order, cell by cell with all "columns".
        By default it stays as it is.
    columns : sequence of str
        Columns of this run's rows; those that other rows fill come behind.  By default those there are.
    fresh : bool
        Begin without rows; what is there is set aside.

    Attributes
    ----------
    run : dict
        Content of ``run.json``.
    rows : dict of str to dict
        Rows by key, those of other settings included.
    torn : bool
        Whether a half-written last row was dropped.

    Raises
    ------
    ResultsError
        On entering, if another run holds the folder, or it cannot be read or written.
    """

    def __init__(
        self,
        folder: Path,
        run: dict[str, Any] | None = None,
        columns: Sequence[str] = (),
        fresh: bool = False,
    ) -> None:
        self.folder = folder
        self._new_run = run
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

    def __exit__(self, *exception: object) -> None:
        self._lock.release()

    def _open(self) -> None:
        path, timings = self.folder / "trials.csv", self.folder / "timings.csv"
        for left in [*self.folder.glob(".*.tmp"), *self.folder.glob("arrays/.*.tmp")]:
            with suppress(OSError):  # of a run that was killed
                left.unlink()
        self.run = read_run(self.folder) if self._new_run is None else self._new_run
        if self._fresh:
            self.set_aside()
        old = Rows((), {}, torn=False) if self._fresh else read_trials(self.folder)
        self.rows, self.torn = old.by_key, old.torn
        if self._columns and any(key in old.by_key for key in self.run["trials"]):
            check_columns(path, old.header, self._columns)
        check_planned(path, old, self.run, labels=False)
        self._times = read_timings(self.folder, old)
        self._rename()
        used = [name for name in old.header if any(row[name] for row in self.rows.values())]
        header = dict.fromkeys((*self._columns, *used)) if self._columns else old.header
        for row in self.rows.values():
            for name in old.header:
                if name not in header:
                    del row[name]
        self._trials = Journal(path, tuple(header), self.rows.values())
        self._timings = Journal(timings, TIMINGS, self._times.values())
        if self._new_run is not None:
            content = self._with_history()
            content = content | {"digest": digest(content, "digest")}
            text = json.dumps(content, indent=1, ensure_ascii=False)
            files.replace(self.folder / "run.json", text + "\n")

    def set_aside(self) -> None:
        """Copy the rows as they are to the first free ``trials.before-fresh-N.csv``."""
        path, number = self.folder / "trials.csv", 1
        if not path.exists():
            return
        while (copy := self.folder / f"trials.before-fresh-{number}.csv").exists():
            number += 1
        files.replace(copy, path.read_bytes())

    def _rename(self) -> None:
        """Bring the rows' labels to what the spec calls its columns now."""
        labels = [column["label"] for column in self.run["columns"]]
        for position, key in enumerate(self.run["trials"]):
            if key in self.rows:
                self.rows[key]["label"] = labels[position % len(labels)]

    def _with_history(self) -> dict[str, Any]:
        """The run, with the environments in which rows were made before, if they were others."""
        try:
            old = read_run(self.folder)
        except ResultsError:
            return self.run
        before = [*old.get("earlier_environments", ()), old.get("environment")] if self.rows else []
        now = self.run.get("environment")
        earlier = [each for n, each in enumerate(before) if each != now and each not in before[:n]]
        return self.run | ({"earlier_environments": earlier} if earlier else {})

    def add(self, row: Row, timing: Row, arrays: bytes | None = None) -> None:
        """Keep one finished trial; its row is written last, so that a row vouches for the rest.

        Raises
        ------
        ResultsError
            If the disk is full or the folder cannot be written; rows kept before stay.
        """
        if arrays is not None:
            files.replace(array_path(self.folder, row["key"]), arrays)
        timing = timing | {"digest": row_digest(row)}
        self._timings.append(timing)
        known = self.rows.get(row["key"])
        if known is not None and known["status"] == "ok":  # run again for its arrays: not a second result
            self._trials.rewrite((self.rows | {row["key"]: row}).values())
        else:
            self._trials.append(row)
        self._times[row["key"]] = timing
        self.rows[row["key"]] = row

    def drop(self, keys: Collection[str]) -> None:
        """Forget trials: their rows, times and arrays."""
        for key in keys:
            self.rows.pop(key, None)
            self._times.pop(key, None)
        self.tidy()
        for key in keys:
            array_path(self.folder, key).unlink(missing_ok=True)

    def tidy(self) -> None:
        """Rewrite both files in plan order, rows of other settings behind, sorted by key."""
        planned = [key for key in self.run["trials"] if key in self.rows]
        order = planned + sorted(self.rows.keys() - set(planned))
        self._trials.rewrite(self.rows[key] for key in order)
        self._timings.rewrite(self._times[key] for key in order if key in self._times)


def array_path(folder: Path, key: str) -> Path:
    """Where `keep` stores a trial's arrays."""
    return folder / "arrays" / f"{key}.npz"


@dataclass(frozen=True)
class Results:
    """What a results folder holds for the spec it was last run with.

    Attributes
    ----------
    folder : Path
    run : dict
        Content of ``run.json``.
    frame : pandas.DataFrame
        The rows of the present plan in plan order; metrics as fractions.  Where the run measures times, the
        column "seconds" holds the seconds of the fit.
    planned : int
        How many trials the plan has.
    others : int
        Rows of other settings in the folder; they never enter a table.
    torn : bool
        Whether a half-written last row was left out.
    times : dict of str to dict
        The lines of ``timings.csv`` by key.
    """

    folder: Path
    run: dict[str, Any]
    frame: pd.DataFrame
    planned: int
    others: int
    torn: bool
    times: dict[str, Row] = field(default_factory=dict)


def read(folder: Path) -> Results:
    """Read a results folder.

    Raises
    ------
    ResultsError
        If it is not a results folder, was made by a newer nmfrepro, or holds a malformed row.
    """
    import pandas as pd

    run = read_run(folder)
    path, rows = folder / "trials.csv", read_trials(folder)
    planned = [rows.by_key[key] for key in run["trials"] if key in rows.by_key]
    stored = [name for name in run["metrics"] if name != "seconds"]  # trials.csv holds no times
    if planned:
        check_columns(path, rows.header, (*run["coordinates"], *stored))
    check_planned(path, rows, run)
    times = read_timings(folder, rows)
    header = rows.header or ("key", "status")
    frame = pd.DataFrame(planned, columns=list(header), dtype=str)
    for name in header:
        if name not in TEXT:
            frame[name] = _numbers([row[name] for row in planned])
    if "seconds" in run["metrics"] and "seconds" not in header:
        frame["seconds"] = _numbers(_seconds(path, rows, planned, times))
    return Results(folder, run, frame, len(run["trials"]), len(rows.by_key) - len(planned), rows.torn, times)


def _seconds(path: Path, rows: Rows, planned: Sequence[Row], times: Mapping[str, Row]) -> list[str]:
    """The seconds of the fits; of a result that was timed they must be there."""
    for row in planned:
        if row["status"] == "ok" and not times.get(row["key"], {}).get("fit"):
            raise malformed(path, rows.lines[row["key"]], "timings.csv has no time of its fit")
    return [times.get(row["key"], {}).get("fit", "") for row in planned]


def _numbers(cells: Sequence[str]) -> Any:
    """A column as integers where all that is there is whole (seeds have 63 bits), else as floats."""
    import pandas as pd

    given = [cell for cell in cells if cell]
    if not given or not all(cell.lstrip("-").isdigit() and abs(int(cell)) < 2**63 for cell in given):
        return [float(cell or "nan") for cell in cells]
    if len(given) == len(cells):
        return [int(cell) for cell in cells]
    return pd.array([int(cell) if cell else None for cell in cells], dtype="Int64")


def read_run(folder: Path) -> dict[str, Any]:
    """The content of a folder's ``run.json``, checked for schema.

    Raises
    ------
    ResultsError
        If it is missing, damaged or newer than this version.
    """
    path = folder / "run.json"
    try:
        run = json.loads(path.read_bytes())
    except OSError:
        raise ResultsError(
            f"{folder}: not a results folder (no run.json); name one that `nmfrepro run` made"
        ) from None
    except (ValueError, RecursionError):
        run = None
    run = run if isinstance(run, dict) else None
    if run is not None and isinstance(run.get("schema"), int) and run["schema"] > SCHEMA:
        raise ResultsError(
            f"{path}: schema {run['schema']}, this nmfrepro reads {SCHEMA}; use the version that made it"
        )
    if run is None or run.get("schema") != SCHEMA or not is_whole(run):
        raise ResultsError(f"{path}: damaged; run the spec again, finished trials are kept")
    if run.get("digest") not in (None, digest(run, "digest")):
        raise ResultsError(f"{path}: not as it was written; run the spec again, finished trials are kept")
    return run


def folders(path: Path) -> list[Path]:
    """The results folders at or directly under `path`, in alphabetical order.

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
