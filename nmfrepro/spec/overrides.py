"""What ``--set key=value`` puts in the place of what a spec says."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

from ..core.errors import Place, Setting, SpecError, one_line
from .complaints import Complaints
from .scalars import check_visible, resolve
from .sections import name_of
from .yamltree import BROKEN, Node, parse

ADDING = "algorithms+="
"""What an override begins with that adds a column, as ``--also`` does."""


def apply_overrides(
    tree: Node, overrides: Iterable[str], complaints: Complaints, also: Iterable[str] = ()
) -> Node:
    """The tree with the values of `overrides` and the methods of `also` in it.

    Parameters
    ----------
    tree : Node
        A spec.
    overrides : iterable of str
        ``key=value`` with a dotted key: ``fit.max_iter=50``, ``protocol.clusters=[2, 4]``,
        ``algorithms.nlcf.mu=0.5``; a method is named by its `as`, or by its name where it comes once.
        ``algorithms+=nlcf`` adds to a list.  Values follow the rules of the file; text needs no quotes.
    complaints : Complaints
        Told of keys given twice and of keys that lead nowhere.  Whether the key exists is for the reader
        of the tree to say: what was set carries as its place the setting that it was given with.
    also : iterable of str
        Methods to add to ``algorithms``: a name, or a mapping in braces.
    """
    seen: set[str] = set()
    settings = [(set_to(each), each) for each in overrides]
    settings += [(Setting("also", one_line(each)), f"{ADDING}{each}") for each in also]
    for setting, override in settings:
        place = Place(setting)
        _, equals, text = override.partition("=")
        key = key_of(override)
        path = key.split(".")
        if not equals or not all(path):
            complaints.add(place, "write key=value")
        elif not text.strip():
            complaints.add(place, f"nothing stands behind the equals sign; for nothing write {key}=null")
        elif key in seen and not key.endswith("+"):
            complaints.add(place, f"{key} is set twice; set it once")
        else:
            seen.add(key)
            with complaints.noting(place):
                tree = set_in(tree, path, value_of(text.strip(), place, complaints))
    return tree


def given(overrides: Iterable[str]) -> dict[str, Any]:
    """The values of `overrides` by key, where there is no spec that they change.

    Raises
    ------
    SpecError
        With all mistakes of the overrides.
    """
    complaints = Complaints()
    tree = apply_overrides(Node({}, Place(""), Place("")), overrides, complaints)
    complaints.raise_if_any()
    values: dict[str, Any] = tree.plain
    return values


def as_options(overrides: Iterable[str]) -> list[tuple[str, str]]:
    """What overrides are given with on the command line: ("--set", "seed=2"), ("--also", "nlcf")."""
    return [
        ("--also", each.removeprefix(ADDING)) if each.startswith(ADDING) else ("--set", each)
        for each in overrides
    ]


def set_to(override: str) -> Setting:
    """The setting that an override was given with, for messages."""
    text = one_line(override)
    return Setting("overrides", text, f"[{text!r}]")


def key_of(override: str) -> str:
    """The dotted key of a ``key=value``, without spaces around its parts."""
    return ".".join(part.strip() for part in override.partition("=")[0].split("."))


def value_of(text: str, place: Place, complaints: Complaints) -> Node:
    """What stands after the equals sign: YAML in brackets, braces or quotes, else a single word or text.

    Every mistake is told at `place`: lines and columns mean nothing on a command line.

    Raises
    ------
    SpecError
        If it cannot be read.
    """
    if text[:1] in ("[", "{", '"', "'"):
        return parse(text, "", complaints, place)
    return Node(check_visible(resolve(text)), place, place)


def set_in(node: Node, path: Sequence[str], value: Node, above: str = "") -> Node:
    """A copy of a node with a value where the parts of a dotted key lead; `above` is the node's own key.

    Raises
    ------
    SpecError
        If the key leads nowhere.
    """
    key, rest = path[0], path[1:]
    if node.value is BROKEN:
        return node
    if above == "algorithms":
        return _set_algorithm(node, path, value)
    if above == "dataset":
        node = node.as_mapping
    if not isinstance(node.value, dict):
        there = f"{above} is {node.plain!r}," if above else "the spec is"
        raise SpecError(f"{there} not a mapping: {key} cannot be set in it; set {above or 'it'} as a whole")
    adds, key = key.endswith("+"), key.removesuffix("+")
    old = node.pairs.get(key)
    if adds:
        if rest or old is None or not isinstance(old.value, tuple):
            raise SpecError(f"{key} is no list of the spec: nothing can be added to it; set it as a whole")
        # What is wrong of the whole list, as a value twice, came with what was added.
        new = replace(old, value=(*old.items, value), place=value.place, key=value.place)
    elif rest:
        below = old or Node({}, value.place, value.key)
        new = set_in(below, rest, value, f"{above}.{key}" if above else key)
    else:
        new = value
    return replace(node, value=node.value | {key: new})


def _set_algorithm(node: Node, path: Sequence[str], value: Node) -> Node:
    """A copy of the list of methods with a value set in one of them."""
    if not isinstance(node.value, tuple):
        raise SpecError("algorithms is not a list; mend the spec first")
    wanted = ".".join(path)
    called = [_called(item) for item in node.items]
    # An `as` may hold dots itself: the longest one that fits is meant, before any plain name.
    for names in ([label for label, _ in called], [name for _, name in called]):
        if meant := [name for name in names if name and wanted.startswith(f"{name}.")]:
            name = max(meant, key=len)
            break
    else:
        known = dict.fromkeys(label or name for label, name in called if label or name)
        raise SpecError(f"no listed algorithm fits; write algorithms.NAME.KEY with one of {', '.join(known)}")
    if names.count(name) > 1:
        raise SpecError(f"{name} is listed {names.count(name)} times; give each an `as` and name that")
    at = names.index(name)
    inside = wanted[len(name) + 1 :].split(".")
    changed = set_in(node.items[at].as_mapping, inside, value, f"algorithms.{name}")
    return replace(node, value=(*node.items[:at], changed, *node.items[at + 1 :]))


def _called(item: Node) -> tuple[str, str]:
    """The `as` and the name of a line of `algorithms`, empty where it has none."""
    label, name = item.pairs["as"].plain if "as" in item.pairs else "", name_of(item)
    return (label if isinstance(label, str) else "", name if isinstance(name, str) else "")
