"""Mistakes of a spec, each with its place, collected so that all of them are told at once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NoReturn

from ..core.errors import SpecError, one_line

# A file of nonsense could fill the screen for minutes.
MAX_SHOWN = 50


@dataclass(frozen=True)
class Place:
    """Where something was written.

    Attributes
    ----------
    source : str
        The file as the user named it, or a whole ``--set key=value``.
    line, column : int
        Counted from 1; 0 where the source has none.
    """

    source: str
    line: int = 0
    column: int = 0

    def __str__(self) -> str:
        return f"{self.source}:{self.line}:{self.column}" if self.line else self.source


class Complaints:
    """The mistakes found so far."""

    def __init__(self) -> None:
        self._found: dict[tuple[Place, str], None] = {}

    def __len__(self) -> int:
        return len(self._found)

    @property
    def texts(self) -> list[str]:
        """What is wrong, without the places."""
        return [text for _, text in self._found]

    def add(self, place: Place, text: str) -> None:
        """Note a mistake: what is wrong and what to do, without the place."""
        self._found[place, one_line(text)] = None

    def take(self, other: Complaints) -> None:
        """Add what another reading found."""
        self._found |= other._found

    def stop(self, place: Place, text: str) -> NoReturn:
        """Note a mistake after which the rest cannot be read, and raise everything found so far."""
        self.add(place, text)
        raise self.error()

    def raise_if_any(self) -> None:
        """Raise `SpecError` if anything is wrong."""
        if self._found:
            raise self.error()

    def error(self) -> SpecError:
        """All mistakes as one error, a line each: those of the file from top to bottom, then the others."""
        ordered = sorted(self._found, key=lambda each: (each[0].line == 0, each[0].line, each[0].column))
        lines = [f"{one_line(str(place))}: {text}" for place, text in ordered[:MAX_SHOWN]]
        if (left := len(ordered) - MAX_SHOWN) > 0:
            lines.append(f"… and {left} more")
        return SpecError("\n".join(lines))
