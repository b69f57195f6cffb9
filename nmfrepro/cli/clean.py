"""`nmfrepro clean`: drop rows that no spec asks for."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import click

from ..journal import Row
from ..store import Store, folders, read_run, read_trials


@click.command("clean")
@click.argument("results", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("--yes", "-y", is_flag=True, help="Do not ask.")
def clean_command(results: tuple[Path, ...], yes: bool) -> None:
    """Drop the rows of RESULTS… (results/NAME) that the spec it was last run with does not ask for.

    Such rows are of earlier settings.  They never enter a table; kept, they are found again when the spec is
    changed back.  Run the spec as it is to be before cleaning.
    """
    for folder in [each for path in results for each in folders(path)]:
        clean(folder, yes)


def clean(folder: Path, yes: bool) -> None:
    """Say what would be dropped from one folder, ask, and drop it."""
    rows, asked = read_trials(folder).by_key, set(read_run(folder)["trials"])
    unasked = [row for key, row in rows.items() if key not in asked]
    known = {*rows, *asked}
    stray = [path.stem for path in (folder / "arrays").glob("*.npz") if path.stem not in known]
    if not unasked and not stray:
        click.echo(f"{folder}: nothing to drop, all {len(rows)} rows are asked for")
        return
    left = len(rows) - len(unasked)
    click.echo(f"{folder}: {left} rows are asked for by the spec it was last run with")
    for kind, count in Counter(map(describe, unasked)).items():
        click.echo(f"  to drop: {count} rows of {kind}")
    if stray:
        click.echo(f"  to drop: {len(stray)} files in arrays/ without a row")
    if not yes:
        click.confirm("Drop them?", abort=True)
    with Store(folder) as store:
        # Another run may have asked for some of them meanwhile.
        keys = {*(row["key"] for row in unasked), *stray} - set(store.run["trials"])
        store.drop(keys)
    click.echo(f"  dropped; {left} rows are left")


def describe(row: Row) -> str:
    """What tells a row's settings, as far as the row itself does."""
    ended = f"{row.get('n_iter')} iterations" if row["status"] == "ok" else "failed"
    return f"{row['label']}: {row.get('parameters')}, seed {row.get('seed')}, {ended}"
