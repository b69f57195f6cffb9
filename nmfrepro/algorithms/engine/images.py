"""The image stack behind X: its two unfoldings, and what methods on images as matrices share.

Image n is the r × c matrix X_n, column n of X row by row.  Products with a left basis U (r × l) need X with
rows first, those with a right basis V (c × l) need columns first:

    U, stored (R, l, r), times `left`  (r, n·c) is  U ᵀX_n  for all images, (R, l, n, c);
    V, stored (R, l, c), times `right` (c, n·r) is (X_n V)ᵀ for all images, (R, l, n, r).
"""

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from ...core.options import option
from ...core.problem import Problem, require_image_shape
from .base import Iterative
from .plain import Array
from .stack import WORK_BYTES, Stack, blocks


@dataclass(frozen=True)
class OnImages(Iterative):
    """A method that treats every sample as a matrix."""

    needs_image_shape: ClassVar[bool] = True
    stacked: ClassVar[bool] = True

    def dimensions(self, problem: Problem) -> dict[str, int]:
        """Rows r and columns c of the images besides n and k."""
        rows, columns = require_image_shape(problem.image_shape, self.name)
        return {"r": rows, "c": columns, "n": problem.n, "k": problem.k}

    def given(self, problem: Problem) -> dict[str, Any]:
        """The images, (n, r, c)."""
        return {"X": as_images(problem.X, problem.image_shape, self.name)}

    def stack_limit(self, problem: Problem) -> int:
        """Products of the images with both bases and a core, per restart."""
        lengths = self.dimensions(problem)
        width = max(lengths.get(axis, 1) for axis in ("k", "l1", "l2"))
        numbers = width * lengths["n"] * (lengths["r"] + lengths["c"] + width)
        return max(1, WORK_BYTES // (numbers * problem.X.itemsize))

    def prepare(self, stack: Stack) -> Any:
        """The images that the method is given, as columns in ``stack.X`` and unfolded."""
        images = stack.given["X"]
        stack.use(images.reshape(len(images), -1).T)
        return Unfolded(side_by_side(images), stack.XT.reshape(-1, images.shape[2]).T)


@dataclass(frozen=True)
class BetweenBases(OnImages):
    """A method whose encoding of an image is its core D_n (l1 × l2) between a left and a right base."""

    l1: int | None = option(None, low=1, help="columns of the left base; null: k")
    l2: int | None = option(None, low=1, help="columns of the right base; null: k")

    def dimensions(self, problem: Problem) -> dict[str, int]:
        """Sizes of the core, too."""
        return super().dimensions(problem) | {"l1": self.l1 or problem.k, "l2": self.l2 or problem.k}

    def most_vectors(self, image_shape: tuple[int, int]) -> int | None:
        """Of the bases that have k columns."""
        of_k = [length for length, own in zip(image_shape, (self.l1, self.l2), strict=True) if own is None]
        return min(of_k, default=None)


@dataclass(frozen=True)
class Unfolded:
    """The images X_n side by side.

    Attributes
    ----------
    left : ndarray, shape (r, n·c)
        Their rows first, for products with a left basis; a copy.
    right : ndarray, shape (c, n·r)
        Their columns first, for products with a right basis; a view.
    """

    left: Array
    right: Array


def side_by_side(images: Array) -> Array:
    """[X_1 … X_n], (r, n·c), of images (n, r, c)."""
    return np.ascontiguousarray(images.transpose(1, 0, 2)).reshape(images.shape[1], -1)


def as_images(X: Array, image_shape: tuple[int, int] | None, what: str) -> Array:
    """The columns of X as images, (n, r, c).

    Raises
    ------
    SpecError
        Without an image shape.
    """
    return X.T.reshape(X.shape[1], *require_image_shape(image_shape, what))


def images_residual(stack: Stack, left: Array, right: Array, cores: Array, images: int = 1024) -> Array:
    """Σ_n ‖X_n − U D_n Vᵀ‖² per restart, a block of images at a time.

    U is (R, l1, r), V is (R, l2, c), D is (R, l1, l2, n).
    """
    totals = np.zeros(len(cores))
    for restart, (U, V, D) in enumerate(zip(left, right, cores, strict=True)):
        for some in blocks(D.shape[2], images):
            block = D[:, :, some].transpose(2, 0, 1)
            difference = stack.XT[some] - (U.T @ block @ V).reshape(len(block), -1)
            totals[restart] += np.einsum("ij,ij->", difference, difference, dtype=np.float64)
    return totals
