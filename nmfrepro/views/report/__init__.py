"""All results of a folder on one self-contained HTML page.

The page needs no network: styles, script and pictures are inside.  Every text is escaped by the template
engine, and the page forbids itself to load anything or to run any script but its own.
"""

from __future__ import annotations

import base64
import hashlib
import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import Any

from ... import __version__, papers
from ...analysis.compare import compare_published, unjudged, used_for_choosing
from ...analysis.compare.control import NOTHING, Control, negative_control
from ...analysis.compare.gain import FAILS, HOLDS, OPEN
from ...analysis.compare.pairs import FACTOR, Comparison, Pair
from ...analysis.compare.verdict import (
    DEVIATES,
    DIFFERS,
    INCONCLUSIVE,
    MARGIN,
    NO_SPREAD,
    REPRODUCED,
    UNJUDGED,
    VERDICTS,
)
from ...analysis.tables import Table, make_table
from ...analysis.tables.layout import planned_trials
from ...core.errors import ResultsError
from ...registry import plugins
from ...results import folder as results_folder
from ...results.folder import Results
from ...results.marks import outdated
from ...results.record import RunRecord
from ...spec import SMOKE
from ...spec import files as specfiles
from .. import comparison as comparetext
from .embedding import Picture, pictures
from .grid import Grid, grids

PICTURES = 4_000_000
"""Bytes that the pictures of all experiments together may take."""
MARKS = {REPRODUCED: "✓", DEVIATES: "✗", DIFFERS: "≠", INCONCLUSIVE: "?", NO_SPREAD: "·", UNJUDGED: "·"}
CLASSES = {
    REPRODUCED: "reproduced",
    DEVIATES: "deviates",
    DIFFERS: "differs",
    INCONCLUSIVE: "open",
    NO_SPREAD: "unjudged",
    UNJUDGED: "unjudged",
}
LONG_LISTS = 10_000
"""Cells up to which every experiment lists each with its difference; beyond, the tables alone show them."""


@dataclass(frozen=True)
class Experiment:
    """One results folder, ready to be shown.

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
    notes : tuple of str
    pictures : tuple of Picture
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
        return [pair for each in self.comparisons for column in each.columns for pair in column.pairs]

    @property
    def verdicts(self) -> dict[str, int]:
        """How many cells have which verdict."""
        return comparetext.verdict_counts(self.pairs)

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
    def headline(self) -> list[str]:
        """Claims, mean differences and cells, a sentence each."""
        return list(comparetext.headline(self.comparisons))

    @property
    def commands(self) -> list[str]:
        """How to run it again and look closer."""
        assert self.run is not None
        name = self.run.name.removesuffix(SMOKE)
        spec = name if name in specfiles.experiments() else f"{name}.yaml"
        settings = "".join(f" --set {_quoted(each)}" for each in self.run.overrides)
        given = plugins.options(self.run.environment.plugins)
        own = f" {given}" if given else ""
        lines = [f"nmfrepro run {_quoted(spec)}" + (" --smoke" if self.smoke else "") + settings + own]
        folder = _quoted(f"results/{self.run.name}")
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


def _quoted(text: str) -> str:
    import shlex

    return shlex.quote(text)


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
    found, budget = [], PICTURES
    for position, folder in enumerate(folders):
        try:
            experiment = _experiment(folder, select, budget // (len(folders) - position))
        except ResultsError as error:
            experiment = Experiment(folder, problem=str(error))
        budget -= sum(len(picture.uri) for picture in experiment.pictures)
        found.append(experiment)
    return found


def _experiment(folder: Path, select: str, budget: int) -> Experiment:
    results = results_folder.read(folder)
    table, trials = make_table(results, select=select), planned_trials(results)
    compared = _compared(results, select)
    times = [trial.times for trial in trials if trial.times is not None]
    failures = Counter(trial.error for trial in trials if trial.failed)
    return Experiment(
        folder,
        run=results.run,
        table=table,
        comparisons=compared.comparisons,
        unjudged=compared.unjudged,
        caveats=compared.caveats,
        used=compared.used,
        control=negative_control(compared.comparisons),
        grids=tuple(grids(table, compared.comparisons)),
        notes=tuple(dict.fromkeys((*filter(None, [outdated(results)]), *table.notes, *compared.notes))),
        pictures=pictures(folder, budget),
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


def render(experiments: Sequence[Experiment], title: str = "nmfrepro report") -> str:
    """The page.

    Parameters
    ----------
    experiments : sequence of Experiment
    title : str
        Of the whole page.
    """
    from jinja2 import Environment, PackageLoader, StrictUndefined
    from markupsafe import Markup

    files = resources.files(__package__) / "templates"
    script = (files / "report.js").read_text(encoding="utf-8")
    engine = Environment(
        loader=PackageLoader(__package__),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    cells = sum(len(each.pairs) for each in experiments)
    return engine.get_template("report.html").render(
        title=title,
        version=__version__,
        experiments=experiments,
        totals=totals(experiments),
        sortable=sortable,
        plugins_told=plugins.told,
        listed=cells <= LONG_LISTS,
        style=Markup((files / "report.css").read_text(encoding="utf-8")),
        script=Markup(script),
        script_hash=base64.b64encode(hashlib.sha256(script.encode()).digest()).decode(),
        VERDICTS=VERDICTS,
        REPRODUCED=REPRODUCED,
        NO_SPREAD=NO_SPREAD,
        MARGIN=MARGIN,
        FACTOR=FACTOR,
        MARKS=MARKS,
        CLASSES=CLASSES,
        said=comparetext.said,
        published_text=lambda side: side.text or f"{side.mean:.1f}",
        side_text=comparetext.side_text,
        control_sentence=comparetext.control_sentence,
        control=sum((each.control for each in experiments if each.control), NOTHING),
        NOTHING=NOTHING,
    )


def sortable(value: float | None) -> str:
    """A number as the page's script sorts it: five digits; nothing where there is none."""
    return "" if value is None or math.isnan(value) else f"{value:.5g}"


@dataclass(frozen=True)
class Total:
    """Several experiments by verdict.

    Attributes
    ----------
    what : str
        Which experiments.
    experiments, choices, used : int
        How many, how many settings of theirs were fitted to the published numbers, and how many published
        numbers these could be fitted to.
    claims, methods, verdicts : mapping of str to int
        Claims, mean differences of methods, and cells by verdict.
    """

    what: str
    experiments: int
    choices: int
    used: int
    claims: Mapping[str, int]
    methods: Mapping[str, int]
    verdicts: Mapping[str, int]


def totals(experiments: Sequence[Experiment]) -> list[Total]:
    """Everything counted twice: with settings as stated or plainly chosen, and after calibration.

    Experiments without a verdict are not counted.
    """
    judged = [each for each in experiments if each.judged]
    groups = {
        "With settings as stated or plainly chosen": [each for each in judged if not each.inferred],
        "After calibration to the published numbers": [each for each in judged if each.inferred],
    }
    return [
        Total(
            what,
            len(those),
            sum(len(each.inferred) for each in those),
            sum(each.used for each in those),
            *(_added([getattr(each, name) for each in those]) for name in ("claims", "methods", "verdicts")),
        )
        for what, those in groups.items()
        if those
    ]


def _added(counts: Sequence[Mapping[str, int]]) -> dict[str, int]:
    return {verdict: sum(each[verdict] for each in counts) for verdict in counts[0]}
