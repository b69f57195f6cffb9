"""From a mapping of the file to a dataclass of options, every mistake told at its place."""

from __future__ import annotations

import difflib
import re
from collections.abc import Collection, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

from ..core.errors import NmfreproError, Place, SpecError, suggest
from ..core.options import WORD, Option, in_words, options_of
from .complaints import Complaints
from .scalars import DECIMAL
from .yamltree import BROKEN, Node

ONE = "one value is expected"
_NOTHING = {"none", "nil", "na", "n/a", "nan", "nothing"}
_GROUPED = re.compile(r"[-+]?[0-9]+(_[0-9]+)+")
_COMMA = re.compile(r"[-+]?[0-9]+(,[0-9]+)+")


@dataclass(frozen=True)
class Section:
    """A mapping being read; all mistakes in it are told to its `complaints`."""

    what: str  # what it configures, for messages: "protocol clustering"
    place: Place  # where it begins: what is missing is missing there
    nodes: Mapping[str, Node]  # what it holds
    complaints: Complaints
    called: str = "key"  # what its options are called: a "parameter" may have a sweep

    def place_of(self, error: NmfreproError) -> Place:
        """Where the option is written that an error is about; the section's place where it is not.

        A dotted option is followed as far as it is written; in a list a name leads to the item of that name.
        """
        place, nodes = self.place, self.nodes
        for name in (error.option or ("name" if error.unknown else "")).split("."):
            if name not in nodes:
                break
            node = nodes[name]
            place = node.place
            nodes = node.pairs | {str(name_of(item)): item for item in node.items}
        return place

    def has(self, name: str, known: Iterable[str]) -> bool:
        """Whether it has a key, be it misspelt: that is then told, and is one mistake."""
        unknown = [key.lower() for key in self.nodes if key not in known]
        return name in self.nodes or bool(difflib.get_close_matches(name, unknown, n=1, cutoff=0.75))

    def values(self, cls: type, others: Iterable[str], homes: Mapping[str, str]) -> dict[str, Any]:
        """The values of a dataclass's options that are given and allowed, in canonical form.

        Parameters
        ----------
        cls : type
            A dataclass with options.
        others : iterable of str
            Keys of the section that are read elsewhere.
        homes : mapping of str to str
            Where keys belong that may have been put here by mistake.
        """
        options = options_of(cls)
        known = list(dict.fromkeys([*others, *options]))
        values: dict[str, Any] = {}
        for key, node in self.nodes.items():
            if key not in known:
                what = f"{self.what} has no {self.called} {key!r}; {_remedy(key, known, homes)}"
                self.complaints.add(node.key, what)
            elif key not in others:
                sweep = f"for several values write {key}: {{sweep: [0.01, 0.1, 1]}}"
                values |= self.value(options[key], node, sweep if self.called == "parameter" else ONE)
        for name, option in options.items():
            if option.required and not self.has(name, known):
                self.complaints.add(self.place, f"{self.what} needs {name} ({option.allowed}): {option.help}")
        return values

    def value(self, option: Option, node: Node, several: str = ONE) -> dict[str, Any]:
        """The checked value under the option's name; empty, after a complaint, where it is not allowed.

        `several` says what to do where a list is given and one value expected.
        """
        if node.broken:
            return {}
        before = len(self.complaints)
        if isinstance(node.value, tuple) and option.item is not None:
            for item in node.items:
                self._check(option.of_items, item, several)
            if len(self.complaints) > before:
                return {}
        return self._check(option, node, several)

    def _check(self, option: Option, node: Node, several: str) -> dict[str, Any]:
        try:
            return {option.name: option.check(node.plain)}
        except SpecError as error:
            hint = _hint(option, node, several)
            self.complaints.add(node.place, error.advised(hint) if hint else error)
            return {}

    def make(self, cls: type, values: dict[str, Any]) -> Any:
        """The dataclass from checked values; None, after a complaint, where they do not go together."""
        made = None
        with self.complaints.noting(self.place_of):
            made = cls(**values)
        return made

    def options(self, cls: type, others: Iterable[str], homes: Mapping[str, str]) -> Any:
        """A dataclass of options from its `values`; None, after complaints, where something is wrong."""
        before = len(self.complaints)
        values = self.values(cls, others, homes)
        if len(self.complaints) > before or any(node.broken for node in self.nodes.values()):
            return None
        return self.make(cls, values)

    def rest(self, cls: type, others: Iterable[str] = ()) -> tuple[Any, Collection[str]]:
        """A dataclass of the options that are allowed, where others are not, with their names.

        Nothing is told; None where they make none.
        """
        values = replace(self, complaints=Complaints()).values(cls, others, {})
        made = None
        with suppress(SpecError, TypeError):  # of a required one that is wrong
            made = cls(**values)
        return made, values


def name_of(item: Node) -> object:
    """What a line of `algorithms` names: itself, or what stands under `name`."""
    return item.pairs["name"].plain if "name" in item.pairs else item.value


def open_section(node: Node | None, what: str, example: str, complaints: Complaints) -> Section | None:
    """A mapping as a section; anything else is complained about with an example of what it could be."""
    if node is None:
        return None
    if isinstance(node.value, dict):
        return Section(what, node.key, node.value, complaints)
    if node.value is not BROKEN:
        complaints.add(node.place, f"{what} must be a mapping such as {example}, not {shown(node)}")
    return None


def _remedy(key: str, known: list[str], homes: Mapping[str, str]) -> str:
    """What to write instead of an unknown key: a similar one, or the same in its own section."""
    if ":" in key:
        return spaced(key)
    close = difflib.get_close_matches(key.lower(), [*known, *homes], n=1, cutoff=0.75)
    if close and close[0] not in known:
        return f"{close[0]} goes under {homes[close[0]]}"
    return suggest(key, known)


def spaced(key: str) -> str:
    """What to do about a key and its value that are one word, as in {name:nlcf}."""
    return f"a space belongs after the colon: {key.replace(':', ': ', 1)}"


def _hint(option: Option, node: Node, several: str) -> str:
    """What a writer of such a value probably meant; empty if nobody can tell."""
    numeric = {int, float} & {*option.types, option.item}
    value = node.value
    if isinstance(value, (tuple, dict)):
        return several
    if option.item is str and isinstance(value, str) and WORD.fullmatch(value):
        return ""  # one word stands for a list of one
    if option.item is not None and type(value) in (str, option.item, int):
        return f"a list is written in brackets: [{value}]"
    if isinstance(value, str):
        if value.lower() in _NOTHING and type(None) in option.types:
            return "for nothing write null"
        if numeric and _GROUPED.fullmatch(value):
            return f"write {value.replace('_', '')}"
        if numeric and _COMMA.fullmatch(value):
            return "numbers are written with a decimal point and without commas"
        if numeric and DECIMAL.fullmatch(value):
            return "write it without quotes"
    if isinstance(value, float) and value.is_integer() and int in numeric:
        return f"write {int(value)}"
    if str in option.types and not option.choices and isinstance(value, (int, float)):
        return "quote it if it is text"
    return ""


def shown(node: Node) -> str:
    """A value as a message shows it."""
    if isinstance(node.value, tuple):
        return "a list"
    if isinstance(node.value, dict):
        return "a mapping"
    return in_words(node.plain)
