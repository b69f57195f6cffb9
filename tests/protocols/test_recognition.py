"""Recognition: splits, features, classifiers, the scan, and what is refused before any work."""

import pickle
from dataclasses import replace

import numpy as np
import pytest
from protocolparts import ORL, method
from sklearn.multiclass import OneVsRestClassifier
from sklearn.svm import SVC

from nmfrepro import algorithms, factorize
from nmfrepro.core.errors import FitError, SpecError
from nmfrepro.core.options import build
from nmfrepro.core.problem import FitSettings
from nmfrepro.datasets import Expected
from nmfrepro.protocols import Samples, Task
from nmfrepro.protocols.draws import draw_split
from nmfrepro.protocols.grids import chosen_in, value_text
from nmfrepro.protocols.recognition import Recognition
from nmfrepro.runs.record import unusable

FIT = FitSettings(max_iter=30)


def protocol(**options):
    return build(Recognition, {"train": [3], "dimensions": [2, 4]} | options, "protocol recognition")


def run(samples, name="nmf", train=3, k=4, draw=0, fit=FIT, parameters=None, **options):
    task = Task({"train": train, "k": k, "draw": draw}, method(name, **(parameters or {})), fit, 7)
    return protocol(**options).run(task, samples)


def test_the_score_is_that_of_nearest_projections(samples):
    outcome = run(samples)
    split = draw_split(samples.y, 3, False, 7, "blocks", 3, 0)
    found = factorize(samples.X[split.train].T, "nmf", 4, seed=outcome.fit_seed, max_iter=30)
    codes = samples.X @ np.linalg.pinv(found.factors["U"]).T
    right = [
        samples.y[i] == samples.y[split.train[np.argmin(((codes[split.train] - codes[i]) ** 2).sum(axis=1))]]
        for i in split.test
    ]
    assert outcome.metrics["nn"] == np.mean(right)
    assert np.isnan(outcome.metrics["svm"])
    assert np.isnan(outcome.metrics["nn_validation"])


def test_one_fit_is_scored_by_every_classifier_on_test_and_validation(samples):
    outcome = run(samples, classifiers=["nn", "svm"], validation=True)
    assert outcome.metrics == dict.fromkeys(("nn", "nn_validation", "svm", "svm_validation"), 1.0)


@pytest.mark.parametrize("exponent", [-565, 565])  # 1e-170
def test_features_of_any_size_are_classified_alike(samples, monkeypatch, exponent):
    ordinary = run(samples, "pca", classifiers=["nn", "svm"])
    project = method("pca").project
    shrunk = staticmethod(lambda *given: np.ldexp(project(*given), exponent))
    monkeypatch.setattr(algorithms.get("pca"), "project", shrunk)
    assert run(samples, "pca", classifiers=["nn", "svm"]).metrics["nn"] == ordinary.metrics["nn"] == 1
    assert run(samples, "pca", classifiers=["nn", "svm"]).metrics["svm"] == ordinary.metrics["svm"] == 1


@pytest.mark.parametrize(
    ("multiclass", "together"), [("one-vs-one", lambda svm: svm), ("one-vs-rest", OneVsRestClassifier)]
)
def test_the_svm_sees_features_of_mean_squared_length_one(samples, multiclass, together):
    noisy = Samples("noisy", samples.X + np.random.default_rng(1).random(samples.X.shape), samples.y, None)
    for factor in (1e-3, 1.0, 1e3):
        scaled = Samples("noisy", factor * noisy.X, noisy.y, None)
        outcome = run(scaled, "pca", classifiers=["svm"], svm_c=2.0, svm_multiclass=multiclass)
        split = draw_split(samples.y, 3, False, 7, "noisy", 3, 0)
        found = factorize(noisy.X[split.train].T, "pca", 4)
        scores = (noisy.X - found.factors["mean"]) @ found.factors["C"]
        scores /= np.sqrt(np.mean(np.sum(scores[split.train] ** 2, axis=1)))
        model = together(SVC(kernel="linear", C=2.0)).fit(scores[split.train], noisy.y[split.train])
        assert outcome.metrics["svm"] == model.score(scores[split.test], noisy.y[split.test])


def test_all_dimensions_share_the_split(samples):
    first, second = run(samples, k=2), run(samples, k=4)
    assert np.array_equal(first.arrays["samples"], second.arrays["samples"])
    assert first.fit_seed != second.fit_seed


