"""A run in words: what is to run, how it ended, where its time went."""

from __future__ import annotations

from ..core.terminal import counted, pasted
from ..runs import Prepared, Summary
from ..runs.estimate import Estimate
from ..runs.progress import duration


def headline(prepared: Prepared) -> str:
    """What is about to run, on which data."""
    spec, dataset = prepared.spec, prepared.dataset
    size = f"{len(dataset.X)} images, {len(dataset.classes)} classes, sha256 {dataset.sha256[:12]}"
    lines = [f"{spec.name}: {spec.title}", f"  data    {dataset.origin} ({size})"]
    return "\n".join([*lines, *(f"  note    {note}" for note in dataset.notes)])


def preview(estimate: Estimate) -> str:
    """What would run, and how long it would take."""
    lines = [f"  {note}" for note in estimate.notes]
    for label, seconds in estimate.columns.items():
        lines.append(f"  {label:<24}{len(seconds):6d} trials  about {duration(sum(seconds))} of one core")
    trials = sum(map(len, estimate.columns.values()))
    lines.append(
        f"  {trials} trials to run, {estimate.there} already there; about {duration(estimate.wall)} with "
        f"{counted(estimate.workers, 'worker')} (estimated from short probes)"
    )
    return "\n".join(lines)


def ending(summary: Summary) -> str:
    """How the run ended and what to do next."""
    failed = f", {summary.failed} failed" if summary.failed else ""
    state = "Interrupted: " if summary.interrupted else ""
    lines = [
        f"  {state}{summary.present} of {summary.planned} trials{failed} "
        f"({summary.computed} computed in {duration(summary.seconds)})"
    ]
    for reasons in dict.fromkeys(each.reasons for each in summary.hopeless.values()):
        counts = {label: it.trials for label, it in summary.hopeless.items() if it.reasons == reasons}
        total = sum(counts.values())
        trials = f"all {total} trials" if total > 1 else "the trial"
        more = f" (and {counted(len(reasons) - 1, 'other reason')})" if len(reasons) > 1 else ""
        lines.append(f"  {trials} of {', '.join(counts)} failed: {reasons[0]}{more}")
    if summary.failed > sum(each.trials for each in summary.hopeless.values() if len(each.reasons) == 1):
        lines.append(f"  reasons: nmfrepro rows {pasted(summary.folder)} --status failed")
    if summary.planned > summary.present + summary.failed:
        lines.append("  the same command goes on where this one stopped")
    elif summary.left:
        lines.append(f"  {summary.left} trials of other columns are not run yet; leave --only out for them")
    else:
        lines.append(f"  next: nmfrepro table {pasted(summary.folder)}")
    return "\n".join(lines)


def profile(summary: Summary) -> str:
    """Seconds by phase over all computed trials."""
    total = summary.phases.get("all", 0.0)
    phases = {phase: seconds for phase, seconds in summary.phases.items() if phase != "all"}
    phases["other"] = max(total - sum(phases.values()), 0.0)
    lines = [
        f"  {phase:<8}{seconds:10.2f} s {100 * seconds / (total or 1):6.1f} %"
        for phase, seconds in phases.items()
    ]
    lines += [f"  {'trials':<8}{total:10.2f} s in workers, {summary.seconds:.2f} s of wall time"]
    return "\n".join(lines)
