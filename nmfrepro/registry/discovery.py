"""What a folder of this package offers by name, and the plug-ins beside it.

Methods, datasets and protocols are one file each; putting the file there, or naming it as a plug-in, is all.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable, Iterable, Iterator, Mapping
from types import ModuleType
from typing import TypeVar

from . import plugins

T = TypeVar("T")


def discover(
    package: str,
    folder: Iterable[str],
    offers: Callable[[ModuleType], Iterable[tuple[str, T]]],
    kind: str,
    described: Iterable[tuple[str, T]] = (),
) -> Mapping[str, T]:
    """Everything that the modules of a package and the plug-ins offer, by name in alphabetical order.

    Parameters
    ----------
    package : str
        The package's name.
    folder : iterable of str
        Its ``__path__``.
    offers : callable
        What one module offers: names with what they stand for.
    kind : str
        What it is called in complaints: algorithm, dataset, protocol.
    described : iterable
        What the package offers besides, in files that are no modules.

    Raises
    ------
    SpecError
        If a plug-in takes a name that is taken.
    """
    found: dict[str, T] = dict(described)
    for module in pkgutil.iter_modules(folder):
        found.update(offers(importlib.import_module(f"{package}.{module.name}")))
    for plugin in plugins.modules():
        for name, candidate in offers(plugin):
            if plugins.own(name, found.get(name), candidate, kind):
                found[name] = candidate
    return dict(sorted(found.items()))


def subclasses(module: ModuleType, base: type[T], key: str) -> Iterator[tuple[str, type[T]]]:
    """The classes of a module that derive from `base` and name themselves by the class variable `key`."""
    for candidate in vars(module).values():
        if isinstance(candidate, type) and issubclass(candidate, base) and key in vars(candidate):
            yield vars(candidate)[key], candidate
