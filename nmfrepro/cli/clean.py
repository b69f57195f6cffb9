"""`nmfrepro clean`: drop rows that no spec asks for."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

import click

from ..core.terminal import counted
from ..results.folder import read_run, read_trials
from ..results.record import TrialRecord
from ..results.store import Store
from .options import PATH, runs
from .verbs import Verb, echo


@click.command("clean", cls=Verb)
@click.argument("results", nargs=-1, required=True, type=PATH)
@click.option("--yes", "-y", is_flag=True, help="Do not ask.")
def clean_command(results: tuple[Path, ...], yes: bool) -> None:
    """Drop the rows of RESULTS… (results/NAME) that the spec it was last run with does not ask for.

    Such rows are of earlier settings.  They never enter a table; kept, they are found again when the spec is
    changed back.  Run the spec as it is to be before cleaning.  Answering no keeps them all, and is no
    failure: the exit code is 0.
    """
    for folder in runs(results):
        clean(folder, yes)


def clean(folder: Path, yes: bool) -> None:
    """Say what would be dropped from one folder, ask, and drop it."""
    rows, asked = read_trials(folder).by_key, set(read_run(folder).trials)
    unasked = [row for key, row in rows.items() if key not in asked]
    known = {*rows, *asked}
    stray = [path.stem for path in (folder / "arrays").glob("*.npz") if path.stem not in known]
    if not unasked and not stray:
        every = "its only row is" if len(rows) == 1 else f"all {len(rows)} rows are"
        echo(f"{folder}: nothing to drop, {every} asked for")
        return
    left = len(rows) - len(unasked)
    echo(f"{folder}: {are(left)} asked for by the spec it was last run with")
    for settings, group in by_settings(unasked).items():
        echo(f"  to drop: {counted(len(group), 'row')} of {settings}, {ends(group)}")
    if stray:
        echo(f"  to drop: {counted(len(stray), 'file')} in arrays/ without a row")
    if not yes and not click.confirm("Drop them?"):
        echo("  nothing removed")
        return
    with Store(folder) as store:
        # Another run may have asked for some of them meanwhile.
        keys = {*(row.key for row in unasked), *stray} - set(store.run.trials)
        store.drop(keys)
    echo(f"  dropped; {are(left)} left")


def by_settings(rows: Iterable[TrialRecord]) -> dict[str, list[TrialRecord]]:
    """The rows of each setting, as far as a row itself tells it."""
    groups: dict[str, list[TrialRecord]] = {}
    for row in rows:
        settings = f"{row.label}: {row.parameters}, seed {row.seed}"
        groups.setdefault(settings, []).append(row)
    return groups


def ends(rows: Sequence[TrialRecord]) -> str:
    """How the trials of a group ended: the iterations they took, and how many failed."""
    took = sorted({row.n_iter for row in rows if row.n_iter is not None})
    failed = sum(row.failed for row in rows)
    said = []
    if took:
        one = len(took) == 1
        said.append(counted(took[0], "iteration") if one else f"{took[0]} to {took[-1]} iterations")
    if failed:
        said.append(f"{failed} failed" if took else "failed")
    return ", ".join(said)


def are(count: int) -> str:
    """So many rows, with the verb."""
    return f"{counted(count, 'row')} {'is' if count == 1 else 'are'}"
