"""A spec's YAML as a tree of located values.

PyYAML scans and composes; what a word means is decided by `scalars` instead of its YAML 1.1 rules.  What a
spec has no use for and what hides mistakes or attacks (tags, anchors, merge keys, repeated keys, several
documents, deep nesting) is refused.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, cast

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
_REFUSED = "!refused"


@dataclass(frozen=True)
class Node:
    """A value and where it is written."""

    value: Any
    place: Place
    key: Place | None = None  # where its key is written, of a value in a mapping

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


def parse(text: str, source: str, complaints: Complaints) -> Node:
    """The tree of a text; see `read_tree`."""
    try:
        loader = _Loader(text, source, complaints)
        root = loader.get_single_node()
    except (yaml.YAMLError, ValueError, OverflowError, IndexError) as error:
        complaints.stop(explain(error, text, source))
    if root is None:
        complaints.stop(
            SpecError("the file is empty; write a spec, see the README", place=Place(source, 1, 1))
        )
    return loader.located(root)


class _Loader(yaml.SafeLoader):
    """PyYAML's composer, with what specs do not have refused before anything is made of it."""

    def __init__(self, text: str, source: str, complaints: Complaints) -> None:
        self._text, self._source, self._complaints = text, source, complaints
        self._depth = self._values = 0
        super().__init__(text)

    def compose_node(self, parent: yaml.Node | None, index: Any) -> yaml.Node:
        """A node of the tree; one that was complained about has the tag `_REFUSED`."""
        event: Any = self.peek_event()  # type: ignore[no-untyped-call]
        place, start = self._place(event), event.start_mark
        self._values += 1
        if self._depth > MAX_DEPTH:
            self._complaints.stop(
                SpecError(f"nested more than {MAX_DEPTH} deep; a spec needs 4 levels", place=place)
            )
        if self._values > MAX_VALUES:
            self._complaints.stop(SpecError(f"more than {MAX_VALUES} values; split the spec", place=place))
        written = tag = ""
        if isinstance(event, yaml.AliasEvent):
            self.get_event()  # type: ignore[no-untyped-call]
            written = f"*{event.anchor} is a YAML alias"
        elif event.anchor is not None:
            written, event.anchor = f"&{event.anchor} is a YAML anchor", None
        elif event.tag is not None:
            tag = event.tag.replace("tag:yaml.org,2002:", "!!")
            written, event.tag = f"{tag} is a YAML tag", None
        if written:
            self._complaints.add(place, f"{written}, which specs do not have; quote it if it is text")
        if isinstance(event, yaml.AliasEvent):
            return yaml.ScalarNode(_REFUSED, "", start, start)
        self._depth += 1
        node: Any = super().compose_node(parent, index)
        self._depth -= 1
        if written:
            node.tag = _REFUSED
        return cast(yaml.Node, node)

    def located(self, node: yaml.Node, key: Place | None = None) -> Node:
        """PyYAML's node as ours."""
        place = self._place(node)
        value: Any
        if isinstance(node, yaml.ScalarNode):
            value = BROKEN if node.tag == _REFUSED else self._scalar(node, place)
        elif isinstance(node, yaml.SequenceNode):
            value = tuple(self.located(item) for item in node.value)
        else:
            value = self._mapping(node)
        return Node(BROKEN if node.tag == _REFUSED else value, place, key)

    def _mapping(self, node: yaml.Node) -> dict[str, Node]:
        """The values of a mapping, without those whose key is refused."""
        found: dict[str, Node] = {}
        for key_node, value_node in node.value:
            key = self.located(key_node)
            value = self.located(value_node, key.place)
            if isinstance(key.value, (tuple, dict)):
                self._complaints.add(key.place, "a key must be one word, not a list or a mapping")
            elif key.value is not BROKEN and not isinstance(key.value, str):
                self._complaints.add(key.place, f"a key must be a word, not {key_node.value or 'nothing'}")
            elif key.value == "<<":
                self._complaints.add(key.place, "<< merges mappings in YAML, which specs do not have")
            elif isinstance(key.value, str) and (before := found.get(key.value)) is not None:
                line = before.key.line if before.key else 0
                text = f"key {key.value!r} is given twice, first in line {line}; remove one"
                self._complaints.add(key.place, text)
            elif isinstance(key.value, str):
                found[key.value] = value
        return found

    def _scalar(self, node: yaml.ScalarNode, place: Place) -> Any:
        """The value of a scalar: plain ones are resolved, quoted and block ones are text."""
        try:
            if node.style is None:
                return check_visible(resolve(node.value))
            if node.style == '"':
                self._check_escapes(self._text[node.start_mark.index : node.end_mark.index])
            return check_visible(node.value.rstrip("\n") if node.style in "|>" else node.value)
        except SpecError as error:
            self._complaints.add(place, error)
            return BROKEN

    def _place(self, written: Any) -> Place:
        return Place(self._source, written.start_mark.line + 1, written.start_mark.column + 1)

    @staticmethod
    def _check_escapes(written: str) -> None:
        for escape in _ESCAPES.finditer(written):
            if escape.group(1):
                raise SpecError(
                    f"in double quotes {escape.group(1)} stands for another character; "
                    "use single quotes, or / in paths"
                )
