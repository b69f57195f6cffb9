"""Hoyer's projection onto nonnegative vectors of given L1 and L2 norm, for many vectors at once."""

from __future__ import annotations

import numpy as np

# Relative rounding by which a target may miss the feasible range.
SLACK = 1e-12


def l1_factor(sparseness: float, d: int) -> float:
    """The L1 norm that a vector of d entries and L2 norm 1 has at this sparseness, (√d − L1/L2)/(√d − 1)."""
    return float(np.clip(np.sqrt(d) - sparseness * (np.sqrt(d) - 1), 1, np.sqrt(d)))


def project(x: np.ndarray, factor: float, l2: np.ndarray) -> np.ndarray:
    """The nearest vectors ≥ 0 with L2 norm `l2` and L1 norm ``factor · l2``.

    Hoyer 2004 removes the entries that turn negative until none does.  What he arrives at is
    y = max(0, a + c x) with c ≥ 0, so the entries that stay are the j largest for some j.  Here x is sorted,
    a and c are computed for every j at once from cumulative sums, and the largest j whose smallest entry is
    positive is the one: positive entries for some j mean positive entries for every smaller feasible one.

    Parameters
    ----------
    x : ndarray, shape (N, d)
        One vector a row.
    factor : float
        L1 norm over L2 norm, in [1, √d]; see `l1_factor`.
    l2 : ndarray, shape (N,)
        L2 norms; a vector with l2 = 0 becomes 0.

    Returns
    -------
    ndarray, shape (N, d)
        Of x's type.  Where the largest entries are tied and there must be fewer of them, the direction is
        free, and the first of them takes what the others lose.
    """
    d = x.shape[1]
    # The target for l2 = 1; measured from the largest entry, so that nearly equal entries do not cancel.
    z = x - x.max(axis=1, keepdims=True)
    ascending = np.sort(z, axis=1)
    columns = min(d, 4 * int(np.ceil(factor**2)))
    while True:
        largest = ascending[:, : -columns - 1 : -1].astype(np.float64)
        scale, shift, positive = _lines(largest, factor)
        if columns == d or not positive[:, -1].any():
            break
        columns = min(d, 2 * columns)
    rows = np.arange(len(x))
    last = columns - 1 - np.argmax(positive[:, ::-1], axis=1)
    slope = (scale[rows, last] * l2).astype(x.dtype)
    intercept = (shift[rows, last] * l2).astype(x.dtype)
    tied = ~positive.any(axis=1)
    slope[tied] = intercept[tied] = 0
    z *= slope[:, None]
    z += intercept[:, None]
    np.maximum(z, 0, out=z)
    for row in np.flatnonzero(tied):
        z[row] = l2[row] * _tied(x[row], factor)
    return z


def _lines(largest: np.ndarray, factor: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """For every j: c and a of the vector on the j largest entries, and whether all its entries are positive.

    On j entries with mean z̄ the vector is f/j + c (z − z̄), c² = (1 − f²/j) / Σ(z − z̄)².
    """
    j = np.arange(1, largest.shape[1] + 1)
    mean = np.cumsum(largest, axis=1)
    spread = np.cumsum(largest * largest, axis=1)
    spread -= mean * mean / j
    mean /= j
    room = 1 - factor**2 / j
    room[np.abs(room) < SLACK] = 0
    with np.errstate(divide="ignore", invalid="ignore"):
        # NaN where j is too few (room < 0) or the entries are tied: not positive, hence not taken.
        scale = np.sqrt(room / spread)
        shift = factor / j - scale * mean
        positive = shift + scale * largest > 0
    return scale, shift, positive & np.isfinite(scale)


def _tied(x: np.ndarray, factor: float) -> np.ndarray:
    """The unit vector on the tied largest entries of x, the first of them favoured."""
    members = np.flatnonzero(x == x.max())
    j = len(members)
    y = np.zeros(len(x))
    if j == 1:
        y[members] = 1
        return y
    excess = np.sqrt(max(0.0, 1 - factor**2 / j) * j / (j - 1))
    y[members] = (factor - excess) / j
    y[members[0]] += excess
    return y
