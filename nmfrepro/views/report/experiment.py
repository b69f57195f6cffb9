"""One results folder, read and ready to be shown."""

from __future__ import annotations

import math
import shlex
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from ... import datasets, papers
from ...analysis.compare import compare_published, unjudged, used_for_choosing
from ...analysis.compare.control import Control, negative_control
from ...analysis.compare.gain import FAILS, HOLDS, OPEN
from ...analysis.compare.pairs import Comparison, Pair
from ...analysis.compare.verdict import VERDICTS
from ...analysis.tables import Table, make_table
from ...analysis.tables.layout import planned_trials
from ...core.errors import ResultsError
from ...core.terminal import pasted
from ...registry import plugins
from ...results import folder as results_folder
from ...results.folder import Results
from ...results.marks import outdated, stale
from ...results.record import RunRecord
from ...spec import SMOKE
from ...spec import files as specfiles
from .. import comparison as comparetext
from .chart import Chart, Swatch, charts, swatches
from .embedding import Picture, pictures, share
from .grid import Grid, grids

PICTURES = 16_000_000
"""Bytes that the pictures of all experiments together may take."""


@dataclass(frozen=True)
class Experiment:
    """One results folder.

    Attributes
    ----------
    folder : Path
    problem : str
        Why the folder cannot be shown; empty where it can, and everything below is then meaningful.
    run : RunRecord or None
    table : Table or None
    comparisons : tuple of Comparison
        Empty where the spec names no published table.
    unjudged : str
        Why there is no verdict; empty where there is one.
    caveats : tuple of str
        What must be known before a verdict means anything.
    used : int
        Published numbers that the free choices could be fitted to.
    control : Control or None
        What the verdicts say of wrong pairs of methods.
    grids : tuple of Grid
        The tables, every cell beside the published one.
    charts : tuple of Chart
        The tables as pictures that answer a pointer, where they have rows enough.
    notes : tuple of str
    pictures : tuple of Picture
        What `nmfrepro plot` has drawn.
    planned, present, failed : int
        Trials of the plan, those with a result, and those that failed.
    reasons : tuple of (str, int)
        Why trials failed, and how many, the most frequent first.
    seconds : float
        Of all trials together.
    finished : str
        When the last trial was finished, as ``timings.csv`` says; empty where it does not.
    """

    folder: Path
    problem: str = ""
    run: RunRecord | None = None
    table: Table | None = None
    comparisons: tuple[Comparison, ...] = ()
    unjudged: str = ""
    caveats: tuple[str, ...] = ()
    used: int = 0
    control: Control | None = None
    grids: tuple[Grid, ...] = ()
    charts: tuple[Chart, ...] = ()
    notes: tuple[str, ...] = ()
    pictures: tuple[Picture, ...] = ()
    planned: int = 0
    present: int = 0
    failed: int = 0
    reasons: tuple[tuple[str, int], ...] = ()
    seconds: float = 0.0
    finished: str = ""

    @property
    def title(self) -> str:
        """What the experiment is called."""
        return self.run.title if self.run else self.folder.name

    @cached_property
    def dataset(self) -> str:
        """The dataset in few words."""
        if self.run is None:
            return ""
        known = datasets.registry().get(self.run.dataset.name)
        return known.title.partition(",")[0].partition(" (")[0] if known else self.run.dataset.name

    @property
    def words(self) -> str:
        """What a search finds it by."""
        if self.run is None:
            return self.folder.name
        columns = [f"{column.label} {column.algorithm}" for column in self.run.columns]
        metrics = [grid.title for grid in self.grids]
        said = [
            self.title,
            self.run.name,
            self.run.kind,
            self.run.dataset.name,
            self.dataset,
            *columns,
            *metrics,
        ]
        return " ".join(said)

    @property
    def smoke(self) -> bool:
        """Whether everything was shrunk, so that the numbers reproduce nothing."""
        return self.run is not None and self.run.smoke

    @property
    def inferred(self) -> tuple[str, ...]:
        """Settings that were fitted to the published numbers."""
        return self.run.inferred if self.run else ()

    @property
    def pairs(self) -> list[Pair]:
        """All cells that have a published counterpart."""
        return comparetext.pairs_of(self.comparisons)

    @property
    def swatches(self) -> list[Swatch]:
        """The methods with how they are drawn."""
        return swatches(self.table) if self.table else []

    @property
    def verdicts(self) -> dict[str, int]:
        """How many cells have which verdict."""
        return comparetext.tally(pair.verdict for pair in self.pairs)

    @property
    def methods(self) -> dict[str, int]:
        """How many mean differences of methods have which verdict."""
        told = [c.evidence.verdict for each in self.comparisons for c in each.columns if c.evidence]
        return {verdict: told.count(verdict) for verdict in VERDICTS}

    @property
    def claims(self) -> dict[str, int]:
        """How many claims hold, fail or stay open."""
        told = [claim.verdict for each in self.comparisons for claim in each.claims]
        return {verdict: told.count(verdict) for verdict in (HOLDS, FAILS, OPEN)}

    @property
    def judged(self) -> bool:
        """Whether there is a verdict on anything."""
        return bool(self.comparisons) and not self.unjudged

    @property
    def commands(self) -> list[str]:
        """How to run it again and look closer."""
        assert self.run is not None
        name = self.run.name.removesuffix(SMOKE)
        spec = name if name in specfiles.experiments() else f"{name}.yaml"
        settings = "".join(f" --set {shlex.quote(each)}" for each in self.run.overrides)
        given = plugins.options(self.run.environment.plugins)
        own = f" {given}" if given else ""
        lines = [f"nmfrepro run {pasted(spec)}" + (" --smoke" if self.smoke else "") + settings + own]
        folder = pasted(f"results/{self.run.name}")
        lines += [f"nmfrepro table {folder}"]
        lines += [f"nmfrepro compare {folder}"] if self.comparisons else []
        return [*lines, f"nmfrepro verify {folder}{own}"]

    @property
    def settings(self) -> str:
        """The resolved spec as YAML; what was left open is left out."""
        import yaml

        assert self.run is not None
        return yaml.safe_dump(
            _given(self.run.spec), sort_keys=False, allow_unicode=True, default_flow_style=None, width=100
        )


