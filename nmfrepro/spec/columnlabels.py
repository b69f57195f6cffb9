"""Names of a table's columns, from what tells its methods apart."""

from __future__ import annotations

import functools
import unicodedata
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from fnmatch import fnmatchcase
from typing import Any

from ..algorithms import Algorithm
from ..core.errors import Part, Place, SpecError
from ..core.problem import FitSettings
from . import Entry
from .complaints import Complaints

MAX_LABEL = 100


@dataclass(frozen=True)
class Candidate:
    """A configured method that still lacks its label."""

    algorithm: Algorithm
    base: str | None  # the spec's `as`
    fit: FitSettings
    sweep: dict[str, object]
    place: Place  # where it is written

    @functools.cached_property
    def settings(self) -> dict[str, Any]:
        """Everything that decides its results: parameters, then the fit settings it uses."""
        fit = asdict(self.fit)
        return self.algorithm.parameters | {name: fit[name] for name in self.algorithm.fit_settings}


def matches(pattern: str, label: str, algorithm: str) -> bool:
    """Whether a pattern (* and ? as in shells) names a column, by its label or method; case is ignored."""
    pattern = pattern.lower()
    names = (label.lower(), algorithm.lower())
    return pattern in names or any(fnmatchcase(name, pattern) for name in names)


def label_all(candidates: list[Candidate], complaints: Complaints) -> tuple[Entry, ...]:
    """Entries with unique labels.

    An entry without `as` is called by its method's title, and where the spec has the method more than once by
    what differs as well: "NLCF (mu = 0.5)".  The points of a sweep always say where they are.  Labels that
    cannot be told apart in print, labels too long for a table, and columns that are the same work are
    complained about.
    """
    entries: list[Entry] = []
    places: dict[str, Place] = {}
    for candidate in candidates:
        alike = [each for each in candidates if type(each.algorithm) is type(candidate.algorithm)]
        twin = next((each for each in alike if each.settings == candidate.settings), candidate)
        label = _label(candidate, alike)
        seen = unicodedata.normalize("NFKC", label)
        hidden = next((character for character in label if not character.isprintable()), None)
        complaint: tuple[Part, ...] = ()
        if twin is not candidate:
            complaint = f"{label} is the same method with the same settings as in ", _where(twin.place)
        elif hidden is not None:
            name = unicodedata.name(hidden, f"U+{ord(hidden):04X}").lower()
            complaint = (f"a column's name holds a {name}, which nobody sees; write as: without it",)
        elif seen in places:
            there = _where(places[seen])
            complaint = f"the column {label!r} is there already, see ", there, "; name it with as:"
        elif len(label) > MAX_LABEL:
            long = f"a column's name of {len(label)} characters; name it with as: (at most {MAX_LABEL})"
            complaint = (long,)
        if complaint:
            complaints.add(candidate.place, SpecError(*complaint))
        places.setdefault(seen, candidate.place)
        entries.append(Entry(candidate.algorithm, label, candidate.fit, candidate.sweep))
    return tuple(entries)


def _where(place: Place) -> Part:
    return f"line {place.line}" if place.line else place.source


def _label(candidate: Candidate, alike: list[Candidate]) -> str:
    named = list(candidate.sweep)
    if candidate.base is None:
        unnamed = [each for each in alike if each.base is None]
        named += [
            name
            for name, value in candidate.settings.items()
            if name not in named and any(each.settings[name] != value for each in unnamed)
        ]
    base = candidate.algorithm.title if candidate.base is None else candidate.base
    # Results folders keep single spaces only.
    base = " ".join(each for each in base.split(" ") if each)
    if not named:
        return base
    return f"{base} ({', '.join(f'{name} = {show(candidate.settings[name])}' for name in named)})"


def without_settings(label: str, sweep: Mapping[str, object]) -> str:
    """A swept column's label without its settings, of which those that are swept come first."""
    name, value = next(iter(sweep.items()))
    return label.partition(f" ({name} = {show(value)}")[0]


def show(value: object) -> str:
    """A setting as labels and lists print it: 1 for 1.0, 1e+06, none for None, "U 2, V 10" for a mapping."""
    if value is None:
        return "none"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float):
        short = f"{value:g}"
        return short if float(short) == value else str(value)
    if isinstance(value, dict):
        return ", ".join(f"{key} {show(each)}" for key, each in value.items())
    if isinstance(value, (list, tuple)):
        return ", ".join(map(show, value))
    return str(value)
