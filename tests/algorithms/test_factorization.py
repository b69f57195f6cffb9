"""What `factorize` takes, what it refuses before it starts, and what it answers."""

from __future__ import annotations

import inspect
import pickle
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.sparse
from sklearn import cluster
from threadpoolctl import threadpool_info, threadpool_limits

from nmfrepro import estimators, factorize, kkt_residual, load_dataset
from nmfrepro.algorithms import get, registry
from nmfrepro.algorithms.engine.base import Algorithm
from nmfrepro.algorithms.engine.plain import Factors
from nmfrepro.algorithms.kmeans import KMeans
from nmfrepro.algorithms.nlcf import NLCF
from nmfrepro.core import seeds, threads
from nmfrepro.core.errors import DataError, FitError, Setting, SpecError
from nmfrepro.core.options import option, options_of
from nmfrepro.core.problem import Fit, Problem
from nmfrepro.method import Array, TwoFactor
from nmfrepro.spec.mappings import tree_of

X = np.arange(12.0).reshape(4, 3)


@pytest.mark.parametrize("name", ["nmf", "twodnmf"])
def test_images_are_taken_as_they_are_read_from_a_file(name: str, tmp_path: Path) -> None:
    images = np.random.default_rng(0).random((7, 4, 3))
    fit = factorize(images, name, 2, max_iter=3)
    flat = factorize(images.reshape(7, 12).T, name, 2, max_iter=3, image_shape=(4, 3))
    np.save(tmp_path / "X.npy", images)
    data = load_dataset(tmp_path / "X.npy", scale="none")
    read = factorize(data.X.T, name, 2, max_iter=3, image_shape=data.image_shape)
    for factor, values in fit.factors.items():
        np.testing.assert_array_equal(values, flat.factors[factor])
        np.testing.assert_array_equal(values, read.factors[factor])
    with pytest.raises(SpecError, match=r"image_shape is \(3, 4\), but the images of X are \(4, 3\)"):
        factorize(images, name, 2, image_shape=(3, 4))


@pytest.mark.parametrize("shape", [(4,), (2, 2, 2, 2), (0, 3), (0, 3, 3)])
def test_what_has_another_number_of_axes_is_refused(shape: tuple[int, ...]) -> None:
    with pytest.raises(DataError, match=r"X must be a matrix, .* or images \(samples, rows, columns\), not"):
        factorize(np.ones(shape), "nmf", 2)


@pytest.mark.parametrize("matrix", [X + 1j, np.ma.masked_greater(X, 9)], ids=["complex", "masked"])
def test_what_numpy_would_drop_in_silence_is_refused(matrix: np.ndarray) -> None:
    with pytest.raises(DataError, match="neither complex nor masked"):
        factorize(matrix, "nmf", 2, max_iter=2)


U = np.ones((3, 2))
PARTS = {"factors": {"U": U}, "embedding": U, "objective": np.ones(1)}


@pytest.mark.parametrize(
    ("answer", "why"),
    [
        (
            (U, U),
            r"kmeans: fit must return a Fit\(factors, encodings, objective=…\) of nmfrepro.method, not tuple",
        ),
        (PARTS | {"embedding": None}, "kmeans: there are neither encodings nor labels"),
        (PARTS | {"factors": [U, U]}, "factors must be a dict of arrays, not list"),
        (PARTS | {"objective": 0.5}, r"objective must be a vector, not float of shape \(\)"),
        (PARTS | {"embedding": U[:, 0]}, r"embedding must be a matrix, not ndarray of shape \(3,\)"),
        (PARTS | {"embedding": scipy.sparse.csr_matrix(U)}, "embedding must be a matrix, not csr_matrix"),
        (PARTS | {"labels": U}, r"labels must be a vector, not ndarray of shape \(3, 2\)"),
    ],
)
def test_what_is_no_fit_is_told_in_words(monkeypatch: pytest.MonkeyPatch, answer: Any, why: str) -> None:
    made = (lambda *given: Fit(**answer)) if isinstance(answer, dict) else (lambda *given: answer)
    monkeypatch.setattr(KMeans, "fit", made)
    with pytest.raises(FitError, match=why):
        factorize(X, "kmeans", 2)


def test_a_fit_may_hold_lists_and_a_single_note() -> None:
    fit = Fit({"U": [[1.0]]}, [[1.0]], [0], [2.0], notes="one")  # type: ignore[arg-type, dict-item]
    assert [each.shape for each in (fit.factors["U"], fit.embedding, fit.labels, fit.objective)] == [
        (1, 1),
        (1, 1),
        (1,),
        (1,),
    ]
    assert fit.notes == ("one",)


