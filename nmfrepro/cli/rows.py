"""`nmfrepro rows`: the rows behind a table cell."""

from __future__ import annotations

import math
from collections.abc import Mapping
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

import click

from ..analysis.tables import summary
from ..analysis.tables.layout import Place, check_metrics, layout_of, places
from ..core.errors import ResultsError
from ..core.options import suggest
from ..metrics import description
from ..results import store
from ..results.store import Results
from ..views.tables import MARKDOWN, cell_text, escape_cell, heading, markdown_lines
from .table import show

FACTS = ("status", "error", "n_iter", "converged", "restart", "objective", "notes", "key")


@click.command("rows")
@click.argument("results", type=click.Path(path_type=Path))
@click.option("--k", type=int, help="Only this k; other coordinates by --where.")
@click.option("--where", multiple=True, metavar="NAME=VALUE", help="Only rows there: draw=3, train=5.")
@click.option("--algorithm", "-a", metavar="NAME", help="Only this column or method (* and ? allowed).")
@click.option("--status", type=click.Choice(["ok", "failed", "missing"]), help="Only rows like this.")
@click.option("--metric", "-m", "metrics", multiple=True, metavar="NAME", help="Show these metrics.")
def rows_command(
    results: Path,
    k: int | None,
    where: tuple[str, ...],
    algorithm: str | None,
    status: str | None,
    metrics: tuple[str, ...],
) -> None:
    """List the trials of RESULTS, one run's folder, with what the table makes of them.

    Metrics are in percent, as in tables; trials.csv holds fractions.
    """
    read = store.read(results)
    at = coordinates(read, where) | ({} if k is None else coordinates(read, (f"k={k}",)))
    shown = check_metrics(read, metrics or read.run["metrics"])
    labels = None if algorithm is None else columns(read, algorithm)
    there = [p for p in places(read) if lies_at(p, at) and (labels is None or p.label in labels)]
    if not there:
        raise ResultsError(f"{results}: the plan has no such trials")
    trials = [place for place in there if status in (None, place.state)]
    if not trials:
        show(f"None of these {len(there)} trials is {status}.")
        return
    show("\n".join([*listing(trials, read.run, shown), "", *summaries(trials, read.run, shown)]))


def coordinates(results: Results, where: tuple[str, ...]) -> dict[str, int]:
    """Coordinates as given on the command line.

    Raises
    ------
    ResultsError
        For a coordinate the run does not have, or a value that is no whole number.
    """
    found = {}
    for each in where:
        name, _, value = each.partition("=")
        if name not in results.run["coordinates"]:
            known = suggest(name, results.run["coordinates"])
            raise ResultsError(f"{results.folder}: trials have no coordinate {name!r}; {known}")
        try:
            found[name] = int(value)
        except ValueError:
            raise ResultsError(f"--where {each}: give a whole number, as {name}=2") from None
    return found


def columns(results: Results, pattern: str) -> set[str]:
    """Labels of the columns whose label or method matches.

    Raises
    ------
    ResultsError
        If none does.
    """
    listed = results.run["columns"]
    found = {
        column["label"]
        for column in listed
        for name in (column["label"], column["algorithm"])
        if name == pattern or fnmatchcase(name.lower(), pattern.lower())
    }
    if not found:
        names = [name for column in listed for name in (column["label"], column["algorithm"])]
        raise ResultsError(
            f"{results.folder}: no column {pattern!r}; {suggest(pattern, dict.fromkeys(names))}"
        )
    return found


def lies_at(place: Place, at: Mapping[str, int]) -> bool:
    """Whether a trial has these coordinates."""
    return all(place.coordinates[name] == value for name, value in at.items())


def listing(trials: list[Place], run: Mapping[str, Any], metrics: tuple[str, ...]) -> list[str]:
    """The trials as a table; facts that are empty everywhere are left out."""
    facts = [name for name in FACTS if any(_fact(place, name) for place in trials)]
    header = ["method", *run["coordinates"], *(heading(description(name)) for name in metrics), *facts]
    rows = []
    for place in trials:
        scores = [_score(place, name) for name in metrics]
        where = [str(place.coordinates[name]) for name in run["coordinates"]]
        rows.append(
            [escape_cell(place.label), *where, *scores, *(escape_cell(_fact(place, n)) for n in facts)]
        )
    return markdown_lines([header, *rows])


def _score(place: Place, metric: str) -> str:
    value = place.value(metric)
    if math.isnan(value):
        return "–"
    return f"{100 * value:.2f}" if description(metric).unit == "%" else f"{value:.4g}"


def _fact(place: Place, name: str) -> str:
    if place.row is None:
        return "missing" if name == "status" else ""
    value = place.row.get(name)
    if value is None or value != value:
        return ""
    return f"{value:.8g}" if isinstance(value, float) else str(value)


def summaries(trials: list[Place], run: Mapping[str, Any], metrics: tuple[str, ...]) -> list[str]:
    """Mean and standard deviation of every table cell the trials belong to."""
    layout = layout_of(run)
    apart = (*layout.rows, *([layout.chosen] if layout.chosen else []))
    groups: dict[tuple[str, ...], list[Place]] = {}
    for place in trials:
        where = [f"{name} = {place.coordinates[name]}" for name in apart]
        groups.setdefault((place.label, *where), []).append(place)
    lines = []
    for names, those in groups.items():
        texts = []
        for name in metrics:
            metric = description(name)
            texts.append(f"{heading(metric)} {cell_text(summary(those, name, metric), metric, MARKDOWN, 2)}")
        lines.append(f"{', '.join(names)}: {', '.join(texts)}")
    return lines
