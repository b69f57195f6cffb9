"""Principal component analysis, the signed baseline."""

from dataclasses import dataclass

import numpy as np

from ..core.errors import FitError
from ..core.problem import Fit, FitSettings, Problem, Shape
from .engine.base import Direct, Look
from .engine.plain import Array, Factors, column_signs


@dataclass(frozen=True)
class PCA(Direct):
    """Principal component analysis of the samples.

    Minimises ``O = ‖X̃ − CCᵀX̃‖²``, X̃ the samples minus their mean, over C (m × k) with CᵀC = I.  C holds the
    leading left singular vectors of X̃, each with its entry of largest size positive; the score of a sample
    is Cᵀ(x − mean).  Computed in float64 whatever the type of the factors.

    There are as many components as X̃ has rank, at most n − 1; a larger k is capped and noted.
    """

    name = "pca"
    paper = "Turk and Pentland, Eigenfaces for recognition, J. Cognitive Neuroscience 3(1), 1991"
    cites = ("turk1991pca",)
    look = Look(colour="grey", marker="P", dash="-.")
    objective_text = "‖X̃ − CCᵀX̃‖², X̃ = X minus the mean sample  (no ½)"
    uncertain = (
        "Table 1 of the 2DNMF paper prints 81 components on ORL with two images a person, but 80 images have "
        "79 at most: k is capped at the rank and the notes say so.",
    )
    signed = True
    factors = {"C": ("m", "k"), "mean": ("m",)}

    def fit(self, problem: Problem, settings: FitSettings, seed: int) -> Fit:
        """Singular value decomposition of the centred samples.

        Raises
        ------
        FitError
            If all samples are equal.
        """
        mean, left, lengths, _ = principal_components(problem.X)
        rank = len(lengths)
        if rank == 0:
            raise FitError(f"{self.name}: all samples are equal, so there is no component")
        kept = min(problem.k, rank)
        C = left[:, :kept]
        dtype, capped = problem.X.dtype, f"k = {problem.k} capped at {rank}, the rank of the centred samples"
        return Fit(
            factors={"C": C.astype(dtype), "mean": mean.astype(dtype)},
            embedding=self.project({"C": C, "mean": mean}, problem.X).astype(dtype),
            objective=np.array([np.sum(lengths[kept:] ** 2)]),
            converged=True,
            notes=(capped,) if kept < problem.k else (),
        )

    def project(
        self, factors: Factors, X: Array, image_shape: Shape = None, projection: str | None = None
    ) -> Array:
        """Cᵀ(x − mean)."""
        return (X - factors["mean"][:, None]).T @ factors["C"]


def principal_components(X: Array) -> tuple[Array, Array, Array, Array]:
    """Mean of the columns of X (m × n) and the singular value decomposition of X minus it, in float64.

    Returns
    -------
    mean : ndarray, shape (m,)
    left : ndarray, shape (m, q)
        q the rank, at most n − 1; 0 if all columns are equal.  The entry of largest size of each column is
        positive, so that the order of the samples decides no sign.
    lengths : ndarray, shape (q,)
        Singular values, largest first.
    right : ndarray, shape (q, n)
    """
    X = np.asarray(X, dtype=np.float64)
    mean = X.mean(axis=1)
    left, lengths, right = np.linalg.svd(X - mean[:, None], full_matrices=False)
    negligible = np.finfo(np.float64).eps * max(X.shape) * np.linalg.norm(X)
    rank = min(int(np.sum(lengths > negligible)), X.shape[1] - 1)
    signs = column_signs(left)
    left, right = left * signs, right * signs.T
    return mean, left[:, :rank], lengths[:rank], right[:rank]