def test_complex_encodings_are_no_result(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(get("nmf"), "embedding", lambda method, factors, problem: 1j * factors["V"])
    with pytest.raises(FitError, match="the encodings are complex"):
        factorize(X, "nmf", 2, max_iter=2)


def test_whole_numbers_of_any_type_are_one_seed() -> None:
    first = factorize(X, "nmf", 2, seed=1, max_iter=3).factors["U"]
    for seed in (np.int64(1), np.uint8(1), np.intp(1)):
        np.testing.assert_array_equal(factorize(X, "nmf", 2, seed=seed, max_iter=3).factors["U"], first)
    assert seeds.derive("draw", np.int32(5)) == seeds.derive("draw", 5) != seeds.derive("draw", "5")


@pytest.mark.parametrize("seed", ["1", True, np.True_, 1.0, 1.5, None, np.array([1]), -1])
def test_what_is_no_whole_number_is_no_seed(seed: object) -> None:
    with pytest.raises(SpecError, match="seed must be a whole number >= 0, not"):
        factorize(X, "nmf", 2, seed=seed, max_iter=3)  # type: ignore[arg-type]


@pytest.mark.parametrize(("theirs", "ours"), [("n_components", "k"), ("random_state", "seed")])
def test_names_of_scikit_learn_are_answered_with_ours(theirs: str, ours: str) -> None:
    with pytest.raises(SpecError, match=f"^factorize calls {theirs} {ours}$"):
        factorize(X, "nmf", 2, **{theirs: 5})  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("wrong", "closest"),
    [("maxiter", "max_iter"), ("n_iter", "max_iter"), ("label", "labels"), ("jobs", "")],
)
def test_a_name_that_is_no_argument_is_answered_with_those_that_are(wrong: str, closest: str) -> None:
    with pytest.raises(SpecError, match=f"^algorithm nmf has no parameter '{wrong}'; ") as refused:
        factorize(X, "nmf", 2, **{wrong: 5})  # type: ignore[arg-type]
    arguments = inspect.signature(factorize).parameters.values()
    by_name = [each.name for each in arguments if each.kind is each.KEYWORD_ONLY]
    hint, allowed = str(refused.value).split("allowed: ")
    assert sorted(allowed.split(", ")) == sorted(["normalize", *by_name])
    assert closest in hint
    with pytest.raises(SpecError, match=r"allowed: normalize, labels, image_shape$"):
        kkt_residual(X, "nmf", {}, **{wrong: 5})  # type: ignore[arg-type]


def test_settings_are_refused_in_our_words_before_numpy_meets_them() -> None:
    with pytest.raises(SpecError, match="dtype must be 'float64' or 'float32', not 'int'"):
        factorize(X, "nmf", 2, dtype="int")


@pytest.mark.parametrize(
    "shape", [4, "2x2", "22", (2, 2, 1), (2.0, 2.0), (True, 4), (-2, -2), (0, 4), (None, 4), [[1, 2], [1]]]
)
@pytest.mark.parametrize("name", ["twodnmf", "nmf"])
def test_an_image_has_two_sides(name: str, shape: object) -> None:
    with pytest.raises(SpecError, match=r"image_shape must be \(rows, columns\), two whole numbers >= 1"):
        factorize(X, name, 2, image_shape=shape)  # type: ignore[arg-type]


@pytest.mark.parametrize("shape", [(2, 2), [2, 2], np.array([2, 2]), (np.int64(2), 2)])
def test_sides_are_whole_numbers_of_any_type(shape: object) -> None:
    assert factorize(X, "twodnmf", 2, image_shape=shape, max_iter=2).n_iter == 2  # type: ignore[arg-type]


@pytest.mark.parametrize("wrong", [True, 0, -1, 1.0, "2", None])
def test_counts_of_updates_are_whole_numbers(wrong: object) -> None:
    with pytest.raises(SpecError, match="inner U must be a whole number >= 1, not"):
        factorize(X, "nmf", 2, inner={"U": wrong}, max_iter=2)  # type: ignore[dict-item]


def test_counts_of_updates_are_of_any_whole_type() -> None:
    first, other = (factorize(X, "nmf", 2, inner={"U": two}, max_iter=2) for two in (2, np.int64(2)))
    np.testing.assert_array_equal(first.factors["U"], other.factors["U"])


