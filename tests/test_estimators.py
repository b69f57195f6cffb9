"""Factorizations as scikit-learn estimators."""

from __future__ import annotations

import doctest
import inspect
import pickle
import re
from copy import deepcopy
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import joblib
import numpy as np
import pandas as pd
import pytest
import scipy.sparse
from sklearn.base import clone
from sklearn.datasets import load_digits
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import check_estimator

from nmfrepro import estimators, factorize
from nmfrepro.algorithms import Algorithm, Iterative
from nmfrepro.algorithms.nlcf import NLCF
from nmfrepro.algorithms.spectral import Spectral
from nmfrepro.core.errors import SpecError

X = np.random.default_rng(0).random((24, 10))  # rows are samples


# What has no default, or none that fits the checks' data: few samples of one to ten features.
VALUES = {
    "GLRAM": {"n_components": 1, "image_shape": (-1, 1)},
    "LDSNMF": {"lam": 0.1, "gamma": 0.1},
    "NMFSC": {"sparseness_v": 0.3},
    "NMSF": {"image_shape": (-1, 1)},
    "NNSC": {"lam": 0.1},
    "NTF": {"image_shape": (-1, 1)},
    "TNMF": {"lam": 0.1},
    "TwoDNMF": {"image_shape": (-1, 1)},
}
TRANSDUCTIVE = {
    "CF",
    "CNMF",
    "CNMFKL",
    "GNMF",
    "NLCFG",
    "NSDR",
    "NTF",
    "SemiGNMF",
    "Spectral",
    "SymmetricNMF",
}


def make(name: str, **values: Any) -> Any:
    """An estimator that is quick."""
    cls = getattr(estimators, name)
    budget = {"max_iter": 20} if issubclass(estimators.names()[name], Iterative) else {}
    return cls(**budget | VALUES.get(name, {}) | values)


@pytest.mark.parametrize("name", sorted(estimators.names()))
@pytest.mark.filterwarnings("ignore")  # some checks skip themselves with a warning
def test_every_method_passes_the_checks_of_scikit_learn(name: str) -> None:
    # Transductive ones too: the checks of transform are not for them, since they have none.
    check_estimator(make(name))


def test_which_methods_code_new_samples_is_known() -> None:
    assert {name for name in estimators.names() if not hasattr(make(name), "transform")} == TRANSDUCTIVE
    assert all(hasattr(make(name), "fit_transform") for name in estimators.names())


@pytest.mark.parametrize("name", sorted(TRANSDUCTIVE))
def test_transductive_methods_give_the_encodings_of_what_they_fit(name: str) -> None:
    values = {"image_shape": (5, 2)} if name == "NTF" else {}
    model = make(name, n_components=3, **values)
    y = np.where(np.arange(24) % 4, -1, np.arange(24) % 3)
    codes = model.fit_transform(X, y if model.algorithm.needs_labels else None)
    assert codes.shape[0] == 24
    np.testing.assert_array_equal(codes, model.embedding_)
    if name in ("CNMF", "CNMFKL"):  # samples of one label share their code
        np.testing.assert_allclose(codes[0], codes[12])


@pytest.mark.parametrize("name", sorted(estimators.names()))
def test_habits_of_scikit_learn(name: str) -> None:
    """Frames for all, float32 stays, text labels are labels, and what a method lacks is said."""
    model = make(
        name, n_components=2, **({"image_shape": (5, 2)} if "image_shape" in VALUES.get(name, {}) else {})
    )
    codes = np.array(["anna", "bob", "-1"])[np.arange(24) % 3]
    number = np.array([0, 1, -1])[np.arange(24) % 3]
    framed = model.set_output(transform="pandas").fit_transform(X.astype(np.float32), codes)
    assert list(framed.columns) == list(model.get_feature_names_out())
    assert set(framed.dtypes) == {np.dtype(np.float32)}
    plain = model.set_output(transform="default").fit_transform(X.astype(np.float32), number)
    np.testing.assert_array_equal(framed.to_numpy(), plain)
    with pytest.raises(TypeError, match="Sparse data was passed"):
        model.fit(scipy.sparse.csr_array(X), number)
    with pytest.raises(ValueError, match="takes no masked array"):
        model.fit(np.ma.masked_greater(X, 0.9), number)
    for lacking in {"transform", "components_", "inverse_transform"} - set(dir(model)):
        with pytest.raises(AttributeError, match=f"'{name}' object has no attribute '{lacking}': "):
            getattr(model, lacking)
    if hasattr(model, "inverse_transform"):
        error = np.linalg.norm(X - model.inverse_transform(model.transform(X)))
        assert error == pytest.approx(model.reconstruction_err_, rel=1e-6)


@pytest.mark.parametrize("given", ["float32", "float64"])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("name", ["CNMF", "GNMF", "NMF", "PCA"])
def test_codes_come_in_the_type_of_the_samples(name: str, dtype: str, given: str) -> None:
    labels = [0] * 5 + [1] * 5 + [-1] * 14 if name == "CNMF" else None
    for data in (X.astype(given), pd.DataFrame(X.astype(given))):
        assert make(name, dtype=dtype).fit_transform(data, labels).dtype == given


