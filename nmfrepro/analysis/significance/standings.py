"""Who leads over all experiments of a folder: mean ranks of methods over the datasets that they share."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass

from ...core.errors import ResultsError
from ...core.grouping import grouped
from ...protocols import description
from ...results.folder import Results
from . import LEAST_METHODS, LEAST_ROWS, Friedman
from .scores import Scores, of_results, of_runs


@dataclass(frozen=True)
class Standing:
    """Methods on the datasets of some runs by one metric, the best mean rank first.

    `runs` are their names and `sources` their folders in words, with what else there is of their datasets and
    why it was left out: one for each row of `scores`.
    """

    kind: str
    runs: tuple[str, ...]
    sources: tuple[str, ...]
    scores: Scores
    test: Friedman

    @property
    def notes(self) -> tuple[str, ...]:
        """What a reader must know: from where the numbers are, what is left out, which settings differ."""
        left = (f"Left out: {reason}" for reason in self.scores.left_out)
        return (*(f"{each}." for each in (*self.sources, *left)), *self.scores.notes)


def standings(runs: Sequence[Results]) -> Iterator[Standing]:
    """One for every kind of protocol, metric and set of methods that several datasets have.

    Smoke runs, sweeps and runs for times are left out.  Of the runs of a dataset that counts whose trials of
    these methods are all there, of several such the one with the most, of these the first by its folder.
    """
    groups = grouped(
        ((each.run.kind, metric), each)
        for each in runs
        if not each.run.protocol.alone
        for metric in each.run.spec.metrics
        if description(metric).ranked
    )
    for (kind, metric), own in groups.items():
        shown: set[tuple[str, ...]] = set()
        methods = {_labels(each) for each in own if not _unfit(each, frozenset())}
        for wanted in sorted(methods, key=lambda labels: (-len(labels), sorted(labels))):
            best: list[Results] = []
            sources: dict[str, str] = {}
            for dataset, those in grouped((each.run.dataset.name, each) for each in own).items():
                able = [each for each in those if not _unfit(each, wanted)]
                if able:
                    best.append(min(able, key=lambda each: (_lacks(each, wanted), str(each.folder))))
                    sources[dataset] = _told(best[-1], those, wanted)
            names = tuple(each.run.spec.name for each in best)
            if len(wanted) >= LEAST_METHODS and len(best) >= LEAST_ROWS and names not in shown:
                shown.add(names)
                with suppress(ResultsError):  # too few complete rows as yet
                    scores = of_runs([of_results(each, metric) for each in best])
                    if test := scores.friedman():
                        run_of = dict(zip(sources, names, strict=True))
                        where = tuple(run_of[row] for row in scores.rows)
                        yield Standing(kind, where, tuple(sources[row] for row in scores.rows), scores, test)


def _labels(results: Results) -> frozenset[str]:
    return frozenset(column.label for column in results.run.columns)


def _unfit(results: Results, wanted: frozenset[str]) -> str:
    """Why a run cannot stand for its dataset; empty where it can."""
    if results.run.smoke:
        return "a smoke run"
    if any(column.sweep for column in results.run.columns):
        return "a sweep"
    return f"without {', '.join(lacking)}" if (lacking := sorted(wanted - _labels(results))) else ""


def _counts(results: Results, wanted: frozenset[str]) -> tuple[int, int]:
    """How many trials of some methods are there, and are planned."""
    planned = [trial for trial in results.trials if trial.label in wanted]
    return sum(trial.ok for trial in planned), len(planned)


def _lacks(results: Results, wanted: frozenset[str]) -> tuple[bool, int]:
    """What the better of two runs has less of."""
    there, planned = _counts(results, wanted)
    return there < planned, -there


def _told(best: Results, those: Sequence[Results], wanted: frozenset[str]) -> str:
    """Which run of a dataset counts, and why the others do not."""
    said = {}
    for each in those:
        count = "{} of {} trials".format(*_counts(each, wanted))
        later = each is not best and _lacks(each, wanted) == _lacks(best, wanted)
        said[each.folder] = _unfit(each, wanted) or (f"{count}, later by name" if later else count)
    count = said.pop(best.folder)
    left = ", ".join(f"{folder} ({said[folder]})" for folder in sorted(said))
    return f"{best.run.dataset.name}: {best.folder} ({count})" + (f"; left out: {left}" if left else "")
