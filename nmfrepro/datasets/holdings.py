"""What of the known datasets is on this machine, and whether it is what it should be."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from ..core.errors import DataError
from . import registry
from .base import Dataset
from .definition import DatasetDefinition, Reading, Source
from .formats.archive import read_archive
from .formats.guard import file_hash
from .loading import load_from
from .request import DatasetOptions, resolve_named


@dataclass(frozen=True, eq=False)
class Holding:
    """One dataset in one size from one source, as far as it is here."""

    definition: DatasetDefinition
    size: str
    source: Source
    path: Path | None  # None where it is not here
    dataset: Dataset | None  # None where it is not here or was refused
    problem: str  # why it was refused; empty if it was not

    @property
    def verdict(self) -> str:
        """In a word or two: "missing", "refused", "the known copy", "another copy", "fits"."""
        if self.path is None:
            return "missing"
        if self.dataset is None:
            return "refused"
        pinned = self.source.downloads(self.size)
        if not pinned or self.path.suffix != ".mat":
            return "fits"
        return "the known copy" if self.dataset.file_sha256 == pinned[0].sha256 else "another copy"


def holdings(definitions: Iterable[DatasetDefinition], directory: Path) -> Iterator[Holding]:
    """Every dataset, size and source, loaded where it is here; damaged ones with the reason."""
    for definition in definitions:
        for size in definition.sizes:
            options = resolve_named(DatasetOptions(name=definition.name, size=size, scale="none"), definition)
            for source in definition.sources:
                dataset, problem, path = None, "", source.find(size, directory)
                if path is not None:
                    try:
                        dataset = load_from(definition, options, source, path)
                    except DataError as error:
                        problem = str(error)
                yield Holding(definition, size, source, path, dataset, problem)


def unclaimed(directory: Path) -> Iterator[tuple[Path, str, Reading | None]]:
    """Data files in the directory that no dataset looks for.

    Each with the name that a known hash gives it, or "", and its content where it was imported.
    """
    claimed: set[str] = set()
    known: dict[str, str] = {}
    for definition in registry().values():
        for size in definition.sizes:
            for source in definition.sources:
                claimed.update(source.filenames(size))
                known.update({download.sha256: download.filename for download in source.downloads(size)})
    for path in sorted(directory.glob("*.*")):
        if path.suffix in (".csv", ".mat", ".npz") and path.name not in claimed and path.is_file():
            digest, imported = "", None
            with suppress(OSError):  # one that we may not read
                digest = file_hash(path)
            with suppress(DataError):  # some other file
                imported = read_archive(path)
            yield path, known.get(digest, ""), imported
