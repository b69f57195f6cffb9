"""The papers' sums, written out entry by entry: what one step of each multiplicative method is held against.

Nothing here is shared with the product, and nothing is quick.  A literal gives the objective and, for every
factor, numerator and denominator of its update (factor ← factor · num / den) with the constant c of the
gradient, c (den − num).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

Factors = dict[str, np.ndarray]
Ratio = tuple[np.ndarray, np.ndarray]


@dataclass(frozen=True)
class Literal:
    """One method: its objective and updates as sums over entries, and the arguments to call it with."""

    objective: Callable[..., float]
    updates: dict[str, Callable[..., Ratio]]
    gradient: dict[str, float]
    parameters: dict[str, Any] = field(default_factory=dict)
    labels: bool = False
    power: dict[str, float] = field(default_factory=dict)  # of the ratio, where it is not 1
    image_shape: tuple[int, int] | None = None


def _filled(rows: int, columns: int, entry: Callable[[int, int], float]) -> np.ndarray:
    return np.array([[entry(i, j) for j in range(columns)] for i in range(rows)])


def _ratio(rows: int, columns: int, num: Callable, den: Callable) -> Ratio:
    return _filled(rows, columns, num), _filled(rows, columns, den)


def _product(A: np.ndarray, i: int, B: np.ndarray, j: int) -> float:
    """Row i of A by row j of B."""
    return sum(A[i, l] * B[j, l] for l in range(A.shape[1]))


# NMF: V is n × k


def nmf_objective(X, F, **_):
    U, V = F["U"], F["V"]
    m, n = X.shape
    return sum((X[i, j] - _product(U, i, V, j)) ** 2 for i in range(m) for j in range(n))


def nmf_U(X, F, **_):
    U, V = F["U"], F["V"]
    n = X.shape[1]
    return _ratio(
        *U.shape,
        lambda i, k: sum(X[i, j] * V[j, k] for j in range(n)),
        lambda i, k: sum(_product(U, i, V, j) * V[j, k] for j in range(n)),
    )


def nmf_V(X, F, **_):
    U, V = F["U"], F["V"]
    m = X.shape[0]
    return _ratio(
        *V.shape,
        lambda j, k: sum(X[i, j] * U[i, k] for i in range(m)),
        lambda j, k: sum(_product(U, i, V, j) * U[i, k] for i in range(m)),
    )


# NMF with the Kullback–Leibler divergence


def kl_objective(X, F, **_):
    U, V = F["U"], F["V"]
    total = 0.0
    for i in range(X.shape[0]):
        for j in range(X.shape[1]):
            x, y = X[i, j], _product(U, i, V, j)
            total += (x * math.log(x / y) if x > 0 else 0.0) - x + y
    return total


def kl_U(X, F, **_):
    U, V = F["U"], F["V"]
    n = X.shape[1]
    return _ratio(
        *U.shape,
        lambda i, k: sum(X[i, j] / _product(U, i, V, j) * V[j, k] for j in range(n)),
        lambda i, k: sum(V[j, k] for j in range(n)),
    )


def kl_V(X, F, **_):
    U, V = F["U"], F["V"]
    m = X.shape[0]
    return _ratio(
        *V.shape,
        lambda j, k: sum(X[i, j] / _product(U, i, V, j) * U[i, k] for i in range(m)),
        lambda j, k: sum(U[i, k] for i in range(m)),
    )


# NMF with the weights of normalised cuts; F["V"] is V′, whose row j is that of V over √d_j


def ncw_weights(X):
    m, n = X.shape
    return [sum(X[i, j] * X[i, l] for l in range(n) for i in range(m)) for j in range(n)]


def ncw_objective(X, F, **_):
    U, V = F["U"], F["V"]
    d = ncw_weights(X)
    m, n = X.shape
    return sum(
        (X[i, j] - math.sqrt(d[j]) * _product(U, i, V, j)) ** 2 / d[j] for i in range(m) for j in range(n)
    )


def _weighted(X):
    d = ncw_weights(X)
    return _filled(*X.shape, lambda i, j: X[i, j] / math.sqrt(d[j]))


# NLCF: V is k × n


def _transposed(F):
    return {"U": F["U"], "V": F["V"].T}


def _distance(X, U, j, k):
    return sum((U[i, k] - X[i, j]) ** 2 for i in range(X.shape[0]))


def nlcf_objective(X, F, mu, **_):
    U, V = F["U"], F["V"]
    k, n = V.shape
    penalty = sum(V[l, j] * _distance(X, U, j, l) for l in range(k) for j in range(n))
    return nmf_objective(X, _transposed(F)) + mu * penalty


def nlcf_U(X, F, mu, **_):
    U, V = F["U"], F["V"]
    num, den = nmf_U(X, _transposed(F))
    h = [sum(V[l, j] for j in range(V.shape[1])) for l in range(V.shape[0])]
    return (mu + 1) * num, den + _filled(*U.shape, lambda i, l: mu * U[i, l] * h[l])


def nlcf_V(X, F, mu, **_):
    U, V = F["U"], F["V"]
    m = X.shape[0]
    num, den = nmf_V(X, _transposed(F))
    lengths = _filled(
        *V.shape, lambda l, j: sum(X[i, j] ** 2 for i in range(m)) + sum(U[i, l] ** 2 for i in range(m))
    )
    return 2 * (mu + 1) * num.T, 2 * den.T + mu * lengths


# The graph of nearest neighbours with 0-1 weights, and the methods on it


def graph(X, neighbors):
    n = X.shape[1]
    W = np.zeros((n, n))
    for a in range(n):
        others = sorted(
            (sum((X[i, a] - X[i, b]) ** 2 for i in range(X.shape[0])), b) for b in range(n) if b != a
        )
        for _, b in others[:neighbors]:
            W[a, b] = W[b, a] = 1.0
    return W


def labelled_graph(X, neighbors, labels):
    W = graph(X, neighbors)
    for a in range(len(labels)):
        for b in range(len(labels)):
            if labels[a] >= 0 and labels[b] >= 0:
                W[a, b] = 1.0 if labels[a] == labels[b] and a != b else 0.0
    return W


def roughness(W, V):
    n = len(W)
    return 0.5 * sum(
        W[a, b] * sum((V[a, l] - V[b, l]) ** 2 for l in range(V.shape[1])) for a in range(n) for b in range(n)
    )


def _graph_terms(W, V):
    n = len(W)
    return (
        _filled(*V.shape, lambda a, l: sum(W[a, b] * V[b, l] for b in range(n))),
        _filled(*V.shape, lambda a, l: sum(W[a, b] for b in range(n)) * V[a, l]),
    )


def nlcf_g_objective(X, F, mu, lam, neighbors, **_):
    return nlcf_objective(X, F, mu) + lam * roughness(graph(X, neighbors), F["V"].T)


def nlcf_g_V(X, F, mu, lam, neighbors, **_):
    num, den = nlcf_V(X, F, mu)
    pull, hold = _graph_terms(graph(X, neighbors), F["V"].T)
    return num + 2 * lam * pull.T, den + 2 * lam * hold.T


def _edges(X, neighbors, labels):
    return graph(X, neighbors) if labels is None else labelled_graph(X, neighbors, labels)


def gnmf_objective(X, F, lam, neighbors, labels=None):
    return nmf_objective(X, F) + lam * roughness(_edges(X, neighbors, labels), F["V"])


def gnmf_V(X, F, lam, neighbors, labels=None):
    num, den = nmf_V(X, F)
    pull, hold = _graph_terms(_edges(X, neighbors, labels), F["V"])
    return num + lam * pull, den + lam * hold


# Labels as constraints: V = AZ with A written out


def assignment(labels):
    classes = sorted({code for code in labels if code >= 0})
    free = [j for j, code in enumerate(labels) if code < 0]
    A = np.zeros((len(labels), len(classes) + len(free)))
    for j, code in enumerate(labels):
        A[j, classes.index(code) if code >= 0 else len(classes) + free.index(j)] = 1.0
    return A


def _gathered(F, labels):
    A = assignment(labels)
    p, k = F["Z"].shape
    V = _filled(len(labels), k, lambda j, l: sum(A[j, q] * F["Z"][q, l] for q in range(p)))
    return A, {"U": F["U"], "V": V}


def _merged(A, ratio):
    """Aᵀ times numerator and denominator."""
    n, p = A.shape
    return tuple(
        _filled(p, part.shape[1], lambda q, l, part=part: sum(A[j, q] * part[j, l] for j in range(n)))
        for part in ratio
    )


def _constrained(objective, move_U, move_V):
    """A method's sums with V = AZ in them; the gradient in Z is Aᵀ times that in V."""
    return (
        lambda X, F, labels: objective(X, _gathered(F, labels)[1]),
        {
            "U": lambda X, F, labels: move_U(X, _gathered(F, labels)[1]),
            "Z": lambda X, F, labels: _merged(_gathered(F, labels)[0], move_V(X, _gathered(F, labels)[1])),
        },
    )


