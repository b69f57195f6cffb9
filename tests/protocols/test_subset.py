"""Convergence, running time and bases: fits on a chosen part of the data."""

from dataclasses import dataclass, replace

import numpy as np
import pytest
from protocolparts import ORL, method

from nmfrepro import factorize
from nmfrepro.core.errors import SpecError
from nmfrepro.core.options import build
from nmfrepro.core.problem import FitSettings
from nmfrepro.datasets import Expected
from nmfrepro.method import TwoFactor
from nmfrepro.protocols import Task, basis, convergence, runtime
from nmfrepro.protocols.basis import Basis
from nmfrepro.protocols.convergence import Convergence
from nmfrepro.protocols.draws import draw_images
from nmfrepro.protocols.runtime import Runtime


def task(name="nmf", k=3, images=0, fit=None, **parameters):
    coordinates = {"k": k, "images": images, "draw": 0}
    return Task(coordinates, method(name, **parameters), fit or FitSettings(max_iter=30), 7)


def protocol(cls, **options):
    return build(cls, options, f"protocol {cls.kind}")


def test_coordinates_are_rank_and_images():
    assert list(protocol(Runtime, classes=[5, 10], repeats=2).cells(40)) == [
        {"k": k, "images": 0, "draw": draw} for k in (5, 10) for draw in (0, 1)
    ]
    assert list(protocol(Runtime, rank=16, images=[2, 4]).cells(40)) == [
        {"k": 16, "images": images, "draw": 0} for images in (2, 4)
    ]
    assert protocol(Runtime).row_name({"k": 8, "images": 0}) == "k = 8"
    assert protocol(Runtime).row_name({"k": 8, "images": 5, "draw": 0}) == "k = 8, images = 5, draw = 0"
    assert list(protocol(Basis).cells(40)) == [{"k": 40, "images": 0, "draw": 0}]


def test_the_curve_is_that_of_the_fit(samples):
    fit = FitSettings(max_iter=25, trace_every=10)
    outcome = protocol(Convergence, classes=[3]).run(task(fit=fit), samples)
    assert outcome.kept["iterations"].tolist() == [0, 10, 20, 25]
    members = draw_images(samples, 3, 0, 7, "blocks", 0)
    again = factorize(samples.X[members].T, "nmf", 3, seed=outcome.fit_seed, max_iter=25)
    assert np.array_equal(outcome.kept["trace"], again.objective)
    assert outcome.metrics["rises"] == 0


@pytest.mark.parametrize(("name", "noise"), [("nlcf", 0), ("nmf", 0.05)])
def test_rounding_of_single_precision_is_no_rise(samples, name, noise):
    fit = FitSettings(max_iter=1500, trace_every=1, dtype="float32")
    images = np.abs(samples.X + noise * np.random.default_rng(1).standard_normal(samples.X.shape))
    samples = replace(samples, X=images)
    outcome = protocol(Convergence, classes=[4]).run(task(name, k=4, fit=fit), samples)
    assert np.diff(outcome.kept["trace"]).max() > 0
    assert outcome.metrics["rises"] == 0


def test_a_method_without_a_loop_has_one_point(samples):
    outcome = protocol(Convergence, classes=[3]).run(task("pca"), samples)
    assert len(outcome.kept["trace"]) == len(outcome.kept["iterations"]) == 1


@pytest.mark.parametrize(
    ("trace", "settled", "rises"),
    [
        ([9.0, 4.0, 2.0, 1.005, 1.0], 3, 0),
        ([9.0, 1.0, 4.0, 1.0, 1.0], 3, 1),
        ([1.0, 1.0], 0, 0),
        ([0.0, 0.0], 0, 0),
        ([-1.0, -2.0, -2.0], 1, 0),
    ],
)
def test_when_a_curve_has_settled(trace, settled, rises):
    trace = np.array(trace)
    assert convergence.settled(trace, np.arange(len(trace))) == settled
    assert convergence.rises(trace) == rises


def test_images_of_a_basis_are_kept(samples):
    outcome = protocol(Basis, classes=[4], images=[5], rank=3).run(task(images=5), samples)
    assert outcome.kept["images"].shape == (20, 36)
    assert outcome.kept["basis"].shape == (36, 3)
    assert outcome.kept["encodings"].shape == (20, 3)
    assert outcome.kept["classes"].tolist() == sorted(outcome.kept["classes"].tolist())
    assert np.array_equal(outcome.kept["images"], samples.X[outcome.arrays["samples"]].astype(np.float32))


@pytest.mark.parametrize("name", ["pca", "kmeans", "twodnmf"])
def test_methods_without_encodings_or_basis_vectors(samples, name):
    kept = protocol(Basis, classes=[4]).run(task(name, k=4), samples).kept
    assert ("basis" in kept) == (name != "twodnmf")
    assert ("encodings" in kept) == (name != "kmeans")


