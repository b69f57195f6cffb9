"""The protocols, one file each, found by looking into this folder."""

from __future__ import annotations

import functools
import importlib
import pkgutil
from collections.abc import Mapping

from .. import plugins
from ..errors import SpecError
from ..options import suggest
from .base import Outcome, Protocol, Samples, Task

__all__ = ["Outcome", "Protocol", "Samples", "Task", "get", "registry"]


def registry() -> Mapping[str, type[Protocol]]:
    """All protocols by kind, in alphabetical order."""
    return _registry(plugins.selection())


@functools.cache
def _registry(selection: str) -> Mapping[str, type[Protocol]]:
    found: dict[str, type[Protocol]] = {}
    for module in pkgutil.iter_modules(__path__):
        for candidate in vars(importlib.import_module(f"{__name__}.{module.name}")).values():
            if isinstance(candidate, type) and issubclass(candidate, Protocol) and "kind" in vars(candidate):
                found[candidate.kind] = candidate
    for plugin in plugins.modules():
        for candidate in vars(plugin).values():
            if (
                isinstance(candidate, type)
                and issubclass(candidate, Protocol)
                and "kind" in vars(candidate)
                and plugins.own(candidate.kind, found.get(candidate.kind), candidate, "protocol")
            ):
                found[candidate.kind] = candidate
    return dict(sorted(found.items()))


def get(kind: str) -> type[Protocol]:
    """The protocol of that kind.

    Raises
    ------
    SpecError
        If there is none; the message suggests the closest.
    """
    try:
        return registry()[kind]
    except KeyError:
        raise SpecError(f"there is no protocol kind {kind!r}; {suggest(kind, registry())}") from None