def test_square_gives_vector_methods_the_size_of_the_cores(samples):
    assert run(samples, k=3, square=True).arrays["U"].shape == (36, 9)
    assert run(samples, "twodnmf", k=3, square=True).arrays["D"].shape == (12, 3, 3)


def test_more_basis_vectors_than_images_are_noted(samples):
    outcome = run(samples, k=4, square=True, beyond_rank="allow")
    assert "16 basis vectors for 12 training images" in outcome.notes[-1]
    others = [run(samples, name, k=4, square=True, beyond_rank="allow") for name in ("pca", "nmsf")]
    assert not any("basis vectors for" in note for each in others for note in each.notes)


@pytest.mark.parametrize("name", ["pca", "glram", "nmsf", "twodnmf"])
def test_methods_with_their_own_projection(samples, name):
    assert run(samples, name).metrics["nn"] == 1.0


def test_nonnegative_projection_is_another_trial():
    nmf = method("nmf")
    assert protocol().identity(nmf) != protocol(projection="nnls").identity(nmf)
    assert protocol().identity(method("pca")) == protocol(projection="nnls").identity(method("pca"))


@pytest.mark.parametrize("name", ["nmf", "nmsf"])
def test_features_on_a_unit_basis_do_not_see_the_scale_of_the_fit(samples, name):
    method_, shape = method(name), samples.image_shape
    found = factorize(samples.X.T, method_, 3, max_iter=20, image_shape=shape)
    U = found.factors["U"]
    stretched = replace(found, factors=found.factors | {"U": U * [1e-3, 1, 1e4]})
    for basis, same in (("unit", True), ("fitted", False)):
        features = [protocol(basis=basis).features(method_, each, samples) for each in (found, stretched)]
        assert np.allclose(*features) == same
    unit = found.factors | {"U": U / np.linalg.norm(U, axis=0)}
    expected = method_.project(unit, samples.X.T, shape)
    np.testing.assert_allclose(protocol(basis="unit").features(method_, found, samples), expected)


def test_a_unit_basis_is_another_trial_where_there_is_a_basis():
    assert protocol().identity(method("nmf")) != protocol(basis="unit").identity(method("nmf"))
    for name in ("pca", "twodnmf"):
        assert protocol().identity(method(name)) == protocol(basis="unit").identity(method(name))


def test_draws_share_as_nadeau_and_bengio_propose():
    """Of 400 images in 40 classes 200 are for training, and 200 or, with validation, 100 for the test."""
    for validation, share in ((False, 1 / 2), (True, 1 / 3)):
        assert protocol(validation=validation).in_common({"train": 5}, 400, 40) == pytest.approx(share)


def test_what_does_not_concern_a_method_is_not_in_its_key():
    twodnmf, nmf = method("twodnmf"), method("nmf")
    assert protocol().identity(twodnmf) == protocol(square=True).identity(twodnmf)
    assert protocol().identity(nmf) != protocol(square=True).identity(nmf)
    assert protocol().identity(nmf) == protocol(svm_c=3, dimensions=[7], repeats=2).identity(nmf)
    scanning = protocol(validation=True, scan={"lam": [1], "gamma": [1]})
    assert scanning.identity(nmf) == protocol(validation=True).identity(nmf)


SCAN = {"lam": [0.001, 1], "gamma": [0.001, 0.1]}
LDS = {"parameters": {"lam": 0.5, "gamma": 0.01}, "validation": True, "classifiers": ["nn", "svm"]}


def test_the_scan_keeps_every_point_and_takes_the_best_on_validation(samples):
    outcome = run(samples, "lds_nmf", scan=SCAN, **LDS)
    tried = outcome.kept
    assert tried["scan_lam"].tolist()[:2] == [0.001, 1]
    assert tried["scan_gamma"].tolist() == [0.01, 0.01, 0.001, 0.1]  # gamma as given while lam is scanned
    chosen = int(np.argmax(tried["scan_validation"][2:])) + 2
    assert outcome.metrics["nn_validation"] == tried["scan_validation"][chosen]
    assert outcome.metrics["nn"] == tried["scan_test"][chosen]
    assert f"gamma = {tried['scan_gamma'][chosen]:g}" in outcome.notes[-1]
    alone = {"lam": tried["scan_lam"][chosen], "gamma": tried["scan_gamma"][chosen]}
    assert run(samples, "lds_nmf", **(LDS | {"parameters": alone})).objective == outcome.objective


