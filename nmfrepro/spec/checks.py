"""What a spec's parts must agree on, and the words in it that must name something known."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import islice

from .. import datasets, papers
from ..core.errors import SpecError
from ..core.options import options_of, suggest
from ..core.problem import FitSettings
from ..datasets import DatasetOptions
from ..protocols import Protocol
from . import Entry
from .complaints import Complaints
from .sections import Section
from .yamltree import Node, Scalar, Sequence

# A slip such as repeats: 1000000000 should be told, not planned.
MAX_TRIALS = 1_000_000


def check_possible(
    dataset: DatasetOptions,
    protocol: Protocol,
    section: Section,
    entries: tuple[Entry, ...],
    complaints: Complaints,
) -> None:
    """Refuse what cannot be run on the dataset, as far as that is known before any data is read.

    Parameters
    ----------
    dataset : DatasetOptions
        Resolved.
    protocol : Protocol
    section : Section
        What a complaint may be about: the protocol's keys, and every method under its name.
    entries : tuple of Entry
    complaints : Complaints
    """
    expected = datasets.expected(dataset)
    if expected is None:
        return
    try:
        protocol.check(expected, [entry.algorithm for entry in entries])
    except SpecError as error:
        complaints.add(section.place_of(str(error)), str(error))
        return
    enough = MAX_TRIALS // len(entries) + 1
    if len(entries) * sum(1 for _ in islice(protocol.cells(expected.n_classes), enough)) > MAX_TRIALS:
        complaints.add(section.place, f"this makes more than {MAX_TRIALS} trials; ask for fewer repeats")


def check_words(
    top: Section,
    dataset: DatasetOptions | None,
    protocol: Protocol | None,
    entries: tuple[Entry, ...],
    complaints: Complaints,
) -> None:
    """Refuse unknown and repeated names among a spec's metrics, settings and results to keep."""
    table = top.find("published")
    if table:
        _check([table.value], "published table", papers.names(), complaints)
        _check_published(table.value, dataset, complaints)
    if protocol:
        _check(_items(top, "metrics"), "metric", protocol.metrics, complaints)
    if protocol and entries:
        _check(_items(top, "inferred"), "setting", _settings(protocol, entries), complaints)
    _check(_items(top, "keep"), "result", None, complaints)
    pair = top.find("metrics")
    if pair and pair.value == Sequence(pair.value.place, ()):
        complaints.add(pair.value.place, "metrics lists none; name some, or leave it out for the usual ones")


def _check_published(table: Node, dataset: DatasetOptions | None, complaints: Complaints) -> None:
    """Refuse the published table of another dataset; a file of the user's own may be any."""
    name = table.value if isinstance(table, Scalar) else None
    if name in papers.names() and dataset is not None and dataset.name is not None:
        printed = papers.load(str(name)).source.dataset
        if printed not in (None, dataset.name):
            complaints.add(
                table.place, f"{name} is of {printed}, and the dataset is {dataset.name}; change one"
            )


def _items(top: Section, key: str) -> tuple[Node, ...]:
    pair = top.find(key)
    return pair.value.items if pair and isinstance(pair.value, Sequence) else ()


def _check(items: Iterable[Node], what: str, known: Iterable[str] | None, complaints: Complaints) -> None:
    """Complain of words that are not known (None: told elsewhere) or listed twice."""
    known = None if known is None else list(known)
    seen: set[str] = set()
    for item in items:
        word = item.value if isinstance(item, Scalar) else None
        if not isinstance(word, str):
            continue  # its type has been complained about
        if known is not None and word not in known:
            complaints.add(item.place, f"there is no {what} {word!r}; {suggest(word, known)}")
        elif word in seen:
            complaints.add(item.place, f"{what} {word!r} is listed twice; remove one")
        seen.add(word)


def _settings(protocol: Protocol, entries: Iterable[Entry]) -> dict[str, None]:
    """Everything a spec sets, as `inferred` names it."""
    algorithms = [entry.algorithm for entry in entries]
    names = [f"{each.name}.{name}" for each in algorithms for name in each.parameters]
    for section, cls in (("fit", FitSettings), ("protocol", type(protocol)), ("dataset", DatasetOptions)):
        names += [f"{section}.{name}" for name in options_of(cls)]
    names += [f"{each.name}.fit.{name}" for each in algorithms for name in options_of(FitSettings)]
    return dict.fromkeys(names)
