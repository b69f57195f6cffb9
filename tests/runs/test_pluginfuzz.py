"""Whatever a method of one's own answers: a row and arrays that read back, or a failed trial in one line."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, ClassVar

import numpy as np
import pytest
import scipy.sparse
from fuzzing import fuzzed
from hypothesis import given
from hypothesis import strategies as st
from tiny import entry, make_spec, run_here, run_quietly

from nmfrepro import runs
from nmfrepro.algorithms import Direct, Iterative
from nmfrepro.core.problem import Fit
from nmfrepro.protocols.recognition import Recognition
from nmfrepro.results import folder as results

ANSWERS: dict[str, Any] = {}


@dataclass(frozen=True)
class Answering(Direct):
    """Gives the answers that are wanted of it."""

    name: ClassVar[str] = "answering"

    def fit(self, *given: Any) -> Any:
        """Parts of a fit, or anything else."""
        answer = ANSWERS["fit"]
        return Fit(**answer) if isinstance(answer, dict) else answer

    def project(self, *given: Any) -> Any:
        """Features of all 24 samples, or anything else."""
        return ANSWERS["project"]


@dataclass(frozen=True)
class Updating(Iterative):
    """Its update and objective are what is wanted of it."""

    name: ClassVar[str] = "updating"
    factors: ClassVar[dict[str, tuple[str, ...]]] = {"U": ("m", "k"), "V": ("k", "n")}

    def update(self, X: Any, U: Any, V: Any) -> Any:
        """The factors, or anything else."""
        return (U, ANSWERS["update"]) if ANSWERS["half"] else ANSWERS["update"]

    def objective(self, X: Any, U: Any, V: Any) -> Any:
        """Anything."""
        return ANSWERS["objective"]


def filled(dtype: str, shape: tuple[int, ...], number: float) -> Any:
    """An array of one number, as far as its type holds it."""
    try:
        with np.errstate(all="ignore"):
            return np.full(shape, number).astype(dtype)
    except (ValueError, TypeError, OverflowError):
        return np.zeros(shape, dtype)


# 8 images of each of 3 classes, 12 pixels, 2 clusters; 4 + 2 training images of recognition.
SHAPES = st.lists(st.sampled_from([0, 1, 2, 3, 6, 12, 16, 24]), max_size=3).map(tuple) | st.sampled_from(
    [(16, 2), (24, 2), (12, 2), (2, 16), (16,), (2, 6)]
)
DTYPES = st.sampled_from(["f8", "f4", "f2", "i8", "u1", "?", "c16", "O", "S3", "U3", "M8[s]", "f8,i4"])
NUMBERS = st.floats() | st.integers(-(2**70), 2**70) | st.sampled_from([0, 1, -1, 0.5, 2.0, float("nan")])
RANDOM = st.builds(lambda shape, seed: np.random.default_rng(seed).random(shape), SHAPES, st.integers(0, 9))
ARRAYS = st.builds(filled, DTYPES, SHAPES, NUMBERS) | RANDOM
TEXT = st.text(max_size=8) | st.sampled_from(
    ["file", "keep", "labels", "U", "../x", "a/b", "\x1b[2J", "a\nb", "; "]
)
OBJECTS = st.sampled_from([object(), Fit, range(3), {1}, scipy.sparse.eye(3), None, True, 1j, b"a"])
ODD = NUMBERS | TEXT | ARRAYS | ARRAYS.map(np.ma.masked_array) | OBJECTS
ANY = st.recursive(
    ODD,
    lambda some: st.lists(some, max_size=3).map(tuple) | st.dictionaries(TEXT, some, max_size=3),
    max_leaves=4,
)
COUNTS = st.integers(-1, 9) | ANY
FITS = st.fixed_dictionaries(
    {"factors": st.dictionaries(TEXT | ODD.filter(lambda key: key.__hash__), ARRAYS | ANY, max_size=3) | ANY},
    optional={"labels": ARRAYS | ANY, "objective": ARRAYS | ANY, "n_iter": COUNTS, "restart": COUNTS}
    | {"converged": ANY, "notes": st.lists(TEXT).map(tuple) | ANY},
)
ANSWERED = st.fixed_dictionaries(
    {
        "fit": st.builds(lambda fit, read: fit | {"embedding": read}, FITS, RANDOM | ARRAYS | ANY) | ANY,
        "project": RANDOM | ARRAYS | ANY,
        "update": ARRAYS | ANY,
        "half": st.booleans(),
        "objective": NUMBERS | ANY,
    }
)


@pytest.fixture(scope="module")
def attempt() -> Callable[[dict[str, Any]], tuple[str, ...]]:
    """The check, on data that is read once."""
    return checker()


def checker() -> Callable[[dict[str, Any]], tuple[str, ...]]:
    """Runs a trial of each kind with given answers, and reads what is stored."""
    with TemporaryDirectory() as directory:
        home = Path(directory)
        fit = {"restarts": 1, "max_iter": 2, "tol": 0}
        columns = [entry(Answering()), entry(Updating(), fit=fit), entry("kmeans")]
        clusters = {"clusters": [2], "repeats": 1}
        spec = make_spec(home, columns, protocol=clusters, keep=("labels", "trace", "factors"))
        split = Recognition(train=(2,), dimensions=(2,), repeats=1, classifiers=("nn", "svm"))
        prepared = [
            runs.prepare(spec),
            runs.prepare(replace(spec, protocol=split, entries=spec.entries[:1], metrics=("nn", "svm"))),
        ]

    def check(answers: dict[str, Any]) -> tuple[str, ...]:
        ANSWERS.update(answers)
        with (
            TemporaryDirectory() as directory,
            pytest.MonkeyPatch.context() as patch,
            np.errstate(all="ignore"),
        ):
            patch.setattr("nmfrepro.runs.execute.run_trials", run_here)
            for number, each in enumerate(prepared):
                root = Path(directory) / str(number)
                folder = run_quietly(each, root).folder
                found = results.read(folder)
                assert len(found.trials) == len(each.plan)
                for trial in found.trials:
                    assert trial.ok or (trial.error and "\n" not in trial.error and len(trial.error) < 2000)
                    if trial.ok and number == 0:
                        found.arrays(trial)
                again = run_quietly(each, root, keep_failed=True)
                assert again.computed == 0
        return tuple(trial.error for trial in found.trials)

    return check


@pytest.mark.filterwarnings("ignore")
@fuzzed(25)
@given(ANSWERED)
def test_any_answer_is_a_result_or_a_failed_trial(
    attempt: Callable[[dict[str, Any]], tuple[str, ...]], answers: dict[str, Any]
) -> None:
    attempt(answers)


def test_complex_features_are_not_cut_to_their_real_part(
    attempt: Callable[[dict[str, Any]], tuple[str, ...]],
) -> None:
    """Found by the fuzz: numpy drops imaginary parts with a warning."""
    features = np.random.default_rng(0).random((24, 2))
    fit = {"factors": {}, "embedding": features[:6]}  # of the training samples
    answers = {"fit": fit, "half": False, "update": 0, "objective": 0}
    assert attempt(answers | {"project": features}) == ("",)
    assert attempt(answers | {"project": features + 1j}) == (
        "answering: the projections are complex numbers",
    )
