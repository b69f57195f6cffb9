"""A spec written in Python: mappings, lists and values, with methods by name, class or instance."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path
from types import NoneType
from typing import Any

import numpy as np

from .. import algorithms
from ..algorithms import Algorithm
from ..core.errors import Place, SpecError
from ..core.options import given_options, options_of
from ..registry import plugins
from .yamltree import Node


def tree_of(content: Any, place: str) -> Node:
    """The tree of a spec's content, as `read_tree` makes it of a file; places are dotted keys.

    Raises
    ------
    SpecError
        If a key is no text, a value is none that a spec can hold, or a method cannot be found by others.
    """
    where = Place(place)
    if isinstance(content, type) and issubclass(content, Algorithm):
        content = registered_name(content)
    if isinstance(content, Algorithm):
        content = {"name": content}
    if isinstance(content, (np.generic, np.ndarray)):
        content = content.tolist()
    if isinstance(content, Path):
        content = str(content)
    if isinstance(content, Mapping):
        if wrong := [key for key in content if not isinstance(key, str)]:
            raise SpecError(f"a key must be a word, not {wrong[0]!r}", place=where)
        file = content.get("file")
        if not isinstance(file, (str, Path, NoneType)):
            text = f"file must be a path, not {type(file).__name__}; give an array to factorize, or save it"
            raise SpecError(f"{text} as .npz with its labels", place=Place(f"{place}.file"))
        method = content.get("name")
        if isinstance(method, Algorithm):
            content = {**content, "name": type(method), **_given(method)}
        return Node({key: tree_of(each, f"{place}.{key}") for key, each in content.items()}, where, where)
    if isinstance(content, (list, tuple, range)):
        return Node(tuple(tree_of(each, f"{place}[{i}]") for i, each in enumerate(content)), where, where)
    if content is None or isinstance(content, (str, bool, int, float)):
        return Node(content, where, where)
    raise SpecError(f"{content!r} is nothing that a spec can hold", place=where)


def _given(method: Algorithm) -> dict[str, Any]:
    """The parameters of an instance that are not their defaults."""
    known = options_of(type(method))
    return {name: value for name, value in given_options(method).items() if value != known[name].default}


def registered_name(cls: type[Algorithm]) -> str:
    """The name by which workers find a method; the file of one's own becomes a plug-in in use.

    Raises
    ------
    SpecError
        If the class does not stand in a file of its own.
    """
    if algorithms.registry().get(getattr(cls, "name", "")) is not cls:
        file = getattr(sys.modules.get(cls.__module__), "__file__", None)
        if file is None or cls.__module__ == "__main__" or "." in cls.__module__:
            why = "from which worker processes import it (nmfrepro new algorithm writes one)"
            raise SpecError(f"{cls.__name__} must stand in a file of its own, as my_nmf.py, {why}")
        plugins.use([Path(file)])
    return algorithms.get(cls.name).name
