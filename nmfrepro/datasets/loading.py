"""From options to a checked `Dataset`: find a source, read it, hold it against what its name promises."""

from __future__ import annotations

import itertools
import os
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from ..core.errors import DataError, Part, Setting
from ..core.problem import read_only
from ..core.terminal import counted
from .base import Dataset, check_values, content_hash, same_images, unknown_range
from .definition import OTHER_DATA, DatasetDefinition, Reading, Source
from .labels import code
from .request import MATRIX_ONLY, DatasetOptions
from .userfile import read_user_file


def load_from(definition: DatasetDefinition, options: DatasetOptions, source: Source, path: Path) -> Dataset:
    """Load a dataset by name from the place where a source has found it.

    Raises
    ------
    DataError
        If it is damaged, holds values that are not finite, or does not fit its name or source.
    """
    size = str(options.size)
    given = [name for name in MATRIX_ONLY if getattr(options, name) is not None]
    if given and path.suffix != ".mat":
        why = f" is for .mat files, and here it is {source.title or path.name}; leave it out"
        raise DataError(f"dataset {definition.name}: ", Setting(given[0]), why)
    reading: Any = source.read(path, definition.sizes[size][0], options)  # a user may give anything
    if not isinstance(reading, Reading):
        what = f"its source must give a Reading of nmfrepro.datasets.definition, not {type(reading).__name__}"
        raise DataError(f"dataset {definition.name}: {what}")
    instead = "put the right file in its place, name it by its path (in a spec, under `file:`), or set "
    remedy = (instead, Setting("accept_mismatch", True))
    reading = fitting_its_name(definition, reading, size, path, options.accept_mismatch, remedy)
    check_values(reading.X, str(path))
    found = reading.source or source.key
    if options.source not in (None, found):
        raise DataError(f"{path} says its source is {found}, the spec demands {options.source}")
    dataset = assemble(reading, definition.name, options.subjects, drawn_as=definition.name)
    return replace(dataset, source=found, credit=definition.credit)


def fitting_its_name(
    definition: DatasetDefinition,
    reading: Reading,
    size: str,
    path: Path,
    accept_mismatch: bool,
    remedy: Sequence[Part],
) -> Reading:
    """A reading with the levels of its dataset; a note says where it is not what the name promises.

    Raises
    ------
    DataError
        If it is not, unless `accept_mismatch`; the message ends in the `remedy`.
    """
    reading = replace(reading, levels=definition.levels)
    differences = "; ".join(compare(definition, reading, size))
    if not differences:
        return reading
    if not accept_mismatch:
        raise DataError(f"{path} does not fit the name {definition.name}: {differences}; ", *remedy)
    note = f"{OTHER_DATA}{definition.name} promises: {differences}"
    return replace(reading, notes=(note, *reading.notes))


def load_file(options: DatasetOptions, known: Iterable[DatasetDefinition], labelled: bool = True) -> Dataset:
    """Load a file of the user's own; `options` must be resolved.

    `known`: the datasets as which a file with their counts is drawn, see `stream_name`.  `labelled`: whether
    its classes are needed, for draws.  See `read_user_file`; a note then says whose draws are made.

    Raises
    ------
    DataError
        If it cannot be read, lacks labels, or its values exceed the range that `levels` states.
    """
    path = Path(options.file or "").expanduser()
    reading = read_user_file(options)
    if labelled and not reading.labelled:
        raise without_labels(path)
    if options.scale == "grey":
        if reading.levels is None:
            raise unknown_range(str(path))
        check_levels(path, reading)
    drawn_as, notes = stream_name(reading, known)
    if labelled:
        reading = replace(reading, notes=(*reading.notes, *notes))
    whole = Path(os.path.abspath(path))  # a folder named "." has a name, too
    return assemble(reading, whole.name if whole.is_dir() else whole.stem, options.subjects, drawn_as)


