"""`nmfrepro check-algorithm` finds which promise a method breaks."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from commandline import invoke

from nmfrepro import algorithms
from nmfrepro.core.errors import SpecError

METHOD = '''
from dataclasses import dataclass

import numpy as np

from nmfrepro.method import TwoFactor, option, ratio

CALLS = []


@dataclass(frozen=True)
class Own(TwoFactor):
    """A method of one's own."""

    name = "own_promises"

    lam: float = option(0.0, low=0, high=2, help="a weight that does nothing")

    def update(self, X, U, V):
        CALLS.append(1)
        U = U * ratio(X @ V, U @ (V.T @ V))
        V = V * ratio(X.T @ U, V @ (U.T @ U))
        # a line
        return U, V

    def objective(self, X, U, V):
        return float(np.sum((X - U @ V.T) ** 2))
'''
BROKEN = [
    ("V = V * (1 + len(CALLS) % 2)", "BROKEN  the objective never rises", "it rises from"),
    ("V = V - 0.01", "BROKEN  factors are nonnegative", "V has entries down to -"),
    ("V = V[:-1]", "BROKEN  factors and encodings", "shape"),
    ("V = V * (1 + 1e-3 * len(CALLS))", "BROKEN  the same seed", "two runs with one seed differ in"),
    ("assert self.lam < 2", "BROKEN  every allowed value", "lam = 2.0: AssertionError"),
    ("assert X.max() < 10", "BROKEN  data from 1e-6 to 1e6", "X times 100: AssertionError"),
    ("X[0] = 0", "BROKEN  X is left as it is", "read-only"),
    ("V = V * (1 + self.lam)", "BROKEN  the objective never rises", "lam = 2.0: it rises from"),
    (
        "V, U = V * np.linalg.norm(U, axis=0), U / np.linalg.norm(U, axis=0)",
        "BROKEN  a component that is zero",
        "from a start with a component of U zero: own_promises: no restart ended with finite factors",
    ),
]


Check = Callable[..., tuple[int, str]]


@pytest.fixture
def check(tmp_path: Path) -> Check:
    """Hold a method with a line of its own against the promises: the exit code, and what is said."""
    path = tmp_path / "own_promises.py"

    def held(line: str = "", method: str = METHOD) -> tuple[int, str]:
        path.write_text(method.replace("# a line", line), encoding="utf-8")
        result = invoke("check-algorithm", path)
        return result.exit_code, result.output

    return held


@pytest.mark.parametrize("name", ["update", "objective"])
def test_what_is_not_written_is_said_once(check: Check, name: str) -> None:
    code, text = check("", METHOD.replace(f"def {name}(", "def other("))
    assert code == 1
    assert text.count("BROKEN") == 1
    assert f"Own has no {name}; no other promise can be tried before" in text
    assert text.endswith("Broken: 1.\n")


def test_a_method_that_keeps_all(check: Check) -> None:
    code, text = check()
    assert code == 0, text
    assert text.splitlines()[0] == "own_promises:"
    assert "All promises are kept." in text.splitlines()[-1]


def test_a_file_of_which_the_package_has_a_copy(
    check: Check, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    part = tmp_path / "part"
    part.mkdir()
    (part / "own_promises.py").write_text(METHOD.replace("# a line", ""), encoding="utf-8")
    monkeypatch.setattr(algorithms, "__path__", [*algorithms.__path__, str(part)])
    algorithms.registry.found.clear()
    try:
        code, text = check()
        assert algorithms.get("own_promises").__module__ == "nmfrepro.algorithms.own_promises"
        assert (code, text.splitlines()[0]) == (0, "own_promises:"), text
    finally:
        monkeypatch.undo()
        sys.modules.pop("nmfrepro.algorithms.own_promises", None)
        algorithms.registry.found.clear()


@pytest.mark.parametrize(("line", "verdict", "why"), BROKEN)
def test_what_is_broken_is_said_with_where(check: Check, line: str, verdict: str, why: str) -> None:
    code, text = check(line)
    assert code == 1
    assert verdict in text
    assert why in text


@pytest.mark.parametrize(
    ("before", "after", "problem"),
    [
        (
            'option(0.0, low=0, high=2, help="a weight that does nothing")',
            "0.0",
            "lam is a field but no option, so that no spec can set it; write option(",
        ),
        (" lam:", " k:", "k is something else for specs or in Python; give the parameter another name"),
        (
            "(self, X, U, V):",
            "(self, X, U, H):",
            "refused: own_promises: update takes X, U, H and gets X, U, V; use these names, or set factors,",
        ),
        (
            "def objective(self, X, U, V)",
            "def objective(self, X, U)",
            "refused: own_promises: objective takes X, U and gets X, U, V; use these names, or set factors,",
        ),
    ],
)
def test_names_that_do_not_fit_are_told(check: Check, before: str, after: str, problem: str) -> None:
    code, text = check("", METHOD.replace(before, after))
    assert code == 1
    assert problem in text


LEARNED = '''
from dataclasses import dataclass

import numpy as np
from sklearn.decomposition import NMF

from nmfrepro.method import Direct, Fit


@dataclass(frozen=True)
class Own(Direct):
    """Another's method."""

    name = "own_promises"

    def fit(self, problem, settings, seed):
        model = NMF(problem.k, init="random", random_state=seed, max_iter=5)
        V = model.fit_transform(problem.X.T).astype(problem.X.dtype)
        return Fit({}, V, objective=[model.reconstruction_err_])
