"""What a spec's parts must agree on, and the words in it that must name something known."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from contextlib import contextmanager
from typing import Any

from .. import datasets, papers
from ..core.errors import SpecError, suggest
from ..core.options import WORD, options_of
from ..core.problem import FitSettings
from ..datasets import DatasetOptions, Expected
from ..protocols import Protocol
from . import Entry, Spec
from .columnlabels import show
from .complaints import Complaints
from .sections import Section
from .yamltree import Node

# A slip such as repeats: 1000000000 should be told, not planned.
MAX_TRIALS = 1_000_000
_MANY = 10**9
# A file that nobody has opened yet: only what would fit no data is refused.
ANYTHING = Expected(_MANY, _MANY, _MANY, _MANY, (_MANY, _MANY), opened=False)


def check_possible(
    dataset: DatasetOptions, protocol: Protocol, section: Section, entries: tuple[Entry, ...]
) -> None:
    """Refuse what cannot be run on the dataset, as far as that is known before any data is read.

    Parameters
    ----------
    dataset : DatasetOptions
        Resolved.
    protocol : Protocol
    section : Section
        What a complaint may be about: the protocol's keys, and the spec's `algorithms`.
    entries : tuple of Entry
        Empty where some of them cannot be read: what is said of a part would be wrong of all.
    """
    expected, complaints = datasets.expected(dataset) or ANYTHING, section.complaints
    with complaints.noting(section.place_of):
        if not entries:
            protocol.check_data(expected)
            return
        protocol.check(expected, [entry.algorithm for entry in entries])
        for entry in entries:
            protocol.check_fit(entry.algorithm, entry.fit)
        _check_chosen(protocol, entries)
        if why := unplanned(protocol, expected.n_classes, len(entries)):
            complaints.add(section.place, why)


def check_rest(dataset: Section | None, protocol: Section | None, kind: type[Protocol] | None) -> None:
    """Tell what is wrong of allowed values of a dataset and a protocol where others there are not allowed."""
    expected = None
    if dataset:
        options, given = dataset.rest(DatasetOptions)
        if options and options.name:
            with _noting_of(given, dataset):
                expected = datasets.expected(options)
    if protocol and kind and expected:
        made, given = protocol.rest(kind, ("kind",))
        if made:
            with _noting_of(given, protocol):
                made.check_data(expected)


@contextmanager
def _noting_of(given: Collection[str], section: Section) -> Iterator[None]:
    """Note a mistake if it is of an option that is given; of another it may come of a wrong value."""
    try:
        yield
    except SpecError as error:
        if error.unknown or error.option in given:
            section.complaints.add(section.place_of(error), error)


def _check_chosen(protocol: Protocol, entries: tuple[Entry, ...]) -> None:
    """Raise `SpecError` where columns are told apart by what the protocol chooses for itself."""
    seen: list[tuple[Entry, object]] = []
    for entry in entries:
        method = entry.algorithm
        choices = protocol.chooses(method.name, method.parameters)
        chosen = {name for name, used in choices.items() if not used}
        if not chosen:
            continue
        rest = {name: value for name, value in method.parameters.items() if name not in chosen}, entry.fit
        twin = [each for each, other in seen if each.algorithm.name == method.name and other == rest]
        if twin or chosen & entry.sweep.keys():
            columns = f"{twin[0].label} and {entry.label}" if twin else entry.label
            what = f"{' and '.join(sorted(chosen))} is chosen for every draw, whatever the column's own value"
            how = f"list {method.name} once, without a sweep of it"
            raise SpecError(f"{columns}: {what}; {how}", option=f"algorithms.{method.name}")
        seen.append((entry, rest))


def not_as_given(spec: Spec) -> Iterator[str]:
    """That values which a spec gives are not those of its trials, since the protocol chooses its own."""
    given = [
        f"{name} = {show(entry.settings[name])} of {entry.label}"
        for entry in spec.entries
        for name in entry.given
        if name in spec.protocol.chooses(entry.algorithm.name, entry.algorithm.parameters)
    ]
    if given:
        yield f"chosen trial by trial, not as given: {', '.join(given)}"


def unplanned(protocol: Protocol, n_classes: int, columns: int) -> str:
    """Why a protocol's cells make no plan; empty where they do.

    They are more than anybody means; or a user's class yields none, one twice, or one that is elsewhere.
    """
    where, seen = protocol.coordinates, set[tuple[int, ...]]()
    told = f"cells of class {type(protocol).__name__} yields"
    form = f"{{{', '.join(f'{name!r}: …' for name in where)}}} in whole numbers"
    cells: Iterable[Any] = protocol.cells(n_classes) or ()
    for cell in cells:
        if (len(seen) + 1) * columns > MAX_TRIALS:
            return f"this makes more than {MAX_TRIALS} trials; ask for fewer repeats"
        named = isinstance(cell, dict) and cell.keys() == {*where}
        if not named or not all(type(value) is int for value in cell.values()):
            return f"{told} {cell!r}, and must yield {form}"
        at = tuple(cell[name] for name in where)
        if at in seen:
            return f"{told} {cell!r} twice; yield it once"
        seen.add(at)
    return "" if seen else f"{told} nothing, and must yield {form}"


def check_words(top: Section, dataset: DatasetOptions | None, protocol: type[Protocol] | None) -> None:
    """Refuse unknown and repeated names among a spec's metrics and results to keep, and another's table."""
    nodes, complaints = top.nodes, top.complaints
    table = nodes.get("published")
    if table:
        _check([table], "published table", papers.names(), complaints)
    named = table is not None and isinstance(table.value, str) and table.value in papers.names()
    if table and named and dataset is not None and dataset.name is not None:
        printed = papers.load(table.value).source.dataset
        if printed not in (None, dataset.name):
            text = f"{table.value} is of {printed}, and the dataset is {dataset.name}; change one"
            complaints.add(table.place, text)
    if protocol and "metrics" in nodes:
        _check(_items(nodes["metrics"]), "metric", protocol.measures(), complaints)
    if "keep" in nodes:
        _check(_items(nodes["keep"]), "result", None, complaints)
    if "metrics" in nodes and nodes["metrics"].value == ():
        complaints.add(nodes["metrics"].place, "metrics lists none; name some, or leave it out")


def check_inferred(top: Section, protocol: Protocol, entries: Iterable[Entry]) -> None:
    """Refuse settings said to be found by calibration that the spec does not have."""
    if "inferred" in top.nodes:
        algorithms = [entry.algorithm for entry in entries]
        fit = options_of(FitSettings)
        known = [f"{each.name}.{name}" for each in algorithms for name in each.parameters]
        for section, cls in (("fit", FitSettings), ("protocol", type(protocol)), ("dataset", DatasetOptions)):
            known += [f"{section}.{name}" for name in options_of(cls)]
        known += [f"{each.name}.fit.{name}" for each in algorithms for name in fit]
        _check(_items(top.nodes["inferred"]), "setting", dict.fromkeys(known), top.complaints)


def _items(node: Node) -> tuple[Node, ...]:
    """The words of a list; a single word is a list of one."""
    single = isinstance(node.value, str) and WORD.fullmatch(node.value)
    return (node,) if single else node.items


def _check(items: Iterable[Node], what: str, known: Iterable[str] | None, complaints: Complaints) -> None:
    """Complain of words that are not known (None: told elsewhere) or listed twice."""
    known = None if known is None else list(known)
    seen: set[str] = set()
    for item in items:
        word = item.value
        if not isinstance(word, str):
            continue  # its type has been complained about
        if known is not None and word not in known:
            complaints.add(item.place, f"there is no {what} {word!r}; {suggest(word, known)}")
        elif word in seen:
            complaints.add(item.place, f"{what} {word!r} is listed twice; remove one")
        seen.add(word)
