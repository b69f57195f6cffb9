"""The protocols, one file each, found by looking into this folder."""

from __future__ import annotations

import functools
from collections.abc import Iterator, Mapping
from typing import Any, ClassVar

from ..core.errors import SpecError
from ..core.options import build, pick
from ..metrics import Metric
from ..registry import plugins
from ..registry.discovery import Registry, subclasses
from .base import Outcome, Protocol, Samples, Task

__all__ = [
    "Outcome",
    "Protocol",
    "Samples",
    "Task",
    "description",
    "get",
    "metrics",
    "of_times",
    "recorded",
    "registry",
]


registry: Registry[type[Protocol]] = Registry(__name__, "protocol kind", subclasses(Protocol, "kind"))
"""All protocols by kind, in alphabetical order."""
get = registry.get


class Absent(Protocol):
    """Stands for the protocol of a plug-in that is not in use, so that its results can be read."""

    metrics: ClassVar[Mapping[str, Metric]] = {}
    outer: ClassVar[tuple[str, ...]] = ()

    def notes(self) -> Iterator[str]:
        """That something is missing here."""
        yield "The run's protocol is a plug-in's that is not in use: its own notes and pictures are missing."


def recorded(kind: str, options: Mapping[str, Any]) -> Protocol:
    """The protocol of a run with the options that its record has written out.

    Raises
    ------
    SpecError
        If an option is missing, or not one that this version knows.
    """
    if kind not in registry():
        return Absent()
    given = {name: value for name, value in options.items() if name != "kind"}
    protocol: Protocol = build(get(kind), given, f"protocol {kind}")
    return protocol


def metrics() -> Mapping[str, Metric]:
    """The metrics of all protocols by name, in alphabetical order.

    Raises
    ------
    SpecError
        If two protocols mean different things by one name.
    """
    return _metrics(plugins.selection())


@functools.cache
def _metrics(selection: str) -> Mapping[str, Metric]:
    found: dict[str, Metric] = {}
    for kind, cls in registry().items():
        for name, metric in cls.measures().items():
            if found.setdefault(name, metric) != metric:
                raise SpecError(f"protocol {kind}: its metric {name!r} is another protocol's; rename it")
    return dict(sorted(found.items()))


def always() -> frozenset[str]:
    """The metrics that every trial has which is ok."""
    return frozenset(name for name, metric in metrics().items() if metric.always)


def of_times() -> frozenset[str]:
    """The metrics that some protocol measures as times: they stand with these, not in the rows."""
    return frozenset(name for cls in registry().values() for name in cls.times)


def description(name: str) -> Metric:
    """What the metric called `name` is.

    Raises
    ------
    SpecError
        If there is none; the message suggests the closest.
    """
    return pick(name, metrics(), "metric")
