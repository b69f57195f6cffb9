"""Numbers on the axes of pictures: means with their spread, ranges, ticks."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from ...analysis.tables import Cell, Table
from ...metrics import Metric
from .style import FONT_SIZE

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.axis import Axis

NUMBERS_PER_INCH = 5
# From this ratio of the largest to the smallest value on, an axis of times or parameters is logarithmic.
LOGARITHMIC = 20


class Number(Protocol):
    """What has a mean and a standard deviation: a cell of ours, or a printed one."""

    @property
    def mean(self) -> float | None:
        """None where there is no value."""

    @property
    def std(self) -> float | None:
        """None where there is no spread."""


def numbers(cells: Iterable[Number | None]) -> tuple[np.ndarray, np.ndarray]:
    """Means and standard deviations of cells; not-a-number where there is none."""
    pairs = [(None, None) if cell is None else (cell.mean, cell.std) for cell in cells]
    means, spread = np.array(pairs, dtype=float).reshape(-1, 2).T
    return means, spread


def bars(means: np.ndarray, spread: np.ndarray, metric: Metric) -> np.ndarray | None:
    """Error bars, down and up, within the metric's range; None where there is no spread: a single run's."""
    if not (spread > 0).any():
        return None
    least, most = metric.ends
    left = np.maximum([means - least, most - means], 0)
    return np.minimum(np.where(spread > 0, spread, np.nan), left)


def ended(metric: Metric, cells: Iterable[Number | None], what: str = "bars") -> str:
    """What headings say where bars are cut at a metric's ends: "; bars end at 100 %"."""
    means, spread = numbers(cells)
    least, most = metric.ends
    beyond = {least: means - spread < least, most: means + spread > most}
    at = " and ".join(f"{end:g}" for end, some in beyond.items() if some.any())
    return f"; {what} end at {at} {metric.unit}".rstrip() if at else ""


def curve(panel: Axes, at: np.ndarray, cells: Iterable[Number | None], metric: Metric, **line: Any) -> None:
    """Means with one standard deviation; cells without a value leave a gap."""
    means, spread = numbers(cells)
    panel.errorbar(at, means, bars(means, spread, metric), **line)


def averaged(table: Table, cells: Iterable[Cell], spread: bool = True) -> str:
    """What the points of a picture are: "mean ± one standard deviation over 10–50 draws"."""
    counts = {cell.n for cell in cells if cell.mean is not None}
    if max(counts, default=1) == 1:
        return f"a single {table.layout.repeat_noun} each"
    number = "–".join(map(str, sorted({min(counts), max(counts)})))
    mean = "mean ± one standard deviation" if spread else "mean"
    return f"{mean} over {number} {table.layout.repeat_noun}s"


def within(axis: Axis, metric: Metric) -> None:
    """No numbers on an axis where the metric has none: its margin may pass 100 %."""
    least, most = metric.ends
    low, high = axis.get_view_interval()
    if low < least or high > most:
        axis.set_ticks([tick for tick in axis.get_ticklocs() if max(low, least) <= tick <= min(high, most)])


def plain(axis: Axis) -> None:
    """Numbers on an axis written out, 21,500 or 0.0004, without an offset or a power beside the axis."""
    axis.set_major_formatter(lambda value, _: f"{value:,.8g}")


def plain_log(axis: Axis) -> None:
    """Numbers on a logarithmic axis as people write them: 0.1, 0.2, 0.5, 1 …; decades where it is long."""
    from matplotlib.ticker import LogLocator, NullFormatter

    low, high = axis.get_view_interval()
    steps = (1.0, 2.0, 5.0) if high < 100 * low else (1.0,)
    axis.set_major_locator(LogLocator(10, subs=steps))
    axis.set_major_formatter(lambda value, _: f"{value:g}")
    axis.set_minor_formatter(NullFormatter())


def ticks(panel: Axes, at: np.ndarray) -> None:
    """A tick at every position, numbers only where they do not run into each other."""
    from matplotlib import rcParams

    positions = np.unique(at)
    wide = panel.bbox.width / panel.figure.dpi  # in inches
    fitting = NUMBERS_PER_INCH * wide * FONT_SIZE / rcParams["font.size"]
    least = (positions[-1] - positions[0]) / fitting
    named: list[float] = []
    for position in positions:
        if not named or position - named[-1] >= least:
            named.append(position)
    panel.set_xticks(positions, minor=True)
    panel.set_xticks(named, [f"{position:g}" for position in named])