def test_numbers_in_objects_are_real_or_refused() -> None:
    mixed = X.astype(object)
    assert factorize(mixed, "nmf", 2, max_iter=2).embedding is not None
    mixed[1, 1] = np.complex128(4 + 2j)
    with pytest.raises(DataError, match="neither complex nor masked"):
        factorize(mixed, "nmf", 2, max_iter=2)
    for none in (X.astype(str), [[10**400]]):
        with pytest.raises(DataError, match="matrix of real numbers"):
            factorize(none, "nmf", 1, max_iter=2)  # type: ignore[arg-type]


def test_a_solver_that_nobody_gave_is_not_refused() -> None:
    class OnePath(get("nmf")):  # type: ignore[misc]
        name = "one_path"
        fit_settings = ("restarts", "max_iter", "tol", "dtype", "trace_every")

    assert factorize(X, OnePath, 2).n_iter == 1000
    with pytest.raises(SpecError, match="takes no solver"):
        factorize(X, OnePath, 2, solver="fast")


@pytest.mark.parametrize("wrong", [np.ones((4, 2)) * 1j, np.full((4, 2), np.nan)])
def test_an_init_of_other_numbers_is_refused(wrong: np.ndarray) -> None:
    with pytest.raises(SpecError, match="init U must hold finite real numbers"):
        factorize(X, "nmf", 2, init={"U": wrong, "V": np.ones((3, 2))}, max_iter=2)


def test_an_init_with_signs_is_refused_where_a_factor_has_none() -> None:
    """The left and right singular vectors of X, say."""
    U, V = np.ones((4, 2)), np.ones((3, 2))
    signs = np.array([1, -1])
    for name, init in (("nmf", {"U": U, "V": V * signs}), ("semi_nmf", {"U": U, "V": V * signs})):
        with pytest.raises(SpecError, match=f"{name}: init V must be >= 0 and has entries down to -1"):
            factorize(X, name, 2, init=init, max_iter=2)
    factorize(X, "semi_nmf", 2, init={"U": U * signs, "V": V}, max_iter=2)


def test_a_method_cannot_write_to_its_data(monkeypatch: pytest.MonkeyPatch) -> None:
    data, labels = X.copy(), np.array([0, 1, -1])

    def update(self, X, U, V):  # type: ignore[no-untyped-def]
        X *= 2
        return U, V

    problem = Problem(data, 2, labels=labels)
    for array in (problem.X, problem.labels):
        assert array is not None
        with pytest.raises(ValueError, match="read-only"):
            array[...] = 0
    monkeypatch.setattr(get("nmf"), "stacked", False)
    monkeypatch.setattr(get("nmf"), "update", update)
    with pytest.raises(ValueError, match="read-only"):
        factorize(data, "nmf", 2, max_iter=1)
    np.testing.assert_array_equal(data, X)
    data[0, 0] = 5  # the caller's own array stays the caller's


@dataclass(frozen=True)
class Wrapped(KMeans):
    """Whose options are called as settings of fits are."""

    max_iter: int = option(5, help="its own")
    tol: float = option(0.5, help="its own")
    order: str = option("first", help="its own")
    solver: str = option("mu", help="its own")


def test_an_argument_that_is_a_parameter_of_the_method_is_its_value(monkeypatch: pytest.MonkeyPatch) -> None:
    seen = []

    def fit(method: Wrapped, *given: object) -> Fit:
        seen.append((method.max_iter, method.tol, method.order, method.solver))
        return Fit({}, U)

    monkeypatch.setattr(Wrapped, "fit", fit)
    factorize(X, Wrapped, 2)
    factorize(X, Wrapped, 2, max_iter=7, tol=0.0, order="last", solver="cd")
    assert seen == [(5, 0.5, "first", "mu"), (7, 0.0, "last", "cd")]


@dataclass(frozen=True)
class Capped(NLCF):
    """Whose cap no spec can set."""

    cap: float | None = None


def test_a_field_that_is_no_option_is_given_to_no_instance() -> None:
    """Rows of an instance were those of its defaults."""
    assert Capped(mu=0.3, cap=None).parameters == NLCF(mu=0.3).parameters
    wrong = Capped(cap=0.1)
    for use in (lambda: factorize(X, wrong, 2), lambda: estimators.of(wrong), lambda: tree_of(wrong, "")):
        with pytest.raises(
            SpecError, match="Capped: cap is no option and cannot be given; write cap: … = opt"
        ):
            use()


@dataclass(frozen=True)
class Fielded(NLCF):
    """With fields that are no options, at their defaults or its own."""

    power: float = 0.5
    table: dict[str, float] = field(default_factory=lambda: {"a": 0.1})
    cache: object = field(default=None, init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "cache", {})


