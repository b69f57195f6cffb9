"""Scores of all methods on the same rows and the same trials, made ready for tests."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from ... import algorithms, papers
from ...algorithms import Algorithm
from ...core.errors import ResultsError
from ...core.grouping import grouped
from ...core.options import unsaid
from ...core.problem import FitSettings
from ...metrics import Metric
from ...protocols import description
from ...results.folder import Results, read
from ...results.record import RunRecord
from ...spec.columnlabels import show
from ..tables import make_table
from ..tables.joined import renamed
from ..tables.notes import doubts, how_chosen, stored
from . import LEAST_METHODS, LEAST_ROWS, Friedman, friedman

Where = tuple[int, ...]
"""Coordinates of a row, or of a trial."""

CHOSEN = "chosen trial by trial"


@dataclass(frozen=True)
class Scores:
    """One metric of several methods."""

    source: str  # where the scores are from, in words
    metric: Metric
    coordinate: str  # what the rows count
    labels: tuple[str, ...]  # the methods
    rows: tuple[str, ...]  # the rows that all methods have
    means: np.ndarray  # shape (rows, methods): in the metric's unit
    # Per method, the score of every trial by its coordinates; empty where only means are known.
    trials: Mapping[str, Mapping[Where, float]]
    left_out: tuple[str, ...]  # methods, and rows of the means, that could not be used, and why
    # By row, how much the differences of two draws are correlated over datasets like this one: `in_common`.
    correlations: Mapping[Where, float] = field(default_factory=dict)
    repeat: str = "draw"  # what trials of one row are, in which methods are compared
    datasets: bool = False  # whether the rows are datasets, and trials their means
    notes: tuple[str, ...] = ()  # what else a reader must know
    algorithms: Mapping[str, str] = field(default_factory=dict)  # their names, by label
    # Which means rest on rows of unknown origin, shape (rows, methods); where none can, one False for all.
    unknown: np.ndarray = field(default_factory=lambda: np.array(False))
    runs: tuple[Results, ...] = ()  # whose scores they are; none of a published table's

    def leads(self, label: str) -> np.ndarray:
        """In which rows a method has the best mean, (rows,), of those without rows of unknown origin."""
        known = np.where(self.unknown, -np.inf, self.metric.sign * self.means)
        own = known[:, self.labels.index(label)]
        return (own == known.max(axis=1)) & (own > -np.inf)

    @property
    def averages(self) -> dict[str, float]:
        """The mean over all rows, by method."""
        return dict(zip(self.labels, map(float, self.means.mean(axis=0)), strict=True))

    @property
    def best_first(self) -> list[str]:
        """The methods by their mean over all rows."""
        return self.metric.best_first(self.averages)

    def of(self, label: str) -> np.ndarray:
        """The means of a method, (rows,)."""
        return self.means[:, self.labels.index(label)]

    def friedman(self, alpha: float = 0.05) -> Friedman | None:
        """Friedman's test of the methods; None where there are too few of them, or too few rows."""
        rows, methods = self.means.shape
        if rows < LEAST_ROWS or methods < LEAST_METHODS:
            return None
        return friedman(self.means, self.labels, alpha, self.metric.lower_is_better)


def of_results(results: Results, metric: str | None = None, select: str = "test") -> Scores:
    """Scores of a run; rows with missing trials are left out of its means, methods without any, and named.

    Single trials are all there: those that every method has can be paired in such rows too.

    Parameters
    ----------
    results : Results
    metric : str, optional
        The first one of the run's table by default.
    select : {"test", "validation"}
        What the best dimension of a recognition run is chosen by.

    Raises
    ------
    ResultsError
        If the results do not have the metric.
    """
    run = results.run
    name = metric or run.spec.metrics[0]
    table = make_table(results, [name], select, further=True)
    rows = table.blocks[0].rows
    columns = [each for each in table.columns if any(row.cells[each.label].mean is not None for row in rows)]
    full = [row for row in rows if all(row.cells[column.label].complete for column in columns)]
    left = [f"{column.label} has no {name}" for column in table.columns if column not in columns]
    coordinate = table.layout.coordinate
    for row in rows:
        if row not in full:
            lacking = [column.label for column in columns if not row.cells[column.label].complete]
            left.append(
                f"{coordinate} = {row.name} of the means (trials of {', '.join(lacking)} are missing)"
            )
    means = [[row.cells[column.label].mean for column in columns] for row in full]
    unknown = [[row.cells[column.label].unknown > 0 for column in columns] for row in full]
    several = any(len(cell.choices) > 1 for cell in table.cells)
    chosen = [f"Numbers are those of {how_chosen(table, select)}."] if several else []
    return Scores(
        source=f"{run.spec.title} ({results.folder})",
        metric=table.blocks[0].metric,
        coordinate=coordinate,
        labels=tuple(column.label for column in columns),
        rows=tuple(row.name for row in full),
        means=np.array(means, dtype=np.float64).reshape(len(full), len(columns)),
        trials={
            column.label: {
                (*row.where, draw): value
                for row in rows
                for draw, value in row.cells[column.label].draws.items()
            }
            for column in columns
        },
        left_out=tuple(left),
        correlations={
            row.where: run.protocol.in_common(table.layout.at(row.where), run.dataset.n, run.dataset.classes)
            for row in rows
            if row.where
        },
        repeat=table.layout.repeat_noun,
        notes=(*doubts(results), *stored(run), *chosen),
        algorithms={column.label: column.algorithm for column in columns},
        unknown=np.array(unknown, dtype=bool).reshape(len(full), len(columns)),
        runs=(results,),
    )


