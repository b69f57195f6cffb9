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
    return X.T @ np.linalg.pinv(basis).T


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


def centred_scores(components: Array, mean: Array, X: Array) -> Array:
    """Cᵀ(x − mean): the scores of PCA; (m, k), (m,), (m, n) → (n, k)."""
    return (X - mean[:, None]).T @ components


def two_sided(U: Array, V: Array, images: Array, projection: str = "printed") -> Array:
    """Cores of images between a left and a right basis (Gu and Zhou 2009, section 4.4).

    Parameters
    ----------
    U : ndarray, shape (r, l1)
    V : ndarray, shape (c, l2)
    images : ndarray, shape (n, r, c)
    projection : {"printed", "consistent", "orthonormal", "plain"}
        "printed": pinv(U) X V, as the paper has it; the least squares core only if VᵀV = I, and different
        if all images are transposed.  "consistent": pinv(U) X pinv(V)ᵀ, the least squares core.
        "orthonormal": Q_Uᵀ X Q_V with thin QR factors, whose distances depend on the two column spaces
        alone.  "plain": Uᵀ X V, for bases that are orthonormal already (GLRAM).

    Returns
    -------
    ndarray, shape (n, l1 · l2)
        Cores row by row.

    Raises
    ------
    SpecError
        For another projection.
    """
    if projection == "printed":
        left, right = np.linalg.pinv(U).T, V
    elif projection == "consistent":
        left, right = np.linalg.pinv(U).T, np.linalg.pinv(V).T
    elif projection == "orthonormal":
        left, right = np.linalg.qr(U)[0], np.linalg.qr(V)[0]
    elif projection == "plain":
        left, right = U, V
    else:
        words = ("printed", "consistent", "orthonormal")
        raise SpecError(f"there is no projection {projection!r} of images; {suggest(projection, words)}")
    return (left.T @ images @ right).reshape(len(images), -1)


def one_sided(U: Array, images: Array) -> Array:
    """pinv(U) X for every image, the NMSF codes; (r, l), (n, r, c) → (n, l · c), row by row."""
    return (np.linalg.pinv(U) @ images).reshape(len(images), -1)
