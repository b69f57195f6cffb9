"""One results folder, read and ready to be shown."""

from __future__ import annotations

import math
import shlex
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from ... import datasets
from ...analysis.compare import compare_published, published_tables, unjudged, used_for_choosing
from ...analysis.compare.control import Control, negative_control
from ...analysis.compare.gain import FAILS, HOLDS, OPEN
from ...analysis.compare.pairs import Comparison, Pair
from ...analysis.tables import Block, Table, make_table
from ...analysis.tables.layout import planned_trials
from ...core.errors import ResultsError
from ...core.grouping import grouped
from ...core.terminal import pasted
from ...core.typed import to_json
from ...registry import plugins
from ...results.folder import Results, read
from ...results.marks import outdated, stale_files
from ...results.record import RunRecord
from ...runs.against import REFERENCE
from ...spec import SMOKE
from ...spec import files as specfiles
from ...spec.overrides import as_options
from .. import comparison as comparetext
from ..plots.style import Looks, looks_of
from ..tables import heading
from .chart import Chart, charts
from .embedding import EmbeddedPicture, pictures, share
from .published import Pairs, published

PICTURES = 16_000_000
"""Bytes that the pictures of all experiments together may take."""


@dataclass(frozen=True)
class Experiment:
    """One results folder."""

    folder: Path
    called: str = ""  # by what it is told from another of the same title; empty where none is
    problem: str = ""  # why it cannot be shown; empty where it can, and only then all below has a meaning
    results: Results | None = None
    table: Table | None = None
    comparisons: tuple[Comparison, ...] = ()  # empty where the spec names no published table
    unjudged: str = ""  # why there is no verdict; empty where there is one
    caveats: tuple[str, ...] = ()  # what must be known before a verdict means anything
    used: int = 0  # published numbers that the free choices could be fitted to
    control: Control | None = None  # what the verdicts say of wrong pairs of methods
    blocks: tuple[tuple[Block, Pairs], ...] = ()  # of the table, with their cells that are published
    charts: tuple[Chart, ...] = ()  # the tables as pictures for a pointer, where there are rows enough
    notes: tuple[str, ...] = ()
    pictures: tuple[EmbeddedPicture, ...] = ()  # what `nmfrepro plot` has drawn
    # Trials of the plan, those with a result, and those that failed.
    planned: int = 0
    present: int = 0
    failed: int = 0
    reasons: tuple[tuple[str, int], ...] = ()  # why trials failed, and how many, the most frequent first
    seconds: float = 0.0  # of all trials together
    finished: str = ""  # when the last trial was, as ``timings.csv`` says; empty where it does not

    @property
    def run(self) -> RunRecord | None:
        """What was run."""
        return self.results.run if self.results else None

    @property
    def title(self) -> str:
        """What the experiment is called."""
        own = self.run.spec.title if self.run else self.folder.name
        return f"{own} ({self.called})" if self.called else own

    @cached_property
    def dataset(self) -> str:
        """The dataset in few words."""
        if self.run is None:
            return ""
        definition = datasets.registry().get(self.run.dataset.name)
        return definition.title.partition(",")[0].partition(" (")[0] if definition else self.run.dataset.name

    @property
    def words(self) -> str:
        """What a search finds it by."""
        if self.run is None:
            return self.folder.name
        words = [self.title, self.run.spec.name, self.run.kind, self.run.dataset.name, self.dataset]
        words += [f"{column.label} {column.algorithm}" for column in self.run.columns]
        return " ".join([*words, *(heading(block.metric) for block, _ in self.blocks)])

    @property
    def smoke(self) -> bool:
        """Whether everything was shrunk, so that the numbers reproduce nothing."""
        return self.run is not None and self.run.smoke

    @property
    def inferred(self) -> tuple[str, ...]:
        """Settings that were fitted to the published numbers."""
        return self.run.spec.inferred if self.run else ()

    @property
    def pairs(self) -> list[Pair]:
        """All cells that have a published counterpart."""
        return comparetext.pairs_of(self.comparisons)

    @property
    def looks(self) -> Looks:
        """How the methods are drawn, by label."""
        return looks_of(self.table.columns) if self.table else {}

    @property
    def verdicts(self) -> dict[str, int]:
        """How many cells have which verdict."""
        return comparetext.tally(pair.verdict for pair in self.pairs)

    @property
    def methods(self) -> dict[str, int]:
        """How many mean differences of methods have which verdict."""
        columns = (column for each in self.comparisons for column in each.columns)
        return comparetext.tally(column.evidence.verdict for column in columns if column.evidence)

    @property
    def claims(self) -> dict[str, int]:
        """How many claims hold, fail or stay open."""
        claims = (claim.verdict for each in self.comparisons for claim in each.claims)
        return comparetext.tally(claims, (HOLDS, FAILS, OPEN))

    @property
    def judged(self) -> bool:
        """Whether there is a verdict on anything."""
        return bool(self.comparisons) and not self.unjudged

    @property
    def commands(self) -> list[str]:
        """How to run it again and look closer."""
        assert self.run is not None
        name = self.run.spec.name.removesuffix(SMOKE)
        spec = name if name in specfiles.experiments() else f"{name}.yaml"
        options = ["--smoke"] if self.smoke else []
        options += [f"{option} {shlex.quote(each)}" for option, each in as_options(self.run.overrides)]
        root = self.folder.parent if self.folder.name else Path("..")
        options += [f"--results {pasted(root)}"] if root != Path("results") else []
        stored = any(each.origin.startswith(f"{REFERENCE} ") for each in self.run.stored)
        options += [f"--against {REFERENCE}"] if stored else []
        given = plugins.options(self.run.environment.plugins)
        own = f" {given}" if given else ""
        folder = pasted(self.folder)
        return [
            " ".join(["nmfrepro run", pasted(spec), *options]) + own,
            f"nmfrepro table {folder}",
            *([f"nmfrepro compare {folder}"] if self.comparisons else []),
            f"nmfrepro verify {folder}{own}",
        ]

    @property
    def settings(self) -> str:
        """The resolved spec as YAML; what was left open is left out."""
        import yaml

        assert self.run is not None
        layout: dict[str, Any] = {"allow_unicode": True, "default_flow_style": None, "width": 100}
        return yaml.safe_dump(_given(to_json(self.run.spec)), sort_keys=False, **layout)


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
    experiments, limit = [], share(folders, PICTURES)
    for folder in folders:
        try:
            experiments.append(_experiment(folder, select, limit))
        except ResultsError as error:
            experiments.append(Experiment(folder, problem=str(error)))
    of_title = grouped((each.title, each.folder) for each in experiments)
    return [replace(each, called=_apart(each.folder, of_title[each.title])) for each in experiments]


