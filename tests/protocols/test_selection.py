"""The best dimension of a recognition table."""

import pandas as pd
import pytest

from nmfrepro.errors import SpecError
from nmfrepro.protocols.selection import best_dimension


def rows(*cells):
    names = ["label", "algorithm", "status", "train", "k", "draw", "nn", "nn_validation"]
    return pd.DataFrame([(c[0], c[0].lower(), *c[1:]) for c in cells], columns=names)


FRAME = rows(
    ("NMF", "ok", 2, 1, 0, 0.50, 0.90),
    ("PCA", "ok", 2, 1, 0, 0.70, 0.60),
    ("NMF", "ok", 2, 1, 1, 0.54, 0.70),
    ("PCA", "failed", 2, 1, 1, float("nan"), float("nan")),
    ("NMF", "ok", 2, 2, 0, 0.60, 0.80),
    ("PCA", "ok", 2, 2, 0, 0.70, 0.61),
    ("NMF", "ok", 2, 2, 1, 0.40, 0.50),
    ("PCA", "ok", 2, 2, 1, 0.70, 0.61),
    ("NMF", "ok", 3, 1, 0, 0.60, 0.70),
    ("NMF", "ok", 3, 2, 0, 0.62, 0.60),
)


def test_the_best_mean_on_test_images_decides_as_printed():
    best = best_dimension(FRAME, by="test")
    assert best[["train", "label", "k", "n"]].values.tolist() == [
        [2, "NMF", 1, 2],
        [2, "PCA", 1, 1],  # equal to k = 2: the smaller dimension
        [3, "NMF", 2, 1],
    ]
    assert best["mean"].tolist() == pytest.approx([0.52, 0.70, 0.62])
    assert best["std"][0] == pytest.approx(0.04 / 2**0.5)


def test_the_best_on_validation_images_is_reported_on_test_images():
    best = best_dimension(FRAME, by="validation")
    assert best["k"].tolist() == [1, 2, 1]
    assert best["mean"].tolist() == pytest.approx([0.52, 0.70, 0.60])


def test_a_run_without_validation_images_refuses():
    with pytest.raises(SpecError, match="validation: true"):
        best_dimension(FRAME.assign(nn_validation=float("nan")), by="validation")


def test_an_unknown_criterion_is_named():
    with pytest.raises(SpecError, match="did you mean test"):
        best_dimension(FRAME, by="tests")
