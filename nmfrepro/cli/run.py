"""`nmfrepro run`: execute specs."""

from __future__ import annotations

import sys
from functools import partial
from pathlib import Path

import click

from ..runs import RunOptions, prepare, read_specs, run
from ..runs.against import NOTHING_STORED, find_stored
from ..runs.estimate import estimate
from ..runs.plan import select
from ..views import runs as runtext
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
    running trials, twice stops now, and so does SIGTERM once (of `timeout` or a batch system).  Exit code: 0
    all trials present, 1 some failed or missing, 2 bad input or results that cannot be written, 130
    interrupted, 143 by SIGTERM.
    """
    if dry_run and (submit or dask):
        elsewhere = "--submit" if submit else "--dask"
        refuse(f"--dry-run estimates what workers on this machine would take: leave it out, or {elsewhere}")
    # All specs are read and all data loaded before any work starts.
    ready = [prepare(each, data_dir) for each in read_specs(specs, overrides, smoke, also, results)]
    taken = [find_stored(each, against) if against else NOTHING_STORED for each in ready]
    for each in ready:
        select(each.plan, only)  # what matches nothing is told before any work, too
    options = RunOptions(jobs=jobs, dask=dask, submit=submit, only=only, fresh=fresh, keep_failed=keep_failed)
    code = 0
    for prepared, stored in zip(ready, taken, strict=True):
        say(runtext.headline(prepared), quiet)
        if dry_run:
            echo(runtext.preview(estimate(prepared, results, options, stored)))
            continue
        summary = run(
            prepared,
            results,
            options,
            stored=stored,
            announce=partial(say, quiet=quiet),
            progress=not quiet and sys.stderr is not None,
        )
        say(runtext.ending(summary), quiet and summary.complete)
        if profile:
            echo(runtext.profile(summary))
        if summary.interrupted:
            sys.exit(128 + summary.interrupted)
        code = max(code, 0 if summary.complete else 1)
    sys.exit(code)


def say(text: str, quiet: bool = False) -> None:
    """Tell the user, above a progress bar if there is one."""
    from tqdm import tqdm

    if not quiet and sys.stderr is not None:
        tqdm.write(text, file=sys.stderr)
