"""Whether the rows of a recorded run come out the same when they are computed again."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Generator, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass, replace

import numpy as np

from .. import protocols
from ..core.errors import ResultsError
from ..protocols import Task
from ..results.record import TrialRecord
from ..results.verified import DIFFERENT, ROUNDED, SAME, read_verified, write_verified
from .interrupts import Interrupts, ended_by
from .provenance import environment
from .recorded import Recorded
from .workers import run_trials

# On another processor, BLAS or thread count sums are rounded otherwise.  These are the largest differences
# that still count as the same result.  Relative, for the objective; seen between OpenBLAS kernels (Haswell,
# Nehalem, Prescott) after 500 iterations on ORL and digits: 1e-15 in float64, 1e-7 in float32.
OBJECTIVE_TOLERANCE = {"float64": 1e-9, "float32": 1e-4}
# Of metrics in percent absolute: an image on the border between two clusters may change sides.  Of others
# relative, and what is nothing but rounding is 0.
METRIC_TOLERANCE, NOTHING = 0.01, 1e-9
# How often what was verified so far is written down, in seconds.
EVERY = 60.0


@dataclass(frozen=True)
class Check:
    """One row computed again."""

    trial: Task
    verdict: str  # `SAME` (all text equal), `ROUNDED` (within the tolerances) or `DIFFERENT`
    differences: tuple[str, ...]  # the columns that differ, with both values


def verify(
    opened: Recorded,
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
    metric = protocols.metrics().get(name)
    if metric is None:
        return False
    relative, absolute = (0.0, METRIC_TOLERANCE) if metric.unit == "%" else (METRIC_TOLERANCE, NOTHING)
    return math.isclose(float(stored), float(again), rel_tol=relative, abs_tol=absolute)
