"""The objective against iterations."""

from __future__ import annotations

from collections.abc import Iterator

from ... import algorithms
from .picture import Picture, panels, plain, plain_log, text
from .run import PlottedRun
from .style import series_looks


def pictures(run: PlottedRun) -> Iterator[Picture]:
    """One, with a panel for each method, since objectives of different methods are not comparable.

    The value of the random start is left out: it may be far above all others, and no paper's method made it.
    A logarithmic axis stays linear where a value is not positive.

    Raises
    ------
    ResultsError
        If a stored curve is missing or damaged.
    """
    record, logarithmic = run.record, run.logarithmic
    figure, axes = panels(len(record.columns), 2.9, 2.5)
    for panel, column in zip(axes, record.columns, strict=True):
        label = column.label
        look, own = run.looks[label], run.fitted[label]
        smallest = float("inf")
        for trial, line in zip(own, [look] if len(own) == 1 else series_looks(len(own)), strict=True):
            stored = run.results.arrays(trial)
            later = slice(1, None) if len(stored["trace"]) > 1 else slice(None)
            at, values = stored["iterations"][later], stored["trace"][later]
            dot = {"marker": look.marker} if len(at) == 1 else {"marker": ""}
            panel.plot(at, values, label=record.protocol.row_name(trial.coordinates), **(line.line | dot))
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
    scale, labels = " (logarithmic axis)" if logarithmic else "", [column.label for column in record.columns]
    alt = f"{record.title}: objective{scale} against iterations, in a panel each for {', '.join(labels)}"
    yield Picture("convergence-log" if logarithmic else "convergence", alt, figure)


def _told_apart(label: str, algorithm: str) -> str:
    """A label with the method's own name where it reads as another's: papers call several methods NMF."""
    other = label.lower() != algorithm and label.lower() in algorithms.registry()
    return f"{label} ({algorithm})" if other else label
