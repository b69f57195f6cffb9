"""JSON and YAML into frozen dataclasses and back, checked by the types of their fields."""

from __future__ import annotations

import functools
import types
import typing
from collections.abc import Mapping
from dataclasses import MISSING, Field, fields, is_dataclass
from pathlib import Path
from typing import Any

NAMES = {str: "text", int: "a whole number", float: "a number", bool: "true or false", type(None): "null"}


def from_json(hint: Any, value: Any, path: str = "") -> Any:
    """A value of JSON as what a type hint says.

    Dataclasses are made of objects, tuples of lists.  Unknown keys of an object are passed over, unless its
    class has the variable `closed`.

    Parameters
    ----------
    hint : type
        A dataclass, ``tuple[X, ...]``, ``Mapping[str, X]``, a union, or a type of plain values.
    value : object
    path : str
        Where the value stands, for messages: "columns[2].fit".

    Raises
    ------
    ValueError
        If it does not fit; the message is "columns[2].fit.restarts is not a whole number".
    """
    origin, inside = typing.get_origin(hint), typing.get_args(hint)
    if hint is Any:
        return value
    if origin in (typing.Union, types.UnionType):
        return _first_that_fits(inside, value, path)
    if origin is tuple and isinstance(value, list):
        return tuple(from_json(inside[0], each, f"{path}[{i}]") for i, each in enumerate(value))
    if origin is Mapping and isinstance(value, dict):
        return {name: from_json(inside[1], each, _within(path, name)) for name, each in value.items()}
    if is_dataclass(hint) and isinstance(value, dict):
        return _record(hint, value, path)
    if hint is float and type(value) in (int, float):
        return value
    if isinstance(hint, type) and type(value) is hint:
        return value
    kind = NAMES.get(hint, "a list" if origin is tuple else "an object")
    raise ValueError(f"{path or 'it'} is not {kind}")


def _first_that_fits(hints: tuple[Any, ...], value: Any, path: str) -> Any:
    problems = []
    for hint in hints:
        try:
            return from_json(hint, value, path)
        except ValueError as error:
            problems.append(str(error))
    # What it is when it is there: X of `X | None`.
    raise ValueError(problems[0 if hints[-1] is type(None) else -1])


def _record(cls: Any, value: dict[str, Any], path: str) -> Any:
    given = {}
    if getattr(cls, "closed", False) and (unknown := value.keys() - {each.name for each, _ in _hints(cls)}):
        raise ValueError(f"{_within(path, min(unknown))} is unknown to this version")
    for each, hint in _hints(cls):
        if each.name in value:
            given[each.name] = from_json(hint, value[each.name], _within(path, each.name))
        elif each.default is MISSING and each.default_factory is MISSING:
            raise ValueError(f"{_within(path, each.name)} is missing")
    try:
        return cls(**given)
    except ValueError as error:  # what its parts say of each other
        raise ValueError(f"{path}: {error}" if path else str(error)) from None


@functools.cache
def _hints(cls: type) -> tuple[tuple[Field[Any], Any], ...]:
    hints = typing.get_type_hints(cls)
    return tuple((each, hints[each.name]) for each in fields(cls))


def _within(path: str, name: str) -> str:
    return f"{path}.{name}" if path else name


def from_yaml(hint: Any, file: Path) -> Any:
    """A YAML file of the package as what a type hint says; see `from_json`."""
    import yaml  # here, since a factorization needs none

    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    return from_json(hint, yaml.load(file.read_text(encoding="utf-8"), loader), file.name)


def to_json(value: Any) -> Any:
    """A value made of dataclasses, mappings and tuples as JSON knows it; a class may say so itself."""
    if is_dataclass(value):
        own = getattr(value, "to_json", None)
        return own() if own else fields_to_json(value)
    if isinstance(value, Mapping):
        return {name: to_json(each) for name, each in value.items()}
    return [to_json(each) for each in value] if isinstance(value, (list, tuple)) else value


def fields_to_json(made: Any) -> dict[str, Any]:
    """The fields of a dataclass as JSON knows them."""
    return {each.name: to_json(getattr(made, each.name)) for each in fields(made)}
