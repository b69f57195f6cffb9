"""One factorization of one dataset, without a spec: fit, score where there are labels, keep as .npz."""

from __future__ import annotations

import io
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from .. import algorithms, datasets, metrics
from ..algorithms import Algorithm
from ..core import files, seeds
from ..core.errors import Setting, SpecError
from ..core.magnitude import check_magnitude
from ..core.options import build, options_of
from ..core.problem import Fit, FitSettings
from ..core.terminal import counted
from ..core.typed import to_json
from ..datasets import Dataset
from ..factorization import fit, make_problem, settings_of
from ..protocols.clusters import read_clusters
from ..protocols.draws import draw_labels
from .plan import canonical
from .provenance import environment

SHOWN = ("accuracy", "nmi", "sparseness")


@dataclass(frozen=True)
class Fitted:
    """What came of it."""

    dataset: Dataset
    scale: str
    method: Algorithm
    settings: FitSettings
    k: int
    seed: int
    found: Fit
    # int, shape (n,): the largest entry of every encoding; None for a method whose encodings are no
    # memberships.
    clusters: np.ndarray | None
    scores: dict[str, float]  # fractions; empty where a note says why
    notes: tuple[str, ...]


def configure(name: str, values: Mapping[str, Any]) -> tuple[Algorithm, FitSettings, tuple[str, ...]]:
    """A method and its fit settings from values that may belong to either, with a note on the solver.

    Raises
    ------
    SpecError
        For a name or a value that is not allowed, and a fit setting that the method does not use.
    """
    cls = algorithms.get(name)
    own, settings = options_of(cls), options_of(FitSettings)
    rest = {key: value for key, value in values.items() if key in settings and key not in own}
    mine = {key: value for key, value in values.items() if key not in rest}
    for key in rest:
        if key not in cls.fit_settings:
            raise SpecError(f"{name} computes its factors in its own way and takes no {key}", option=key)
    method: Algorithm = build(cls, mine, name, also=cls.fit_settings)
    return method, *settings_of(cls, rest, name)


def fit_dataset(
    dataset: Dataset,
    scale: str,
    method: Algorithm,
    settings: FitSettings,
    k: int,
    seed: int = 0,
    labelled: str | int | None = None,
    progress: Callable[[int], object] = lambda count: None,
) -> Fitted:
    """Factorize all samples of a dataset with k components.

    Parameters
    ----------
    dataset : Dataset
        Scored if it has more than one class.
    scale : str
        See `Dataset.scaled`.
    method, settings : Algorithm, FitSettings
    k : int
        Columns of the basis.
    seed : int
    labelled : str or int, optional
        Labelled samples per class for semi-supervised methods: a count, or a share as "10%".
    progress : callable
        Called with the number of restarts that have just ended an iteration.

    Raises
    ------
    SpecError, DataError, FitError
        As `factorize`; `SpecError` also where `labelled` and the method do not go together.
    """
    n = dataset.X.shape[0]
    if k > n and not method.needs_image_shape:  # for methods on images k counts rows and columns
        raise SpecError(
            Setting("k", k), f" is more than the {counted(n, 'sample')} of {dataset.origin}; give at most {n}"
        )
    if method.needs_labels != (labelled is not None):
        give = (" is semi-supervised: give ", Setting("labelled", "10%"))
        raise SpecError(method.name, *(give if method.needs_labels else (" takes no labels",)))
    known = None
    if labelled is not None:
        if len(dataset.classes) < 2:
            raise SpecError(
                f"{dataset.origin}: holds no labels of several classes, which {method.name} needs"
            )
        known = draw_labels(dataset.y, labelled, seed, "labelled")
    datasets.check_values(dataset.X, dataset.called, method.signed)
    X = dataset.scaled(scale)
    check_magnitude(X, dataset.called, settings.dtype)
    problem = make_problem(X.T, k, labels=known, image_shape=dataset.image_shape, dtype=settings.dtype)
    found = fit(method, problem, settings, seed, progress=progress)
    clusters, notes = None, found.notes
    if found.labels is not None or (found.embedding is not None and (found.embedding >= 0).all()):
        read = found.embedding if found.labels is None else None
        most = k if read is None else read.shape[1]  # more than k of methods on images
        clusters, more = read_clusters(found, most, None, seeds.derive("reader", seed))
        notes += more
    scores = {}
    if len(dataset.classes) < 2:
        notes += ("not scored, since there are no two classes to tell apart",)
    elif clusters is None:
        notes += ("not scored, since encodings with negative entries are no clusters",)
    else:
        every = metrics.clustering(dataset.y, clusters, found.embedding)
        scores = {name: every[name] for name in SHOWN}
        sizes, used = sorted(np.bincount(dataset.y), reverse=True), len(np.unique(clusters))
        if used < len(sizes):  # each cluster is matched to one class
            classes = "the largest class" if used == 1 else f"the {used} largest of {len(sizes)} classes"
            most = f"{100 * sum(sizes[:used]) / n:.1f} %, the share of {classes}"
            notes += (f"the accuracy of {counted(used, 'cluster')} is at most {most}",)
        if labelled is not None:
            notes += (f"the labels of {labelled} of each class were seen; labelled samples are scored too",)
    return Fitted(dataset, scale, method, settings, k, seed, found, clusters, scores, notes)


def save(fitted: Fitted, path: Path) -> None:
    """Write factors, encodings, clusters, labels and the objective's trace as an .npz file.

    Labels are not there where the data has none.  ``made`` is a JSON text of all that decides the rest: data,
    method, parameters, settings, seed, version.

    Raises
    ------
    ResultsError
        If the file cannot be written.
    """
    found = fitted.found
    made = {
        "data": fitted.dataset.sha256,
        "scale": fitted.scale,
        "algorithm": fitted.method.name,
        "parameters": fitted.method.identity,
        "fit": to_json(fitted.settings),
        "k": fitted.k,
        "seed": fitted.seed,
        "nmfrepro": environment().version,
    }
    arrays = dict(found.factors) | {"objective": found.objective, "made": np.array(canonical(made))}
    if len(fitted.dataset.classes) > 1:
        arrays["y"] = fitted.dataset.y
    if found.embedding is not None:
        arrays["embedding"] = found.embedding
    if fitted.clusters is not None:
        arrays["clusters"] = fitted.clusters
    buffer = io.BytesIO()
    np.savez_compressed(buffer, allow_pickle=False, **arrays)
    files.replace(path, buffer.getvalue())
