"""The plain tier is the paper's code; the stacked tier, where there is one, is the same to rounding."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from contract import ITERATIVE, data, method_and_problem, same

from nmfrepro import algorithms, factorize
from nmfrepro.algorithms.nmf import NMF
from nmfrepro.core.errors import FitError, SpecError
from nmfrepro.core.problem import FitSettings, Problem
from nmfrepro.factorization import fit, fit_each
from nmfrepro.method import Direct, FreeScale, TwoFactor, ratio

# Parameters that choose another update.
VARIANTS = {
    "anp": [{"variant": "kkt"}, {"unit_columns": True}],
    "cim_nmf": [{"sigma": 0.3}],
    "gnmf": [{"weights": "heat"}],
    "lds_nmf": [{"w_rule": "safeguard", "lam": 20.0}, {"w_rule": "root"}],
    "nmf_ncw": [{"read": "plain"}],
    "nmf_sc": [{"sparseness_u": 0.6}, {"sparseness_u": "balanced", "sparseness_v": None}],
    "nsdr": [{"variant": "split"}, {"variant": "kkt", "xi": 1e8}],
    "tnmf": [{"pooling": ((1.0, 0.5, 0.0), (0.2, 1.0, 0.0), (0.0, 0.7, 0.3))}, {"unit_columns": True}],
    "twodnmf": [{"power": 1.0}],
}
CASES = [
    (name, more)
    for name in ITERATIVE
    if algorithms.get(name).stacked
    for more in ({}, *VARIANTS.get(name, ()))
]


@pytest.mark.parametrize(("name", "more"), CASES, ids=str)
@pytest.mark.parametrize("iterations", [1, 12])
def test_the_stacked_tier_is_the_plain_one(name, more, iterations):
    method, problem = method_and_problem(name, data(), **more)

    class Plain(type(method)):
        stacked = False

    settings = FitSettings(max_iter=iterations, trace_every=1)
    fast, plain = (fit(each, problem, settings, 7) for each in (method, Plain(**method.parameters)))
    same(fast, plain, 1e-12)
    np.testing.assert_allclose(fast.objective, plain.objective, rtol=1e-12)


@pytest.mark.parametrize(("name", "more"), CASES, ids=str)
def test_the_stacked_tier_is_the_plain_one_where_a_component_is_zero(name, more):
    method, problem = method_and_problem(name, data(), **more)

    class Plain(type(method)):
        stacked = False

    settings = FitSettings(max_iter=3)
    for factor, axes in method.factors.items():
        init = {each: method.start(problem, each, 7, 0).copy() for each in method.factors}
        np.moveaxis(init[factor], -1 if "k" not in axes else axes.index("k"), 0)[1] = 0
        fast, plain = (fit(each, problem, settings, 7, init) for each in (method, Plain(**method.parameters)))
        same(fast, plain, 1e-12)


@pytest.mark.parametrize(("name", "more"), CASES, ids=str)
def test_the_stacked_tier_computes_on_what_is_given(name, more):
    """Data, graph, pooling weights and matrix of another `given` reach both tiers alike."""
    method, problem = method_and_problem(name, data(), **more)
    inherited = type(method).given
    # H of ones is never formed: there pooling says it.
    changed = {"X", "W", "R", *(["H"] if "pooling" in more else [])}

    def given(self, problem):
        found = inherited(self, problem)
        return found | {each: 1.5 * found[each] for each in changed & found.keys()}

    settings = FitSettings(max_iter=5)
    fast, plain = (
        fit(
            type("Own", (type(method),), {"given": given, "stacked": stacked})(**method.parameters),
            problem,
            settings,
            7,
        )
        for stacked in (True, False)
    )
    same(fast, plain, 1e-12)


class Bare(TwoFactor):
    """NumPy and nothing else, in place."""

    name = "bare"

    def update(self, X, U, V):
        U *= (X @ V) / (U @ (V.T @ V))
        V *= (X.T @ U) / (V @ (U.T @ U))
        return U, V

    def objective(self, X, U, V):
        return np.sum((X - U @ V.T) ** 2)


class Remembering(Bare):
    """Counts its iterations."""

    def given(self, problem):
        return {"X": problem.X, "count": 0}

    def update(self, X, count, U, V):
        return U * (count + 1), V, {"count": count + 1}

    def objective(self, X, count, U, V):
        return count


class Changed(NMF):
    """NMF's stacked tier would compute something else."""

    name = "changed"

    def update(self, X, U, V):
        return U, V


