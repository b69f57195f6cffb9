"""Which of a spec's trials are stored already, in the reference study or in a folder of somebody's results.

The keys decide: a stored row is that of a trial only if everything is the same that decides its numbers.
Where it is not, the nearest stored run says why.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from .. import datasets, protocols
from ..algorithms import Algorithm
from ..core.errors import ResultsError, Setting, suggest
from ..core.terminal import counted
from ..datasets.loading import how_to_get
from ..protocols import Task
from ..results import reference
from ..results.folder import folders, read_run, read_trials
from ..results.record import ColumnRecord, RunRecord, StoredRecord, TrialRecord
from .prepared import Prepared
from .record import spec_record
from .recorded import by_reason, other_inputs

REFERENCE = "reference"
# More columns than these are counted, not named.
NAMED = 8


@dataclass(frozen=True)
class Stored:
    """What is stored elsewhere of a spec's trials."""

    rows: Mapping[str, TrialRecord] = field(default_factory=dict)  # by key
    marks: tuple[StoredRecord, ...] = ()  # where they come from
    notes: tuple[str, ...] = ()  # what a user should know of them
    lacking: tuple[str, ...] = ()  # why others are not stored


NOTHING_STORED = Stored()


def find_stored(prepared: Prepared, source: str) -> Stored:
    """The stored rows of a spec's trials, whichever of them are to be run.

    Parameters
    ----------
    prepared : Prepared
    source : str
        "reference", or the path of a results folder or of several.

    Raises
    ------
    ResultsError
        If no row can be taken; the message says why.
    """
    spec, against = prepared.spec, Setting("against", source)
    if spec.protocol.alone or protocols.of_times() & set(spec.metrics):
        raise ResultsError(against, ": times of another machine are not comparable; leave it out")
    if spec.keep:
        raise ResultsError(
            against, ": stored rows are without arrays; leave ", Setting("keep"), f" out of {spec.name}"
        )
    if spec.protocol.stores:
        raise ResultsError(
            against, f": stored rows are without the arrays of protocol {spec.protocol.kind}; leave it out"
        )
    missing, shown = {trial.key: trial for trial in prepared.plan}, protocols.always() & set(spec.metrics)
    runs, rows = list[RunRecord](), dict[str, TrialRecord]()
    marks, notes = list[StoredRecord](), list[str]()
    for origin, opening in _places(source, spec.name):
        with opening as folder:
            run = read_run(folder)
            runs.append(run)
            if missing.keys().isdisjoint(run.trials):
                continue
            found = read_trials(folder, run).by_key
        usable = {key for key, row in found.items() if row.ok and shown <= row.metrics.keys()}
        new = {key: found[key] for key in missing if key in usable}
        for mark in _marks(origin, run, new):
            labels = list(dict.fromkeys(missing[key].label for key in mark.trials))
            of = ", ".join(labels) if len(labels) <= NAMED else f"{len(labels)} columns"
            notes.append(f"{counted(len(mark.trials), 'stored row')} of {of}, {mark.made}")
            marks.append(mark)
        rows |= new
        missing = {key: trial for key, trial in missing.items() if key not in new}
    reasons = _reasons(prepared, list(missing.values()), runs)
    if not rows:
        raise ResultsError(
            against,
            f": none of its rows is of these trials ({'; '.join(reasons)}); or leave ",
            Setting("against"),
            " out, and all columns are computed",
        )
    return Stored(rows, tuple(marks), tuple(notes), tuple(f"not stored: {reason}" for reason in reasons))


def _places(source: str, first: str) -> Iterator[tuple[str, Any]]:
    """Stored runs, each with what opens its folder; that of the spec's name first."""
    if source == REFERENCE:
        for name in sorted(reference.names(), key=lambda name: name.rpartition("/")[2] != first):
            yield f"reference {name}", reference.unpacked(name)
    else:
        path = Path(source)
        if not path.exists():
            near = {each.parent for each in path.parent.glob("*/run.json")}
            near |= {each.parent.parent for each in path.parent.glob("*/*/run.json")}
            names = [REFERENCE, *map(str, sorted(near))]
            raise ResultsError(
                Setting("against", source), f": there is no such folder; {suggest(source, names)}"
            )
        for folder in sorted(folders(path), key=lambda folder: folder.name != first):
            yield folder.name, nullcontext(folder)


