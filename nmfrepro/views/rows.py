"""Trials as a terminal lists them: a line for each, what the table makes of them, what made them."""

from __future__ import annotations

import math
from collections.abc import Sequence

from ..analysis.tables import summary
from ..analysis.tables.layout import layout_of
from ..protocols import description
from ..results.record import RunRecord, TrialRecord
from .tables import TERMINAL, cell_text, heading, markdown_lines, unbroken

FACTS = ("status", "error", "n_iter", "converged", "restart", "objective", "classes", "notes", "key")


def listing(trials: Sequence[TrialRecord], run: RunRecord, metrics: Sequence[str]) -> list[str]:
    """The trials as a table; facts that are empty everywhere are left out."""
    facts = [name for name in FACTS if any(_fact(trial, name) for trial in trials)]
    header = ["method", *run.coordinates, *(heading(description(name)) for name in metrics), *facts]
    rows = [header]
    for trial in trials:
        where = [str(trial.coordinates[name]) for name in run.coordinates]
        scores = [_score(trial, name) for name in metrics]
        said = [unbroken(_fact(trial, name)) for name in facts]
        rows.append([unbroken(trial.label), *where, *scores, *said])
    return markdown_lines(rows)


def _score(trial: TrialRecord, metric: str) -> str:
    value = trial.value(metric)
    if math.isnan(value):
        return "–"
    return f"{100 * value:.2f}" if description(metric).unit == "%" else f"{value:.4g}"


def _fact(trial: TrialRecord, name: str) -> str:
    value = getattr(trial, name)
    if value is None or (trial.status == "missing" and name != "status"):
        return ""
    if isinstance(value, bool):
        return str(int(value))
    return f"{value:.8g}" if isinstance(value, float) else str(value)


def summaries(trials: Sequence[TrialRecord], run: RunRecord, metrics: Sequence[str]) -> list[str]:
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


def made(run: RunRecord) -> str:
    """The data that rows are of, the seed, and what made them, the last first."""
    environments = (run.environment, *run.earlier_environments)
    commits = dict.fromkeys(f"{each.nmfrepro} ({each.commit or 'no commit'})" for each in environments)
    data = f"{run.dataset.origin}, sha256 {run.dataset.sha256[:12]}"
    return f"Data: {data}. Seed {run.seed}. Made by nmfrepro {', '.join(commits)}."
