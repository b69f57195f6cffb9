"""Bases and encodings: montages of images, points in the plane, small matrices with their numbers."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from ...datasets.montage import sheet
from .picture import Picture, legend_beside, new_figure, panels, text, titled, unique_slugs
from .run import PlottedRun
from .style import COLOURS, MARKERS, NAMED

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Arrays = Mapping[str, np.ndarray]
MOST = 25
# Above this many cells a matrix is drawn without its numbers.
NUMBERED = 12
# Points of its digits for every inch across that a matrix's cell has.
DIGITS = 26
# Below this share of a matrix's largest entry, 0 is written.
NOTHING = 1e-3
SIDE = 2.5
# Pixels across one entry of an encoding, so that the lines between encodings are thin beside it.
ENLARGED = 8


def pictures(run: PlottedRun) -> Iterator[Picture]:
    """What the data is decides: montages for images, a scatter in the plane, matrices for other features.

    Yields
    ------
    Picture
        "montage-nlcf" for each column; "plane" or "matrices" for all together.

    Raises
    ------
    ResultsError
        If stored arrays are missing or damaged.
    """
    record = run.record
    stored = {label: run.results.arrays(trials[0]) for label, trials in run.fitted.items() if trials}
    if not stored:  # all failed
        return
    if shape := record.dataset.image_shape:
        for label, name in zip(run.fitted, unique_slugs(run.fitted), strict=True):
            if label in stored:
                yield _montage(label, f"montage-{name}", stored[label], shape)
    elif record.dataset.m == 2:
        yield _plane(stored)
    else:
        yield _matrices(stored)


def _montage(label: str, name: str, arrays: Arrays, shape: tuple[int, ...]) -> Picture:
    """Images, basis vectors as images, and the encodings of those images as small squares."""
    from matplotlib import colormaps

    chosen = one_of_each(arrays["classes"])
    parts: list[tuple[str, np.ndarray, str]] = [
        ("Images", tiles(arrays["images"][chosen].reshape(-1, *shape), common=True), "gray")
    ]
    if "basis" in arrays:
        basis = arrays["basis"].T[:MOST]
        signed = " (grey: 0)" if basis.min() < 0 else ""
        parts.append((f"Basis{signed}", tiles(basis.reshape(-1, *shape)), "gray"))
    if "encodings" in arrays:
        length = arrays["encodings"].shape[1]
        side = math.ceil(math.sqrt(length))
        down = -(-length // side)
        squares = np.full((len(chosen), down * side), np.nan)
        squares[:, :length] = np.abs(arrays["encodings"][chosen])
        picture = tiles(squares.reshape(-1, down, side).repeat(ENLARGED, axis=1).repeat(ENLARGED, axis=2))
        parts.append(("Encodings (dark: large)", picture, "gray_r"))
    figure = new_figure(SIDE * len(parts), SIDE + 0.5)
    axes = figure.subplots(1, len(parts), squeeze=False)[0]
    for panel, (heading, picture, colours) in zip(axes, parts, strict=True):
        between = "white" if colours == "gray" else NAMED["sky"]
        shown = colormaps[colours].with_extremes(bad=between)
        panel.imshow(picture, cmap=shown, vmin=0, vmax=1, interpolation="nearest")
        titled(panel, heading)
        panel.set_axis_off()
    figure.suptitle(text(label))
    alt = f"{label}, side by side {', '.join(heading.lower() for heading, _, _ in parts)}"
    return Picture(name, alt, figure)


def one_of_each(classes: np.ndarray) -> np.ndarray:
    """Indices of at most 25 images: one of each class, then more of them until there are enough."""
    rank = np.zeros(len(classes), dtype=int)
    for code in np.unique(classes):
        members = np.flatnonzero(classes == code)
        rank[members] = np.arange(len(members))
    return np.sort(np.argsort(rank, kind="stable")[:MOST])


def tiles(images: np.ndarray, common: bool = False) -> np.ndarray:
    """Images side by side in rows, with a gap between them, as values in [0, 1]; NaN where there is nothing.

    Parameters
    ----------
    images : ndarray, shape (n, rows, columns)
    common : bool
        Whether all share one scale; else each has its own, from 0 to its largest entry, or, where entries are
        negative, with 0 in the middle.
    """
    images = images.astype(float)
    largest = np.nanmax(np.abs(images), axis=None if common else (1, 2), keepdims=True)
    largest[largest == 0] = 1
    images = images / largest
    if np.nanmin(images) < 0:
        images = (images + 1) / 2
    count, rows, _ = images.shape
    return sheet(images, math.ceil(math.sqrt(count)), max(1, rows // 16), np.nan)


def _plane(stored: Mapping[str, Arrays]) -> Picture:
    """Points by class, and each method's basis vectors as arrows from the origin."""
    star: dict[str, Any] = {"linestyle": "none", "marker": "*", "color": COLOURS[0], "mec": "black"}
    arrow = {"arrowstyle": "-|>", "color": COLOURS[0], "linewidth": 1.4}
    figure, axes = panels(len(stored), 3.2, 3.2, legend=1.2, sharex=True, sharey=True)
    for panel, (label, arrays) in zip(axes, stored.items(), strict=True):
        points, codes = arrays["images"], arrays["classes"]
        for code in np.unique(codes):
            marker, colour = MARKERS[1 + code % (len(MARKERS) - 1)], COLOURS[1 + code % (len(COLOURS) - 1)]
            dots: dict[str, Any] = {"linestyle": "none", "marker": marker, "color": colour}
            panel.plot(*points[codes == code].T, markersize=3, alpha=0.6, label=f"class {code + 1}", **dots)
        for vector in arrays["basis"].T if "basis" in arrays else ():
            panel.annotate("", vector, (0, 0), arrowprops=arrow)
            panel.plot(*vector, markersize=11, clip_on=False, zorder=5, **star)
        panel.plot([], label="basis vector", **star)
        titled(panel, label)
        panel.set_xlabel("First feature")
        panel.set_aspect("equal")
    # All panels share their axes, which hold the origin and begin there where nothing is negative.
    shown = [arrays["images"] for arrays in stored.values()]
    shown += [arrays["basis"].T for arrays in stored.values() if "basis" in arrays]
    least = np.concatenate(shown).min(axis=0)
    (left, right), (bottom, top) = axes[0].get_xlim(), axes[0].get_ylim()
    axes[0].set_xlim(0 if least[0] >= 0 else left, max(right, 0))
    axes[0].set_ylim(0 if least[1] >= 0 else bottom, max(top, 0))
    axes[0].set_ylabel("Second feature")
    legend_beside(figure)
    figure.suptitle("Samples by class, and basis vectors")
    alt = f"points by class with the basis vectors of {', '.join(stored)}"
    return Picture("plane", alt, figure)