def check_levels(path: Path, reading: Reading) -> None:
    """Raise `DataError` where a value is beyond the range that `levels` states."""
    # A value that is not finite is refused elsewhere, by image and pixel.
    largest = float(reading.X[np.isfinite(reading.X)].max(initial=0.0))
    if reading.levels is not None and largest > reading.levels:
        what = f" is {reading.levels:g}, but its largest value is {largest:g}"
        raise DataError(f"{path}: ", Setting("levels"), what)


def without_labels(path: Path) -> DataError:
    """The error for a matrix alone where classes are needed."""
    what = f"{path} holds no labels: save them beside the images (of a .npy, name their file with "
    return DataError(what, Setting("labels_file"), "); nmfrepro fit and load_dataset take it as it is")


def stream_name(reading: Reading, known: Iterable[DatasetDefinition]) -> tuple[str, tuple[str, ...]]:
    """What names a file's data in random streams, and a note where that is a dataset's name.

    It depends on what draws are made of, the number of classes, which are drawn by their place in the order
    of their names: another order of rows, other values, an image shape, or labels written another way draw
    the same.  A file with exactly the counts of one of the `known` datasets (samples, classes, images of a
    class, values of an image) is drawn under its name, so that a copy of it is drawn as it is.
    """
    n, m = reading.X.shape
    counts = np.unique(reading.labels, return_counts=True)[1]
    for definition in known:
        low, high = definition.class_sizes
        values = {n_features for _, n_features in definition.sizes.values()}
        same = (n, len(counts)) == (definition.n_samples, definition.n_classes) and m in values
        if same and low <= counts.min() and counts.max() <= high:
            note = f"the counts are those of {definition.name}, so the same draws are made"
            return definition.name, (note,)
    return f"{len(counts)} classes", ()


def locate(
    definition: DatasetDefinition, options: DatasetOptions, directory: Path
) -> tuple[Source, Path, tuple[str, ...]]:
    """The first source that is here, its place, and a note where it is not the preferred one.

    Raises
    ------
    DataError
        If none is here, with how to get one.
    """
    size, demanded = str(options.size), options.source
    sources = [source for source in definition.sources if demanded in (None, source.key)]
    first = sources[0]
    for source in sources:
        path = source.find(size, directory)
        if path is not None:
            if source is first:
                return source, path, ()
            # Notes go under tables, so they name no folder of this machine.
            by_hand = f"`nmfrepro data fetch {definition.name}` says how to get it"
            how = how_to_get(definition, first, size) if first.downloads(size) else by_hand
            note = f"default source: {source.key}, since {first.missing(size, 'the data directory')}; {how}"
            return source, path, (note,)
    of = f" from source {demanded}" if demanded else ""
    raise DataError(
        f"dataset {definition.name} ({size}){of} is not here: "
        + "; ".join(source.missing(size, str(directory)) for source in sources)
        + f"; {how_to_get(definition, first, size)}"
    )


def how_to_get(definition: DatasetDefinition, source: Source, size: str) -> str:
    """One clause that says how a missing source is had."""
    fetch = f"`nmfrepro data fetch {definition.name}`"
    return (
        f"get the {source.key} with {fetch}" if source.downloads(size) else source.by_hand or f"see {fetch}"
    )


def compare(definition: DatasetDefinition, reading: Reading, size: str) -> list[str]:
    """How a reading differs from what its name promises; empty if it does not."""
    sizes = np.unique(reading.labels, return_counts=True)[1]
    low, high = definition.class_sizes
    image_shape, n_features = definition.sizes[size]
    found = [
        ("images", reading.X.shape[0], definition.n_samples),
        ("classes", sizes.size, definition.n_classes),
        ("values per image", reading.X.shape[1], n_features),
    ]
    differences = [f"{there} {what} ({wanted} expected)" for what, there, wanted in found if there != wanted]
    if not differences and (sizes.min() < low or sizes.max() > high):
        differences.append(f"classes of {sizes.min()} to {sizes.max()} images ({low} to {high} expected)")
    there, wanted = ("x".join(map(str, shape or ())) for shape in (reading.image_shape, image_shape))
    if there and wanted and there != wanted and reading.X.shape[1] == n_features:
        differences.append(f"images of {there} pixels ({wanted} expected)")
    if definition.levels is not None:
        smallest, largest, levels = float(reading.X.min()), float(reading.X.max()), definition.levels
        if smallest < 0 or largest > levels:
            differences.append(f"values from {smallest:g} to {largest:g} (0 to {levels:g} expected)")
        elif largest <= 1:
            differences.append(f"values up to {largest:g}, already scaled (0 to {levels:g} expected)")
    return differences