'''


@pytest.mark.filterwarnings("ignore:Maximum number")
@pytest.mark.parametrize(
    ("state", "why"),
    [
        ("seed", "The 'random_state' parameter of NMF must be"),
        ("None", "two runs with one seed differ in the encodings"),
        ("seed % 2**32", "All promises are kept."),
    ],
)
def test_seeds_are_as_large_and_encodings_the_same_as_in_a_run(check: Check, state: str, why: str) -> None:
    code, text = check("", LEARNED.replace("=seed", f"={state}"))
    assert why in text
    assert code == ("BROKEN" in text)


@pytest.mark.filterwarnings("ignore:Maximum number")
@pytest.mark.parametrize("named", ["", 'fit_settings = ("max_iter", "dtype")'])
def test_settings_that_fit_reads_are_named(check: Check, named: str) -> None:
    method = LEARNED.replace("=seed", "=0").replace("=5", "=settings.max_iter")
    method = method.replace("    def fit", f"    {named}\n\n    def fit")
    code, text = check("", method)
    assert code == (not named), text
    told = "fit reads max_iter and gets the default, whatever a spec says; write fit_settings = ('dtype', "
    assert (told + "'max_iter')\n" in text) == (not named)


@pytest.mark.filterwarnings("ignore:Maximum number")
def test_a_fit_has_an_objective(check: Check) -> None:
    method = LEARNED.replace("=seed", "=0").replace(", objective=[model.reconstruction_err_]", "")
    code, text = check("", method)
    assert code == 1
    assert text.count("BROKEN") == 1
    assert "the objective has no value; give its last one at least" in text


@pytest.mark.filterwarnings("ignore:Maximum number")
def test_a_basis_of_another_shape_than_declared_is_told(check: Check) -> None:
    """`Direct` methods declare no shapes; new samples would fail on it in recognition, long after the fit."""
    method = LEARNED.replace("    def fit", '    basis = "W"\n\n    def fit').replace("=seed", "=0")
    code, text = check("", method.replace("Fit({}", 'Fit({"W": V}'))
    assert code == 1
    assert "new samples of 30 features cannot be coded on W, of shape (14, 3); set basis" in text


@pytest.mark.filterwarnings("ignore:Maximum number")
def test_a_factor_that_is_declared_and_not_there_is_told(check: Check) -> None:
    method = LEARNED.replace("    def fit", '    factors = {"V": ("n", "k")}\n\n    def fit').replace(
        "=seed", "=0"
    )
    code, text = check("", method)
    assert code == 1
    assert "the fit has no V, and factors says ('n', 'k')" in text


@pytest.mark.filterwarnings("ignore:Maximum number")
def test_a_factor_of_another_type_than_the_data_is_told(check: Check) -> None:
    method = LEARNED.replace("=seed", "=0").replace("Fit({}", 'Fit({"V": V.astype(float)}')
    code, text = check("", method)
    assert code == 1
    assert "of an X of type float32 V is of type float64; give it that of X, X.dtype" in text


def test_a_projection_of_another_shape_is_told(check: Check) -> None:
    project = """
    def project(self, factors, X, image_shape=None, projection=None):
        return factors["U"].T @ X
"""
    code, text = check("", METHOD + project)
    assert code == 1
    assert "project makes codes of shape (3, 2) of two samples; it must give 2 × d" in text


@pytest.mark.parametrize("factor", [1, 2])
def test_both_tiers_are_held_against_each_other(check: Check, factor: int) -> None:
    tier = f"""
    stacked = True

    def update_U(self, stack, repeats):
        stack.multiply_ratio(stack["U"], stack.product("V", stack.XT), stack.gram_of("V") @ stack["U"])

    def update_V(self, stack, repeats):
        stack.multiply_ratio(stack["V"], stack.product("U", stack.X), stack.gram_of("U") @ stack["V"])

    def objectives(self, stack, exact):
        return {factor} * squared_error(stack, exact)
"""
    code, text = check("", METHOD.replace("ratio\n", "ratio, squared_error\n") + tier)
    assert code == (factor > 1), text
    differ = "after 7 iterations the objective of update and of the stacked tier differ"
    assert (differ in text) == (factor > 1)


def test_what_is_refused_everywhere_is_no_promise_kept_and_is_told_once(check: Check) -> None:
    _, text = check("U, V = V, U")
    verdicts = [line for line in text.splitlines() if line.startswith("  ")]
    assert not any("kept" in line for line in verdicts)
    assert text.count("update must return U, V of shapes [(30, 3)") == 1
    assert text.count("the same problem as above\n") == 8  # and one for k = 1


def test_a_name_that_is_none_is_told_before_anything_is_tried() -> None:
    result = invoke("check-algorithm", "nmf", "nothere")
    assert (result.stdout, "there is no algorithm 'nothere'" in str(result.exception)) == ("", True)


def test_a_broken_file_does_not_keep_the_others_from_being_checked(tmp_path: Path) -> None:
    (tmp_path / "no_python.py").write_text("def")
    (tmp_path / "nothing_here.py").write_text("")
    (tmp_path / "own_promises.py").write_text(METHOD.replace("# a line", ""), encoding="utf-8")
    broken = [str(tmp_path / name) for name in ("no_python.py", "not_there.py", "nothing_here.py")]
    result = invoke("check-algorithm", *broken, tmp_path / "own_promises.py")
    assert result.exit_code == 1
    assert [result.output.count(each) for each in ("BROKEN", "kept  ", "Broken: 3.")] == [3, 10, 1]
    for told in ("SyntaxError: ", "there is no such file", "defines no method", "\nown_promises:\n"):
        assert told in result.output
    refused = invoke("check-algorithm", *broken).exception
    assert isinstance(refused, SpecError)
    assert len(refused.mistakes) == 3


def test_a_file_without_a_method_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "nothing_here.py"
    path.write_text("")
    result = invoke("check-algorithm", path)
    assert "defines no method, which is a class with a name; nmfrepro new algorithm" in str(result.exception)
