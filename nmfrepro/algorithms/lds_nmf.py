"""LDS-NMF: L2,1 loss, log-determinant divergence on the base, sparse codes."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np

from ..core.errors import FitError, SpecError
from ..core.options import option
from ..core.problem import Fit, Problem
from .engine.base import Look
from .engine.multiplicative import multiply
from .engine.plain import Array, Factors, ratio
from .engine.robust import ColumnRobust, column_weights
from .engine.stack import Stack

# Added to the diagonal of WᵀW before it is inverted (Algorithm 1).
DELTA = 1e-10
# WH below this share of X: the codes are on their way to zero and will not come back.
LOST = {np.dtype("float64"): 1e-30, np.dtype("float32"): 1e-20}
# WH below this share of X at the end of a run is no factorization of X.
COLLAPSED = 1e-6
# Below this the divergence between WᵀW and the identity is rounding.
ORTHONORMAL = 1e-12
# Halvings of the exponent before the safeguard leaves W where it is.
HALVINGS = 40


@dataclass(frozen=True)
class LDSNMF(ColumnRobust):
    """Log-determinant divergence based sparse NMF.

    X ≈ WH with W (m × r) and H (r × n) ≥ 0, r ≤ m.  A fit whose codes have all gone to zero raises an error.
    The model fixes the scale of W by λ > 0; with λ = 0 it is free.
    """

    name = "lds_nmf"
    title = "LDS-NMF"
    paper = (
        "Liao, Guan and Zhang, Logdet divergence based sparse non-negative matrix factorization for stable "
        "representation, ICDM 2015"
    )
    cites = ("liao2015ldsnmf",)
    look = Look(colour="vermillion", marker="P", dash="-")
    example = {"lam": 0.05, "gamma": 0.01}
    objective_text = "Σ_j ‖x_j − Wh_j‖ + (λ/2)(tr WᵀW − log det WᵀW − r) + γ Σ H"
    uncertain = (
        "Theorem 1 (the objective never rises) is false: with one component and H = 0 the printed update "
        "maps w to w/‖w‖² for ever, and where the regulariser outweighs the fit the objective rises. "
        "w_rule: safeguard shortens such steps until it does not; root is the minimiser of eq. 14, without "
        "proof.",
        "Large γ forces H = 0 (γ ≥ max_k w_kᵀx_j/‖x_j‖ is enough, at most 1 for unit w_k), although the "
        "paper asks for γ > 1 and scans it to 1000: such fits raise an error instead of being scored.",
        "Start, stopping rule and the first D are not stated; D comes from the random start.",
        "Whether the grids for λ and γ multiply their reference values is not said; taken as absolute. The "
        "reference fit fixes no scale; its W is brought to unit columns first.",
        "How test images get their codes is not said: least squares, or projection nnls.",
    )
    monotone = False
    basis = "W"
    codes = "H"
    factors = {"W": ("m", "k"), "H": ("k", "n")}
    roles = {"W": "basis", "H": "encodings"}
    varies = ("lam", "gamma")
    stacked = True

    lam: float = option(
        low=0, help="weight λ of the divergence between WᵀW and the identity; the paper scans 1e-5 to 10"
    )
    gamma: float = option(low=0, help="weight γ of the sum of the codes; near 1 and above they vanish")
    w_rule: str = option(
        "printed",
        choices=("printed", "safeguard", "root"),
        help="update of W: as printed, shortened until the objective does not rise, or eq. 14's minimiser",
    )

    def update(self, X: Array, W: Array, H: Array) -> tuple[Array, ...]:
        """Algorithm 1, D = diag(1/‖x_j − Wh_j‖) from the factors at its beginning."""
        d = column_weights(X, W @ H)
        W = self.moved(W, (X * d) @ H.T, (H * d) @ H.T)
        H = H * ratio(W.T @ X * d, (W.T @ W) @ H * d + self.gamma)
        return W, H

    def moved(self, W: Array, XDH: Array, HDH: Array) -> Array:
        """Step 1 of Algorithm 1, A = (WᵀW + δI)⁻¹; or by the other two rules."""
        A = _inverse(W.T @ W).astype(W.dtype)
        b, c = XDH, self.lam * W @ np.maximum(A, 0)
        a = W @ HDH + self.lam * (W + W @ np.maximum(-A, 0))
        if self.w_rule == "root":  # the minimiser of eq. 14
            return W * ratio(b + np.sqrt(b**2 + 4 * a * c), 2 * a)
        quotient = ratio(b + c, a)
        if self.w_rule == "printed":
            return W * quotient
        before = self._fixed_weights(W, XDH, HDH)
        for theta in 0.5 ** np.arange(HALVINGS):
            after = self._fixed_weights(W * quotient**theta, XDH, HDH)
            if after <= before + 4 * np.finfo(W.dtype).eps * abs(before):
                return W * quotient**theta
        return W

    def _fixed_weights(self, W: Array, XDH: Array, HDH: Array) -> float:
        """What the objective at fixed D and H has of W."""
        WW = (W.T @ W).astype(np.float64)
        return float(0.5 * np.sum(WW * HDH) - np.sum(W * XDH) + 0.5 * self.lam * log_det_divergence(WW))

    def objective(self, X: Array, W: Array, H: Array) -> float:
        """Eq. 5."""
        loss = np.sum(np.linalg.norm(X - W @ H, axis=0)) + self.gamma * np.sum(H)
        return float(loss + 0.5 * self.lam * log_det_divergence((W.T @ W).astype(np.float64)))

    @classmethod
    def scale_is_free(cls, parameters: Mapping[str, Any]) -> bool:
        """λ > 0 fixes the scale of W."""
        return parameters.get("lam") == 0 and super().scale_is_free(parameters)

    def check_problem(self, problem: Problem) -> None:
        """WᵀW must be regular."""
        if problem.k > problem.m:
            raise SpecError(
                f"lds_nmf: k = {problem.k} exceeds the {problem.m} features, so WᵀW would be singular"
            )

    def update_W(self, stack: Stack, repeats: int) -> None:
        """As printed for all restarts at once, by the other rules for one after the other."""
        XK, HK = self.weighted_products(stack)
        lam = stack.parameter("lam", self.lam)
        for _ in range(repeats):
            if self.w_rule == "printed":
                A = _inverse(stack.gram_of("W"))
                plus, minus = lam * np.maximum(A, 0), lam * (np.eye(A.shape[1]) + np.maximum(-A, 0))
                num = np.matmul(plus.astype(stack.dtype), stack["W"], out=stack.scratch("num", XK.shape))
                num += XK
                multiply(stack, "W", num, HK + minus.astype(stack.dtype), 1)
                continue
            W = stack["W"]
            for w, xk, hk, own in zip(W, XK, HK, np.broadcast_to(np.ravel(lam), len(W)), strict=True):
                w[...] = replace(self, lam=float(own)).moved(w.T, xk.T, hk).T

    def update_H(self, stack: Stack, repeats: int) -> None:
        """Step 2 of Algorithm 1."""
        self.move_codes(stack, repeats, stack.parameter("gamma", self.gamma))

    def lost(self, stack: Stack) -> Array:
        """Those whose codes are on their way to zero."""
        return _share(stack["W"], stack["H"]) < LOST[stack.dtype] * stack.X_largest

    def objectives(self, stack: Stack, exact: bool) -> Array:
        """Eq. 5."""
        lam, gamma = (np.ravel(stack.parameter(name, getattr(self, name))) for name in self.varies)
        codes = stack["H"].sum(axis=(1, 2), dtype=np.float64)
        divergence = log_det_divergence(stack.gram_of("W").astype(np.float64))
        return self.loss(stack, exact) + 0.5 * lam * divergence + gamma * codes

    def balanced(self, problem: Problem, refit: Callable[[Self], Fit]) -> dict[str, float]:
        """lam and gamma at which either term weighs as much as the loss of a fit without them."""
        found = refit(replace(self, lam=0.0, gamma=0.0)).factors
        lam, gamma = reference_weights(problem.X, found["W"], found["H"])
        return {"lam": lam, "gamma": gamma}

    def embedding(self, factors: Factors, problem: Problem) -> Array:
        """Hᵀ as it is.

        Raises
        ------
        FitError
            If the codes have collapsed.
        """
        if _share(factors["W"].T[None], factors["H"][None])[0] < COLLAPSED * problem.X.max():
            raise FitError(
                f"lds_nmf collapsed: every code went to zero; gamma = {self.gamma:g} "
                f"(with lam = {self.lam:g}) is too large for these data"
            )
        return super().embedding(factors, problem)


def _share(W: Array, H: Array) -> Array:
    """Largest entry of any w_k h_kᵀ per restart."""
    return (W.max(axis=2) * H.max(axis=2)).max(axis=1)


def _inverse(WW: Array) -> Array:
    """A, in float64; of stacked Gram matrices too."""
    try:
        return np.linalg.inv(WW.astype(np.float64) + DELTA * np.eye(WW.shape[-1]))
    except np.linalg.LinAlgError:
        raise FitError("lds_nmf: two columns of W became equal, so WᵀW has no inverse") from None


def log_det_divergence(WW: Array) -> Array:
    """tr WᵀW − log det WᵀW − r for stacked Gram matrices; where they are singular, of WᵀW + 1e-10 I."""
    k = WW.shape[-1]
    log_det = np.linalg.slogdet(WW)[1]
    lifted = np.linalg.slogdet(WW + DELTA * np.eye(k))[1]
    return np.trace(WW, axis1=-2, axis2=-1) - np.where(np.isfinite(log_det), log_det, lifted) - k


def reference_weights(X: Array, W: Array, H: Array) -> tuple[float, float]:
    """λ₀ and γ₀ of section III-C, from a fit with λ = γ = 0 (an L21-NMF fit).

    λ₀ = 2‖X − WH‖₂,₁ / (tr WᵀW − log det WᵀW − r), γ₀ = ‖X − WH‖₂,₁ / ΣH, after the columns of W have been
    brought to unit length, since the fit leaves their scale free.

    Parameters
    ----------
    X : ndarray, shape (m, n)
    W : ndarray, shape (m, r)
    H : ndarray, shape (r, n)

    Returns
    -------
    lam, gamma : float

    Raises
    ------
    FitError
        If a column of W is zero, or they are orthonormal but for rounding, as a single one is: the divergence
        is 0 then.
    """
    norms = np.linalg.norm(W, axis=0)
    if not norms.all():
        raise FitError("a column of W is zero, so the reference weights are not defined")
    W, H = W / norms, H * norms[:, None]
    loss = float(np.linalg.norm(X - W @ H, axis=0).sum())
    divergence = float(log_det_divergence(W.T @ W))
    if divergence < ORTHONORMAL or not H.any():
        raise FitError(
            "the columns of W are orthonormal, as one alone always is, or the codes zero, so the reference "
            "weights are not defined; use scan_start: given"
        )
    return 2 * loss / divergence, loss / float(H.sum())
