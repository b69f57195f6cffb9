"""A JSON Schema of specs, made from the options, for editors that complete and check YAML."""

from __future__ import annotations

import json
from typing import Any

from nmfrepro import algorithms, datasets, protocols
from nmfrepro.core.options import Option, options_of
from nmfrepro.core.problem import FitSettings
from nmfrepro.datasets import DatasetOptions
from nmfrepro.spec import Head

Schema = dict[str, Any]

NAMES = {int: "integer", float: "number", bool: "boolean", str: "string", type(None): "null", dict: "object"}
FIT = {"$ref": "#/$defs/fit"}


def schema() -> str:
    """The schema as a file: what a spec may say, with the methods, datasets and protocols of the package."""
    head = properties(Head)
    dataset = mapping(DatasetOptions, needs=())
    methods = algorithms.registry()
    columns = [column(name, cls) for name, cls in methods.items()]
    kinds = [mapping(cls, kind=kind) for kind, cls in protocols.registry().items()]
    found: Schema = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "nmfrepro spec",
        "type": "object",
        "properties": head
        | {
            "dataset": {"anyOf": [{"enum": list(datasets.registry())}, dataset]},
            "protocol": {"oneOf": kinds},
            "fit": FIT,
            "algorithms": {
                "type": "array",
                "minItems": 1,
                "items": {"anyOf": [{"enum": list(methods)}, *columns]},
            },
            "alternatives": {"type": "object", "additionalProperties": {"type": "array", "minItems": 1}},
        },
        "required": [*required(Head), "dataset", "protocol", "algorithms"],
        "additionalProperties": False,
        "$defs": {"fit": mapping(FitSettings, needs=())},
    }
    return json.dumps(found, indent=1, ensure_ascii=False) + "\n"


def column(name: str, cls: type) -> Schema:
    """What one line of `algorithms` may say of a method; a parameter may be swept."""
    found = mapping(cls, needs=("name",), name=name)
    for key, values in found["properties"].items():
        if key != "name":
            sweep = {"type": "array", "minItems": 1, "items": dict(values)}
            swept = {
                "type": "object",
                "properties": {"sweep": sweep},
                "required": ["sweep"],
                "additionalProperties": False,
            }
            found["properties"][key] = {"anyOf": [values, swept]}
    found["properties"] |= {"as": {"type": "string"}, "fit": FIT}
    return found


def mapping(cls: type, needs: tuple[str, ...] | None = None, **fixed: str) -> Schema:
    """A mapping of the options of a class, and of keys with one fixed value each."""
    return {
        "type": "object",
        "properties": {key: {"const": value} for key, value in fixed.items()} | properties(cls),
        "required": list(needs) if needs is not None else [*fixed, *required(cls)],
        "additionalProperties": False,
    }


def properties(cls: type) -> Schema:
    """The options of a class by name."""
    return {
        name: {"description": each.help} | values(each, each.types) for name, each in options_of(cls).items()
    }


def required(cls: type) -> list[str]:
    """The options that have no default."""
    return [name for name, each in options_of(cls).items() if each.required]


def values(each: Option, types: tuple[type, ...]) -> Schema:
    """What an option accepts."""
    kinds = [kind_of(each, kind) for kind in types]
    return kinds[0] if len(kinds) == 1 else {"anyOf": kinds}


def kind_of(each: Option, kind: type) -> Schema:
    """One of the types that an option accepts, with its range or words."""
    if kind is tuple:
        inner = each.item if each.item is not None and each.item is not tuple else None
        return {"type": "array", "items": kind_of(each, inner)} if inner in NAMES else {"type": "array"}
    found: Schema = {"type": NAMES[kind]}
    if kind is str and each.choices:
        return {"enum": list(each.choices)}
    if kind in (int, float):
        if each.low is not None:
            found["exclusiveMinimum" if each.open_low else "minimum"] = each.low
        if each.high is not None:
            found["maximum"] = each.high
    return found
