"""What a folder of this package offers by name, and the plug-ins beside it.

Methods, datasets and protocols are one file each; putting the file there, or naming it as a plug-in, is all.
"""

from __future__ import annotations

import importlib
import pkgutil
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from types import ModuleType
from typing import Generic, TypeVar

from ..core.options import pick
from . import plugins

T = TypeVar("T")


class Registry(Generic[T]):
    """Everything that the modules of a package and the plug-ins offer, by name in alphabetical order.

    Called, it gives the mapping; that is made anew where other plug-ins are in use.

    Parameters
    ----------
    package : str
        The package's name.
    kind : str
        What a thing is called in complaints: algorithm, dataset, protocol kind.
    offers : callable
        What one module offers: names with what they stand for.
    described : callable
        What the package offers besides, in files that are no modules.
    """

    def __init__(
        self,
        package: str,
        kind: str,
        offers: Callable[[ModuleType], Iterable[tuple[str, T]]],
        described: Callable[[], Iterable[tuple[str, T]]] = tuple,
    ) -> None:
        self.package, self.kind, self.offers, self.described = package, kind, offers, described
        self.found: dict[str, Mapping[str, T]] = {}

    def __call__(self) -> Mapping[str, T]:
        """All by name.

        Raises
        ------
        SpecError
            If a plug-in takes a name that is taken.
        """
        selection = plugins.selection()
        if selection not in self.found:
            found = dict(self.described())
            for module in pkgutil.iter_modules(sys.modules[self.package].__path__):
                found.update(self.offers(importlib.import_module(f"{self.package}.{module.name}")))
            for plugin in plugins.modules():
                for name, candidate in self.offers(plugin):
                    if plugins.to_be_added(plugin, name, found.get(name), candidate, self.kind):
                        found[name] = candidate
            self.found[selection] = dict(sorted(found.items()))
        return self.found[selection]

    def get(self, name: str) -> T:
        """The one of that name.

        Raises
        ------
        SpecError
            If there is none; the message suggests the closest.
        """
        return pick(name, self(), self.kind)


def subclasses(base: type[T], key: str) -> Callable[[ModuleType], Iterator[tuple[str, type[T]]]]:
    """Of a module the classes that derive from `base` and name themselves by the class variable `key`."""

    def offered(module: ModuleType) -> Iterator[tuple[str, type[T]]]:
        for candidate in vars(module).values():
            if isinstance(candidate, type) and issubclass(candidate, base) and key in vars(candidate):
                yield vars(candidate)[key], candidate

    return offered
