"""The shape of a ``run.json``: what every command that reads one relies on, written once."""

from __future__ import annotations

from typing import Any

# A type; a tuple of shapes, one of which must fit; a list of one shape for all items; or a dict of shapes by
# key, where a key with "?" may be missing and "*" stands for every other key.
Shape = type | tuple["Shape", ...] | list["Shape"] | dict[str, "Shape"]

NOTHING = type(None)
# How the name of a smoke run ends.
SMOKE = "-smoke"
NUMBER: Shape = (int, float)
FIT: Shape = (
    {"restarts": int, "max_iter": int, "tol?": NUMBER, "order?": str, "dtype?": str}
    | {"inner?": (str, {"*": int}, NOTHING)},
    {"restarts?": NOTHING, "dtype?": str},  # of methods that do not iterate
)
PROTOCOL: Shape = {
    "assign?": (str, NOTHING, {"kmeans": {"restarts": int}}),
    "labelled?": (str, int, NOTHING),
    "validation?": bool,
    "square?": bool,
    "classifiers?": [str],
    "svm_c?": NUMBER,
    "scan?": (NOTHING, {"*": [NUMBER]}),
}
RUN: Shape = {
    "schema": int,
    "name": str,
    "title": str,
    "published": (str, NOTHING),
    "kind": str,
    "coordinates": [str],
    "metrics": [str],
    "columns": [{"label": str, "algorithm": str, "parameters": dict, "fit": FIT, "sweep?": {"*": NUMBER}}],
    "spec": {
        "seed?": int,
        "dataset?": {"scale?": (str, NOTHING)},
        "protocol?": PROTOCOL,
        "inferred?": [str],
    },
    "overrides?": [str],
    "dataset": {
        "name": str,
        "origin": str,
        "sha256": str,
        "n": int,
        "m": int,
        "classes": int,
        "image_shape?": ([int], NOTHING),
        "credit?": str,
        "notes?": [str],
    },
    "environment": {
        "nmfrepro?": str,
        "commit?": (str, NOTHING),
        "processor?": str,
        "plugins?": [{"name": str, "sha256": (str, NOTHING)}],
    },
    "earlier_environments?": [dict],
    "cells": [{"*": int}],
    "trials": [str],
}


def fits(value: Any, shape: Shape) -> bool:
    """Whether a value read from JSON has a shape."""
    match shape:
        case tuple():
            return any(fits(value, each) for each in shape)
        case list():
            return isinstance(value, list) and all(fits(each, shape[0]) for each in value)
        case dict():
            return isinstance(value, dict) and _has(value, shape)
        case _:
            return isinstance(value, shape) and (shape is bool or not isinstance(value, bool))


def _has(value: dict[str, Any], shapes: dict[str, Shape]) -> bool:
    named = {name.removesuffix("?"): each for name, each in shapes.items() if name != "*"}
    needed = {name for name in shapes if not name.endswith("?") and name != "*"}
    rest = shapes.get("*", object)
    return needed <= value.keys() and all(
        fits(each, named.get(name, rest)) if name in named or "*" in shapes else True
        for name, each in value.items()
    )


def is_whole(run: Any) -> bool:
    """Whether a ``run.json`` has everything that readers rely on, and its parts go together."""
    if not fits(run, RUN):
        return False
    columns, cells, coordinates = run["columns"], run["cells"], run["coordinates"]
    protocol = run["spec"].get("protocol", {})
    return (
        len(run["trials"]) == len(cells) * len(columns) > 0
        and len(set(run["trials"])) == len(run["trials"])
        and len({column["label"] for column in columns}) == len(columns)
        and len(run["metrics"]) > 0
        and len(set(coordinates)) == len(coordinates)
        # Besides the dimension there is one to average over.
        and any(name != "k" for name in coordinates)
        and all(cell.keys() == set(coordinates) for cell in cells)
        and ("svm" not in protocol.get("classifiers", ()) or "svm_c" in protocol)
    )
