"""Factorizations as scikit-learn estimators."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from sklearn.model_selection import GridSearchCV
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import check_estimator

from nmfrepro import estimators, factorize

X = np.random.default_rng(0).random((24, 10))  # rows are samples


@pytest.mark.parametrize("name", ["NMF", "NLCF", "PCA"])
@pytest.mark.filterwarnings("ignore")  # some checks skip themselves with a warning
def test_inductive_methods_pass_the_checks_of_scikit_learn(name):
    values = {} if name == "PCA" else {"max_iter": 50}
    check_estimator(getattr(estimators, name)(**values))


def test_an_estimator_learns_what_factorize_learns():
    model = estimators.NLCF(n_components=3, mu=0.5, max_iter=20).fit(X)
    fit = factorize(X.T, "nlcf", 3, mu=0.5, max_iter=20)
    np.testing.assert_array_equal(model.components_, fit.factors["U"].T)
    np.testing.assert_array_equal(model.embedding_, fit.embedding)
    codes = model.transform(X)
    assert (codes >= 0).all()
    assert model.reconstruction_err_ == pytest.approx(np.linalg.norm(X - codes @ model.components_))
    assert model.n_iter_ == 20


def test_transductive_methods_have_no_transform():
    model = estimators.NLCFG(n_components=3, neighbors=3, max_iter=5)
    assert not hasattr(model, "transform")
    assert model.fit_transform(X).shape == (24, 3)


def test_pipeline_grid_search_and_pickle():
    y = np.arange(24) % 2
    pipeline = make_pipeline(estimators.NMF(max_iter=10), KNeighborsClassifier(1))
    search = GridSearchCV(pipeline, {"nmf__n_components": [2, 3]}, cv=2).fit(X, y)
    assert search.best_params_["nmf__n_components"] in (2, 3)
    model = estimators.NMF(max_iter=5).fit(X)
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(model)).transform(X), model.transform(X))
