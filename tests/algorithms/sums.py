"""The papers' sums of the methods on images, the robust and the regularised ones, written out entry by entry.

As in `literals`, whose `Literal` this fills: objective, and numerator and denominator of every update, share
nothing with the product.
"""

from __future__ import annotations

import math

import numpy as np
from literals import LITERALS, Literal, _filled, _product, nmf_objective, nmf_U, nmf_V

# TNMF


def tnmf_pooled(F, epsilon, H):
    S = F["S"]
    t = S.shape[1]
    return _filled(*S.shape, lambda j, l: math.sqrt(epsilon + sum(H[l][h] * S[j, h] ** 2 for h in range(t))))


def _renamed(F):
    return {"U": F["W"], "V": F["S"]}


def _weights(F, pooling):
    t = F["S"].shape[1]
    return [[1.0] * t for _ in range(t)] if pooling is None else pooling


def tnmf_objective(X, F, lam, epsilon=1e-5, pooling=None):
    P = tnmf_pooled(F, epsilon, _weights(F, pooling))
    return nmf_objective(X, _renamed(F)) + lam * sum(float(p) for p in P.ravel())


def tnmf_W(X, F, **_):
    return nmf_U(X, _renamed(F))


def tnmf_S(X, F, lam, epsilon=1e-5, pooling=None):
    H, S = _weights(F, pooling), F["S"]
    P = tnmf_pooled(F, epsilon, H)
    num, den = nmf_V(X, _renamed(F))
    t = S.shape[1]
    pull = _filled(*S.shape, lambda j, h: 0.5 * lam * S[j, h] * sum(H[l][h] / P[j, l] for l in range(t)))
    return num, den + pull


# ANP; inverses and determinants are NumPy's


def _gram(A, shift=0.0):
    k = A.shape[1]
    return _filled(
        k, k, lambda a, b: sum(A[i, a] * A[i, b] for i in range(len(A))) + (shift if a == b else 0)
    )


def anp_objective(X, F, lam=1.0, alpha=1.0, **_):
    P = np.linalg.inv(_gram(F["V"], alpha))
    return nmf_objective(X, F) + lam * sum(P[a, a] for a in range(len(P)))


def anp_V(X, F, lam=1.0, alpha=1.0, variant="mm"):
    V = F["V"]
    n, k = V.shape
    P = np.linalg.inv(_gram(V, alpha))
    num, den = nmf_V(X, F)
    if variant == "kkt":
        square = _filled(k, k, lambda a, b: sum(P[a, c] * P[c, b] for c in range(k)))
        for sign, part in ((1, num), (-1, den)):
            for j, b in np.ndindex(n, k):
                part[j, b] += lam * sum(V[j, a] * max(sign * square[a, b], 0) for a in range(k))
        return num, den
    B = _filled(n, k, lambda j, b: sum(V[j, a] * P[a, b] for a in range(k)))
    plus, minus = np.maximum(B, 0), np.maximum(-B, 0)

    def through(A, C):
        """A (Cᵀ V)."""
        return _filled(
            n,
            k,
            lambda j, b: sum(A[j, a] * sum(C[i, a] * V[i, b] for i in range(n)) for a in range(k)),
        )

    mu = lam / alpha
    num += mu * (plus + through(plus, minus) + through(minus, plus))
    den += mu * (minus + through(plus, plus) + through(minus, minus))
    return num, den


# NSDR, by the form of R that the product takes for fewer samples than features


def nsdr_matrix(X, lam, mu, neighbors):
    m, n = X.shape
    unit = _filled(m, n, lambda i, j: X[i, j] / math.sqrt(sum(X[l, j] ** 2 for l in range(m))))
    squared = _filled(n, n, lambda a, b: sum((unit[i, a] - unit[i, b]) ** 2 for i in range(m)))
    nearest = {
        a: sorted((b for b in range(n) if b != a), key=lambda b, a=a: squared[a, b])[:neighbors]
        for a in range(n)
    }
    pairs = [(a, b) for a in nearest for b in nearest[a]]
    width = sum(math.sqrt(squared[pair]) for pair in pairs) / len(pairs)
    W = np.zeros((n, n))
    for a, b in pairs:
        W[a, b] = W[b, a] = math.exp(-squared[a, b] / width**2)
    degree = [sum(W[a, b] for b in range(n)) for a in range(n)]
    laplacian = _filled(n, n, lambda a, b: (a == b) - W[a, b] / math.sqrt(degree[a]) / math.sqrt(degree[b]))
    H = _filled(n, n, lambda a, b: (a == b) - 1 / n)
    centred = unit @ H
    inner = np.linalg.inv(centred.T @ centred + mu * np.eye(n))
    return laplacian + lam * mu * H @ inner @ H


