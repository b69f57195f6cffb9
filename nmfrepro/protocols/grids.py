"""Lists of values for parameters, as `scan` and `choose` of a spec give them, and what was chosen of them."""

from __future__ import annotations

import itertools
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import Any

from ..algorithms import Algorithm
from ..core.errors import Setting, SpecError
from ..core.options import in_words, options_of
from .base import require

# The values to try, by parameter, in the order of the scans.
Grids = dict[str, tuple[Any, ...]]

# The notes of trials that say what was chosen: the values, then where a scan began.
_CHOSEN = re.compile(r"(?:scan of \d+ fits|on other draws) chose (\w+ = .+?)(?: \(balanced: .+\))?")
_NEXT = re.compile(r", (?=\w+ = )")


def check_grids(raw: Mapping[str, Any], key: str = "scan") -> None:
    """Raise `SpecError` unless a spec's `key` holds lists by name: ``{lam: [0.1, 1], gamma: [0.1, 1]}``.

    Such lists may be given for each method by itself: ``{gnmf: {lam: [1, 10]}, nlcf: {mu: [0.1, 1]}}``.
    """
    require(len(raw) > 0, Setting(key), " must name a parameter, as {lam: [0.1, 1]}")
    require(
        not _by_method(raw) or all(isinstance(each, Mapping) for each in raw.values()),
        f"{key} must name parameters, or methods with their parameters, not both",
        option=key,
    )
    for name, values in raw.items():
        if isinstance(values, Mapping):
            check_grids(values, f"{key}.{name}")
            continue
        listed = isinstance(values, (list, tuple)) and len(values) > 0
        text = f"{key} of {name} must be a list of values, as {{{name}: [0.1, 1]}}, not {in_words(values)}"
        require(listed, text, option=f"{key}.{name}")


def _by_method(raw: Mapping[str, Any]) -> bool:
    return any(isinstance(each, Mapping) for each in raw.values())


def raw_grids(raw: Mapping[str, Any] | None, method: str, parameters: Collection[str]) -> Mapping[str, Any]:
    """The lists of values for the method of that name; empty where none are or it lacks one of them."""
    if raw is None:
        return {}
    own: Mapping[str, Any] = raw.get(method, {}) if _by_method(raw) else raw
    return own if own.keys() <= set(parameters) else {}


def scanned(raw: Mapping[str, Any], algorithms: Sequence[Algorithm], key: str) -> list[Algorithm]:
    """The methods that have the parameters of a spec's `key`.

    Raises
    ------
    SpecError
        If there are none; if lists are given for a method that is not listed, or has no such parameter; or
        if a method does not allow some combination of the values.
    """
    if _by_method(raw):
        for name, grids in raw.items():
            own = {option for each in algorithms if each.name == name for option in options_of(type(each))}
            require(len(own) > 0, f"{key} names {name}, which is not listed in algorithms", option=key)
            for parameter in grids:
                known = parameter in own
                require(known, f"{name} has no parameter {parameter}", option=f"{key}.{name}.{parameter}")
    found = [each for each in algorithms if grids_of(raw, each)]
    some = {each.name: [name for name in raw if name in options_of(type(each))] for each in algorithms}
    forms = [f"{name}: {{{', '.join(f'{each}: […]' for each in has)}}}" for name, has in some.items() if has]
    hint = f"; give each method its own, as {{{', '.join(forms)}}}" if forms else ""
    text = f"no listed algorithm has all the parameters of {key} ({', '.join(raw)}){hint}"
    require(len(found) > 0, text, option=key)
    for each in found:
        grids = grids_of(raw, each)
        for values in itertools.product(*grids.values()):
            point = dict(zip(grids, values, strict=True))
            try:
                replace(each, **point)
            except SpecError as error:
                where = ", ".join(f"{name} = {value_text(value)}" for name, value in point.items())
                raise SpecError(f"{key} of {each.name} with {where}: ", *error.what, option=key) from error
    return found


def few(raw: Mapping[str, Any] | None) -> dict[str, Any] | None:
    """The first two values of every list."""
    if raw is None:
        return None
    return {name: few(each) if isinstance(each, Mapping) else list(each)[:2] for name, each in raw.items()}


def grids_text(raw: Mapping[str, Any]) -> str:
    """The lists of values for a note: "lam of 1, 10; mu of 0.1", or "gnmf lam of 1, 10; nlcf mu of 0.1"."""
    parts = []
    for name, each in raw.items():
        if isinstance(each, Mapping):
            parts.append(f"{name} {grids_text(each)}".replace("; ", ", "))
        else:
            parts.append(f"{name} of {', '.join(map(value_text, each))}")
    return "; ".join(parts)


def grids_of(raw: Mapping[str, Any] | None, algorithm: Algorithm) -> Grids:
    """The scan as it concerns a method, values in its own types; nothing if it lacks one of the parameters.

    Raises
    ------
    SpecError
        If the method does not allow a value.
    """
    options = options_of(type(algorithm))
    own = raw_grids(raw, algorithm.name, options)
    return {name: tuple(map(options[name].check, values)) for name, values in own.items()}


def chosen_note(how: str, values: Mapping[str, Any]) -> str:
    """The note of a trial that says which values it has chosen; `chosen_in` reads it again.

    `how` is what chose them: "scan of 6 fits", or "on other draws".
    """
    return f"{how} chose {', '.join(f'{name} = {value_text(value)}' for name, value in values.items())}"


def chosen_in(note: str) -> dict[str, str]:
    """The values by parameter in a note of `chosen_note`; empty for any other note, whatever its words."""
    found = _CHOSEN.fullmatch(note)
    pairs = (each.partition(" = ") for each in _NEXT.split(found[1])) if found else ()
    return {name: value for name, _, value in pairs}


def value_text(value: Any) -> str:
    """A value of a grid as a note says it."""
    return f"{value:g}" if isinstance(value, float) else str(value)
