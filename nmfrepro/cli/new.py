"""`nmfrepro new`: the skeleton of a method of one's own."""

from __future__ import annotations

from pathlib import Path

import click

from ..registry.skeleton import write_algorithm
from .verbs import Verbs, echo


@click.group("new", cls=Verbs)
def new_command() -> None:
    """Write the skeleton of a method of your own, with its test."""


@new_command.command("algorithm")
@click.argument("name")
@click.option(
    "--folder",
    type=click.Path(path_type=Path, file_okay=False),
    default=Path(),
    help="Where; the folder must exist [default: here].",
)
def algorithm_command(name: str, folder: Path) -> None:
    """Write NAME.py, a method that works, and test_NAME.py; no file is overwritten.

    The skeleton is NMF by multiplicative updates: replace its updates by yours.
    """
    method, test = write_algorithm(name, folder)
    echo(f"{method}: the method; {test}: its test")
    echo(f"try:  python -m pytest {test}")
    echo(f"then: nmfrepro run SPEC --plugin {method}   (in the spec: algorithms: [nmf, {name}])")
