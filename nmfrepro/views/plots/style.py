"""How pictures look: a colour, marker and dash for every method, the same in all of them.

The colours are those of Okabe and Ito, which colour-blind readers tell apart; markers and dashes tell the
methods apart in grey.
"""

from __future__ import annotations

import itertools
import math
import os
import sys
from collections import Counter
from collections.abc import Collection, Iterator
from contextlib import chdir, contextmanager, suppress
from contextvars import ContextVar
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType
from typing import Any

from ... import algorithms
from ...algorithms import Look
from ...core import seeds
from ...results.record import ColumnRecord

NAMED = {
    "vermillion": "#D55E00", "blue": "#0072B2", "green": "#009E73", "orange": "#E69F00",
    "purple": "#CC79A7", "sky": "#56B4E9", "black": "#000000", "grey": "#777777",
}  # fmt: skip
Looks = dict[str, Look]
"""How columns are drawn, by label."""
COLOURS = tuple(NAMED.values())
MARKERS = ("o", "s", "^", "D", "v", "P", "<", ">", "*", "p", "h")
DASHES = ("-", "--", "-.", ":")
SIZE = 4.5
FONT_SIZE = 9.0
# Markers that fill less of their square than others.
LARGER = {"*": 1.6, "P": 1.2, "p": 1.2, "h": 1.2}


def line_of(look: Look) -> dict[str, Any]:
    """Arguments of ``plot``."""
    face = "white" if look.hollow else look.colour
    drawn = {"color": look.colour, "marker": look.marker, "linestyle": look.dash, "mfc": face}
    return drawn | {"markersize": SIZE * LARGER.get(look.marker, 1)}


def errors_of(look: Look) -> dict[str, Any]:
    """Arguments of ``errorbar``: the bars are fainter than the line, so that many can be told apart."""
    return line_of(look) | {"ecolor": (look.colour, 0.55), "elinewidth": 0.8}


def _stated(algorithm: str) -> Look | None:
    """The look that a method's class states; there is none of one that is not known here."""
    cls = algorithms.registry().get(algorithm)
    return cls.look if cls else None


def look_of(algorithm: str, others: Collection[Look] = ()) -> Look:
    """The look that a method's class states; without one, from its name, and so the same every time.

    Methods that meet in one paper differ in colour or at least in marker and dash; what a paper proposes is
    vermillion and solid, plain NMF black.  A method without a look of its own has no colour and no marker of
    the `others`, as long as any are left.
    """
    if stated := _stated(algorithm):
        return stated._replace(colour=NAMED.get(stated.colour, stated.colour))
    colours = [each for each in COLOURS if each not in {look.colour for look in others}] or COLOURS
    markers = [each for each in MARKERS if each not in {look.marker for look in others}] or MARKERS
    number = seeds.derive("look", algorithm)
    colour, rest = colours[number % len(colours)], number // len(COLOURS)
    return Look(colour, markers[rest % len(markers)], DASHES[rest // len(MARKERS) % len(DASHES)])


def looks_of(columns: Collection[ColumnRecord], every: Collection[ColumnRecord] = ()) -> Looks:
    """The looks of columns; the second of one colour and marker is hollow, the third has another.

    A method's second column also has the next dash.  Where `columns` are some of a run's and `every` all of
    them, methods have the colours and markers that they have there.
    """
    first: dict[str, Look] = {}  # of every method
    names = dict.fromkeys(column.algorithm for column in every or columns)
    for name in sorted(names, key=lambda each: _stated(each) is None):  # methods with looks choose nothing
        first[name] = look_of(name, first.values())
    methods: Counter[str] = Counter()
    own = {(look.colour, look.marker) for look in first.values()}
    drawn = set[tuple[str, str, bool]]()
    looks = {}
    for column in columns:
        look = first[column.algorithm]
        dash = DASHES[(DASHES.index(look.dash) + methods[column.algorithm]) % len(DASHES)]
        free = [each for each in MARKERS if (look.colour, each) not in own]
        points = [(look.colour, *each) for each in itertools.product([look.marker, *free], [False, True])]
        point = next((each for each in points if each not in drawn), points[0])
        drawn.add(point)
        looks[column.label] = look._replace(dash=dash, marker=point[1], hollow=point[2])
        methods[column.algorithm] += 1
    return looks


def series_looks(count: int, taken: Collection[tuple[str, str]] = ()) -> list[Look]:
    """Looks of curves that are not methods, such as one for each k: of no colour and dash that are taken.

    Where fewer of these are left than there are curves, markers tell them apart.
    """
    turns = [divmod(i, len(COLOURS)) for i in range(len(COLOURS) * len(DASHES))]
    pairs = [(COLOURS[at], DASHES[(at + turn) % len(DASHES)]) for turn, at in turns]
    pairs = [pair for pair in pairs if pair not in taken] or pairs
    every = zip(itertools.cycle(pairs), itertools.cycle(MARKERS), strict=False)
    return [Look(colour, marker, dash) for (colour, dash), marker in itertools.islice(every, count)]


def level_looks(looks: Looks) -> Looks:
    """Those for lines without markers: the second of one colour and dash has the next dash."""
    taken = set[tuple[str, str]]()
    found = {}
    for label, look in looks.items():
        first = DASHES.index(look.dash)
        dashes = (*DASHES[first:], *DASHES[:first])
        dash = next((each for each in dashes if (look.colour, each) not in taken), look.dash)
        taken.add((look.colour, dash))
        found[label] = look._replace(dash=dash)
    return found


room: ContextVar[float] = ContextVar("room", default=math.inf)
"""Inches across that pictures may take: panels, legends and numbers are laid out for them."""


@contextmanager
def drawing(font_size: float = FONT_SIZE, width: float = math.inf) -> Iterator[None]:
    """Settings for all pictures, in force while one is drawn and written; the caller's own come back.

    `width` is how many inches across they may take.
    """
    matplotlib = import_matplotlib()
    settings = {
        "figure.constrained_layout.use": True,
        "savefig.dpi": 200,
        "font.size": font_size,
        "axes.titlesize": font_size + 1,
        "axes.labelsize": font_size,
        "legend.fontsize": font_size - 1,
        "legend.frameon": False,
        "axes.spines.top": False,
        "axes.spines.right": False,
        "axes.grid": True,
        "grid.color": "#DDDDDD",
        "grid.linewidth": 0.6,
        "axes.axisbelow": True,
        "lines.linewidth": 1.3,
        "errorbar.capsize": 2,
        "pdf.fonttype": 42,
    }
    ours = {key: value for key, value in matplotlib.rcParamsDefault.items() if key != "backend"}
    before = room.set(width)
    try:
        with matplotlib.rc_context(ours | settings):
            yield
    finally:
        room.reset(before)


def import_matplotlib() -> ModuleType:
    """Matplotlib, whatever the user's matplotlibrc and MPLBACKEND say.

    Either can make the import itself fail.  So it is imported where its own matplotlibrc is found first, and
    the user's settings are read afterwards, if they can be.
    """
    if "matplotlib" not in sys.modules:
        spec = find_spec("matplotlib")
        assert spec is not None
        assert spec.origin is not None
        backend = os.environ.pop("MPLBACKEND", None)
        with chdir(Path(spec.origin).parent / "mpl-data"):
            import matplotlib
        with suppress(Exception):
            matplotlib.rcParams.update(matplotlib.rc_params())
        if backend is not None:
            os.environ["MPLBACKEND"] = backend
            with suppress(ValueError):
                matplotlib.rcParams["backend"] = backend
    return sys.modules["matplotlib"]
