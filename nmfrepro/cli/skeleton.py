"""Writes a working method, dataset or protocol of a user's own, to be changed, and its test."""

from __future__ import annotations

import keyword
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from string import Template

from .. import algorithms, datasets, protocols
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

from nmfrepro import algorithms, factorize
from nmfrepro.contract import verdicts
from nmfrepro.registry.plugins import VARIABLE

METHOD = Path(__file__).with_name("$name.py")


@pytest.fixture(autouse=True)
def plugin(monkeypatch: pytest.MonkeyPatch) -> None:
    """The method is known while a test runs."""
    monkeypatch.setenv(VARIABLE, str(METHOD))


def test_every_promise_of_a_method_is_kept() -> None:
    """Those that `nmfrepro check-algorithm` tells of: descent, shapes, parameters, scales, same bytes."""
    assert [each for each in verdicts(algorithms.get(METHOD.stem)) if each.problem] == []


def test_the_objective_is_what_it_says() -> None:
    X = np.random.default_rng(0).random((12, 9))
    fit = factorize(X, METHOD.stem, k=3, max_iter=5, lam=0.5)
    U, V = fit.factors["U"], fit.factors["V"]
    assert fit.objective[-1] == pytest.approx(((X - U @ V.T) ** 2).sum() + 0.5 * (V**2).sum())
''')


PROTOCOL = Template('''"""A protocol of our own: say here what it is."""

from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from nmfrepro.algorithms import Algorithm
from nmfrepro.core import seeds
from nmfrepro.core.options import option
from nmfrepro.protocols.base import Outcome, Samples, Task
from nmfrepro.protocols.clustering import Clustering


@dataclass(frozen=True)
class $classname(Clustering):
    """Clustering of images to which noise was added: change it into what you need."""

    kind: ClassVar[str] = "$name"

    noise: float = option(0.1, low=0, help="standard deviation of the noise, in units of the scaled images")

    def identity(self, algorithm: Algorithm) -> dict[str, Any]:
        """The options that decide the numbers of a trial: they are part of its key."""
        return super().identity(algorithm) | {"noise": self.noise}

    def run(self, task: Task, samples: Samples) -> Outcome:
        """One trial; random numbers come from a stream with a name."""
        stream = seeds.stream("noise", task.seed, samples.identity)
        noisy = samples.X + stream.normal(scale=self.noise, size=samples.X.shape)
        return super().run(task, replace(samples, X=np.maximum(noisy, 0)))
''')

PROTOCOL_TEST = Template('''"""Tests of $name."""

from pathlib import Path

import pytest

import nmfrepro
from nmfrepro.registry.plugins import VARIABLE

PROTOCOL = Path(__file__).with_name("$name.py")
SPEC = """
dataset: digits
protocol:
  {kind: $name, clusters: [2], repeats: 2, noise: %s}
algorithms: [{name: kmeans, restarts: 3}]
seed: 1
"""


@pytest.fixture(autouse=True)
def plugin(monkeypatch: pytest.MonkeyPatch) -> None:
    """The protocol is known while a test runs."""
    monkeypatch.setenv(VARIABLE, str(PROTOCOL))


def test_all_trials_are_scored_and_noise_makes_them_worse(tmp_path: Path) -> None:
    accuracy = {}
    for noise in (0.0, 5.0):
        path = tmp_path / f"noise{noise}.yaml"
        path.write_text(SPEC % noise, encoding="utf-8")
        frame = nmfrepro.run(path, results=tmp_path, jobs=1, quiet=True)
        assert (frame["status"] == "ok").all()
        accuracy[noise] = frame["accuracy"].mean()
    assert accuracy[5.0] < accuracy[0.0]
