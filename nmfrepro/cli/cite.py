"""`nmfrepro cite`: BibTeX of what was used."""

from __future__ import annotations

import click

from ..papers.bibliography import bibtex, keys_of
from .verbs import Verb, echo


@click.command("cite", cls=Verb)
@click.argument("names", nargs=-1, required=True, metavar="NAME…")
def cite_command(names: tuple[str, ...]) -> None:
    """Print BibTeX for NAME…: a paper, a published table, a method, a dataset or nmfrepro itself.

    Each entry is printed once, however many of the names it stands for.
    """
    echo(bibtex(key for name in names for key in keys_of(name)))
