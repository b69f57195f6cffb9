"""Two-dimensional NMF: images between a left and a right base."""

from dataclasses import dataclass

import numpy as np

from ..core.errors import SpecError, suggest
from ..core.options import option, options_of
from ..core.problem import Shape
from .engine.base import FreeScale, Look
from .engine.images import BetweenBases, as_images, images_residual
from .engine.plain import Array, Factors, ratio
from .engine.stack import Stack


@dataclass(frozen=True)
class TwoDNMF(FreeScale, BetweenBases):
    """Two-dimensional nonnegative matrix factorization: images X_n (r × c) between two bases.

    X_n ≈ U D_n Vᵀ with U (r × l1), V (c × l2), D_n (l1 × l2) ≥ 0; l1 = l2 = k unless given.  The objective
    never rises, with or without the root; without it (power: 1) it falls faster.  The encoding of an image is
    its D_n, row by row.
    """

    name = "twodnmf"
    title = "2DNMF"
    paper = "Gu and Zhou, Two dimensional nonnegative matrix factorization, ICIP 2009"
    cites = ("gu2009twodnmf",)
    look = Look(colour="vermillion", marker="D", dash="-")
    objective_text = "Σ_n ‖X_n − U D_n Vᵀ‖²  (no ½)"
    uncertain = (
        "Start, stopping rule and the order of the blocks are not stated; U, V, D as printed.",
        "The printed projection pinv(U) X V is the least squares core only if VᵀV = I, which nothing "
        "enforces, and transposing all images changes it; projection: consistent or orthonormal mends that.",
        "Whether a training image is represented by its D_n or by its projection is not said; recognition "
        "projects both, since D_n is nonnegative and a projection is not.",
        "Eq. 4 names U in all three lines where V and D_n are meant; eq. 6, 7 and 9 lack the primes of old "
        "values.",
        "The printed cost of an iteration has no term n·r·c·l: it adds the sizes of the operands where they "
        "multiply. Against NMF the ratio on ORL is 20 or more, not 1.7.",
        "Theorems 3.4 to 3.8 show that the objective falls, not that the factors converge.",
    )
    factors = {"U": ("r", "l1"), "V": ("c", "l2"), "D": ("n", "l1", "l2")}
    layout = {"U": (1, 0), "V": (1, 0), "D": (1, 2, 0)}  # D as (l1, l2, n)
    roles = {"U": "basis", "V": "column basis", "D": "core"}
    stacked = True

    power: float = option(
        0.5, low=0, high=1, open_low=True, help="power of the ratios; ½ as printed, 1 is faster and as safe"
    )
    projection: str = option(
        "printed",
        choices=("printed", "consistent", "orthonormal"),
        help="features for recognition: pinv(U) X V, pinv(U) X pinv(V)ᵀ, or on orthonormal bases",
    )

    def update(self, X: Array, U: Array, V: Array, D: Array) -> tuple[Array, ...]:
        """Eq. 5, for images X (n, r, c) and cores D (n, l1, l2); p is ½ as printed."""
        p = self.power
        U = U * ratio((X @ V @ D.mT).sum(axis=0), U @ (D @ (V.T @ V) @ D.mT).sum(axis=0)) ** p
        V = V * ratio((X.mT @ U @ D).sum(axis=0), V @ (D.mT @ (U.T @ U) @ D).sum(axis=0)) ** p
        D = D * ratio(U.T @ X @ V, (U.T @ U) @ D @ (V.T @ V)) ** p
        return U, V, D

    def objective(self, X: Array, U: Array, V: Array, D: Array) -> float:
        """Eq. 3."""
        return float(np.sum((X - U @ D @ V.T) ** 2))

    def update_U(self, stack: Stack, repeats: int) -> None:
        """With A_n = X_nV: Σ_n A_nD_nᵀ is one product over (l2, n)."""
        A = stack.product("V", stack.state.right)
        mixed = self._mix(stack, stack["D"], stack.gram_of("V"))
        self._move(stack, "U", stack.flat("D"), A, mixed, repeats)

    def update_V(self, stack: Stack, repeats: int) -> None:
        """With B_n = X_nᵀU: Σ_n B_nD_n is one product over (l1, n), for which D is turned."""
        B = stack.product("U", stack.state.left)
        D = stack["D"].transpose(0, 2, 1, 3)
        turned = stack.scratch("turned", D.shape)
        turned[...] = D
        mixed = self._mix(stack, turned, stack.gram_of("U"))
        self._move(stack, "V", turned.reshape(*turned.shape[:2], -1), B, mixed, repeats)

    def _mix(self, stack: Stack, D: Array, gram: Array) -> Array:
        """The Gram matrix on D's second axis, (R, l, l′, n) to (R, l, l′·n)."""
        out = stack.scratch(f"mixed{D.shape}", D.shape)
        return np.matmul(gram[:, None], D, out=out).reshape(*D.shape[:2], -1)

    def _move(
        self, stack: Stack, name: str, cores: Array, product: Array, mixed: Array, repeats: int
    ) -> None:
        """One base from the cores (R, l, l′·n), X times the other base, and the cores mixed by its Gram."""
        base = stack[name]
        product = product.reshape(len(base), cores.shape[2], base.shape[2])
        num = np.matmul(cores, product, out=stack.scratch(f"num {name}", base.shape))
        gram = mixed @ cores.transpose(0, 2, 1)
        for _ in range(repeats):
            stack.multiply_ratio(base, num, stack.combine(gram, base), self.power)

    def update_D(self, stack: Stack, repeats: int) -> None:
        """B_n = X_nᵀU still holds from V's update."""
        D, num = stack["D"], self._cores(stack)
        for _ in range(repeats):
            stack.multiply_ratio(D, num, self._both_grams(stack), self.power)

    def _cores(self, stack: Stack) -> Array:
        """UᵀX_nV, (R, l1, l2, n)."""

        def compute() -> Array:
            D, V = stack["D"], stack["V"]
            B = stack.product("U", stack.state.left).reshape(*D.shape[:2], D.shape[3], V.shape[2])
            return np.matmul(V[:, None], B.transpose(0, 1, 3, 2), out=stack.scratch("num D", D.shape))

        return stack.kept("UᵀX_nV", ("U", "V"), compute)

    def _both_grams(self, stack: Stack) -> Array:
        """UᵀU D_n VᵀV, (R, l1, l2, n)."""
        D = stack["D"]
        left = stack.combine(stack.gram_of("U"), stack.flat("D")).reshape(D.shape)
        return np.matmul(stack.gram_of("V")[:, None], left, out=stack.scratch("den D", D.shape))

    def objectives(self, stack: Stack, exact: bool) -> Array:
        """Eq. 3, from UᵀX_nV and Gram matrices where that does not cancel."""
        D = stack["D"]
        if not exact:
            difference = self._both_grams(stack)
            difference -= 2 * self._cores(stack)
            value = stack.X_squared + np.einsum("rabn,rabn->r", D, difference, dtype=np.float64)
            if stack.accurate(value, stack.X_squared):
                return value
        return images_residual(stack, stack["U"], stack["V"], D)

    def project(
        self, factors: Factors, X: Array, image_shape: Shape = None, projection: str | None = None
    ) -> Array:
        """Cores of new images (Gu and Zhou 2009, section 4.4) by `projection`, row by row: (n, l1·l2).

        "printed" is the least squares core only if VᵀV = I, "consistent" always; on thin QR factors
        ("orthonormal") distances depend on the two column spaces alone.

        Raises
        ------
        SpecError
            Without an image shape, or for another projection.
        """
        images, left, right = as_images(X, image_shape, self.name), factors["U"], factors["V"]
        projection = projection or self.projection
        if projection == "orthonormal":
            left, right = np.linalg.qr(left)[0], np.linalg.qr(right)[0]
        elif projection == "printed":
            left = np.linalg.pinv(left).T
        elif projection == "consistent":
            left, right = np.linalg.pinv(left).T, np.linalg.pinv(right).T
        else:
            known = options_of(type(self))["projection"].choices
            raise SpecError(f"there is no projection {projection!r} of images; {suggest(projection, known)}")
        return (left.T @ images @ right).reshape(len(images), -1)
