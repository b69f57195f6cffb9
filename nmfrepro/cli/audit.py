"""`nmfrepro audit`: is a printed table possible at all?"""

from __future__ import annotations

import sys
from dataclasses import replace
from typing import Any

import click

from ..analysis.audit import audit
from ..analysis.audit.printed import find
from ..views import document
from ..views.audit import document as in_words
from .options import COUNT, level
from .verbs import Number, Verb, Word, echo


def number(ctx: click.Context, param: click.Parameter, text: str | None) -> str | None:
    """A positive number as printed, digits kept."""
    if text is None:
        return None
    if not text.replace(".", "", 1).isdigit() or not text.isascii() or float(text) <= 0:
        raise click.BadParameter(f"{text!r} is no number above 0", ctx, param)
    return text


@click.command("audit", cls=Verb)
@click.argument("table")
@click.option("--draws", type=COUNT, help="Runs behind a mean.")
@click.option("--labellings", type=COUNT, help="Clusterings of each draw that are averaged [default: 1].")
@click.option(
    "--samples-per-class", "per_class", type=COUNT, help="Samples of every class, where all have as many."
)
@click.option("--samples", type=COUNT, help="Samples of the whole data.")
@click.option("--classes", type=COUNT, help="Classes of the whole data.")
@click.option("--p-value", "p", type=Number(0, 1), help="Friedman's p-value as printed.")
@click.option(
    "--critical-difference",
    callback=number,
    metavar="NUMBER",
    help="Nemenyi's critical difference as printed.",
)
@level("Level of the critical difference.")
@click.option("--format", "-f", "form", type=Word(["text", "md"]), default="text", help="How to print.")
def audit_command(table: str, form: str, p: float | None, **given: Any) -> None:
    """Hold a printed TABLE against itself: a shipped one (tnmf/table1_orl, or its
    experiment, orl_tnmf), or a CSV file of your own.

    Which means are no means of counts (GRIM), which averages do not follow from their rows, whether a printed
    p-value and critical difference follow, and whether NMI is lower than accuracy allows.  The file has a
    line for every number: k,metric,algorithm,mean,std (or train_per_class instead of k), digits as printed, a
    row "avg" for averages.  The exit code is 1 where something is impossible.
    """
    printed, design = find(table)
    given["p"] = None if p is None else repr(p)
    stated = {name: value for name, value in given.items() if value is not None}
    audited = audit(printed, replace(design, **stated))
    echo(document.WRITERS[form](in_words(audited)))
    sys.exit(1 if audited.findings else 0)