def nsdr_objective(X, F, lam=1.0, mu=1.0, xi=10.0, neighbors=5, **_):
    R, F = nsdr_matrix(X, lam, mu, neighbors), F["F"]
    n, k = F.shape
    trace = sum(F[a, c] * R[a, b] * F[b, c] for a in range(n) for b in range(n) for c in range(k))
    G = _gram(F)
    return trace + 0.5 * xi * sum((G[a, b] - (a == b)) ** 2 for a in range(k) for b in range(k))


def nsdr_F(X, F, lam=1.0, mu=1.0, xi=10.0, neighbors=5, variant="mm"):
    R, F = nsdr_matrix(X, lam, mu, neighbors), F["F"]
    n, k = F.shape
    G = _gram(F)

    def mixed(matrix):
        return _filled(n, k, lambda a, c: sum(matrix[a, b] * F[b, c] for b in range(n)))

    hold = _filled(n, k, lambda a, c: xi * sum(F[a, b] * G[b, c] for b in range(k)))
    if variant == "kkt":
        return xi * F, mixed(R) + hold
    return mixed(np.maximum(-R, 0)) + xi * F, mixed(np.maximum(R, 0)) + hold


# Images as matrices: X holds them as columns, row by row


def images(X, shape):
    r, c = shape
    return [[[X[i * c + j, n] for j in range(c)] for i in range(r)] for n in range(X.shape[1])]


def twodnmf_fit(F):
    U, V, D = F["U"], F["V"], F["D"]
    n, l1, l2 = D.shape
    return [
        [
            [sum(U[i, a] * D[s, a, b] * V[j, b] for a in range(l1) for b in range(l2)) for j in range(len(V))]
            for i in range(len(U))
        ]
        for s in range(n)
    ]


def nmsf_fit(F):
    U, V = F["U"], F["V"]
    n, l, c = V.shape
    return [
        [[sum(U[i, a] * V[s, a, j] for a in range(l)) for j in range(c)] for i in range(len(U))]
        for s in range(n)
    ]


def ntf_fit(F):
    U, V, W = F["U"], F["V"], F["W"]
    return [
        [
            [sum(W[s, a] * U[i, a] * V[j, a] for a in range(U.shape[1])) for j in range(len(V))]
            for i in range(len(U))
        ]
        for s in range(len(W))
    ]


# What an entry of a factor is multiplied by in the entry (image s, row i, column j) of the fit
SLOPES = {
    "twodnmf": {
        "U": lambda F, s, i, j, at: (
            (i == at[0]) * sum(F["V"][j, b] * F["D"][s, at[1], b] for b in range(F["V"].shape[1]))
        ),
        "V": lambda F, s, i, j, at: (
            (j == at[0]) * sum(F["U"][i, a] * F["D"][s, a, at[1]] for a in range(F["U"].shape[1]))
        ),
        "D": lambda F, s, i, j, at: (s == at[0]) * F["U"][i, at[1]] * F["V"][j, at[2]],
    },
    "nmsf": {
        "U": lambda F, s, i, j, at: (i == at[0]) * F["V"][s, at[1], j],
        "V": lambda F, s, i, j, at: (s == at[0]) * (j == at[2]) * F["U"][i, at[1]],
    },
    "ntf": {
        "U": lambda F, s, i, j, at: (i == at[0]) * F["V"][j, at[1]] * F["W"][s, at[1]],
        "V": lambda F, s, i, j, at: (j == at[0]) * F["U"][i, at[1]] * F["W"][s, at[1]],
        "W": lambda F, s, i, j, at: (s == at[0]) * F["U"][i, at[1]] * F["V"][j, at[1]],
    },
}
FITS = {"twodnmf": twodnmf_fit, "nmsf": nmsf_fit, "ntf": ntf_fit}


