"""`nmfrepro rows`: the rows behind a table cell."""

from __future__ import annotations

from pathlib import Path

import click

from ..results.folder import read
from ..views.rows import listing
from .options import column, metrics, run_folder, where
from .verbs import Verb, Word, echo


@click.command("rows", cls=Verb)
@run_folder
@click.option("--k", type=int, help="Only this k; other coordinates by --where.")
@where
@column
@click.option("--status", type=Word(["ok", "failed", "missing"]), help="Only rows like this.")
@metrics
def rows_command(
    results: Path,
    k: int | None,
    where: tuple[str, ...],
    algorithm: str | None,
    status: str | None,
    metrics: tuple[str, ...],
) -> None:
    """List the trials of RESULTS, one run's folder, with what the table makes of them.

    Metrics are in percent, as in tables; trials.csv holds fractions.
    """
    at = where if k is None else (*where, f"k={k}")
    echo("\n".join(listing(read(results), at, algorithm, status, metrics)))
