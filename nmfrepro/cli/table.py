"""`nmfrepro table`: results in the papers' layout."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from itertools import chain, repeat
from pathlib import Path

import click

from ..analysis.significance.marking import marked, too_few
from ..analysis.tables import Table, make_table
from ..analysis.tables.joined import join_tables, names_of
from ..analysis.tables.notes import EXTENTS
from ..results.folder import Results, folders_of, read
from ..results.marks import outdated
from ..views import tables as tabletext
from .options import metrics, of_each, printed_as, run_folders, select, selecting
from .verbs import Verb, Word, echo, keep, refuse


@click.command("table", cls=Verb)
@run_folders
@printed_as(["md", "csv", "latex"])
@metrics
@select
@click.option("--digits", type=click.IntRange(0, 6), default=1, help="Decimals of percents.")
@click.option(
    "--notes",
    type=Word(EXTENTS),
    default="full",
    help="Short, as for a paper: data, settings of fits and marks, without definitions, what fits noted and "
    "the processor.",
)
@click.option("--transpose", is_flag=True, help="Methods down instead of across, or the other way round.")
@click.option(
    "--mark",
    metavar="NAME",
    help="Mark what is significantly better (↑) or worse (↓) than this column (Wilcoxon, Holm, 0.05).",
)
@click.option("--caption", metavar="TEXT", help="Of the LaTeX table [default: the run's title].")
@click.option("--label", metavar="NAME", help="Of the LaTeX table, for \\ref.")
@click.option(
    "--beside",
    "together",
    is_flag=True,
    help="All runs in one table, under their datasets; it is only printed.",
)
def table_command(
    results: tuple[Path, ...],
    form: str | None,
    metrics: tuple[str, ...],
    select: str,
    digits: int,
    notes: str,
    transpose: bool,
    mark: str | None,
    caption: str | None,
    label: str | None,
    together: bool,
) -> None:
    """Print the tables of RESULTS… (a results root, or folders of single runs).

    table.md and table.csv in each run's folder are made anew, with the run's own metrics and all notes
    whatever is printed (table.tex is what --format latex prints).  Of several runs those that have no table
    are named, and the exit code is then 1.
    """
    if form != "latex" and (caption or label):
        refuse(f"--{'caption' if caption else 'label'} is for LaTeX; give --format latex too")
    if mark is not None and form == "csv":
        echo("CSV has no marks; --mark shows in markdown and LaTeX", err=True)
    if label and not re.fullmatch(r"[A-Za-z0-9:._/+-]+", label):
        refuse(f"--label {label!r}: letters, digits and :._/+- make a label, as tab:orl")
    writers: dict[str | None, Callable[[Table], str]] = {
        None: lambda table: tabletext.markdown(table, digits, escaped=False),
        "md": lambda table: tabletext.markdown(table, digits),
        "csv": tabletext.tidy_csv,
        "latex": lambda table: tabletext.latex(table, digits, caption, label),
    }

    folders, gaps = folders_of(results), chain([""], repeat("\n"))
    if label and len(folders) > 1 and not together:
        refuse(f"--label is for one table; {len(folders)} runs make {len(folders)}")

    def made(folder: Path) -> tuple[Results, Table]:
        run = read(folder)
        table = make_table(run, metrics or None, select, extent=notes, transposed=transpose)
        selecting(select, [run])
        if mark is not None:
            table = marked(table, mark)
            if not table.notes and (few := too_few(table, mark)):
                echo(f"{run.folder}: {few}", err=True)
        if not together:
            echo(next(gaps) + writers[form](table))
            # A file that lies beside the rows says all that a reader must know.
            whole = make_table(run)
            kept = {"table.md": tabletext.markdown(whole), "table.csv": tabletext.tidy_csv(whole)}
            keep(run.folder, kept | ({"table.tex": writers["latex"](table)} if form == "latex" else {}))
            if warning := outdated(run):
                echo(warning, err=True)
        return run, table

    tables, code = of_each(folders, made)
    if together:
        names = names_of([run for run, _ in tables])
        echo(writers[form](join_tables(dict(zip(names, (table for _, table in tables), strict=True)))))
    sys.exit(code)
