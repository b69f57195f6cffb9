"""Whether the rows of a results folder come out the same when they are computed again.

Nothing but the folder and the data is needed: the settings are those that ``run.json`` has written out.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from .. import algorithms, protocols
from ..algorithms import Algorithm
from ..core.errors import ResultsError, Setting, SpecError
from ..core.grouping import grouped
from ..core.options import build, checked
from ..core.problem import FitSettings
from ..core.terminal import counted
from ..protocols import Task
from ..registry import plugins
from ..results.folder import read_edited, read_run
from ..results.record import ColumnRecord, RunRecord, TrialRecord
from ..results.verified import DIFFERENT, ROUNDED, SAME, read_verified, write_verified
from ..spec import Entry, Spec
from .prepared import Prepared, prepare
from .provenance import environment
from .workers import Interrupts, ended_by, run_trials

# On another processor, BLAS or thread count sums are rounded otherwise.  These are the largest differences
# that still count as the same result.  Relative, for the objective; seen between OpenBLAS kernels (Haswell,
# Nehalem, Prescott) after 500 iterations on ORL and digits: 1e-15 in float64, 1e-7 in float32.
OBJECTIVE_TOLERANCE = {"float64": 1e-9, "float32": 1e-4}
# Absolute, for metrics, which are fractions: an image on the border between two clusters may change sides.
METRIC_TOLERANCE = 0.01
# How often what was verified so far is written down, in seconds.
EVERY = 60.0
# Why rows cannot come out the same where nothing else is known to be another.
REVISION = "another revision of the method, or of how its data is drawn, now"


@dataclass(frozen=True)
class Check:
    """One row computed again."""

    trial: Task
    verdict: str  # `SAME` (all text equal), `ROUNDED` (within the tolerances) or `DIFFERENT`
    differences: tuple[str, ...]  # the columns that differ, with both values


@dataclass(frozen=True)
class Verification:
    """What can be verified in a results folder."""

    folder: Path
    run: RunRecord
    prepared: Prepared  # the recorded spec with its data
    rows: dict[str, TrialRecord]  # the stored rows by key
    trials: tuple[Task, ...]  # those with an ok row
    stored: frozenset[str]  # keys of rows that were not computed for the folder but taken by ``--against``
    failed: int  # rows of failed trials; they are left out
    # Columns whose method is another now, with why: their rows cannot come out the same.
    changed: dict[str, str]
    edited: dict[str, ResultsError]  # what to say of rows that are not as they were written, by key
    lost: tuple[str, ...]  # what run.json knows and is gone: rows, and times of rows


def open_results(
    folder: Path, data_dir: Path | None = None, file: Path | None = None, splits: Path | None = None
) -> Verification:
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
    rows = found.by_key
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
    recorded = set(run.trials)
    changed = {
        trial.label: ", ".join(other_inputs(prepared, trial.algorithm, run)) or REVISION
        for trial in prepared.plan
        if trial.key not in recorded
    }
    there = [trial for trial in prepared.plan if trial.key in rows and trial.key in recorded]
    trials = tuple(trial for trial in there if rows[trial.key].ok)
    if not trials:
        raise ResultsError(f"{folder}: nothing to verify: {changed_in_words(changed) or 'no trial is ok'}")
    stored = frozenset(key for each in run.stored for key in each.trials)
    failed = len(there) - len(trials)
    return Verification(
        folder, run, prepared, rows, trials, stored, failed, changed, found.edited, _lost(run, rows)
    )


def _lost(run: RunRecord, rows: Mapping[str, TrialRecord]) -> tuple[str, ...]:
    """What is gone since ``run.json`` was written, which forgets a row before a run drops or replaces it."""
    gone = len(run.rows.keys() - rows.keys())
    timeless = {key for key in run.rows.keys() & rows.keys() if not rows[key].times.key}
    times = sum(rows[key].digests[1] != run.rows[key][8:] for key in timeless)
    return tuple(
        f"{counted(count, what)} that run.json knows {'is' if count == 1 else 'are'} gone from {name}"
        for count, what, name in ((gone, "row", "trials.csv"), (times, "line", "timings.csv"))
        if count
    )


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


def verify(
    opened: Verification,
    trials: Sequence[Task],
    jobs: int | None = None,
    announce: Callable[[str], None] = print,
) -> Generator[Check, None, None]:
    """Compute trials again, and yield how each compares with its row as it finishes.

    Every minute and at the end the folder's ``verified.json`` says so; `announce` is told where it cannot be
    written.

    Raises
    ------
    KeyboardInterrupt, SystemExit
        After Ctrl-C; after SIGTERM.
    ResultsError
        If ``verified.json`` is damaged.
    """
    prepared, by_key = opened.prepared, {trial.key: trial for trial in trials}
    verdicts, made, written = list[tuple[TrialRecord, str]](), environment(), time.monotonic()
    read_verified(opened.folder)  # a damaged one is told before any work

    def write_down() -> None:
        # Read again: somebody else may have verified other rows meanwhile.
        write_verified(opened.folder, read_verified(opened.folder).joined(verdicts, made))

    try:
        with Interrupts() as interrupts:
            work = run_trials(trials, prepared.job, prepared.workers(jobs), interrupts)
            with closing(work):
                for again in interrupts.heed(work):
                    row = opened.rows[again.key]
                    check = compare_rows(by_key[again.key], row, again)
                    verdicts.append((row, check.verdict))
                    if time.monotonic() - written >= EVERY:
                        with suppress(ResultsError):  # of which the end tells
                            write_down()
                        written = time.monotonic()
                    yield check
        if interrupts.signal:
            raise ended_by(interrupts.signal)
    finally:
        try:
            write_down()
        except ResultsError as error:
            announce(f"not written down: {error}")


def sample(trials: Sequence[Task], count: int, seed: int | None = None) -> list[Task]:
    """So many trials chosen at random, in plan order; other ones every time unless a seed is given."""
    chosen = np.random.default_rng(seed).permutation(len(trials))[:count]
    return [trials[position] for position in sorted(chosen)]


def compare_rows(trial: Task, first: TrialRecord, second: TrialRecord) -> Check:
    """Hold a recomputed row against the stored one; label and version do not count."""
    if not first.classes:  # earlier versions did not say
        second = replace(second, classes="")
    unequal = first.differences(second)
    if not unequal:
        return Check(trial, SAME, ())
    # How a fit got there may differ where its result does not; the rest of the text must be equal.
    free = {"n_iter", "converged", "restart", "notes"}
    close = all(name in free or _close(trial, name, *texts) for name, texts in unequal.items())
    told = tuple(f"{name} {then or '–'}, now {now or '–'}" for name, (then, now) in unequal.items())
    return Check(trial, ROUNDED if close else DIFFERENT, told)


def _close(trial: Task, name: str, stored: str, again: str) -> bool:
    """Whether two cells are numbers that differ by no more than rounding can explain."""
    if not stored or not again:
        return False
    if name == "objective":
        tolerance = OBJECTIVE_TOLERANCE[trial.fit.dtype]
        return math.isclose(float(stored), float(again), rel_tol=tolerance)
    return name in protocols.metrics() and math.isclose(
        float(stored), float(again), rel_tol=0, abs_tol=METRIC_TOLERANCE
    )


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
            name=run.name,
            path=folder / "run.json",
            title=run.title,
            published=run.published,
            dataset=checked(run.spec.dataset, "dataset"),
            protocol=run.protocol,
            entries=tuple(map(_entry, run.columns)),
            seed=run.spec.seed or 0,
            metrics=run.metrics,
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
