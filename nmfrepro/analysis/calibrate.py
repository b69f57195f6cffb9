"""Settings a paper does not state, found by how likely its numbers are under each alternative.

A spec lists alternatives of unstated settings.  Every combination is run on draws of its own, kept apart from
those that are reported, and the combinations are ranked by the likelihood of the published means and spreads.
"""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from ..core.errors import Place, SpecError
from ..papers import PublishedTable, load
from ..results.folder import Results, read
from ..runs import Prepared, RunOptions, prepare, run
from ..runs.interrupts import ended_by
from ..runs.plan import canonical, labels_of
from ..spec import Spec
from ..spec.overrides import key_of, set_to
from ..spec.reader import read_alternatives, read_spec
from .tables import Cell, make_table

# Added to a spec's seed, so that the draws used for choosing are not those of the reported table.
SEED_OFFSET = 1


@dataclass(frozen=True)
class Combination:
    """One choice for every alternative that concerns a column."""

    label: str  # the column
    settings: dict[str, Any]  # value by dotted key
    spec: Spec  # the spec with these settings and the seed for choosing

    @property
    def folder(self) -> Path:
        """Where its results lie, by column and settings: "NLCF/scale=grey,lam=10"."""
        words = (f"{key.rpartition('.')[2]}={written(value)}" for key, value in self.settings.items())
        settings = "".join(c if c.isalnum() or c in "=,.-_" else "_" for c in ",".join(words))
        # A column may be called as its user likes: "../NMF", "/NMF".
        return Path(re.sub(r"[/\\]|^\.+$", "_", self.label), settings)


@dataclass(frozen=True)
class Ranked:
    """How well the published numbers fit one combination."""

    combination: Combination
    log_likelihood: float  # of the published means and spreads, summed over rows and metrics
    rows: int  # how many published cells entered it
    failed: int  # trials that failed
    difference: dict[str, float]  # mean absolute difference of the means by metric, in points


def combinations(path: Path, overrides: Sequence[str] = (), only: Sequence[str] = ()) -> list[Combination]:
    """All combinations of a spec's alternatives, column by column.

    A column has the alternatives that change something of it: ``dataset.scale``, its own
    ``algorithms.NAME.parameter``, ``fit.max_iter`` if it iterates and has no `fit` of its own.

    Parameters
    ----------
    path : Path
    overrides : sequence of str
        As ``--set``; a seed is that of the reported table.
    only : sequence of str
        Columns or algorithm names to calibrate (* and ? as in shells); all by default.

    Raises
    ------
    SpecError
        If the spec has no alternatives, or one that cannot be run or is in `overrides` too, or no published
        table, or `only` names no column or one without alternatives.
    """
    base = read_spec(path, overrides)
    if not base.alternatives:
        raise SpecError(
            f"{path}: has no alternatives; list them as alternatives: {{fit.max_iter: [100, 300]}}"
        )
    for each in overrides:
        if (key := key_of(each)) in base.alternatives:
            why = f"{key} is among the alternatives, which are tried in its place; leave it out"
            raise SpecError(why, place=Place(set_to(each)))
    alternatives = read_alternatives(base)
    if base.published is None:
        raise SpecError(f"{path}: names no published table to calibrate against; add published: …")
    wanted = labels_of(only, {entry.label: entry.algorithm.name for entry in base.entries})
    others = [each for each in overrides if key_of(each) != "seed"]
    own = _identities(base)
    changed = {key: list(map(_identities, specs)) for key, specs in alternatives.items()}
    combined = []
    for n, entry in enumerate(base.entries):
        if only and entry.label not in wanted:
            continue
        concerned = {
            key: base.alternatives[key]
            for key, specs in changed.items()
            if any(len(columns) != len(own) or columns[n] != own[n] for columns in specs)
        }
        if not concerned:
            continue
        for chosen in itertools.product(*concerned.values()):
            settings = dict(zip(concerned, chosen, strict=True))
            sets = [f"{key}={written(value)}" for key, value in settings.items()]
            spec = read_spec(path, [*others, *sets, f"seed={base.seed + SEED_OFFSET}"])
            if len(spec.entries) != len(base.entries):
                why = "it has other columns; alternatives are for what is no sweep"
                raise SpecError(f"{path}: with {', '.join(sets)} {why}")
            # What a column is called may tell of a setting that has alternatives.
            both = zip(spec.entries, base.entries, strict=True)
            entries = tuple(replace(new, label=old.label) for new, old in both)
            spec = replace(spec, protocol=spec.protocol.as_printed(), entries=entries)
            combined.append(Combination(entry.label, settings, spec))
    if not combined:
        raise SpecError(f"{path}: none of its alternatives concerns {', '.join(only) or 'a column'}")
    return combined


