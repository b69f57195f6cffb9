"""Nonnegative matrix-set factorization: one base for the columns of all images."""

from dataclasses import dataclass

import numpy as np

from ..core.problem import Shape
from .engine.base import FreeScale, Look
from .engine.images import OnImages, as_images, side_by_side
from .engine.multiplicative import TwoFactor
from .engine.new_samples import project_on
from .engine.plain import Array, Factors, ratio
from .engine.stack import Stack


@dataclass(frozen=True)
class NMSF(FreeScale, OnImages, TwoFactor):
    """Nonnegative matrix-set factorization: images X_n (r × c) on one base of column profiles.

    X_n ≈ UV_n with U (r × l) and V_n (l × c) ≥ 0, which is NMF of the r × nc matrix [X_1 … X_n].  The
    objective never rises.  An encoding has l·c entries.
    """

    name = "nmsf"
    paper = "Li and Zhang, Non-negative matrix-set factorization, ICIG 2007"
    cites = ("li2007nmsf",)
    look = Look(colour="blue", marker="^", dash="-.")
    objective_text = "Σ_n ‖X_n − UV_n‖²  (no ½)"
    uncertain = (
        "The paper could not be had; this is what the 2DNMF paper compares with. Its general form has "
        "several shared factors; one base on the left (image rows) is what the printed projection implies "
        "(80 %).",
        "Start and stopping rule are not stated; as for NMF.",
    )
    factors = {"U": ("r", "k"), "V": ("n", "k", "c")}
    layout = {"V": (1, 0, 2)}  # (l, n, c): the encodings of an ordinary NMF of (r, n·c)
    stacked = True

    def update(self, X: Array, U: Array, V: Array) -> tuple[Array, ...]:
        """As in NMF, for images X (n, r, c) and encodings V (n, l, c)."""
        U = U * ratio((X @ V.mT).sum(axis=0), U @ (V @ V.mT).sum(axis=0))
        V = V * ratio(U.T @ X, (U.T @ U) @ V)
        return U, V

    def objective(self, X: Array, U: Array, V: Array) -> float:
        """Σ_n ‖X_n − UV_n‖²."""
        return float(np.sum((X - U @ V) ** 2))

    def most_vectors(self, image_shape: tuple[int, int]) -> int:
        """Its base is on the left alone."""
        return image_shape[0]

    def prepare(self, stack: Stack) -> None:
        """[X_1 … X_n] takes the place of X."""
        stack.use(side_by_side(stack.given["X"]))

    def project(
        self, factors: Factors, X: Array, image_shape: Shape = None, projection: str | None = None
    ) -> Array:
        """pinv(U) X_n, or the columns of X_n coded as `projection` says; row by row."""
        images = as_images(X, image_shape, self.name)
        if projection not in (None, "pinv"):
            samples, _, columns = images.shape
            codes = project_on(factors["U"], side_by_side(images), projection)
            return codes.reshape(samples, columns, -1).transpose(0, 2, 1).reshape(samples, -1)
        return (np.linalg.pinv(factors["U"]) @ images).reshape(len(images), -1)
