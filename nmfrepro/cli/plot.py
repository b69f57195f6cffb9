"""`nmfrepro plot`: the pictures of runs."""

from __future__ import annotations

from collections import Counter
from contextlib import suppress
from pathlib import Path
from typing import Any

import click

from ..results.folder import folders_of, read
from ..results.marks import FORMATS
from .options import FOLDER, PATH, metrics
from .verbs import Number, Verb, Word, echo, refuse


def centimetres(ctx: click.Context, param: click.Parameter, value: str | None) -> float | str | None:
    """A number where it is one."""
    with suppress(TypeError, ValueError):
        return float(value or "")
    return value


@click.command("plot", cls=Verb)
@click.argument("results", nargs=-1, required=True, type=PATH)
@click.option(
    "--output",
    "-o",
    type=FOLDER,
    metavar="DIR",
    help="Where to write; of several runs, each into a folder of its own there [default: RUN/figures].",
)
@click.option("--format", "-f", "form", type=Word(FORMATS), default="png", help="Kind of the files.")
@metrics
@click.option("--no-title", is_flag=True, help="Leave out the heading, for a caption to say it.")
@click.option("--log", "logarithmic", is_flag=True, help="Draw the objective on a logarithmic axis.")
@click.option(
    "--width",
    callback=centimetres,
    metavar="single|double|CM",
    help="Width of every picture: a journal's column (8.9 cm), its page (18.2 cm), or centimetres.",
)
@click.option("--font-size", type=Number(4, 40), default=9.0, help="In points.")
@click.option(
    "--highlight",
    multiple=True,
    metavar="NAME",
    help="A method that stands before the others (* and ? allowed) [default: those of plug-ins].",
)
def plot_command(results: tuple[Path, ...], output: Path | None, no_title: bool, **options: Any) -> None:
    """Draw the pictures of RESULTS… (folders of single runs, or a results root) and print their files.

    What there is to draw depends on the run: its metrics against the number of clusters with the published
    points, sweeps, convergence curves, accuracy against dimension, running times, bases and encodings, ranks.
    Pictures of other rows or settings that are drawn no more are removed from RUN/figures, and named.
    """
    from ..views.plots import draw

    folders = folders_of(results)
    for name, count in Counter(folder.name for folder in folders).items():
        if output is not None and count > 1:
            refuse(f"{count} folders are called {name} and would share one in {output}; draw them one by one")
    for folder in folders:
        target = folder / "figures"
        if output is not None:
            target = output / folder.name if len(folders) > 1 else output
        written, removed = draw(read(folder), target, title=not no_title, **options)
        for path in written:
            echo(str(path))
        for path in removed:
            echo(f"Removed, made of other rows or settings and drawn no more: {path}", err=True)
