"""How long a trial took, where and when, a line of ``timings.csv``; and how cells of such files are read."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from typing import Any, Self, get_type_hints

Row = Mapping[str, str]
PHASES = ("draw", "fit", "read", "score")
_NUMBER = re.compile(r"-?[0-9]{1,30}(\.[0-9]{1,30})?([eE][-+]?[0-9]{1,3})?")
# What a cell must look like and becomes, by the type of its field, and what one is that does not.
_KINDS: dict[Any, tuple[re.Pattern[str], Callable[[str], Any], str]] = {
    int | None: (re.compile("[0-9]{1,30}"), int, "no count"),
    float | None: (_NUMBER, float, "no number"),
    bool | None: (re.compile("[01]"), lambda cell: cell == "1", "neither 0 nor 1"),
}


def read_cell(row: Row, name: str, kind: Any = float | None) -> Any:
    """A cell as its field's type says; None where it is empty or not there. Wrong ones are a `ValueError`."""
    cell = row.get(name, "")
    if kind is str or not cell:
        return cell if kind is str else None
    form, make, wrong = _KINDS[kind]
    if not form.fullmatch(cell) or math.isinf(value := make(cell)):
        raise ValueError(f"{name} is {wrong}")
    return value


def plain_fields(cls: Any) -> dict[str, Any]:
    """The fields of a record that have a cell each, with their types."""
    kinds = get_type_hints(cls)
    return {each.name: kinds[each.name] for each in fields(cls) if kinds[each.name] in (str, *_KINDS)}


@dataclass(frozen=True)
class Times:
    """A line of ``timings.csv``: how long a trial took, where and when; all empty where that is not known."""

    key: str = ""
    # seconds, phases: of the trial as a whole, and by what they went to; of a stored trial `PHASES` alone.
    seconds: float | None = None
    phases: Mapping[str, float] = field(default_factory=dict)
    # host, worker, finished: the machine, the process, and when it was finished (ISO 8601).
    host: str = ""
    worker: str = ""
    finished: str = ""
    arrays: str = ""  # hash of the file of stored arrays, empty where there is none

    @classmethod
    def from_row(cls, row: Row) -> Self:
        """From the cells of a line, by column; a cell that is no time is a `ValueError`."""
        given = {name: read_cell(row, name, kind) for name, kind in _FIELDS.items()}
        phases = {name: read_cell(row, name) for name in PHASES}
        for name, seconds in (("seconds", given["seconds"]), *phases.items()):
            if (seconds or 0) < 0:
                raise ValueError(f"{name} is no number of seconds")
        return cls(**given, phases={name: each for name, each in phases.items() if each is not None})

    def to_row(self) -> dict[str, str]:
        """Its cells by column."""
        cells = {**self.phases, **vars(self)}
        given = {name: cells[name] for name in TIMES if cells.get(name) is not None}
        return {name: cell if isinstance(cell, str) else f"{cell:.6f}" for name, cell in given.items()}


_FIELDS = plain_fields(Times)
TIMES = ("key", "seconds", *PHASES, "host", "worker", "finished", "arrays")
"""The columns of ``timings.csv``."""
