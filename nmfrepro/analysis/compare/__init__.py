"""A run beside a published table, or beside another run: which cells belong together.

What a pair of cells says is decided in `nmfrepro.analysis.compare.verdict`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from statistics import fmean, stdev
from typing import Any

from ... import papers
from ...core.errors import ResultsError, Setting, SpecError
from ...core.terminal import counted
from ...papers import PublishedTable
from ...papers.catalogue import TableSource
from ...results.folder import Results
from ..tables import Block, Cell, Table, TableRow, make_table
from ..tables.layout import row_name
from ..tables.notes import SMOKED
from .claims import table_claims, text_claims
from .pairs import Comparison, Matched, Rules, columns_of, multiples
from .verdict import MARGIN, Side, Sides

Numbers = dict[str, dict[Any, tuple[tuple[int, ...], Side]]]
"""By column and by what rows of both sides are matched by: the coordinates of the row, and the number."""


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
    tables = published_tables(results, name)
    rules = Rules(results.run.spec.margin or MARGIN, unjudged(results, tables[0].source))
    comparisons = []
    for theirs in tables:
        for metric in theirs.metrics:
            if metric in results.metrics:
                ours = make_table(results, [metric], select, further=True)
                comparisons.append(_with_published(theirs, metric, ours, results.run.dataset.name, rules))
    comparisons = [each for each in comparisons if each.columns or each.claims]
    if not comparisons:
        raise ResultsError(
            f"{results.folder}: nothing in it is in {tables[0].name}; see `nmfrepro table` for what it holds"
        )
    return comparisons


def published_tables(results: Results, name: str | None = None) -> tuple[PublishedTable, ...]:
    """The published table that a run is compared with, its own by default, and those it shares its runs with.

    Raises
    ------
    SpecError
        If no table has that name.
    ResultsError
        If the run names no table, or one that is not known here.
    """
    if name:
        return papers.with_companions(name)
    if not results.run.spec.published:
        raise ResultsError(
            f"{results.folder}: the spec names no published table; give ",
            Setting("published", "NAME"),
            f", one of {', '.join(papers.names())}",
        )
    try:
        return papers.with_companions(results.run.spec.published)
    except SpecError as error:  # of another version, say
        raise ResultsError(f"{results.folder}: {error}") from None


def unjudged(results: Results, source: TableSource) -> str:
    """Why a run gets no verdict beside a published table; "" where it does."""
    dataset = results.run.dataset
    if results.run.smoke:
        return SMOKED
    if source.dataset is not None and source.dataset != dataset.name:
        return f"the run is on {dataset.name}, the published table on {source.dataset}"
    if source.size is not None and source.size != (dataset.n, dataset.classes):
        images, classes = source.size
        return f"the run has {dataset.n} images of {dataset.classes} classes, the paper {images} of {classes}"
    return ""


def used_for_choosing(results: Results, name: str) -> int:
    """Published numbers that the settings named as `inferred` could be fitted to.

    Those of the methods concerned: a setting of a method concerns its column, any other every column.
    """
    methods = {column.label: column.algorithm for column in results.run.columns}
    methods |= {algorithm: algorithm for algorithm in methods.values()}
    concerned: set[str] = set()
    for each in results.run.spec.inferred:
        head = each.partition(".")[0]
        concerned |= {methods[head]} if head in methods else set(methods.values())
    dataset = results.run.dataset.name
    return sum(
        cell.algorithm in concerned
        # a table of several datasets, or of the one that its source names
        and (table.source.dataset is not None or cell.dataset in (None, dataset))
        for table in papers.with_companions(name)
        for cell in table.cells
    )


def _with_published(
    theirs: PublishedTable, metric: str, ours: Table, dataset: str, rules: Rules
) -> Comparison:
    """One metric of a published table, or of what the text says of a lost one, beside a table of ours."""
    cells = [cell for cell in theirs.cells if cell.metric == metric]
    if theirs.source.dataset is None and any(cell.dataset for cell in cells):
        cells = [cell for cell in cells if cell.dataset == dataset]  # a table of several datasets
    printed: Numbers = {}
    for cell in cells:
        side = Side(cell.mean, cell.std, cell.repeats, cell.printed, _in_brackets(cell.dimension))
        printed.setdefault(cell.column, {})[cell.row] = () if cell.row is None else (cell.row,), side
    rows, reproduced = _rows_by(theirs.coordinate, ours), Numbers()
    own: dict[int | None, tuple[tuple[int, ...], Side | None]]
    for label in ours.labels:
        own = {at: (row.where, _side(row.cells[label])) for at, row in rows.items()}
        own[None] = (), _mean_of_rows(ours.blocks[0], label)
        reproduced[label] = {at: (where, side) for at, (where, side) in own.items() if side is not None}
    couples = {cell.column: ours.of(cell.algorithm) for cell in reversed(cells)}
    coordinate = theirs.coordinate or ""
    matched, absent = _matched(printed, reproduced, couples, coordinate)
    stated, untold = text_claims(theirs, metric, ours)
    shown, table = ours.blocks[0].metric, f"{'text on ' if theirs.claims else ''}{theirs.source.number}"
    return Comparison(
        metric=shown,
        coordinate=coordinate,
        columns=columns_of(shown, multiples(matched) if shown.timed else matched, rules),
        absent=(*absent, *untold),
        rules=rules,
        table=table,
        source=f"{table} of {theirs.source.paper}",
        claims=(*table_claims(theirs, metric, ours, rows), *stated),
    )


def _matched(
    theirs: Numbers, ours: Numbers, couples: Mapping[str, Sequence[str]], coordinate: str
) -> tuple[list[Matched], list[str]]:
    """Pairs of a column of theirs and one of ours, and in words what of theirs the run does not have."""
    matched: list[Matched] = []
    missing: dict[str, tuple[str, ...]] = {}
    for column, numbers in theirs.items():
        here = set[Any]()
        for label in couples[column]:
            own = ours[label]
            both = [Sides(own[at][0], side, own[at][1]) for at, (_, side) in numbers.items() if at in own]
            matched += [Matched(column, label, tuple(both))] if both else []
            here |= own.keys()
        missing[column] = tuple(row_name(where) for at, (where, _) in numbers.items() if at not in here)
    rows = len({at for numbers in theirs.values() for at in numbers})
    absent = [column for column, names in missing.items() if len(names) == rows]
    partly = {column: names for column, names in missing.items() if 0 < len(names) < rows}
    for names in dict.fromkeys(partly.values()):
        columns = [column for column in partly if partly[column] == names]
        whose = "" if len(columns) + len(absent) == len(missing) else f" of {', '.join(columns)}"
        listed = ", ".join(f"({name})" if ", " in name else name for name in names)
        absent.append(f"{coordinate} = {listed}{whose}")
    return matched, absent


def _rows_by(coordinate: str | None, table: Table) -> dict[int, TableRow]:
    """Our rows by what the published rows count; of several with the same count, the first."""
    names = table.layout.rows
    rows: dict[int, TableRow] = {}
    for row in table.blocks[0].rows:
        if coordinate in names:
            rows.setdefault(row.where[names.index(coordinate)], row)
    return rows


def _side(cell: Cell) -> Side | None:
    if cell.mean is None:
        return None
    note = _in_brackets(cell.chosen)
    return Side(cell.mean, cell.std, cell.n, note=note, draws=cell.draws, complete=cell.complete)


def _in_brackets(chosen: int | None) -> str:
    return "" if chosen is None else f" ({chosen})"


def _mean_of_rows(block: Block, label: str) -> Side | None:
    """Our mean over the complete rows, for a number the paper prints without saying for which row."""
    cells = [row.cells[label] for row in block.rows]
    means = [cell.mean for cell in cells if cell.complete and cell.mean is not None]
    if not means:
        return None
    return Side(fmean(means), note=f" (mean of {counted(len(means), 'row')})")


def compare_runs(first: Results, second: Results, select: str = "test") -> list[Comparison]:
    """Compare two runs: `first` takes the place of the published numbers.

    Columns are matched by their labels, then by methods that both have once.  Runs that see the same draws
    are compared draw by draw; runs on two datasets get no verdict.

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
    unjudged, data = "", [each.run.dataset.name for each in (first, second)]
    if first.run.smoke or second.run.smoke:
        unjudged = SMOKED
    elif data[0] != data[1]:
        unjudged = f"the first run is on {data[0]}, the second on {data[1]}"
    rules = Rules(second.run.spec.margin or MARGIN, unjudged, same_draws(first, second))
    shared = [name for name in first.run.spec.metrics if name in second.run.spec.metrics]
    comparisons = []
    for metric in shared:
        theirs, ours = (make_table(run, [metric], select, further=True) for run in (first, second))
        couples, rows = _couples(theirs, ours), theirs.layout.coordinate
        matched, absent = _matched(_numbers(theirs), _numbers(ours), couples, rows)
        if rules.paired:
            matched = [replace(each, cells=tuple(map(_shared, each.cells))) for each in matched]
        shown = ours.blocks[0].metric
        columns = columns_of(shown, matched, rules)
        comparisons.append(Comparison(shown, ours.layout.coordinate, columns, tuple(absent), rules))
    comparisons = [each for each in comparisons if each.columns]
    if not comparisons:
        raise ResultsError(
            f"{second.folder}: no column, metric and row in common with {first.folder}; see `nmfrepro table` "
            "for what each holds"
        )
    return comparisons