class Short(Bare):
    """Forgets a factor."""

    def update(self, X, U, V):
        return U


@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_a_plain_method_needs_numpy_alone_and_runs_its_restarts_as_the_stack_does(dtype):
    X = data().astype(dtype)
    settings = FitSettings(restarts=4, max_iter=120, tol=1e-6, dtype=dtype)
    plain, fast = (fit(method, Problem(X, 3), settings, 5) for method in (Bare(), NMF()))
    assert not Bare.stacked
    assert (plain.restart, plain.n_iter, plain.converged) == (fast.restart, fast.n_iter, fast.converged)
    assert plain.embedding.dtype == dtype
    np.testing.assert_allclose(
        plain.embedding, fast.embedding, rtol=0, atol=2e-3 if dtype == "float32" else 1e-10
    )
    np.testing.assert_allclose(plain.objective, fast.objective, rtol=1e-4 if dtype == "float32" else 1e-10)


@pytest.mark.parametrize(
    ("value", "told"),
    [(np.ones((2, 1)), r"of shape \(2, 1\)"), (None, "None"), (1j, "1j"), ("low", "'low'"), ({}, "{}")],
)
def test_an_objective_is_one_real_number(monkeypatch, value, told):
    monkeypatch.setattr(Bare, "objective", lambda self, X, U, V: value)
    with pytest.raises(FitError, match=f"bare: objective must return one real number, not {told}"):
        fit(Bare(), Problem(data(), 3), FitSettings(max_iter=3), 0)


@pytest.mark.parametrize("value", [None, 5, np.ones(3), ["X"]])
def test_what_is_given_is_a_dict(monkeypatch, value):
    monkeypatch.setattr(Bare, "given", lambda self, problem: value)
    told = rf"bare: given must return a dict of .* as \{{'X': problem.X\}}, not {type(value).__name__}"
    with pytest.raises(FitError, match=told):
        fit(Bare(), Problem(data(), 3), FitSettings(max_iter=3), 0)


@pytest.mark.parametrize("init", [None, {"U": np.ones((30, 3)), "V": np.ones((14, 3))}])
def test_axes_of_factors_have_a_length(monkeypatch, init):
    monkeypatch.setattr(Bare, "factors", {"U": ("m", "k"), "V": ("n", "q")})
    with pytest.raises(
        SpecError, match="bare: factors has V with an axis q, and dimensions has m, n, k: name"
    ):
        fit(Bare(), Problem(data(), 3), FitSettings(max_iter=3), 0, init)


def scaled(self, factors, problem):
    factors["V"] /= 2
    return factors["V"]


@pytest.mark.parametrize(
    ("reading", "in_place"),
    [
        ("objective", lambda self, X, U, V: np.add(V, 1, out=V).sum()),
        ("embedding", scaled),
        ("labels", scaled),
        ("notes", scaled),
    ],
)
def test_what_reads_the_factors_cannot_change_them(monkeypatch, reading, in_place):
    """An objective in place would end elsewhere with every `trace_every`, a reading at other factors."""
    monkeypatch.setattr(Bare, reading, in_place)
    with pytest.raises(ValueError, match="read-only"):
        fit(Bare(), Problem(data(), 3), FitSettings(max_iter=3), 0)


def test_encodings_are_no_factor_themselves():
    found = fit(NMF(normalize="none"), Problem(data(), 3), FitSettings(max_iter=3), 0)
    before = found.factors["V"].copy()
    found.embedding[:] = 0
    np.testing.assert_array_equal(found.factors["V"], before)


def test_a_quotient_of_zeros_is_told():
    X = data()
    X[4] = 0
    with pytest.raises(
        FitError, match=r"bare: no restart ended with finite .* use ratio of nmfrepro\.method"
    ):
        fit(Bare(), Problem(X, 3), FitSettings(max_iter=3), 0)
    assert np.all(ratio(np.ones(3), np.array([2, 0, 4.0])) == [0.5, 0, 0.25])


def test_what_a_class_writes_anew_is_what_runs():
    found = fit(Changed(), Problem(data(), 3), FitSettings(max_iter=3), 0)
    start = {name: Changed().start(Problem(data(), 3), name, 0, 0) for name in "UV"}
    np.testing.assert_array_equal(found.factors["U"], start["U"])
    assert "order" not in Changed.fit_settings


