"""Where a run's trials lie in its table: rows, columns, and what a cell averages over.

A protocol names the coordinates of its trials.  In a recognition run, the dimension k is one to take the best
of; the last of the others is what a cell averages over (draws, splits); the rest make the rows of the table.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ...core.errors import ResultsError
from ...core.options import suggest

if TYPE_CHECKING:
    from ...results.store import Results

CHOSEN = {"recognition": "k"}
"""Per kind of protocol: the coordinate of which a table shows the best value."""


@dataclass(frozen=True)
class Layout:
    """How the coordinates of a run become a table.

    Attributes
    ----------
    rows : tuple of str
        Coordinates that make the rows: ("k",).
    chosen : str or None
        The coordinate of which a cell shows the best value, in brackets.
    repeat : str
        The coordinate a cell averages over.
    methods_down : bool
        Whether methods are printed as rows and the coordinates as columns, as recognition tables are.
    averaged : bool
        Whether a row of averages over the rows makes sense.
    fixed : tuple of (str, int)
        Coordinates that are the same everywhere and make no rows.
    """

    rows: tuple[str, ...]
    chosen: str | None
    repeat: str
    methods_down: bool
    averaged: bool
    fixed: tuple[tuple[str, int], ...] = ()


def layout_of(run: Mapping[str, Any]) -> Layout:
    """The layout of a run, from its ``run.json``."""
    coordinates = tuple(run["coordinates"])
    chosen = CHOSEN.get(run["kind"])
    others = [name for name in coordinates if name != chosen]
    down, cells = others[:-1], run["cells"]
    # A coordinate that is the same everywhere would only repeat itself in every row.
    varied = [name for name in down if len({cell[name] for cell in cells}) != 1] or down[:1]
    return Layout(
        rows=tuple(varied),
        chosen=chosen,
        repeat=others[-1],
        methods_down=chosen is not None,
        averaged=run["kind"] == "clustering",
        fixed=tuple((name, cells[0][name]) for name in down if name not in varied),
    )


@dataclass(frozen=True)
class Place:
    """One planned trial, and what came of it.

    Attributes
    ----------
    coordinates : dict of str to int
    label : str
        The column, as the spec calls it now (a row keeps the name it was run under).
    row : dict or None
        The row of the results; None if the trial has not been run.
    """

    coordinates: Mapping[str, int]
    label: str
    row: Mapping[str, Any] | None

    @property
    def ok(self) -> bool:
        """Whether there is a result."""
        return self.row is not None and self.row["status"] == "ok"

    @property
    def failed(self) -> bool:
        """Whether the trial was run in vain."""
        return self.row is not None and self.row["status"] != "ok"

    @property
    def state(self) -> str:
        """In a word: ok, failed or missing."""
        return "ok" if self.ok else "failed" if self.failed else "missing"

    def value(self, metric: str) -> float:
        """A metric as stored; NaN where there is no result or it does not apply."""
        return float(self.row[metric]) if self.ok and self.row is not None else math.nan


def places(results: Results) -> list[Place]:
    """All planned trials in plan order.

    The plan goes cell by cell, with all columns in every cell, so a key's position tells its column and its
    cell, whose coordinates ``run.json`` lists.

    Raises
    ------
    ResultsError
        If nothing has been run yet.
    """
    run = results.run
    if results.frame.empty:
        raise ResultsError(f"{results.folder}: no trial has finished yet; run the spec first")
    labels, cells = [column["label"] for column in run["columns"]], run["cells"]
    rows = {
        row["key"]: {str(name): value for name, value in row.items()}
        for row in results.frame.to_dict("records")
    }
    return [
        Place(cells[position // len(labels)], labels[position % len(labels)], rows.get(key))
        for position, key in enumerate(run["trials"])
    ]


def check_metrics(results: Results, wanted: Iterable[str]) -> tuple[str, ...]:
    """The metrics asked for, if the results have them all.

    Raises
    ------
    ResultsError
        If there is no such column; the message suggests the closest.
    """
    from ...metrics import METRICS

    known = [name for name in results.frame.columns if name in METRICS]
    for name in wanted:
        if name not in known:
            raise ResultsError(f"{results.folder}: no metric {name!r} in the results; {suggest(name, known)}")
    return tuple(dict.fromkeys(wanted))