@pytest.mark.parametrize("name", ["CNMF", "CNMFKL", "SemiGNMF"])
def test_semi_supervised_methods_ask_for_labels(name: str) -> None:
    with pytest.raises(ValueError, match="y contains NaN or infinity"):
        make(name).fit(X, np.where(np.arange(24) % 2, np.nan, 1.0))
    with pytest.raises(ValueError, match="requires y to be passed"):
        make(name).fit(X)


@pytest.mark.parametrize("name", ["GLRAM", "NMSF", "TwoDNMF"])
def test_image_methods_code_new_images_in_a_pipeline(name: str) -> None:
    digits, y = load_digits(return_X_y=True)
    model = make(name, n_components=3, image_shape=(8, 8))
    scores = (
        make_pipeline(model, KNeighborsClassifier(1))
        .fit(digits[:200], y[:200])
        .score(digits[200:300], y[200:300])
    )
    assert scores > 0.5  # chance is 0.1
    inferred = make(name, n_components=3, image_shape=(-1, 8)).fit(digits[:50])
    whole = make(name, n_components=3, image_shape=(8, 8)).fit(digits[:50])
    np.testing.assert_array_equal(inferred.transform(digits[50:60]), whole.transform(digits[50:60]))


def test_an_image_method_without_a_shape_that_fits_says_so() -> None:
    for shape, message in (
        (None, r"give image_shape=\(rows, columns\)$"),
        ((3, 3), "does not have the 10 pixels"),
        ((-1, 3), "pixels"),
    ):
        with pytest.raises(SpecError, match=message):
            make("TwoDNMF", image_shape=shape).fit(X)


@pytest.mark.parametrize("count", [0, 2.0, "2", None, True])
def test_the_number_of_components_is_called_as_it_is_given(count: object) -> None:
    with pytest.raises(SpecError, match="n_components must be a whole number >= 1, not"):
        estimators.NMF(count).fit(X)


def test_mistakes_are_told_in_keywords_as_factorize_tells_them() -> None:
    for name, values, message in (
        ("GLRAM", {"image_shape": None}, "image_shape=(rows, columns)"),
        ("GNMF", {"width": 2.0, "weights": "binary"}, "width belongs to weights='heat'"),
        ("CIMNMF", {"restarts": 2}, "restarts=1"),
    ):
        made = make(name, **values)
        with pytest.raises(SpecError) as told:
            made.fit(X)
        with pytest.raises(SpecError) as expected:
            factorize(X.T, made.algorithm, 2, **values)  # type: ignore[arg-type]
        assert message in str(told.value)
        assert message in str(expected.value)


@pytest.mark.parametrize("shape", [10, "28", (-1, 0), (-1, -1), (0, -1), (2.0, 5), (1, 2, 5), (-1, None)])
def test_sides_of_an_image_are_whole_numbers_or_one_of_them_is_left(shape: object) -> None:
    with pytest.raises(SpecError, match=r"image_shape must be \(rows, columns\), two whole numbers"):
        estimators.TwoDNMF(1, image_shape=shape).fit(X)
    for fitting in ([-1, 5], np.array([2, -1]), (2, 5)):
        assert estimators.TwoDNMF(1, image_shape=fitting, max_iter=2).fit_transform(X).shape == (24, 1)


def test_an_estimator_learns_what_factorize_learns():
    model = estimators.NLCF(n_components=3, mu=0.5, max_iter=20).fit(X)
    fit = factorize(X.T, "nlcf", 3, mu=0.5, max_iter=20)
    np.testing.assert_array_equal(model.components_, fit.factors["U"].T)
    np.testing.assert_array_equal(model.embedding_, fit.embedding)
    codes = model.transform(X)
    assert (codes >= 0).all()
    assert model.reconstruction_err_ == pytest.approx(np.linalg.norm(X - codes @ model.components_))
    assert model.n_iter_ == 20


def test_the_page_names_every_estimator_and_its_example_runs() -> None:
    page = (Path(__file__).parents[1] / "docs" / "estimators.md").read_text(encoding="utf-8")
    assert all(re.search(rf"\b{name}\b", page) for name, cls in estimators.names().items() if cls.paper)
    (example,) = re.findall(r"<!-- python -->\n```python\n(.*?)```", page, flags=re.DOTALL)
    names: dict[str, Any] = {}
    exec(example.replace("max_iter=50", "max_iter=5"), names)
    assert names["new"].shape == (5, 10)
    assert names["search"].best_score_ > 0.5


@dataclass(frozen=True)
class Theirs(NLCF):
    """In no registry."""


class Mine(estimators.of(NLCF)):  # type: ignore[misc]
    """A subclass of an estimator."""


def test_a_subclass_of_an_estimator_is_pickled_as_it_is() -> None:
    assert type(pickle.loads(pickle.dumps(Mine()))) is type(deepcopy(Mine())) is Mine