def _shared(both: Sides) -> Sides:
    """Two cells over the draws that both have, if they have any: the difference is theirs alone."""
    draws = [draw for draw in both.theirs.draws if draw in both.ours.draws]
    if not draws:
        return both
    return replace(both, theirs=_over(both.theirs, draws), ours=_over(both.ours, draws))


def _over(side: Side, draws: Sequence[int]) -> Side:
    kept = {draw: side.draws[draw] for draw in draws}
    values = kept.values()
    std = stdev(values) if len(kept) > 1 else None
    return replace(side, mean=fmean(values), std=std, n=len(kept), draws=kept)


def same_draws(first: Results, second: Results) -> bool:
    """Whether two runs see the same images in every draw."""
    ours, theirs = (
        (
            (run.dataset.sha256, run.dataset.name, run.beside, run.spec.seed, run.kind),
            [getattr(run.protocol, name) for name in run.protocol.drawn],
        )
        for run in (first.run, second.run)
    )
    return ours == theirs


def _couples(theirs: Table, ours: Table) -> dict[str, list[str]]:
    """Our column for each of theirs: of the same label, else of a method that both have once."""
    couples: dict[str, list[str]] = {}
    for column in theirs.columns:
        same = ours.of(column.algorithm)
        once = len(same) == len(theirs.of(column.algorithm)) == 1
        named = [column.label] if column.label in ours.labels else []
        couples[column.label] = named or (same if once else [])
    return couples


def _numbers(table: Table) -> Numbers:
    """The numbers of a run, by where rows lie; coordinates that are the same in all rows count."""
    numbers: Numbers = {}
    for label in table.labels:
        own = numbers[label] = {}
        for row in table.blocks[0].rows:
            if side := _side(row.cells[label]):
                own[frozenset(table.layout.at(row.where).items())] = row.where, side
    return numbers
