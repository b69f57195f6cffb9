"""Reconstruction ICA with pooling, the signed baseline of TNMF."""

from dataclasses import dataclass

import numpy as np

from ..core import seeds
from ..core.errors import FitError
from ..core.options import option
from ..core.problem import Fit, FitSettings, Problem, Shape
from .engine.base import Direct, Look
from .engine.plain import Array, Factors
from .pca import principal_components

# A run ends when no entry of the gradient is larger.
GRADIENT = 1e-6


@dataclass(frozen=True)
class RICA(Direct):
    """Reconstruction independent component analysis with pooled outputs.

    Minimises ``O = ‖X − WWᵀX‖² + λ Σ sqrt(ε + H(Y∘Y))``, Y = WᵀX, over signed W (m × t) by L-BFGS, with H all
    ones (t × t) and gradient

        2 E Yᵀ + X (2 WᵀE + λ Y∘(Hᵀ(1/P)))ᵀ,    E = WY − X,  P = sqrt(ε + H(Y∘Y)).

    The data are centred and whitened first: X in O is their `whiten` leading principal components, each
    scaled to unit variance; W is given back for the pixels, and the encodings are (WᵀX)ᵀ.  With H all ones O
    does not change when W is rotated, W → WQ: compare fits by O or by distances between encodings, not by W.
    """

    name = "rica"
    paper = (
        "Le, Karpenko, Ngiam and Ng, ICA with reconstruction cost for efficient overcomplete feature "
        "learning, NIPS 2011"
    )
    cites = ("le2011rica",)
    look = Look(colour="sky", marker="D", dash="-.")
    objective_text = "‖X − WWᵀX‖² + λ t Σ_j sqrt(ε + ‖Wᵀx_j‖²), X whitened  (no ½)"
    uncertain = (
        "TNMF's authors ran the original program without saying its parameters; here eq. 23 of their paper "
        "is taken literally. The program is said to rescale W inside, with other weights and λ = 0.05.",
        "The dimension after whitening is not stated: k is ours (0: centre only). The encodings are then "
        "close to rotated principal components, and λ hardly matters to k-means.",
        "The start (normal, variance 1 over the dimension) is ours; so is stopping where all entries of the "
        "gradient are below 1e-6, or at max_iter.",
        "The mean only shifts all encodings alike, so they are read from X as it is.",
    )
    signed = True
    factors = {"W": ("m", "k")}
    fit_settings = ("restarts", "max_iter", "tol", "dtype", "trace_every")

    lam: float = option(0.1, low=0, help="weight λ of the pooled outputs")
    epsilon: float = option(1e-5, low=0, open_low=True, help="ε, which smooths the square roots")
    whiten: int | None = option(
        None, low=0, help="leading principal components kept, at unit variance; null: k, 0: centre only"
    )

    def fit(self, problem: Problem, settings: FitSettings, seed: int) -> Fit:
        """L-BFGS from every start; computed in float64 whatever the type of the factors.

        Raises
        ------
        FitError
            If all samples are equal, or no start ends finite.
        """
        data, whitening = self._whitened(problem)
        streams = (seeds.stream(seed, "start", "basis", restart) for restart in range(settings.restarts))
        shape, scale = (problem.k, len(data)), len(data) ** -0.5
        found = [self._minimise(data, each.normal(scale=scale, size=shape).T, settings) for each in streams]
        finite = [restart for restart, (W, *_) in enumerate(found) if np.isfinite(W).all()]
        if not finite:
            raise FitError("rica: no start ended with finite factors")
        restart = min(finite, key=lambda each: found[each][1][-1])
        W, trace, n_iter, converged = found[restart]
        pixels = whitening @ W
        dtype = problem.X.dtype
        wanted = problem.k if self.whiten is None else self.whiten
        fewer = f"whitened to {len(data)} dimensions, the rank, not {wanted}"
        return Fit(
            factors={"W": pixels.astype(dtype)},
            embedding=(problem.X.T @ pixels).astype(dtype),
            objective=np.array(trace),
            n_iter=n_iter,
            converged=converged,
            restart=restart,
            notes=(fewer,) if wanted > len(data) else (),
        )

    def _whitened(self, problem: Problem) -> tuple[Array, Array]:
        """The data that O is of, (q, n), and the matrix (m, q) whose transpose makes them from centred X."""
        mean, left, lengths, right = principal_components(problem.X)
        if not len(lengths):
            raise FitError("rica: all samples are equal, so there is nothing to analyse")
        if self.whiten == 0:
            return problem.X - mean[:, None], np.eye(problem.m)
        kept = problem.k if self.whiten is None else self.whiten
        root = np.sqrt(problem.n)
        return root * right[:kept], left[:, :kept] * (root / lengths[:kept])

    def _minimise(
        self, X: Array, start: Array, settings: FitSettings
    ) -> tuple[Array, list[float], int, bool]:
        """W, trace, iterations and whether the gradient vanished."""
        from scipy.optimize import OptimizeResult, minimize  # here, so that listing needs no SciPy

        def cost(flat: Array) -> tuple[float, Array]:
            value, gradient = self.value_and_gradient(X, flat.reshape(start.shape))
            return value, gradient.ravel()

        values = [cost(start.ravel())[0]]
        if settings.max_iter == 0:
            return start, values, 0, False

        def record(intermediate_result: OptimizeResult) -> None:
            values.append(float(intermediate_result.fun))

        most = settings.max_iter
        ends = {"maxiter": most, "maxfun": 20 * most + 20, "gtol": GRADIENT, "ftol": settings.tol}
        result = minimize(cost, start.ravel(), jac=True, method="L-BFGS-B", callback=record, options=ends)
        trace = [*values[: len(values) - 1 or 1 : settings.trace_every], float(result.fun)]
        return result.x.reshape(start.shape), trace, int(result.nit), bool(result.status == 0)

    def value_and_gradient(self, X: Array, W: Array) -> tuple[float, Array]:
        """O and its gradient in W, for X (q × n) already whitened."""
        Y = W.T @ X
        E = W @ Y
        E -= X
        # With H all ones every row of P is this one.
        pooled = np.sqrt(self.epsilon + np.einsum("tn,tn->n", Y, Y))
        t = W.shape[1]
        value = float(np.vdot(E, E)) + self.lam * t * float(pooled.sum())
        inner = W.T @ E
        inner *= 2
        inner += Y * (self.lam * t / pooled)
        return value, 2 * (E @ Y.T) + X @ inner.T

    def project(
        self, factors: Factors, X: Array, image_shape: Shape = None, projection: str | None = None
    ) -> Array:
        """(WᵀX)ᵀ, as the samples of the fit are encoded."""
        return X.T @ factors["W"]
