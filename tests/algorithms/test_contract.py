"""What every method of the registry must do, whatever it computes."""

from __future__ import annotations

import dataclasses
import itertools
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from contract import (
    AXES,
    COMPARABLE,
    ITERATIVE,
    LABELS,
    NAMES,
    SETTLED,
    WIDTH,
    K,
    close,
    data,
    method_and_problem,
    options,
    run,
    same,
    start,
)

from nmfrepro import algorithms
from nmfrepro.contract import verdicts
from nmfrepro.core.errors import DataError, SpecError

# Of the others all starts are one.
RANDOM = [name for name in ITERATIVE if "restarts" in algorithms.get(name).fit_settings]


@pytest.mark.parametrize("name", NAMES)
def test_every_promise_is_kept(name):
    """What `nmfrepro check-algorithm` tries: descent, values of parameters, scales, the same bytes."""
    assert [each for each in verdicts(algorithms.get(name)) if each.problem] == []


@pytest.mark.parametrize("name", NAMES)
def test_metadata(name):
    cls = algorithms.get(name)
    assert cls.name == name
    assert cls.title
    assert "\n" not in cls.paper + cls.objective_text
    assert cls.revision >= 1
    assert all(sentence.endswith(".") for sentence in cls.uncertain)
    assert cls.__doc__ is not None
    assert cls.__doc__ != cls.__mro__[1].__doc__
    for option in options(name).values():
        assert len(option.help) > 10, option.name
        if option.required:
            assert option.check(cls.example[option.name]) == cls.example[option.name]
        else:
            assert option.check(option.default) == option.default
    assert dataclasses.is_dataclass(cls)
    assert cls.__dataclass_params__.frozen


def test_titles_tell_methods_apart():
    titles = [algorithms.get(name).title for name in NAMES]
    assert len(set(titles)) == len(titles)


def test_every_method_of_a_paper_says_what_it_minimises_and_who_proposed_it():
    for name in NAMES:
        cls = algorithms.get(name)
        if cls.paper or cls.cites:
            assert cls.objective_text, name
            assert cls.cites, name
            assert re.search(r"\b(19|20)\d\d\b", cls.paper), name


@pytest.mark.parametrize("name", SETTLED)
def test_a_default_that_files_rely_on_is_kept(name):
    declared = options(name)
    assert {parameter: declared[parameter].default for parameter in SETTLED[name]} == SETTLED[name]


# Not where there is one factor, or where columns of U have unit length.
SCALABLE = [name for name in ITERATIVE if len(algorithms.get(name).factors) > 1 and name != "nnsc"]


@pytest.mark.parametrize("name", SCALABLE)
def test_the_budget_is_fixed_where_scaling_lowers_the_objective_for_ever(name):
    """(sU, V/s) with growing s, or shrinking: then there is no minimiser, and the iterations decide."""
    method, problem = method_and_problem(name, data())
    given, first = method.given(problem), start(name, data())
    basis, encodings = next(iter(first)), list(first)[-1]

    def value(s):
        moved = first | {basis: s * first[basis], encodings: first[encodings] / s}
        return method.objective(**given, **moved)

    lower = [
        all(value(direction ** (i + 1)) < value(direction**i) * (1 - 1e-12) for i in range(4))
        for direction in (10.0, 0.1)
    ]
    assert any(lower) == method.fixed_budget


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("name", NAMES)
def test_keys_shapes_and_types(name, dtype):
    fit = run(name, data(), dtype=dtype)
    assert {values.dtype for values in fit.factors.values()} <= {np.dtype(dtype)}
    shapes = {factor: values.shape for factor, values in fit.factors.items()}
    declared = algorithms.get(name).factors
    assert shapes == {factor: tuple(AXES[axis] for axis in axes) for factor, axes in declared.items()}
    assert (fit.embedding is not None) == algorithms.get(name).has_encodings
    assert (fit.labels is not None) == algorithms.get(name).has_labels
    if fit.embedding is None:
        assert fit.labels.shape == (AXES["n"],)
    else:
        assert fit.embedding.shape == (AXES["n"], WIDTH.get(name, K))
        assert fit.embedding.dtype == dtype
    assert np.isfinite(fit.objective).all()
    assert fit.objective.dtype == np.float64


