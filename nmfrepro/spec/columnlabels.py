"""Names of a table's columns, from what tells its methods apart."""

from __future__ import annotations

import math
import unicodedata
from collections.abc import Mapping
from dataclasses import replace
from fnmatch import fnmatchcase

from ..core.errors import Part, Place, SpecError
from . import Entry
from .complaints import Complaints

MAX_LABEL = 100


def matches(pattern: str, label: str, algorithm: str) -> bool:
    """Whether a pattern (* and ? as in shells) names a column, by its label or method; case is ignored."""
    pattern = pattern.lower()
    names = (label.lower(), algorithm.lower())
    return pattern in names or any(fnmatchcase(name, pattern) for name in names)


def label_all(entries: list[Entry], complaints: Complaints) -> tuple[Entry, ...]:
    """The entries with unique labels, where they have the spec's `as` or nothing so far.

    An entry without `as` is called by its method's title, and where the spec has the method more than once by
    what differs as well: "NLCF (mu = 0.5)".  The points of a sweep always say where they are.  Labels that
    cannot be told apart in print, labels too long for a table, and columns that are the same work are
    complained about.
    """
    labelled: list[Entry] = []
    places: dict[str, Place] = {}
    for entry in entries:
        alike = [each for each in entries if type(each.algorithm) is type(entry.algorithm)]
        twin = next(each for each in alike if each.settings == entry.settings)
        label = _label(entry, alike)
        seen = unicodedata.normalize("NFKC", label)
        hidden = next((character for character in label if not character.isprintable()), None)
        complaint: tuple[Part, ...] = ()
        if twin is not entry:
            complaint = f"{label} is the same method with the same settings as in ", _where(twin.place)
        elif hidden is not None:
            name = unicodedata.name(hidden, f"U+{ord(hidden):04X}").lower()
            complaint = (f"a column's name holds a {name}, which nobody sees; write as: without it",)
        elif seen in places:
            there = _where(places[seen])
            complaint = f"the column {label!r} is there already, see ", there, "; name it with as:"
        elif len(label) > MAX_LABEL:
            complaint = (f"a column's name of {len(label)} characters; use as: (at most {MAX_LABEL})",)
        if complaint:
            complaints.add(entry.place, SpecError(*complaint))
        places.setdefault(seen, entry.place)
        labelled.append(replace(entry, label=label))
    return tuple(labelled)


def _where(place: Place) -> Part:
    return f"line {place.line}" if place.line else place.source


def _label(entry: Entry, alike: list[Entry]) -> str:
    named = list(entry.sweep)
    if not entry.label:
        unnamed = [each for each in alike if not each.label]
        named += [
            name
            for name, value in entry.settings.items()
            if name not in named and any(each.settings[name] != value for each in unnamed)
        ]
    # Results folders keep single spaces only.
    base = " ".join(each for each in (entry.label or entry.algorithm.title).split(" ") if each)
    if not named:
        return base
    return f"{base} ({', '.join(f'{name} = {show(entry.settings[name])}' for name in named)})"


def without_settings(label: str, sweep: Mapping[str, object]) -> str:
    """A swept column's label without its settings, of which those that are swept come first."""
    name, value = next(iter(sweep.items()))
    return label.partition(f" ({name} = {show(value)}")[0]


def by_size(text: str) -> tuple[float, str]:
    """A key for sorting values as text: numbers by size, words behind them."""
    try:
        return float(text), ""
    except ValueError:
        return math.inf, text


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
