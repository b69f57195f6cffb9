"""Execute a spec's trials that are not yet in the results."""

from __future__ import annotations

import time
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from pathlib import Path

from ..core.errors import Setting, SpecError
from ..core.terminal import counted
from ..protocols import Task
from ..results.arrays import lacks_arrays
from ..results.record import RunRecord, TrialRecord
from ..results.store import Store
from ..spec import Spec
from ..spec.overrides import as_options, set_to
from .against import NOTHING_STORED, Stored
from .cluster import run_on_cluster
from .interrupts import Interrupts
from .plan import select
from .prepared import LIBRARIES, Prepared
from .progress import Progress
from .record import run_record
from .submitted import run_submitted
from .workers import run_trials


@dataclass(frozen=True)
class RunOptions:
    """How a run is done: by whom, and which of its trials."""

    jobs: int | None = None  # worker processes; the cores available by default
    # dask, submit: the scheduler of a Dask cluster whose workers run the trials instead, tcp://host:8786, or
    # the batch system whose jobs do, as `nmfrepro.runs.submitted` takes it.
    dask: str | None = None
    submit: str | None = None
    only: Sequence[str] = ()  # patterns of labels or algorithm names; the others are left for later
    fresh: bool = False  # everything (that `only` names) is computed anew; the old rows are set aside
    keep_failed: bool = False  # failed trials are not tried again


USUAL = RunOptions()


@dataclass(frozen=True)
class Summary:
    """How a run ended."""

    folder: Path
    planned: int  # trials that were wanted
    present: int  # those of them with an ok row
    failed: int  # those with a failed row
    left: int  # trials of the plan that `only` left out and that are not there
    computed: int  # trials this run computed
    interrupted: int  # the signal that ended it (SIGINT, SIGTERM); 0 if none
    seconds: float
    # Seconds by phase over the computed trials, all workers together; "all" for the trials as a whole.
    phases: dict[str, float]
    # By the label of a column all of whose trials failed: how many, by the reason.
    hopeless: dict[str, Counter[str]] = field(default_factory=dict)

    @property
    def complete(self) -> bool:
        """Whether every trial that was wanted has an ok row."""
        return self.present == self.planned


def missing(
    prepared: Prepared,
    wanted: Sequence[Task],
    rows: Mapping[str, TrialRecord],
    folder: Path,
    keep_failed: bool = False,
) -> list[Task]:
    """The trials without a result, or without arrays that `keep` asks for now; long ones first.

    In this order no worker is left alone with a long trial at the end.
    """

    def there(trial: Task) -> bool:
        row = rows.get(trial.key)
        if row is None or row.failed:
            return row is not None and keep_failed
        return not lacks_arrays(folder, row, prepared.spec.keep, prepared.spec.protocol.stores)

    todo = [trial for trial in wanted if not there(trial)]
    return sorted(todo, key=lambda trial: -prepared.spec.protocol.weight(trial))


def run(
    prepared: Prepared,
    results: Path,
    options: RunOptions = USUAL,
    *,
    stored: Stored = NOTHING_STORED,
    announce: Callable[[str], None] = print,
    progress: bool = False,
) -> Summary:
    """Run what is missing and keep each trial the moment it is finished.

    Parameters
    ----------
    prepared : Prepared
    results : Path
        The results root; rows go to ``results/<spec name>/``.
    options : RunOptions
    stored : Stored
        Rows that are taken instead of computed, as `nmfrepro.runs.against.find_stored` finds them.
    announce : callable
        Told what a user should know, a line at a time.
    progress : bool
        Say on stderr how far it is.

    Raises
    ------
    ResultsError
        If the results cannot be written; finished trials are kept.
    SpecError
        If workers are asked for in two ways.
    NmfreproError
        If there are no workers to be had, here or on the cluster.
    """
    spec, start = prepared.spec, time.perf_counter()
    check_where(spec, options)
    wanted, workers = select(prepared.plan, options.only), prepared.workers(options.jobs)
    record = run_record(spec, prepared.dataset, prepared.plan, prepared.samples.content_beside)
    store = Store(results / spec.name, record, fresh=options.fresh and not options.only)
    phases = defaultdict[str, float](float)
    with store, Interrupts() as interrupts:
        _begin(store, wanted if options.fresh and options.only else (), stored, announce)
        todo = missing(prepared, wanted, store.rows, store.folder, options.keep_failed)
        for reason in stored.lacking if todo else ():
            announce(f"  {reason}")
        store.release({trial.key for trial in todo})
        weights = {trial.key: (trial.label, spec.protocol.weight(trial)) for trial in todo}
        workload = Progress(spec.name, weights, progress and bool(todo))
        elsewhere = replace(prepared.job, libraries=LIBRARIES)
        if options.dask:
            work = run_on_cluster(todo, elsewhere, options.dask, interrupts, announce)
        elif options.submit:
            work = run_submitted(todo, elsewhere, options.submit, workers, interrupts, announce, store.folder)
        else:
            work = run_trials(todo, prepared.job, workers, interrupts, announce)
        # The generator is closed at once when a row cannot be kept: it ends the workers.
        with workload, closing(work):
            for each in interrupts.heed(work):
                store.add(each)
                took = each.times.seconds or 0.0
                for phase, seconds in {**each.times.phases, "all": took}.items():
                    phases[phase] += seconds
                workload.finished(each.key, took)
        store.tidy()
    statuses = [store.rows[trial.key].status for trial in wanted if trial.key in store.rows]
    others = {trial.key for trial in prepared.plan} - {trial.key for trial in wanted}
    return Summary(
        folder=store.folder,
        planned=len(wanted),
        present=statuses.count("ok"),
        failed=statuses.count("failed"),
        left=len(others - store.rows.keys()),
        computed=workload.done,
        interrupted=interrupts.signal,
        seconds=time.perf_counter() - start,
        phases=phases,
        hopeless=_hopeless(wanted, store.rows),
    )


