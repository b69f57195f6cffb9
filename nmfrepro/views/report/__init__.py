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
from ...analysis.compare import compare_published
from ...analysis.compare.agreement import AGREES, DIFFERS, FACTOR, NARROW, NOISY, WIDE, Comparison, Pair
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
    caveats : tuple of str
        What must be known before the number of cells that agree means anything.
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
    caveats: tuple[str, ...] = ()
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
        return {v: sum(pair.verdict == v for pair in self.pairs) for v in (AGREES, NOISY, DIFFERS)}

    @property
    def doubts(self) -> dict[str, str]:
        """What is to be said beside the number of cells of a verdict."""
        return comparetext.doubts(self.pairs)

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
    comparisons, caveats, remarks = _compared(results, select)
    times = [trial.times for trial in trials if trial.times is not None]
    failures = Counter(trial.error for trial in trials if trial.failed)
    return Experiment(
        folder,
        run=results.run,
        table=table,
        comparisons=tuple(comparisons),
        caveats=tuple(caveats),
        grids=tuple(grids(table, comparisons)),
        notes=tuple(dict.fromkeys((*filter(None, [outdated(results)]), *table.notes, *remarks))),
        pictures=pictures(folder, budget),
        planned=len(trials),
        present=sum(trial.ok for trial in trials),
        failed=sum(trial.failed for trial in trials),
        reasons=tuple(failures.most_common()),
        seconds=math.fsum(each.seconds or 0 for each in times),
        finished=max((each.finished for each in times), default=""),
    )


def _compared(results: Results, select: str) -> tuple[list[Comparison], list[str], list[str]]:
    """The run beside what the paper printed, its caveats and notes on it; nothing where it names none."""
    if not results.run.published:
        return [], [], []
    source = papers.load(results.run.published).source
    caveats = list(comparetext.caveats(results.run, select, source.dataset))
    notes = list(comparetext.run_notes(results.run, select, source.notes, source.dataset))
    try:
        return compare_published(results, None, select), caveats, notes
    except ResultsError as error:  # nothing in common yet: the tables stand for themselves
        return [], caveats, [*notes, f"Not compared: {error}"]


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
        AGREES=AGREES,
        NOISY=NOISY,
        DIFFERS=DIFFERS,
        NARROW=NARROW,
        WIDE=WIDE,
        FACTOR=FACTOR,
        MARKS={AGREES: "✓", NOISY: "≈", DIFFERS: "✗"},
        CLASSES={AGREES: "agrees", NOISY: "noisy", DIFFERS: "differs"},
    )


def sortable(value: float | None) -> str:
    """A number as the page's script sorts it: five digits; nothing where there is none."""
    return "" if value is None or math.isnan(value) else f"{value:.5g}"


@dataclass(frozen=True)
class Total:
    """Cells of several experiments by verdict.

    Attributes
    ----------
    what : str
        Which experiments.
    experiments, choices : int
        How many, and how many settings of theirs were fitted to the published numbers.
    verdicts : dict of str to int
    doubts : dict of str to str
        What is to be said beside these numbers, by verdict.
    """

    what: str
    experiments: int
    choices: int
    verdicts: Mapping[str, int]
    doubts: Mapping[str, str]

    @property
    def cells(self) -> int:
        """All cells."""
        return sum(self.verdicts.values())


def totals(experiments: Sequence[Experiment]) -> list[Total]:
    """Agreement counted twice: with settings as stated or plainly chosen, and after calibration.

    Smoke runs reproduce nothing and are not counted.
    """
    compared = [each for each in experiments if each.comparisons and not each.smoke]
    groups = {
        "With settings as stated or plainly chosen": [each for each in compared if not each.inferred],
        "After calibration to the published numbers": [each for each in compared if each.inferred],
    }
    return [
        Total(
            what,
            len(those),
            sum(len(each.inferred) for each in those),
            {v: sum(each.verdicts[v] for each in those) for v in (AGREES, NOISY, DIFFERS)},
            comparetext.doubts([pair for each in those for pair in each.pairs]),
        )
        for what, those in groups.items()
        if those
    ]