def image_literal(name, shape, half=False, power=1.0, parameters=None):
    """A squared error over images: num and den of an entry are Σ slope · data and Σ slope · fit."""

    def everywhere(X):
        return [(s, i, j) for s in range(X.shape[1]) for i in range(shape[0]) for j in range(shape[1])]

    def objective(X, F, **_):
        data, fit = images(X, shape), FITS[name](F)
        total = sum((data[s][i][j] - fit[s][i][j]) ** 2 for s, i, j in everywhere(X))
        return total / 2 if half else total

    def update(factor):
        def ratio(X, F, **_):
            fit = FITS[name](F)
            parts = np.zeros((2, *F[factor].shape))
            for at in np.ndindex(F[factor].shape):
                for s, i, j in everywhere(X):
                    slope = SLOPES[name][factor](F, s, i, j, at)
                    parts[(0, *at)] += slope * X[i * shape[1] + j, s]
                    parts[(1, *at)] += slope * fit[s][i][j]
            return parts[0], parts[1]

        return ratio

    factors = SLOPES[name]
    return Literal(
        objective,
        {factor: update(factor) for factor in factors},
        dict.fromkeys(factors, 1 if half else 2),
        parameters or {},
        power=dict.fromkeys(factors, power),
        image_shape=shape,
    )


# L21-NMF and LDS-NMF: H is r × n, and the weights D are those of the factors an iteration begins with, F["D"]


def lengths(X, W, H):
    m, n = X.shape
    r = W.shape[1]
    return [
        math.sqrt(sum((X[i, j] - sum(W[i, a] * H[a, j] for a in range(r))) ** 2 for i in range(m)))
        for j in range(n)
    ]


def lds_objective(X, F, lam=0.0, gamma=0.0, **_):
    W, H = F["W"], F["H"]
    total = sum(lengths(X, W, H)) + gamma * sum(float(h) for h in H.ravel())
    if lam == 0:
        return total
    G = _gram(W)
    trace = sum(G[a, a] for a in range(len(G)))
    return total + 0.5 * lam * (trace - math.log(np.linalg.det(G)) - len(G))


def lds_W(X, F, first, lam=0.0, w_rule="printed", **_):
    W, H = F["W"], F["H"]
    d = [1 / length for length in lengths(X, first["W"], first["H"])]
    m, n = X.shape
    r = W.shape[1]
    A = np.linalg.inv(_gram(W, 1e-10)) if lam else np.zeros((r, r))
    b = _filled(m, r, lambda i, a: sum(X[i, j] * d[j] * H[a, j] for j in range(n)))
    c = _filled(m, r, lambda i, a: lam * sum(W[i, l] * max(A[l, a], 0) for l in range(r)))
    den = _filled(
        m,
        r,
        lambda i, a: (
            sum(sum(W[i, l] * H[l, j] for l in range(r)) * d[j] * H[a, j] for j in range(n))
            + lam * W[i, a]
            + lam * sum(W[i, l] * max(-A[l, a], 0) for l in range(r))
        ),
    )
    if w_rule == "root":
        return b + np.sqrt(b * b + 4 * den * c), 2 * den
    return b + c, den


def lds_H(X, F, first, gamma=0.0, **_):
    W, H = F["W"], F["H"]
    d = [1 / length for length in lengths(X, first["W"], first["H"])]
    m, n = X.shape
    r = W.shape[1]
    return (
        _filled(r, n, lambda a, j: sum(W[i, a] * X[i, j] for i in range(m)) * d[j]),
        _filled(
            r,
            n,
            lambda a, j: (
                sum(W[i, a] * sum(W[i, l] * H[l, j] for l in range(r)) for i in range(m)) * d[j] + gamma
            ),
        ),
    )


def _as_lds(F):
    return None if F is None else {"W": F["F"], "H": F["G"]}


# CIM-NMF: the weights Q, too, are those of the factors an iteration begins with


def _errors(X, F):
    U, V = F["U"], F["V"]
    return _filled(*X.shape, lambda i, j: X[i, j] - _product(U, i, V, j))


def cim_width(X, F, sigma):
    """2σ²."""
    E = _errors(X, F)
    return sum(float(e) ** 2 for e in E.ravel()) / E.size if sigma is None else 2 * sigma**2


def cim_objective(X, F, sigma=None):
    width = cim_width(X, F, sigma)
    return sum(1 - math.exp(-(float(e) ** 2) / width) for e in _errors(X, F).ravel())