def doubled(method, problem):
    return {"X": 2 * problem.X}


class Mixin:
    given = doubled


class Given(NMF):
    given = doubled


class Mixed(Mixin, NMF):
    pass


class WithReading(FreeScale, Given):
    pass


class Weighted(Bare):
    """A helper whose name begins as a move's does is none."""

    def update_weighted(self, X, W, U, V):
        return U, V


@pytest.mark.parametrize("cls", [Given, Mixed, WithReading])
@pytest.mark.parametrize("restarts", [1, 3])
def test_data_given_anew_is_what_is_factorized(cls, restarts):
    X = data()
    found, wanted = (
        factorize(each, method, 3, restarts=restarts, max_iter=5)
        for each, method in ((X, cls), (2 * X, Bare))
    )
    for factor, values in wanted.factors.items():
        np.testing.assert_allclose(found.factors[factor], values, rtol=1e-12)
    assert not any("fast" in note for note in factorize(X, cls, 3).notes)


def test_every_method_computes_on_what_it_is_given():
    """Whatever `given` is overridden with, no stacked tier of ours goes on with the problem's own."""
    for name in ITERATIVE:
        method, problem = method_and_problem(name, data())
        asked, inherited = [], type(method).given

        def given(self, problem, asked=asked, inherited=inherited):
            asked.append(problem)
            return inherited(self, problem)

        own = type("Own", (type(method),), {"given": given})
        assert not own.stacked
        fit(own(**method.parameters), problem, FitSettings(max_iter=1), 0)
        assert asked


def test_a_helper_is_no_stacked_tier():
    assert not Weighted.stacked


@pytest.mark.parametrize(
    ("base", "written", "said"),
    [
        (NMF, ["objective", "update_V"], "update_V"),
        (NMF, ["update", "objectives"], "objectives"),
        (NMF, ["given", "end_pass"], "end_pass"),
        (NMF, ["given", "prepare"], "prepare"),
        (Bare, ["update_V", "objectives"], "objectives, update_V"),
        (Bare, ["end_pass"], "end_pass"),
        (NMF, ["update_V"], None),
        (NMF, ["end_pass", "lost"], None),
    ],
)
def test_half_a_stacked_tier_is_refused_unless_it_is_said_to_be_whole(base, written, said):
    content = {name: lambda *arguments: None for name in written}
    if said is None:
        assert type("Own", (base,), content).stacked
        return
    with pytest.raises(SpecError, match=f"Own writes {said} of the stacked tier: say stacked = True"):
        type("Own", (base,), content)
    assert type("Own", (base,), content | {"stacked": True}).stacked
    assert not type("Own", (base,), content | {"stacked": False}).stacked


class StackedAgain(Bare):
    """NMF's updates, written for a stack."""

    name = "stacked_again"
    stacked = True
    update_U, update_V, objectives = NMF.update_U, NMF.update_V, NMF.objectives


def test_what_moves_a_method_is_in_its_fit_settings():
    """Trial keys hold those alone: a stacked class on a plain one is run in another order for another key."""
    assert StackedAgain.fit_settings == NMF.fit_settings
    few = type("Few", (NMF,), {"fit_settings": ("max_iter", "order", "dtype")})
    plain = type("Plain", (few,), {"update": Bare.update})
    assert plain.fit_settings == ("max_iter", "dtype")
    assert type("Own", (plain,), {"stacked": True}).fit_settings == few.fit_settings
    X, settings = data(), FitSettings(max_iter=5)
    first, second = (
        fit(StackedAgain(), Problem(X, 3), replace(settings, order=order), 0).factors["U"]
        for order in ("UV", "VU")
    )
    assert not np.array_equal(first, second)


@pytest.mark.parametrize("name", ITERATIVE)
def test_settings_that_are_in_no_key_decide_nothing(name):
    method, problem = method_and_problem(name, data())
    usual = FitSettings(max_iter=3)
    unusual = {"restarts": 3, "order": "VU", "inner": {"no factor": 2}, "solver": "fast"}
    idle = {key: value for key, value in unusual.items() if key not in type(method).fit_settings}
    for one in (fit, lambda *arguments: fit_each([method], *arguments[1:])[0]):
        first, second = (one(method, problem, each, 0) for each in (usual, replace(usual, **idle)))
        for factor, values in first.factors.items():
            np.testing.assert_array_equal(second.factors[factor], values, err_msg=factor)
        np.testing.assert_array_equal(second.objective, first.objective)


