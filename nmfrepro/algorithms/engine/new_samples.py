"""How samples that were not factorized get features on the factors of a fit, for recognition.

Everything takes samples as columns (m × n), as the algorithms do, and returns features as rows (n × d).
"""

import numpy as np

from ...core.errors import FitError, SpecError, suggest
from .plain import Array


def project_on(basis: Array, X: Array, projection: str = "pinv") -> Array:
    """Codes of samples on a basis.

    Parameters
    ----------
    basis : ndarray, shape (m, k)
    X : ndarray, shape (m, n)
    projection : {"pinv", "nnls"}
        Least squares, with signs (Gu and Zhou 2009, section 4.4, for NMF), or nonnegative least squares.

    Returns
    -------
    ndarray, shape (n, k)

    Raises
    ------
    SpecError
        For another projection.
    """
    known = {"pinv": least_squares, "nnls": nonnegative_least_squares}
    if projection not in known:
        raise SpecError(f"there is no projection {projection!r} on one basis; {suggest(projection, known)}")
    return known[projection](basis, X)


def least_squares(basis: Array, X: Array) -> Array:
    """pinv(basis) x for every column x, the least squares code of smallest norm; (m, k), (m, n) → (n, k)."""
    # NumPy's cutoff lies within the rounding of a basis that is a product, as Semi-NMF's.
    return X.T @ np.linalg.pinv(basis, max(basis.shape) * np.finfo(np.float64).eps).T


def nonnegative_least_squares(basis: Array, X: Array) -> Array:
    """argmin_{h ≥ 0} ‖x − basis h‖ for every column x; (m, k), (m, n) → (n, k).

    Solved by Lawson and Hanson's active sets after a QR factorization, which leaves k × k problems.

    Raises
    ------
    FitError
        If the active sets of a sample cycle.
    """
    from scipy.optimize import nnls  # here, so that listing the algorithms needs no SciPy

    Q, R = np.linalg.qr(np.asarray(basis, dtype=np.float64))
    reduced = X.T @ Q
    codes = np.empty((X.shape[1], basis.shape[1]))
    for sample, target in enumerate(reduced):
        try:
            codes[sample] = nnls(R, target, maxiter=30 * (1 + basis.shape[1]))[0]
        except RuntimeError:
            raise FitError(f"nonnegative least squares did not end for sample {sample}") from None
    return codes
