"""How tests call a method, on small data with arguments filled in, and what they expect of single ones."""

from __future__ import annotations

from typing import Any

import numpy as np

from nmfrepro import algorithms, factorize
from nmfrepro.contract import COLUMNS, LABELS, ROWS, SAMPLES, K, data
from nmfrepro.core.options import REQUIRED, options_of
from nmfrepro.core.problem import Fit, Problem

__all__ = ["LABELS", "ROWS", "SAMPLES", "K", "data"]

AXES = {"m": 30, "n": 14, "k": 3, "r": 5, "c": 6, "l1": 3, "l2": 3}
# n − l + c rows of Z for those labels
AXES["p"] = 3 + 2

# Columns of the embedding where they are not k: images are encoded by matrices.
WIDTH = {"twodnmf": 9, "glram": 9, "nmsf": 18}
_GRAPH = {"neighbors": 5, "weights": "binary", "width": None}
# What a spec or a call means that leaves these out, `REQUIRED` where it cannot: with another value the same
# file would give other numbers.
SETTLED: dict[str, dict[str, Any]] = {
    "anp": {"lam": 1, "alpha": 1, "variant": "mm"},
    "cim_nmf": {"sigma": None},
    "gnmf": {"lam": 100, **_GRAPH},
    "kmeans": {"init": "random", "restarts": 1},
    "lds_nmf": {"lam": REQUIRED, "gamma": REQUIRED, "w_rule": "printed"},
    "nlcf": {"mu": 0.1},
    "nlcf_g": {"mu": 0.1, "lam": 1, **_GRAPH},
    "nmf": {"normalize": "unit"},
    "nmf_kl": {"normalize": "unit"},
    "nmf_ncw": {"normalize": "unit", "read": "weighted"},
    "nmf_sc": {"sparseness_u": None, "sparseness_v": None},
    "nnsc": {"lam": REQUIRED},
    "nsdr": {"lam": 1, "mu": 1, "xi": 10, "neighbors": 5, "variant": "mm"},
    "ntf": {"normalize": "unit"},
    "rica": {"lam": 0.1, "epsilon": 1e-5, "whiten": None},
    "semi_gnmf": {"lam": 100, **_GRAPH},
    "tnmf": {"lam": REQUIRED, "epsilon": 1e-5, "pooling": None},
    "twodnmf": {"power": 0.5, "projection": "printed"},
}
# What a method needs for objectives of its restarts to be comparable.
COMPARABLE: dict[str, dict[str, Any]] = {"cim_nmf": {"sigma": 0.3}}
NAMES = list(algorithms.registry())
ITERATIVE = [name for name in NAMES if issubclass(algorithms.get(name), algorithms.Iterative)]


def arguments(name: str, X: np.ndarray, **more: Any) -> dict[str, Any]:
    """Parameters, labels and image shape that a method cannot do without."""
    cls = algorithms.get(name)
    given: dict[str, Any] = dict(cls.example)
    if cls.needs_labels:
        given["labels"] = LABELS[: X.shape[1]]
    if cls.needs_image_shape:
        given["image_shape"] = (len(X) // COLUMNS, COLUMNS) if len(X) % COLUMNS == 0 else (2, len(X) // 2)
    if more.get("restarts", 1) > 1:
        given |= COMPARABLE.get(name, {})
    return given | more


def run(name: str, X: np.ndarray, k: int = K, **more: Any) -> Fit:
    """`factorize` with everything the method needs; 20 iterations unless said otherwise."""
    return factorize(X, name, k, **arguments(name, X, **{"max_iter": 20, **more}))


def method_and_problem(
    name: str, X: np.ndarray, k: int = K, **more: Any
) -> tuple[algorithms.Iterative, Problem]:
    """A configured iterative method and its problem."""
    given = arguments(name, X, **more)
    problem = Problem(X, k, given.pop("image_shape", None), given.pop("labels", None))
    method = algorithms.get(name)(**given)
    assert isinstance(method, algorithms.Iterative)
    return method, problem


def start(name: str, X: np.ndarray, k: int = K, seed: int = 0, restart: int = 0) -> dict[str, np.ndarray]:
    """The factors that a restart begins with."""
    method, problem = method_and_problem(name, X, k)
    return {factor: method.start(problem, factor, seed, restart) for factor in method.factors}


def options(name: str) -> dict[str, Any]:
    """The declared parameters of a method."""
    return options_of(algorithms.get(name))


def close(actual: np.ndarray, expected: np.ndarray, tolerance: float, what: str = "") -> None:
    """Equal to within a share of the largest entry."""
    np.testing.assert_allclose(
        actual, expected, rtol=0, atol=tolerance * np.abs(expected).max(), err_msg=what
    )


def same(fit: Fit, other: Fit, tolerance: float) -> None:
    """Equal factors, encodings and objective to within a share of their largest entries."""
    for factor, values in other.factors.items():
        close(fit.factors[factor], values, tolerance, factor)
    close(fit.objective, other.objective, tolerance, "objective")
    if other.embedding is not None:
        assert fit.embedding is not None
        close(fit.embedding, other.embedding, tolerance, "encodings")


def two_factors(stream: np.random.Generator, m: int, n: int, k: int) -> dict[str, np.ndarray]:
    """Positive factors to begin with: U (m × k) and V (n × k)."""
    return {"U": stream.random((m, k)) + 0.01, "V": stream.random((n, k)) + 0.01}


def images(X: np.ndarray) -> np.ndarray:
    """Columns of 30 pixels as images of 6 × 5."""
    return X.T.reshape(-1, 6, 5)
