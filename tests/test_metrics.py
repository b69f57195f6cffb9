"""Metrics against literal values, scikit-learn, exhaustive search and the definitions' own properties."""

from __future__ import annotations

import itertools
import warnings

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import adjusted_rand_score, normalized_mutual_info_score

from nmfrepro import metrics, protocols
from nmfrepro.core.errors import DataError, SpecError
from nmfrepro.protocols.clustering import Clustering

# classes, clusters, accuracy, purity, NMI by max, min, geometric, arithmetic mean
PAIRS = {
    "perfect": ([0] * 5 + [1] * 5, [0] * 5 + [1] * 5, 1, 1, (1, 1, 1, 1)),
    "swapped": ([0] * 5 + [1] * 5, [1] * 5 + [0] * 5, 1, 1, (1, 1, 1, 1)),
    "fewer_clusters": (
        [0, 0, 0, 1, 1, 1, 2, 2, 2],
        [0, 0, 0, 1, 1, 1, 1, 1, 1],
        0.666667,
        0.666667,
        (0.57938, 1, 0.76117, 0.73368),
    ),
    "more_clusters": (
        [1] * 6 + [2] * 6,
        [1, 1, 1, 2, 2, 2, 3, 3, 3, 4, 4, 4],
        0.5,
        1,
        (0.5, 1, 0.707107, 0.666667),
    ),
    "each_its_own": ([0] * 5 + [1] * 5, range(10), 0.2, 1, (0.30103, 1, 0.548662, 0.462756)),
    "gaps": ([1, 1, 1, 3, 3, 3, 7, 7, 7], [20] * 3 + [101] * 3 + [5] * 3, 1, 1, (1, 1, 1, 1)),
    "negative_labels": ([-2] * 3 + [-1] * 3 + [0] * 3, [0] * 3 + [1] * 3 + [2] * 3, 1, 1, (1, 1, 1, 1)),
    "text_labels": (["s1"] * 3 + ["s10"] * 3 + ["s2"] * 3, [2] * 3 + [0] * 3 + [1] * 3, 1, 1, (1, 1, 1, 1)),
    "greedy_is_wrong": ([0] * 11 + [1] * 5, [0] * 6 + [1] * 5 + [0] * 5, 0.625, 0.6875, (0.237314,) * 4),
    "forty_classes": (np.repeat(range(40), 2), np.repeat([7 * i % 41 for i in range(40)], 2), 1, 1, (1,) * 4),
}
LABELLINGS = st.integers(1, 30).flatmap(
    lambda n: st.tuples(*(st.lists(st.integers(-3, 4), min_size=n, max_size=n) for _ in range(2)))
)


@pytest.mark.parametrize("name", PAIRS)
def test_literal_values(name: str) -> None:
    y, clusters, accuracy, purity, nmis = PAIRS[name]
    assert metrics.accuracy(y, clusters) == pytest.approx(accuracy, abs=1e-6)
    assert metrics.purity(y, clusters) == pytest.approx(purity, abs=1e-6)
    for normalizer, value in zip(metrics.NORMALIZERS, nmis, strict=True):
        assert metrics.nmi(y, clusters, normalizer) == pytest.approx(value, abs=1e-6)


@given(LABELLINGS)
def test_agrees_with_scikit_learn(pair: tuple[list[int], list[int]]) -> None:
    y, clusters = pair
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # scikit-learn finds labels with many values odd
        assert metrics.ari(y, clusters) == pytest.approx(adjusted_rand_score(y, clusters), abs=1e-12)
        for normalizer in metrics.NORMALIZERS:
            expected = normalized_mutual_info_score(y, clusters, average_method=normalizer)
            assert metrics.nmi(y, clusters, normalizer) == pytest.approx(expected, abs=1e-12)


@given(LABELLINGS)
def test_accuracy_is_the_best_of_all_matchings(pair: tuple[list[int], list[int]]) -> None:
    y, clusters = pair
    classes, groups = sorted(set(y)), sorted(set(clusters))
    padded = classes + [None] * max(0, len(groups) - len(classes))  # None: matched to no class
    if len(padded) > 6:
        return
    best = max(
        sum(dict(zip(groups, chosen, strict=True))[c] == t for t, c in pair_up(y, clusters))
        for chosen in itertools.permutations(padded, len(groups))
    )
    assert metrics.accuracy(y, clusters) == pytest.approx(best / len(y))


def pair_up(y: list[int], clusters: list[int]) -> list[tuple[int, int]]:
    return list(zip(y, clusters, strict=True))


@given(LABELLINGS)
def test_scores_do_not_depend_on_names_or_roles(pair: tuple[list[int], list[int]]) -> None:
    y, clusters = pair
    renamed = [f"group {label}" for label in clusters]
    assert metrics.clustering(y, renamed) == pytest.approx(metrics.clustering(y, clusters), nan_ok=True)
    for symmetric in (metrics.accuracy, metrics.nmi, metrics.ari):
        assert symmetric(clusters, y) == pytest.approx(symmetric(y, clusters))
    assert metrics.accuracy(y, clusters) <= metrics.purity(y, clusters) + 1e-12


