"""`nmfrepro clean`: drop rows that no spec asks for."""

from __future__ import annotations

from pathlib import Path

import click

from ..results.folder import folders_of
from ..results.unasked import unasked
from ..views.unasked import are, listing
from .options import PATH
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
    for folder in folders_of(results):
        leftover = unasked(folder)
        echo("\n".join(listing(leftover)))
        if not leftover.rows and not leftover.stray:
            continue
        if yes or click.confirm("Drop them? (--yes does not ask)"):
            leftover.drop()
            echo(f"  dropped; {are(leftover.asked)} left")
        else:
            echo("  nothing removed")
