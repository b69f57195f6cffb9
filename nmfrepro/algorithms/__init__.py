"""The methods, one file each, found by looking into this folder.

Every module here that defines an `Algorithm` with a name is a method; nothing else has to be told of it.
Plug-ins (`nmfrepro.plugins`) are found beside them.
"""

from __future__ import annotations

import functools
import importlib
import pkgutil
from collections.abc import Mapping

from .. import plugins
from ..errors import SpecError
from ..options import suggest
from .base import Algorithm, Direct, Iterative

__all__ = ["Algorithm", "Direct", "Iterative", "get", "registry"]


def registry() -> Mapping[str, type[Algorithm]]:
    """All methods by name, in alphabetical order."""
    return _registry(plugins.selection())


@functools.cache
def _registry(selection: str) -> Mapping[str, type[Algorithm]]:
    found: dict[str, type[Algorithm]] = {}
    for module in pkgutil.iter_modules(__path__):
        for candidate in vars(importlib.import_module(f"{__name__}.{module.name}")).values():
            if isinstance(candidate, type) and issubclass(candidate, Algorithm) and "name" in vars(candidate):
                found[candidate.name] = candidate
    for plugin in plugins.modules():
        for candidate in vars(plugin).values():
            if (
                isinstance(candidate, type)
                and issubclass(candidate, Algorithm)
                and "name" in vars(candidate)
                and plugins.own(candidate.name, found.get(candidate.name), candidate, "algorithm")
            ):
                found[candidate.name] = candidate
    return dict(sorted(found.items()))


def get(name: str) -> type[Algorithm]:
    """The method called `name`.

    Raises
    ------
    SpecError
        If there is none; the message suggests the closest.
    """
    try:
        return registry()[name]
    except KeyError:
        raise SpecError(f"there is no algorithm {name!r}; {suggest(name, registry())}") from None
