"""`nmfrepro verify`: compute rows of a results folder again."""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path

import click

from ..core.errors import ResultsError
from ..core.terminal import counted
from .options import COUNT, PATH, SEED, column, data_dir, jobs, run_folder, where
from .verbs import Verb, echo


@click.command("verify", cls=Verb)
@run_folder
@click.option("--sample", type=COUNT, default=5, help="Rows chosen at random.")
@click.option("--all", "everything", is_flag=True, help="All rows.")
@where
@column
@click.option("--seed", type=SEED, help="Choose the same rows every time.")
@jobs
@data_dir
@click.option("--file", type=PATH, help="Where the data file is now, for data of your own.")
@click.option("--splits", type=PATH, help="Where the published splits are now.")
def verify_command(
    results: Path,
    sample: int,
    everything: bool,
    where: tuple[str, ...],
    algorithm: str | None,
    seed: int | None,
    jobs: int | None,
    data_dir: Path | None,
    file: Path | None,
    splits: Path | None,
) -> None:
    """Compute rows of RESULTS (results/NAME) again and say whether they come out the same.

    The folder, the data and the plug-ins it was made with are needed: every setting is in its run.json.  On
    another processor or BLAS sums are rounded otherwise; rows whose objective and metrics agree within the
    documented tolerances then count as the same to rounding.  The folder's verified.json says what came out
    of each.  Rows that were edited are told, computed again or not, and so is how many are gone, or of
    unknown origin.
    Exit code: 0 all the same, 1 some different, edited or gone, 2 nothing to compare, or a line that is no
    row.
    """
    from ..analysis.tables.layout import trials_at
    from ..results.verified import DIFFERENT, ROUNDED, SAME, unvouched
    from ..runs import recorded, verify

    opened = recorded.open_results(results, data_dir, file, splits)
    trials = trials_at(results, opened.run, opened.trials, where, algorithm)
    asked = {trial.label for trial in trials_at(results, opened.run, opened.prepared.plan, where, algorithm)}
    changed = {label: why for label, why in opened.changed.items() if label in asked}
    if not trials:
        why = recorded.changed_in_words(changed) or "no such trial is ok"
        raise ResultsError(f"{results}: nothing to verify there: {why}")
    chosen = trials if everything else verify.sample(trials, sample, seed)
    echo(f"{results}: computing {len(chosen)} of {len(trials)} rows again")
    for labels, reason in recorded.by_reason(changed):
        echo(f"  left out: {labels} ({reason})")
    there = [opened.rows[key] for key in opened.run.plan if key in opened.rows]
    if failed := sum(row.failed for row in there):
        echo(f"  left out: {counted(failed, 'failed trial')}")
    stored = {key for mark in opened.run.stored for key in mark.trials}
    if count := sum(trial.key in stored for trial in trials):
        echo(f"  {count} of the rows were not computed here but stored, by run.json")
    verdicts: Counter[str] = Counter()
    edited, lost = dict(opened.found.edited), list(opened.lost)
    for check in verify.verify(opened, chosen, jobs, lambda line: echo(f"  {line}")):
        verdicts[check.verdict] += 1
        at = ", ".join(f"{name} {value}" for name, value in check.trial.coordinates.items())
        echo(f"  {check.trial.key}  {check.trial.label} ({at}): {check.verdict}")
        if check.verdict == DIFFERENT:
            edited.pop(check.trial.key, None)  # told here
            for difference in check.differences:
                echo(f"      {difference}")
    order = (SAME, ROUNDED, DIFFERENT)
    of = f", of {len(there)} rows" if len(chosen) < len(there) else ""
    echo("  " + ", ".join(f"{verdicts[each]} {each}" for each in order if verdicts[each]) + of)
    for told in (*edited.values(), *lost):
        echo(f"  {told}")
    if unknown := unvouched(results, opened.run, there):
        echo(f"  of unknown origin, by run.json: {len(unknown)} of {counted(len(there), 'row')}")
    sys.exit(1 if verdicts[DIFFERENT] or edited or lost else 0)
