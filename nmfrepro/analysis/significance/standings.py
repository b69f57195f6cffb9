"""Who leads over all experiments of a folder: mean ranks of methods over the datasets that they share."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass

from ...core.errors import ResultsError
from ...protocols import description
from ...results.folder import Results
from . import LEAST_METHODS, LEAST_ROWS, Friedman
from .scores import Scores, of_datasets


@dataclass(frozen=True)
class Standing:
    """Methods on the datasets of some runs by one metric, the best mean rank first.

    `runs` are their names, one for each row of `scores`.
    """

    kind: str
    runs: tuple[str, ...]
    scores: Scores
    test: Friedman


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
            chosen = list({each.run.dataset.name: each for each in reversed(sharing)}.values())[::-1]
            names = tuple(each.run.name for each in chosen)
            if len(wanted) >= LEAST_METHODS and len(chosen) >= LEAST_ROWS and names not in shown:
                shown.add(names)
                with suppress(ResultsError):  # too few complete rows as yet
                    scores = of_datasets(chosen, metric)
                    if test := scores.friedman():
                        run_of = {each.run.dataset.name: each.run.name for each in chosen}
                        where = tuple(run_of[row] for row in scores.rows)
                        yield Standing(kind, where, scores, test)
