"""Results folders of several machines or people as one."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from ..core import files
from ..core.errors import ResultsError, Setting
from ..core.grouping import grouped
from .arrays import array_path, load_arrays
from .folder import read_run, read_trials
from .record import RunRecord, TrialRecord
from .store import Store
from .verified import Verified, read_verified, write_verified


@dataclass(frozen=True)
class Merged:
    """What came of it."""

    folder: Path
    rows: tuple[int, ...]  # how many each of the given folders had
    shared: int  # how many of them another one had too
    # present, planned: trials that are there now, and that are wanted.
    present: int
    planned: int


def merge(folders: Sequence[Path], target: Path) -> Merged:
    """Write the rows of several results folders, with their times and arrays, into a new one.

    They must be of the same draws of the same data; their columns are put side by side, those of the first
    folder first.  A trial that several have counts once.

    Raises
    ------
    ResultsError
        If they are not of the same draws, one label stands for two settings, two results of one trial differ,
        or the target is there already.
    """
    if target.exists():
        raise ResultsError(f"{target}: is there already; give ", Setting("output"), " a folder that is not")
    runs, rows = {folder: read_run(folder) for folder in folders}, dict[str, tuple[Path, TrialRecord]]()
    run = runs[folders[0]]
    for folder in folders[1:]:
        run = _joined(folders[0], run, folder, runs[folder])
    header: dict[str, None] = {}
    counts = []
    for folder in folders:
        found = read_trials(folder, runs[folder])
        header |= dict.fromkeys(found.header)
        counts.append(len(found.by_key))
        for key, trial in found.by_key.items():
            before = rows.get(key)
            if before is not None and before[1].ok and trial.ok:
                _check_same(*before, folder, trial)
            elif before is None or trial.ok:
                rows[key] = folder, trial
    run, verified = replace(run, rows={}, stored=(), unknown=()), Verified()
    for folder, made in runs.items():
        own = {key: trial for key, (origin, trial) in rows.items() if origin == folder}
        run = replace(
            run,
            stored=(*run.stored, *(each.among(own) for each in made.stored)),
            unknown=(*run.unknown, *(key for key in made.unknown if key in own)),
        )
        known = read_verified(folder)
        for number, environment in enumerate(known.environments):
            checked = [
                trial
                for key, trial in own.items()
                if known.verdict(trial) and known.rows[key].environment == number
            ]
            verified = verified.joined([(trial, known.verdict(trial)) for trial in checked], environment)
    with Store(target, run, tuple(header)) as store:
        try:
            for folder, trial in rows.values():
                store.keep(replace(trial, arrays=_arrays(folder, trial)))
            store.tidy()
            if verified.rows:
                write_verified(target, verified)
        except BaseException:  # a part of the rows would look like all of them
            shutil.rmtree(target, ignore_errors=True)
            raise
    present = sum(trial.ok and key in run.plan for key, (_, trial) in rows.items())
    return Merged(target, tuple(counts), sum(counts) - len(rows), present, len(run.trials))


def _joined(first: Path, run: RunRecord, folder: Path, other: RunRecord) -> RunRecord:
    """The plan of both runs: the same cells, and the columns of both."""
    mine, theirs = run.spec, other.spec
    both = bool(run.beside and other.beside)  # older runs did not record what the protocol had read
    # What grey is divided by, where the spec says it and not the data itself.
    levels, other_levels = (each.dataset.scale == "grey" and each.dataset.levels for each in (mine, theirs))
    for what, one, two in (
        ("data", run.dataset.sha256, other.dataset.sha256),
        ("scale", mine.dataset.scale, theirs.dataset.scale),
        ("range of grey levels", levels or other_levels, other_levels or levels),
        ("seed", mine.seed, theirs.seed),
        ("protocol", mine.protocol, theirs.protocol),
        (f"content of {' and '.join(run.beside)}", both and run.beside, both and other.beside),
        ("cells", run.cells, other.cells),
    ):
        if one != two:
            raise ResultsError(
                f"{folder}: its {what} is another than that of {first}; merge runs of the same draws"
            )
    keys, others = _keys(run), _keys(other)
    for label in keys.keys() & others.keys():
        if keys[label] != others[label]:
            raise ResultsError(
                f"{folder}: its column {label} has other settings than that of {first}, or another version "
                "or plug-in made it; give one of them another name (as: …)"
            )
    mine_by_key = {key: label for label, own in keys.items() for key in own}
    for label in others.keys() - keys.keys():
        if twin := next((mine_by_key[key] for key in others[label] if key in mine_by_key), None):
            raise ResultsError(
                f"{folder}: its column {label} is {twin} of {first}; run one under the other's name"
            )
    columns = (*run.columns, *(column for column in other.columns if column.label not in keys))
    joined = keys | others
    inferred = tuple(dict.fromkeys((*mine.inferred, *theirs.inferred)))
    return replace(
        run.made_in(*run.environments, *other.environments),
        spec=replace(mine, algorithms=columns, inferred=inferred),
        trials=tuple(joined[column.label][n] for n in range(len(run.cells)) for column in columns),
        rows={},
    )


def _keys(run: RunRecord) -> dict[str, list[str]]:
    """The keys of every column, cell by cell."""
    return grouped((planned.label, key) for key, planned in run.plan.items())


def _check_same(first: Path, one: TrialRecord, folder: Path, two: TrialRecord) -> None:
    where = ", ".join(f"{each} {value}" for each, value in one.coordinates.items())
    for name, (said, again) in one.differences(two).items():
        raise ResultsError(
            f"{folder}: trial {two.key} of {two.label} ({where}) has {name} {again or 'empty'}, but "
            f"{said or 'empty'} in {first}; nmfrepro verify says which is right, then remove the other line "
            "from its trials.csv"
        )


def _arrays(folder: Path, trial: TrialRecord) -> bytes | None:
    """The bytes of a trial's stored arrays, looked at first; None where it has none."""
    path, written = array_path(folder, trial.key), trial.times.arrays
    if not written and not path.exists():
        return None
    load_arrays(path, written, ["keep"] if written else ())
    return files.read(path)