def test_single_entries_and_the_nearest_basis_vector():
    X = np.array([[1.0, 0.0], [0.9, 0.1], [0.0, 1.0], [0.5, 0.5]])
    vectors = np.eye(2)
    encodings = np.array([[2.0, 0.0], [0.001, 3.0], [0.0, 0.5], [1.0, 1.0]])
    scores = protocol(Basis).scores(X, vectors, encodings)
    assert scores["single"] == 3 / 4
    assert scores["single_exact"] == 2 / 4
    assert scores["nearest"] == 2 / 3  # the second sample lies at the first vector but is coded on the second
    assert scores["rcond"] == pytest.approx(1)


def test_the_condition_of_a_basis_is_of_its_columns_at_length_one():
    assert basis.reciprocal_condition(np.array([[1.0, 2.0], [1.0, 2.0]])) == pytest.approx(0, abs=1e-12)
    assert basis.reciprocal_condition(np.array([[1.0, 0.0], [1.0, 0.0]])) == 0
    assert basis.reciprocal_condition(np.ones((2, 3))) == 0
    assert basis.reciprocal_condition(np.diag([5.0, 0.1])) == pytest.approx(1)


def test_times_are_no_metrics(samples):
    outcome = protocol(Runtime, classes=[3], timings=3).run(task(), samples)
    assert outcome.metrics == {}
    assert outcome.kept["seconds"].shape == (3,)
    assert outcome.seconds == {"fit": np.median(outcome.kept["seconds"])}
    assert outcome.fit.n_iter == 30


def test_stopping_where_the_factors_no_longer_change(samples):
    fit = FitSettings(max_iter=5000)
    options = {"classes": [3], "timings": 1}
    loose = protocol(Runtime, stop_change=1e-2, **options).run(task(fit=fit), samples)
    tight = protocol(Runtime, stop_change=1e-4, **options).run(task(fit=fit), samples)
    assert 10 < loose.fit.n_iter < tight.fit.n_iter < 5000
    never = protocol(Runtime, stop_change=1e-15, **options).run(task(fit=FitSettings(max_iter=40)), samples)
    assert never.fit.n_iter == 40
    assert "still changed" in never.notes[-1]
    problem = protocol(Runtime, **options).pose(task(), samples).problem
    before, after = (
        factorize(problem.X, "nmf", 3, seed=tight.fit_seed, max_iter=tight.fit.n_iter + step).factors
        for step in (-1, 0)
    )
    change = max(np.linalg.norm(after[f] - before[f]) / np.linalg.norm(before[f]) for f in before)
    assert change <= 1e-4


def test_iterations_are_counted_of_the_run_that_is_timed(samples):
    """Whatever the method remembers: here a step, halved in every iteration, by which U grows in place."""

    @dataclass(frozen=True)
    class Halved(TwoFactor):
        name = "halved"

        def given(self, problem):
            return {"X": problem.X, "step": 1.0}

        def update(self, X, step, U, V):
            U *= 1 + step
            return U, V, {"step": step / 2}

        def objective(self, X, step, U, V):
            return np.sum((X - U @ V.T) ** 2)

    problem = protocol(Runtime).pose(task(), samples).problem
    for change, count in ((1e-3, 11), (9e-4, 21), (1e-6, 21), (1e-9, 31), (1e-12, 41)):
        assert runtime.settling(Halved(), problem, FitSettings(), 7, change) == (count, True)
    assert runtime.settling(Halved(), problem, FitSettings(max_iter=20), 7, 9e-4) == (20, False)


def test_the_change_is_the_largest_of_any_factor():
    before = {"U": np.ones((2, 2)), "V": np.ones((2, 2))}
    after = {"U": 1.5 * np.ones((2, 2)), "V": np.ones((2, 2))}
    assert runtime._changed(before, after) == pytest.approx(0.5)


@pytest.mark.parametrize(
    ("name", "factor"),
    [("nmf", "U"), ("tnmf", "W"), ("pca", "C"), ("rica", "W"), ("kmeans", "centers")]
    + [(name, None) for name in ("nmsf", "ntf", "twodnmf", "cf", "nsdr", "sym_nmf", "spectral")],
)
def test_a_basis_has_a_row_for_each_pixel_and_no_encodings_are_taken_for_one(samples, name, factor):
    """Of as many images as pixels, too."""
    parameters = {"tnmf": {"lam": 1}}.get(name, {})
    for images, shape in ((9, (36, 36)), (5, (20, 36))):
        given = task(name, k=4, images=images, **parameters)
        outcome = protocol(Basis, classes=[4], images=[images]).run(given, samples)
        assert outcome.kept["images"].shape == shape
        assert np.isnan(outcome.metrics["rcond"]) == (factor is None)
        if factor is None:
            assert "basis" not in outcome.kept
        else:
            np.testing.assert_array_equal(outcome.kept["basis"], outcome.arrays[factor])


