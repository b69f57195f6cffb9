"""A spec's YAML as a tree of located values.

PyYAML scans and parses; what a word means is decided by `scalars` instead of its YAML 1.1 rules.  What a
spec has no use for and what hides mistakes or attacks (tags, anchors, merge keys, repeated keys, several
documents, deep nesting) is refused before anything is made of it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import yaml

from ..core.errors import Place, SpecError
from .complaints import Complaints
from .scalars import check_visible, resolve
from .yamltext import explain, read_text

MAX_DEPTH = 20
MAX_VALUES = 10_000
# The value of a node that has already been complained about; nothing more is said of it.
BROKEN = object()

# Escapes in double quotes that stand for a character that cannot be seen: "data\new" holds a line break.
_ESCAPES = re.compile(r"\\(?:[\\\"/uU]|\r\n|[\r\n])|(\\.)", re.DOTALL)


@dataclass(frozen=True)
class Node:
    """A value and where it is written."""

    value: Any
    place: Place
    key: Place  # where its key is written; of what has none, where it is itself

    @property
    def items(self) -> tuple[Node, ...]:
        """The items of a list; none of anything else."""
        return self.value if isinstance(self.value, tuple) else ()

    @property
    def pairs(self) -> dict[str, Node]:
        """The values of a mapping by key, in the order of the file; none of anything else."""
        return self.value if isinstance(self.value, dict) else {}

    @property
    def as_mapping(self) -> Node:
        """A name alone as the mapping that it is short for, ``{name: …}``; anything else as it is."""
        return replace(self, value={"name": self}) if isinstance(self.value, str) else self

    @property
    def plain(self) -> Any:
        """The value without places: text, numbers, lists, dicts; a broken one is None."""
        if isinstance(self.value, tuple):
            return [item.plain for item in self.value]
        if isinstance(self.value, dict):
            return {key: node.plain for key, node in self.value.items()}
        return None if self.value is BROKEN else self.value

    @property
    def broken(self) -> bool:
        """Whether the value or anything in it has already been complained about."""
        return self.value is BROKEN or any(each.broken for each in (*self.items, *self.pairs.values()))


def read_tree(path: Path, complaints: Complaints) -> Node:
    """The tree of a YAML file.

    Parameters
    ----------
    path : Path
    complaints : Complaints
        Takes the mistakes after which reading goes on.

    Raises
    ------
    SpecError
        With all complaints so far, if the file cannot be read as one YAML document.
    """
    return parse(read_text(path), str(path), complaints)


def parse(text: str, source: str, complaints: Complaints, given: Place | None = None) -> Node:
    """The tree of a text; see `read_tree`.  All is at the place where it was `given`, if that is said."""
    try:
        return _Builder(text, source, complaints, given).document()
    except (yaml.YAMLError, ValueError, OverflowError, IndexError) as error:
        wrong = explain(error, text, source)
        complaints.stop(Place(source), wrong.at(given) if given else wrong)


class _Builder:
    """Makes nodes of what PyYAML parses, an event for every scalar and at both ends of lists and mappings."""

    def __init__(self, text: str, source: str, complaints: Complaints, given: Place | None) -> None:
        self._text, self._source, self._complaints, self._given = text, source, complaints, given
        self._events: Iterator[Any] = yaml.parse(text, yaml.SafeLoader)
        self._values = 0

    def document(self) -> Node:
        """The one document that there is."""
        next(self._events)  # the stream begins
        if isinstance(next(self._events), yaml.StreamEndEvent):
            self._complaints.stop(Place(self._source, 1, 1), "an empty file; write a spec, see the README")
        root = self._node(next(self._events))
        next(self._events)  # the document ends
        if not isinstance(behind := next(self._events), yaml.StreamEndEvent):
            self._complaints.stop(self._place(behind), "a second document begins; keep one spec per file")
        return root

    def _node(self, event: Any, depth: int = 0, key: Place | None = None) -> Node:
        """The node that begins with an event, inside so many others."""
        place = self._place(event)
        self._values += 1
        if depth > MAX_DEPTH:
            self._complaints.stop(place, f"nested more than {MAX_DEPTH} deep; a spec needs 4 levels")
        if self._values > MAX_VALUES:
            self._complaints.stop(place, f"more than {MAX_VALUES} values; split the spec")
        if refused := _refused(event):
            self._complaints.add(place, f"{refused}, which specs do not have; quote it if it is text")
        value: Any = BROKEN
        if isinstance(event, yaml.SequenceStartEvent):
            value = tuple(self._node(each, depth + 1) for each in self._until(yaml.SequenceEndEvent))
        elif isinstance(event, yaml.MappingStartEvent):
            value = self._mapping(depth + 1)
        elif not refused:
            value = self._scalar(event, place)
        return Node(BROKEN if refused else value, place, key or place)

    def _until(self, end: type) -> Iterator[Any]:
        """The events that begin what is inside a list or mapping."""
        while not isinstance(event := next(self._events), end):
            yield event

    def _mapping(self, depth: int) -> dict[str, Node]:
        """The values of a mapping, without those whose key is refused."""
        found: dict[str, Node] = {}
        for event in self._until(yaml.MappingEndEvent):
            key = self._node(event, depth)
            value = self._node(next(self._events), depth, key.place)
            if key.value is BROKEN:
                continue
            if isinstance(key.value, (tuple, dict)):
                wrong = "a key must be one word, not a list or a mapping"
            elif not isinstance(key.value, str):
                wrong = f"a key must be a word, not {event.value or 'nothing'}"
            elif key.value == "<<":
                wrong = "<< merges mappings in YAML, which specs do not have"
            elif key.value in found:
                first = f", first in line {line}" if (line := found[key.value].key.line) else ""
                wrong = f"key {key.value!r} is given twice{first}; remove one"
            else:
                found[key.value] = value
                continue
            self._complaints.add(key.place, wrong)
        return found

    def _scalar(self, event: Any, place: Place) -> Any:
        """The value of a scalar: plain ones are resolved, quoted and block ones are text."""
        try:
            if event.style is None:
                return check_visible(resolve(event.value))
            if event.style == '"':
                _check_escapes(self._text[event.start_mark.index : event.end_mark.index])
            return check_visible(event.value.rstrip("\n") if event.style in "|>" else event.value)
        except SpecError as error:
            self._complaints.add(place, error)
            return BROKEN

    def _place(self, event: Any) -> Place:
        mark = event.start_mark
        return self._given or Place(self._source, mark.line + 1, mark.column + 1)


def _refused(event: Any) -> str:
    """What an event is that no spec has; empty for what one may have."""
    if isinstance(event, yaml.AliasEvent):
        return f"*{event.anchor} is a YAML alias"
    if event.anchor is not None:
        return f"&{event.anchor} is a YAML anchor"
    if event.tag is not None:
        return f"{event.tag.replace('tag:yaml.org,2002:', '!!')} is a YAML tag"
    return ""


def _check_escapes(written: str) -> None:
    for escape in _ESCAPES.finditer(written):
        if escape.group(1):
            what = f"in double quotes {escape.group(1)} stands for another character"
            raise SpecError(f"{what}; use single quotes, or / in paths")