def calibrate(
    todo: Iterable[Combination], folder: Path, data_dir: Path | None = None, jobs: int | None = None
) -> Iterator[Ranked]:
    """Run each combination in a folder of its own below `folder`, as far as it is not there, and score it.

    Raises
    ------
    KeyboardInterrupt, SystemExit
        After Ctrl-C; after SIGTERM.
    NmfreproError
        As `nmfrepro.runs.prepare` and `nmfrepro.runs.run`.
    """
    for each in todo:
        column = _alone(prepare(each.spec, data_dir), each.label)
        summary = run(column, folder / each.folder, RunOptions(jobs), announce=lambda line: None)
        if summary.interrupted:
            raise ended_by(summary.interrupted)
        yield rank(each, read(summary.folder))


def _alone(prepared: Prepared, label: str) -> Prepared:
    """One column of a spec; `only` would take others of its method too."""
    entries = tuple(entry for entry in prepared.spec.entries if entry.label == label)
    plan = tuple(trial for trial in prepared.plan if trial.label == label)
    return replace(prepared, spec=replace(prepared.spec, entries=entries), plan=plan)


def _identities(spec: Spec) -> list[str]:
    """All that the results of each column depend on, as text."""
    found = []
    for entry in spec.entries:
        algorithm = entry.algorithm
        settings = [algorithm.name, algorithm.identity, entry.fit.identity(algorithm.fit_settings)]
        found.append(canonical([asdict(spec.dataset), spec.protocol.deciding(algorithm), *settings]))
    return found


def written(value: Any) -> str:
    """A setting as ``--set`` takes it: text as it is, all else as JSON."""
    return value if isinstance(value, str) else canonical(value)


def rank(combination: Combination, results: Results) -> Ranked:
    """Score one combination by its results.

    For each row and metric with a published spread s_p over n_p runs, and our mean r and spread s_r over n_r
    draws, the published mean is taken as normal around r with variance s_p²/n_p + s_r²/n_r, and s_p²/s_r² as
    F-distributed with n_p − 1 and n_r − 1 degrees of freedom.  Rows share images and the two metrics are
    correlated, so the sum ranks combinations; it is not a probability.
    """
    from scipy.stats import f, norm

    assert combination.spec.published is not None
    total, rows = 0.0, 0
    gaps: dict[str, list[float]] = {}
    for metric, theirs, ours in pairs(load(combination.spec.published), combination, results):
        assert ours.mean is not None
        gaps.setdefault(metric, []).append(abs(ours.mean - theirs.mean))
        if theirs.std is None or ours.std is None or not theirs.repeats or min(theirs.repeats, ours.n) < 2:
            continue
        # A spread of zero (every draw alike) has no density; a tenth of a point stands for it.
        s_p, s_r = max(theirs.std, 0.1), max(ours.std, 0.1)
        error = math.sqrt(s_p**2 / theirs.repeats + s_r**2 / ours.n)
        total += float(norm.logpdf(theirs.mean, ours.mean, error))
        ratio = s_p**2 / s_r**2
        # density of log s_p, so that the unit of the spread does not matter
        total += float(f.logpdf(ratio, theirs.repeats - 1, ours.n - 1)) + math.log(2 * ratio)
        rows += 1
    difference = {metric: sum(values) / len(values) for metric, values in gaps.items()}
    return Ranked(combination, total, rows, sum(trial.failed for trial in results.trials), difference)


def pairs(
    published: PublishedTable, combination: Combination, results: Results
) -> Iterator[tuple[str, Any, Cell]]:
    """Metric, published cell and our cell of every row that both have."""
    table = make_table(results, list(published.metrics))
    column = table.column(combination.label)
    for block in table.blocks:
        for row in block.rows:
            theirs = published.find(block.name, column.algorithm, row.where[0] if row.where else None)
            if theirs is not None and row.cells[combination.label].mean is not None:
                yield block.name, theirs, row.cells[combination.label]
