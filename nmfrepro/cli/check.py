"""`nmfrepro check`: validate specs, nothing else."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from ..core.errors import NmfreproError
from ..core.terminal import counted
from ..datasets import expected
from ..spec import Spec
from ..spec.reader import check_alternatives, find_spec, read_spec
from . import completion
from .verbs import Verb, echo, tell


@click.command("check", cls=Verb)
@click.argument("specs", nargs=-1, required=True, metavar="SPEC…", shell_complete=completion.specs)
@click.option(
    "--set", "overrides", multiple=True, metavar="KEY=VALUE", help="Replace a setting: fit.max_iter=500."
)
@click.option("--smoke", is_flag=True, help="As `run --smoke` would shrink them.")
@click.option("--data", is_flag=True, help="Open the data too, and hold it against the spec.")
@click.option(
    "--data-dir",
    type=click.Path(path_type=Path, file_okay=False),
    help="Where datasets lie [default: $NMFREPRO_DATA, else ./data].",
)
def check_command(
    specs: tuple[str, ...], overrides: tuple[str, ...], smoke: bool, data: bool, data_dir: Path | None
) -> None:
    """Check the experiments of SPEC… (files, or names from `nmfrepro list experiments`).

    Every mistake is told with its line and column.  Nothing is run, and without --data no data is read.  Exit
    code: 0 all are fine, 2 some are not.
    """
    failed = False
    for each in specs:
        try:
            spec = read_spec(find_spec(each), overrides, smoke)
            check_alternatives(spec)
            found = prepared(spec, data_dir) if data else None
        except NmfreproError as error:
            failed = True
            tell(error, check_command)
            echo(str(error), err=True)
        else:
            echo(headline(spec, found))
    if failed:
        sys.exit(2)


def prepared(spec: Spec, data_dir: Path | None) -> int:
    """How many trials the spec makes of its data.

    Raises
    ------
    DataError, SpecError
        If the data cannot be had or does not fit the spec.
    """
    from ..runs import prepare

    return len(prepare(spec, data_dir).plan)


def headline(spec: Spec, count: int | None = None) -> str:
    """A valid spec in one line: title, trials, columns; `count` where the data has been read."""
    known = expected(spec.dataset)
    if count is not None:
        trials = counted(count, "trial")
    elif known is None:
        trials = "trials to be counted when the data is read"
    else:
        count = sum(1 for _ in spec.protocol.cells(known.n_classes)) * len(spec.entries)
        trials = counted(count, "trial")
    columns = ", ".join(entry.label for entry in spec.entries)
    return f"{spec.path}: {spec.title}: {trials}; columns {columns}"
