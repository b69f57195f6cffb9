"""Pictures of a run, drawn from its results alone; the only part that imports matplotlib.

A protocol names the kinds of its pictures.  Each is the module of that name here, which has
``pictures(run: PlottedRun)``; the run's title is put before what they show.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator
from contextlib import suppress
from dataclasses import replace
from importlib import import_module
from pathlib import Path

from ...analysis.tables.layout import check_metrics
from ...core.errors import Setting, SpecError, suggest
from ...core.options import texts
from ...results.folder import Results
from ...results.marks import FORMATS, stale_files, state
from ...runs.plan import labels_of
from .finish import INCH, WIDTHS, finish, of_the_user
from .picture import Picture
from .run import PlottedRun
from .style import FONT_SIZE, drawing

__all__ = ["draw", "pictures"]


def draw(
    results: Results,
    folder: Path,
    form: str = "png",
    logarithmic: bool = False,
    *,
    metrics: str | Collection[str] = (),
    title: bool = True,
    width: float | str | None = None,
    font_size: float = FONT_SIZE,
    highlight: str | Collection[str] = (),
) -> tuple[list[Path], list[Path]]:
    """Write all pictures of a run.

    Without `metrics`, those of other rows or settings that lie beside them in the run's own folder, of this
    form, are removed: nothing would draw them anew.

    Parameters
    ----------
    results : Results
    folder : Path
        Made if it is not there.
    form : {"png", "pdf"}
    logarithmic : bool
        Whether convergence curves have a logarithmic axis.
    metrics : str or collection of str
        What pictures of metrics show; the run's own choice by default.
    title : bool
        Whether pictures have a heading: the run's title and what is shown.  That a smoke run is one is said
        all the same.
    width : float or {"single", "double"}, optional
        Of every picture, 3 to 100 centimetres, or a journal's column or page; by default as wide as it needs.
    font_size : float
        4 to 40 points.
    highlight : str or collection of str
        Labels or names of the methods (* and ? as in shells) that stand before the others; by default those
        of plug-ins.

    Returns
    -------
    written : list of Path
        The files, in the order they were drawn.
    removed : list of Path

    Raises
    ------
    ResultsError
        If nothing has been run, there is no such metric, stored arrays are missing, or the files cannot be
        written.
    SpecError
        If no column has a name to highlight, there is no such form, a size is out of its range, or what
        should be a list of text is none.
    """
    if form not in FORMATS:
        raise SpecError(Setting("form"), f": there is no {form!r}; {suggest(str(form), FORMATS)}")
    wide = WIDTHS.get(width, math.nan) if isinstance(width, str) else width
    if wide is not None and not _within(wide, 3, 100):
        words = ", ".join(WIDTHS)
        raise SpecError(Setting("width"), f" must be {words}, or a number from 3 to 100, not {width!r}")
    if not _within(font_size, 4, 40):
        raise SpecError(Setting("font_size"), f" must be a number from 4 to 40, not {font_size!r}")
    patterns = [highlight] if isinstance(highlight, str) else texts("highlight", highlight, "nlcf*")
    columns = {column.label: column.algorithm for column in results.run.columns}
    chosen = labels_of(patterns, columns, "highlight") or of_the_user(results.run)
    asked = [metrics] if isinstance(metrics, str) else texts("metrics", metrics, "accuracy")
    shown = check_metrics(results, asked)
    written, removed = list[Path](), list[Path]()
    with drawing(font_size, math.inf if wide is None else wide / INCH):
        mark = state(results)
        for picture in pictures(PlottedRun(results, logarithmic, shown)):
            finish(picture.figure, results.run, chosen, wide, title)
            written.append(picture.write(folder, form, mark))
    for old in () if shown else stale_files(results):
        if old.suffix == f".{form}" and old.parent.resolve() == folder.resolve():
            with suppress(OSError):
                old.unlink()
                removed.append(old)
    return written, removed


def _within(value: object, least: float, most: float) -> bool:
    return isinstance(value, int | float) and least <= value <= most


def pictures(run: PlottedRun) -> Iterator[Picture]:
    """All pictures that a run of its kind has, drawn one at a time; use inside `style.drawing`."""
    for kind in run.record.protocol.pictures:
        for picture in import_module(f".{kind}", __name__).pictures(run):
            yield replace(picture, alt=f"{run.record.spec.title}: {picture.alt}")
