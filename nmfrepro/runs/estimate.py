"""How long a run will take, from short probes of the same code."""

from __future__ import annotations

import heapq
import time
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from ..algorithms import Iterative
from ..core.grouping import grouped
from ..core.threads import one_thread
from ..protocols import Protocol, Samples, Task
from ..results.folder import read_before, read_trials
from .against import Stored
from .execute import RunOptions, held, missing
from .plan import select
from .prepared import Prepared
from .record import run_record

ITERATIONS = (1, 3, 20)
"""Of the runs of a probe: the last only where iterations are not slow."""
SLOW = 0.25
"""Seconds that iterations of a run have taken where a probe ends."""
PROBES = 3


@dataclass(frozen=True)
class Estimate:
    """What a run would compute, and how long it would take."""

    columns: dict[str, list[float]]  # by label: the seconds of every trial that is to run, on one core
    there: int  # trials that need not run
    workers: int
    wall: float  # seconds until all are done
    notes: tuple[str, ...]  # what a user should know of rows that were there, or are stored elsewhere
    early: bool = False  # whether `tol` may end fits early, of which the probes know nothing


def estimate(prepared: Prepared, results: Path, options: RunOptions, stored: Stored) -> Estimate:
    """What `run` would do if it was given the same; nothing is written."""
    folder = results / prepared.spec.name
    wanted = select(prepared.plan, options.only)
    before = read_before(folder)
    rows = {} if options.fresh else read_trials(folder, before).by_key
    record = run_record(prepared.spec, prepared.dataset, prepared.plan, prepared.samples.content_beside)
    told = held(folder, before, record, len(rows))
    rows |= {key: row for key, row in stored.rows.items() if key not in rows or rows[key].failed}
    todo = missing(prepared, wanted, rows, folder, options.keep_failed)
    seconds = seconds_per_trial(todo, prepared.spec.protocol, prepared.samples)
    columns = grouped((trial.label, seconds[trial.key]) for trial in todo)
    workers = prepared.workers(options.jobs)
    wall = wall_seconds([seconds[trial.key] for trial in todo], workers)
    early = any("tol" in trial.algorithm.fit_settings and trial.fit.tol > 0 for trial in todo)
    notes = (*([told] if told else ()), *stored.notes, *(stored.lacking if todo else ()))
    return Estimate(columns, len(wanted) - len(todo), workers, wall, notes, early)


def seconds_per_trial(trials: Sequence[Task], protocol: Protocol, samples: Samples) -> dict[str, float]:
    """Estimated seconds of every trial on one core, by key.

    For each column the lightest, a middle and the heaviest trial are run with few iterations and scaled up;
    those between are interpolated by their weight.
    """
    columns = grouped((trial.label, trial) for trial in trials)
    # The first trial loads libraries, which would hide what a trial costs, and with them threads to limit.
    for column in columns.values():
        lightest = min(column, key=protocol.weight)
        _time(_shortened(lightest, 1), protocol, samples)
    estimates: dict[str, float] = {}
    with one_thread():
        for column in columns.values():
            by_weight = {protocol.weight(trial): trial for trial in column}
            weights = sorted(by_weight)
            probed = sorted({weights[round(i)] for i in np.linspace(0, len(weights) - 1, PROBES)})
            costs = [_probe(by_weight[weight], protocol, samples) for weight in probed]
            for trial in column:
                estimates[trial.key] = float(np.interp(protocol.weight(trial), probed, costs))
    return estimates


def wall_seconds(seconds: Iterable[float], jobs: int) -> float:
    """How long so many workers take for trials that are started in this order."""
    ends = [0.0] * jobs
    for each in seconds:
        heapq.heapreplace(ends, ends[0] + each)
    return max(ends)


def _probe(trial: Task, protocol: Protocol, samples: Samples) -> float:
    """Seconds of one trial, from runs of few iterations."""
    if not isinstance(trial.algorithm, Iterative):
        return _time(trial, protocol, samples)
    most, few, *more = trial.fit.max_iter, *ITERATIONS
    first = last = _time(_shortened(trial, few), protocol, samples)
    done = few
    for n in more:
        if done < most and min(first, last - first) < SLOW:  # what is slow once may be another program
            done, last = n, _time(_shortened(trial, n), protocol, samples)
    if done >= most:
        return last
    each = min((last - first) / (done - few), first) if last > first else last / done
    return last + each * (most - done)


def _shortened(trial: Task, iterations: int) -> Task:
    """The trial with so many iterations, if it has more; methods that do not iterate ignore it."""
    fit = replace(trial.fit, max_iter=min(trial.fit.max_iter, iterations), tol=0.0)
    return replace(trial, fit=fit)


def _time(trial: Task, protocol: Protocol, samples: Samples) -> float:
    start = time.perf_counter()
    with suppress(Exception, SystemExit):  # a trial that fails costs its time too; the run will say why
        protocol.run(trial, samples)
    return time.perf_counter() - start