def _begin(store: Store, anew: Sequence[Task], stored: Stored, announce: Callable[[str], None]) -> None:
    """Say what was there, set it aside where trials are to be computed anew, and take what is stored."""
    if told := held(store.folder, store.before, store.run, len(store.rows)):
        announce(f"  {told}")
    if store.torn:
        announce(f"{store.folder / 'trials.csv'}: a half-written last row was dropped; its trial runs again.")
    if anew:
        store.restart([trial.key for trial in anew])
    if store.aside:
        announce(f"  note    the rows that were there are kept in {store.aside}")
    for mark in stored.marks:
        store.take(mark, stored.rows)
    for note in stored.notes:
        announce(f"  {note}")


def check_where(spec: Spec, options: RunOptions) -> None:
    """Refuse two ways to run trials at once, and elsewhere what only processes of this machine can do.

    Raises
    ------
    SpecError
        Also if the spec has a timeout, or measures running times.
    """
    dask, submit = options.dask, options.submit
    if dask and submit:
        raise SpecError(Setting("submit"), " and ", Setting("dask"), " are two ways: leave one of them out")
    if dask and options.jobs:
        raise SpecError(
            Setting("jobs"), " is for workers on this machine: leave it out, or ", Setting("dask")
        )
    if (dask or submit) and spec.protocol.alone:
        raise SpecError(
            f"{spec.path}: {spec.protocol.kind} measures running times, which are comparable on one machine "
            "only; run it without ",
            Setting("dask" if dask else "submit"),
        )
    if (dask or submit) and spec.timeout is not None:
        raise SpecError(
            f"{spec.path}: timeout: workers elsewhere cannot be told to end a trial that takes too long; "
            "add ",
            set_to("timeout=null"),
        )


def held(folder: Path, before: RunRecord | None, now: RunRecord, rows: int) -> str:
    """What a user should know of so many rows that were there: of other settings or data, or of unknown."""
    if before is None and rows:
        return (
            f"note    {folder / 'run.json'} is missing or damaged: whether the {counted(rows, 'row')} there "
            "were edited, and on which machine they were made, is not known any more; a fresh run computes "
            "them anew"
        )
    if before is None or not rows or set(before.trials) <= set(now.trials):
        return ""
    if before.overrides != now.overrides:
        settings = " ".join(map(" ".join, as_options(before.overrides)))
        what = f"this spec with other settings ({settings or 'as in its file'})"
    elif before.dataset.sha256 != now.dataset.sha256:
        what = f"other data ({before.dataset.name}, sha256 {before.dataset.sha256[:12]})"
    else:
        return ""
    return (
        f"note    {folder} held {what}: its rows stay, but its table "
        "is this run's from now on; give the results another folder to keep both"
    )


def _hopeless(trials: Sequence[Task], rows: Mapping[str, TrialRecord]) -> dict[str, Counter[str]]:
    errors = defaultdict[str, Counter[str]](Counter)
    for trial in trials:
        row = rows.get(trial.key)
        errors[trial.label][row.error if row else ""] += 1
    return {label: each for label, each in errors.items() if "" not in each}
