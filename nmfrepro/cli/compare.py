"""`nmfrepro compare`: published against reproduced, or one run against another."""

from __future__ import annotations

import sys
from itertools import chain, repeat
from pathlib import Path

import click

from ..results.folder import folders, read
from ..results.marks import MARK, state
from ..views import document
from ..views.comparison import of_published, of_runs
from .options import PATH, of_each, select, selecting
from .verbs import Verb, echo, keep, refuse


@click.command("compare", cls=Verb)
@click.argument("results", type=PATH, default=Path("results"))
@click.argument("other", type=PATH, required=False)
@click.option("--published", metavar="NAME", help="The published table [default: the one the spec names].")
@select
def compare_command(results: Path, other: Path | None, published: str | None, select: str) -> None:
    """Compare RESULTS with the published numbers, cell by cell, or with the results in OTHER.

    Against published numbers, RESULTS may be a results root with several runs, and compare.md is written
    into each run's folder.  Runs that cannot be compared are then named, and the exit code is 1.
    """
    if other is not None:
        if published is not None:
            refuse("--published is for one folder; two folders are compared with each other")
        first, second = read(results), read(other)
        selecting(select, [first, second])
        echo(document.markdown(of_runs(first, second, select), escaped=False))
        return
    found, gaps = folders(results), chain([""], repeat("\n\n"))

    def compare(folder: Path) -> None:
        opened = read(folder)
        if len(found) > 1 and published is None and not opened.run.spec.published:
            echo(f"{folder}: names no published table, left out", err=True)
            return
        selecting(select, [opened])
        comparison = of_published(opened, published, select)
        echo(next(gaps) + document.markdown(comparison, escaped=False))
        stamp = f"<!-- {MARK} {state(opened)} -->"
        keep(folder, {"compare.md": f"{document.markdown(comparison)}\n{stamp}\n"})

    sys.exit(of_each(found, compare)[1])
