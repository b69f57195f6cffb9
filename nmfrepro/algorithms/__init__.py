"""The methods, one file each, found by looking into this folder.

Every module here that defines an `Algorithm` with a name is a method; nothing else has to be told of it.
Plug-ins (`nmfrepro.registry.plugins`) are found beside them.
"""

from ..core.errors import SpecError
from ..registry.discovery import Registry, subclasses
from .engine.base import Algorithm, Direct, FreeScale, Iterative, Look

__all__ = ["Algorithm", "Direct", "FreeScale", "Iterative", "Look", "get", "registry"]


registry: Registry[type[Algorithm]] = Registry(__name__, "algorithm", subclasses(Algorithm, "name"))
"""All methods by name, in alphabetical order."""


def get(name: str | type[Algorithm] | Algorithm) -> type[Algorithm]:
    """The method called `name`; a class is the method itself, an instance is of it.

    Raises
    ------
    SpecError
        If there is none; the message suggests the closest.
    """
    if isinstance(name, Algorithm):
        name = type(name)
    if not isinstance(name, type):
        return registry.get(name)
    if not issubclass(name, Algorithm) or not isinstance(getattr(name, "name", None), str):
        raise SpecError(
            f"{name.__name__} is no method: derive it from nmfrepro.method.TwoFactor and give it a name"
        )
    return name
