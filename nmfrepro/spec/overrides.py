"""What ``--set key=value`` puts in the place of what a spec says."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from ..core.errors import SpecError
from .complaints import Complaints, Place
from .scalars import check_visible, resolve
from .yamltree import Broken, Mapping, Node, Pair, Scalar, Sequence, parse, plain

# Sections that may be written as the name alone, and the key that the name then belongs to.
_SHORT = {"dataset": "name"}


def apply_overrides(tree: Node, overrides: Iterable[str], complaints: Complaints) -> Node:
    """The tree with the values of ``--set`` in it.

    Parameters
    ----------
    tree : Node
        A spec.
    overrides : iterable of str
        ``key=value`` with a dotted key: ``fit.max_iter=50``, ``protocol.clusters=[2, 4]``,
        ``algorithms.nlcf.mu=0.5``; a method is named by its `as`, or by its name where it comes once.
        Values follow the rules of the file; text needs no quotes.
    complaints : Complaints
        Told of keys given twice and of keys that lead nowhere.  Whether the key exists is for the reader
        of the tree to say: what was set carries its ``--set`` as its place.
    """
    seen: set[str] = set()
    for override in overrides:
        place = Place(f"--set {override}")
        key, equals, text = override.partition("=")
        path = [part.strip() for part in key.split(".")]
        if not equals or not all(path):
            complaints.add(place, "write --set key=value, for example --set fit.max_iter=50")
        elif key in seen:
            complaints.add(place, f"{key} is set twice; set it once")
        else:
            seen.add(key)
            value = _value(text.strip(), place, complaints)
            try:
                tree = _set(tree, path, value, place)
            except SpecError as error:
                complaints.add(place, str(error))
    return tree


def with_alternative(tree: Node, alternative: Pair, value: Node) -> Node:
    """The tree with one of the values that an alternative lists, in the place its dotted key names.

    Raises
    ------
    SpecError
        If the key leads nowhere.
    """
    return _set(tree, alternative.key.split("."), value, alternative.place)


def _value(text: str, place: Place, complaints: Complaints) -> Node:
    """What stands after the equals sign: YAML in brackets, braces or quotes, else a single word or text."""
    try:
        check_visible(text)
        if text[:1] not in ("[", "{", '"', "'"):
            return Scalar(place, resolve(text))
    except SpecError as error:
        complaints.add(place, str(error))
        return Broken(place)
    inside = Complaints()
    try:
        node = _placed(parse(text, place.source, inside), place)
    except SpecError:
        node = Broken(place)
    for message in inside.texts:
        complaints.add(place, message)
    return node


def _placed(node: Node, place: Place) -> Node:
    """The same values, all at one place: lines and columns mean nothing on a command line."""
    match node:
        case Sequence():
            return Sequence(place, tuple(_placed(item, place) for item in node.items))
        case Mapping():
            return Mapping(place, tuple(Pair(p.key, place, _placed(p.value, place)) for p in node.pairs))
        case _:
            return replace(node, place=place)


def _set(node: Node, path: list[str], value: Node, place: Place, above: str = "") -> Node:
    """A copy of `node` with `value` at the end of the path."""
    key, rest = path[0], path[1:]
    if isinstance(node, Broken):
        return node
    if above == "algorithms":
        return _set_algorithm(node, path, value, place)
    if isinstance(node, Scalar) and isinstance(node.value, str) and above in _SHORT:
        name = _SHORT[above]
        node = Mapping(node.place, (Pair(name, node.place, node),))
    if not isinstance(node, Mapping):
        there = f"{above} is {plain(node)!r}" if above else "the spec"
        raise SpecError(
            f"{there} is not a mapping, so {key} cannot be set in it; set {above or 'it'} as a whole"
        )
    if rest:
        inside = node.get(key)
        below = Mapping(place, ()) if inside is None else inside
        value = _set(below, rest, value, place, f"{above}.{key}" if above else key)
    new = Pair(key, place, value)
    if node.get(key) is None:
        return replace(node, pairs=(*node.pairs, new))
    if rest:  # the key stays where it was written
        new = replace(new, place=next(pair.place for pair in node.pairs if pair.key == key))
    return replace(node, pairs=tuple(new if pair.key == key else pair for pair in node.pairs))


def _set_algorithm(node: Node, path: list[str], value: Node, place: Place) -> Node:
    """A copy of the list of methods with a value set in one of them."""
    if not isinstance(node, Sequence):
        raise SpecError("algorithms is not a list; mend the spec first")
    wanted = ".".join(path)
    items = [_as_mapping(item) for item in node.items]
    # An `as` may hold dots itself: the longest one that fits is meant, before any plain name.
    for key in ("as", "name"):
        names = [name if isinstance(name := plain(each.get(key) or _NONE), str) else "" for each in items]
        fits = [name for name in names if name and wanted.startswith(f"{name}.")]
        if fits:
            name = max(fits, key=len)
            break
    else:
        known = dict.fromkeys(plain(each.get("as") or each.get("name") or _NONE) for each in items)
        raise SpecError(f"no listed algorithm fits; write algorithms.NAME.KEY with one of {_join(known)}")
    if names.count(name) > 1:
        raise SpecError(f"{name} is listed {names.count(name)} times; give each an `as` and name that")
    at = names.index(name)
    rest = wanted[len(name) + 1 :].split(".")
    changed = _set(items[at], rest, value, place, f"algorithms.{name}")
    return replace(node, items=(*node.items[:at], changed, *node.items[at + 1 :]))


_NONE = Scalar(Place(""), None)


def _join(names: Iterable[object]) -> str:
    return ", ".join(str(name) for name in names if name is not None)


def _as_mapping(item: Node) -> Mapping:
    """A line of `algorithms` in its long form; anything impossible as an empty mapping."""
    if isinstance(item, Mapping):
        return item
    if isinstance(item, Scalar):
        return Mapping(item.place, (Pair("name", item.place, item),))
    return Mapping(item.place, ())
