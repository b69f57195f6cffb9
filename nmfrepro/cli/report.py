"""`nmfrepro report`: everything on one page."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from ..core import files
from ..core.errors import ResultsError
from ..core.terminal import counted, pasted, safe
from ..results.folder import folders
from ..views.report import collect, render
from .verbs import Verb, Word, echo


@click.command("report", cls=Verb)
@click.argument("results", nargs=-1, type=click.Path(path_type=Path))
@click.option(
    "--output",
    "-o",
    type=click.Path(path_type=Path, dir_okay=False),
    default=Path("report.html"),
    show_default=True,
    help="The page to write; its folder must exist.",
)
@click.option("--title", default="nmfrepro report", show_default=True, help="The page's title.")
@click.option(
    "--select",
    type=Word(["test", "validation"]),
    default="test",
    show_default=True,
    help="What the best dimension of a recognition table is chosen by.",
)
def report_command(results: tuple[Path, ...], output: Path, title: str, select: str) -> None:
    """Write the results in RESULTS… (a results root, or folders of single runs) as one HTML page.

    By paper, the claims first: tables with the published numbers below the reproduced ones, charts that
    answer a pointer, pictures that `nmfrepro plot` has drawn, settings, provenance, how to run it again.  The
    page needs no network, prints, and fits a small window.  Nothing is computed.  A folder that cannot
    be read is named on the page, and the exit code is then 1.
    """
    if not output.parent.is_dir():
        raise ResultsError(f"{output.parent} is no folder; make it first (mkdir -p {pasted(output.parent)})")
    found = dict.fromkeys(each for path in results or [Path("results")] for each in folders(path))
    experiments = collect(list(found), select)
    page = render(experiments, title)
    files.replace(output, safe(page))
    broken = [each for each in experiments if each.problem]
    for each in broken:
        echo(each.problem, err=True)
    count = counted(len(experiments), "experiment")
    echo(f"{output}: {count}, {len(page.encode()) / 1e6:.1f} MB; open it in a browser")
    sys.exit(1 if broken else 0)
