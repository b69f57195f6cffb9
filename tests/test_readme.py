"""What the README shows runs as it stands."""

from __future__ import annotations

import re
import sys
import types
from pathlib import Path

import numpy as np
import pytest

from nmfrepro.core.problem import FitSettings
from nmfrepro.factorization import fit, make_problem
from nmfrepro.spec.reader import read_spec

README = Path(__file__).parent.parent / "README.md"


def blocks(language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", README.read_text(encoding="utf-8"), flags=re.DOTALL)


def test_the_method_of_the_readme_descends_to_its_own_formula(monkeypatch):
    module = types.ModuleType("ridge_nmf")
    monkeypatch.setitem(sys.modules, "ridge_nmf", module)
    exec(compile(blocks("python")[0], "README.md", "exec"), vars(module))
    X = np.random.default_rng(0).random((20, 12))
    found = fit(
        module.RidgeNMF(lam=2.0), make_problem(X, 3), FitSettings(restarts=2, max_iter=60, trace_every=1), 0
    )
    assert np.all(np.diff(found.objective) <= 1e-12 * found.objective[:-1])
    U, V = found.factors["U"], found.factors["V"]
    penalty = 2.0 * (np.sum(U**2) + np.sum(V**2))
    assert found.objective[-1] == pytest.approx(np.sum((X - U @ V.T) ** 2) + penalty)


def test_the_spec_of_the_readme_is_valid(tmp_path):
    path = tmp_path / "my.yaml"
    path.write_text(blocks("yaml")[0], encoding="utf-8")
    assert [entry.label for entry in read_spec(path).entries] == [
        "Kmeans",
        "NMF",
        "NLCF (mu = 0.1)",
        "NLCF (mu = 0.5)",
    ]


def test_the_call_of_the_readme_runs():
    names = {"X": np.random.default_rng(0).random((30, 20))}
    exec(blocks("python")[1].replace("max_iter=500", "max_iter=5"), names)
    assert names["fit"].embedding.shape == (20, 8)


def test_both_commands_are_in_the_readme():
    text = README.read_text(encoding="utf-8")
    assert "nmfrepro run experiments/orl_nlcf.yaml" in text
    command = r"^python -m pip install .*\[test\].* && python -m pytest -n auto"
    assert re.search(command, text, flags=re.MULTILINE)