def remembers(name):
    """Whether an iteration goes on from more than the factors before it: from step lengths."""
    method, problem = method_and_problem(name, data())
    returned = method.update(**method.given(problem), **start(name, data()))
    return isinstance(returned, tuple) and isinstance(returned[-1], dict)


@pytest.mark.parametrize("name", ITERATIVE)
def test_exactly_n_iterations_from_init(name):
    X, first = data(), start(name, data())
    before = {factor: values.copy() for factor, values in first.items()}
    none = run(name, X, init=first, max_iter=0)
    for factor, values in first.items():
        close(none.factors[factor], values, 1e-15)
    fit = run(name, X, init=first, max_iter=7, trace_every=2)
    assert fit.n_iter == 7
    assert len(fit.objective) == 5  # 0, 2, 4, 6, 7
    assert not fit.converged
    for factor, values in before.items():
        np.testing.assert_array_equal(first[factor], values)
    if not remembers(name):
        twice = run(name, X, init=run(name, X, init=first, max_iter=3).factors, max_iter=4)
        for factor, values in fit.factors.items():
            close(twice.factors[factor], values, 1e-12)


@pytest.mark.parametrize("name", ITERATIVE)
def test_init_of_a_wrong_shape_is_refused(name):
    first = start(name, data())
    factor = next(iter(first))
    with pytest.raises(SpecError, match=f"init must have {factor} of shape"):
        run(name, data(), init=first | {factor: first[factor][:-1]})
    with pytest.raises(SpecError, match="one start"):
        run(name, data(), init=first, restarts=2)


@pytest.mark.parametrize("name", RANDOM)
def test_another_seed_is_another_fit(name):
    """That one seed is one fit is among the promises."""
    first, other = (run(name, data(), seed=seed).factors for seed in (5, 6))
    assert all(np.any(other[factor] != values) for factor, values in first.items())


@pytest.mark.parametrize("name", RANDOM)
def test_every_restart_and_factor_starts_elsewhere(name):
    first, second = start(name, data(), restart=0), start(name, data(), restart=1)
    assert any(np.any(first[factor] != second[factor]) for factor in first)
    drawn = [values for factor, values in first.items() if np.any(values != second[factor])]
    for one, other in itertools.combinations(drawn, 2):
        assert one.shape != other.shape or np.any(one != other)


@pytest.mark.parametrize("name", RANDOM)
def test_the_best_restart_is_kept_and_is_as_if_run_alone(name):
    alone = [
        run(name, data(), init=start(name, data(), seed=3, restart=r), **COMPARABLE.get(name, {}))
        for r in range(6)
    ]
    fit = run(name, data(), restarts=6, seed=3)
    assert fit.restart == int(np.argmin([each.objective[-1] for each in alone]))
    same(fit, alone[fit.restart], 1e-10)


@pytest.mark.parametrize("name", RANDOM)
def test_stopped_restarts_leave_the_stack_in_order(name):
    if algorithms.get(name).fixed_budget:
        with pytest.raises(SpecError, match="tol must be 0"):
            run(name, data(), tol=1e-3)
        return
    settings = {"tol": 2e-3, "trace_every": 1, "max_iter": 400}
    fit = run(name, data(), restarts=6, **settings)
    alone = run(
        name, data(), init=start(name, data(), restart=fit.restart), **settings, **COMPARABLE.get(name, {})
    )
    assert alone.converged
    assert alone.n_iter == fit.n_iter < 400
    close(alone.objective, fit.objective, 1e-9)


