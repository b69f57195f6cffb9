"""Tables of several datasets as one, as papers print recognition: methods × (dataset, training images)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import combinations, product

from ...core.errors import ResultsError
from ...results.folder import Results
from ...results.record import ColumnRecord
from . import Block, Cell, Table, TableRow
from .notes import averages

NOTHING = Cell(mean=None, std=None, n=0, planned=0, failed=0)


def names_of(runs: Sequence[Results]) -> list[str]:
    """What tells runs apart: their datasets; the runs' own names where two share one; else their folders."""
    names = [each.run.spec.name for each in runs]
    datasets = [each.run.dataset.name or each.run.spec.name for each in runs]
    paths = [str(each.folder) for each in runs]
    return next((each for each in (datasets, names) if len(set(each)) == len(runs)), paths)


def join_tables(tables: Mapping[str, Table]) -> Table:
    """One table whose rows are those of all, each under its dataset.

    Parameters
    ----------
    tables : mapping of str to Table
        By what tells them apart, in print order.

    Returns
    -------
    Table
        With the columns of all; a method that a table lacks has empty cells there.  What holds for every
        table is said once in the notes, the rest under the table's name.  There are no averages.

    Raises
    ------
    ResultsError
        If the tables have other rows (one has numbers of clusters, another training images), or one label
        stands for two methods.
    """
    names, given = list(tables), list(tables.values())
    first = given[0]
    for name, table in tables.items():
        if (table.layout.rows, table.layout.chosen) != (first.layout.rows, first.layout.chosen):
            raise ResultsError(
                f"{name} has another kind of rows ({table.layout.coordinate}) than {names[0]} "
                f"({first.layout.coordinate}); show them one by one"
            )
    columns: dict[str, tuple[str, ColumnRecord]] = {}  # by label, with the table that has it first
    for name, table in tables.items():
        for column in table.columns:
            there, before = columns.setdefault(column.label, (name, column))
            if before.algorithm != column.algorithm:
                raise ResultsError(
                    f"{name}: its column {column.label} is {column.algorithm}, that of {there} "
                    f"{before.algorithm}; give one of them another name (as: …)"
                )
    blocks: dict[str, Block] = {}
    for name, table in tables.items():
        for block in table.blocks:
            shown = blocks.setdefault(block.name, replace(block, rows=(), average=None))
            rows = (
                TableRow(row.where, {each: row.cells.get(each, NOTHING) for each in columns}, name)
                for row in block.rows
            )
            blocks[block.name] = replace(shown, rows=(*shown.rows, *rows))
    return Table(
        title="; ".join(dict.fromkeys(table.title for table in given)),
        layout=replace(first.layout, averaged=False, fixed=()),
        columns=tuple(column for _, column in columns.values()),
        blocks=tuple(blocks.values()),
        notes=_notes(tables),
    )


def _notes(tables: Mapping[str, Table]) -> tuple[str, ...]:
    """What makes rows doubtful first, then notes of all tables, then each table's own.

    There are none of averages, which are not there.
    """
    notes = {
        name: [each for each in table.notes if each not in averages(table)] for name, table in tables.items()
    }
    first, *others = notes.values()
    common = [note for note in first if all(note in each for each in others)]
    own = [(note, f"{name}: {note}") for name, each in notes.items() for note in each if note not in common]
    twins = renamed({name: table.columns for name, table in tables.items()}) if common or own else {}
    common += [f"{label} is not in every run; {twin}." for label, twin in twins.items()]
    doubts = {note for table in tables.values() for note in table.doubts}
    told = sorted([*zip(common, common, strict=True), *own], key=lambda each: each[0] not in doubts)
    return tuple(shown for _, shown in told)


def renamed(columns: Mapping[str, Sequence[ColumnRecord]]) -> dict[str, str]:
    """Which columns another run has under another label.

    Parameters
    ----------
    columns : mapping of str to sequence of ColumnRecord
        Those of every run, by what tells runs apart.

    Returns
    -------
    dict of str to str
        By the label in the first run: how the other calls the same method with the same parameters, in words.
    """
    found = dict[str, str]()
    for (_, first), (name, second) in combinations(columns.items(), 2):
        ours, theirs = ({each.label for each in those} for those in (first, second))
        for one, other in product(first, second):
            same = (one.algorithm, one.parameters) == (other.algorithm, other.parameters)
            if same and one.label not in theirs and other.label not in ours:
                why = "is the same method with the same parameters: give both one label (as: …)"
                found.setdefault(one.label, f"{other.label} of {name} {why}")
    return found
