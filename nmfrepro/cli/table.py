"""`nmfrepro table`: results in the papers' layout."""

from __future__ import annotations

from pathlib import Path

import click

from .. import files, store
from ..errors import ResultsError
from ..tables import Table, make_table
from ..tables import text as tabletext

WRITERS = {
    "md": tabletext.markdown,
    "csv": lambda table, digits: tabletext.tidy_csv(table),
    "latex": tabletext.latex,
}


@click.command("table")
@click.argument("results", nargs=-1, type=click.Path(path_type=Path), default=(Path("results"),))
@click.option("--format", "-f", "form", type=click.Choice(list(WRITERS)), default="md", show_default=True)
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
    type=click.Choice(["test", "validation"]),
    default="test",
    show_default=True,
    help="What the best dimension of a recognition table is chosen by.",
)
@click.option(
    "--digits", type=click.IntRange(0, 6), default=1, show_default=True, help="Decimals of percents."
)
def table_command(
    results: tuple[Path, ...], form: str, metrics: tuple[str, ...], select: str, digits: int
) -> None:
    """Print the tables of RESULTS… (a results root, or folders of single runs).

    table.md and table.csv are written into each run's folder (and table.tex with --format latex).
    """
    for number, folder in enumerate(each for path in results for each in store.folders(path)):
        table = make_table(store.read(folder), metrics or None, select)
        if number:
            show("\n")
        show(WRITERS[form](table, digits))
        write(folder, table, form, digits)


def write(folder: Path, table: Table, form: str, digits: int) -> None:
    """Write the table's files; in a folder that cannot be written, say so and go on."""
    contents = {"table.md": tabletext.markdown(table, digits), "table.csv": tabletext.tidy_csv(table)}
    if form == "latex":
        contents["table.tex"] = tabletext.latex(table, digits)
    try:
        for name, text in contents.items():
            files.replace(folder / name, text)
    except ResultsError as error:
        click.echo(f"Not kept: {error}", err=True)


def show(text: str) -> None:
    """Print text as UTF-8, whatever the terminal's locale claims."""
    click.echo(text.encode(), nl=not text.endswith("\n"))
