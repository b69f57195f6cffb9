"""The objective against iterations."""

from __future__ import annotations

from collections.abc import Iterator

from ... import algorithms
from .axes import plain, plain_log
from .picture import ENTRY, LETTER, Picture, legend_beside, panels, titled
from .run import PlottedRun
from .style import line_of, series_looks

# Up to so many curves of a method are told apart by their colours.
MOST = 8


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
    named = [record.protocol.row_name(cell) for cell in record.cells]
    lines = dict(zip(named, series_looks(len(named)), strict=True))
    legend = ENTRY + LETTER * max(map(len, named)) if 1 < len(named) <= MOST else 0
    figure, axes = panels(len(record.columns), 2.9, 2.5, legend=legend)
    for panel, column in zip(axes, record.columns, strict=True):
        label = column.label
        look, smallest = run.looks[label], float("inf")
        for trial in run.fitted[label]:
            name = record.protocol.row_name(trial.coordinates)
            line = look if len(named) == 1 else lines[name]
            stored = run.results.arrays(trial)
            later = slice(1, None) if len(stored["trace"]) > 1 else slice(None)
            at, values = stored["iterations"][later], stored["trace"][later]
            dot = {"marker": look.marker} if len(at) == 1 else {"marker": ""}
            panel.plot(at, values, label=name, **(line_of(line) | dot))
            smallest = min(smallest, float(values.min()))
        if logarithmic and 0 < smallest < float("inf"):
            panel.set_yscale("log")
            plain_log(panel.yaxis)
        else:
            plain(panel.yaxis)
        titled(panel, _told_apart(label, column.algorithm))
        panel.set_xlabel("Iteration")
        panel.set_ylabel("Objective")
    if legend:
        legend_beside(figure)
    figure.suptitle("Objective against iterations, each method's own; the random start is left out")
    scale, labels = " (logarithmic axis)" if logarithmic else "", [column.label for column in record.columns]
    alt = f"objective{scale} against iterations, in a panel each for {', '.join(labels)}"
    yield Picture("convergence-log" if logarithmic else "convergence", alt, figure)


def _told_apart(label: str, algorithm: str) -> str:
    """A label with the method's own name where it reads as another's: papers call several methods NMF."""
    other = label.lower() != algorithm and label.lower() in algorithms.registry()
    return f"{label} ({algorithm})" if other else label
