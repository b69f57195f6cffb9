"""The `algorithms` of a spec: each line becomes one column of the table, a sweep several."""

from __future__ import annotations

import itertools
from collections.abc import Collection, Iterator
from dataclasses import dataclass, replace
from typing import Any

from .. import algorithms
from ..algorithms import Algorithm, Iterative
from ..core.errors import SpecError
from ..core.options import Option, options_of, suggest
from ..core.problem import FitSettings
from . import Entry
from .columnlabels import Candidate, label_all
from .complaints import Complaints, Place
from .sections import Section, describe, make, open_section, read_value, read_values
from .yamltree import Broken, Mapping, Node, Pair, Scalar, Sequence, is_broken

EXAMPLE = "{name: nlcf, mu: 0.1}"
OWN_KEYS = ("name", "as", "fit")
REQUIRED_FIT = ("restarts", "max_iter", "tol")
MAX_ENTRIES = 500

# Reading the options of a class takes a millisecond, too long for each of thousands of wrong keys.
_FIT = options_of(FitSettings)
_LABEL = Option("as", (str,), None, None, None, False, (), "the column's name")


@dataclass(frozen=True)
class GlobalFit:
    """The spec's `fit`: the settings, and where they are written.

    Attributes
    ----------
    settings : FitSettings
        Defaults in the place of what was complained about.
    section : Section
        Without pairs where the spec has no `fit`.
    """

    settings: FitSettings
    section: Section

    def place(self, name: str) -> Place:
        """Where a setting is written, else where `fit` is."""
        pair = self.section.find(name)
        return pair.value.place if pair else self.section.place


def read_entries(node: Node, fit: GlobalFit, complaints: Complaints) -> tuple[Entry, ...]:
    """The columns of the table, with labels that tell them apart.

    Parameters
    ----------
    node : Node
        What the spec says under `algorithms`.
    fit : GlobalFit
    complaints : Complaints

    Returns
    -------
    tuple of Entry
        In the order of the spec; without those that were complained about.

    Notes
    -----
    A global `inner` does not reach methods whose number of iterations is part of them (`fixed_budget`):
    their entry has ``fit.inner`` None unless its own `fit` asks for it.  A global `tol` above 0 is refused
    with such a method, since ignoring it would be silent.
    """
    if isinstance(node, Broken):
        return ()
    if not isinstance(node, Sequence):
        complaints.add(
            node.place, f"algorithms must be a list such as [nmf, {EXAMPLE}], not {describe(node)}"
        )
        return ()
    if not node.items:
        complaints.add(node.place, f"algorithms lists none; write for example [nmf, {EXAMPLE}]")
    candidates: list[Candidate] = []
    for item in node.items:
        candidates += _read_item(item, fit, complaints)
        if len(candidates) > MAX_ENTRIES:
            complaints.stop(item.place, f"more than {MAX_ENTRIES} columns so far; make the sweeps smaller")
    _check_required(candidates, fit, complaints)
    return label_all(candidates, complaints)


def named_items(node: Node) -> tuple[Pair, ...]:
    """The lines of `algorithms`, each under its method's name, to find what a complaint is about."""
    found = []
    for item in node.items if isinstance(node, Sequence) else ():
        name = item.get("name") if isinstance(item, Mapping) else item
        if isinstance(name, Scalar) and isinstance(name.value, str):
            found.append(Pair(name.value, item.place, item))
    return tuple(found)


