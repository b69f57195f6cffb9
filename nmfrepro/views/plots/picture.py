"""A drawn picture, and what all kinds of pictures share: panels, text, legends, files."""

from __future__ import annotations

import io
import itertools
import re
import textwrap
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...core import files
from ...results.marks import MARK
from .style import FONT_SIZE, room

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.legend import Legend

NARROWEST = 5.2
# Where there is little room, panels are so much narrower.
NARROWER = 0.72
# Inches across that a letter of a method's name takes, and a legend's entry besides its name.
LETTER, ENTRY = 0.065, 0.8
# Inches down that a line of a legend takes, and how many lines more a legend beside panels has room for.
LINE, AROUND = 0.19, 2
# Parameters as the papers print them.
SYMBOLS = {
    "alpha": "α", "epsilon": "ε", "gamma": "γ", "lam": "λ", "mu": "μ", "sigma": "σ", "xi": "ξ",
}  # fmt: skip


@dataclass(frozen=True)
class Picture:
    """A figure with a name for its file and a sentence for those who do not see it."""

    name: str  # stem of the file: "accuracy", "sweep-mu", "montage-nlcf"
    alt: str  # what it shows, in one sentence
    figure: Figure

    def content(self, form: str, mark: str = "") -> bytes:
        """The file's bytes as "png" or "pdf", which say what is shown; equal pictures are equal files.

        `mark` is the state of the results (`nmfrepro.results.marks`) that they show.
        """
        buffer, description = io.BytesIO(), " ".join(self.alt.split())
        metadata: dict[str, str | None] = {"Description": description, "Software": None, MARK: mark or None}
        if form == "pdf":
            metadata = {"Subject": description, "CreationDate": None, "Producer": None}
            metadata["Keywords"] = f"{MARK} {mark}" if mark else None
        self.figure.savefig(buffer, format=form, metadata=metadata)
        return buffer.getvalue()

    def write(self, folder: Path, form: str, mark: str = "") -> Path:
        """Write it as ``folder/name.form``."""
        path = folder / f"{self.name}.{form}"
        files.replace(path, self.content(form, mark))
        return path


def new_figure(width: float, height: float) -> Figure:
    """A figure of this size in inches, or wide enough for a heading, outside matplotlib's global state.

    It is no wider than there is `room`.
    """
    from matplotlib.figure import Figure

    return Figure(figsize=(min(max(width, NARROWEST), room.get()), height))


def panels(
    count: int, width: float, height: float, across: int = 3, legend: float = 0, **shared: Any
) -> tuple[Figure, list[Axes]]:
    """A figure of `count` panels, `across` of them in a row; sizes and the room for a legend in inches.

    Where they do not fit beside each other they are narrower, and then fewer in a row.
    """
    columns = min(count, across)
    if columns * width + legend > room.get():
        columns = max(1, min(columns, int(room.get() / (NARROWER * width))))
    rows = -(-count // columns)
    figure = new_figure(columns * width + legend, rows * height)
    grid = figure.subplots(rows, columns, squeeze=False, **shared).ravel()
    for spare in grid[count:]:
        spare.set_visible(False)
    # Where a last row is shorter, the panels above the gap need their own numbers on the axis.
    for above in grid[max(count - columns, 0) : count]:
        above.xaxis.set_tick_params(labelbottom=True)
    return figure, list(grid[:count])


def text(words: str) -> str:
    """Words as matplotlib prints them literally: a dollar sign would begin a formula.

    A label that begins with _ would be left out of legends, so a thin space stands before it.
    """
    return ("\u2009" if words.startswith("_") else "") + words.replace("$", r"\$")


def titled(panel: Axes, words: str) -> None:
    """Write words above a panel, in as many lines as its width asks for."""
    from matplotlib import rcParams

    letter = LETTER * rcParams["axes.titlesize"] / (FONT_SIZE - 1)
    # Laid out, a panel takes at least so much more than it has before.
    fitting = int(1.2 * panel.bbox.width / panel.figure.dpi / letter)
    panel.set_title("\n".join(textwrap.wrap(text(words), max(fitting, 8)))).set_label(text(words))


def symbol(parameter: str) -> str:
    """A parameter as papers print it."""
    return SYMBOLS.get(parameter, parameter)


def slug(words: str) -> str:
    """Words as part of a file's name: "NLCF (mu = 0.5)" becomes "nlcf-mu-0.5"."""
    return re.sub(r"[^a-z0-9.]+", "-", words.lower()).strip("-.") or "column"


def unique_slugs(labels: Iterable[str]) -> list[str]:
    """One slug for each label, numbered where two would be the same."""
    slugs: list[str] = []
    for label in labels:
        names = itertools.chain([slug(label)], (f"{slug(label)}-{number}" for number in itertools.count(2)))
        slugs.append(next(name for name in names if name not in slugs))
    return slugs


def legend_beside(figure: Figure, title: str | None = None) -> Legend:
    """One legend at the right of all panels, or below where there is no room: each name once."""
    named = dict[str, Any]()
    for panel in figure.axes:  # the first may lack a curve that another has
        for handle, label in zip(*panel.get_legend_handles_labels(), strict=True):
            named.setdefault(label, handle)
    from matplotlib import rcParams

    place: dict[str, Any] = {"loc": "outside right center"}
    wide, high = figure.get_size_inches()
    larger = rcParams["legend.fontsize"] / (FONT_SIZE - 1)
    more = (title or "").count("\n") + bool(title) + max((label.count("\n") for label in named), default=0)
    if wide < room.get():
        figure.set_size_inches(wide, max(high, LINE * larger * (len(named) + more + AROUND)))
    else:
        if across := figure.get_supxlabel():  # it would stand on the legend
            figure.supxlabel("")
            [*_, last] = (panel for panel in figure.axes if panel.get_visible())
            last.set_xlabel(across)
        longest = max(len(line) for label in named for line in label.split("\n"))
        columns = max(1, int(wide / ((ENTRY + LETTER * longest) * larger)))
        place = {"loc": "outside lower center", "ncols": columns}
        figure.set_size_inches(wide, high + LINE * larger * (-(-len(named) // columns) + more))
    return figure.legend(named.values(), named.keys(), title=title, handlelength=3.2, **place)
