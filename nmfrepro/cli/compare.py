"""`nmfrepro compare`: published against reproduced, or one run against another."""

from __future__ import annotations

from pathlib import Path

import click

from .. import papers
from ..analysis.compare import compare_published, compare_runs, is_smoke, unjudged, used_for_choosing
from ..analysis.compare.control import negative_control
from ..analysis.tables.notes import data, fits, inputs, replaced
from ..results.folder import Results, folders, read
from ..results.marks import MARK, state
from ..views import document
from ..views.comparison import document as compared
from ..views.comparison import run_notes
from .options import PATH, select
from .verbs import Verb, echo, keep, refuse


@click.command("compare", cls=Verb)
@click.argument("results", type=PATH, default=Path("results"))
@click.argument("other", type=PATH, required=False)
@click.option("--published", metavar="NAME", help="The published table [default: the one the spec names].")
@select
def compare_command(results: Path, other: Path | None, published: str | None, select: str) -> None:
    """Compare RESULTS with the published numbers, cell by cell, or with the results in OTHER.

    Against published numbers, RESULTS may be a results root with several runs, and compare.md is written
    into each run's folder.
    """
    if other is not None:
        if published is not None:
            refuse("--published is for one folder; two folders are compared with each other")
        echo(document.markdown(of_two_runs(read(results), read(other), select), escaped=False))
        return
    several = folders(results)
    for folder in several:
        run = read(folder)
        if len(several) > 1 and published is None and not run.run.published:
            echo(f"{folder}: names no published table, left out", err=True)
            continue
        comparison = against_published(run, published, select)
        if folder != several[0]:
            echo("\n")
        echo(document.markdown(comparison, escaped=False))
        keep(folder, {"compare.md": f"{document.markdown(comparison)}\n<!-- {MARK} {state(run)} -->\n"})


def against_published(results: Results, name: str | None, select: str) -> document.Document:
    """The comparison of a run with a published table."""
    comparisons = compare_published(results, name, select)
    chosen = name or results.run.published or ""
    source = papers.load(chosen).source
    notes = run_notes(results.run, select, source.notes, used_for_choosing(results, chosen))
    title = f"{results.run.title}: published and reproduced"
    why, control = unjudged(results, source), negative_control(comparisons)
    return compared(title, comparisons, ("published", "reproduced"), notes, why, control)


def of_two_runs(first: Results, second: Results, select: str) -> document.Document:
    """The comparison of two runs."""
    comparisons = compare_runs(first, second, select)
    ours, theirs = data_and_settings(first), data_and_settings(second)
    notes = [f"Both: {line}" for line in ours if line in theirs]
    notes += [f"First: {line}" for line in ours if line not in theirs]
    notes += [f"Second: {line}" for line in theirs if line not in ours]
    why = is_smoke(first) or is_smoke(second)
    title, control = f"{first.folder} and {second.folder}", negative_control(comparisons)
    return compared(title, comparisons, ("first", "second"), notes, why, control)


def data_and_settings(results: Results) -> list[str]:
    """Data and settings of a run, a line each."""
    run = results.run
    return [data(run), *inputs(run), *replaced(run), *fits(run)]