def _read_item(item: Node, fit: GlobalFit, complaints: Complaints) -> list[Candidate]:
    """One line of the list, once for every point of its sweeps."""
    if isinstance(item, Scalar) and isinstance(item.value, str):
        section: Section | None = Section("", item.place, ())
        named: Node | None = item
    else:
        section = open_section(item, "an algorithm", f"nmf or {EXAMPLE}", complaints)
        named = item.get("name") if isinstance(item, Mapping) else None
    if section is None:
        return []
    cls = _algorithm(named, section, complaints)
    if cls is None:
        return []
    section = replace(section, what=f"algorithm {cls.name}")
    before = len(complaints)
    own = _own_fit(section, cls, fit, complaints)
    label = section.find("as")
    base = read_value(_LABEL, label.value, complaints).get("as") if label else None
    if base is not None and not base.strip():
        complaints.add(section.place, "as is empty; give the column a name or leave `as` out")
    swept, points = _parameters(section, cls, complaints)
    if len(complaints) > before or own is None or is_broken(item):
        return []
    place = label.value.place if label else section.place
    made = [(point, make(cls, point, section, complaints)) for point in points]
    for _, method in made:
        _check_settings(method, own, section, fit, complaints)
    return [
        Candidate(method, base, own, {name: point[name] for name in swept}, place)
        for point, method in made
        if method is not None
    ]


def _algorithm(named: Node | None, section: Section, complaints: Complaints) -> type[Algorithm] | None:
    """The class that an item names; None after a complaint."""
    if isinstance(named, Broken):
        return None
    if not isinstance(named, Scalar) or not isinstance(named.value, str):
        text = f"an algorithm needs its name: {EXAMPLE}"
        if named is None and len(section.pairs) == 1 and section.pairs[0].key in algorithms.registry():
            text = f"write {{name: {section.pairs[0].key}, …}}: parameters stand beside the name"
        complaints.add(named.place if named else section.place, text)
        return None
    try:
        return algorithms.get(named.value)
    except SpecError as error:
        complaints.add(named.place, str(error))
        return None


def _parameters(
    section: Section, cls: type[Algorithm], complaints: Complaints
) -> tuple[list[str], list[dict[str, Any]]]:
    """Names of the swept parameters, and the parameters of every point of the sweeps."""
    sweeps: dict[str, list[Any]] = {}
    single: list[Any] = []
    options = options_of(cls)
    for pair in section.pairs:
        sweep = pair.value.get("sweep") if isinstance(pair.value, Mapping) else None
        if sweep is None or pair.key not in options:
            single.append(pair)
        else:
            assert isinstance(pair.value, Mapping)
            sweeps[pair.key] = _read_sweep(options[pair.key], pair.value, sweep, complaints)
    values: dict[str, Any] = {}
    for pair in single:
        if pair.key in options:
            several = f"for several values write {pair.key}: {{sweep: [0.01, 0.1, 1]}}"
            values |= read_value(options[pair.key], pair.value, complaints, several)
        elif pair.key not in OWN_KEYS:
            complaints.add(
                pair.place, f"{section.what} has no parameter {pair.key!r}; {_remedy(pair.key, options)}"
            )
    for name, option in options.items():
        if option.required and name not in values and name not in sweeps and section.find(name) is None:
            complaints.add(section.place, f"{section.what} needs {name} ({option.allowed}): {option.help}")
    count = 1
    for points in sweeps.values():
        count *= len(points)
    if count > MAX_ENTRIES:
        complaints.stop(section.place, f"the sweeps make {count} columns; {MAX_ENTRIES} are possible")
    return list(sweeps), [values | point for point in _grid(sweeps)]


def _grid(sweeps: dict[str, list[Any]]) -> Iterator[dict[str, Any]]:
    for point in itertools.product(*sweeps.values()):
        yield dict(zip(sweeps, point, strict=True))


def _read_sweep(option: Option, node: Mapping, sweep: Node, complaints: Complaints) -> list[Any]:
    """The values of a sweep, in its order."""
    for pair in node.pairs:
        if pair.key != "sweep":
            complaints.add(pair.place, f"{option.name} has a sweep and {pair.key!r}; a sweep stands alone")
    if isinstance(sweep, Broken):
        return []
    if not isinstance(sweep, Sequence) or not sweep.items:
        complaints.add(sweep.place, f"a sweep is a list of values: {option.name}: {{sweep: [0.01, 0.1, 1]}}")
        return []
    values: list[Any] = []
    for item in sweep.items:
        read = read_value(option, item, complaints)
        if read and read[option.name] in values:
            complaints.add(
                item.place, f"the sweep of {option.name} holds {read[option.name]!r} twice; drop one"
            )
        values += read.values()
    return values


