"""Concept factorization."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from ..core.problem import Problem
from .engine.base import Iterative, Look
from .engine.fast import Quadratic
from .engine.multiplicative import inner_product, multiply, residual
from .engine.plain import Array, Factors, ratio
from .engine.stack import Stack, diagonal

# Gradient steps in the place of a sweep of the fast solver.
STEPS = 6


@dataclass(frozen=True)
class CF(Iterative):
    """Concept factorization, X ≈ X W Vᵀ with W and V (n × k) ≥ 0: NMF whose basis is made of the samples.

    The objective never rises; W and V do not change with the scale of X.  Encodings are read after each
    concept X w_k is brought to unit length.  ``fit.factors`` calls W "Wc".
    """

    name = "cf"
    paper = "Xu and Gong, Document clustering by concept factorization, SIGIR 2004"
    cites = ("xu2004cf",)
    look = Look(colour="orange", marker="<", dash="-.")
    objective_text = "‖X − X W Vᵀ‖²  (the paper has ½)"
    uncertain = (
        "Order W, V; Cai's program moves V first (order: VU).",
        "The paper reads clusters by argmax, the CNMF paper by k-means on V.",
        "The paper's variant for data of both signs is left out.",
    )
    factors = {"Wc": ("n", "k"), "V": ("n", "k")}
    roles = {"Wc": "basis", "V": "encodings"}
    stacked = True

    def update(self, X: Array, Wc: Array, V: Array) -> tuple[Array, ...]:
        """W, then V, with K = XᵀX."""
        K = X.T @ X
        Wc = Wc * ratio(K @ V, K @ Wc @ (V.T @ V))
        V = V * ratio(K @ Wc, V @ (Wc.T @ K @ Wc))
        return Wc, V

    def objective(self, X: Array, Wc: Array, V: Array) -> float:
        """‖X − X W Vᵀ‖²."""
        return float(np.sum((X - X @ Wc @ V.T) ** 2))

    def prepare(self, stack: Stack) -> Kernel:
        """K, unless two products with X are cheaper than one with it."""
        m, n = stack.X.shape
        return Kernel(stack, stack.XT @ stack.X if n <= 2 * m else None)

    def update_Wc(self, stack: Stack, repeats: int) -> None:
        """KW may be at hand from V's last update."""
        KV = self._times_K(stack, "V")
        VV = stack.gram_of("V")
        for _ in range(repeats):
            den = stack.combine(VV, self._times_K(stack, "Wc"))
            stack.multiply_ratio(stack["Wc"], KV, den)

    def update_V(self, stack: Stack, repeats: int) -> None:
        """KW serves the next step of W too."""
        KW = self._times_K(stack, "Wc")
        multiply(stack, "V", KW, np.matmul(stack["Wc"], KW.transpose(0, 2, 1)), repeats)

    def _times_K(self, stack: Stack, name: str) -> Array:
        """K times a factor, kept until the factor moves."""
        kernel: Kernel = stack.state
        if kernel.K is not None:
            return stack.product(name, kernel.K)
        through_X = stack.product(name, stack.XT)
        return stack.kept(f"K {name}", (name,), lambda: stack.times(through_X, stack.X, f"K {name}"))

    def quadratic(self, stack: Stack, name: str) -> Quadratic:
        """⟨VᵀV WᵀK, Wᵀ⟩ − 2⟨KV, W⟩ in W; in V NMF's with the basis XW."""
        if name == "Wc":
            return WithKernel(stack.gram_of("V"), self._times_K(stack, "V"), kernel=stack.state)
        KW = self._times_K(stack, "Wc")
        return Quadratic(np.matmul(stack["Wc"], KW.transpose(0, 2, 1)), KW)

    def objectives(self, stack: Stack, exact: bool) -> Array:
        """tr K − 2⟨KW, V⟩ + ⟨WᵀKW, VᵀV⟩, or the residual."""
        W, V = stack["Wc"], stack["V"]
        if not exact:
            fit = self.quadratic(stack, "V")
            value = stack.X_squared - 2 * inner_product(fit.B, V) + inner_product(fit.A, stack.gram_of("V"))
            if stack.accurate(value, stack.X_squared):
                return value
        return np.array([residual(stack.X, w @ stack.XT, v) for w, v in zip(W, V, strict=True)])

    def embedding(self, factors: Factors, problem: Problem) -> Array:
        """v_k ‖X w_k‖."""
        return factors["V"] * np.linalg.norm(problem.X @ factors["Wc"], axis=0)


class Kernel:
    """K = XᵀX, by which the samples act on each other; through X where it is not at hand.

    Attributes
    ----------
    K : ndarray, shape (n, n), or None
    diagonal, bound : ndarray, shape (n,)
        K ≤ diag(bound): √K_ii Σ_l K_il/√K_ll, since no entry is negative.
    """

    def __init__(self, stack: Stack, K: Array | None) -> None:
        self.K = K
        self.diagonal = np.vecdot(stack.XT, stack.XT)
        lengths = np.sqrt(self.diagonal)
        self.bound = lengths * (
            (stack.X @ np.divide(1, lengths, where=lengths > 0, out=lengths * 0)) @ stack.X
        )

    def times(self, F: Array, stack: Stack) -> Array:
        """F K, (R, k, n); the array is the caller's until the next call."""
        if self.K is not None:
            return stack.times(F, self.K, "FK")
        return stack.times(stack.times(F, stack.XT, "FX"), stack.X, "FK")


@dataclass(frozen=True)
class WithKernel(Quadratic):
    """⟨A F K, F⟩ − 2⟨B, F⟩: every entry of F (R, k, n) acts on every other."""

    kernel: Kernel = field(kw_only=True)

    def curvature(self) -> Array:
        """(R, k, n), as `Quadratic`'s."""
        return diagonal(self.A) * self.kernel.diagonal

    def gradient(self, F: Array, stack: Stack) -> Array:
        """Half the gradient at F; the array is the caller's until the next call."""
        found = self.kernel.times(stack.combine(self.A, F), stack)
        found -= self.B
        return found

    def descend(self, F: Array, stack: Stack, sweeps: int) -> None:
        """Accelerated projected gradients in place, `STEPS` in the place of a sweep.

        Nesterov's, begun anew wherever a step goes against the last one (O'Donoghue and Candès, Adaptive
        restart for accelerated gradient schemes, Foundations of Computational Mathematics 15, 2015).
        """
        # A ≤ diag(a) as K ≤ diag(bound); both are bounds for any scale of the components and the samples.
        root = np.sqrt(diagonal(self.A))
        partner = np.divide(1, root, out=np.zeros_like(root), where=root > stack.tiny)
        bound = root * (self.A @ partner) * self.kernel.bound
        inverse = np.divide(1, bound, out=np.zeros(bound.shape, F.dtype), where=bound > stack.tiny)
        shape, ahead, momentum = (len(F), -1), F.copy(), np.ones((len(F), 1, 1))
        for _ in range(STEPS * sweeps):
            moved = self.gradient(ahead, stack)
            moved *= inverse
            np.subtract(ahead, moved, out=moved)
            np.maximum(moved, 0, out=moved)
            ahead -= moved
            step = moved - F
            against = (np.vecdot(ahead.reshape(shape), step.reshape(shape)) > 0)[:, None, None]
            further = np.where(against, 1, 0.5 + np.sqrt(0.25 + momentum**2))
            F[...] = moved
            step *= np.where(against, 0, (momentum - 1) / further).astype(F.dtype)
            np.add(F, step, out=ahead)
            momentum = further
