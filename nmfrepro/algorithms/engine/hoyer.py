"""Hoyer's projection onto nonnegative vectors of given L1 and L2 norm, for many vectors at once."""

import numpy as np


def l1_norm(sparseness: float, d: int) -> float:
    """The L1 norm that a vector of d entries and L2 norm 1 has at this sparseness, (√d − L1/L2)/(√d − 1)."""
    return float(np.clip(np.sqrt(d) - sparseness * (np.sqrt(d) - 1), 1, np.sqrt(d)))


def with_norms(x: np.ndarray, l1: float, l2: np.ndarray) -> np.ndarray:
    """The nearest vectors ≥ 0 with L2 norm `l2` and L1 norm ``l1 · l2``.

    Hoyer 2004 removes the entries that turn negative until none does.  What he arrives at is
    y = max(0, a + c x) with c ≥ 0, so the entries that stay are the j largest for some j.  Here x is sorted
    and j found from cumulative sums: it is the largest for which all j entries are positive, and they are
    for every smaller j that is enough to hold the norms.

    Parameters
    ----------
    x : ndarray, shape (N, d)
        One vector a row.
    l1 : float
        L1 norm over L2 norm, in [1, √d]; see `l1_norm`.
    l2 : ndarray, shape (N,)
        L2 norms; a vector with l2 = 0 becomes 0.

    Returns
    -------
    ndarray, shape (N, d)
        Of x's type.  Where the largest entries are tied and there must be fewer of them, the direction is
        free, and the first of them takes what the others lose.
    """
    d = x.shape[1]
    # Measured downwards from the largest entry, so that nearly equal entries do not cancel.
    gap = x.max(axis=1, keepdims=True) - x
    ascending = np.sort(gap, axis=1)
    # Usually few entries stay, and the cumulative sums are needed for those only.
    columns = min(d, 2 * int(l1**2) + 16)
    while True:
        j, mean, spread = _most_entries(ascending[:, :columns], l1)
        if columns == d or j.max() < columns:
            break
        columns = min(d, 2 * columns)
    # For L2 norm 1: y = f/j − c (g − ḡ) on the j smallest gaps, c² = (1 − f²/j) / Σ(g − ḡ)².
    tied = spread <= 0
    slope = np.sqrt(np.maximum(1 - l1**2 / j, 0) / np.where(tied, 1, spread))
    gap *= (-slope * l2).astype(x.dtype)[:, None]
    gap += ((l1 / j + slope * mean) * l2).astype(x.dtype)[:, None]
    np.maximum(gap, 0, out=gap)
    for row in np.flatnonzero(tied):
        gap[row] = l2[row] * _tied(x[row], l1)
    return gap


def _most_entries(ascending: np.ndarray, l1: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The largest j with all entries positive, and mean and spread Σ(g − ḡ)² of the j smallest gaps g.

    With S and Q the sums of g and g², the last entry f/j − c (g_j − ḡ) is ≥ 0 where
    f² (jQ − S²) ≥ (j − f²) (j g_j − S)²; so it is for too few entries and for tied ones, which settles j.
    """
    g = ascending.astype(np.float64, copy=False)
    j = np.arange(1.0, g.shape[1] + 1)
    S = np.cumsum(g, axis=1)
    squares = np.cumsum(g * g, axis=1)
    spread = squares * j
    spread -= S * S
    last = g * j
    last -= S
    last *= last
    last *= j / l1**2 - 1
    chosen = np.maximum(np.count_nonzero(spread >= last, axis=1), 1)
    rows = np.arange(len(g))
    return chosen, S[rows, chosen - 1] / chosen, spread[rows, chosen - 1] / chosen


def _tied(x: np.ndarray, l1: float) -> np.ndarray:
    """The unit vector on the tied largest entries of x, the first of them favoured."""
    members = np.flatnonzero(x == x.max())
    j = len(members)
    y = np.zeros(len(x))
    if j == 1:
        y[members] = 1
        return y
    excess = np.sqrt(max(0.0, 1 - l1**2 / j) * j / (j - 1))
    y[members] = (l1 - excess) / j
    y[members[0]] += excess
    return y