class Complex(Bare):
    """Answers as a decomposition of a matrix that is not symmetric may."""

    def update(self, X, U, V):
        return U + 1j, V


def test_an_imaginary_part_is_never_cut_off():
    with pytest.raises(FitError, match=r"bare: update returns complex numbers in U; take \.real"):
        fit(Complex(), Problem(data(), 3), FitSettings(max_iter=3), 0)


@pytest.mark.parametrize("restarts", [1, 2])
def test_what_an_update_remembers_is_what_it_returned(restarts):
    settings = FitSettings(restarts=restarts, max_iter=4, trace_every=1)
    found = fit(Remembering(), Problem(data(), 3), settings, 0)
    np.testing.assert_array_equal(found.objective, [0, 1, 2, 3, 4])  # of every restart: the first is kept
    start = Remembering().start(Problem(data(), 3), "U", 0, 0)
    np.testing.assert_allclose(found.factors["U"], 24 * start)


def test_an_update_returns_its_factors():
    with pytest.raises(FitError, match=r"bare: update must return U, V of shapes"):
        fit(Short(), Problem(data(), 3), FitSettings(max_iter=3), 0)


@pytest.mark.parametrize(
    ("written", "strange"),
    [
        ({"factors": {"W": ("m", "k"), "V": ("n", "k")}}, "U"),
        ({"roles": {"U": "basis", "H": "encodings"}}, "H"),
    ],
)
def test_roles_that_name_no_factor_are_refused_where_the_class_is_made(written, strange):
    with pytest.raises(SpecError, match=f"Own: factors are ., V, and roles or basis name {strange}; set all"):
        type("Own", (TwoFactor,), written)


@pytest.mark.parametrize("base", [TwoFactor, Direct])
@pytest.mark.parametrize("axes", [("n", "k"), ("k", "m"), ("m", "k", "l"), ("m",)])
def test_a_basis_that_new_samples_cannot_be_coded_on_is_refused_where_the_class_is_made(base, axes):
    """It would fail in the middle of a run, and where m = n by chance not at all."""
    written = {"factors": {"W": axes, "V": ("n", "k")}, "roles": {"W": "basis", "V": "encodings"}}
    with pytest.raises(SpecError, match=r"Own: new samples cannot be coded on W \(.*\), only on a f"):
        type("Own", (base,), written | {"basis": "W"})
    type("Own", (base,), written | {"basis": None})
    type("Own", (base,), written | {"basis": "W", "project": lambda *given: np.ones((3, 3))})


THREE = {"factors": {"U": ("m", "k"), "S": ("k", "k"), "V": ("n", "k")}}
ROLES = {"U": "basis", "S": "core", "V": "encodings"}


def test_a_reading_that_there_is_not_is_refused_where_the_class_is_made():
    with pytest.raises(SpecError, match="Own: normalize must be unit or none, not l1"):
        type("Own", (TwoFactor,), {"normalize": "l1"})


def test_factors_without_a_role_and_roles_without_encodings_are_refused_where_the_class_is_made():
    with pytest.raises(SpecError, match="Own: S has no role"):
        type("Own", (TwoFactor,), THREE)
    with pytest.raises(SpecError, match="Own: no factor with an axis n has the role encodings"):
        type("Own", (TwoFactor,), THREE | {"roles": ROLES | {"V": "samples"}})
    type("Own", (TwoFactor,), THREE | {"roles": {"V": "encodings"}, "start": lambda *given: np.ones((3, 3))})


@pytest.mark.parametrize(
    ("factors", "why"),
    [
        (THREE["factors"], r"S \(k × k\)"),
        ({"U": ("m", "h"), "S": ("h", "k"), "V": ("n", "k")}, r"U \(m × h\)"),
    ],
)
def test_unit_columns_are_those_of_one_product_or_refused(factors, why):
    own = type("Own", (TwoFactor,), {"name": "own", "factors": factors, "roles": ROLES})
    values = {name: np.ones((3, 3)) for name in factors}
    with pytest.raises(
        SpecError, match=f"own: unit columns of {why} do not say how to scale V; set normalize"
    ):
        own().embedding(values, Problem(np.ones((3, 3)), 3))
    plain = type("Own", (own,), {"normalize": "none"})
    np.testing.assert_array_equal(plain().embedding(values, Problem(np.ones((3, 3)), 3)), values["V"])
