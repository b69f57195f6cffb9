"""A results folder open for writing: rows are kept the moment their trials are finished."""

from __future__ import annotations

import json
import os
import socket
import warnings
from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Self

from ..core import files
from ..core.errors import ResultsError, Setting
from .arrays import array_digest, array_path
from .folder import SCHEMA, Trials, read_before, read_run, read_trials
from .lines import KEPT, Journal, lost_columns
from .record import LATER, RunRecord, StoredRecord, TrialRecord, digest
from .times import TIMES, Times

if TYPE_CHECKING:
    from filelock import BaseFileLock


def lock(folder: Path) -> BaseFileLock:
    """Hold a folder, whose writer is named in it; the error where another run does names that."""
    from filelock import FileLock, SoftFileLock, Timeout

    path, writer = folder / ".lock", folder / ".writer"
    for each in (path, writer):
        if each.exists() and not each.is_file():
            raise ResultsError(f"{each}: not a regular file; remove it")
    held: BaseFileLock = FileLock(path)
    try:
        with warnings.catch_warnings(action="ignore"):
            try:
                held.acquire(timeout=0)
            except NotImplementedError:  # older versions leave that to us
                held = SoftFileLock(folder / ".lock.held")
                held.acquire(timeout=0)
    except Timeout:
        text = files.read(writer, missing=b"").decode(errors="replace").strip()
        who = f" (process {text})" if text else ""
        raise ResultsError(
            f"{folder}: another run is writing here{who}; wait for it, or give ",
            Setting("results"),
            f" another folder; if that process has ended, remove {held.lock_file}",
        ) from None
    now = datetime.now(UTC).isoformat(timespec="seconds")
    with suppress(OSError):
        writer.write_text(f"{os.getpid()} on {socket.gethostname()} since {now}\n", encoding="utf-8")
    return held


