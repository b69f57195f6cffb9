"""What all pictures get once they are drawn: a heading, one method before the others, a width."""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING

from ... import datasets
from ...analysis.tables.layout import known_methods
from ...analysis.tables.notes import smoke
from ...registry.plugins import source_hash
from ...results.record import RunRecord
from .picture import text

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

INCH = 2.54
# Widths in centimetres of a journal's column and of its page.
WIDTHS = {"single": 8.9, "double": 18.2}
THICK, FAINT = 2.4, 0.45
# Inches that a line of the heading adds to a picture's height.
LINE = 0.17


def finish(
    figure: Figure, run: RunRecord, highlight: Collection[str], width: float | None, title: bool = True
) -> None:
    """Finish a figure in place: above what it shows (its heading so far) stands the title of the run.

    Parameters
    ----------
    figure : Figure
    run : RunRecord
    highlight : collection of str
        Labels of the columns that stand before the others.
    width : float or None
        In centimetres; the height follows, but for the heading's.
    title : bool
        Whether there is a heading; that a smoke run is one is said all the same.
    """
    dataset = datasets.registry().get(run.dataset.name)
    name = [dataset.title.partition(",")[0]] if dataset else []  # else no more than the stem of a file
    heading = [text(", ".join([run.spec.title, *name])), figure.get_suptitle()] if title else []
    lines = [*heading, *smoke(run)]
    figure.suptitle("\n".join(lines), fontsize="medium", wrap=True).set_in_layout(bool(lines))
    if set(highlight) < {column.label for column in run.columns}:
        for panel in figure.axes:
            _highlight(panel, set(map(text, highlight)))
    wide, high = figure.get_size_inches()
    scale = width / INCH / wide if width is not None else 1
    figure.set_size_inches(wide * scale, high * scale + LINE * len(lines))


def of_the_user(run: RunRecord) -> set[str]:
    """The columns whose methods come from plug-ins."""
    methods = zip(run.columns, known_methods(run), strict=True)
    return {each.label for each, cls in methods if cls and source_hash(cls.__module__) is not None}


def _highlight(panel: Axes, labels: Collection[str]) -> None:
    """Thicken the curves with those labels and fade the others; print what else has such a label bold."""
    for words in (panel.title, *panel.texts):
        if words.get_label() in labels:
            words.set_fontweight("bold")
    curves = [each for each in panel.containers if hasattr(each, "lines")]
    if not any(curve.get_label() in labels for curve in curves):
        return
    for curve in curves:
        line, _, bars = curve.lines
        if curve.get_label() in labels:
            line.set(linewidth=THICK, zorder=4)
        else:
            for part in (line, *bars):
                part.set_alpha(FAINT)
