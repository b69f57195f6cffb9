"""Scores of methods on the rows and trials they share."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from handmade import write_results

from nmfrepro.analysis.significance.scores import of_published, of_results
from nmfrepro.core.errors import ResultsError, SpecError


def test_rows_and_methods_that_lack_trials_are_left_out_and_named(tmp_path: Path) -> None:
    def scores(label: str, at: dict[str, int]) -> Any:
        if label == "NLCF" and at == {"k": 4, "draw": 1}:
            return {"accuracy": "collapsed"}
        return {"accuracy": 0.5 + 0.1 * at["draw"], "sparseness": None if label == "NMF" else 0.5}

    results = write_results(tmp_path / "r", scores, metrics=["accuracy", "sparseness"])
    found = of_results(results)
    assert (found.rows, found.labels) == (("2", "40"), ("NMF", "NLCF"))
    np.testing.assert_allclose(found.means, [[60, 60], [50, 50]])
    assert found.left_out == ("k = 4 of the means (trials of NLCF are missing)",)
    assert set(found.trials["NMF"]) - set(found.trials["NLCF"]) == {(4, 1)}
    assert found.trials["NMF"][2, 1] == pytest.approx(60)
    sparse = of_results(results, "sparseness")
    assert sparse.labels == ("NLCF",)
    assert sparse.left_out[0] == "NMF has no sparseness"


def test_recognition_takes_the_trials_of_the_dimension_shown(tmp_path: Path) -> None:
    cells = [{"train": p, "k": k, "draw": d} for p in (2, 3) for k in (1, 2) for d in range(2)]

    def scores(label: str, at: dict[str, int]) -> float:
        best = 2 if (label, at["train"]) == ("NMF", 2) else 1
        return 0.5 + 0.1 * at["draw"] + (0.2 if at["k"] == best else 0)

    results = write_results(tmp_path / "r", scores, cells=cells, metrics=["nn"], kind="recognition")
    found = of_results(results)
    assert found.coordinate == "train"
    assert found.trials["NMF"] == pytest.approx({(2, 0): 70, (2, 1): 80, (3, 0): 70, (3, 1): 80})
    assert "best mean of 2, chosen per method and row on the test samples themselves" in found.notes[-1]


def test_printed_means_are_scores_without_trials() -> None:
    scores = of_published("nlcf/table5_orl", "nmi")
    assert scores.means.shape == (9, 5)
    assert scores.trials == {}
    with pytest.raises(ResultsError, match="has no rows of purity; it holds accuracy, nmi"):
        of_published("nlcf/table5_orl", "purity")
    with pytest.raises(ResultsError, match="has no rows, over which"):
        of_published("nlcf/table8_sparseness")
    with pytest.raises(SpecError, match="did you mean tnmf/table3_yale"):
        of_published("tnmf/table3")