def test_fields_at_their_defaults_are_no_matter_in_this_process_or_a_worker() -> None:
    """Compared by identity they were refused in every worker: what is unpickled is another object."""
    there = pickle.loads(pickle.dumps(Fielded(power=float("0.5"))))
    assert there.power is not Fielded.power
    fits = [factorize(X, each, 2, max_iter=3) for each in (Fielded, Fielded(), there)]
    assert len({fit.objective[-1] for fit in fits}) == 1
    assert estimators.of(there)
    with pytest.raises(SpecError, match="power is no option"):
        factorize(X, Fielded(power=0.4), 2)


def test_a_class_or_an_instance_stands_for_its_name() -> None:
    Y = np.random.default_rng(0).random((6, 8))
    by_name = factorize(Y, "nlcf", 2, mu=0.3, max_iter=5)
    for given, parameters in ((NLCF, {"mu": 0.3}), (NLCF(mu=0.3), {})):
        fit = factorize(Y, given, 2, max_iter=5, **parameters)  # type: ignore[arg-type]
        np.testing.assert_array_equal(fit.factors["U"], by_name.factors["U"])
    # k-means has restarts of its own, which a call that gives none must not replace.
    assert (
        factorize(Y, KMeans(restarts=5), 2).objective[-1]
        == factorize(Y, "kmeans", 2, restarts=5).objective[-1]
    )
    with pytest.raises(SpecError, match="leave restarts out"):
        factorize(Y, KMeans(restarts=5), 2, restarts=1)
    with pytest.raises(SpecError, match="leave mu out"):
        factorize(Y, NLCF(), 2, mu=1)
    with pytest.raises(SpecError, match="int is no method"):
        factorize(Y, int, 2)  # type: ignore[arg-type]


class Own(TwoFactor):
    """A method of one's own without a name."""

    def update(self, X: Array, U: Array, V: Array) -> tuple[Array, Array]:
        raise NotImplementedError


@pytest.mark.parametrize("mu", [-1, "x", None, float("nan"), [0.1]])
def test_the_values_of_an_instance_are_refused_as_by_name(mu: Any) -> None:
    U, V = np.ones((4, 2)), np.ones((2, 3))
    for call in (
        lambda *method, **parameters: factorize(X, *method, 2, **parameters),
        lambda *method, **parameters: kkt_residual(X, *method, {"U": U, "V": V}, **parameters),
    ):
        with pytest.raises(SpecError) as by_name:
            call("nlcf", mu=mu)
        with pytest.raises(SpecError) as by_instance:
            call(NLCF(mu=mu))
        assert str(by_instance.value) == str(by_name.value)
        with pytest.raises(SpecError, match=r"Own is no method.*give it a name"):
            call(Own())


OWN_RESTARTS = [name for name, cls in registry().items() if "restarts" in options_of(cls)]


