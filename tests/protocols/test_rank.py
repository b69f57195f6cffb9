"""Choosing the rank: consensus of restarts, and the error of held-out entries."""

import math

import numpy as np
import pytest
from protocolparts import method

from nmfrepro import algorithms, factorize
from nmfrepro.algorithms.nmf import NMF
from nmfrepro.algorithms.nmf_kl import NMFKL
from nmfrepro.core.errors import SpecError
from nmfrepro.core.options import build
from nmfrepro.core.problem import FitSettings
from nmfrepro.datasets import Expected
from nmfrepro.protocols import Samples, Task, rank
from nmfrepro.protocols.rank import Rank
from nmfrepro.spec.checks import ANYTHING


def run(samples, name="nmf", k=3, max_iter=30, **options):
    protocol = build(Rank, {"ranks": [k], "starts": 3} | options, "protocol rank")
    return protocol.run(Task({"k": k, "draw": 0}, method(name), FitSettings(max_iter=max_iter), 7), samples)


def test_the_measures_of_a_consensus_done_by_hand():
    # Four samples, four clusterings: {1 2 | 3 4} twice, {1 2 3 | 4} and {1 | 2 3 4} once.
    agreed = rank.consensus(np.array([[0, 0, 1, 1], [5, 5, 2, 2], [0, 0, 0, 1], [0, 1, 1, 1]]))
    assert (4 * agreed).tolist() == [[4, 3, 1, 0], [3, 4, 2, 1], [1, 2, 4, 3], [0, 1, 3, 4]]
    # Pairs 12, 13, 14, 23, 24, 34.  1 and 2 are joined at 1/4, so are 3 and 4; the two pairs at the mean of
    # 3/4, 1, 1/2 and 3/4.
    apart, heights = [1 / 4, 3 / 4, 1, 1 / 2, 3 / 4, 1 / 4], [1 / 4, 3 / 4, 3 / 4, 3 / 4, 3 / 4, 1 / 4]
    assert rank.cophenetic(agreed) == pytest.approx(np.corrcoef(apart, heights)[0, 1])
    # 4(c − ½)² is 1 for the four on the diagonal; twice 1/4, 1/4, 1, 0, 1/4 and 1/4 beside it.
    assert rank.dispersion(agreed) == pytest.approx((4 + 2 * 2) / 16)


def test_starts_that_agree_and_starts_that_agree_on_nothing_to_tell():
    crisp = rank.consensus(np.array([[0, 0, 1], [1, 1, 0]]))
    assert rank.cophenetic(crisp) == pytest.approx(1)
    assert rank.dispersion(crisp) == 1
    assert math.isnan(rank.cophenetic(np.ones((3, 3))))
    assert math.isnan(rank.cophenetic(np.ones((1, 1))))


def test_what_can_leave_entries_out():
    """For a subclass with another objective an inherited update is wrong."""
    methods = [build(cls, dict(cls.example), name) for name, cls in algorithms.registry().items()]
    assert [each.name for each in methods if rank.weighted(each)] == ["nmf", "nmf_kl"]
    same = type("Own", (NMF,), {})
    assert rank.weighted(same()) is not None
    other = type("Other", (same,), {"objective": NMFKL.objective, "stacked": False})
    assert rank.weighted(other()) is None


@pytest.mark.parametrize(
    ("update", "loss"), [(NMF().update_weighted, "squared"), (NMFKL().update_weighted, "divergence")]
)
def test_weighted_updates_are_those_of_the_visible_entries(update, loss):
    """Entry by entry: sums over visible entries alone, and the weighted loss never rises."""
    rng = np.random.default_rng(0)
    X, U, V = rng.random((5, 7)), rng.random((5, 2)), rng.random((7, 2))
    W = (rng.random((5, 7)) > 0.3).astype(float)

    def wanted(X, W, U, V):
        moved = U.copy()
        for i in range(len(X)):
            seen = [j for j in range(X.shape[1]) if W[i, j]]
            y = {j: sum(U[i, c] * V[j, c] for c in range(2)) for j in seen}
            for a in range(2):
                if loss == "squared":
                    up, down = sum(X[i, j] * V[j, a] for j in seen), sum(y[j] * V[j, a] for j in seen)
                else:
                    up, down = sum(X[i, j] / y[j] * V[j, a] for j in seen), sum(V[j, a] for j in seen)
                moved[i, a] = U[i, a] * up / down
        return moved

    first = wanted(X, W, U, V)
    second = wanted(X.T, W.T, V, first)
    got = update(X, W, U, V)
    assert np.allclose(got[0], first)
    assert np.allclose(got[1], second)
    # What is hidden has no influence.
    changed = update(np.where(W > 0, X, 9.0), W, U, V)
    assert all(map(np.array_equal, changed, got))


def test_the_relative_error_is_that_of_the_hidden_entries_alone():
    X, Y, hidden = (
        np.array([[3.0, 1.0], [4.0, 1.0]]),
        np.array([[2.0, 7.0], [2.0, 7.0]]),
        np.array([[1, 0], [1, 0]]),
    )
    assert rank.relative_error(X, hidden, Y) == pytest.approx(math.sqrt((1 + 4) / (9 + 16)))


@pytest.mark.parametrize("name", ["nmf", "nmf_kl"])
def test_the_held_out_error_is_smallest_at_the_true_rank(name):
    rng = np.random.default_rng(3)
    # Bounded entries, since a few large ones would decide the error; noise of mean 1, since an offset would
    # be a fourth component.
    U, V = (rng.random(shape) * (rng.random(shape) > 0.4) for shape in ((60, 3), (40, 3)))
    X = U @ V.T * rng.uniform(0.8, 1.2, (60, 40))
    samples = Samples("rank three", X, np.repeat([0, 1], 30), None)
    errors = {k: run(samples, name, k, 500, starts=2).metrics["held_out_error"] for k in range(1, 6)}
    assert min(errors, key=errors.get) == 3
    assert errors[2] > 1.5 * errors[3]


def test_the_consensus_is_that_of_fits_with_other_seeds(samples):
    outcome = run(samples, k=4, max_iter=300)
    again = factorize(samples.X.T, "nmf", 4, seed=outcome.fit_seed, max_iter=300)
    assert np.array_equal(outcome.arrays["labels"], again.embedding.argmax(axis=1))
    assert np.array_equal(outcome.kept["clusters"][0], outcome.arrays["labels"])
    assert rank.dispersion(rank.consensus(outcome.kept["clusters"])) == outcome.metrics["dispersion"]
    assert 0 < outcome.metrics["dispersion"] <= 1
    # A method without chance always agrees with itself, and has no held-out error.
    outcome = run(samples, "pca", k=4)
    assert outcome.metrics["dispersion"] == 1
    assert outcome.metrics["cophenetic"] == pytest.approx(1)
    assert math.isnan(outcome.metrics["held_out_error"])


@pytest.mark.parametrize(
    ("name", "options", "why"),
    [
        ("cnmf", {}, "needs labels"),
        ("nmf", {"images": 11}, "smallest class has 10"),
        ("nmf", {}, "70000 images are too many .* fewer with"),
    ],
)
def test_what_cannot_be_done_is_refused(name, options, why):
    n = 70_000 if "too many" in why else 400
    protocol = build(Rank, {"ranks": [2]} | options, "protocol rank")
    with pytest.raises(SpecError, match=why):
        protocol.check(Expected(n, 40, 10, 1024, (32, 32)), [method(name)])


def test_a_file_that_nobody_has_opened_is_not_too_large():
    build(Rank, {"ranks": [2]}, "protocol rank").check(ANYTHING, [NMF()])
