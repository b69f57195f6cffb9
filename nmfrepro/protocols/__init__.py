"""The protocols, one file each, found by looking into this folder."""

from __future__ import annotations

import functools
from collections.abc import Mapping

from ..core.options import pick
from ..registry import discovery, plugins
from .base import Outcome, Protocol, Samples, Task

__all__ = ["Outcome", "Protocol", "Samples", "Task", "get", "registry"]


def registry() -> Mapping[str, type[Protocol]]:
    """All protocols by kind, in alphabetical order."""
    return _registry(plugins.selection())


@functools.cache
def _registry(selection: str) -> Mapping[str, type[Protocol]]:
    return discovery.discover(
        __name__, __path__, lambda module: discovery.subclasses(module, Protocol, "kind"), "protocol"
    )


def get(kind: str) -> type[Protocol]:
    """The protocol of that kind.

    Raises
    ------
    SpecError
        If there is none; the message suggests the closest.
    """
    return pick(kind, registry(), "protocol kind")
