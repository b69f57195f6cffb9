"""What lies in a results folder and no spec asks for any more: rows of earlier settings, and their arrays."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from .folder import read_run, read_trials
from .record import TrialRecord
from .store import Store


@dataclass(frozen=True)
class Unasked:
    """What the spec that a folder was last run with does not ask for."""

    folder: Path
    rows: tuple[TrialRecord, ...]
    stray: tuple[str, ...]  # keys of files in arrays/ without a row
    asked: int  # how many rows it does ask for

    def drop(self) -> None:
        """Remove it, but for what another run may have asked for meanwhile."""
        with Store(self.folder) as store:
            store.drop({*(row.key for row in self.rows), *self.stray} - set(store.run.trials))


def unasked(folder: Path) -> Unasked:
    """Look through a results folder.

    Raises
    ------
    ResultsError
        If it cannot be read.
    """
    rows, asked = read_trials(folder).by_key, set(read_run(folder).trials)
    left = tuple(row for key, row in rows.items() if key not in asked)
    known = {*rows, *asked}
    stray = tuple(path.stem for path in (folder / "arrays").glob("*.npz") if path.stem not in known)
    return Unasked(folder, left, stray, len(rows) - len(left))
