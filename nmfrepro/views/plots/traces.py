"""The objective against iterations."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from ... import algorithms
from ...analysis.tables.layout import planned_trials
from .drawn import Drawn
from .picture import Picture, panels, plain, plain_log, row_name, text
from .style import looks_of, series_looks

if TYPE_CHECKING:
    from ...results.folder import Results


def pictures(run: Drawn) -> Iterator[Picture]:
    """One, of every method."""
    yield convergence_curves(run.results, run.logarithmic)


def convergence_curves(results: Results, logarithmic: bool) -> Picture:
    """A panel for each method, since objectives of different methods are not comparable.

    The value of the random start is left out: it may be far above all others, and no paper's method made it.

    Parameters
    ----------
    results : Results
        Of a convergence run.
    logarithmic : bool
        Whether the objective's axis is; it stays linear where a value is not positive.

    Raises
    ------
    ResultsError
        If a stored curve is missing or damaged.
    """
    run = results.run
    looks = looks_of(run.columns)
    trials = [trial for trial in planned_trials(results) if trial.ok]
    figure, axes = panels(len(run.columns), 2.9, 2.5)
    for panel, column in zip(axes, run.columns, strict=True):
        label = column.label
        look = looks[label]
        own = [trial for trial in trials if trial.label == label]
        smallest = float("inf")
        for trial, line in zip(own, [look] if len(own) == 1 else series_looks(len(own)), strict=True):
            stored = results.arrays(trial)
            later = slice(1, None) if len(stored["trace"]) > 1 else slice(None)
            at, values = stored["iterations"][later], stored["trace"][later]
            dot = {"marker": look.marker} if len(at) == 1 else {"marker": ""}
            coordinates = row_name(run.coordinates, [trial.coordinates[n] for n in run.coordinates])
            panel.plot(at, values, label=coordinates, **(line.line | dot))
            smallest = min(smallest, float(values.min()))
        if logarithmic and 0 < smallest < float("inf"):
            panel.set_yscale("log")
            plain_log(panel.yaxis)
        else:
            plain(panel.yaxis)
        panel.set_title(text(_told_apart(label, column.algorithm)))
        panel.set_xlabel("Iteration")
        panel.set_ylabel("Objective")
        if 1 < len(own) <= 8:
            panel.legend()
    figure.suptitle("Objective against iterations, each method's own; the random start is left out")
    scale, labels = " (logarithmic axis)" if logarithmic else "", [column.label for column in run.columns]
    alt = f"{run.title}: objective{scale} against iterations, in a panel each for {', '.join(labels)}"
    return Picture("convergence-log" if logarithmic else "convergence", alt, figure)


def _told_apart(label: str, algorithm: str) -> str:
    """A label with the method's own name where it reads as another's: papers call several methods NMF."""
    other = label.lower() != algorithm and label.lower() in algorithms.registry()
    return f"{label} ({algorithm})" if other else label
