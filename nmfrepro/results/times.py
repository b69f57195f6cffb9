"""How long a trial took, where and when: a line of ``timings.csv``."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any, Self

Row = Mapping[str, str]
PHASES = ("seconds", "draw", "fit", "read", "score")
_NUMBER = re.compile(r"-?[0-9]{1,30}(\.[0-9]{1,30})?([eE][-+]?[0-9]{1,3})?")


def is_number(cell: str) -> bool:
    """Whether a cell is empty or holds a finite number."""
    return cell == "" or (bool(_NUMBER.fullmatch(cell)) and math.isfinite(float(cell)))


@dataclass(frozen=True)
class Times:
    """A line of ``timings.csv``: how long a trial took, where and when.

    Attributes
    ----------
    key : str
    seconds, draw, fit, read, score : float or None
        Of the trial as a whole, and by phase.
    host, worker, finished : str
        The machine, the process, and when it was finished (ISO 8601).
    arrays : str
        Hash of the file of stored arrays, empty where there is none.
    digest : str
        Hash of the row it was written with, in folders of earlier versions.
    """

    key: str
    seconds: float | None = None
    draw: float | None = None
    fit: float | None = None
    read: float | None = None
    score: float | None = None
    host: str = ""
    worker: str = ""
    finished: str = ""
    arrays: str = ""
    digest: str = ""

    @classmethod
    def from_row(cls, row: Row) -> Self:
        """From the cells of a line, by column.

        Raises
        ------
        ValueError
            If a time is none.
        """
        given: dict[str, Any] = {each.name: row.get(each.name, "") for each in fields(cls)}
        for name in PHASES:
            if given[name].startswith("-") or not is_number(given[name]):
                raise ValueError(f"{name} is no time in seconds")
            given[name] = float(given[name]) if given[name] else None
        return cls(**given)

    def to_row(self) -> dict[str, str]:
        """Its cells by column."""
        cells = {name: value for name, value in vars(self).items() if name not in (*PHASES, "digest")}
        seconds = {name: getattr(self, name) for name in PHASES}
        return cells | {name: "" if value is None else f"{value:.6f}" for name, value in seconds.items()}


TIMES = ("key", *PHASES, "host", "worker", "finished", "arrays")
"""The columns of ``timings.csv``."""