def _cim_ratio(X, F, first, sigma, transposed):
    E, width = _errors(X, first), cim_width(X, first, sigma)
    Q = _filled(*X.shape, lambda i, j: math.exp(-(E[i, j] ** 2) / width))
    U, V = F["U"], F["V"]
    fit = _filled(*X.shape, lambda i, j: _product(U, i, V, j))
    m, n = X.shape
    if transposed:
        return tuple(
            _filled(*V.shape, lambda j, a, Y=Y: sum(Q[i, j] * Y[i, j] * U[i, a] for i in range(m)))
            for Y in (X, fit)
        )
    return tuple(
        _filled(*U.shape, lambda i, a, Y=Y: sum(Q[i, j] * Y[i, j] * V[j, a] for j in range(n)))
        for Y in (X, fit)
    )


def cim_U(X, F, first, sigma=None):
    return _cim_ratio(X, F, first, sigma, transposed=False)


def cim_V(X, F, first, sigma=None):
    return _cim_ratio(X, F, first, sigma, transposed=True)


H3 = ((1.0, 0.5, 0.0), (0.2, 1.0, 0.0), (0.0, 0.7, 0.3))
_LDS = {"lam": 0.7, "gamma": 0.2}
_ANP = {"U": nmf_U, "V": anp_V}
_L21 = {
    "F": lambda X, F, first: lds_W(X, _as_lds(F), _as_lds(first)),
    "G": lambda X, F, first: lds_H(X, _as_lds(F), _as_lds(first)),
}

# By a label: the method, and its literal.
STEPS = {name: (name, literal) for name, literal in LITERALS.items()} | {
    "tnmf": ("tnmf", Literal(tnmf_objective, {"W": tnmf_W, "S": tnmf_S}, {"W": 2, "S": 2}, {"lam": 0.8})),
    "tnmf pooled": (
        "tnmf",
        Literal(tnmf_objective, {"W": tnmf_W, "S": tnmf_S}, {"W": 2, "S": 2}, {"lam": 0.8, "pooling": H3}),
    ),
    "anp": (
        "anp",
        Literal(anp_objective, _ANP, {"U": 2, "V": 2}, {"lam": 3.0, "alpha": 0.5}, power={"V": 0.5}),
    ),
    "anp kkt": ("anp", Literal(anp_objective, _ANP, {"U": 2, "V": 2}, {"lam": 3.0, "variant": "kkt"})),
    "nsdr": (
        "nsdr",
        Literal(nsdr_objective, {"F": nsdr_F}, {"F": 2}, {"lam": 0.6, "neighbors": 2}, power={"F": 0.25}),
    ),
    "nsdr split": (
        "nsdr",
        Literal(nsdr_objective, {"F": nsdr_F}, {"F": 2}, {"mu": 0.5, "neighbors": 2, "variant": "split"}),
    ),
    "twodnmf": ("twodnmf", image_literal("twodnmf", (3, 2), power=0.5)),
    "twodnmf without root": (
        "twodnmf",
        image_literal("twodnmf", (2, 3), parameters={"power": 1.0, "l1": 3, "l2": 1}),
    ),
    "nmsf": ("nmsf", image_literal("nmsf", (3, 2))),
    "ntf": ("ntf", image_literal("ntf", (3, 2), half=True)),
    "lds_nmf": ("lds_nmf", Literal(lds_objective, {"W": lds_W, "H": lds_H}, {"W": 1, "H": 1}, _LDS)),
    "lds_nmf root": (
        "lds_nmf",
        Literal(lds_objective, {"W": lds_W, "H": lds_H}, {"W": 1, "H": 1}, _LDS | {"w_rule": "root"}),
    ),
    "l21_nmf": ("l21_nmf", Literal(lambda X, F: lds_objective(X, _as_lds(F)), _L21, {"F": 1, "G": 1})),
    "cim_nmf": ("cim_nmf", Literal(cim_objective, {"U": cim_U, "V": cim_V}, {})),
    "cim_nmf fixed": (
        "cim_nmf",
        Literal(cim_objective, {"U": cim_U, "V": cim_V}, {"U": 1 / 0.09, "V": 1 / 0.09}, {"sigma": 0.3}),
    ),
}