def _marks(origin: str, run: RunRecord, rows: Mapping[str, TrialRecord]) -> Iterator[StoredRecord]:
    """Where rows were made: those that a folder itself has taken keep their origin."""
    left = set(rows)
    for mark in run.stored:
        if (own := mark.among(left)).trials:
            left -= set(own.trials)
            yield own
    if left:
        yield StoredRecord(origin, run.environments, tuple(key for key in rows if key in left))


def _reasons(prepared: Prepared, missing: Sequence[Task], runs: Sequence[RunRecord]) -> list[str]:
    """Why trials are not stored, columns with the same reason together."""
    first: dict[str, Task] = {}
    for trial in missing:
        first.setdefault(trial.label, trial)
    whys = {
        entry.label: _why(prepared, entry, first[entry.label], runs)
        for entry in spec_record(prepared.spec).algorithms
        if entry.label in first
    }
    return [f"{labels}: {why}" for labels, why in by_reason(whys)]


def _why(prepared: Prepared, entry: ColumnRecord, trial: Task, runs: Sequence[RunRecord]) -> str:
    """What the nearest stored column of the same method has otherwise."""
    spec, dataset, name = prepared.spec, prepared.dataset, entry.algorithm
    same = {dataset.name, dataset.drawn_as}
    alike = [run for run in runs if run.kind == spec.protocol.kind and run.dataset.name in same]
    found = [
        (list(_differences(prepared, trial.algorithm, entry, run, stored)), run.spec.name)
        for run in alike
        for stored in run.columns
        if stored.algorithm == name
    ]
    if not found:
        return f"no rows of {name} on {dataset.name} are stored"
    where = ", ".join(f"{name} {value}" for name, value in trial.coordinates.items())
    nearest, whose = min(found, key=lambda each: len(each[0]))
    why = ", ".join(nearest) or f"no row for {where}"
    return why if whose == spec.name else f"{why} (beside {whose})"


def _differences(
    prepared: Prepared, algorithm: Algorithm, entry: ColumnRecord, run: RunRecord, stored: ColumnRecord
) -> Iterator[str]:
    spec, dataset, other = prepared.spec, prepared.dataset, run.dataset
    if (dataset.sha256, dataset.source) != (other.sha256, other.source):
        yield (
            f"your {dataset.name} ({dataset.origin}, sha256 {dataset.sha256[:12]}) is not that of the "
            f"stored rows ({other.origin}, sha256 {other.sha256[:12]}){_remedy(prepared, run)}"
        )
    now, then = spec.dataset, run.spec.dataset
    if now.scale != then.scale:
        yield f"scale is {now.scale}, stored {then.scale}"
    if now.scale == then.scale == "grey" and now.levels != then.levels:
        yield f"levels is {now.levels}, stored {then.levels}"
    if spec.seed != run.spec.seed:
        yield f"seed is {spec.seed}, stored {run.spec.seed}"
    if spec.protocol.deciding(algorithm) != run.protocol.deciding(algorithm):
        yield "the protocol has other settings"
    yield from other_inputs(prepared, algorithm, run)
    for name, value, before in entry.differences(stored):
        yield f"{name} is {value}, stored {before}"


def _remedy(prepared: Prepared, run: RunRecord) -> str:
    """How to get the data that stored rows were made with, where that is known."""
    definition = datasets.registry().get(run.dataset.name)
    for source in definition.sources if definition else ():
        if definition and source.key == run.dataset.source != prepared.dataset.source:
            size = prepared.spec.dataset.size or definition.default_size
            return f": {how_to_get(definition, source, size)}"
    return ""