@pytest.mark.parametrize("name", OWN_RESTARTS)
def test_a_call_that_gives_no_restarts_has_those_of_the_method(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    cls, used = get(name), []
    inherited = cls.fit  # type: ignore[attr-defined]

    def counted(method, *arguments):  # type: ignore[no-untyped-def]
        used.append(method.restarts)
        return inherited(method, *arguments)

    monkeypatch.setattr(cls, "fit", counted)
    Y = np.random.default_rng(0).random((6, 8))
    for more in ({}, {"restarts": 1}, {"restarts": 3}):
        factorize(Y, name, 2, **more)  # type: ignore[arg-type]
    assert used == [options_of(cls)["restarts"].default, 1, 3]


def test_factors_of_a_kkt_residual_may_be_lists() -> None:
    factors = factorize(X, "nmf", 2, max_iter=5).factors
    lists = {name: factor.tolist() for name, factor in factors.items()}
    assert kkt_residual(X, "nmf", lists) == kkt_residual(X, "nmf", factors)  # type: ignore[arg-type]
    for wrong in ({"U": [1.0, 2.0]}, {"V": factors["V"]}):
        with pytest.raises(SpecError, match="factors need U, a matrix"):
            kkt_residual(X, "nmf", wrong)  # type: ignore[arg-type]


def test_a_kkt_residual_speaks_of_its_own_arguments() -> None:
    factors = factorize(X, "nmf", 2, max_iter=5).factors
    with pytest.raises(SpecError, match=r"nmf: factors must have V of shape \(3, 2\), not nothing"):
        kkt_residual(X, "nmf", {"U": factors["U"]})
    with pytest.raises(SpecError, match="nmf: factors V must hold finite real numbers"):
        kkt_residual(X, "nmf", factors | {"V": factors["V"] * np.nan})
    with pytest.raises(DataError, match="nmf needs data >= 0: give it before it is centred, or use semi_nmf"):
        kkt_residual(X - 1, "nmf", factors)


@pytest.mark.parametrize("data", [-X, X * 1e200, X * 1e-200], ids=["negative", "large", "small"])
def test_the_remedy_for_a_matrix_is_no_argument_of_datasets(data: np.ndarray) -> None:
    with pytest.raises(DataError) as refused:
        factorize(data, "nlcf", 1, max_iter=2)
    settings = [part.name for part in refused.value.what if isinstance(part, Setting)]
    assert set(settings) <= set(inspect.signature(factorize).parameters)


def test_the_method_that_is_named_for_negative_data_takes_it() -> None:
    with pytest.raises(DataError, match="or use semi_nmf, which takes negative data"):
        factorize(-X, "nlcf", 2, max_iter=2)
    assert factorize(-X, "semi_nmf", 2, max_iter=2).n_iter == 2


@pytest.mark.parametrize("name", ["kmeans", "spectral", "pca_kmeans"])
def test_clusters_need_as_many_samples_whatever_the_method(name: str) -> None:
    with pytest.raises(SpecError, match=f"^{name}: k = 4 clusters need as many samples, and X has 3"):
        factorize(X, name, 4)


@pytest.mark.parametrize("name", ["pca", "pca_kmeans"])
def test_equal_samples_have_no_component(name: str) -> None:
    with pytest.raises(FitError, match=f"^{name}: all samples are equal"):
        factorize(X[:, :1], name, 1)


def test_a_matrix_that_lies_on_its_side_gets_a_hint() -> None:
    wide = np.random.default_rng(0).random((3, 8))
    assert "k is 4 and X has 3 features" in factorize(wide, "nmf", 4, max_iter=2).notes[-1]
    with pytest.warns(UserWarning, match="k is 9 and X has 3 features and 8 samples") as told:
        assert factorize(wide, "nmf", 9, max_iter=2).notes[-1] == str(told[0].message)
    assert told[0].filename == __file__
    with pytest.warns(UserWarning, match="was X.T meant"), pytest.raises(SpecError):  # before the fit
        factorize(wide, "nmf", 9, init={})
    assert factorize(wide, "nmf", 3, solver="printed", max_iter=2).notes == ()
    with pytest.raises(DataError, match=r"as many are given as X has rows: give X\.T"):
        factorize(wide, "cnmf", 2, labels=[0, 1, -1], max_iter=2)
    with pytest.raises(DataError, match=r"sparse matrix, which the methods do not take; give X\.toarray"):
        factorize(scipy.sparse.csr_array(wide), "nmf", 2)


def test_a_fit_is_told_in_a_few_lines() -> None:
    Y = np.random.default_rng(0).random((6, 8))
    text = repr(factorize(Y, "nmf", 2, restarts=3, max_iter=5, solver="printed"))
    assert text.startswith("Fit: U 6 × 2, V 8 × 2\nobjective ")
    assert " after 5 iterations; restart " in text
    assert len(text.splitlines()) == 2


def test_linear_algebra_has_one_thread_unless_the_data_is_large(monkeypatch: pytest.MonkeyPatch) -> None:
    def counts() -> set[int]:
        return {each["num_threads"] for each in threadpool_info() if each["user_api"] == "blas"}

    found: list[set[int]] = []

    def embedding(method: Algorithm, factors: Factors, problem: Problem) -> np.ndarray:
        found.append(counts())
        return factors["V"]

    monkeypatch.setattr(get("nmf"), "embedding", embedding)
    with threadpool_limits(2, "blas"):
        before = counts()
        factorize(X, "nmf", 2, max_iter=1)
        monkeypatch.setattr(threads, "LARGE", X.size * 2)
        factorize(X, "nmf", 2, max_iter=1)
        assert counts() == before
    assert found == [{1}, before]


@pytest.mark.parametrize("name", ["kmeans", "pca_kmeans", "spectral", "nsdr"])
def test_k_means_has_one_thread_whatever_the_data(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    found: list[set[int]] = []
    fit = cluster.KMeans.fit

    def spied(self: cluster.KMeans, samples: np.ndarray) -> cluster.KMeans:
        found.append({each["num_threads"] for each in threadpool_info() if each["user_api"] == "openmp"})
        fitted: cluster.KMeans = fit(self, samples)
        return fitted

    monkeypatch.setattr(cluster.KMeans, "fit", spied)
    monkeypatch.setattr(threads, "LARGE", 1)
    with threadpool_limits(2, "openmp"):
        factorize(X, name, 2, max_iter=1)
    assert found == [{1}]
