"""From a mapping of the file to a dataclass of options, every mistake told at its place."""

from __future__ import annotations

import collections.abc
import difflib
import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from ..core.errors import SpecError
from ..core.options import Option, options_of, suggest
from .complaints import Complaints, Place
from .yamltree import Broken, Mapping, Node, Pair, Scalar, Sequence, is_broken, plain

Homes = collections.abc.Mapping[str, str]

_NOTHING = {"none", "nil", "na", "n/a", "nan", "nothing"}
_GROUPED = re.compile(r"[-+]?[0-9]+(_[0-9]+)+")
_COMMA = re.compile(r"[-+]?[0-9]+(,[0-9]+)+")
_NUMBER = re.compile(r"[-+]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][-+]?[0-9]+)?")


@dataclass(frozen=True)
class Section:
    """A mapping being read.

    Attributes
    ----------
    what : str
        What it configures, for messages: "protocol clustering".
    place : Place
        Where it begins: what is missing is missing there.
    pairs : tuple of Pair
    """

    what: str
    place: Place
    pairs: tuple[Pair, ...]

    def find(self, key: str) -> Pair | None:
        """The pair of a key, None where it is not given."""
        return next((pair for pair in self.pairs if pair.key == key), None)

    def place_of(self, message: str) -> Place:
        """Where the option is written that a message is about: the first it names, else the first it quotes.

        The section's place, if it does neither.
        """
        words = [(rf"(?<!\w){re.escape(pair.key)}(?!\w)", pair) for pair in self.pairs]
        quotes = [(re.escape(repr(plain(pair.value))), pair) for pair in self.pairs]
        for patterns in (words, quotes):
            found = [
                (hit.start(), pair) for pattern, pair in patterns if (hit := re.search(pattern, message))
            ]
            if found:
                return min(found, key=lambda each: each[0])[1].value.place
        return self.place


def open_section(
    node: Node, what: str, example: str, complaints: Complaints, place: Place | None = None
) -> Section | None:
    """A mapping as a section; anything else is complained about with an example of what it could be."""
    if isinstance(node, Mapping):
        return Section(what, place or node.place, node.pairs)
    if not isinstance(node, Broken):
        complaints.add(node.place, f"{what} must be a mapping such as {example}, not {describe(node)}")
    return None


def read_values(
    cls: type,
    section: Section,
    complaints: Complaints,
    others: Iterable[str] = (),
    homes: Homes | None = None,
    complete: bool = True,
) -> dict[str, Any]:
    """The values of a dataclass's options that are given and allowed, in canonical form.

    Parameters
    ----------
    cls : type
        A dataclass with options.
    section : Section
    complaints : Complaints
        Told of unknown keys, values that are not allowed and missing required options.
    others : iterable of str
        Keys of the section that are read elsewhere.
    homes : mapping of str to str, optional
        Where keys belong that may have been put here by mistake.
    complete : bool
        Whether required options must be given.
    """
    options, others = options_of(cls), tuple(others)
    values: dict[str, Any] = {}
    for pair in section.pairs:
        if pair.key in options:
            values |= read_value(options[pair.key], pair.value, complaints)
        elif pair.key not in others:
            remedy = _remedy(pair.key, [*others, *options], homes or {})
            complaints.add(pair.place, f"{section.what} has no key {pair.key!r}; {remedy}")
    for name, option in options.items():
        if complete and option.required and section.find(name) is None:
            complaints.add(section.place, f"{section.what} needs {name} ({option.allowed}): {option.help}")
    return values


def _remedy(key: str, known: list[str], homes: Homes) -> str:
    """What to write instead of an unknown key: a similar one, or the same in its own section."""
    if ":" in key:
        return f"a space belongs after the colon: {key.replace(':', ': ', 1)}"
    close = difflib.get_close_matches(key.lower(), [*known, *homes], n=1, cutoff=0.75)
    if key not in known and close and close[0] not in known:
        return f"{close[0]} goes under {homes[close[0]]}"
    return suggest(key, known)


def read_value(
    option: Option, node: Node, complaints: Complaints, several: str = "one value is expected"
) -> dict[str, Any]:
    """The checked value under the option's name; empty, after a complaint, where it is not allowed.

    `several` says what to do where a list is given and one value expected.
    """
    if is_broken(node):
        return {}
    if isinstance(node, Sequence) and option.item is not None:
        before = len(complaints)
        for item in node.items:
            _check(option, [plain(item)], item, complaints, several)
        return {option.name: option.check(plain(node))} if len(complaints) == before else {}
    return _check(option, plain(node), node, complaints, several)


def _check(option: Option, value: Any, node: Node, complaints: Complaints, several: str) -> dict[str, Any]:
    try:
        return {option.name: option.check(value)}
    except SpecError as error:
        hint = _hint(option, node, several)
        complaints.add(node.place, f"{error}{'; ' if hint else ''}{hint}")
        return {}


def _hint(option: Option, node: Node, several: str) -> str:
    """What a writer of such a value probably meant; empty if nobody can tell."""
    numeric = {int, float} & {*option.types, option.item}
    if isinstance(node, Sequence):
        return several
    value = node.value if isinstance(node, Scalar) else None
    if option.item is not None and (isinstance(value, str) or type(value) in (option.item, int)):
        return f"a list is written in brackets: [{value}]"
    if isinstance(value, str):
        if value.lower() in _NOTHING and type(None) in option.types:
            return "for nothing write null"
        if numeric and _GROUPED.fullmatch(value):
            return f"write {value.replace('_', '')}"
        if numeric and _COMMA.fullmatch(value):
            return "numbers are written with a decimal point and without commas"
        if numeric and _NUMBER.fullmatch(value):
            return "write it without quotes"
    if isinstance(value, float) and value.is_integer() and int in numeric:
        return f"write {int(value)}"
    if str in option.types and not option.choices and isinstance(value, (int, float)):
        return "quote it if it is text"
    return ""


def make(cls: type, values: dict[str, Any], section: Section, complaints: Complaints) -> Any:
    """The dataclass from checked values; None, after a complaint, where they do not go together."""
    try:
        return cls(**values)
    except SpecError as error:
        complaints.add(section.place_of(str(error)), str(error))
        return None


def read_options(
    cls: type,
    section: Section,
    complaints: Complaints,
    others: Iterable[str] = (),
    homes: Homes | None = None,
) -> Any:
    """A dataclass of options from a section; None, after complaints, where something is wrong."""
    before = len(complaints)
    values = read_values(cls, section, complaints, others, homes)
    if len(complaints) > before or any(is_broken(pair.value) for pair in section.pairs):
        return None
    return make(cls, values, section, complaints)


def describe(node: Node) -> str:
    """A value as a message shows it."""
    if isinstance(node, Sequence):
        return "a list"
    if isinstance(node, Mapping):
        return "a mapping"
    value = plain(node)
    return "nothing" if value is None else repr(value)