def test_c03_accuracy_and_purity_are_two_numbers_and_perfect_is_one() -> None:
    y, clusters, *_ = PAIRS["greedy_is_wrong"]
    scores = metrics.clustering(y, clusters)
    assert (scores["accuracy"], scores["purity"]) == (0.625, 0.6875)
    assert metrics.recognition_rate([0, 0, 1, 1], [1, 1, 0, 0]) == 0  # a classifier is not matched


@pytest.mark.parametrize("normalizer", metrics.NORMALIZERS)
def test_nmi_of_trivial_labellings(normalizer: str) -> None:
    assert metrics.nmi([3, 3, 3], ["a", "a", "a"], normalizer) == 1
    assert metrics.nmi([3, 3, 3], ["a", "b", "a"], normalizer) == 0
    assert metrics.nmi([1, 2, 1], ["a", "a", "a"], normalizer) == 0


def test_ari_of_many_samples_does_not_overflow() -> None:
    y = np.repeat([0, 1], 100_000)
    assert metrics.ari(y, y) == 1
    assert metrics.ari(y, np.tile([0, 1], 100_000)) == pytest.approx(0, abs=1e-5)


def test_labels_of_several_types() -> None:
    assert metrics.accuracy(np.array(["None", None, 1], dtype=object), [0, 1, 2]) == 1


@pytest.mark.parametrize(
    ("y", "clusters", "said"),
    [
        (np.zeros((4, 1)), np.zeros(4), r"y must hold one label per sample, shape \(n,\), not \(4, 1\)"),
        (np.zeros(4), np.zeros((4, 1)), r"clusters must hold one label per sample"),
        (np.zeros(4), np.zeros(5), "y has 4 labels and clusters has 5"),
        ([], [], r"not \(0,\)"),
        (0, 0, r"not \(\)"),
        ([0.0, np.nan], [0, 1], "y has samples without a label"),
        (pd.Series(["a", pd.NA], dtype="string"), [0, 1], "y has samples without a label"),
        (np.array(["2001-01-01", "NaT"], dtype="datetime64[D]"), [0, 1], "y has samples without a label"),
    ],
)
def test_c01_wrong_shapes_are_refused(y: object, clusters: object, said: str) -> None:
    with pytest.raises(DataError, match=said):
        metrics.clustering(y, clusters)


def test_recognition_rate() -> None:
    assert metrics.recognition_rate(["a", "b", "b", "c"], ["a", "b", "c", "c"]) == 0.75
    for text in (["1", "2"], pd.Series(["1", "2"]), pd.Series(["1", "2"], dtype=object)):
        with pytest.raises(DataError, match="same labels"):
            metrics.recognition_rate(text, [1, 2])
    with pytest.raises(DataError, match="y has samples without a label"):
        metrics.recognition_rate([1.0, np.nan], [1, 2])
    with pytest.raises(DataError, match="shape"):
        metrics.recognition_rate([1, 2], [[1], [2]])


def test_sparseness_by_hand() -> None:
    assert metrics.sparseness([[0, 7, 0, 0]]) == 1
    assert metrics.sparseness([[2, 2, 2, 2]]) == 0
    assert metrics.sparseness([[0, 0, 0, 0]]) == 0
    # L1/L2 = 2/√2 = √2 with d = 4: (2 − √2)/(2 − 1)
    assert metrics.sparseness([[1, -1, 0, 0]]) == pytest.approx(2 - 2**0.5)
    assert metrics.sparseness([[0, 7, 0, 0], [2, 2, 2, 2], [0, 0, 0, 0]]) == pytest.approx(1 / 3)
    assert np.isnan(metrics.sparseness([[1], [2]]))


@given(
    st.lists(st.lists(st.floats(0, 1), min_size=3, max_size=3), min_size=1, max_size=5),
    st.sampled_from([1e-300, 1e-3, 1e300]),
)
def test_sparseness_ignores_the_scale_of_a_sample(rows: list[list[float]], factor: float) -> None:
    E = np.round(np.array(rows), 3)
    assert metrics.sparseness(E * factor) == pytest.approx(metrics.sparseness(E), abs=1e-9)
    assert 0 <= metrics.sparseness(E) <= 1


@pytest.mark.parametrize(
    ("embedding", "said"),
    [
        (np.zeros(3), r"samples × dimensions, not of shape \(3,\)"),
        (np.zeros((0, 3)), r"not of shape \(0, 3\)"),
        (np.array([[1.0, np.inf]]), "entries that are not finite"),
    ],
)
def test_sparseness_of_what_is_no_matrix_of_numbers_is_refused(embedding: np.ndarray, said: str) -> None:
    with pytest.raises(DataError, match=said):
        metrics.sparseness(embedding)


def test_clustering_gives_every_column_and_nan_where_it_does_not_apply() -> None:
    scores = metrics.clustering([0, 1], [1, 0], np.eye(2))
    assert tuple(scores) == tuple(Clustering.metrics)
    assert set(scores.values()) == {1.0}
    assert np.isnan(metrics.clustering([0, 1], [1, 0])["sparseness"])


def test_every_metric_is_described() -> None:
    assert set(Clustering.metrics) <= set(protocols.metrics())
    assert "larger" in protocols.description("nmi").text
    with pytest.raises(SpecError, match="did you mean accuracy"):
        protocols.description("acuracy")
    with pytest.raises(SpecError, match="did you mean max"):
        metrics.nmi([0, 1], [0, 1], "maxx")
