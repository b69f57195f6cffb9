"""Who leads over all experiments of a folder: mean ranks of methods over the datasets that they share."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass

from ..analysis.significance import friedman
from ..analysis.significance.scores import of_datasets
from ..core.errors import ResultsError
from ..protocols import description
from ..results.folder import Results
from .tables import heading

# Friedman's test ranks no fewer.
METHODS, DATASETS = 3, 2


@dataclass(frozen=True)
class Place:
    """A method: its mean rank, its mean score, and that on every dataset."""

    label: str
    algorithm: str
    rank: float
    mean: float
    scores: tuple[float, ...]


@dataclass(frozen=True)
class Standing:
    """Methods on the datasets of some runs by one metric, the best mean rank first.

    `title` is the metric's; `datasets` are (run's name, dataset), with the best score of each; mean ranks
    that differ by less than `critical` are not told apart (Nemenyi, 0.05).
    """

    kind: str
    title: str
    datasets: tuple[tuple[str, str], ...]
    best: tuple[float, ...]
    places: tuple[Place, ...]
    critical: float


def standings(runs: Sequence[Results]) -> Iterator[Standing]:
    """One for every kind of protocol, metric and set of methods that several datasets have.

    Smoke runs, sweeps and runs for times are left out; of a dataset the first run counts.
    """
    groups: dict[tuple[str, str], list[Results]] = {}
    for each in runs:
        swept = any(column.sweep for column in each.run.columns)
        if not (each.run.smoke or swept or each.run.protocol.alone):
            for metric in each.run.metrics:
                if description(metric).ranked:
                    groups.setdefault((each.run.kind, metric), []).append(each)
    for (kind, metric), own in groups.items():
        shown: set[tuple[str, ...]] = set()
        methods = {each.run.name: frozenset(column.label for column in each.run.columns) for each in own}
        for wanted in sorted({*methods.values()}, key=lambda labels: (-len(labels), sorted(labels))):
            sharing = [each for each in own if wanted <= methods[each.run.name]]
            found = list({each.run.dataset.name: each for each in reversed(sharing)}.values())[::-1]
            names = tuple(each.run.name for each in found)
            if len(wanted) >= METHODS and len(found) >= DATASETS and names not in shown:
                shown.add(names)
                with suppress(ResultsError):  # too few complete rows as yet
                    yield _standing(kind, metric, found)


def _standing(kind: str, metric: str, runs: Sequence[Results]) -> Standing:
    scores = of_datasets(runs, metric)
    test = friedman(scores.means, scores.labels, lower_is_better=scores.metric.lower_is_better)
    names = {each.run.dataset.name: each.run.name for each in runs}
    algorithms = {column.label: column.algorithm for column in runs[0].run.columns}
    places = []
    for label, rank in test.order:
        own = scores.means[:, scores.labels.index(label)]
        places.append(Place(label, algorithms[label], rank, float(own.mean()), tuple(map(float, own))))
    datasets = tuple((names[row], row) for row in scores.rows)
    best = scores.means.min(axis=1) if scores.metric.lower_is_better else scores.means.max(axis=1)
    title = heading(scores.metric)
    return Standing(kind, title, datasets, tuple(best.tolist()), tuple(places), test.critical_difference)
