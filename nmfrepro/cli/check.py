"""`nmfrepro check`: validate specs, nothing else."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from ..core.errors import DataError, NmfreproError
from ..core.terminal import counted
from ..datasets import expected
from ..spec import Spec
from ..spec.checks import not_as_given
from ..spec.files import find_spec
from ..spec.reader import read_alternatives, read_spec
from .options import data_dir, overrides, specs
from .verbs import Verb, echo, spell_for


@click.command("check", cls=Verb)
@specs
@overrides
@click.option("--smoke", is_flag=True, help="As `run --smoke` would shrink them.")
@click.option("--data", is_flag=True, help="Open the data too, and hold it against the spec.")
@data_dir
def check_command(
    specs: tuple[str, ...], overrides: tuple[str, ...], smoke: bool, data: bool, data_dir: Path | None
) -> None:
    """Check the experiments of SPEC… (files, or names from `nmfrepro list experiments`).

    Every mistake is told with its line and column.  Nothing is run, and without --data no data is read.  Exit
    code: 0 all are fine, 2 some are not.
    """
    failed, count = False, None
    for each in specs:
        try:
            spec = read_spec(find_spec(each), overrides, smoke)
            read_alternatives(spec)
            if data:
                from ..runs import prepare

                try:
                    count = len(prepare(spec, data_dir).plan)
                except DataError as error:  # which names the data file alone
                    option = ".".join(filter(None, ("dataset", error.option)))
                    raise spec.located(error.about(option)) from None
        except NmfreproError as error:
            failed = True
            spell_for(error, check_command)
            echo(str(error), err=True)
        else:
            echo(headline(spec, count))
    if failed:
        sys.exit(2)


def headline(spec: Spec, count: int | None) -> str:
    """A valid spec: title, trials (`count` where the data has been read), columns, in one line; its notes."""
    if count is None and (data := expected(spec.dataset)):
        count = sum(1 for _ in spec.protocol.cells(data.n_classes)) * len(spec.entries)
    trials = "trials to be counted when the data is read" if count is None else counted(count, "trial")
    columns = ", ".join(entry.label for entry in spec.entries)
    lines = [f"{spec.path}: {spec.title}: {trials}; columns {columns}"]
    return "\n".join([*lines, *(f"  note    {note}" for note in not_as_given(spec))])