def test_labelled_images_are_given_to_methods_that_take_them(samples):
    outcome = protocol(Convergence, classes=[3], labelled=2).run(task("cnmf"), samples)
    assert outcome.arrays["Z"].shape[0] == 27 - 6 + 3


def test_only_sides_that_bound_a_basis_bound_k():
    tall = Expected(1000, 100, 10, 1024, (64, 16))
    protocol(Runtime, rank=99).check(tall, [method("ntf")])
    protocol(Runtime, rank=64).check(tall, [method("nmsf"), method("glram", l2=8)])
    protocol(Runtime, rank=99).check(tall, [method("glram", l1=8, l2=8)])
    for name, rank, side in (("nmsf", 65, 64), ("twodnmf", 17, 16)):
        with pytest.raises(SpecError, match=f"rank is {rank}, but {name} has {side} at most"):
            protocol(Runtime, rank=rank).check(tall, [method(name)])
    with pytest.raises(SpecError, match="rank is 17, but glram has 16 at most"):
        protocol(Runtime, rank=17).check(tall, [method("glram", l1=8)])
    with pytest.raises(SpecError, match="glram: l1 = 65 exceeds the images' 64 rows"):
        protocol(Runtime, rank=2).check(tall, [method("glram", l1=65)])


@pytest.mark.parametrize(
    ("options", "names", "message"),
    [
        ({"classes": [41]}, ["nmf"], "classes has 41, but the dataset has 40"),
        ({"images": [11]}, ["nmf"], "images has 11 of each class, but the smallest class has 10"),
        ({"labelled": 2}, ["nmf"], "no listed algorithm takes labels"),
        ({}, ["cnmf"], "cnmf is semi-supervised: give protocol.labelled"),
        ({"rank": 33}, ["nmf", "glram"], "rank is 33, but glram has 32 at most: the images' side"),
        ({"classes": [4, 33]}, ["twodnmf"], "classes has 33, but twodnmf has 32 at most"),
        ({}, ["twodnmf"], "classes has 40, but twodnmf has 32 at most"),
        ({"stop_change": 1e-6}, ["pca"], "stop_change is for iterative methods"),
    ],
)
def test_errors_before_work(options, names, message):
    with pytest.raises(SpecError, match=message):
        protocol(Runtime, **options).check(ORL, [method(name) for name in names])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"classes": [5, 10], "rank": 4}, "rank fixes the basis"),
        ({"classes": []}, "classes must name at least one"),
        ({"images": [2, 2]}, "images names 2 twice"),
        ({"labelled": "10"}, "count or a share"),
    ],
)
def test_options_that_do_not_go_together(options, message):
    with pytest.raises(SpecError, match=message):
        protocol(Basis, **options)


def test_what_does_not_concern_a_method_is_not_in_its_key():
    nmf, twodnmf, cnmf = method("nmf"), method("twodnmf"), method("cnmf")
    plain = protocol(Convergence)
    assert plain.identity(twodnmf) == protocol(Convergence, square=True).identity(twodnmf)
    assert plain.identity(nmf) == protocol(Convergence, labelled=2, classes=[3, 4]).identity(nmf)
    assert plain.identity(cnmf) != protocol(Convergence, labelled=2).identity(cnmf)
    assert plain.identity(nmf) != protocol(Convergence, rank=5).identity(nmf)


def test_images_of_a_class_are_all_where_no_number_is_given_or_there_is_no_such_coordinate():
    at = ({"k": 2, "images": 0, "draw": 0}, {"k": 2, "draw": 0}, {"k": 2, "images": 5, "draw": 0})
    assert [protocol(Convergence).whole_classes(each, (9, 9)) for each in at] == [True, True, False]


@pytest.mark.parametrize(
    ("options", "cell"),
    [
        ({"classes": [20, 10]}, {"k": 10, "images": 0, "draw": 0}),
        ({"rank": 25, "classes": [25], "images": [5]}, {"k": 6, "images": 5, "draw": 0}),
        ({"rank": 16, "images": [4, 2]}, {"k": 6, "images": 2, "draw": 0}),
        ({}, {"k": 40, "images": 0, "draw": 0}),
    ],
)
def test_smoke_is_one_small_trial(options, cell):
    assert list(protocol(Basis, **options).smoke().cells(40)) == [cell]
