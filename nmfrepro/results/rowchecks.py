"""What a row of results may say: what a run may have written, and nothing that contradicts its key.

A results file is text and may have been edited, sorted by a spreadsheet or joined with another.
"""

from __future__ import annotations

import hashlib
import json
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ..core.errors import ResultsError
from ..metrics import METRICS
from .journal import Row, cell_text, malformed

TEXT = ("key", "algorithm", "label", "parameters", "status", "error", "notes", "version")
COUNTS = ("n_iter", "restart", "seed", "fit_seed")
PHASES = ("seconds", "draw", "fit", "read", "score")
# What two rows of one trial may differ in: how its column was called, and which version computed it.
_BESIDES = ("label", "version")
_NUMBER = re.compile(r"(-?[0-9]{1,30}(\.[0-9]{1,30})?([eE][-+]?[0-9]{1,3})?)?")


@dataclass(frozen=True)
class Rows:
    """The rows of a ``trials.csv``, each trial once.

    Attributes
    ----------
    header : tuple of str
    by_key : dict of str to dict
    torn : bool
        Whether a half-written last row was left out.
    lines : dict of str to int
        The line of each row, counted from 1.
    """

    header: tuple[str, ...]
    by_key: dict[str, Row]
    torn: bool
    lines: dict[str, int] = field(default_factory=dict)


def digest(content: Mapping[str, Any], *besides: str) -> str:
    """16 digits for all that a row or ``run.json`` says but what is named; empty cells left out."""
    said = {name: value for name, value in content.items() if name not in besides and value != ""}
    return hashlib.sha256(json.dumps(said, sort_keys=True).encode()).hexdigest()[:16]


def row_digest(row: Row) -> str:
    """The digest that a row has in ``timings.csv``; renaming its column does not change it."""
    return digest(row, *_BESIDES)


def check_row(path: Path, number: int, row: Row) -> None:
    """Raise `ResultsError` unless the row, alone, is one that a run may have written."""
    if row["status"] not in ("ok", "failed") or (row["status"] == "ok") != (row["error"] == ""):
        raise malformed(path, number, "status and error do not go together")
    for name, cell in row.items():
        if name not in TEXT and not _is_number(cell):
            raise malformed(path, number, f"{name} is no number")
        if name in COUNTS and cell and not cell.isdigit():
            raise malformed(path, number, f"{name} is no count")
        if name in METRICS and cell and not METRICS[name].holds(float(cell)):
            low, high = METRICS[name].low, METRICS[name].high
            allowed = f"at least {low:g}" if math.isinf(high) else f"from {low:g} to {high:g}"
            raise malformed(path, number, f"{name} is {cell}, and must be {allowed}")
    if row["status"] == "ok" and not (row["n_iter"].isdigit() and row["converged"] in ("0", "1")):
        raise malformed(path, number, "n_iter or converged is no count")


def _is_number(cell: str) -> bool:
    return bool(_NUMBER.fullmatch(cell)) and math.isfinite(float(cell or 0))


def check_time(path: Path, number: int, row: Row) -> None:
    """Raise `ResultsError` unless a line of ``timings.csv`` holds times."""
    for name in PHASES:
        cell = row.get(name, "")
        if not _is_number(cell) or cell.startswith("-"):
            raise ResultsError(
                f"{path}:{number}: {name} is no time in seconds; remove that line, and that of its key from "
                "trials.csv, and the trial will be run again"
            )


def check_again(path: Path, first: int, second: int, row: Row, again: Row) -> None:
    """Raise `ResultsError` where two results of one trial are not the same."""
    for name in row:
        if name not in _BESIDES and row[name] != again[name]:
            raise ResultsError(
                f"{path}: lines {first} and {second} are results of one trial, {row['key']}, but {name} is "
                f"{row[name] or 'empty'} and {again[name] or 'empty'}; remove the wrong line, or both, and "
                "the trial will be run again"
            )


def check_columns(path: Path, header: Sequence[str], needed: Sequence[str]) -> None:
    """Raise `ResultsError` where rows lack columns."""
    lost = [name for name in needed if name not in header]
    if lost:
        raise ResultsError(
            f"{path}:1: the rows lack {', '.join(lost)}, which rows of this run have; restore "
            f"{'the columns' if len(lost) > 1 else 'the column'}, or run with --fresh"
        )


def check_planned(path: Path, rows: Rows, run: Mapping[str, Any], labels: bool = True) -> None:
    """Raise `ResultsError` where a row contradicts what its key stands for in ``run.json``.

    Parameters
    ----------
    path : Path
        The ``trials.csv``.
    rows : Rows
    run : dict
    labels : bool
        Whether rows must have the labels that the spec gives its columns now.
    """
    columns, seed = run["columns"], run["spec"].get("seed")
    wanted = [name for name in run["metrics"] if name in METRICS and METRICS[name].always]
    for position, key in enumerate(run["trials"]):
        row = rows.by_key.get(key)
        if row is None:
            continue
        column = columns[position % len(columns)]
        said = {name: str(value) for name, value in run["cells"][position // len(columns)].items()}
        said |= {"algorithm": column["algorithm"]} | ({} if seed is None else {"seed": str(seed)})
        for name, value in said.items():
            if name in row and row[name] != value:
                why = f"{name} is {row[name] or 'empty'}, but by run.json its key is of {value}"
                raise malformed(path, rows.lines[key], why)
        if labels and cell_text(row["label"]) != cell_text(column["label"]):
            raise ResultsError(
                f"{path}:{rows.lines[key]}: label is {row['label'] or 'empty'}, but by run.json its key is "
                f"of {column['label']}; run the spec again, which sets it right"
            )
        for name in wanted:
            if row["status"] == "ok" and row.get(name) == "":
                raise malformed(path, rows.lines[key], f"{name} is empty, although the trial is ok")