class Store:
    """A results folder open for writing; a context manager that holds the folder's lock.

    Parameters
    ----------
    folder : Path
    run : RunRecord, optional
        What ``run.json`` is to say; by default it stays as it is.
    columns : sequence of str
        Columns of this run's rows, by default as `run` says or those there are; those that other rows fill
        come behind.
    fresh : bool
        Begin without rows; what is there is set aside.

    Attributes
    ----------
    run : RunRecord
        Content of ``run.json``.
    before : RunRecord or None
        What it said when the folder was opened; None where there was none that could be read.
    rows : dict of str to TrialRecord
        Rows by key, those of other settings included.
    torn : bool
        Whether a half-written last row was dropped.
    aside : Path or None
        Where the rows are that a fresh run set aside.

    Raises
    ------
    ResultsError
        On entering, if another run holds the folder, or it cannot be read or written, or is of a later
        version.
    """

    def __init__(
        self, folder: Path, run: RunRecord | None = None, columns: Sequence[str] = (), fresh: bool = False
    ) -> None:
        self.folder = folder
        self._new_run = run
        self._columns = tuple(columns) or (run.row_columns if run else ())
        self._fresh = fresh

    def __enter__(self) -> Self:
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            self._lock = lock(self.folder)
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
        path = self.folder / "trials.csv"
        for left in [*self.folder.glob(".*.tmp"), *self.folder.glob("arrays/.*.tmp")]:
            with suppress(OSError):  # of a run that was killed
                left.unlink()
        self.before = before = read_run(self.folder) if self._new_run is None else read_before(self.folder)
        run = self._new_run or before
        assert run is not None
        self.aside = self._set_aside() if self._fresh else None
        # Of rows that are not the plan's any more the old run.json tells whether they were edited.
        run = replace(run, rows=before.rows if before is not None and not self._fresh else {})
        old = Trials((), {}, False, {}) if self._fresh else read_trials(self.folder, run)
        self.rows, self.torn = old.by_key, old.torn
        needed = [name for name in self._columns if name not in LATER]
        if old.by_key.keys() & run.plan.keys() and (lost := lost_columns(path, old.header, needed)):
            raise lost
        for key, planned in run.plan.items():  # to what the spec calls its columns now
            if key in self.rows:
                self.rows[key] = replace(self.rows[key], label=planned.label)
        filled = {name for trial in self.rows.values() for name in trial.to_row()}
        used = [name for name in old.header if name in filled]
        header = tuple(dict.fromkeys((*self._columns, *used))) if self._columns else old.header
        self._here = run.environment
        if before is None:
            run = replace(run, unknown=(*run.unknown, *self.rows))  # nobody vouches for what is there
        else:
            unknown = tuple(key for key in before.unknown if key in self.rows)
            run = replace(run, stored=self._there(before.stored), unknown=unknown)
        if before is not None and self.rows:  # rows that were made before, perhaps by others
            # Keys hold the plug-ins' hashes: where an edit was undone, rows are of the earlier ones again.
            same = (each for each in before.environments if each.plugins == self._here.plugins)
            last = next(same, before.environment)
            run = run.made_in(last, *run.earlier_environments, *before.environments)
        self.run = replace(run, schema=SCHEMA)
        self._write_run()
        self._trials = Journal(path, header, (trial.to_row() for trial in self.rows.values()))
        self._timings = Journal(self.folder / "timings.csv", TIMES, self._times())

    def _write_run(self, released: Collection[str] = ()) -> None:
        """Write ``run.json`` with the digests of all rows but those that need not stay."""
        rows = {key: "".join(each.digests) for key, each in self.rows.items() if key not in released}
        content = replace(self.run, rows=rows).to_json()
        text = json.dumps(content | {"digest": digest(content)}, indent=1, ensure_ascii=False)
        files.replace(self.folder / "run.json", text + "\n", KEPT)

    def _there(self, stored: Sequence[StoredRecord]) -> tuple[StoredRecord, ...]:
        """The marks of rows that are in the folder; one that was computed again since has a time."""
        there = {key for key, trial in self.rows.items() if trial.times.seconds is None}
        return tuple(left for each in stored if (left := each.among(there)).trials)

    def _times(self) -> list[dict[str, str]]:
        return [trial.times.to_row() for trial in self.rows.values() if trial.times.key]

    def restart(self, keys: Collection[str]) -> None:
        """Forget trials that are to be computed anew, when all that is there has been set aside."""
        self.aside = self._set_aside()
        self.drop(keys)

    def _set_aside(self) -> Path | None:
        """Copy rows, times and run.json as they are to the first free ``trials.before-fresh-N.csv``, …

        Returns that of the rows; None where there are none.
        """
        paths, number = [self.folder / name for name in ("trials.csv", "timings.csv", "run.json")], 1
        if not paths[0].exists():
            return None
        while any(_aside(path, number).exists() for path in paths):
            number += 1
        for path in paths:
            if path.exists():
                files.replace(_aside(path, number), files.read(path), KEPT)
        return _aside(paths[0], number)

    def release(self, keys: Collection[str]) -> None:
        """Say in ``run.json`` that these trials are computed here from now on: their rows may be replaced."""
        before = self.run
        if keys:
            self.run = before.made_in(self._here, *before.earlier_environments, before.environment)
        if self.run != before or self.rows.keys() & set(keys):
            self._write_run(keys)

    def take(self, origin: StoredRecord, rows: Mapping[str, TrialRecord]) -> None:
        """Keep rows that were made elsewhere, given by key, where there is no result yet.

        ``run.json`` says that they are stored ones before the first of them is there.
        """
        new = [key for key in origin.trials if key not in self.rows or self.rows[key].failed]
        for key in new:
            self.rows.pop(key, None)
        self.run = replace(self.run, stored=(*self.run.stored, origin.among(new)))
        self._write_run()
        for key in new:
            metrics = {n: value for n, value in rows[key].metrics.items() if n in self._trials.header}
            self.keep(replace(rows[key], label=self.run.plan[key].label, metrics=metrics, times=Times()))
        self._vouch(new)

    def add(self, trial: TrialRecord) -> None:
        """Keep one trial that was finished here."""
        self.keep(replace(trial, version=self.run.environment.version))
        self._vouch([trial.key])

    def keep(self, trial: TrialRecord) -> None:
        """Keep one trial as it is; its row is written last, so that it vouches for the rest."""
        times = replace(trial.times, key=trial.key)
        if trial.arrays is not None:
            files.replace(array_path(self.folder, trial.key), trial.arrays, KEPT)
            times = replace(times, arrays=array_digest(trial.arrays))
        trial = replace(trial, times=times, arrays=None)
        self._timings.append(times.to_row())
        known = self.rows.get(trial.key)
        if known is not None and known.ok:  # run again for its arrays: not a second result
            self._trials.rewrite(each.to_row() for each in (self.rows | {trial.key: trial}).values())
        else:
            self._trials.append(trial.to_row())
        self.rows[trial.key] = trial

    def _vouch(self, keys: Collection[str]) -> None:
        """Rows that are new, or gone, are no unknown ones any more."""
        if self.run.unknown:
            left = tuple(key for key in self.run.unknown if key not in keys)
            self.run = replace(self.run, unknown=left)

    def drop(self, keys: Collection[str]) -> None:
        """Forget trials: their rows, times and arrays."""
        self.release(keys)  # first, so that no digest is of a row that is gone
        for key in keys:
            self.rows.pop(key, None)
        self._vouch(keys)
        self.tidy()
        for key in keys:
            array_path(self.folder, key).unlink(missing_ok=True)

    def tidy(self) -> None:
        """Rewrite both files in plan order, rows of other settings behind, sorted by key."""
        planned = [key for key in self.run.trials if key in self.rows]
        order = planned + sorted(self.rows.keys() - set(planned))
        self.rows = {key: self.rows[key] for key in order}
        self._trials.rewrite(trial.to_row() for trial in self.rows.values())
        self._timings.rewrite(self._times())
        self.run = replace(self.run, stored=self._there(self.run.stored))
        self._write_run()


def _aside(path: Path, number: int) -> Path:
    return path.with_name(f"{path.stem}.before-fresh-{number}{path.suffix}")
