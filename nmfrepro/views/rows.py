"""Trials as a terminal lists them: a line for each, what the table makes of them, what made them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ..analysis.tables import summary
from ..analysis.tables.layout import check_metrics, layout_of, planned_trials, printed_trials, trials_at
from ..analysis.tables.notes import doubts
from ..core.errors import ResultsError
from ..core.terminal import counted
from ..protocols import description
from ..results.folder import Results
from ..results.record import RunRecord, TrialRecord
from .escapes import unbroken
from .tables import TERMINAL, cell_text, heading, markdown_lines, score_text

FACTS = ("status", "error", "n_iter", "converged", "restart", "objective", "classes", "notes", "key")


def listing(
    results: Results,
    where: Iterable[str] = (),
    column: str | None = None,
    status: str | None = None,
    metrics: Sequence[str] = (),
) -> list[str]:
    """The trials that are asked for.

    Parameters
    ----------
    results : Results
    where, column
        As in `trials_at`.
    status : {"ok", "failed", "missing"}, optional
        Trials like this alone; by default all of the columns that have been run at all.
    metrics : sequence of str
        What to show; the run's own choice by default.

    Raises
    ------
    ResultsError
        For what the run does not have.
    """
    run = results.run
    asked = trials_at(results.folder, run, planned_trials(results), where, column)
    if not asked:
        raise ResultsError(f"{results.folder}: the plan has no such trials")
    shown = check_metrics(results, metrics or run.spec.metrics)
    trials = [trial for trial in asked if status in (None, trial.status)]
    if not trials:
        none = f"None of these {len(asked)} trials is" if len(asked) > 1 else "The trial there is not"
        return [f"{none} {status}."]
    lines = []
    begun = {trial.label for trial in results.present}
    ran = [trial for trial in trials if trial.label in begun]
    if status is None and 0 < len(ran) < len(trials):
        others = dict.fromkeys(trial.label for trial in trials if trial.label not in begun)
        count = counted(len(trials) - len(ran), "trial")
        lines.append(f"{count} of {', '.join(others)} left out, none of which has been run.")
        trials = ran
    lines += [*_table(trials, run, shown), "", *_summaries(trials, run, shown)]
    printed = {trial.key for trial in printed_trials(results)}
    fewer = [trial for trial in trials if trial.key in printed]
    if 0 < len(fewer) < len(trials):
        lines += [f"In the table, {len(fewer)} of them:", *_summaries(fewer, run, shown)]
    return [*lines, "", _made(run), *doubts(results)]


def _table(trials: Sequence[TrialRecord], run: RunRecord, metrics: Sequence[str]) -> list[str]:
    """The trials as a table; facts that are empty everywhere are left out."""
    facts = [name for name in FACTS if any(_fact(trial, name) for trial in trials)]
    header = ["method", *run.coordinates, *(heading(description(name)) for name in metrics), *facts]
    rows = [header]
    for trial in trials:
        where = [str(trial.coordinates[name]) for name in run.coordinates]
        scores = [score_text(trial.value(name), description(name)) for name in metrics]
        values = [unbroken(_fact(trial, name)) for name in facts]
        rows.append([unbroken(trial.label), *where, *scores, *values])
    return markdown_lines(rows)


def _fact(trial: TrialRecord, name: str) -> str:
    value = getattr(trial, name)
    if value is None or (trial.status == "missing" and name != "status"):
        return ""
    if isinstance(value, bool):
        return str(int(value))
    return f"{value:.8g}" if isinstance(value, float) else str(value)


def _summaries(trials: Sequence[TrialRecord], run: RunRecord, metrics: Sequence[str]) -> list[str]:
    """Mean and standard deviation of every table cell the trials belong to."""
    layout = layout_of(run)
    apart = (*layout.rows, *([layout.chosen] if layout.chosen else []))
    groups: dict[tuple[str, ...], list[TrialRecord]] = {}
    for trial in trials:
        where = [f"{name} = {trial.coordinates[name]}" for name in apart]
        groups.setdefault((trial.label, *where), []).append(trial)
    lines = []
    for names, those in groups.items():
        cells = [(metric := description(name), summary(those, name, metric)) for name in metrics]
        texts = [f"{heading(metric)} {cell_text(cell, metric, TERMINAL, 2)}" for metric, cell in cells]
        lines.append(f"{', '.join(names)}: {', '.join(texts)}")
    return lines


def _made(run: RunRecord) -> str:
    """The data that rows are of, the seed, and what made them, the last first."""
    commits = dict.fromkeys(f"{each.nmfrepro} ({each.commit or 'no commit'})" for each in run.environments)
    data = f"{run.dataset.origin}, sha256 {run.dataset.sha256[:12]}"
    return f"Data: {data}. Seed {run.spec.seed}. Made by nmfrepro {', '.join(commits)}."
