"""Generalised low rank approximations of matrices, the signed baseline of 2DNMF."""

from dataclasses import dataclass

import numpy as np

from ..core.errors import SpecError
from ..core.problem import Problem, Shape, require_image_shape
from .engine.base import Look
from .engine.images import BetweenBases, Unfolded, as_images, images_residual
from .engine.plain import Array, Factors, column_signs
from .engine.stack import Stack


@dataclass
class Progress:
    """How far the only start of a run has come.

    Attributes
    ----------
    images : Unfolded
    captured : ndarray, shape (1,), or None
        Σ_n ‖D_n‖² after the last iteration; None before the first.
    settled : bool
        Whether it no longer grows, beyond rounding.
    """

    images: Unfolded
    captured: Array | None = None
    settled: bool = False


@dataclass(frozen=True)
class GLRAM(BetweenBases):
    """Generalised low rank approximations of matrices: images X_n (r × c) between two orthonormal bases.

    X_n ≈ L D_n Rᵀ with L (r × l1), R (c × l2); l1 = l2 = k unless given; without centring.  O is also
    Σ_n ‖X_n‖² − Σ_n ‖D_n‖².  It never rises and usually settles in fewer than ten iterations; once it no
    longer falls at all, further iterations leave the factors as they are.
    """

    name = "glram"
    paper = "Ye, Generalized low rank approximations of matrices, ICML 2004"
    cites = ("ye2004glram",)
    look = Look(colour="green", marker="s", dash="--")
    objective_text = "Σ_n ‖X_n − L D_n Rᵀ‖²  (no ½)"
    uncertain = (
        "The stopping threshold, a relative drop of the error of 1e-6, is from a secondary source; here the "
        "fit settings decide.",
        "Signs of columns, and rotations where eigenvalues are equal, are free: compare L Lᵀ or distances "
        "between cores. The entry of largest size of each column is made positive.",
    )
    signed = True
    fit_settings = ("max_iter", "tol", "order", "dtype", "trace_every")
    factors = {"L": ("r", "l1"), "R": ("c", "l2"), "D": ("n", "l1", "l2")}
    layout = {"L": (1, 0), "R": (1, 0), "D": (2, 1, 0)}  # D as (l2, l1, n)
    roles = {"D": "core"}
    update_order = ("R", "L", "D")
    stacked = True

    def check_problem(self, problem: Problem) -> None:
        """As `check_shape`."""
        self.check_shape(problem.k, require_image_shape(problem.image_shape, self.name))

    def check_shape(self, k: int, image_shape: tuple[int, int]) -> None:
        """Orthonormal columns cannot be more than their length."""
        rows, columns = image_shape
        for name, count, length, what in (
            ("l1", self.l1 or k, rows, "rows"),
            ("l2", self.l2 or k, columns, "columns"),
        ):
            if count > length:
                raise SpecError(f"glram: {name} = {count} exceeds the images' {length} {what}")

    def update(self, X: Array, L: Array, R: Array, D: Array) -> tuple[Array, ...]:
        """R, then L, then the cores, for images X (n, r, c)."""
        R = leading((X.mT @ L @ L.T @ X).sum(axis=0), R.shape[1])
        L = leading((X @ R @ R.T @ X.mT).sum(axis=0), L.shape[1])
        return L, R, L.T @ X @ R

    def objective(self, X: Array, L: Array, R: Array, D: Array) -> float:
        """Σ_n ‖X_n − L D_n Rᵀ‖²."""
        return float(np.sum((X - L @ D @ R.T) ** 2))

    def start(self, problem: Problem, name: str, seed: int, restart: int) -> Array:
        """L = [I; 0] as Ye starts, R likewise; the cores that belong to them are corners of the images."""
        lengths = self.dimensions(problem)
        if name == "D":
            images = as_images(problem.X, problem.image_shape, self.name)
            return images[:, : lengths["l1"], : lengths["l2"]]
        length, columns = self.factors[name]
        return np.eye(lengths[length], lengths[columns])

    def prepare(self, stack: Stack) -> Progress:
        """Nothing captured yet."""
        return Progress(super().prepare(stack))

    def update_R(self, stack: Stack, repeats: int) -> None:
        """From X_nᵀL; a repeat would change nothing."""
        self._lead(stack, "R", "L", stack.state.images.left)

    def update_L(self, stack: Stack, repeats: int) -> None:
        """From X_nR."""
        self._lead(stack, "L", "R", stack.state.images.right)

    def update_D(self, stack: Stack, repeats: int) -> None:
        """D follows from L and R when both have moved, in `end_pass`."""

    def _lead(self, stack: Stack, name: str, other: str, unfolding: Array) -> None:
        """Leading eigenvectors of Σ_n B_nB_nᵀ, B_n X_n or its transpose times the other base."""
        if stack.state.settled:
            return
        base = stack[name]
        B = stack.product(other, unfolding).reshape(len(base), -1, base.shape[2])
        base[...] = leading(B.transpose(0, 2, 1) @ B, base.shape[1]).transpose(0, 2, 1)

    def end_pass(self, stack: Stack) -> None:
        """D_n = LᵀX_nR; once Σ_n ‖D_n‖² no longer grows beyond rounding, the run has settled."""
        progress: Progress = stack.state
        if progress.settled:
            return
        with stack.moving("D"):
            L, D = stack["L"], stack["D"]
            XR = stack.product("R", progress.images.right).reshape(*D.shape[:2], D.shape[3], -1)
            np.matmul(L[:, None], XR.transpose(0, 1, 3, 2), out=D)
        before, captured = progress.captured, np.einsum("rban,rban->r", D, D, dtype=np.float64)
        rounding = 1 + 4 * np.finfo(np.float64).eps
        progress.settled = before is not None and bool(np.all(captured <= rounding * before))
        progress.captured = captured

    def objectives(self, stack: Stack, exact: bool) -> Array:
        """‖X‖² − Σ_n ‖D_n‖², which holds after a pass; else the residual."""
        if not exact and stack.state.captured is not None:
            value = stack.X_squared - stack.state.captured
            if stack.accurate(value, stack.X_squared):
                return value
        return images_residual(stack, stack["L"], stack["R"], stack["D"].transpose(0, 2, 1, 3))

    def project(
        self, factors: Factors, X: Array, image_shape: Shape = None, projection: str | None = None
    ) -> Array:
        """LᵀX_nR, row by row."""
        images = as_images(X, image_shape, self.name)
        return (factors["L"].T @ images @ factors["R"]).reshape(len(images), -1)


def leading(M: Array, columns: int) -> Array:
    """Leading eigenvectors of symmetric matrices as columns, the largest entry of each positive."""
    vectors = np.linalg.eigh(M.astype(np.float64))[1][..., ::-1][..., :columns]
    return vectors * column_signs(vectors)
