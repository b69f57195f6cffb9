"""Nonnegative spectral clustering with discriminative regularisation."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..core import seeds
from ..core.options import option
from ..core.problem import Problem
from .engine.base import Iterative, Look
from .engine.graph import Neighbors, nearest_neighbors, neighbor_graph
from .engine.lloyd import lloyd
from .engine.plain import Array, Factors, ratio, unit
from .engine.stack import Stack

# Added to the k-means indicator, so that no entry of the start is zero.
LIFT = 0.2
# What the "kkt" denominator, which can be negative, is lifted to.
KKT_FLOOR = 1e-10


@dataclass(frozen=True)
class NSDR(Iterative, Neighbors):
    """Nonnegative spectral clustering with discriminative regularisation.

    One factor F (n × c) ≥ 0, a relaxed and scaled cluster indicator; L is the normalised Laplacian of a graph
    of nearest neighbours (either way, weights exp(−d²/σ²), σ the mean distance of neighbours), H = I − 11ᵀ/n
    and X̃ = XH for samples of unit length.  Clusters are read off F, sample i to argmax_c F_ic.
    """

    name = "nsdr"
    paper = (
        "Yang, Shen, Nie, Ji and Zhou, Nonnegative spectral clustering with discriminative regularization, "
        "AAAI 2011"
    )
    cites = ("yang2011nsdr",)
    look = Look(colour="orange", marker="p", dash=":")
    objective_text = "tr(FᵀRF) + (ξ/2)‖FᵀF − I‖², R = L + λμ H(X̃ᵀX̃ + μI)⁻¹H"
    uncertain = (
        "Reconstructed without the paper's text: the structure of R is likely (85 %), the penalty for "
        "orthogonality less so (75 %), the update (60 %), graph and parameter values least (40 %).",
        "Only mm never raises the objective; split rises from ξ = 10 on, and kkt, by secondary sources the "
        "printed form (with ξ near 1e8), then hardly moves from its start and blows up for moderate ξ.",
        "The start, the indicator of one k-means run on the unit samples plus 0.2 with unit columns, and 500 "
        "iterations are ours.",
    )
    factors = {"F": ("n", "k")}
    has_labels = True
    roles = {"F": "encodings"}
    stacked = True

    lam: float = option(1.0, low=0, help="weight λ of the discriminative term")
    mu: float = option(1.0, low=0, open_low=True, help="ridge μ inside the discriminative term")
    xi: float = option(10.0, low=0, open_low=True, help="weight ξ of the penalty that keeps FᵀF near I")
    variant: str = option(
        "mm",
        choices=("mm", "split", "kkt"),
        help="update: never rising, without the root, or as later printed",
    )

    def start(self, problem: Problem, name: str, seed: int, restart: int) -> Array:
        """The indicator of a k-means clustering, lifted, its columns at unit length."""
        samples, number = _unit_samples(problem.X), seeds.derive(seed, "start", self.roles[name], restart)
        # Where distinct samples are fewer than k, columns of F start alike.
        clusters = lloyd(samples, min(problem.k, problem.n), number, init="random", n_init=1).labels_
        indicator = np.eye(problem.k)[clusters] + LIFT
        return indicator / np.linalg.norm(indicator, axis=0)

    def given(self, problem: Problem) -> dict[str, Any]:
        """R, n × n."""
        samples = _unit_samples(problem.X)
        return {"R": laplacian(samples, self.neighbors) + self.lam * scatter(samples, self.mu)}

    def update(self, R: Array, F: Array) -> Array:
        """By the chosen variant; R = R₊ − R₋ split by sign, G = FᵀF."""
        xi, G = self.xi, F.T @ F
        if self.variant == "kkt":
            F = F * xi * ratio(F, np.maximum(R @ F + xi * F @ G, KKT_FLOOR))
            return unit(F, axis=0)
        quotient = ratio(np.maximum(-R, 0) @ F + xi * F, np.maximum(R, 0) @ F + xi * F @ G)
        return F * (quotient**0.25 if self.variant == "mm" else quotient)

    def objective(self, R: Array, F: Array) -> float:
        """tr(FᵀRF) + (ξ/2)‖FᵀF − I‖²."""
        return float(np.sum(F * (R @ F)) + 0.5 * self.xi * np.sum((F.T @ F - np.eye(F.shape[1])) ** 2))

    def prepare(self, stack: Stack) -> tuple[Array, Array]:
        """R₊ and R₋, shared by all restarts: R = R₊ − R₋ split by sign."""
        R = stack.given["R"]
        return np.maximum(R, 0).astype(stack.dtype), np.maximum(-R, 0).astype(stack.dtype)

    def update_F(self, stack: Stack, repeats: int) -> None:
        """F by the chosen variant."""
        F = stack["F"]
        for _ in range(repeats):
            plus, minus = self._products(stack)
            den = stack.combine(stack.gram_of("F"), F)
            den *= self.xi
            den += plus
            if self.variant == "kkt":
                den -= minus
                np.maximum(den, KKT_FLOOR, out=den)
                stack.multiply_ratio(F, self.xi * F, den)
                F[...] = unit(F, axis=2)
            else:
                minus += np.multiply(F, self.xi, out=plus)
                stack.multiply_ratio(F, minus, den, power=0.25 if self.variant == "mm" else 1)

    def _products(self, stack: Stack) -> tuple[Array, Array]:
        """R₊F and R₋F; both matrices are symmetric."""
        plus, minus = stack.state
        F = stack["F"]
        return stack.times(F, plus, "R+F"), stack.times(F, minus, "R-F")

    def objectives(self, stack: Stack, exact: bool) -> Array:
        """tr(FᵀRF) + (ξ/2)‖FᵀF − I‖²."""
        F = stack["F"]
        plus, minus = self._products(stack)
        excess = stack.gram_of("F").astype(np.float64) - np.eye(F.shape[1])
        trace = np.einsum("rkn,rkn->r", F, plus - minus, dtype=np.float64)
        return trace + 0.5 * self.xi * np.einsum("rkl,rkl->r", excess, excess)

    def labels(self, factors: Factors, problem: Problem) -> Array:
        """argmax over each row of F."""
        return factors["F"].argmax(axis=1)


def laplacian(samples: Array, neighbors: int) -> Array:
    """L = I − E^(−½) W E^(−½) for samples as rows; a sample without neighbours has the identity's row."""
    n = len(samples)
    squared = nearest_neighbors(samples, min(neighbors, n - 1))[1]
    # Where all neighbours coincide it is 0, and all weights are 1 by any other.
    width = np.sqrt(squared).mean() ** 2 if squared.size else None
    W = neighbor_graph(samples.T, neighbors, "heat", width).toarray()
    degrees = W.sum(axis=1)  # `normalized_similarity` of the sparse W has other last digits
    scale = 1 / np.sqrt(np.where(degrees > 0, degrees, 1))
    return np.eye(n) - scale[:, None] * W * scale


def scatter(samples: Array, ridge: float) -> Array:
    """μH(X̃ᵀX̃ + μI)⁻¹H = H − X̃ᵀ(X̃X̃ᵀ + μI)⁻¹X̃ for samples as rows (n × m), by the smaller of the two."""
    n, m = samples.shape
    centring = np.eye(n) - 1 / n
    centred = samples - samples.mean(axis=0)
    if n <= m:
        result = ridge * centring @ np.linalg.inv(centred @ centred.T + ridge * np.eye(n)) @ centring
    else:
        result = centring - centred @ np.linalg.solve(centred.T @ centred + ridge * np.eye(m), centred.T)
    return (result + result.T) / 2


def _unit_samples(X: Array) -> Array:
    """Samples as rows (n × m), in float64 and at unit length; a zero sample stays."""
    return unit(np.ascontiguousarray(X.T, dtype=np.float64), axis=1)
