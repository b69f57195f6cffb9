"""What the papers print, as shipped with the package: tables of results."""

from __future__ import annotations

import csv
import functools
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from importlib import resources

from ..core.options import pick
from .catalogue import PAPERS, SOURCES, TableSource

AVERAGE = "avg"
"""What a row of averages is called."""
# What the rows of a table of numbers may count.
_COUNTED = ("k", "train")


@dataclass(frozen=True)
class PublishedCell:
    """One printed number."""

    dataset: str | None  # our name of the dataset; None where the paper names none
    row: int | None  # number of clusters, or training images per class; None for a mean over all of them
    metric: str  # our name: "accuracy", "nmi", "sparseness", "nn", "svm", "seconds"
    # column, algorithm: the printed heading, and our method.
    column: str
    algorithm: str
    mean: float  # percent, or seconds
    std: float | None  # standard deviation in points; None where none is printed
    repeats: int | None  # runs behind the mean; None where the paper does not say
    # The dimension printed in brackets (the square root of the number of components for PCA and NMF).
    dimension: int | None
    printed: str  # the number as it stands in the paper
    # digits, spread: of the mean and behind the ±, as printed; `spread` is "" where there is no ±.
    digits: str
    spread: str


@dataclass(frozen=True)
class StatedClaim:
    """A difference of averages that a paper's text states."""

    metric: str
    # column, over: printed names of the better and the worse method; `over` may be "best other".
    column: str
    over: str
    # algorithm, over_algorithm: our methods; `over_algorithm` is "" for the best of all others.
    algorithm: str
    over_algorithm: str
    gain: float | None  # points; None where the text only says which is better


@dataclass(frozen=True)
class PublishedTable:
    """A table of results in a paper."""

    name: str  # as specs call it: "nlcf/table5_orl"
    source: TableSource  # paper, table number, repeats, what ± means, notes
    # What the rows count: "k", or "train" (training images per class); None if there is one row.
    coordinate: str | None
    cells: tuple[PublishedCell, ...]  # row by row, in printed order; the printed averages are left out
    claims: tuple[StatedClaim, ...] = ()  # what the text says of a lost table, which has no cells
    averages: tuple[PublishedCell, ...] = ()  # over the rows, as printed

    @property
    def columns(self) -> tuple[str, ...]:
        """The printed headings in printed order."""
        return tuple(dict.fromkeys(cell.column for cell in self.cells))

    @property
    def metrics(self) -> tuple[str, ...]:
        """Our names of the metrics shown, in printed order."""
        shown = [cell.metric for cell in self.cells] + [claim.metric for claim in self.claims]
        return tuple(dict.fromkeys(shown))

    @property
    def rows(self) -> tuple[int, ...]:
        """Numbers of clusters, or of training images per class."""
        return tuple(dict.fromkeys(cell.row for cell in self.cells if cell.row is not None))

    def find(self, metric: str, algorithm: str, row: int | None) -> PublishedCell | None:
        """The cell of one of our methods, or None if the paper has none."""
        wanted = (metric, algorithm, row)
        return next((c for c in self.cells if (c.metric, c.algorithm, c.row) == wanted), None)

    def of(self, metric: str, column: str) -> dict[int, PublishedCell]:
        """The cells of one heading by row."""
        own = (c for c in self.cells if (c.metric, c.column) == (metric, column))
        return {cell.row: cell for cell in own if cell.row is not None}

    def full(self, metric: str) -> int:
        """What stands for all samples in print: 1 where no number of a metric is beyond ±1, else 100."""
        both = (*self.cells, *self.averages)
        return 1 if all(abs(float(cell.digits)) <= 1 for cell in both if cell.metric == metric) else 100


def names() -> tuple[str, ...]:
    """Names of all published tables of results, and of the lost ones of which claims survive."""
    return tuple(SOURCES)


@functools.cache
def load(name: str) -> PublishedTable:
    """Read a published table of results.

    Parameters
    ----------
    name : str
        One of `names`, such as "nlcf/table5_orl".

    Raises
    ------
    SpecError
        If there is no such table; the message suggests the closest.
    """
    source = pick(name, SOURCES, "published table")
    algorithms = PAPERS[name.partition("/")[0]].methods
    text = resources.files(__name__).joinpath(f"{name}.csv").read_text(encoding="utf-8")
    lines = csv.DictReader(text.splitlines())
    if source.rows == "claims":
        return PublishedTable(name, source, "k", (), tuple(_read_claim(algorithms, line) for line in lines))
    return of_lines(name, source, algorithms, lines)


def of_lines(
    name: str, source: TableSource, algorithms: Mapping[str, str], lines: Iterable[Mapping[str, str]]
) -> PublishedTable:
    """A table of numbers from its lines, each with its fields by column, which have been checked."""
    cells, averages = list[PublishedCell](), list[PublishedCell]()
    for line in lines:
        where = line.get("k") or line.get("train_per_class")
        mean, spread, dimension = line["mean"], line.get("std", ""), line.get("dimension", "")
        printed = line.get("printed_cell") or mean + (f"±{spread}" if spread else "")
        std = float(spread) if spread else None
        if std is not None and source.spread == "variance":
            std = 10 * std**0.5
        cell = PublishedCell(
            dataset=line.get("dataset", source.dataset),
            row=int(where) if where and where != AVERAGE else None,
            metric=line["metric"],
            column=line["algorithm"],
            algorithm=algorithms.get(line["algorithm"], ""),
            mean=float(mean) * (100 if source.fractions else 1),
            std=std,
            repeats=1 if source.single_without_spread and std is None else source.repeats,
            dimension=int(dimension) if dimension else None,
            printed=printed + (f" ({dimension})" if dimension else ""),
            digits=mean,
            spread=spread,
        )
        (averages if where == AVERAGE else cells).append(cell)
    coordinate = source.rows if source.rows in _COUNTED else None
    return PublishedTable(name, source, coordinate, tuple(cells), averages=tuple(averages))


def with_companions(name: str) -> tuple[PublishedTable, ...]:
    """A published table, and those that its paper draws from the same runs.

    Raises
    ------
    SpecError
        If there is no such table.
    """
    table = load(name)
    return (table, *map(load, table.source.companions))


def printed_names() -> tuple[str, ...]:
    """Names of the tables of which rows of numbers survive."""
    return tuple(name for name, source in SOURCES.items() if source.rows in _COUNTED)


def _read_claim(algorithms: Mapping[str, str], row: dict[str, str]) -> StatedClaim:
    return StatedClaim(
        row["metric"],
        row["algorithm"],
        row["over"],
        algorithms[row["algorithm"]],
        algorithms.get(row["over"], ""),
        float(row["gain"]) if row["gain"] else None,
    )
