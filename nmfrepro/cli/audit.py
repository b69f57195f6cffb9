"""`nmfrepro audit`: is a printed table possible at all?"""

from __future__ import annotations

import sys
from pathlib import Path

import click

from .. import papers
from ..analysis.audit import audit
from ..analysis.audit.printed import Design, Printed, published, read_file
from ..core.errors import DataError, suggest
from ..spec.files import experiments, find_spec
from ..spec.reader import read_spec
from ..views import document
from ..views.audit import document as told
from .options import COUNT, level
from .verbs import Verb, Word, echo


@click.command("audit", cls=Verb)
@click.argument("table")
@click.option("--draws", type=COUNT, help="Runs behind a mean.")
@click.option("--labellings", type=COUNT, help="Clusterings of each draw that are averaged [default: 1].")
@click.option("--samples-per-class", type=COUNT, help="Samples of every class, where all have as many.")
@click.option("--samples", type=COUNT, help="Samples of the whole data.")
@click.option("--classes", type=COUNT, help="Classes of the whole data.")
@click.option("--p-value", type=click.FloatRange(0, 1), help="Friedman's p-value as printed.")
@click.option("--critical-difference", metavar="NUMBER", help="Nemenyi's critical difference as printed.")
@level("Level of the critical difference.")
@click.option("--format", "-f", "form", type=Word(["text", "md"]), default="text")
def audit_command(
    table: str,
    draws: int | None,
    labellings: int | None,
    samples_per_class: int | None,
    samples: int | None,
    classes: int | None,
    p_value: float | None,
    critical_difference: str | None,
    alpha: float,
    form: str,
) -> None:
    """Hold a printed TABLE against itself: a shipped one (tnmf/table1_orl, or its
    experiment, orl_tnmf), or a CSV file of your own.

    Which means are no means of counts (GRIM), which averages do not follow from their rows, whether a printed
    p-value and critical difference follow, and whether NMI is lower than accuracy allows.  The file has a
    line for every number: k,metric,algorithm,mean,std (or train_per_class instead of k), digits as printed, a
    row "avg" for averages.  The exit code is 1 where something is impossible.
    """
    printed, known = read(table)
    design = Design(
        draws or known.draws,
        labellings or known.labellings,
        samples or known.samples,
        classes or known.classes,
        samples_per_class or known.per_class,
        known.p if p_value is None else repr(p_value),
        known.critical_difference if critical_difference is None else number(critical_difference),
        alpha,
    )
    found = audit(printed, design)
    echo(document.WRITERS[form](told(found)))
    sys.exit(1 if found.findings else 0)


def read(table: str) -> tuple[Printed, Design]:
    """A shipped table by its name or that of its experiment, or a file."""
    path = Path(table)
    if table in experiments() and not path.exists():
        table = read_spec(find_spec(table)).published or table
    if table in papers.printed_names():
        return published(table)
    if not path.exists():
        known = suggest(table, papers.printed_names())
        raise DataError(f"{table}: no such file, and no such table; {known}, or a CSV file")
    return read_file(path), Design()


def number(text: str) -> str:
    """A positive number as printed, digits kept."""
    if not text.replace(".", "", 1).isdigit() or not text.isascii() or float(text) <= 0:
        raise click.BadParameter(f"{text!r} is no number above 0", param_hint="--critical-difference")
    return text
