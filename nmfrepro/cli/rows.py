"""`nmfrepro rows`: the rows behind a table cell."""

from __future__ import annotations

from collections.abc import Iterable
from fnmatch import fnmatchcase
from pathlib import Path

import click

from ..analysis.tables.layout import check_metrics, planned_trials, printed_trials
from ..core.errors import ResultsError, suggest
from ..core.terminal import counted
from ..results.folder import Results, read
from ..views.rows import listing, made, summaries
from .options import metrics, run_folder
from .verbs import Verb, Word, echo


@click.command("rows", cls=Verb)
@run_folder
@click.option("--k", type=int, help="Only this k; other coordinates by --where.")
@click.option("--where", multiple=True, metavar="NAME=VALUE", help="Only rows there: draw=3, train=5.")
@click.option("--algorithm", "-a", metavar="NAME", help="Only this column or method (* and ? allowed).")
@click.option("--status", type=Word(["ok", "failed", "missing"]), help="Only rows like this.")
@metrics
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
    found = read(results)
    at = coordinates(found, where if k is None else (*where, f"k={k}"))
    shown = check_metrics(found, metrics or found.run.metrics)
    labels = None if algorithm is None else columns(found, algorithm)
    every = planned_trials(found)
    there = [
        trial
        for trial in every
        if at.items() <= trial.coordinates.items() and (labels is None or trial.label in labels)
    ]
    if not there:
        raise ResultsError(f"{results}: the plan has no such trials")
    trials = [trial for trial in there if status in (None, trial.status)]
    if not trials:
        echo(f"None of these {len(there)} trials is {status}.")
        return
    begun = {trial.label for trial in every if trial.status != "missing"}
    run = [trial for trial in trials if trial.label in begun]
    if status is None and 0 < len(run) < len(trials):
        others = dict.fromkeys(trial.label for trial in trials if trial.label not in begun)
        count = counted(len(trials) - len(run), "trial")
        echo(f"{count} of {', '.join(others)} left out, none of which has been run.\n")
        trials = run
    told = summaries(trials, found.run, shown)
    in_table = {trial.key for trial in printed_trials(found)}
    fewer = [trial for trial in trials if trial.key in in_table]
    if 0 < len(fewer) < len(trials):
        told += [f"In the table, {len(fewer)} of them:", *summaries(fewer, found.run, shown)]
    echo("\n".join([*listing(trials, found.run, shown), "", *told, "", made(found.run)]))


def coordinates(results: Results, where: Iterable[str]) -> dict[str, int]:
    """Coordinates as given on the command line.

    Raises
    ------
    ResultsError
        For a coordinate the run does not have, or a value that is no whole number.
    """
    found = {}
    for each in where:
        name, _, value = each.partition("=")
        if name not in results.run.coordinates:
            known = suggest(name, results.run.coordinates)
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
    known = [(name, each.label) for each in results.run.columns for name in (each.label, each.algorithm)]
    found = {label for name, label in known if name == pattern or fnmatchcase(name.lower(), pattern.lower())}
    if not found:
        hint = suggest(pattern, dict(known))
        raise ResultsError(f"{results.folder}: no column {pattern!r}; {hint}")
    return found