def _matrices(stored: Mapping[str, Arrays]) -> Picture:
    """X, and basis and encodings of each method, with their numbers where they are few."""
    rows = [[("X", arrays["images"].T)] for arrays in list(stored.values())[:1]]
    for label, arrays in stored.items():
        shown = [(f"{label}: basis", arrays["basis"])] if "basis" in arrays else []
        shown += [(f"{label}: encodings", arrays["encodings"].T)] if "encodings" in arrays else []
        rows.append(shown)
    figure = new_figure(5.2, 1.9 * len(rows))
    grid = figure.subplots(len(rows), 2, squeeze=False)
    for line, shown in zip(grid, rows, strict=True):
        # What has a column for every sample stands on the right.
        for spare in line[: 2 - len(shown)]:
            spare.set_visible(False)
        for panel, (name, matrix) in zip(line[2 - len(shown) :], shown, strict=True):
            _matrix(panel, matrix)
            titled(panel, name)
    figure.suptitle("The data, and each method's basis and encodings")
    alt = f"the data, and basis and encodings of {', '.join(stored)}"
    return Picture("matrices", alt, figure)


def _matrix(panel: Axes, matrix: np.ndarray) -> None:
    least = min(0.0, float(matrix.min()))
    panel.imshow(matrix, cmap="gray_r", aspect="auto", vmin=least)
    panel.grid(False)
    panel.set(xticks=[], yticks=[])
    if max(matrix.shape) > NUMBERED:
        return
    middle = (float(matrix.max()) + least) / 2
    size = min(8, DIGITS * panel.bbox.width / panel.figure.dpi / matrix.shape[1])
    for (i, j), value in np.ndenumerate(matrix):
        # Two digits, one below 0.01, so that neighbours do not run into each other.
        shown = f"{value:.1g}" if abs(value) < 0.01 else f"{value:.2g}"
        if abs(value) < NOTHING * np.abs(matrix).max():
            shown = "0"
        colour = "white" if value > middle else "black"
        panel.text(j, i, shown, color=colour, ha="center", va="center", fontsize=size)
