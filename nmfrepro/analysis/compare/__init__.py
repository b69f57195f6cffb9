"""A run beside a published table, or beside another run: which cells belong together.

What a pair of cells is worth is said in `nmfrepro.analysis.compare.agreement`.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from ... import papers
from ...core.errors import ResultsError
from ...metrics import Metric
from ...papers import PublishedCell, PublishedTable
from ...views.tables import MARKDOWN, cell_text, number
from ..tables import Block, Cell, Table, TableRow, make_table
from .agreement import Comparison, Matched, Side, comparison, mean_of_rows, pooled_error
from .claims import compare_claims

if TYPE_CHECKING:
    from ...results.folder import Results


def compare_published(results: Results, name: str | None = None, select: str = "test") -> list[Comparison]:
    """Compare a run with a published table, and with the tables the paper draws from the same runs.

    Parameters
    ----------
    results : Results
    name : str, optional
        The published table; the one that the spec names by default.
    select : {"test", "validation"}
        What the best dimension of a recognition run is chosen by.

    Raises
    ------
    ResultsError
        If the run names no published table, or nothing in it can be compared.
    """
    chosen = name or results.run.published
    if not chosen:
        raise ResultsError(
            f"{results.folder}: the spec names no published table; give --published NAME, one of "
            + ", ".join(papers.names())
        )
    main = papers.load(chosen)
    tables = [main, *(papers.load(companion) for companion in main.source.companions)]
    found = []
    for theirs in tables:
        for metric in theirs.metrics:
            if metric in results.metrics:
                ours = make_table(results, [metric], select)
                found.append(
                    compare_claims(theirs, metric, ours)
                    if theirs.claims
                    else _with_published(theirs, metric, ours, results.run.dataset.name)
                )
    found = [each for each in found if each.columns]
    if not found:
        raise ResultsError(
            f"{results.folder}: nothing in it is in {chosen}; see `nmfrepro table` for what it holds"
        )
    return found


def _with_published(theirs: PublishedTable, metric: str, ours: Table, dataset: str) -> Comparison:
    """One metric of a published table beside a table of ours."""
    cells = [cell for cell in theirs.cells if cell.metric == metric]
    if theirs.source.dataset is None and any(cell.dataset for cell in cells):
        cells = [cell for cell in cells if cell.dataset == dataset]  # a table of several datasets
    block, rows = ours.blocks[0], _rows_by(theirs.coordinate, ours)
    matched: Matched = []
    missing: dict[str, tuple[str, ...]] = {}
    for column in dict.fromkeys(cell.column for cell in cells):
        those = [cell for cell in cells if cell.column == column]
        sides = [
            (i, _sides(those, rows, block, i))
            for i, name in enumerate(ours.algorithms)
            if name == those[0].algorithm
        ]
        matched += [(column, ours.labels[i], found) for i, found in sides if found]
        here = {row for _, found in sides for row, _, _ in found}
        missing[column] = tuple(
            str(cell.row or "all") for cell in those if str(cell.row or "all") not in here
        )
    absent = _absent(missing, theirs.coordinate or "", len({cell.row for cell in cells}))
    source = f"{theirs.source.number} of {theirs.source.paper}"
    return comparison(block.metric, source, theirs.coordinate or "", matched, absent, to_first=True)


def _absent(missing: dict[str, tuple[str, ...]], coordinate: str, rows: int) -> list[str]:
    """In words, which columns and rows of theirs the run does not have."""
    absent = [column for column, names in missing.items() if len(names) == rows]
    partly = {column: names for column, names in missing.items() if 0 < len(names) < rows}
    for names in dict.fromkeys(partly.values()):
        columns = [column for column in partly if partly[column] == names]
        whose = "" if len(columns) + len(absent) == len(missing) else f" of {', '.join(columns)}"
        listed = ", ".join(f"({name})" if ", " in name else name for name in names)
        absent.append(f"{coordinate} = {listed}{whose}")
    return absent


def _rows_by(coordinate: str | None, table: Table) -> dict[int, TableRow]:
    """Our rows by what the published rows count; of several with the same count, the first."""
    names = table.layout.rows
    found: dict[int, TableRow] = {}
    for row in table.blocks[0].rows:
        if coordinate in names and row.where is not None:
            found.setdefault(row.where[names.index(coordinate)], row)
    return found


def _sides(
    cells: Sequence[PublishedCell], rows: Mapping[int, TableRow], block: Block, column: int
) -> list[tuple[str, Side, Side]]:
    """The rows of one method that both sides have; a number for no row in particular is beside our mean."""
    found = []
    for cell in cells:
        theirs = Side(cell.mean, cell.std, cell.repeats, cell.printed)
        if cell.row is None:
            mean = _mean_of_rows(block, column)
            if mean is not None:
                found.append(("all", theirs, mean))
        elif cell.row in rows and (ours := _side(rows[cell.row].cells[column], block.metric)) is not None:
            found.append((str(cell.row), theirs, ours))
    return found


def _side(cell: Cell, metric: Metric) -> Side | None:
    if cell.mean is None:
        return None
    text = cell_text(cell, metric, MARKDOWN).replace("**", "")
    return Side(cell.mean, cell.std, cell.n, text)


def _mean_of_rows(block: Block, column: int) -> Side | None:
    """Our mean over the rows, for a number the paper prints without saying for which row."""
    cells = [row.cells[column] for row in block.rows if row.cells[column].mean is not None]
    means = [cell.mean for cell in cells if cell.mean is not None]
    if not means:
        return None
    error = pooled_error([None if cell.std is None else cell.std / math.sqrt(cell.n) for cell in cells])
    mean = math.fsum(means) / len(means)
    text = f"{number(mean, block.metric.unit)} (mean of {len(means)} rows)"
    return mean_of_rows(mean, error, len(means), text)


def compare_runs(first: Results, second: Results, select: str = "test") -> list[Comparison]:
    """Compare two runs: `first` takes the place of the published numbers.

    Columns are matched by their labels, then by methods that both have once.

    Raises
    ------
    ResultsError
        If they have no column or metric in common, or their rows are not of the same kind.
    """
    if first.run.coordinates != second.run.coordinates:
        raise ResultsError(
            f"{second.folder}: its trials lie by {', '.join(second.run.coordinates)}, those of "
            f"{first.folder} by {', '.join(first.run.coordinates)}; compare runs of one protocol"
        )
    shared = [name for name in first.run.metrics if name in second.run.metrics]
    found = []
    for metric in shared:
        theirs, ours = make_table(first, [metric], select), make_table(second, [metric], select)
        rows = {_place(theirs, row): row for row in theirs.blocks[0].rows}
        matched: Matched = []
        missing: dict[str, tuple[str, ...]] = {}
        for i, j in _matches(theirs, ours):
            sides = [] if j is None else _both(rows, ours, i, j)
            if j is not None and sides:
                matched.append((theirs.labels[i], ours.labels[j], sides))
            here = {
                _place(ours, row)
                for row in ours.blocks[0].rows
                if j is not None and row.cells[j].mean is not None
            }
            missing[theirs.labels[i]] = tuple(
                row.name for at, row in rows.items() if row.cells[i].mean is not None and at not in here
            )
        absent = _absent(missing, ", ".join(theirs.layout.rows), len(rows))
        coordinate = ", ".join(ours.layout.rows)
        found.append(comparison(ours.blocks[0].metric, "", coordinate, matched, absent))
    found = [each for each in found if each.columns]
    if not found:
        raise ResultsError(
            f"{second.folder}: no column, metric and row in common with {first.folder}; see `nmfrepro table` "
            "for what each holds"
        )
    return found


def _matches(theirs: Table, ours: Table) -> Iterable[tuple[int, int | None]]:
    for i, (label, algorithm) in enumerate(zip(theirs.labels, theirs.algorithms, strict=True)):
        if label in ours.labels:
            yield i, ours.labels.index(label)
        elif theirs.algorithms.count(algorithm) == ours.algorithms.count(algorithm) == 1:
            yield i, ours.algorithms.index(algorithm)
        else:
            yield i, None


def _place(table: Table, row: TableRow) -> frozenset[tuple[str, int]]:
    """Where a row lies, by name, with the coordinates that are the same in all rows."""
    return frozenset((*zip(table.layout.rows, row.where or (), strict=True), *table.layout.fixed))


def _both(
    theirs: Mapping[frozenset[tuple[str, int]], TableRow], ours: Table, i: int, j: int
) -> list[tuple[str, Side, Side]]:
    """The rows that both runs have of one method: its column i in theirs, j in ours."""
    block, found = ours.blocks[0], []
    for row in block.rows:
        if (other := theirs.get(_place(ours, row))) is not None:
            first, second = _side(other.cells[i], block.metric), _side(row.cells[j], block.metric)
            if first is not None and second is not None:
                found.append((row.name, first, second))
    return found
