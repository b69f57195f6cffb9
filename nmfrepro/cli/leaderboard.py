"""`nmfrepro leaderboard`: results as static pages."""

from __future__ import annotations

from pathlib import Path

import click

from ..results.folder import folders_of
from ..views.leaderboard import pages
from ..views.report import collect
from ..views.report.page import write_page
from .options import FOLDER, output, page_made, run_folders
from .verbs import Verb


@click.command("leaderboard", cls=Verb)
@run_folders
@output("site", FOLDER, "The folder of the pages.")
def leaderboard_command(results: tuple[Path, ...], output: Path) -> None:
    """Write RESULTS… (a results root, or folders of single runs) as pages for a web server.

    Tables and pictures, a page of the methods, and every number with a link to its rows.  A number is shown
    as verified only if `nmfrepro verify` has computed all of its rows again, and they are still the same.  A
    folder that cannot be read is left out and named on the first page, and the exit code is then 1.
    """
    experiments = collect(folders_of(results))
    for name, text in pages(experiments):
        write_page(output / name, text)
    page_made(output / "index.html", experiments)
