"""Which rows of a folder have been computed again, and how they came out: its ``verified.json``."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from .. import protocols
from ..core import files
from ..core.errors import ResultsError
from ..core.typed import from_json, to_json
from .record import EnvironmentRecord, RunRecord, TrialRecord, digest

NAME = "verified.json"
SAME, ROUNDED, DIFFERENT = "the same", "the same to rounding", "different"


@dataclass(frozen=True)
class RowCheck:
    """A row that was computed again."""

    row: str  # hash of what the row said then; the check is of no worth for another
    verdict: str  # `SAME`, `ROUNDED` or `DIFFERENT`
    environment: int  # with what: its place in `Verified.environments`


@dataclass(frozen=True)
class Verified:
    """The rows of a folder that were computed again, by key, and with what."""

    environments: tuple[EnvironmentRecord, ...] = ()
    rows: Mapping[str, RowCheck] = field(default_factory=dict)

    def holds(self, trial: TrialRecord) -> bool:
        """Whether a row, as it is now, came out the same when it was computed again."""
        return self.verdict(trial) in (SAME, ROUNDED)

    def verdict(self, trial: TrialRecord) -> str:
        """How a row, as it is now, came out when it was computed again; empty where it was not."""
        check = self.rows.get(trial.key)
        return check.verdict if check is not None and check.row == _said(trial) else ""

    def joined(self, checks: Iterable[tuple[TrialRecord, str]], environment: EnvironmentRecord) -> Verified:
        """With further rows and their verdicts, the latest of which counts."""
        known = self.environments if environment in self.environments else (*self.environments, environment)
        at = known.index(environment)
        new = {trial.key: RowCheck(_said(trial), verdict, at) for trial, verdict in checks}
        return replace(self, environments=known, rows={**self.rows, **new})


def _said(trial: TrialRecord) -> str:
    """A hash of what a row says but how its column is called; the time of a fit is no part of a row."""
    return digest(trial.to_row(), "label", *protocols.of_times())[:8]


def read_verified(folder: Path) -> Verified:
    """What is known of a folder; nothing where ``nmfrepro verify`` was never run.

    Raises
    ------
    ResultsError
        If its ``verified.json`` is damaged.
    """
    path = folder / NAME
    content = files.read(path, missing=b"{}")
    try:
        found: Verified = from_json(Verified, json.loads(content))
    except (ValueError, RecursionError) as error:
        raise ResultsError(f"{path}: damaged ({error}); remove it and run nmfrepro verify again") from None
    return found


def unvouched(folder: Path, run: RunRecord, trials: Iterable[TrialRecord]) -> set[str]:
    """The keys of those trials whose rows are of unknown origin, and were not computed again since.

    Raises
    ------
    ResultsError
        As `read_verified`.
    """
    unknown = {*run.unknown}
    doubtful = [trial for trial in trials if trial.key in unknown]
    verified = read_verified(folder) if doubtful else Verified()  # every table asks, and few have such rows
    return {trial.key for trial in doubtful if not verified.holds(trial)}


def write_verified(folder: Path, verified: Verified) -> None:
    """Write ``verified.json``.

    Raises
    ------
    ResultsError
        If it cannot be written.
    """
    files.replace(folder / NAME, json.dumps(to_json(verified), indent=1, ensure_ascii=False) + "\n")