def test_the_balanced_start_is_the_papers(samples):
    outcome = run(samples, "lds_nmf", scan=SCAN, scan_start="balanced", **LDS)
    split = draw_split(samples.y, 3, True, 7, "blocks", 3, 0)
    X = samples.X[split.train].T
    free = factorize(X, "lds_nmf", 4, lam=0, gamma=0, seed=outcome.fit_seed, max_iter=30)
    W, H = free.factors["W"], free.factors["H"]
    gamma = np.linalg.norm(X - W @ H, axis=0).sum() / (np.linalg.norm(W, axis=0) @ H).sum()
    assert outcome.kept["scan_gamma"][:2] == pytest.approx(gamma)


def test_a_point_that_collapses_is_no_failure_while_others_hold(samples):
    outcome = run(
        samples, "lds_nmf", fit=FitSettings(max_iter=300), scan=SCAN | {"gamma": [0.01, 1e4]}, **LDS
    )
    assert np.isnan(outcome.kept["scan_validation"]).tolist() == [False, False, False, True]
    with pytest.raises(FitError, match="no value of gamma in the scan can be fitted"):
        run(samples, "lds_nmf", fit=FitSettings(max_iter=300), scan=SCAN | {"gamma": [1e4]}, **LDS)


@pytest.mark.parametrize(
    ("name", "parameter", "values"),
    [
        ("lds_nmf", "w_rule", ["printed", "safeguard"]),
        ("nmf_sc", "sparseness_u", ["balanced", 0.5]),
        ("anp", "unit_columns", [True, False]),
        ("cim_nmf", "sigma", [None, 1.0]),
        ("gnmf", "neighbors", [1, 2]),
    ],
)
def test_a_scan_is_over_values_of_every_kind(samples, name, parameter, values):
    given = {"lds_nmf": {"lam": 0.1, "gamma": 0.1}, "nmf_sc": {"sparseness_u": 0.5}}.get(name, {})
    outcome = run(samples, name, parameters=given, validation=True, scan={parameter: values})
    assert unusable(Recognition(train=(2,), dimensions=(2,)), outcome, outcome.arrays | outcome.kept) == ""
    shown = {value_text(value) for value in values}
    assert chosen_in(outcome.notes[-1])[parameter] in shown
    assert set(map(value_text, outcome.kept[f"scan_{parameter}"].tolist())) == shown


def test_every_value_of_a_scan_is_scored_as_that_method_alone(samples):
    values, noise = ["printed", "consistent", "orthonormal"], np.random.default_rng(0).random(samples.X.shape)
    noisy = replace(samples, X=samples.X + 3 * noise)
    scanned = run(noisy, "twodnmf", validation=True, scan={"projection": values})
    alone = [
        run(noisy, "twodnmf", parameters={"projection": each}, validation=True).metrics for each in values
    ]
    assert len({each["nn_validation"] for each in alone}) == 3
    assert scanned.kept["scan_validation"].tolist() == [each["nn_validation"] for each in alone]
    assert scanned.kept["scan_test"].tolist() == [each["nn"] for each in alone]


def test_test_images_that_are_training_images_are_counted(samples):
    split = draw_split(samples.y, 3, False, 7, "blocks", 3, 0)
    X, y = samples.X.copy(), samples.y
    X[split.test[:2]] = X[split.train[0]]  # of the same class
    X[split.test[-1]] = X[split.train[0]]  # of another
    outcome = run(Samples("blocks", X, y, samples.image_shape))
    assert "3 of 24 test images are training images too, 1 of them under another label" in outcome.notes
    assert run(samples).notes == ()


def test_a_collapsed_factorization_is_not_scored(samples):
    black = Samples("black", np.zeros_like(samples.X), samples.y, samples.image_shape)
    with pytest.raises(FitError, match="every feature is zero"):
        run(black)


