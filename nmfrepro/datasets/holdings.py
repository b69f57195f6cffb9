"""What of the known datasets is on this machine, whether it is what it should be, and the table of it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from ..core.errors import DataError
from ..core.terminal import aligned
from .base import Dataset
from .definition import DatasetDefinition, Reading, Source
from .formats.archive import read_archive
from .formats.guard import file_hash
from .labels import code
from .loading import how_to_get, load_from
from .request import DatasetOptions, resolve_named
from .sources import DataFile

TITLES = ("dataset", "size", "source", "images × values", "classes", "SHA-256", "from", "credit")


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

    @property
    def row(self) -> tuple[str, ...]:
        """Its cells in the table of `nmfrepro data list`."""
        name, credit = self.definition.name, self.definition.credit
        if self.dataset is not None and self.path is not None:
            shape = " × ".join(map(str, self.dataset.X.shape))
            place = self.path.name if isinstance(self.source, DataFile) else self.source.title
            found = (shape, str(len(self.dataset.classes)), self.dataset.sha256[:12], place)
            return (name, self.size, self.dataset.source, *found, self.dataset.credit)
        hint = how_to_get(self.definition, self.source, self.size)
        if self.source.downloads(self.size) or self.source.by_hand.count(" ") > 8:
            hint = f"`nmfrepro data fetch {name}`"
        state, hint = ("refused", "see `nmfrepro data check`") if self.problem else ("not here", hint)
        return (name, self.size, self.source.key, state, "", "", hint, credit)


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


def listing(holdings: Iterable[Holding], width: int | None = None) -> Iterator[str]:
    """The lines of the table, one for each dataset, size and source, cut to `width` characters if given."""
    # What nothing but an import brings is not missed.
    shown = (each for each in holdings if each.path or getattr(each.source, "suffixes", ()) != (".npz",))
    head, *rows = aligned([TITLES, *(each.row for each in shown)])
    rule = ["-" * len(title) for title in (*head[:-1], TITLES[-1])]
    for row in (head, rule, *rows):
        line = "  ".join(row).rstrip()
        yield line if width is None or len(line) <= width else line[: max(1, width - 1)] + "…"


def imports(definitions: Iterable[DatasetDefinition], directory: Path) -> dict[Path, Reading]:
    """What was imported into the directory under names of its own, by file."""
    found = {}
    for name, _ in unclaimed(definitions, directory):
        with suppress(DataError):  # some other file
            found[directory / name] = read_archive(directory / name)
    return found


def import_line(path: Path, found: Reading) -> str:
    """The line of a file that was imported under a name of its own, with how a spec has it."""
    n, m = found.X.shape
    classes = len(code(found.labels)[1])
    return f"{found.name}: {n} × {m}, {classes} classes, imported; in a spec: {found.in_spec(path)}"


def unclaimed(definitions: Iterable[DatasetDefinition], directory: Path) -> list[tuple[str, str]]:
    """Data files in the directory that no dataset looks for, with the name a known hash gives them, or ""."""
    claimed: set[str] = set()
    known: dict[str, str] = {}
    for definition in definitions:
        for size in definition.sizes:
            for source in definition.sources:
                if isinstance(source, DataFile):
                    claimed.update(source.filenames(size))
                known.update({download.sha256: download.filename for download in source.downloads(size)})
    return [
        (path.name, known.get(file_hash(path), ""))
        for path in sorted(directory.glob("*.[mnc][aps][tzv]"))
        if path.name not in claimed and path.is_file()
    ]
