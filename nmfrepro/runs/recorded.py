"""A recorded run opened to be computed again, with nothing but the results folder and the data.

The settings are those that ``run.json`` has written out; where a method or its inputs are others now, it says
so.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from .. import algorithms, protocols
from ..algorithms import Algorithm
from ..core.errors import ResultsError, Setting, SpecError
from ..core.grouping import grouped
from ..core.options import build
from ..core.problem import FitSettings
from ..core.terminal import counted
from ..datasets import DatasetOptions
from ..protocols import Task
from ..registry import plugins
from ..results.folder import Trials, read_edited, read_run
from ..results.record import ColumnRecord, RunRecord, TrialRecord
from ..spec import Entry, Spec
from .prepared import Prepared, prepare

# Why rows cannot come out the same where nothing else is known to be another.
REVISION = "another revision of the method, or of how its data is drawn, now"


@dataclass(frozen=True)
class Recorded:
    """A recorded run with its data, and what of it can be computed again."""

    folder: Path
    run: RunRecord
    prepared: Prepared  # the recorded spec with its data
    found: Trials  # the stored rows, edited ones too
    trials: tuple[Task, ...]  # those with an ok row
    # Columns whose method is another now, with why: their rows cannot come out the same.
    changed: dict[str, str]

    @property
    def rows(self) -> Mapping[str, TrialRecord]:
        """The stored rows by key."""
        return self.found.by_key

    @property
    def lost(self) -> Iterator[str]:
        """What ``run.json`` knows and is gone; a run takes a row out of it before it drops or replaces it."""
        known = self.run.digests.items()
        there = [(row, written) for key, (_, written) in known if (row := self.rows.get(key))]
        gone = len(self.run.digests) - len(there)
        times = sum(not row.times.key and row.digests[1] != written for row, written in there)
        for count, what, name in ((gone, "row", "trials.csv"), (times, "line", "timings.csv")):
            if count:
                are = "is" if count == 1 else "are"
                yield f"{counted(count, what)} that run.json knows {are} gone from {name}"


def open_results(
    folder: Path, data_dir: Path | None = None, file: Path | None = None, splits: Path | None = None
) -> Recorded:
    """Read a results folder and load its data.

    Parameters
    ----------
    folder : Path
    data_dir : Path, optional
        Where datasets lie.
    file : Path, optional
        Where the data file of a `file:` dataset is now; by default where it was.
    splits : Path, optional
        The same of published splits.

    Raises
    ------
    ResultsError
        If the folder cannot be read, the data is not that of the results, or nothing can be verified.
    DataError
        If the data cannot be had.
    """
    run = read_run(folder)
    found = read_edited(folder, run)
    try:
        prepared = prepare(_moved(recorded_spec(run, folder), file, splits), data_dir)
    except (SpecError, ResultsError) as error:
        if remedy := plugins.lacking(run.plugins, run.names, error):
            raise ResultsError(f"{folder}: {remedy}") from None
        raise
    now, then = prepared.dataset.sha256, run.dataset.sha256
    if now != then:
        raise ResultsError(
            f"{folder}: made with data of sha256 {then[:12]} ({run.dataset.origin}), "
            f"but here is {now[:12]} ({prepared.dataset.origin}); give ",
            Setting("data_dir"),
            " or ",
            Setting("file"),
        )
    changed = {
        trial.label: ", ".join(other_inputs(prepared, trial.algorithm, run)) or REVISION
        for trial in prepared.plan
        if trial.key not in run.plan
    }
    ok = {key for key, row in found.by_key.items() if row.ok and key in run.plan}
    trials = tuple(trial for trial in prepared.plan if trial.key in ok)
    if not trials:
        raise ResultsError(f"{folder}: nothing to verify: {changed_in_words(changed) or 'no trial is ok'}")
    return Recorded(folder, run, prepared, found, trials, changed)


def other_inputs(prepared: Prepared, algorithm: Algorithm, run: RunRecord) -> Iterator[str]:
    """What decides a method's rows beside settings and data, and is another than it was for a run.

    Older runs did not record what the protocol had read, of which nothing is said then.
    """
    mine = prepared.samples.content_beside
    for name, then in run.beside.items():
        if (now := mine.get(name)) != then:
            yield f"the {name} differ in content: stored {str(then)[:12]}, now {str(now or 'none')[:12]}"
    parts = (algorithm, prepared.spec.protocol)
    yield from plugins.changed(run.plugins, (type(each).__module__ for each in parts))


def by_reason(reasons: Mapping[str, str]) -> list[tuple[str, str]]:
    """Columns with the reason of each, those with the same one together: ("NMF, NLCF", why)."""
    together = grouped((reason, label) for label, reason in reasons.items())
    return [(", ".join(labels), reason) for reason, labels in together.items()]


def changed_in_words(changed: Mapping[str, str]) -> str:
    """The changed columns in one line; empty where there is none."""
    return "; ".join(f"{labels}: {reason}" for labels, reason in by_reason(changed))


def recorded_spec(run: RunRecord, folder: Path) -> Spec:
    """The spec that a ``run.json`` has written out.

    Raises
    ------
    ResultsError
        If it is not complete, or not one that this version can run.
    """
    try:
        protocols.get(run.kind)  # a plug-in's may not be in use
        return Spec(
            name=run.spec.name,
            path=folder / "run.json",
            title=run.spec.title,
            published=run.spec.published,
            dataset=build(DatasetOptions, vars(run.spec.dataset), "dataset"),
            protocol=run.protocol,
            entries=tuple(map(_entry, run.columns)),
            seed=run.spec.seed or 0,
            metrics=run.spec.metrics,
            timeout=run.spec.timeout,
        )
    except SpecError as error:
        text = f"{folder / 'run.json'}: not a spec that this version can run ({error})"
        raise ResultsError(text, unknown=error.unknown) from None


def _moved(spec: Spec, file: Path | None, splits: Path | None) -> Spec:
    """The spec with the paths of what was moved, in whose places something is."""
    if file is not None:
        spec = replace(spec, dataset=replace(spec.dataset, file=str(file)))
    if splits is not None:
        if "splits" not in spec.protocol.paths:
            raise ResultsError(
                f"protocol {spec.protocol.kind} reads no splits; leave ", Setting("splits"), " out"
            )
        changed: dict[str, Any] = {"splits": str(splits)}
        spec = replace(spec, protocol=replace(spec.protocol, **changed))
    paths = {"file": spec.dataset.file}
    paths |= {name: getattr(spec.protocol, name) for name in spec.protocol.paths}
    for name, path in paths.items():
        if path is not None and not Path(path).exists():
            raise ResultsError(f"{path}: there is no such file; say where it is now with ", Setting(name))
    return spec


def _entry(column: ColumnRecord) -> Entry:
    method = build(algorithms.get(column.algorithm), dict(column.parameters), f"algorithm {column.algorithm}")
    fit = build(FitSettings, column.fit.to_json(), "fit")
    return Entry(method, column.label, fit, dict(column.sweep))
