"""The methods, one file each, found by looking into this folder.

Every module here that defines an `Algorithm` with a name is a method; nothing else has to be told of it.
Plug-ins (`nmfrepro.registry.plugins`) are found beside them.
"""

import functools
from collections.abc import Mapping

from ..core.errors import SpecError
from ..core.options import pick
from ..registry import discovery, plugins
from .engine.base import Algorithm, Direct, FreeScale, Iterative

__all__ = ["Algorithm", "Direct", "FreeScale", "Iterative", "get", "registry"]


def registry() -> Mapping[str, type[Algorithm]]:
    """All methods by name, in alphabetical order."""
    return _registry(plugins.selection())


@functools.cache
def _registry(selection: str) -> Mapping[str, type[Algorithm]]:
    return discovery.discover(
        __name__, __path__, lambda module: discovery.subclasses(module, Algorithm, "name"), "algorithm"
    )


def get(name: str | type[Algorithm]) -> type[Algorithm]:
    """The method called `name`; a class is the method itself.

    Raises
    ------
    SpecError
        If there is none; the message suggests the closest.
    """
    if not isinstance(name, type):
        return pick(name, registry(), "algorithm")
    if not issubclass(name, Algorithm) or not isinstance(getattr(name, "name", None), str):
        raise SpecError(
            f"{name.__name__} is no method: derive it from nmfrepro.method.TwoFactor and give it a name"
        )
    return name