def _apart(folder: Path, same: Sequence[Path]) -> str:
    """The name of a folder among those of the same title, its path where they share that; empty if alone."""
    if len(same) == 1:
        return ""
    return folder.name if len({each.name for each in same}) == len(same) else str(folder)


def _experiment(folder: Path, select: str, limit: int) -> Experiment:
    results = read(folder)
    run, table, trials = results.run, make_table(results, select=select), planned_trials(results)
    compared, why, known, said, used = list[Comparison](), "", list[str](), list[str](), 0
    if run.spec.published:
        source, used = published_tables(results)[0].source, used_for_choosing(results, run.spec.published)
        why, known = unjudged(results, source), [*comparetext.caveats(results, select, used)]
        said = [*known, *comparetext.run_notes(results, source.notes)]
        try:
            compared = compare_published(results, None, select)
        except ResultsError as error:  # nothing in common yet: the tables stand for themselves
            said.append(f"Not compared: {error}")
    shown = tuple((block, published(block, compared)) for block in table.blocks)
    times = [trial.times for trial in trials]
    failures = Counter(trial.error for trial in trials if trial.failed)
    old = stale_files(results)
    return Experiment(
        folder,
        results=results,
        table=table,
        comparisons=tuple(compared),
        unjudged=why,
        caveats=tuple(known),
        used=used,
        control=negative_control(compared),
        blocks=shown,
        charts=tuple(charts(table, shown, run.protocol)),
        notes=tuple(dict.fromkeys((*filter(None, [outdated(results, old)]), *table.notes, *said))),
        pictures=pictures(folder, limit, old, f"{run.spec.title}: "),
        planned=len(trials),
        present=sum(trial.ok for trial in trials),
        failed=failures.total(),
        reasons=tuple(failures.most_common()),
        seconds=math.fsum(each.seconds or 0 for each in times),
        finished=max((each.finished for each in times), default=""),
    )
