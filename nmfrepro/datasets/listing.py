"""The table of `nmfrepro data list`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from .formats.archive import Archive
from .labels import code
from .loading import how_to_get
from .sources import DataFile, ImportedFile
from .status import Holding

TITLES = ("dataset", "size", "source", "images × values", "classes", "SHA-256", "from", "credit")


def listing(holdings: Iterable[Holding], width: int | None = None) -> Iterator[str]:
    """The lines of the table, one for each dataset, size and source.

    Parameters
    ----------
    holdings : iterable of Holding
    width : int or None
        Lines are cut to so many characters; None leaves them whole.
    """
    rows = [
        _row(each) for each in holdings if each.path is not None or not isinstance(each.source, ImportedFile)
    ]
    table = [TITLES, *rows]
    # The last column is not padded, so a long credit widens nothing.
    widths = [max(len(row[i]) for row in table) for i in range(len(TITLES) - 1)]
    for number, row in enumerate(table):
        yield _cut("  ".join([*map(str.ljust, row, widths), row[-1]]).rstrip(), width)
        if number == 0:
            yield _cut("  ".join("-" * size for size in [*widths, len(TITLES[-1])]), width)


def imported(path: Path, archive: Archive) -> str:
    """The line of a file that was imported under a name of its own, with how a spec has it."""
    n, m = archive.X.shape
    classes = len(code(archive.labels)[1])
    return f"{archive.name}: {n} × {m}, {classes} classes, imported; in a spec: {archive.in_spec(path)}"


def _row(holding: Holding) -> tuple[str, ...]:
    definition, dataset = holding.definition, holding.dataset
    start = (definition.name, holding.size, holding.source.key)
    if dataset is not None and holding.path is not None:
        named = isinstance(holding.source, DataFile)
        return (
            *start[:2],
            dataset.source,
            f"{dataset.X.shape[0]} × {dataset.X.shape[1]}",
            str(len(dataset.classes)),
            dataset.sha256[:12],
            holding.path.name if named else holding.source.title,
            dataset.credit,
        )
    if holding.problem:
        return (*start, "refused", "", "", "see `nmfrepro data check`", definition.credit)
    return (*start, "not here", "", "", _hint(holding), definition.credit)


def _hint(holding: Holding) -> str:
    if holding.source.downloads(holding.size) or holding.source.by_hand.count(" ") > 8:
        return f"`nmfrepro data fetch {holding.definition.name}`"
    return how_to_get(holding.definition, holding.source, holding.size)


def _cut(line: str, width: int | None) -> str:
    return line if width is None or len(line) <= width else line[: max(1, width - 1)] + "…"
