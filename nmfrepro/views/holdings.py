"""The table of `nmfrepro data list`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from ..core.terminal import aligned, counted
from ..datasets.definition import Reading
from ..datasets.holdings import Holding
from ..datasets.labels import code
from ..datasets.loading import how_to_get

TITLES = ("dataset", "size", "source", "images × values", "classes", "SHA-256", "from", "credit")
LONGEST = 75
"""Characters of what is to be done by hand that a line has room for."""


def listing(holdings: Iterable[Holding], width: int | None = None) -> Iterator[str]:
    """Its lines, one for each dataset, size and source, cut to `width` characters if given."""
    shown = (each for each in holdings if each.path or not each.source.imported_only)
    head, *rows = aligned([TITLES, *map(cells, shown)])
    rule = ["-" * len(title) for title in (*head[:-1], TITLES[-1])]
    for row in (head, rule, *rows):
        line = "  ".join(row).rstrip()
        yield line if width is None or len(line) <= width else line[: max(1, width - 1)] + "…"


def cells(holding: Holding) -> tuple[str, ...]:
    """The line of one holding, under `TITLES`."""
    definition, size, source, dataset = holding.definition, holding.size, holding.source, holding.dataset
    if dataset is not None and holding.path is not None:
        shape = " × ".join(map(str, dataset.X.shape))
        origin = holding.path.name if source.filenames(size) else source.title
        content = (shape, str(len(dataset.classes)), dataset.sha256[:12])
        return (definition.name, size, dataset.source, *content, origin, dataset.credit)
    hint = how_to_get(definition, source, size)
    if source.downloads(size) or len(source.by_hand) > LONGEST:
        fetch = f"`nmfrepro data fetch {definition.name}`"
        hint = fetch if source.downloads(size) else f"by hand: {fetch} says how"
    state, hint = ("refused", "see `nmfrepro data check`") if holding.problem else ("not here", hint)
    return (definition.name, size, source.key, state, "", "", hint, definition.credit)


def import_line(path: Path, found: Reading) -> str:
    """The line of a file that was imported under a name of its own, with how a spec has it."""
    n, m = found.X.shape
    classes = len(code(found.labels)[1])
    return f"{found.name}: {n} × {m}, {counted(classes, 'class')}, imported; in a spec: {found.in_spec(path)}"