def of_folders(metric: str | None = None, select: str = "test") -> Callable[[Path], Scores]:
    """What reads the scores of results folders, one by one.

    Parameters
    ----------
    metric, select
        As in `of_results`; the metric is the first one of the first run that is read, by default.
    """

    def of_folder(folder: Path) -> Scores:
        nonlocal metric
        results = read(folder)
        scores = of_results(results, metric, select)
        metric = metric or results.run.spec.metrics[0]
        return scores

    return of_folder


def of_runs(found: Sequence[Scores]) -> Scores:
    """Scores of runs in one table: those of a single run, or the means of several, with datasets as rows.

    Parameters
    ----------
    found : sequence of Scores
        `of_results` by one metric, each on its own data.  Of a single run they are all there is.

    Raises
    ------
    ResultsError
        If two runs are on the same data, or no method is in all of them.
    """
    if len(found) == 1:
        return found[0]
    runs = [results for each in found for results in each.runs]
    records, where = [each.run for each in runs], ", ".join(str(each.folder) for each in runs)
    names = [run.dataset.name for run in records]
    for name, folders in grouped((each.run.dataset.name, str(each.folder)) for each in runs).items():
        if len(folders) > 1:
            raise ResultsError(
                f"{', '.join(folders)}: two runs on {name}; a dataset counts once; for runs on the same data "
                "take `nmfrepro compare FIRST SECOND`"
            )
    labels = [label for label in found[0].labels if all(label in each.labels for each in found)]
    for label in labels:
        methods = dict.fromkeys(run.column(label).algorithm for run in records)
        if len(methods) > 1:
            raise ResultsError(
                f"{where}: {label} is {' and '.join(methods)}; give one of them another name (as: …)"
            )
    used = {name: each for name, each in zip(names, found, strict=True) if each.rows}
    if not labels or len(used) < 2:
        raise ResultsError(
            f"{where}: no method and two datasets in common; see `nmfrepro table` for what each holds"
        )
    means = np.array([[each.of(label).mean() for label in labels] for each in used.values()])
    unknown = [
        [each.unknown[:, each.labels.index(label)].any() for label in labels] for each in used.values()
    ]
    left = [f"{name}: {reason}" for name, each in zip(names, found, strict=True) for reason in each.left_out]
    every = dict.fromkeys(label for each in found for label in each.labels)
    twins = renamed({name: run.columns for name, run in zip(names, records, strict=True)})
    for label in (each for each in every if each not in labels):
        left.append("; ".join(filter(None, (f"{label} is not in every run", twins.get(label)))))
    return Scores(
        source="; ".join(str(each.folder) for each in runs),
        metric=found[0].metric,
        coordinate="dataset",
        labels=tuple(labels),
        rows=tuple(used),
        means=means,
        trials={label: {(i,): float(x) for i, x in enumerate(means[:, j])} for j, label in enumerate(labels)},
        left_out=tuple(left),
        repeat="dataset",
        datasets=True,
        notes=(
            *(f"{name}: {note}" for name, each in zip(names, runs, strict=True) for note in doubts(each)),
            *_settings_that_differ(records, labels),
        ),
        algorithms=found[0].algorithms,
        unknown=np.array(unknown),
        runs=tuple(runs),
    )


def _settings_that_differ(runs: Sequence[RunRecord], labels: Iterable[str]) -> Iterator[str]:
    """The settings of the protocol, and of each method, that are others on another dataset."""
    specs = [run.spec for run in runs]
    given = {"The protocol": [{**each.protocol, "scale": each.dataset.scale} for each in specs]}
    for label in labels:
        columns = [(run.column(label), run.protocol) for run in runs]
        method = algorithms.registry().get(columns[0][0].algorithm, Algorithm)
        usual = unsaid(FitSettings) | unsaid(method)
        given[label] = [
            usual | each.settings | dict.fromkeys(protocol.chooses(each.algorithm, each.parameters), CHOSEN)
            for each, protocol in columns
        ]
    datasets = [run.dataset.name for run in runs]
    for what, settings in given.items():
        first, *others = settings
        differing = []
        # What a run does not have is not used, or was not recorded in its time.
        for key in [name for name in first if all(name in each for each in others)]:
            values = grouped(
                (show(each[key]), dataset) for each, dataset in zip(settings, datasets, strict=True)
            )
            if len(values) > 1:
                text = ", ".join(f"{value} ({', '.join(where)})" for value, where in values.items())
                differing.append(f"{key} {text}" if first[key] == CHOSEN else f"{key} = {text}")
        if differing:
            yield f"{what} is not the same on every dataset: {'; '.join(differing)}."


def of_published(name: str, metric: str | None = None) -> Scores:
    """Scores of a published table: means only.

    Raises
    ------
    SpecError
        If there is no such table.
    ResultsError
        If it has no rows, or not the metric.
    """
    table = papers.load(name)
    wanted = metric or table.metrics[0]
    if not table.rows:
        raise ResultsError(f"{name} has no rows, over which methods could be tested; name another table")
    if wanted not in table.metrics:
        raise ResultsError(f"{name} has no rows of {wanted}; it holds {', '.join(table.metrics)}")
    values = {(cell.row, cell.column): cell.mean for cell in table.cells if cell.metric == wanted}
    return Scores(
        source=f"{table.source.number} of {table.source.paper}",
        metric=description(wanted),
        coordinate=table.coordinate or "",
        labels=table.columns,
        rows=tuple(str(row) for row in table.rows),
        means=np.array([[values[row, column] for column in table.columns] for row in table.rows]),
        trials={},
        left_out=(),
        notes=tuple(f"{note[:1].upper()}{note[1:]}." for note in table.source.notes),
        algorithms={cell.column: cell.algorithm for cell in table.cells},
    )
