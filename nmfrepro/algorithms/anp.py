"""A-optimal nonnegative projection."""

from dataclasses import dataclass

import numpy as np

from ..core.options import option
from .engine.base import Look
from .engine.multiplicative import TwoFactor, hold_unit_basis, squared_error, unit_columns
from .engine.plain import Array, ratio, unit
from .engine.stack import Stack

# What the "kkt" denominator is lifted to: without a floor a zero column of U sends V off.
KKT_FLOOR = 1e-10


@dataclass(frozen=True)
class ANP(TwoFactor):
    """A-optimal nonnegative projection: NMF whose encodings suit a regression fitted on them.

    X ≈ UVᵀ with U (m × k) and V (n × k) ≥ 0; tr (VᵀV + αI)⁻¹ is the total variance of such a regression's
    parameters (A-optimality).  "mm" follows from tr P = min_B (‖I − VᵀB‖² + α‖B‖²)/α and never raises O;
    "kkt", the likelier printed form, has the same fixed points but can overshoot for large λ.
    """

    name = "anp"
    paper = "Liu, Yang, Wu and Li, A-optimal non-negative projection for image representation, CVPR 2012"
    cites = ("liu2012anp",)
    look = Look(colour="blue", marker="s", dash="--")
    objective_text = "‖X − UVᵀ‖² + λ tr (VᵀV + αI)⁻¹  (no ½)"
    uncertain = (
        "Reconstructed without the paper's text: the form of the regulariser is likely (85 %), the ridge "
        "inside it less so (70 %), the exact update rule a guess (35 %), and λ = α = 1 are ours.",
        "The problem has no minimiser: (U/c, cV) with growing c keeps the fit and lowers the trace, so the "
        "number of iterations is part of the method (tol must be 0).",
        "unit_columns keeps the columns of U at unit length, which stops that drift; the objective may then "
        "rise.",
    )
    fixed_budget = True
    normalize = "none"
    stacked = True

    lam: float = option(1.0, low=0, help="weight λ of the trace")
    alpha: float = option(1.0, low=0, open_low=True, help="ridge α inside the inverse")
    variant: str = option(
        "mm", choices=("mm", "kkt"), help="update of V: never rising, or the likelier printed form"
    )
    unit_columns: bool = option(
        False, help="keep the columns of U at unit length, the encodings scaled to match"
    )

    def update(self, X: Array, U: Array, V: Array) -> tuple[Array, ...]:
        """With P = (VᵀV + αI)⁻¹, B = VP and positive and negative parts B₊, B₋."""
        U = U * ratio(X @ V, U @ (V.T @ V))
        if self.unit_columns:
            U, V = unit(U, axis=0), unit_columns(U, V)
        return U, self.moved(V, X.T @ U, V @ (U.T @ U))

    def moved(self, V: Array, XU: Array, VUU: Array) -> Array:
        """V by the chosen variant."""
        P = self._P(V.T @ V).astype(V.dtype)
        if self.variant == "mm":
            mu, plus, minus = self.lam / self.alpha, np.maximum(V @ P, 0), np.maximum(-V @ P, 0)
            num = XU + mu * (plus + plus @ (minus.T @ V) + minus @ (plus.T @ V))
            den = VUU + mu * (minus + plus @ (plus.T @ V) + minus @ (minus.T @ V))
            return V * np.sqrt(ratio(num, den))
        PP = self.lam * (P @ P)
        den = np.maximum(VUU + V @ np.maximum(-PP, 0), KKT_FLOOR)
        return V * ratio(XU + V @ np.maximum(PP, 0), den)

    def objective(self, X: Array, U: Array, V: Array) -> float:
        """‖X − UVᵀ‖² + λ tr P."""
        return float(np.sum((X - U @ V.T) ** 2) + self.lam * np.trace(self._P(V.T @ V)))

    def _P(self, VV: Array) -> Array:
        """(VᵀV + αI)⁻¹, k × k, in float64; of stacked Gram matrices too."""
        return np.linalg.inv(VV + self.alpha * np.eye(VV.shape[-1]))

    def update_U(self, stack: Stack, repeats: int) -> None:
        """As in NMF."""
        super().update_U(stack, repeats)
        if self.unit_columns:
            hold_unit_basis(stack, "U", "V")

    def update_V(self, stack: Stack, repeats: int) -> None:
        """For all restarts at once by "mm", one after the other by "kkt"; P is renewed in every repeat."""
        V, XU, UU = stack["V"], stack.product("U", stack.X), stack.gram_of("U")
        for _ in range(repeats):
            VUU = stack.combine(UU, V)
            if self.variant == "mm":
                self._move_mm(stack, V, XU, VUU, self._P(stack.gram_of("V")))
            else:
                for v, xu, vuu in zip(V, XU, VUU, strict=True):
                    v[...] = self.moved(v.T, xu.T, vuu.T).T

    def _move_mm(self, stack: Stack, V: Array, XU: Array, VUU: Array, P: Array) -> None:
        """Rows of the arrays are components: B₊(B₋ᵀV) of the equations reads (V B₋ᵀ) B₊ here."""
        mu, B, identity = self.lam / self.alpha, P.astype(V.dtype) @ V, np.eye(V.shape[1], dtype=V.dtype)
        plus, minus = np.maximum(B, 0), np.maximum(-B, 0)
        with_plus, with_minus = mu * (V @ plus.mT), mu * (identity + V @ minus.mT)
        num = XU + with_minus @ plus + with_plus @ minus
        den = VUU + with_plus @ plus + with_minus @ minus
        stack.multiply_ratio(V, num, den, power=0.5)

    def objectives(self, stack: Stack, exact: bool) -> Array:
        """‖X − UVᵀ‖² + λ tr P."""
        P = self._P(stack.gram_of("V"))
        return squared_error(stack, exact) + self.lam * np.trace(P, axis1=1, axis2=2)
