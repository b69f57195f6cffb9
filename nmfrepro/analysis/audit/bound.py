"""How low can NMI be when accuracy is known?  Fano's inequality, for classes of equal size.

With k equal classes and at most k clusters, accuracy a leaves the class of a sample uncertain by
H(C|C') ≤ h(a) + (1 − a) log(k − 1) once its cluster is known, and the larger of both entropies is log k.  So
NMI ≥ 1 − (h(a) + (1 − a) log(k − 1))/log k.  The bound is convex in a, so that it holds for means over draws.
Accuracy itself, under the best matching of clusters with classes, is at least 1/k.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from ...papers import PublishedTable
from ...protocols import description
from .grim import decimals_of, reach
from .printed import Design


@dataclass(frozen=True)
class Bound:
    """A printed number outside what is possible."""

    row: int
    metric: str
    column: str
    printed: str
    # lowest, highest: the possible range, in the unit of the printed number.
    lowest: float
    highest: float
    why: str


def lowest_nmi(accuracy: float, k: int) -> float:
    """The smallest NMI (over the larger entropy) of k equal classes at a given accuracy.

    Parameters
    ----------
    accuracy : float
        A fraction in [0, 1]; below 1/k, where no accuracy lies, the bound of 1/k holds.
    k : int
        Classes, ≥ 2, and the largest number of clusters.
    """
    a = min(1.0, max(accuracy, 1 / k))
    entropy = -sum(x * math.log(x) for x in (a, 1 - a) if x > 0)
    return max(0.0, 1 - (entropy + (1 - a) * math.log(k - 1)) / math.log(k))


def bounds(table: PublishedTable, design: Design) -> tuple[tuple[Bound, ...], int]:
    """Numbers that cannot be, and how many were looked at.

    Metrics in percent are held against their range, and NMI against accuracy where all classes have one size.
    """
    outside, tested = [], 0
    for metric in (each for each in table.metrics if description(each).unit == "%"):
        full, known = table.full(metric), description(metric)
        for column in table.columns:
            accuracies = table.of("accuracy", column)
            for row, cell in table.of(metric, column).items():
                lowest, why = known.low, "its range"
                if table.coordinate == "k" and design.per_class is not None and row > 1:
                    if metric == "accuracy":
                        lowest, why = 1 / row, "the best matching"
                    elif metric == "nmi" and row in accuracies:
                        printed = accuracies[row].digits
                        accuracy = (float(printed) - reach(decimals_of(printed))) / table.full("accuracy")
                        lowest, why = lowest_nmi(accuracy, row), f"accuracy {printed}"
                tested += 1
                spare = reach(decimals_of(cell.digits))
                low, high = full * lowest, full * known.high
                if not low - spare <= float(cell.digits) <= high + spare:
                    outside.append(Bound(row, metric, column, cell.digits, low, high, why))
    return tuple(outside), tested
