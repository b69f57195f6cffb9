"""`nmfrepro list` and `nmfrepro show`: what there is, and what it is."""

from __future__ import annotations

import click

from ..views.pages import LISTS, page
from .verbs import Verb, Word, echo


@click.command("list", cls=Verb)
@click.argument("what", metavar="WHAT", type=Word(list(LISTS)))
def list_command(what: str) -> None:
    """List WHAT there is: algorithms, datasets, experiments, protocols, metrics or published (tables)."""
    echo("\n".join(LISTS[what]()))


@click.command("show", cls=Verb)
@click.argument("name")
def show_command(name: str) -> None:
    """Show what is known of NAME: an algorithm, dataset, experiment, protocol, metric or published table."""
    echo(page(name))
