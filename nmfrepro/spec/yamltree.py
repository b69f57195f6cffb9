"""A spec's YAML as a tree of located values.

PyYAML only scans and parses here: no tag is ever followed, nothing is constructed by it, and what a word
means is decided by `scalars` instead of its YAML 1.1 rules.  What a spec has no use for and what hides
mistakes or attacks (tags, anchors, merge keys, repeated keys, several documents, deep nesting) is refused.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn

import yaml

from ..core.errors import SpecError
from .complaints import Complaints, Place
from .scalars import Value, check_visible, resolve
from .text import decode, read_bytes
from .yamlerrors import explain

MAX_DEPTH = 20
MAX_VALUES = 10_000

# Escapes in double quotes that stand for a character that cannot be seen: "data\new" holds a line break.
_ESCAPES = re.compile(r"\\(?:[\\\"/uU]|\r\n|[\r\n])|(\\.)", re.DOTALL)


@dataclass(frozen=True)
class Scalar:
    """A single value."""

    place: Place
    value: Value


@dataclass(frozen=True)
class Sequence:
    """A list."""

    place: Place
    items: tuple[Node, ...]


@dataclass(frozen=True)
class Pair:
    """A key with its place, and what it holds."""

    key: str
    place: Place
    value: Node


@dataclass(frozen=True)
class Mapping:
    """Keys and values in the order of the file; no key comes twice."""

    place: Place
    pairs: tuple[Pair, ...]

    def get(self, key: str) -> Node | None:
        """The value of a key, None where it is missing."""
        return next((pair.value for pair in self.pairs if pair.key == key), None)


@dataclass(frozen=True)
class Broken:
    """A value that has already been complained about; nothing more is said of it."""

    place: Place


Node = Scalar | Sequence | Mapping | Broken


def plain(node: Node) -> Any:
    """The value without places: text, numbers, lists, dicts; a broken one is None."""
    match node:
        case Scalar():
            return node.value
        case Sequence():
            return [plain(item) for item in node.items]
        case Mapping():
            return {pair.key: plain(pair.value) for pair in node.pairs}
        case Broken():
            return None


def is_broken(node: Node) -> bool:
    """Whether the value or anything in it has already been complained about."""
    match node:
        case Sequence():
            return any(is_broken(item) for item in node.items)
        case Mapping():
            return any(is_broken(pair.value) for pair in node.pairs)
        case _:
            return isinstance(node, Broken)


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
    source = str(path)
    return parse(decode(read_bytes(path), source), source, complaints)


def parse(text: str, source: str, complaints: Complaints) -> Node:
    """The tree of a text; see `read_tree`."""
    return _Builder(text, source, complaints).document()


class _Builder:
    """Turns PyYAML's events into a tree."""

    def __init__(self, text: str, source: str, complaints: Complaints) -> None:
        self._text, self._source, self._complaints = text, source, complaints
        self._events = self._parse()
        self._values = 0

    def document(self) -> Node:
        """The only document of the text."""
        next(self._events)  # the stream's start
        if isinstance(next(self._events), yaml.StreamEndEvent):
            self._complaints.stop(
                Place(self._source, 1, 1), "the file is empty; write a spec, see the README"
            )
        root = self._node(next(self._events), depth=0)
        next(self._events)  # the document's end
        after = next(self._events)
        if not isinstance(after, yaml.StreamEndEvent):
            self._stop(after, "a second document starts here; keep one spec per file")
        return root

    def _parse(self) -> Iterator[yaml.Event]:
        """PyYAML's events; what it cannot read ends in a complaint."""
        last = Place(self._source, 1, 1)
        try:
            for event in yaml.parse(self._text, Loader=yaml.SafeLoader):
                last = self._place(event)
                yield event
        except yaml.MarkedYAMLError as error:
            self._complaints.stop(*explain(error, self._text, self._source))
        # PyYAML lets these out for impossible escapes ("\UFFFFFFFF") and versions of a thousand digits.
        except (ValueError, OverflowError, IndexError):
            self._complaints.stop(last, "what follows is not valid YAML; check its escapes and quotes")

    def _place(self, event: yaml.Event) -> Place:
        mark = event.start_mark
        assert mark is not None
        return Place(self._source, mark.line + 1, mark.column + 1)

    def _stop(self, event: yaml.Event, text: str) -> NoReturn:
        self._complaints.stop(self._place(event), text)

    def _node(self, event: yaml.Event, depth: int) -> Node:
        self._values += 1
        if depth > MAX_DEPTH:
            self._stop(event, f"nested more than {MAX_DEPTH} deep; a spec needs 4 levels")
        if self._values > MAX_VALUES:
            self._stop(event, f"more than {MAX_VALUES} values; split the spec")
        place = self._place(event)
        refused = self._refused(event)
        node: Node
        match event:
            case yaml.ScalarEvent():
                node = Broken(place) if refused else self._scalar(event, place)
            case yaml.SequenceStartEvent():
                node = Sequence(place, tuple(self._items(depth)))
            case yaml.MappingStartEvent():
                node = Mapping(place, tuple(self._pairs(depth)))
            case _:  # an alias
                return Broken(place)
        return Broken(place) if refused else node

    def _refused(self, event: yaml.Event) -> bool:
        """Whether a value is written by means that specs do not have; says so."""
        assert isinstance(event, yaml.NodeEvent)
        if isinstance(event, yaml.AliasEvent):
            text = f"*{event.anchor} is a YAML alias, which specs do not have; quote it if it is text"
        elif event.anchor is not None:
            text = f"&{event.anchor} is a YAML anchor, which specs do not have; quote it if it is text"
        elif isinstance(event, (yaml.ScalarEvent, yaml.CollectionStartEvent)) and event.tag is not None:
            tag = event.tag.replace("tag:yaml.org,2002:", "!!")
            text = f"{tag} is a YAML tag, which specs do not have; quote it if it is text"
        else:
            return False
        self._complaints.add(self._place(event), text)
        return True

    def _items(self, depth: int) -> Iterator[Node]:
        while not isinstance(event := next(self._events), yaml.SequenceEndEvent):
            yield self._node(event, depth + 1)

    def _pairs(self, depth: int) -> Iterator[Pair]:
        """The pairs of a mapping, without those whose key is refused."""
        seen: dict[str, Place] = {}
        while not isinstance(event := next(self._events), yaml.MappingEndEvent):
            key = self._node(event, depth + 1)
            value = self._node(next(self._events), depth + 1)
            if not isinstance(key, Scalar):
                if not isinstance(key, Broken):
                    self._complaints.add(key.place, "a key must be one word, not a list or a mapping")
            elif not isinstance(key.value, str):
                written = event.value if isinstance(event, yaml.ScalarEvent) else ""
                self._complaints.add(key.place, f"a key must be a word, not {written or 'nothing'}")
            elif key.value == "<<":
                self._complaints.add(key.place, "<< merges mappings in YAML, which specs do not have")
            elif key.value in seen:
                first = seen[key.value].line
                self._complaints.add(
                    key.place, f"key {key.value!r} is given twice, first in line {first}; remove one"
                )
            else:
                seen[key.value] = key.place
                yield Pair(key.value, key.place, value)

    def _scalar(self, event: yaml.ScalarEvent, place: Place) -> Node:
        """The value of a scalar: plain ones are resolved, quoted and block ones are text."""
        try:
            if event.style is None:
                return Scalar(place, check_visible(resolve(event.value)))
            if event.style == '"':
                assert event.start_mark is not None
                assert event.end_mark is not None
                self._check_escapes(self._text[event.start_mark.index : event.end_mark.index])
            value = event.value.rstrip("\n") if event.style in "|>" else event.value
            return Scalar(place, check_visible(value))
        except SpecError as error:
            self._complaints.add(place, str(error))
            return Broken(place)

    @staticmethod
    def _check_escapes(written: str) -> None:
        for escape in _ESCAPES.finditer(written):
            if escape.group(1):
                raise SpecError(
                    f"in double quotes {escape.group(1)} stands for another character; "
                    "use single quotes, or / in paths"
                )
