"""`nmfrepro merge`: results of several machines or people as one folder."""

from __future__ import annotations

from pathlib import Path

import click

from ..core.errors import ResultsError
from ..core.terminal import counted, pasted
from ..results.merge import merge
from .options import PATH
from .verbs import Verb, echo


@click.command("merge", cls=Verb)
@click.argument("results", nargs=-1, required=True, type=PATH)
@click.option("--output", "-o", required=True, type=PATH, help="The folder to write; a new one.")
def merge_command(results: tuple[Path, ...], output: Path) -> None:
    """Join RESULTS… (folders of single runs) into one: the same draws of the same data, all columns together.

    Each machine may have run other columns (run --only), and each person methods of their own.
    A trial that several have counts once; where two results of one trial differ, nothing is written and it is
    named.
    """
    if len(results) < 2:
        raise ResultsError("merge needs two results folders or more; name them all")
    merged = merge(results, output)
    for folder, count in zip(results, merged.rows, strict=True):
        echo(f"{folder}: {counted(count, 'row')}")
    if merged.shared:
        echo(f"{counted(merged.shared, 'row')} stood in several of them and count once")
    there = f"{merged.present} of {counted(merged.planned, 'trial')}"
    echo(f"{merged.folder}: {there}; next: nmfrepro table {pasted(output)}")
