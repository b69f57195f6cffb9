"""How well clusters agree with classes, how sparse encodings are, and how often a classifier is right.

Everything that compares two labellings is computed from their contingency table, so labels may be any
values (numbers, text, with gaps, negative) and the number of clusters need not be the number of classes.
All scores are fractions; tables print percent.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .core.errors import DataError, SpecError, suggest

# How far sums of fractions may leave their range.
ROUNDING = 1e-9
Name = TypeVar("Name")


@dataclass(frozen=True)
class Metric:
    """What a column of numbers means.

    Attributes
    ----------
    title : str
        As a table's heading.
    text : str
        Definition in one line, for the notes under a table.
    unit : str
        "%" for fractions, which are printed in percent; "s" for seconds, "iterations" or nothing, printed as
        they are.
    lower_is_better : bool
    ranked : bool
        Whether more (or less) is better at all: the sparsest encoding is not the best one.
    low, high : float
        The smallest and the largest value there can be.
    always : bool
        Whether every result of a protocol that has the metric has a value of it.
    chosen_by : str
        The metric that a protocol's `chosen` coordinate may be chosen by in its place, on validation samples;
        empty: none.
    counted : bool
        Whether it is a share of the samples that are scored, so that its means are means of counts.
    """

    title: str
    text: str
    unit: str = "%"
    lower_is_better: bool = False
    ranked: bool = True
    low: float = 0.0
    high: float = 1.0
    always: bool = False
    chosen_by: str = ""
    counted: bool = False

    def holds(self, value: float) -> bool:
        """Whether a value is in the range, rounding aside."""
        return self.low - ROUNDING <= value <= self.high + ROUNDING

    @property
    def allowed(self) -> str:
        """The range in words: "from 0 to 1"."""
        return f"at least {self.low:g}" if math.isinf(self.high) else f"from {self.low:g} to {self.high:g}"

    @property
    def timed(self) -> bool:
        """Whether it is a running time: ratios are compared, and an axis may be logarithmic."""
        return self.unit == "s"

    @property
    def factor(self) -> int:
        """What a value is multiplied by to be in the unit: 100 for percent, else 1."""
        return 100 if self.unit == "%" else 1

    @property
    def difference(self) -> str:
        """The unit of a difference: two numbers in percent are points apart."""
        return "points" if self.unit == "%" else self.unit

    @property
    def ends(self) -> tuple[float, float]:
        """The smallest and the largest value there can be, in the unit."""
        return self.low * self.factor, self.high * self.factor

    @property
    def sign(self) -> int:
        """1 where higher is better, else −1: of values multiplied by it the higher is better."""
        return -1 if self.lower_is_better else 1

    def best_first(self, scores: Mapping[Name, float]) -> list[Name]:
        """The names of scores, that of the best first; equal ones in the order they are given."""
        return sorted(scores, key=scores.__getitem__, reverse=not self.lower_is_better)


NORMALIZERS = ("max", "min", "geometric", "arithmetic")


def accuracy(y: ArrayLike, clusters: ArrayLike) -> float:
    """Share of samples whose cluster is matched to their class, matching one to one and optimally.

    Each cluster goes to at most one class and each class to at most one cluster (Kuhn–Munkres on the
    rectangular table), so clusters beyond the number of classes count as errors.

    Parameters
    ----------
    y, clusters : array_like, shape (n,)
        Classes and clusters, any labels that can be compared for equality; n at least 1.

    Returns
    -------
    float
        In (0, 1].

    Raises
    ------
    DataError
        If the shapes differ, are not (n,), or a label is NaN.
    """
    from scipy.optimize import linear_sum_assignment

    table = contingency(y, clusters)
    rows, columns = linear_sum_assignment(table, maximize=True)
    return float(table[rows, columns].sum() / table.sum())


def purity(y: ArrayLike, clusters: ArrayLike) -> float:
    """Share of samples in the largest class of their cluster; several clusters may share a class.

    Arguments as `accuracy`; it never falls below `accuracy`, and is 1 where each sample is its own cluster.
    """
    table = contingency(y, clusters)
    return float(table.max(axis=0).sum() / table.sum())


def nmi(y: ArrayLike, clusters: ArrayLike, normalizer: str = "max") -> float:
    """Mutual information of classes and clusters over a mean of their entropies, in [0, 1].

    Parameters
    ----------
    y, clusters : array_like, shape (n,)
        As for `accuracy`.
    normalizer : {"max", "min", "geometric", "arithmetic"}
        The mean of the two entropies to divide by.  NLCF, TNMF and CNMF print "max".

    Notes
    -----
    Where both labellings have a single group, 0/0 is taken as 1: they agree.  Where only one has, the
    mutual information is 0 and the value is 0, although "min" and "geometric" divide by 0 too.  The base
    of the logarithm cancels.  Programs that add a pseudo-sample per class where the numbers of groups
    differ give other values; nothing is added here.

    The same as scikit-learn's `normalized_mutual_info_score` to 2e-15.

    Raises
    ------
    SpecError
        For an unknown normalizer.
    """
    # Not scikit-learn's: the last digit of this one stands in the rows of earlier results.
    if normalizer not in NORMALIZERS:
        raise SpecError(f"normalizer is {normalizer!r}; {suggest(normalizer, NORMALIZERS)}")
    table = contingency(y, clusters)
    if np.count_nonzero(table) == table.shape[0] == table.shape[1]:  # the same groups: exactly 1, also 0/0
        return 1.0
    if 1 in table.shape:
        return 0.0
    of_class, of_cluster = table.sum(axis=1), table.sum(axis=0)
    h, g = _entropy(of_class), _entropy(of_cluster)
    # H + H' − H(both) would cancel where there is little in common.
    n, (i, j) = table.sum(), np.nonzero(table)
    shared = table[i, j]
    information = float(shared @ (np.log(shared * n) - np.log(of_class[i] * of_cluster[j])) / n)
    mean = {"max": max(h, g), "min": min(h, g), "geometric": (h * g) ** 0.5, "arithmetic": (h + g) / 2}
    return min(1.0, max(0.0, information / mean[normalizer]))


def ari(y: ArrayLike, clusters: ArrayLike) -> float:
    """Adjusted Rand index (Hubert and Arabie 1985), in [−0.5, 1]; 1 where both labellings are the same.

    Arguments as `accuracy`.
    """
    from sklearn.metrics import adjusted_rand_score

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of labels with many values it asks whether they are labels
        return float(adjusted_rand_score(*_codes(y, clusters)))


def sparseness(embedding: ArrayLike) -> float:
    """Hoyer's sparseness (√d − L1/L2)/(√d − 1) of each sample's encoding, mean over samples.

    Parameters
    ----------
    embedding : array_like, shape (n, d)
        One row per sample; signed entries count by their absolute value.

    Returns
    -------
    float
        0 for equal entries (and for a sample without any), 1 for a single nonzero entry, NaN for d = 1.

    Raises
    ------
    DataError
        If `embedding` is not a matrix with samples, or not finite.
    """
    E = np.abs(np.asarray(embedding, dtype=np.float64))
    if E.ndim != 2 or E.size == 0:
        raise DataError(f"embedding must be samples × dimensions, not of shape {E.shape}")
    if not np.isfinite(E).all():
        raise DataError("embedding has entries that are not finite")
    d = E.shape[1]
    if d == 1:
        return float("nan")
    largest = E.max(axis=1, keepdims=True)
    E = E[largest[:, 0] > 0] / largest[largest[:, 0] > 0]  # squares of the entries as they are may overflow
    ratio = E.sum(axis=1) / np.sqrt((E * E).sum(axis=1))
    each = np.clip((np.sqrt(d) - ratio) / (np.sqrt(d) - 1), 0, 1)
    return float(each.sum() / len(largest))


def recognition_rate(y: ArrayLike, predicted: ArrayLike) -> float:
    """Share of samples whose predicted class is their class: plain agreement, nothing is matched.

    Parameters
    ----------
    y, predicted : array_like, shape (n,)
        Labels of the same kind.

    Raises
    ------
    DataError
        If the shapes differ, a label is NaN, or one holds text and the other numbers.
    """
    first, second = _vectors(y, predicted, "predicted")
    texts = ({isinstance(label, (str, bytes)) for label in labels.tolist()} for labels in (first, second))
    if not set.intersection(*texts):
        raise DataError("one of y and predicted holds text and the other none; give both the same labels")
    return float(np.mean(first == second))


def clustering(y: ArrayLike, clusters: ArrayLike, embedding: ArrayLike | None = None) -> dict[str, float]:
    """Every score of a clustering, by name.

    Parameters
    ----------
    y, clusters : array_like, shape (n,)
        As for `accuracy`.
    embedding : array_like, shape (n, d), or None
        The encodings that were clustered; without them the sparseness is NaN.
    """
    rows, columns = _codes(y, clusters)
    return {
        "accuracy": accuracy(rows, columns),
        "nmi": nmi(rows, columns, "max"),
        "sparseness": float("nan") if embedding is None else sparseness(embedding),
        "purity": purity(rows, columns),
        "ari": ari(rows, columns),
        **{f"nmi_{name}": nmi(rows, columns, name) for name in NORMALIZERS[1:]},
    }


def contingency(y: ArrayLike, clusters: ArrayLike) -> NDArray[np.int64]:
    """Count of samples for every class (row) and cluster (column); arguments and errors as `accuracy`."""
    rows, columns = _codes(y, clusters)
    shape = rows.max() + 1, columns.max() + 1
    return np.bincount(rows * shape[1] + columns, minlength=shape[0] * shape[1]).reshape(shape)


def _entropy(counts: NDArray[np.int64]) -> float:
    share = counts / counts.sum()
    return float(-(share @ np.log(share)))


def _vectors(y: ArrayLike, other: ArrayLike, name: str) -> tuple[NDArray[Any], NDArray[Any]]:
    first, second = np.asarray(y), np.asarray(other)
    for vector, which in ((first, "y"), (second, name)):
        if vector.ndim != 1 or vector.size == 0:
            raise DataError(f"{which} must hold one label per sample, shape (n,), not {vector.shape}")
        if _missing(vector):
            raise DataError(f"{which} has samples without a label (NaN); leave them out first")
    if len(first) != len(second):
        raise DataError(
            f"y has {len(first)} labels and {name} has {len(second)}; they must be of the same samples"
        )
    return first, second


def _missing(labels: NDArray[Any]) -> bool:
    """Whether a sample has no label: NaN, or pandas' NA.  None is a label as any other."""
    if labels.dtype != object:
        return labels.dtype.kind in "fcmM" and bool(np.isnan(labels).any())
    from pandas import Series

    return bool(Series([label for label in labels if label is not None], dtype=object).isna().any())


def _codes(y: ArrayLike, clusters: ArrayLike) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Codes 0 … c−1 of classes and clusters."""
    coded = []
    for labels in _vectors(y, clusters, "clusters"):
        if labels.dtype == object:  # values of several types cannot be sorted
            known = {label: code for code, label in enumerate(dict.fromkeys(labels.tolist()))}
            codes = np.array([known[label] for label in labels.tolist()])
        else:
            codes = np.unique(labels, return_inverse=True)[1]
        coded.append(codes.astype(np.int64, copy=False))
    return coded[0], coded[1]
