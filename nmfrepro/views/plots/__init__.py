"""Pictures of a run, drawn from its results alone; the only part that imports matplotlib."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from ... import papers
from ...analysis.pareto import fit_seconds
from ...analysis.significance.pairwise import pairwise
from ...analysis.significance.scores import of_published, of_results
from ...analysis.tables import Table, TableColumn, make_table
from ...core.errors import SpecError, suggest
from ...papers import PublishedTable
from ...results.marks import state
from ..significance import best_first
from .agreement import consensus_matrices
from .curves import metric_curves
from .dimensions import dimension_curves
from .finish import INCH, finish, of_the_user
from .matrix import pair_matrix
from .montage import basis_pictures
from .pareto import pareto, timed_by
from .picture import FORMATS, Picture
from .ranks import rank_diagram
from .style import FONT_SIZE, Look, drawing, look_of, looks_of
from .sweeps import sweep_curves
from .times import time_curves
from .traces import convergence_curves

if TYPE_CHECKING:
    from ...results.folder import Results

PANELS = 12
"""Columns of a run with a sweep up to which each is drawn against the rows, too."""

__all__ = ["FONT_SIZE", "FORMATS", "Picture", "draw", "look_of", "pictures"]


def draw(
    results: Results,
    folder: Path,
    form: str = "png",
    logarithmic: bool = False,
    *,
    width: float | None = None,
    font_size: float = FONT_SIZE,
    highlight: Collection[str] = (),
) -> list[Path]:
    """Write all pictures of a run.

    Parameters
    ----------
    results : Results
    folder : Path
        Made if it is not there.
    form : {"png", "pdf"}
    logarithmic : bool
        Whether convergence curves have a logarithmic axis.
    width : float, optional
        Of every picture, in centimetres; by default as wide as it needs.
    font_size : float
        In points.
    highlight : collection of str
        Labels or names of the methods that stand before the others; by default those of plug-ins.

    Returns
    -------
    list of Path
        The files, in the order they were drawn.

    Raises
    ------
    ResultsError
        If nothing has been run, stored arrays are missing, or the files cannot be written.
    SpecError
        If no column has a name to highlight.
    """
    columns = results.run.columns
    for name in highlight:
        if not any(name in (column.label, column.algorithm) for column in columns):
            raise SpecError(
                f"no column is called {name!r}; {suggest(name, [each.label for each in columns])}"
            )
    chosen = {each.label for each in columns if {each.label, each.algorithm} & set(highlight)}
    written = []
    with drawing(font_size, math.inf if width is None else width / INCH):
        mark = state(results)
        for picture in pictures(results, logarithmic):
            finish(picture.figure, results.run, chosen or of_the_user(results.run), width)
            written.append(picture.write(folder, form, mark))
    return written


def pictures(results: Results, logarithmic: bool = False) -> Iterator[Picture]:
    """All pictures that a run of its kind has, drawn one at a time; use inside `style.drawing`."""
    run = _Drawn(results, logarithmic)
    for kind in results.run.protocol.pictures:
        yield from DRAWERS[kind](run)


@dataclass(frozen=True)
class _Drawn:
    """A run that is drawn; its table is made when a picture first needs it."""

    results: Results
    logarithmic: bool

    @cached_property
    def table(self) -> Table:
        """Its table."""
        return make_table(self.results)

    @cached_property
    def beside(self) -> Table:
        """Its table of all draws, where it is compared with a published one."""
        return make_table(self.results, further=True) if self.paper else self.table

    @cached_property
    def looks(self) -> dict[str, Look]:
        """How its columns are drawn, by label."""
        return looks_of(self.table.columns)

    @cached_property
    def paper(self) -> PublishedTable | None:
        """The published table that the run is compared with, if it prints numbers."""
        name = self.results.run.published
        table = papers.load(name) if name else None
        return table if table is not None and table.cells else None

    @property
    def still(self) -> list[TableColumn]:
        """The columns that are no part of a sweep."""
        return [column for column in self.table.columns if not column.sweep]

    @property
    def swept(self) -> bool:
        """Whether any column is part of one."""
        return any(column.sweep for column in self.results.run.columns)


def _dimensions(run: _Drawn) -> Iterator[Picture]:
    return dimension_curves(run.table, run.results.run.protocol.chosen_name, run.paper)


def _curves(run: _Drawn) -> Iterator[Picture]:
    """Of every column; where a sweep makes too many panels, of the others, which is then said."""
    every = run.table.columns
    shown = every if len(every) <= PANELS else run.still
    for picture in metric_curves(run.table, shown, run.beside, run.paper) if run.still else ():
        if len(shown) < len(every):
            picture.figure.suptitle(f"{picture.figure.get_suptitle()}; methods that are not swept")
        yield picture


def _ranks(run: _Drawn) -> Iterator[Picture]:
    """A diagram for each metric in which better and worse exist, where nothing is swept."""
    if run.swept:
        return
    results, table, paper = run.results, run.table, run.paper
    printed = {cell.column: look_of(cell.algorithm) for cell in paper.cells} if paper else {}
    for block in table.blocks:
        if not block.metric.ranked:
            continue
        scores = {"reproduced": of_results(results, block.name)}
        if paper is not None and block.name in paper.metrics:
            scores["published"] = of_published(paper.name, block.name)
        ours = scores["reproduced"]
        known = {name: test for name, each in scores.items() if (test := each.friedman())}
        if "reproduced" in known:
            if len(scores) == 1:  # a run with nothing published reproduces nothing
                known = {"": known["reproduced"]}
            yield rank_diagram(table.title, block.metric.title, known, printed | run.looks)
        pairs = pairwise(ours)
        if len(ours.labels) > 2 and pairs and pairs[0].n > 1:
            yield pair_matrix(table.title, block.metric, pairs, best_first(ours))


def _pareto(run: _Drawn) -> Iterator[Picture]:
    """Every ranked metric against the seconds of a fit, where nothing is swept."""
    seconds = {} if run.swept else fit_seconds(run.results)
    for block in run.table.blocks if seconds else ():
        scores = of_results(run.results, block.name)
        if block.metric.ranked and len(scores.means):
            times = {label: seconds[label] for label in scores.labels}
            timed = timed_by(run.results.run.protocol)
            yield pareto(run.table.title, block.metric, times, scores.averages, run.looks, timed)


# The kinds of pictures that protocols name.
DRAWERS: Mapping[str, Callable[[_Drawn], Iterable[Picture]]] = {
    "traces": lambda run: [convergence_curves(run.results, run.logarithmic)],
    "bases": lambda run: basis_pictures(run.results),
    "times": lambda run: [time_curves(run.table, run.paper)],
    "dimensions": _dimensions,
    "sweeps": lambda run: sweep_curves(run.table),
    "curves": _curves,
    "ranks": _ranks,
    "pareto": _pareto,
    "consensus": lambda run: consensus_matrices(run.results),
}
