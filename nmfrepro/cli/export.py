"""`nmfrepro export`: a results folder for other programs."""

from __future__ import annotations

from pathlib import Path

import click

from ..analysis.tables import make_table
from ..core import files
from ..core.errors import ResultsError
from ..results.folder import read
from ..views import exports
from .options import FILE, output, overwrite, require_absent, run_folder
from .verbs import Verbs, echo


@click.group("export", cls=Verbs)
def export_command() -> None:
    """Write a results folder for other programs: LaTeX macros, Parquet, RO-Crate."""


@export_command.command("macros")
@run_folder
@output("macros.tex", FILE)
@click.option("--digits", type=click.IntRange(0, 6), default=1, help="Decimals of percents.")
@overwrite
def macros_command(results: Path, output: Path, digits: int, overwrite: bool) -> None:
    r"""A LaTeX macro for every number of the table of RESULTS: \OrlNlcfAccuracyNLCFKEight, …Std.

    Earlier macros of this run are replaced; another file only with --overwrite.
    """
    run = read(results)
    own = exports.made_by(run).encode()
    if not overwrite and own not in (there := files.read(output, missing=own)):
        what = "those of another run" if exports.MACROS.encode() in there else "no macros"
        raise ResultsError(
            f"{output} is there already and holds {what}; give -o another file, or --overwrite"
        )
    text = exports.macros(run, make_table(run), digits)
    files.replace(output, text)
    echo(f"{output}: {text.count('newcommand')} macros; in the paper: \\input{{{output.stem}}}")


@export_command.command("parquet")
@run_folder
@output("trials.parquet", FILE)
@overwrite
def parquet_command(results: Path, output: Path, overwrite: bool) -> None:
    """The rows of RESULTS as a Parquet file; needs the package pyarrow."""
    require_absent(output, overwrite)
    exports.parquet(read(results), output)
    echo(f"{output}")


@export_command.command("rocrate")
@run_folder
@output("crate.zip", FILE)
@overwrite
def rocrate_command(results: Path, output: Path, overwrite: bool) -> None:
    """RESULTS as a zipped RO-Crate, with what made it; needs the package rocrate."""
    require_absent(output, overwrite)
    exports.rocrate(read(results), output)
    echo(f"{output}")
