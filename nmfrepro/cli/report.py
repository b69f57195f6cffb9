"""`nmfrepro report`: everything on one page."""

from __future__ import annotations

from pathlib import Path

import click

from ..core.terminal import sized
from ..results.folder import folders_of
from ..views.report import collect, render
from ..views.report.page import require_folder, write_page
from .options import FILE, output, page_made, run_folders, select
from .verbs import Verb


@click.command("report", cls=Verb)
@run_folders
@output("report.html", FILE, "The page to write; its folder must exist.")
@click.option("--title", default="nmfrepro report", help="The page's title.")
@select
def report_command(results: tuple[Path, ...], output: Path, title: str, select: str) -> None:
    """Write the results in RESULTS… (a results root, or folders of single runs) as one HTML page.

    By paper, the claims first: tables with the published numbers below the reproduced ones, charts that
    answer a pointer, pictures that `nmfrepro plot` has drawn, settings, provenance, how to run it again.  The
    page needs no network, prints, and fits a small window.  Nothing is computed.  An earlier page is
    replaced.  A folder that cannot be read is named on the page, and the exit code is then 1.
    """
    require_folder(output)
    experiments = collect(folders_of(results), select)
    page = render(experiments, title)
    write_page(output, page)
    page_made(output, experiments, f", {sized(len(page.encode()))}")
