"""`nmfrepro check`: validate specs, nothing else."""

from __future__ import annotations

import sys

import click

from ..core.errors import SpecError
from ..core.terminal import counted
from ..datasets import expected
from ..spec import Spec
from ..spec.reader import check_alternatives, find_spec, read_spec
from . import completion
from .verbs import Verb, echo


@click.command("check", cls=Verb)
@click.argument("specs", nargs=-1, required=True, metavar="SPEC…", shell_complete=completion.specs)
@click.option(
    "--set", "overrides", multiple=True, metavar="KEY=VALUE", help="Replace a setting: fit.max_iter=500."
)
@click.option("--smoke", is_flag=True, help="As `run --smoke` would shrink them.")
def check_command(specs: tuple[str, ...], overrides: tuple[str, ...], smoke: bool) -> None:
    """Check the experiments of SPEC… (files, or names from `nmfrepro list experiments`).

    Every mistake is told with its line and column.  Nothing is run and no data is read.  Exit code: 0 all are
    fine, 2 some are not.
    """
    failed = False
    for each in specs:
        try:
            spec = read_spec(find_spec(each), overrides, smoke)
            check_alternatives(spec)
        except SpecError as error:
            failed = True
            echo(str(error), err=True)
        else:
            echo(headline(spec))
    if failed:
        sys.exit(2)


def headline(spec: Spec) -> str:
    """A valid spec in one line: title, trials, columns."""
    known = expected(spec.dataset)
    if known is None:
        trials = "trials to be counted when the data is read"
    else:
        count = sum(1 for _ in spec.protocol.cells(known.n_classes)) * len(spec.entries)
        trials = counted(count, "trial")
    columns = ", ".join(entry.label for entry in spec.entries)
    return f"{spec.path}: {spec.title}: {trials}; columns {columns}"
