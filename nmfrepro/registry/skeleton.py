"""Writes a working method of a user's own, to be changed, and its test."""

from __future__ import annotations

import keyword
from pathlib import Path
from string import Template

from .. import algorithms
from ..core.errors import SpecError

METHOD = Template('''"""A method of our own: say here what it is."""

from dataclasses import dataclass

import numpy as np

from nmfrepro.method import Array, TwoFactor, option, ratio


@dataclass(frozen=True)
class $classname(TwoFactor):
    """What it is, in a sentence or two; `nmfrepro show` prints this and the code below."""

    name = "$name"
    title = "$title"
    objective_text = "‖X − UVᵀ‖² + λ‖V‖²"

    lam: float = option(0.0, low=0, help="weight λ of the penalty on the encodings")

    def update(self, X: Array, U: Array, V: Array) -> tuple[Array, Array]:
        """One iteration: X is m × n, a column per sample, U is m × k, V is n × k."""
        U = U * ratio(X @ V, U @ (V.T @ V))
        V = V * ratio(X.T @ U, V @ (U.T @ U + self.lam * np.eye(V.shape[1])))
        return U, V

    def objective(self, X: Array, U: Array, V: Array) -> float:
        """‖X − UVᵀ‖² + λ‖V‖²."""
        return float(np.sum((X - U @ V.T) ** 2) + self.lam * np.sum(V**2))
''')

TEST = Template('''"""Tests of $name."""

from pathlib import Path

import numpy as np
import pytest

from nmfrepro import factorize
from nmfrepro.registry.plugins import VARIABLE

METHOD = Path(__file__).with_name("$name.py")


@pytest.fixture(autouse=True)
def plugin(monkeypatch: pytest.MonkeyPatch) -> None:
    """The method is known while a test runs."""
    monkeypatch.setenv(VARIABLE, str(METHOD))


def test_the_objective_never_rises_and_the_factors_stay_nonnegative() -> None:
    X = np.random.default_rng(0).random((12, 9))
    fit = factorize(X, METHOD.stem, k=3, max_iter=50, trace_every=1)
    assert (np.diff(fit.objective) <= 1e-9 * fit.objective[0]).all()
    assert all((factor >= 0).all() for factor in fit.factors.values())
    assert fit.embedding is not None
    assert fit.embedding.shape == (9, 3)


def test_the_objective_is_what_it_says() -> None:
    X = np.random.default_rng(0).random((12, 9))
    fit = factorize(X, METHOD.stem, k=3, max_iter=5, lam=0.5)
    U, V = fit.factors["U"], fit.factors["V"]
    assert fit.objective[-1] == pytest.approx(((X - U @ V.T) ** 2).sum() + 0.5 * (V**2).sum())
''')


def write_algorithm(name: str, folder: Path) -> tuple[Path, Path]:
    """Write ``name.py`` and ``test_name.py`` into a folder.

    Returns
    -------
    (Path, Path)
        The method and its test.

    Raises
    ------
    SpecError
        If the name is taken or cannot be a module's, the folder is none, or a file is there already.
    """
    if not name.isidentifier() or not name.islower() or keyword.iskeyword(name):
        raise SpecError(f"new algorithm {name!r}: use small letters, digits and _, as my_nmf")
    if name in algorithms.registry():
        raise SpecError(f"new algorithm {name}: there is an algorithm of that name; choose another")
    if not folder.is_dir():
        raise SpecError(f"{folder} is no folder; make it first (mkdir -p {folder}), or give another --folder")
    method, test = folder / f"{name}.py", folder / f"test_{name}.py"
    for path in (method, test):
        if path.exists():
            raise SpecError(f"{path}: is there already; remove it or choose another name")
    words = {
        "name": name,
        "title": name.upper().replace("_", "-"),
        "classname": "".join(each.capitalize() for each in name.split("_")) or "Method",
    }
    try:
        method.write_text(METHOD.substitute(words), encoding="utf-8")
        test.write_text(TEST.substitute(words), encoding="utf-8")
    except OSError as error:
        raise SpecError(f"{folder}: cannot write there ({error.strerror}); give --folder") from None
    return method, test