@pytest.mark.parametrize("method", [NLCF(mu=0.5), Spectral(neighbors=3), Theirs])
def test_estimators_of_instances_and_of_own_classes_go_where_others_go(
    method: Algorithm | type[Algorithm], tmp_path: Path
) -> None:
    model = estimators.of(method)(n_components=3)
    joblib.dump(clone(model).fit(X), tmp_path / "model")
    for each in (
        pickle.loads(pickle.dumps(model)).fit(X),
        joblib.load(tmp_path / "model"),
        deepcopy(model).fit(X),
    ):
        assert type(each) is type(model)
        assert each.get_params() == model.get_params()
        np.testing.assert_array_equal(each.embedding_, clone(model).fit(X).embedding_)


@pytest.mark.parametrize(("wrong", "hint"), [("mue", "did you mean mu? "), ("k", ""), ("seed", "")])
def test_a_name_that_is_no_parameter_is_answered_with_those_that_are(wrong: str, hint: str) -> None:
    with pytest.raises(TypeError) as refused:
        estimators.NLCF(2, **{wrong: 1})
    allowed = ", ".join(inspect.signature(estimators.NLCF).parameters)
    assert str(refused.value) == f"NLCF has no parameter {wrong!r}; {hint}allowed: {allowed}"


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("TNMF", "TNMF needs lam: weight λ of the pooled penalty, on ORL 10 in the paper"),
        ("LDSNMF", "LDSNMF needs lam: weight λ of the divergence"),
        ("NNSC", "NNSC needs lam: weight λ of the L1 penalty"),
    ],
)
def test_a_parameter_that_is_left_out_is_named_with_its_range(name: str, told: str) -> None:
    with pytest.raises(TypeError) as refused:
        getattr(estimators, name)(2)
    assert str(refused.value).startswith(told)
    assert str(refused.value).endswith("(a number >= 0)")


def test_random_state_is_a_whole_number_of_any_type_or_scikit_learns_own() -> None:
    first = make("NMF", random_state=1, max_iter=3).fit(X).components_
    np.testing.assert_array_equal(make("NMF", random_state=np.int64(1), max_iter=3).fit(X).components_, first)
    assert (
        make("NMF", random_state=np.random.RandomState(0), max_iter=3).fit(X).components_.shape == first.shape
    )
    for wrong in ("1", True, 1.0, -1, np.random.default_rng(0)):
        with pytest.raises(SpecError, match="random_state must be a whole number >= 0, a RandomState or"):
            make("NMF", random_state=wrong, max_iter=3).fit(X)


def test_the_module_shows_estimators_alone_and_each_has_examples_that_run() -> None:
    assert dir(estimators) == sorted(estimators.names())
    for name in dir(estimators):
        cls = getattr(estimators, name)
        for heading in ("Parameters", "Attributes", "Examples"):
            assert f"\n{heading}\n{'-' * len(heading)}\n" in cls.__doc__, (name, heading)
        assert all(f"\n{parameter} : " in cls.__doc__ for parameter in make(name).get_params()), name
        found = doctest.DocTestFinder(recurse=False).find(cls, name)
        runner = doctest.DocTestRunner()
        for each in found:
            runner.run(each)
        assert (runner.failures, runner.tries) == (0, 5), name


@pytest.mark.parametrize(
    "more", [{}, {"max_iter": 1000}, {"max_iter": 7}, {"order": "UV"}, {"inner": "auto"}]
)
@pytest.mark.parametrize("name", ["NLCF", "NMFKL", "GNMF", "NMFSC"])
def test_one_rule_says_which_solver_runs(name: str, more: dict[str, Any]) -> None:
    """What is given says which iterations run, in an estimator as in `factorize`."""
    if name == "GNMF" and "inner" in more:
        more = {"inner": {"U": 1, "V": 2}}
    values = VALUES.get(name, {}) | more
    model = getattr(estimators, name)(3, **values).fit(X)
    fit = factorize(X.T, model.method_, 3, **more)
    assert model.notes_ == fit.notes
    for factor, expected in fit.factors.items():
        np.testing.assert_array_equal(model.factors_[factor], expected)


def test_an_estimator_of_a_class_or_instance() -> None:
    assert estimators.of("nlcf") is estimators.of(NLCF) is estimators.NLCF
    model = estimators.of(NLCF(mu=0.3))(n_components=3, max_iter=5)
    assert model.get_params()["mu"] == 0.3
    expected = factorize(X.T, NLCF(mu=0.3), 3, max_iter=5).embedding
    np.testing.assert_array_equal(model.fit(X).embedding_, expected)
    assert not hasattr(estimators.of(type("OnGraph", (NLCF,), {"transductive": True})), "transform")
    with pytest.raises(SpecError, match="use scikit-learn's own"):
        estimators.of("kmeans")
    for name, why in (
        ("Kmeans", "kmeans has no estimator here; use scikit-learn's own"),
        ("Nmf", "no attribute 'Nmf'"),
    ):
        with pytest.raises(AttributeError, match=why):
            getattr(estimators, name)
    with pytest.raises(TypeError, match="Sparse data was passed"):
        model.fit(scipy.sparse.csr_array(X))
