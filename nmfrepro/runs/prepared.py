"""A spec with its data and its trials: everything known before work starts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

from .. import datasets
from ..core.errors import ResultsError, Setting, SpecError
from ..core.magnitude import check_magnitude
from ..datasets import Dataset
from ..protocols import Samples, Task
from ..registry import plugins
from ..results.folder import read_run
from ..spec import SMOKE, Spec
from ..spec.files import find_spec
from ..spec.reader import read_spec
from .attempts import Job
from .plan import make_plan
from .provenance import installation
from .workers import available_cores

# What methods and metrics import when they need it.
LIBRARIES = ("scipy.linalg", "scipy.optimize", "scipy.sparse", "sklearn.cluster", "sklearn.metrics")


@dataclass(frozen=True)
class Prepared:
    """A spec with its data and its plan: everything known before work starts."""

    spec: Spec
    dataset: Dataset
    samples: Samples
    plan: tuple[Task, ...]

    @property
    def job(self) -> Job:
        """What every worker is given."""
        spec = self.spec
        timed = spec.protocol.alone or spec.timeout is not None
        libraries = LIBRARIES if timed else ()
        made_with = installation(plugins.records())
        return Job(spec.protocol, self.samples, spec.keep, spec.timeout, libraries, made_with)

    def workers(self, jobs: int | None) -> int:
        """How many workers to use: `jobs`, else the cores available; one where trials are timed.

        Raises
        ------
        SpecError
            If `jobs` is no whole number from 1 on.
        """
        if jobs is not None and (not isinstance(jobs, int) or jobs < 1):
            raise SpecError(Setting("jobs"), f" must be a whole number >= 1, not {jobs!r}")
        return 1 if self.spec.protocol.alone else jobs or available_cores()


def read_specs(
    names: Sequence[str],
    overrides: Sequence[str] = (),
    smoke: bool = False,
    also: Sequence[str] = (),
    results: Path = Path("results"),
) -> list[Spec]:
    """The specs that a user names, by their files or as those that come with nmfrepro.

    `overrides`, `smoke` and `also` are those of `read_spec`; earlier results are in the root `results`.

    Raises
    ------
    SpecError
        For mistakes in a spec, and where two of them would share a results folder.
    """
    specs = [_read_spec(find_spec(each), overrides, smoke, also, results) for each in names]
    for name, count in Counter(spec.name for spec in specs).items():
        if count > 1:
            raise SpecError(f"{count} specs are called {name} and would share a results folder; rename one")
    return specs


def _read_spec(path: Path, overrides: Sequence[str], smoke: bool, also: Sequence[str], results: Path) -> Spec:
    """A spec; the error names the plug-in where earlier results have from one what is unknown now."""
    try:
        return read_spec(path, overrides, smoke, also)
    except SpecError as error:
        for folder in (results / path.stem, results / f"{path.stem}{SMOKE}"):
            with suppress(ResultsError):  # nothing was run yet
                before = read_run(folder)
                if remedy := plugins.lacking(before.plugins, before.names, error):
                    raise SpecError(f"{path}: {folder} was {remedy}") from None
        raise


def prepare(spec: Spec, data_dir: Path | None = None) -> Prepared:
    """Load the data and make the plan.

    Raises
    ------
    DataError, SpecError
        If the data cannot be had or does not fit the spec.
    """
    spec = replace(spec, dataset=datasets.resolve(spec.dataset))
    dataset = datasets.load(spec.dataset, data_dir)
    assert spec.dataset.scale is not None
    X = dataset.scaled(spec.dataset.scale)
    algorithms = [entry.algorithm for entry in spec.entries]
    samples = Samples(dataset.drawn_as, X, dataset.y, dataset.image_shape, dataset.classes)
    try:
        spec.protocol.check(as_expected(dataset), algorithms)
        samples = spec.protocol.ready(samples)
    except SpecError as error:
        raise spec.located(error) from None
    datasets.check_values(dataset.X, dataset.called, all(algorithm.signed for algorithm in algorithms))
    for dtype in {entry.fit.dtype for entry in spec.entries}:
        check_magnitude(X, dataset.called, dtype)
    return Prepared(spec, dataset, samples, make_plan(spec, dataset, samples.content_beside))


def as_expected(dataset: Dataset) -> datasets.Expected:
    """What a spec is checked against once the data is there."""
    n_samples, n_features = dataset.X.shape
    sizes = dataset.class_sizes
    return datasets.Expected(
        n_samples=n_samples,
        n_classes=len(sizes),
        smallest_class=int(sizes.min()),
        n_features=n_features,
        image_shape=dataset.image_shape,
        smallest_label=dataset.classes[int(sizes.argmin())],
    )