''')

DATASET = Template('''"""A dataset of our own: say here what it is."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from nmfrepro.core import seeds
from nmfrepro.datasets import DatasetOptions
from nmfrepro.datasets.definition import DatasetDefinition, Reading, Source, images

SIDE, PICTURES = 6, 20


@dataclass(frozen=True)
class Made(Source):
    """Pictures of a bar, across or upright: put your own reading in its place."""

    def find(self, size: str, directory: Path) -> Path | None:
        """The file or folder that holds the data, or None; nothing is read."""
        return Path(__file__)

    def missing(self, size: str, place: str) -> str:
        """What was looked for in vain."""
        return "it is made, not read"

    def read(
        self, path: Path, size: str, image_shape: tuple[int, int] | None, options: DatasetOptions
    ) -> Reading:
        """Images as rows, upright, row by row; labels as they were written."""
        stream = seeds.stream("$name", 1)
        X = stream.random((2 * PICTURES, SIDE, SIDE)) * 100
        for picture, at in enumerate(stream.integers(SIDE, size=2 * PICTURES)):
            upright = picture >= PICTURES
            (X[picture].T if upright else X[picture])[at] += 155
        labels = np.repeat(["across", "upright"], PICTURES)
        return Reading(
            X=X.reshape(len(X), -1), labels=labels, image_shape=(SIDE, SIDE), origin="made of bars"
        )


DATASET = DatasetDefinition(
    name="$name",
    title="pictures of a bar, across or upright (made)",
    n_samples=2 * PICTURES,
    n_classes=2,
    class_sizes=(PICTURES, PICTURES),
    sizes=images((SIDE, SIDE)),
    sources=(Made(key="made", title="made from a fixed seed"),),
    levels=255,
    default_scale="grey",
    preprocessing="none",
    credit="",
    licence="none needed",
)
''')

DATASET_TEST = Template('''"""Tests of $name."""

from pathlib import Path

import numpy as np
import pytest

from nmfrepro import datasets
from nmfrepro.registry.plugins import VARIABLE

DATASET = Path(__file__).with_name("$name.py")


@pytest.fixture(autouse=True)
def plugin(monkeypatch: pytest.MonkeyPatch) -> None:
    """The dataset is known while a test runs."""
    monkeypatch.setenv(VARIABLE, str(DATASET))


def test_it_holds_what_it_promises() -> None:
    options = datasets.resolve(datasets.DatasetOptions(name=DATASET.stem))
    data, again = datasets.load(options), datasets.load(options)
    assert data.sha256 == again.sha256
    assert data.X.shape == (40, 36)
    assert data.X.min() >= 0
    assert np.bincount(data.y).tolist() == [20, 20]
''')


@dataclass(frozen=True)
class Kind:
    """What can be begun with a skeleton: its templates, and what there is of its kind."""

    text: Template
    test: Template
    known: Callable[[], Mapping[str, object]]


KINDS = {
    "algorithm": Kind(METHOD, TEST, algorithms.registry),
    "dataset": Kind(DATASET, DATASET_TEST, datasets.registry),
    "protocol": Kind(PROTOCOL, PROTOCOL_TEST, protocols.registry),
}


def write(kind: str, name: str, folder: Path) -> tuple[Path, Path]:
    """Write ``name.py`` and ``test_name.py`` into a folder.

    Parameters
    ----------
    kind : {"algorithm", "dataset", "protocol"}
    name : str
    folder : Path

    Returns
    -------
    (Path, Path)
        The file and its test.

    Raises
    ------
    SpecError
        If the name is taken or cannot be a module's, the folder is none, or a file is there already.
    """
    if not name.isidentifier() or not name.islower() or keyword.iskeyword(name):
        raise SpecError(f"new {kind} {name!r}: use small letters, digits and _, as my_{kind}")
    if name in KINDS[kind].known():
        raise SpecError(f"new {kind} {name}: there is one of that name; choose another")
    if not folder.is_dir():
        raise SpecError(f"{folder} is no folder; make it first (mkdir -p {folder}), or give another --folder")
    path, test = folder / f"{name}.py", folder / f"test_{name}.py"
    for file in (path, test):
        if file.exists():
            raise SpecError(f"{file}: is there already; remove it or choose another name")
    words = {
        "name": name,
        "title": name.upper().replace("_", "-"),
        "classname": "".join(each.capitalize() for each in name.split("_")) or "Method",
    }
    try:
        path.write_text(KINDS[kind].text.substitute(words), encoding="utf-8")
        test.write_text(KINDS[kind].test.substitute(words), encoding="utf-8")
    except OSError as error:
        raise SpecError(f"{folder}: cannot write there ({error.strerror}); give --folder") from None
    return path, test
