"""Nonnegative tensor factorization of the image stack."""

from dataclasses import dataclass

import numpy as np

from ..core.options import option
from .engine.base import Look
from .engine.images import OnImages
from .engine.multiplicative import multiply, residual
from .engine.plain import Array, ratio
from .engine.stack import Stack


@dataclass(frozen=True)
class NTF(OnImages):
    """Nonnegative tensor factorization: images as sums of k rank-one images, shared by all.

    X_n ≈ Σ_a W_na u_a v_aᵀ with U (r × k), V (c × k) and W (n × k) ≥ 0.  The objective never rises.  The
    scale is free between the three factors, so W is read after u_a and v_a are brought to unit length.
    """

    name = "ntf"
    paper = (
        "Shashua and Hazan, Non-negative tensor factorization with applications to statistics and computer "
        "vision, ICML 2005"
    )
    cites = ("shashua2005ntf",)
    look = Look(colour="sky", marker=">", dash=":")
    objective_text = "½ Σ_n ‖X_n − Σ_a W_na u_a v_aᵀ‖²"
    uncertain = (
        "The original moves the columns of a factor one after the other (75 %), here they move together: "
        "neither ever raises the objective, and the fixed points are the same.",
        "Start and stopping rule are not stated in the comparison (CNMF paper); as for NMF.",
        "Bringing u and v to unit length before reading W is ours; otherwise k-means on W sees the scale of "
        "the random start.",
        "It needs images; the histogram data of the CNMF paper have none, so its NTF numbers there cannot be "
        "reproduced.",
    )
    factors = {"U": ("r", "k"), "V": ("c", "k"), "W": ("n", "k")}
    roles = {"U": "basis", "V": "column basis", "W": "encodings"}
    stacked = True

    normalize: str = option(
        "unit", choices=("unit", "none"), help="bring u and v to unit length before reading W, or not"
    )

    def update(self, X: Array, U: Array, V: Array, W: Array) -> tuple[Array, ...]:
        """All columns of a factor at once, for images X (n, r, c); ∘ of the Gram matrices is * here."""
        A = W[:, None]  # so that (X_nV) diag(W_n) is X @ V * A
        U = U * ratio((X @ V * A).sum(axis=0), U @ ((V.T @ V) * (W.T @ W)))
        V = V * ratio((X.mT @ U * A).sum(axis=0), V @ ((U.T @ U) * (W.T @ W)))
        W = W * ratio((X.mT @ U * V).sum(axis=1), W @ ((U.T @ U) * (V.T @ V)))
        return U, V, W

    def objective(self, X: Array, U: Array, V: Array, W: Array) -> float:
        """Half the squared error."""
        return float(0.5 * np.sum((X - U * W[:, None] @ V.T) ** 2))

    def most_vectors(self, image_shape: tuple[int, int]) -> None:
        """Any number: vectors of either side need not be independent, only their products."""

    def update_U(self, stack: Stack, repeats: int) -> None:
        """U ← U ⊙ Σ_n (X_nV) diag(W_n) ⊘ U((VᵀV)∘(WᵀW)); all (X_nV)ᵀ are (R, k, n, r)."""
        num = self._over_images(stack, stack.product("V", stack.state.right))
        multiply(stack, "U", num, stack.gram_of("V") * stack.gram_of("W"), repeats)

    def update_V(self, stack: Stack, repeats: int) -> None:
        """V ← V ⊙ Σ_n (X_nᵀU) diag(W_n) ⊘ V((UᵀU)∘(WᵀW)); all UᵀX_n are (R, k, n, c)."""
        num = self._over_images(stack, stack.product("U", stack.state.left))
        multiply(stack, "V", num, stack.gram_of("U") * stack.gram_of("W"), repeats)

    def update_W(self, stack: Stack, repeats: int) -> None:
        """W ← W ⊙ (u_aᵀX_nv_a) ⊘ W((UᵀU)∘(VᵀV)); UᵀX_n of V's update still serves."""
        multiply(stack, "W", self._over_columns(stack), stack.gram_of("U") * stack.gram_of("V"), repeats)

    def _over_images(self, stack: Stack, product: Array) -> Array:
        """Σ_n W_na (row n of the product's component a): (R, k, n, p) to (R, k, p)."""
        W = stack["W"]
        return np.matmul(W[:, :, None], product.reshape(*W.shape, -1))[:, :, 0]

    def _over_columns(self, stack: Stack) -> Array:
        """u_aᵀX_nv_a, (R, k, n)."""

        def compute() -> Array:
            XU = stack.product("U", stack.state.left).reshape(*stack["W"].shape, -1)
            return np.matmul(XU, stack["V"][..., None])[..., 0]

        return stack.kept("u_aᵀX_nv_a", ("U", "V"), compute)

    def objectives(self, stack: Stack, exact: bool) -> Array:
        """Half the squared error, from the last numerator and Gram matrices where that does not cancel."""
        U, V, W = stack["U"], stack["V"], stack["W"]
        if not exact:
            cross = np.einsum("rkp,rkp->r", W, self._over_columns(stack), dtype=np.float64)
            grams = map(stack.gram_of, self.factors)
            value = stack.X_squared - 2 * cross + np.einsum("rkl,rkl,rkl->r", *grams, dtype=np.float64)
            if stack.accurate(value, stack.X_squared):
                return 0.5 * value
        pictures = np.einsum("rki,rkj->rkij", U, V).reshape(*U.shape[:2], -1)
        return np.array([0.5 * residual(stack.X, p, w) for p, w in zip(pictures, W, strict=True)])