def _remedy(key: str, options: Collection[str]) -> str:
    """What to do about a key that the method does not have."""
    if key in _FIT:
        return f"settings of the fit go under fit: {{{key}: …}}"
    return suggest(key, options) if options else "it has none"


def _own_fit(
    section: Section, cls: type[Algorithm], fit: GlobalFit, complaints: Complaints
) -> FitSettings | None:
    """The global settings with the entry's own in their place; None after a complaint."""
    pair = section.find("fit")
    own = Section(f"fit of {section.what}", section.place, ())
    if pair is not None:
        opened = open_section(pair.value, own.what, "{max_iter: 100}", complaints)
        if opened is None:
            return None
        own = opened
    parameters = options_of(cls)
    for each in own.pairs:
        if each.key in _FIT and each.key not in cls.fit_settings:
            where = f"; write it beside name: {EXAMPLE}" if each.key in parameters else ""
            complaints.add(each.place, f"{cls.name} does not use the fit setting {each.key}{where}")
    values = read_values(FitSettings, own, complaints, complete=False)
    settings = replace(fit.settings, **values)
    if cls.fixed_budget and "inner" not in values:
        settings = replace(settings, inner=None)
    _check_budget(cls, settings, own, fit, complaints)
    _check_inner(cls, settings, own, fit, complaints)
    return settings


def _check_budget(
    cls: type[Algorithm], settings: FitSettings, own: Section, fit: GlobalFit, complaints: Complaints
) -> None:
    if cls.fixed_budget and settings.tol > 0:
        pair = own.find("tol")
        complaints.add(
            pair.value.place if pair else fit.place("tol"),
            f"the number of iterations is part of {cls.name}, so its tol must be 0: write fit: {{tol: 0}} "
            "beside its name, or tol: 0 for all",
        )


def _check_inner(
    cls: type[Algorithm], settings: FitSettings, own: Section, fit: GlobalFit, complaints: Complaints
) -> None:
    """Refuse repeats for factors that the method does not have, or that are no counts."""
    if (
        "inner" not in cls.fit_settings
        or not isinstance(settings.inner, dict)
        or not issubclass(cls, Iterative)
    ):
        return
    pair = own.find("inner") or fit.section.find("inner")
    assert pair is not None
    for name, repeats in settings.inner.items():
        if name not in cls.factors:
            remedy = "" if own.find("inner") else f"; give {cls.name} its own fit: {{inner: …}}"
            complaints.add(
                pair.value.place,
                f"inner names factor {name!r}; those of {cls.name} are {', '.join(cls.factors)}{remedy}",
            )
        elif isinstance(repeats, bool) or not isinstance(repeats, int) or repeats < 1:
            complaints.add(pair.value.place, f"inner {name} must be a whole number >= 1, not {repeats!r}")


def _check_settings(
    method: Algorithm | None, settings: FitSettings, section: Section, fit: GlobalFit, complaints: Complaints
) -> None:
    """Refuse settings with which a method cannot be run, at the place where they are written."""
    if method is None:
        return
    try:
        method.check_settings(settings)
    except SpecError as error:
        pair = section.find("fit")
        own = pair.value.pairs if pair and isinstance(pair.value, Mapping) else ()
        written = replace(section, pairs=own + fit.section.pairs + section.pairs)
        complaints.add(written.place_of(str(error)), str(error))


def _check_required(candidates: list[Candidate], fit: GlobalFit, complaints: Complaints) -> None:
    """Specs write restarts, max_iter and tol out wherever a listed method uses them."""
    for name in REQUIRED_FIT:
        users = [each.algorithm.name for each in candidates if name in each.algorithm.fit_settings]
        if users and fit.section.find(name) is None:
            text = _FIT[name]
            complaints.add(
                fit.section.place, f"fit needs {name} ({text.allowed}) for {users[0]}: {text.help}"
            )
