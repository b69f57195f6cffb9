"""The datasets, one file each, found by looking into this folder.

Every module here that defines `DATASET` and every YAML file (see `described`) is a dataset by name; nothing
else has to be told of it.  Options that do not go together are a `SpecError`, data that is missing, damaged
or not what its name says a `DataError`, whose message says what to do.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from types import ModuleType
from typing import Any

from ..core.errors import DataError, Setting, SpecError
from ..core.files import exists, similar
from ..core.options import build
from ..registry.discovery import Registry
from .base import Dataset, check_values
from .definition import DatasetDefinition, Source, data_directory
from .described import described
from .loading import load_file, load_from, locate
from .request import DatasetOptions, Expected, resolve_file, resolve_named

__all__ = [
    "Dataset",
    "DatasetDefinition",
    "DatasetOptions",
    "Expected",
    "Source",
    "check_values",
    "expected",
    "get",
    "imported",
    "load",
    "options_for",
    "registry",
    "resolve",
]


# How the names of data files end; those of IDX may end as they like.
ENDINGS = (".mat", ".npz", ".npy", ".csv", ".tsv", ".txt", ".gz")


def _offered(module: ModuleType) -> Iterator[tuple[str, DatasetDefinition]]:
    definition = getattr(module, "DATASET", None)
    if isinstance(definition, DatasetDefinition):
        yield definition.name, definition


registry: Registry[DatasetDefinition] = Registry(__name__, "dataset", _offered, described)
"""All datasets by name, in alphabetical order."""


def builtin() -> Mapping[str, DatasetDefinition]:
    """The datasets that come with nmfrepro, without those of plug-ins."""
    own = {path.stem for path in Path(__file__).parent.iterdir()}
    return {name: each for name, each in registry().items() if name in own}


def get(name: str, data_dir: Path | None = None) -> DatasetDefinition:
    """The dataset called `name`; nothing is loaded.

    Raises
    ------
    SpecError
        If there is none; the message names the file of that name, or suggests the closest dataset.
    """
    if name not in registry() and (hint := imported(name, data_dir)):
        raise SpecError(f"there is no dataset of the name {name!r}; {hint}", option="name")
    return registry.get(name)


def imported(name: str, data_dir: Path | None = None) -> str:
    """What a message says of a name that is a file's of the data directory; empty if there is none."""
    with suppress(DataError):  # no such folder
        path = data_directory(data_dir) / f"{name}.npz"
        if os.path.isfile(path):
            return f"an imported file is named by its path, {path}, in a spec under file"
    return ""


def options_for(text: str, reading: Mapping[str, Any], data_dir: Path | None = None) -> DatasetOptions:
    """What a user names: a file or folder that exists, else a dataset by name.

    Raises
    ------
    SpecError
        If there is neither; the message suggests the closest file in its folder, else as of `get`.
    """
    given = {name: value for name, value in reading.items() if value is not None}
    for name in ("name", "file"):
        if name in given:
            raise SpecError(Setting(name), f" does not go with {text}, which says what is read; leave it out")
    path = Path(os.path.expanduser(text))
    if text and exists(path):  # an empty text, of a variable that is not set, would be the folder we are in
        return build(DatasetOptions, {"file": str(path)} | given, f"file {text}")
    known = registry()
    if text not in known and not imported(text, data_dir):
        if near := similar(path, ENDINGS):
            raise SpecError(f"{text}: there is no such file; did you mean {near}?")
        if path.suffix.lower() in ENDINGS or path.name != text:  # a file's name, or in a folder
            dataset = f"did you mean the dataset {path.stem}?"
            meant = dataset if path.stem in known else "look at name and folder"
            raise SpecError(f"{text}: there is no such file; {meant}")
    return build(DatasetOptions, {"name": get(text, data_dir).name} | given, f"dataset {text}")


def resolve(options: DatasetOptions, data_dir: Path | None = None) -> DatasetOptions:
    """The options with size and scale filled in, all checked without opening a file.

    For an unknown name, `data_dir` is where a file imported under it is looked for.

    Raises
    ------
    SpecError
        For an unknown dataset, size or source, or options that do not go together.
    """
    if (options.name is None) == (options.file is None):
        raise SpecError("dataset needs either name (a known dataset) or file (your own)")
    return (
        resolve_file(options) if options.name is None else resolve_named(options, get(options.name, data_dir))
    )


def expected(options: DatasetOptions) -> Expected | None:
    """What is known of the data before it is loaded; None for a file of the user's own.

    Raises
    ------
    SpecError
        As `resolve`.
    """
    options = resolve(options)
    if options.name is None or options.accept_mismatch:
        return None
    definition = get(options.name)
    image_shape, n_features = definition.sizes[str(options.size)]
    smallest, _ = definition.class_sizes
    n_classes = options.subjects or definition.n_classes
    n_samples = definition.n_samples if n_classes == definition.n_classes else n_classes * smallest
    if definition.bounds:  # what is above the mean is refused, all else by the data
        smallest = definition.n_samples // definition.n_classes
    return Expected(n_samples, n_classes, smallest, n_features, image_shape)


def load(options: DatasetOptions, data_dir: Path | None = None, labelled: bool = True) -> Dataset:
    """Load a dataset; nothing is ever downloaded here.

    Parameters
    ----------
    options : DatasetOptions
    data_dir : Path or None
        Where the user keeps datasets; None for $NMFREPRO_DATA, else ./data.
    labelled : bool
        Whether classes are needed, for draws: a file of a matrix alone is then refused, and a note says where
        the draws are those of a named dataset.  Of a matrix alone that is taken all labels are 0.

    Raises
    ------
    SpecError
        As `resolve`.
    DataError
        If the data is not here, damaged, ambiguous, or does not fit its name.
    """
    options = resolve(options, data_dir)
    if options.name is None:
        return load_file(options, builtin().values(), labelled)
    definition = get(options.name)
    source, path, notes = locate(definition, options, data_directory(data_dir))
    dataset = load_from(definition, options, source, path)
    return replace(dataset, notes=notes + dataset.notes)
