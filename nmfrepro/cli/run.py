"""`nmfrepro run`: execute specs."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

import click

from ..plan import Trial
from ..run import Prepared, Summary, prepare, run
from ..spec import Spec
from ..specreader import find_spec, read_spec
from ..store import read_finished


@click.command("run")
@click.argument("specs", nargs=-1, required=True, metavar="SPEC…")
@click.option(
    "--jobs", "-j", type=click.IntRange(min=1), help="Worker processes [default: the cores available]."
)
@click.option("--results", type=click.Path(path_type=Path), default=Path("results"), show_default=True)
@click.option(
    "--data-dir",
    type=click.Path(path_type=Path, file_okay=False),
    help="Where datasets lie [default: $NMFREPRO_DATA, else ./data].",
)
@click.option(
    "--set", "overrides", multiple=True, metavar="KEY=VALUE", help="Replace a setting: fit.max_iter=500."
)
@click.option("--only", multiple=True, metavar="NAME", help="Run only these columns (* and ? allowed).")
@click.option(
    "--smoke", is_flag=True, help="Shrink everything to seconds; same code path, own results folder."
)
@click.option("--fresh", is_flag=True, help="Compute everything anew; old rows are set aside.")
@click.option("--keep-failed", is_flag=True, help="Do not try failed trials again.")
@click.option("--dry-run", is_flag=True, help="Say what would run and how long it would take.")
@click.option("--profile", is_flag=True, help="Say where the time went.")
@click.option("--quiet", "-q", is_flag=True, help="Only errors.")
def run_command(
    specs: tuple[str, ...],
    jobs: int | None,
    results: Path,
    data_dir: Path | None,
    overrides: tuple[str, ...],
    only: tuple[str, ...],
    smoke: bool,
    fresh: bool,
    keep_failed: bool,
    dry_run: bool,
    profile: bool,
    quiet: bool,
) -> None:
    """Run the experiments of SPEC… (files, or names from `nmfrepro list experiments`).

    Finished trials are kept at once; started again, a run goes on where it was.  Exit code: 0 all trials
    present, 1 some failed, 2 bad input, 130 interrupted.
    """

    def say(line: str) -> None:
        if not quiet:
            click.echo(line, err=True)

    # All specs are read and all data loaded before any work starts.
    ready = [prepare(read_spec(find_spec(each), overrides, smoke), data_dir) for each in specs]
    jobs = jobs or available_cores()
    code = 0
    for prepared in ready:
        say(headline(prepared))
        if dry_run:
            preview(prepared, results, jobs, only, fresh)
            continue
        summary = run(
            prepared,
            results,
            jobs=jobs,
            only=only,
            fresh=fresh,
            keep_failed=keep_failed,
            announce=say,
            progress=None if quiet else partial(bar, prepared.spec),
        )
        say(ending(summary))
        if profile:
            click.echo(profile_table(summary))
        if summary.interrupted:
            sys.exit(130)
        code = max(code, 1 if summary.failed else 0)
    sys.exit(code)


def available_cores() -> int:
    """Cores this process may use, containers' limits included."""
    from joblib import cpu_count

    return int(cpu_count())


def headline(prepared: Prepared) -> str:
    """What is about to run, on which data."""
    spec, dataset = prepared.spec, prepared.dataset
    lines = [
        f"{spec.name}: {spec.title}",
        f"  data    {dataset.origin} ({dataset.X.shape[0]} images, {len(dataset.classes)} classes, "
        f"sha256 {dataset.sha256[:12]})",
        *(f"  note    {note}" for note in dataset.notes),
    ]
    return "\n".join(lines)


def bar(spec: Spec, todo: Sequence[Trial]) -> Any:
    """A progress bar over trials, with rate and time left."""
    from tqdm import tqdm

    return tqdm(total=len(todo), desc=f"  {spec.name}", unit="trial", smoothing=0.05, dynamic_ncols=True)


def ending(summary: Summary) -> str:
    """How the run ended and what to do next."""
    failed = f", {summary.failed} failed" if summary.failed else ""
    state = "Interrupted: " if summary.interrupted else ""
    lines = [
        f"  {state}{summary.present} of {summary.planned} trials{failed} "
        f"({summary.computed} computed in {duration(summary.seconds)})"
    ]
    if summary.failed:
        lines.append(f"  reasons: nmfrepro rows {summary.folder} --status failed")
    more = summary.planned - summary.present - summary.failed
    lines.append(
        "  the same command goes on where this one stopped"
        if more
        else f"  next: nmfrepro table {summary.folder}"
    )
    return "\n".join(lines)


def profile_table(summary: Summary) -> str:
    """Seconds by phase over all computed trials."""
    total = summary.phases.get("all", 0.0)
    known = {phase: seconds for phase, seconds in summary.phases.items() if phase != "all"}
    known["other"] = max(total - sum(known.values()), 0.0)
    lines = [
        f"  {phase:<8}{seconds:10.2f} s {100 * seconds / (total or 1):6.1f} %"
        for phase, seconds in known.items()
    ]
    return "\n".join(
        [*lines, f"  {'trials':<8}{total:10.2f} s in workers, {summary.seconds:.2f} s of wall time"]
    )


def preview(prepared: Prepared, results: Path, jobs: int, only: Sequence[str], fresh: bool) -> None:
    """Print what would run and an estimate of the time."""
    from ..estimate import counts, seconds_per_trial
    from ..plan import select

    done = set() if fresh else read_finished(results / prepared.spec.name)
    wanted = select(prepared.plan, only)
    todo = [trial for trial in wanted if trial.key not in done]
    estimate = seconds_per_trial(todo, prepared.spec.protocol, prepared.samples)
    for label, count in counts(todo).items():
        total = sum(estimate[trial.key] for trial in todo if trial.label == label)
        click.echo(f"  {label:<24}{count:6d} trials  about {duration(total)} of one core")
    wall = sum(estimate.values()) / jobs
    click.echo(
        f"  {len(todo)} trials to run, {len(wanted) - len(todo)} already there; "
        f"about {duration(wall)} with {jobs} worker{'s' if jobs > 1 else ''} (estimated from short probes)"
    )


def duration(seconds: float) -> str:
    """Seconds as people say them: 12 s, 3 min 20 s, 2 h 5 min."""
    if seconds < 60:
        return f"{seconds:.1f} s" if seconds < 10 else f"{seconds:.0f} s"
    minutes, rest = divmod(round(seconds), 60)
    if minutes < 60:
        return f"{minutes} min {rest} s"
    return f"{minutes // 60} h {minutes % 60} min"