def permuted(values, axes, order):
    """A first factor for samples in another order."""
    if "n" in axes:
        return np.take(values, order, axis=axes.index("n"))
    if "p" in axes:  # the rows of the two labelled classes stay; behind them are the unlabelled samples
        free = {int(sample): 2 + rank for rank, sample in enumerate(np.flatnonzero(LABELS < 0))}
        return values[[0, 1, *(free[int(sample)] for sample in order if LABELS[sample] < 0)]]
    return values


# k-means draws its first centers by index; what RICA finds is free to rotate.
@pytest.mark.parametrize("name", sorted(set(NAMES) - {"kmeans", "rica"}))
def test_permuted_samples_give_permuted_encodings(name):
    X, order = data(), np.random.default_rng(1).permutation(AXES["n"])
    here, there = {}, {}
    if name in ITERATIVE:
        axes = algorithms.get(name).factors
        here["init"] = start(name, X)
        there["init"] = {key: permuted(values, axes[key], order) for key, values in here["init"].items()}
    if algorithms.get(name).needs_labels:
        there["labels"] = LABELS[order]
    fit, other = run(name, X, max_iter=6, **here), run(name, X[:, order], max_iter=6, **there)
    close(other.embedding, fit.embedding[order], 1e-9)


@pytest.mark.parametrize("name", NAMES)
def test_labels_are_for_those_who_need_them(name):
    needs = algorithms.get(name).needs_labels
    with pytest.raises(SpecError, match="give labels" if needs else "takes no labels"):
        run(name, data(), labels=None if needs else LABELS)


@pytest.mark.parametrize("name", [name for name in NAMES if algorithms.get(name).needs_image_shape])
def test_images_as_matrices_need_their_shape(name):
    with pytest.raises(SpecError, match="image_shape"):
        run(name, data(), image_shape=None)


@pytest.mark.parametrize("name", ITERATIVE)
def test_single_precision_follows_double(name):
    X, first = data(), start(name, data())
    double, single = run(name, X, init=first), run(name, X, init=first, dtype="float32")
    close(single.embedding, double.embedding, 1e-3)
    assert single.objective[-1] == pytest.approx(double.objective[-1], rel=1e-4)


@pytest.mark.parametrize("labels", [LABELS[:-1], LABELS - 1, LABELS + 0.5, LABELS[:, None]])
def test_labels_that_cannot_be_meant_are_refused(labels):
    with pytest.raises(DataError, match="labels must be 14 whole numbers"):
        run("cnmf", data(), labels=labels)


def test_a_method_is_one_file(tmp_path):
    """The README's method beside those of the package: the same tests run over it and hold."""
    root = Path(__file__).parents[2]
    copy = tmp_path / "copy"
    ignored = shutil.ignore_patterns("__pycache__", "reference", ".git")
    for part in ("nmfrepro", "tests", "docs", "README.md", "pyproject.toml", "mkdocs.yml"):
        source = root / part
        if source.is_dir():
            shutil.copytree(source, copy / part, ignore=ignored)
        else:
            shutil.copy(source, copy / part)
    readme = (root / "README.md").read_text("utf-8")
    (method,) = re.findall(r'```python\n("""NMF with.*?)```', readme, re.DOTALL)
    (copy / "nmfrepro" / "algorithms" / "ridge_nmf.py").write_text(method, encoding="utf-8")
    tests = ("algorithms/test_contract.py", "algorithms/test_degenerate.py", "algorithms/test_tiers.py")
    tests += ("algorithms/test_inner.py", "test_docs.py", "test_estimators.py", "cli/test_cite.py")
    tests += ("views/plots/test_looks.py",)
    # The last are of no single method, but go through all of them.
    chosen = "ridge_nmf or ridgenmf or every_method or titles or page or entry or looks or registry"
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-vv", "-p", "no:cacheprovider", "-k", chosen]
        + [str(copy / "tests" / each) for each in tests],
        cwd=copy,
        env=os.environ | {"PYTHONPATH": str(copy)},
        capture_output=True,
        text=True,
        timeout=500,
    )
    assert done.returncode == 0, done.stdout[-3000:]
    assert "::test_every_promise_is_kept[ridge_nmf] PASSED" in done.stdout