def _given(value: Any) -> Any:
    """Without the keys that hold nothing."""
    if isinstance(value, Mapping):
        return {name: _given(each) for name, each in value.items() if each not in (None, {}, [])}
    return [_given(each) for each in value] if isinstance(value, list) else value


def collect(folders: Sequence[Path], select: str = "test") -> list[Experiment]:
    """Read results folders; one that cannot be read becomes an experiment with a problem.

    Parameters
    ----------
    folders : sequence of Path
    select : {"test", "validation"}
        What the best dimension of a recognition run is chosen by.
    """
    found, limit = [], share(folders, PICTURES)
    for folder in folders:
        try:
            found.append(_experiment(folder, select, limit))
        except ResultsError as error:
            found.append(Experiment(folder, problem=str(error)))
    return found


def _experiment(folder: Path, select: str, limit: int) -> Experiment:
    results = results_folder.read(folder)
    table, trials = make_table(results, select=select), planned_trials(results)
    compared = _compared(results, select)
    shown = tuple(grids(table, compared.comparisons))
    times = [trial.times for trial in trials if trial.times is not None]
    failures = Counter(trial.error for trial in trials if trial.failed)
    old = stale(results)
    return Experiment(
        folder,
        run=results.run,
        table=table,
        comparisons=compared.comparisons,
        unjudged=compared.unjudged,
        caveats=compared.caveats,
        used=compared.used,
        control=negative_control(compared.comparisons),
        grids=shown,
        charts=tuple(charts(table, shown, results.run.columns)),
        notes=tuple(dict.fromkeys((*filter(None, [outdated(results, old)]), *table.notes, *compared.notes))),
        pictures=pictures(folder, limit, old, f"{results.run.title}: "),
        planned=len(trials),
        present=sum(trial.ok for trial in trials),
        failed=sum(trial.failed for trial in trials),
        reasons=tuple(failures.most_common()),
        seconds=math.fsum(each.seconds or 0 for each in times),
        finished=max((each.finished for each in times), default=""),
    )


@dataclass(frozen=True)
class _Compared:
    """A run beside what the paper printed, with what is to be said of it; all empty where it names none."""

    comparisons: tuple[Comparison, ...] = ()
    unjudged: str = ""
    caveats: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    used: int = 0


def _compared(results: Results, select: str) -> _Compared:
    name = results.run.published
    if not name:
        return _Compared()
    source = papers.load(name).source
    why, used = unjudged(results, source), used_for_choosing(results, name)
    caveats = tuple(comparetext.caveats(results.run, select, used))
    notes = tuple(comparetext.run_notes(results.run, select, source.notes, used))
    try:
        return _Compared(tuple(compare_published(results, None, select)), why, caveats, notes, used)
    except ResultsError as error:  # nothing in common yet: the tables stand for themselves
        return _Compared((), why, caveats, (*notes, f"Not compared: {error}"), used)
