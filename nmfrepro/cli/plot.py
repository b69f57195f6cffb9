"""`nmfrepro plot`: the pictures of runs."""

from __future__ import annotations

from pathlib import Path

import click

from ..results.folder import folders, read
from .verbs import Verb, Word, echo


@click.command("plot", cls=Verb)
@click.argument("results", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option(
    "--output",
    "-o",
    type=click.Path(path_type=Path, file_okay=False),
    metavar="DIR",
    help="Where to write; of several runs, each into a folder of its own there [default: RUN/figures].",
)
@click.option("--format", "-f", "form", type=Word(["png", "pdf"]), default="png", show_default=True)
@click.option("--log", "logarithmic", is_flag=True, help="Draw the objective on a logarithmic axis.")
def plot_command(results: tuple[Path, ...], output: Path | None, form: str, logarithmic: bool) -> None:
    """Draw the pictures of RESULTS… (folders of single runs, or a results root) and print their files.

    What there is to draw depends on the run: its metrics against the number of clusters with the published
    points, sweeps, convergence curves, accuracy against dimension, running times, bases and encodings, ranks.
    """
    from ..views.plots import draw

    runs = [folder for path in results for folder in folders(path)]
    for folder in runs:
        target = folder / "figures" if output is None else output
        if output is not None and len(runs) > 1:
            target = output / folder.name
        for path in draw(read(folder), target, form, logarithmic):
            echo(str(path))