# Concept factorization


def _concepts(X, F):
    n = X.shape[1]
    W = F["Wc"]
    basis = _filled(X.shape[0], W.shape[1], lambda i, l: sum(X[i, j] * W[j, l] for j in range(n)))
    return {"U": basis, "V": F["V"]}


def cf_objective(X, F, **_):
    return nmf_objective(X, _concepts(X, F))


def cf_Wc(X, F, **_):
    """Xᵀ times numerator and denominator of NMF's U."""
    m, n = X.shape
    return tuple(
        _filled(n, part.shape[1], lambda j, l, part=part: sum(X[i, j] * part[i, l] for i in range(m)))
        for part in nmf_U(X, _concepts(X, F))
    )


_GRAPH = {"lam": 0.7, "neighbors": 2}
_CNMF, _CNMF_UPDATES = _constrained(nmf_objective, nmf_U, nmf_V)
_CNMF_KL, _CNMF_KL_UPDATES = _constrained(kl_objective, kl_U, kl_V)

LITERALS = {
    "nmf": Literal(nmf_objective, {"U": nmf_U, "V": nmf_V}, {"U": 2, "V": 2}),
    "nmf_kl": Literal(kl_objective, {"U": kl_U, "V": kl_V}, {"U": 1, "V": 1}),
    "nmf_ncw": Literal(
        ncw_objective,
        {"U": lambda X, F: nmf_U(_weighted(X), F), "V": lambda X, F: nmf_V(_weighted(X), F)},
        {"U": 2, "V": 2},
    ),
    "nlcf": Literal(nlcf_objective, {"U": nlcf_U, "V": nlcf_V}, {"U": 2, "V": 1}, {"mu": 0.4}),
    "nlcf_g": Literal(
        nlcf_g_objective, {"U": nlcf_U, "V": nlcf_g_V}, {"U": 2, "V": 1}, {"mu": 0.4, **_GRAPH}
    ),
    "gnmf": Literal(gnmf_objective, {"U": nmf_U, "V": gnmf_V}, {"U": 2, "V": 2}, _GRAPH),
    "semi_gnmf": Literal(gnmf_objective, {"U": nmf_U, "V": gnmf_V}, {"U": 2, "V": 2}, _GRAPH, labels=True),
    "cnmf": Literal(_CNMF, _CNMF_UPDATES, {"U": 2, "Z": 2}, labels=True),
    "cnmf_kl": Literal(_CNMF_KL, _CNMF_KL_UPDATES, {"U": 1, "Z": 1}, labels=True),
    "cf": Literal(
        cf_objective, {"Wc": cf_Wc, "V": lambda X, F: nmf_V(X, _concepts(X, F))}, {"Wc": 2, "V": 2}
    ),
}
