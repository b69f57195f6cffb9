"""scikit-learn's NMF."""

import warnings
from dataclasses import dataclass

from .engine.base import Look
from .engine.multiplicative import TwoFactor
from .engine.plain import Array
from .nmf import NMF


@dataclass(frozen=True)
class CoordinateDescentNMF(TwoFactor):
    """NMF as scikit-learn computes it: one pass over the entries of V, then U, by coordinate descent.

    An iteration is one of ``sklearn.decomposition.NMF(solver="cd")`` without penalties or shuffling.  The
    objective never rises.  The scale of U's columns is free: encodings are read with unit columns.
    """

    name = "nmf_cd"
    title = "NMF (scikit-learn)"
    paper = (
        "Cichocki and Phan, Fast local algorithms for large scale nonnegative matrix and tensor "
        "factorizations, IEICE Trans. Fundamentals E92-A(3), 2009; Pedregosa et al., Scikit-learn, JMLR 12, "
        "2011"
    )
    cites = ("cichocki2009hals", "pedregosa2011sklearn")
    look = Look(colour="black", marker="D", dash=":")
    objective_text = "‖X − UVᵀ‖²  (no ½)"
    uncertain = ("Start: uniform on (0, 1), as all methods here; scikit-learn's own default is NNDSVDa.",)

    def update(self, X: Array, U: Array, V: Array) -> tuple[Array, ...]:
        """One pass of scikit-learn's."""
        if not U.any() or not V.any():  # scikit-learn refuses to start there, and nothing would move
            return U, V
        from sklearn.decomposition import non_negative_factorization  # so that listing stays quick
        from sklearn.exceptions import ConvergenceWarning

        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)  # one iteration is what is wanted
            V, UT, _ = non_negative_factorization(
                X.T, V.copy(), U.T.copy(), n_components=V.shape[1], init="custom", tol=0, max_iter=1
            )
        return UT.T, V

    objective = NMF.objective
