"""Encodings whose scale the model leaves free can be read at a stated one."""

from __future__ import annotations

import numpy as np
import pytest
from contract import ITERATIVE, data, method_and_problem

from nmfrepro import algorithms
from nmfrepro.analysis.tables import make_table
from nmfrepro.commands import run
from nmfrepro.core.options import options_of
from nmfrepro.results.folder import read

# By method, the factors that are scaled by ×a and ÷a without any change of X's approximation.
PAIRS = {
    "nmf": ("U", "V"),
    "nmf_kl": ("U", "V"),
    "nmf_ncw": ("U", "V"),
    "gnmf": ("U", "V"),
    "l21_nmf": ("F", "G"),
    "lds_nmf": ("W", "H"),
    "cim_nmf": ("U", "V"),
    "nmsf": ("U", "V"),
    "twodnmf": ("U", "D"),
    "ntf": ("U", "W"),
}
# With terms whose weight is not zero the scale is not free.
FREE = {"lds_nmf": {"lam": 0, "gamma": 0}, "gnmf": {"lam": 0}}
READ = [name for name in ITERATIVE if "normalize" in options_of(algorithms.get(name))]


def scaled(axes, factor, by):
    """One component of a factor times a number."""
    changed, component = factor.copy(), next(axis for axis in axes if axis in ("k", "l1"))
    np.moveaxis(changed, axes.index(component), 0)[0] *= by
    return changed


@pytest.mark.parametrize("name", PAIRS)
def test_unit_columns_fix_the_scale(name):
    method, problem = method_and_problem(name, data(), normalize="unit", **FREE.get(name, {}))
    first = {factor: method.start(problem, factor, 0, 0) for factor in method.factors}
    basis, encodings = PAIRS[name]
    axes = method.factors
    other = first | {
        basis: scaled(axes[basis], first[basis], 0.01),
        encodings: scaled(axes[encodings], first[encodings], 100),
    }
    given = method.given(problem)
    assert method.objective(**given, **other) == pytest.approx(method.objective(**given, **first))
    np.testing.assert_allclose(method.embedding(other, problem), method.embedding(first, problem), rtol=1e-12)


@pytest.mark.parametrize("name", READ)
def test_a_reading_that_came_later_changes_no_key(name):
    cls = algorithms.get(name)
    known, method = options_of(cls)["normalize"], cls(**cls.example)
    assert known.later == (known.default == "none")
    assert ("normalize" in method.identity) != known.later
    changed = cls(**cls.example, normalize="unit" if known.later else "none")
    assert changed.identity["normalize"] == changed.normalize


@pytest.mark.usefixtures("in_process")
def test_a_table_says_which_encodings_were_read_so(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "free.yaml").write_text(
        "title: free\ndataset: {name: digits, scale: grey}\n"
        "protocol: {kind: clustering, clusters: [2], repeats: 1, assign: kmeans}\n"
        "fit: {restarts: 1, max_iter: 5, tol: 0}\nseed: 1\n"
        "algorithms: [nmf, l21_nmf, {name: l21_nmf, normalize: unit}, {name: lds_nmf, lam: 1, gamma: 0.01}]\n"
    )
    run("free.yaml")
    (note,) = (
        each for each in make_table(read(tmp_path / "results" / "free")).notes if "model leaves free" in each
    )
    assert note.endswith("free: L21-NMF (normalize = none).")
