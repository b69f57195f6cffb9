"""Bring any readable file into the data directory as a checked .npz."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

from ..core.errors import DataError, Setting, SpecError
from .base import check_values
from .definition import DatasetDefinition, Reading
from .formats.archive import write_archive
from .formats.arrange import upright
from .loading import check_levels, compare, fitting_its_name, without_labels
from .request import DatasetOptions
from .sources import DataFile
from .userfile import read_user_file

_NAME = re.compile(r"[A-Za-z0-9][\w.-]*")


def import_file(
    options: DatasetOptions,
    name: str,
    definition: DatasetDefinition | None,
    directory: Path,
    *,
    accept_mismatch: bool = False,
    overwrite: bool = False,
) -> tuple[Path, Reading]:
    """Read a file, check it, and write it as .npz.

    Parameters
    ----------
    options : DatasetOptions
        `file` and how it is read.
    name : str
        A known dataset's, or a new one's.
    definition : DatasetDefinition or None
        The known dataset, which the file must fit.
    directory : Path
        The data directory; made if it does not exist.
    accept_mismatch : bool
        Import a file that does not fit its name; it carries a note.
    overwrite : bool
        Replace an earlier import.

    Returns
    -------
    path : Path
        The file written.
    archive : Reading
        What is in it.

    Raises
    ------
    DataError
        If the file cannot be read, holds a value that is no number or beyond its `levels`, does not
        fit, or another is in its place.
    SpecError
        If the name cannot name a file.
    """
    if not _NAME.fullmatch(name):
        raise SpecError(f"name {name!r}: letters, digits, point, dash and underscore only")
    reading = read_user_file(options)
    if not reading.labelled:
        raise without_labels(Path(options.file or ""))
    check_values(reading.X, reading.origin)
    check_levels(Path(options.file or ""), reading)
    source, stem = "file", name
    if definition is not None:
        reading, source, stem = _fit(reading, options, definition, accept_mismatch)
    archive = replace(reading, name=name, source=source, credit=definition.credit if definition else "")
    target = directory / f"{stem}.npz"
    preferred = target.with_suffix(".mat")
    if definition is not None and preferred.exists():
        raise DataError(f"{preferred} is there and would be read instead; move it away first")
    if target.exists() and not overwrite:
        raise DataError(f"{target} is there already; use ", Setting("overwrite"), " to replace it")
    write_archive(target, archive)
    return target, archive


def named_in_spec(definition: DatasetDefinition, archive: Reading) -> str:
    """How a spec names what was imported as a known dataset."""
    size = _size(definition, archive)
    given = [f"name: {definition.name}"]
    given += [f"size: {size}"] if size != definition.default_size else []
    given += ["accept_mismatch: true"] if compare(definition, archive, size) else []
    return f"dataset: {{{', '.join(given)}}}"


def _size(definition: DatasetDefinition, reading: Reading) -> str:
    """The size of a dataset that a reading has; the default one where it has none."""
    sizes = definition.sizes.items()
    return next((size for size, (_, n) in sizes if n == reading.X.shape[1]), definition.default_size)


def _fit(
    reading: Reading, options: DatasetOptions, definition: DatasetDefinition, accept_mismatch: bool
) -> tuple[Reading, str, str]:
    """Hold a reading against its name; the reading as it is kept, its source and its file's stem."""
    path = Path(options.file or "")
    size = _size(definition, reading)
    image_shape, n_features = definition.sizes[size]
    home = next((s for s in definition.sources if isinstance(s, DataFile) and size in s.stems), None)
    if home is None:
        raise DataError(f"dataset {definition.name} is not read from files; import it under another name")
    if n_features == reading.X.shape[1] and image_shape is not None and reading.image_shape is None:
        order = options.pixel_order or (home.pixel_order if path.suffix.lower() == ".mat" else None)
        reading = replace(reading, X=upright(reading.X, image_shape, order, path), image_shape=image_shape)
    remedy = ("import it under another name, or with ", Setting("accept_mismatch"))
    reading = fitting_its_name(definition, reading, size, path, accept_mismatch, remedy)
    pinned = {download.sha256 for download in home.downloads(size)}
    source = home.key if reading.file_sha256 in pinned else reading.source or "imported"
    return reading, source, home.stems[size]
