"""`nmfrepro leaderboard`: results as static pages."""

from __future__ import annotations

from pathlib import Path

import click

from ..core import files
from ..core.terminal import counted
from ..results.folder import folders_of
from ..views.leaderboard import pages
from .options import FOLDER, output, run_folders
from .verbs import Verb, echo


@click.command("leaderboard", cls=Verb)
@run_folders
@output("site", FOLDER, "The folder of the pages.")
def leaderboard_command(results: tuple[Path, ...], output: Path) -> None:
    """Write RESULTS… (a results root, or folders of single runs) as pages for a web server.

    Tables and pictures, a page of the methods, and every number with a link to its rows.  A number is shown
    as verified only if `nmfrepro verify` has computed all of its rows again, and they are still the same.
    """
    folders = folders_of(results)
    for name, text in pages(folders):
        files.replace(output / name, text)
    echo(f"{output / 'index.html'}: {counted(len(folders), 'experiment')}; open it in a browser")
