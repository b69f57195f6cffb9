"""Mistakes of a spec, each with its place, collected so that all of them are told at once."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
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

    @contextmanager
    def noting(self, where: Place | Callable[[NmfreproError], Place]) -> Iterator[None]:
        """Note the mistake that ends what is done inside, at a place or where it is found to be written."""
        try:
            yield
        except SpecError as error:
            self.add(where if isinstance(where, Place) else where(error), error)

    def stop(self, place: Place, what: str | NmfreproError) -> NoReturn:
        """Note a mistake after which the rest cannot be read, and raise everything found so far."""
        self.add(place, what)
        raise self.error()

    def raise_if_any(self) -> None:
        """Raise `SpecErrors` if anything is wrong."""
        if self._found:
            raise self.error()

    def error(self) -> SpecErrors:
        """All mistakes as one error: those of the file from top to bottom, then the others."""
        places = ((error.place or Place(""), error) for error in self._found.values())
        order = sorted(places, key=lambda each: (each[0].line == 0, each[0].line, each[0].column))
        return SpecErrors(error for _, error in order)