def assemble(reading: Reading, name: str, subjects: int | None = None, drawn_as: str = "") -> Dataset:
    """Code the labels, keep the first `subjects` classes, note odd images, and freeze the arrays.

    Samples remain the rows, X (n × m).

    Raises
    ------
    DataError
        If there are fewer classes.
    """
    X, notes = np.ascontiguousarray(reading.X, dtype=np.float64), reading.notes
    (y, classes), files = code(reading.labels), reading.files
    if subjects is not None:
        if subjects > len(classes):
            has = counted(len(classes), "class")
            raise DataError(f"{reading.origin}: subjects is {subjects}, but it has {has}")
        kept = y < subjects
        X, y, classes = X[kept], y[kept], classes[:subjects]
        files = tuple(itertools.compress(files, kept))
        notes += (f"the first {counted(subjects, 'class')} by label",)
    return Dataset(
        name=name,
        X=read_only(X),
        y=read_only(y),
        classes=classes,
        image_shape=reading.image_shape,
        levels=reading.levels,
        source="file",
        origin=reading.origin,
        sha256=content_hash(X, y, reading.image_shape),
        file_sha256=reading.file_sha256,
        notes=notes + remarks(X, y, classes, reading.levels, files),
        drawn_as=drawn_as,
    )


def remarks(
    X: np.ndarray,
    y: np.ndarray,
    classes: Sequence[int | str],
    levels: float | None,
    files: Sequence[str] = (),
) -> tuple[str, ...]:
    """Notes on values that seem scaled already, flat images, samples that equal earlier ones, lone samples.

    Parameters
    ----------
    X : ndarray, shape (n, m)
        Rows are samples.
    y : ndarray of int, shape (n,)
        Class codes, places in `classes`.
    classes : sequence of int or str
    levels : float or None
        The largest value that the source can express.
    files : sequence of str
        What the samples are called; by their numbers where it is empty.
    """
    called, counting = (files, "") if files else ([str(i + 1) for i in range(len(X))], "counted from 1: ")
    notes = []
    if levels is not None and (largest := float(X.max())) <= 1 < levels:
        low = f"the largest value is {largest:g} where levels is {levels:g}, by which scale grey divides"
        notes.append(f"{low}; if the values are scaled already, choose scale: max")
    black = ~X.any(axis=1)
    flat = (X[:, :1] == X).all(axis=1) & ~black & (X.shape[1] > 1)
    for which, what in ((black, "are zero throughout"), (flat, "have one value throughout")):
        if names := [called[i] for i in np.flatnonzero(which).tolist()]:
            notes.append(f"{len(names)} of {len(X)} images {what} ({counting}{_some(names, 10)})")
    again = [(i, earlier) for i, earlier in enumerate(same_images(X)) if earlier != i and X[i].any()]
    other = [(i, earlier) for i, earlier in again if y[i] != y[earlier]]
    for pairs, what in ((again, "equal an earlier one"), (other, "equal one of another class")):
        if pairs:
            names = [f"{called[i]} and {called[earlier]}" for i, earlier in pairs]
            notes.append(f"{len(pairs)} of {len(X)} images {what} ({counting}{_some(names, 5)})")
    lone = [str(classes[each]) for each in np.flatnonzero(np.bincount(y) == 1).tolist()]
    if lone:
        several = f"{len(lone)} of {len(classes)} classes have a single image: {_some(lone, 5)}"
        notes.append(f"class {lone[0]} has a single image" if len(lone) == 1 else several)
    return tuple(notes)


def _some(names: Sequence[str], most: int) -> str:
    return ", ".join(names[:most]) + (" …" if len(names) > most else "")
