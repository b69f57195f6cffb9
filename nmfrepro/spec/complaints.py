"""Mistakes of a spec, each with its place, collected so that all of them are told at once."""

from __future__ import annotations

from typing import NoReturn

from ..core.errors import NmfreproError, Place, SpecError, SpecErrors


class Complaints:
    """The mistakes found so far."""

    def __init__(self) -> None:
        self._found: dict[str, NmfreproError] = {}

    def __len__(self) -> int:
        return len(self._found)

    def add(self, place: Place, what: str | NmfreproError) -> None:
        """Note mistakes at a place; those that know theirs keep it."""
        for each in (SpecError(what) if isinstance(what, str) else what).mistakes:
            located = each if each.place else each.at(place)
            self._found.setdefault(str(located), located)

    def stop(self, error: SpecError) -> NoReturn:
        """Note a mistake after which the rest cannot be read, and raise everything found so far."""
        assert error.place is not None
        self.add(error.place, error)
        raise self.error()

    def raise_if_any(self) -> None:
        """Raise `SpecErrors` if anything is wrong."""
        if self._found:
            raise self.error()

    def error(self) -> SpecErrors:
        """All mistakes as one error: those of the file from top to bottom, then the others."""
        return SpecErrors(sorted(self._found.values(), key=_from_top_to_bottom))


def _from_top_to_bottom(error: NmfreproError) -> tuple[bool, int, int]:
    place = error.place
    assert place is not None
    return (place.line == 0, place.line, place.column)
