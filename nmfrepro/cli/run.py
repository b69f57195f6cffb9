"""`nmfrepro run`: execute specs."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path

import click

from ..core.errors import ResultsError, SpecError
from ..core.terminal import counted, pasted
from ..registry import plugins
from ..results.folder import read_run, read_trials
from ..runs import Prepared, Stored, Summary, missing, prepare, run
from ..runs.against import find_stored
from ..runs.plan import select
from ..runs.progress import Shown, duration
from ..spec import SMOKE, Spec
from ..spec.reader import find_spec, read_spec
from .options import data_dir, jobs, overrides, results_root, specs
from .verbs import Verb, echo, refuse


@click.command("run", cls=Verb)
@specs
@jobs
@click.option(
    "--dask",
    metavar="ADDRESS",
    help="Run on the workers of this Dask cluster, tcp://host:8786; needs the package distributed.",
)
@click.option(
    "--submit",
    metavar="SYSTEM[,KEY=VALUE…]",
    help="Run in jobs of a batch system, as many as --jobs: slurm,slurm_partition=cpu,timeout_min=120; needs "
    "the package submitit.",
)
@results_root
@data_dir
@overrides
@click.option(
    "--also", multiple=True, metavar="METHOD", help="Add a column: my_nmf, or '{name: my_nmf, lam: 1}'."
)
@click.option(
    "--against",
    metavar="RESULTS",
    help="Take the rows that are stored there and compute only the others: reference (those that come with "
    "nmfrepro), or a folder.",
)
@click.option("--only", multiple=True, metavar="NAME", help="Run only these columns (* and ? allowed).")
@click.option(
    "--smoke", is_flag=True, help="Shrink everything to seconds; same code path, own results folder."
)
@click.option("--fresh", is_flag=True, help="Compute everything anew; old rows are set aside.")
@click.option("--keep-failed", is_flag=True, help="Do not try failed trials again.")
@click.option("--dry-run", is_flag=True, help="Say what would run and how long it would take.")
@click.option("--profile", is_flag=True, help="Say where the time went.")
@click.option("--quiet", "-q", is_flag=True, help="Only errors.")
def run_command(
    specs: tuple[str, ...],
    jobs: int | None,
    dask: str | None,
    submit: str | None,
    results: Path,
    data_dir: Path | None,
    overrides: tuple[str, ...],
    also: tuple[str, ...],
    against: str | None,
    only: tuple[str, ...],
    smoke: bool,
    fresh: bool,
    keep_failed: bool,
    dry_run: bool,
    profile: bool,
    quiet: bool,
) -> None:
    """Run the experiments of SPEC… (files, or names from `nmfrepro list experiments`).

    Finished trials are kept at once; started again, a run goes on where it was.  Ctrl-C once finishes the
    running trials, twice stops now.  Exit code: 0 all trials present, 1 some failed, 2 bad input or results
    that cannot be written, 130 interrupted.
    """
    if submit and dask:
        refuse("--submit and --dask are two ways: leave one of them out")
    if jobs and dask:
        refuse("--jobs is for workers on this machine: leave it out, or --dask")
    if dry_run and (submit or dask):
        elsewhere = "--submit" if submit else "--dask"
        refuse(f"--dry-run estimates what workers on this machine would take: leave it out, or {elsewhere}")
    # All specs are read and all data loaded before any work starts.
    ready = [prepare(each, data_dir) for each in read_all(specs, overrides, smoke, also, results)]
    found = [find_stored(each, against, only) if against else None for each in ready]
    for each in ready:
        select(each.plan, only)  # what matches nothing is told before any work, too
    code = 0
    for prepared, stored in zip(ready, found, strict=True):
        say(headline(prepared), quiet)
        if dry_run:
            preview(prepared, results, jobs, only, fresh, keep_failed, stored)
            continue
        summary = run(
            prepared,
            results,
            jobs=jobs,
            dask=dask,
            submit=submit,
            only=only,
            fresh=fresh,
            keep_failed=keep_failed,
            stored=stored,
            announce=partial(say, quiet=quiet),
            progress=None if quiet or sys.stderr is None else partial(Shown, prepared.spec.name),
        )
        say(ending(summary), quiet)
        if profile:
            echo(profile_table(summary))
        if summary.interrupted:
            sys.exit(130)
        code = max(code, 1 if summary.failed else 0)
    sys.exit(code)


def read_all(
    names: Sequence[str], overrides: Sequence[str], smoke: bool, also: Sequence[str], results: Path
) -> list[Spec]:
    """The specs that a user names; no two may share a results folder."""
    found = [_read(find_spec(each), overrides, smoke, also, results) for each in names]
    for name, count in Counter(spec.name for spec in found).items():
        if count > 1:
            raise SpecError(f"{count} specs are called {name} and would share a results folder; rename one")
    return found


def _read(path: Path, overrides: Sequence[str], smoke: bool, also: Sequence[str], results: Path) -> Spec:
    """A spec; the error names the plug-in where earlier results have from one what is unknown now."""
    try:
        return read_spec(path, overrides, smoke, also)
    except SpecError as error:
        for folder in (results / path.stem, results / f"{path.stem}{SMOKE}"):
            with suppress(ResultsError):  # nothing was run yet
                before = read_run(folder)
                if remedy := plugins.lacking(before.environment.plugins, before.names, error):
                    raise SpecError(f"{path}: {folder} was {remedy}") from None
        raise


def say(text: str, quiet: bool = False) -> None:
    """Tell the user, above a progress bar if there is one."""
    from tqdm import tqdm

    if not quiet and sys.stderr is not None:
        tqdm.write(text, file=sys.stderr)


def headline(prepared: Prepared) -> str:
    """What is about to run, on which data."""
    spec, dataset = prepared.spec, prepared.dataset
    size = f"{len(dataset.X)} images, {len(dataset.classes)} classes, sha256 {dataset.sha256[:12]}"
    lines = [f"{spec.name}: {spec.title}", f"  data    {dataset.origin} ({size})"]
    return "\n".join([*lines, *(f"  note    {note}" for note in dataset.notes)])


def ending(summary: Summary) -> str:
    """How the run ended and what to do next."""
    failed = f", {summary.failed} failed" if summary.failed else ""
    state = "Interrupted: " if summary.interrupted else ""
    lines = [
        f"  {state}{summary.present} of {summary.planned} trials{failed} "
        f"({summary.computed} computed in {duration(summary.seconds)})"
    ]
    for reasons in dict.fromkeys(each.reasons for each in summary.hopeless.values()):
        counts = {label: it.trials for label, it in summary.hopeless.items() if it.reasons == reasons}
        total = sum(counts.values())
        trials = f"all {total} trials" if total > 1 else "the trial"
        more = f" (and {counted(len(reasons) - 1, 'other reason')})" if len(reasons) > 1 else ""
        lines.append(f"  {trials} of {', '.join(counts)} failed: {reasons[0]}{more}")
    if summary.failed > sum(each.trials for each in summary.hopeless.values() if len(each.reasons) == 1):
        lines.append(f"  reasons: nmfrepro rows {pasted(summary.folder)} --status failed")
    if summary.planned > summary.present + summary.failed:
        lines.append("  the same command goes on where this one stopped")
    elif summary.left:
        lines.append(f"  {summary.left} trials of other columns are not run yet; leave --only out for them")
    else:
        lines.append(f"  next: nmfrepro table {pasted(summary.folder)}")
    return "\n".join(lines)


def profile_table(summary: Summary) -> str:
    """Seconds by phase over all computed trials."""
    total = summary.phases.get("all", 0.0)
    known = {phase: seconds for phase, seconds in summary.phases.items() if phase != "all"}
    known["other"] = max(total - sum(known.values()), 0.0)
    lines = [
        f"  {phase:<8}{seconds:10.2f} s {100 * seconds / (total or 1):6.1f} %"
        for phase, seconds in known.items()
    ]
    lines += [f"  {'trials':<8}{total:10.2f} s in workers, {summary.seconds:.2f} s of wall time"]
    return "\n".join(lines)


def preview(
    prepared: Prepared,
    results: Path,
    jobs: int | None,
    only: Sequence[str],
    fresh: bool,
    keep_failed: bool,
    stored: Stored | None = None,
) -> None:
    """Print what would run and an estimate of the time; nothing is written."""
    from ..runs.estimate import seconds_per_trial, wall_seconds

    folder = results / prepared.spec.name
    wanted = select(prepared.plan, only)
    before = None
    with suppress(ResultsError):  # nothing was run yet, or run.json is damaged: a run would go on
        before = read_run(folder)
    rows = {} if fresh else read_trials(folder, before).by_key
    for line in stored.told if stored else ():
        echo(f"  {line}")
    for _, taken in stored.taken if stored else ():
        rows = {row.key: row for row in taken} | {key: row for key, row in rows.items() if row.ok}
    todo = missing(prepared, wanted, rows, folder, keep_failed)
    seconds = seconds_per_trial(todo, prepared.spec.protocol, prepared.samples)
    for label, count in Counter(trial.label for trial in todo).items():
        total = sum(seconds[trial.key] for trial in todo if trial.label == label)
        echo(f"  {label:<24}{count:6d} trials  about {duration(total)} of one core")
    workers = prepared.workers(jobs)
    wall = duration(wall_seconds([seconds[trial.key] for trial in todo], workers))
    echo(
        f"  {len(todo)} trials to run, {len(wanted) - len(todo)} already there; "
        f"about {wall} with {counted(workers, 'worker')} (estimated from short probes)"
    )