@pytest.mark.parametrize(
    ("options", "names", "message"),
    [
        ({"train": [10]}, ["nmf"], "train has 10 images per class, but the smallest class has 10"),
        ({"train": [9], "validation": True}, ["nmf"], "validation and test need one each"),
        ({"dimensions": [121]}, ["nmf"], "training images of 40 classes have rank 120 at most"),
        ({"dimensions": [11], "square": True}, ["nmf"], "11, 121 basis vectors with square"),
        ({"dimensions": [33]}, ["twodnmf"], "twodnmf has 32 at most: the images' side"),
        ({"dimensions": [1025], "beyond_rank": "allow"}, ["nmf"], "1024 at most: the values of an image"),
        ({}, ["cnmf"], "learns from labels"),
        ({}, ["kmeans"], "has no projection for new samples"),
        ({"validation": True, "scan": {"lam": [1]}}, ["nmf"], "no listed algorithm has all the parameters"),
        ({"validation": True, "scan": {"lam": [-1]}}, ["tnmf"], "lam must be a number"),
        (
            {"validation": True, "scan": {"weights": ["heat", "binary"], "width": [None, 1]}},
            ["gnmf"],
            "scan of gnmf with weights = binary, width = 1: width belongs to weights: heat",
        ),
        (
            {"validation": True, "scan": {"lam": [1]}, "scan_start": "balanced"},
            ["tnmf"],
            "scan_start balanced needs a method that has such a rule; tnmf has none",
        ),
    ],
)
def test_errors_before_work(options, names, message):
    required = {"tnmf": {"lam": 1}}
    listed = [method(name, **required.get(name, {})) for name in names]
    with pytest.raises(SpecError, match=message):
        protocol(**options).check(ORL, listed)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"scan": {"lam": [1]}}, "set validation: true"),
        ({"validation": True, "scan": {"lam": 1}}, "scan of lam must be a list"),
        ({"validation": True, "scan": {}}, "scan must name a parameter"),
        ({"scan_start": "balanced"}, "give scan"),
        ({"train": [3, 3]}, "train names 3 twice"),
        ({"dimensions": []}, "dimensions must name at least one"),
        ({"classifiers": ["knn"]}, "must be .nn. or"),
    ],
)
def test_options_that_do_not_go_together(options, message):
    with pytest.raises(SpecError, match=message):
        protocol(**options)


def test_image_methods_need_images():
    with pytest.raises(SpecError, match="image shape"):
        protocol().check(Expected(400, 40, 10, 500, None), [method("twodnmf")])


def test_an_svm_needs_two_classes():
    one = Expected(10, 1, 10, 1024, (32, 32))
    protocol(dimensions=[2]).check(one, [method("nmf")])
    with pytest.raises(SpecError, match="svm, which needs two classes, and the dataset has one"):
        protocol(dimensions=[2], classifiers=["nn", "svm"]).check(one, [method("nmf")])


def test_trials_and_their_smoke():
    full = protocol(train=[3, 2], dimensions=[4, 2, 6], repeats=5)
    assert len(list(full.cells(40))) == 2 * 3 * 5
    small = full.smoke()
    assert list(small.cells(40)) == [{"train": 2, "k": k, "draw": d} for k in (2, 4) for d in (0, 1)]


@pytest.mark.parametrize(
    "listed",
    [method("nmf", normalize="none"), method("l21_nmf", normalize="unit"), method("nmf_ncw", read="plain")],
)
def test_how_encodings_are_read_is_no_setting_of_recognition(listed):
    with pytest.raises(SpecError, match="says how encodings are read, and recognition projects images") as no:
        protocol().check(ORL, [listed])
    assert ("the protocol has basis: unit" in str(no.value)) == (listed.name != "nmf_ncw")
    protocol().check(ORL, [method(listed.name)])
    assert any("normalize does not act" in note for note in protocol().notes())


def test_images_cannot_be_written_to_in_any_process(samples):
    for each in (samples, pickle.loads(pickle.dumps(samples))):
        for array in (each.X, each.y, each.X[:3].T):
            with pytest.raises(ValueError, match="read-only"):
                array[0] = 0


def test_projections_that_are_no_row_for_each_image_are_refused(samples):
    class Turned(algorithms.get("pca")):
        def project(self, *arguments):
            return super().project(*arguments).T

    found = factorize(samples.X.T, "pca", 2)
    with pytest.raises(FitError, match=r"projections have shape 2 x \d+, but need a row for each"):
        protocol().features(Turned(), found, samples)


@pytest.mark.parametrize("lost", ["embedding", "labels"])
def test_a_fit_of_another_number_of_samples_is_refused(samples, lost):
    class Short(algorithms.get("kmeans")):
        def fit(self, *arguments):
            found = super().fit(*arguments)
            short = np.zeros((2, len(samples.X)))
            return replace(found, **{lost: short if lost == "embedding" else found.labels[1:]})

    with pytest.raises(FitError, match=r"kmeans: the (encodings|labels) have shape .* samples"):
        factorize(samples.X.T, Short(), 2)
