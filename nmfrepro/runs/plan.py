"""From a spec to its trials, each with a content key."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection, Iterable, Mapping
from typing import Any

from ..core.errors import Setting, SpecError, suggest
from ..datasets import Dataset
from ..protocols import Task
from ..registry.plugins import source_hash
from ..spec import Entry, Spec
from ..spec.checks import unplanned
from ..spec.columnlabels import matches

# Raised when the way trials are drawn, fitted, scored or keyed changes for all protocols.
# 2: the counts behind `inner: auto`.
SCHEMA = 2


def make_plan(spec: Spec, dataset: Dataset, beside: Mapping[str, Any]) -> tuple[Task, ...]:
    """All trials of a spec: cell by cell, and in each cell the algorithms in the spec's order.

    `beside` is what the protocol has read beside the dataset (`Samples.content_beside`).

    Raises
    ------
    SpecError
        If the protocol's cells make no plan, or two entries are the same work under two labels.
    """
    trials: dict[str, Task] = {}
    shared = [_content(spec, dataset, beside, entry) for entry in spec.entries]
    if why := unplanned(spec.protocol, len(dataset.classes), len(spec.entries)):
        raise spec.located(SpecError(why))
    for coordinates in spec.protocol.cells(len(dataset.classes)):
        for entry, content in zip(spec.entries, shared, strict=True):
            decides = canonical(content | {"coordinates": dict(coordinates)})
            key = hashlib.sha256(decides.encode()).hexdigest()[:16]
            if key in trials:
                raise SpecError(
                    f"{spec.path}: columns {trials[key].label!r} and {entry.label!r} are the same method "
                    "with the same settings; remove one"
                )
            trials[key] = Task(coordinates, entry.algorithm, entry.fit, spec.seed, key, entry.label)
    return tuple(trials.values())


def _content(spec: Spec, dataset: Dataset, beside: Mapping[str, Any], entry: Entry) -> dict[str, Any]:
    """Everything that decides the numbers of a column's trials but where they lie, and nothing else."""
    algorithm, scale = entry.algorithm, spec.dataset.scale
    # While a method is being written nobody raises its revision: the file of a plug-in is the revision.
    files = {type(part).__module__: None for part in (algorithm, spec.protocol)}
    hashes = [each for each in map(source_hash, files) if each is not None]
    return ({"plugins": hashes} if hashes else {}) | {
        "schema": SCHEMA,
        "data": dataset.sha256,
        "identity": dataset.drawn_as,
        "source": dataset.source,
        # The hash is of the values as stored; "grey" divides them by the levels.
        "scale": [scale, float(dataset.levels) if scale == "grey" and dataset.levels else None],
        "seed": spec.seed,
        "protocol": {**spec.protocol.deciding(algorithm), **beside},
        "algorithm": [algorithm.name, algorithm.revision, *entry.fit.revision],
        "parameters": algorithm.identity,
        "fit": entry.fit.identity(algorithm.fit_settings),
    }


def canonical(content: Any) -> str:
    """JSON with sorted keys and no spaces, so that equal settings are equal text."""
    return json.dumps(content, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)


def select(trials: Iterable[Task], only: Collection[str]) -> list[Task]:
    """The trials of the columns that `--only` names, of all without it.

    Raises
    ------
    SpecError
        As `labels_of`.
    """
    everything = list(trials)
    chosen = labels_of(only, {trial.label: trial.algorithm.name for trial in everything})
    return [trial for trial in everything if trial.label in chosen or not only]


def labels_of(patterns: Iterable[str], columns: Mapping[str, str], setting: str = "only") -> set[str]:
    """The columns whose label or algorithm matches one of some patterns (* and ? as in shells).

    Parameters
    ----------
    patterns : iterable of str
    columns : mapping of str to str
        Algorithms by label.
    setting : str
        What the patterns were given for.

    Raises
    ------
    SpecError
        If a pattern matches nothing.
    """
    chosen = set[str]()
    for pattern in patterns:
        own = {label for label, algorithm in columns.items() if matches(pattern, label, algorithm)}
        if not own:
            raise SpecError(Setting(setting, pattern), f" matches no column; {suggest(pattern, columns)}")
        chosen |= own
    return chosen
