"""`nmfrepro table`: results in the papers' layout."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import click

from ..analysis.tables import Table, make_table
from ..analysis.tables.beside import beside
from ..core import files
from ..core.errors import ResultsError
from ..core.terminal import safe
from ..results.folder import Results, folders, read
from ..results.marks import outdated
from ..views import tables as tabletext
from .verbs import Verb, Word, echo

WRITERS = {
    "md": tabletext.markdown,
    "csv": lambda table, digits: tabletext.tidy_csv(table),
    "latex": tabletext.latex,
}


@click.command("table", cls=Verb)
@click.argument("results", nargs=-1, type=click.Path(path_type=Path))
@click.option("--format", "-f", "form", type=Word(list(WRITERS)), default="md", show_default=True)
@click.option(
    "--metric",
    "-m",
    "metrics",
    multiple=True,
    metavar="NAME",
    help="Show these instead of the run's own choice.",
)
@click.option(
    "--select",
    type=Word(["test", "validation"]),
    default="test",
    show_default=True,
    help="What the best dimension of a recognition table is chosen by.",
)
@click.option(
    "--digits", type=click.IntRange(0, 6), default=1, show_default=True, help="Decimals of percents."
)
@click.option(
    "--beside",
    "together",
    is_flag=True,
    help="All runs in one table, under their datasets; it is only printed.",
)
def table_command(
    results: tuple[Path, ...], form: str, metrics: tuple[str, ...], select: str, digits: int, together: bool
) -> None:
    """Print the tables of RESULTS… (a results root, or folders of single runs).

    table.md and table.csv are written into each run's folder (and table.tex with --format latex).
    """
    found = [each for path in results or [Path("results")] for each in folders(path)]
    if together:
        runs = [read(folder) for folder in found]
        named = dict(zip(headings(runs), runs, strict=True))
        joined = {name: make_table(run, metrics or None, select) for name, run in named.items()}
        echo(WRITERS[form](beside(joined), digits))
        return
    for number, folder in enumerate(found):
        run = read(folder)
        table = make_table(run, metrics or None, select)
        if number:
            echo("\n")
        echo(WRITERS[form](table, digits))
        write(folder, table, form, digits)
        if said := outdated(run):
            echo(said, err=True)


def headings(runs: Sequence[Results]) -> list[str]:
    """What tells runs apart: their datasets; the runs' own names where two share one; else their folders."""
    names = [run.run.name for run in runs]
    datasets = [run.run.dataset.name or run.run.name for run in runs]
    paths = [str(run.folder) for run in runs]
    return next((each for each in (datasets, names) if len(set(each)) == len(runs)), paths)


def write(folder: Path, table: Table, form: str, digits: int) -> None:
    """Write the table's files; in a folder that cannot be written, say so and go on."""
    contents = {"table.md": tabletext.markdown(table, digits), "table.csv": tabletext.tidy_csv(table)}
    if form == "latex":
        contents["table.tex"] = tabletext.latex(table, digits)
    try:
        for name, text in contents.items():
            files.replace(folder / name, safe(text))
    except ResultsError as error:
        echo(f"Not kept: {error}", err=True)
