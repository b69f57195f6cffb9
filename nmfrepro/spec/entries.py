"""The `algorithms` of a spec: each line becomes one column of the table, a sweep several."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from .. import algorithms
from ..algorithms import Algorithm
from ..algorithms.engine.solver import check_run
from ..core.errors import SpecError
from ..core.options import Option, options_of
from ..core.problem import FitSettings
from . import Entry
from .columnlabels import label_all
from .sections import Section, open_section, shown, spaced
from .yamltree import BROKEN, Node

EXAMPLE = "{name: nlcf, mu: 0.1}"
OWN_KEYS = ("name", "as", "fit")
FIT_EXAMPLE = "{restarts: 10, max_iter: 2000, tol: 0}"
REQUIRED_FIT = ("restarts", "max_iter", "tol")
MAX_ENTRIES = 500

_FIT = options_of(FitSettings)
_LABEL = Option("as", (str,), default=None, help="the column's name")


def read_entries(node: Node, fit: Section, settings: FitSettings) -> tuple[Entry, ...]:
    """The columns of the table in the order of the spec, with labels that tell them apart.

    `fit` is the spec's, empty where it has none, and `settings` what it says.  Entries that were complained
    about are left out.  A global `inner` does not reach methods whose number of iterations is part of them
    (`fixed_budget`): their entry has ``fit.inner`` None unless its own `fit` asks for it.  A global `tol`
    above 0 is refused with such a method, since ignoring it would be silent.
    """
    complaints = fit.complaints
    if node.value is BROKEN:
        return ()
    if not isinstance(node.value, tuple):
        complaints.add(node.place, f"algorithms must be a list, as [nmf, {EXAMPLE}], not {shown(node)}")
        return ()
    if not node.value:
        complaints.add(node.place, f"algorithms lists none; write for example [nmf, {EXAMPLE}]")
    entries: list[Entry] = []
    for item in node.items:
        entries += _read_item(item, fit, settings)
        if len(entries) > MAX_ENTRIES:
            complaints.stop(item.place, f"more than {MAX_ENTRIES} columns so far; make the sweeps smaller")
    return label_all(entries, complaints)


def _read_item(item: Node, fit: Section, settings: FitSettings) -> list[Entry]:
    """One line of the list, once for every point of its sweeps; the label is the spec's `as` or empty."""
    complaints = fit.complaints
    section = open_section(item.as_mapping, "an algorithm", f"nmf or {EXAMPLE}", complaints)
    cls = _algorithm(section) if section else None
    if section is None or cls is None:
        return []
    section = replace(section, what=f"algorithm {cls.name}", called="parameter")
    before = len(complaints)
    own, about = _own_fit(section, cls, fit, settings)
    label = section.nodes.get("as")
    base = section.value(_LABEL, label).get("as") if label else None
    if base is not None and not base.strip():
        complaints.add(section.place, "as is empty; give the column a name or leave `as` out")
    swept, points = _parameters(section, cls)
    if len(complaints) > before or item.broken:
        return []
    entries = []
    for point in points:
        method: Algorithm | None = section.make(cls, point)
        if method is not None:
            with complaints.noting(about.place_of):
                method.check_settings(own)
            sweep = {name: point[name] for name in swept}
            place = label.place if label else section.place
            entries.append(Entry(method, base or "", own, sweep, place, tuple(point)))
    return entries


def _algorithm(section: Section) -> type[Algorithm] | None:
    """The class that an item names; None after a complaint."""
    named = section.nodes.get("name")
    if named is not None and named.value is BROKEN:
        return None
    if named is None or not isinstance(named.value, str):
        text = f"an algorithm needs its name: {EXAMPLE}"
        only = next(iter(section.nodes), "")
        if named is None and len(section.nodes) == 1 and only in algorithms.registry():
            text = f"write {{name: {only}, …}}: parameters stand beside the name"
        elif named is None and ":" in only:
            text = spaced(only)
        section.complaints.add(named.place if named else section.place, text)
        return None
    cls = None
    with section.complaints.noting(named.place):
        cls = algorithms.get(named.value)
    return cls


def _parameters(section: Section, cls: type[Algorithm]) -> tuple[list[str], list[dict[str, Any]]]:
    """Names of the swept parameters, and the parameters of every point of the sweeps."""
    options = options_of(cls)
    swept = {key: node for key, node in section.nodes.items() if key in options and "sweep" in node.pairs}
    sweeps = {key: _read_sweep(options[key], node, section) for key, node in swept.items()}
    values = section.values(cls, (*OWN_KEYS, *swept), dict.fromkeys(_FIT, "fit"))
    count = math.prod(map(len, sweeps.values()))
    if count > MAX_ENTRIES:
        section.complaints.stop(section.place, f"sweeps make {count} columns; {MAX_ENTRIES} are possible")
    grid = itertools.product(*sweeps.values())
    return list(sweeps), [values | dict(zip(sweeps, point, strict=True)) for point in grid]


def _read_sweep(option: Option, node: Node, section: Section) -> list[Any]:
    """The values of a sweep, in its order."""
    sweep, complaints = node.pairs["sweep"], section.complaints
    for key, other in node.pairs.items():
        if key != "sweep":
            complaints.add(other.key, f"{option.name} has a sweep and {key!r}; a sweep stands alone")
    if not sweep.items and sweep.value is not BROKEN:
        complaints.add(sweep.place, f"a sweep is a list of values: {option.name}: {{sweep: [0.01, 0.1, 1]}}")
    values: list[Any] = []
    for item in sweep.items:
        read = section.value(option, item)
        if read and read[option.name] in values:
            complaints.add(item.place, f"{option.name} sweeps {read[option.name]!r} twice; drop one")
        values += read.values()
    return values


def _own_fit(
    section: Section, cls: type[Algorithm], fit: Section, given: FitSettings
) -> tuple[FitSettings, Section]:
    """The global settings with the entry's own in their place; where they and its parameters are written."""
    what, complaints = f"fit of {section.what}", section.complaints
    own = open_section(section.nodes.get("fit"), what, "{max_iter: 100}", complaints)
    own = own or replace(section, what=what, nodes={}, called="key")
    about = replace(section, nodes={**section.nodes, **fit.nodes, **own.nodes})
    for key, each in own.nodes.items():
        if key in _FIT and key not in cls.fit_settings:
            where = f"; write it beside name: {EXAMPLE}" if key in options_of(cls) else ""
            complaints.add(each.key, f"{cls.name} does not use the fit setting {key}{where}")
    values = own.values(FitSettings, (), {})
    settings = about.make(FitSettings, vars(given) | values) or given
    if cls.fixed_budget and "inner" not in values:
        settings = replace(settings, inner=None)
    try:
        check_run(cls, settings.used_by(cls.fit_settings))
    except SpecError as error:
        place = about.place_of(error)
        if error.option not in own.nodes:
            error = error.advised(f"{cls.name} may have its own fit: {{{error.option}: …}}")
        complaints.add(place, error)
    return settings, about


def check_required(entries: Sequence[Entry], fit: Section) -> None:
    """Specs write restarts, max_iter and tol out wherever a listed method uses them."""
    methods = [each.algorithm for each in entries]
    used = [name for name in REQUIRED_FIT if any(name in each.fit_settings for each in methods)]
    if lacking := [name for name in used if not fit.has(name, _FIT)]:
        user = next(each.name for each in methods if lacking[0] in each.fit_settings)
        text = f"fit needs {', '.join(lacking)} for {user}, for example fit: {FIT_EXAMPLE}"
        fit.complaints.add(fit.place, text)
