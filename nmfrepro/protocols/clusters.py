"""How encodings become clusters."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from ..algorithms.engine.lloyd import lloyd
from ..core.errors import FitError, Setting, SpecError
from ..core.magnitude import within_range
from ..core.problem import Fit

RESTARTS = 20


def reader_restarts(assign: str | Mapping[str, Any]) -> int | None:
    """Starts of the k-means that reads the encodings; None where their largest entry is read.

    Raises
    ------
    SpecError
        If `assign` is neither ``argmax``, ``kmeans`` nor ``{kmeans: {restarts: 20}}``.
    """
    if assign == "argmax":
        return None
    given = {"kmeans": {}} if assign == "kmeans" else assign
    inner = given.get("kmeans") if isinstance(given, Mapping) and set(given) == {"kmeans"} else None
    if not isinstance(inner, dict) or not set(inner) <= {"restarts"}:
        how = "must be argmax or {kmeans: {restarts: 20}}"
        raise SpecError(Setting("assign"), f" {how}, not {assign!r}")
    restarts = inner.get("restarts", RESTARTS)
    if type(restarts) is not int or restarts < 1:
        text = f"assign.kmeans.restarts must be a whole number >= 1, not {restarts!r}"
        raise SpecError(text, option="assign")
    return restarts


def read_clusters(found: Fit, k: int, restarts: int | None, seed: int) -> tuple[np.ndarray, tuple[str, ...]]:
    """Cluster codes (n,) from a fit, and notes on how they came about.

    Parameters
    ----------
    found : Fit
        Its own labels are taken where it has some.
    k : int
        How many clusters there may be.
    restarts : int or None
        As `reader_restarts` gives them.
    seed : int
        For the k-means.

    Raises
    ------
    FitError
        If all encodings are zero: such a factorization has collapsed and is not scored.
    """
    clusters = found.labels
    if clusters is None:
        assert found.embedding is not None
        if not found.embedding.any():
            raise FitError("collapsed: every encoding is zero")
        if restarts is None:
            clusters = found.embedding.argmax(axis=1)
        else:
            clusters = kmeans(found.embedding, k, restarts, seed)
    used = len(np.unique(clusters))
    if used > k:
        return clusters, (f"{used} clusters are used for {k} classes: encodings have more entries than k",)
    return clusters, (f"{used} of {k} clusters are used",) if used < k else ()


def kmeans(embedding: np.ndarray, k: int, restarts: int, seed: int) -> np.ndarray:
    """Clusters of the encodings by k-means, the best of `restarts` random starts by its own cost.

    A start ends when labels repeat, or before, by scikit-learn's rule, when the squared moves of all centers
    sum to less than 1e-4 of the mean variance of an entry.  Fewer distinct encodings than k leave clusters
    empty.
    """
    distinct = len(np.unique(embedding, axis=0))
    settings = {"init": "random", "n_init": restarts, "max_iter": 300}
    clusters: np.ndarray = lloyd(within_range(embedding), min(k, distinct), seed, **settings).labels_
    return clusters
