"""A run in words: what is to run, how it ended, where its time went; and a single factorization."""

from __future__ import annotations

import math

from ..core.terminal import counted, pasted
from ..protocols import description
from ..runs import Prepared, Summary
from ..runs.estimate import Estimate
from ..runs.fitfile import Fitted
from ..runs.progress import duration
from ..spec.checks import not_as_given


def headline(prepared: Prepared) -> str:
    """What is about to run, on which data."""
    spec, dataset = prepared.spec, prepared.dataset
    counts = f"{counted(len(dataset.X), 'image')}, {counted(len(dataset.classes), 'class')}"
    size = f"{counts}, sha256 {dataset.sha256[:12]}"
    lines = [f"{spec.name}: {spec.title}", f"  data    {dataset.origin} ({size})"]
    return "\n".join([*lines, *(f"  note    {note}" for note in (*dataset.notes, *not_as_given(spec)))])


def preview(estimate: Estimate) -> str:
    """What would run, and how long it would take."""
    lines = [f"  {note}" for note in estimate.notes]
    for label, seconds in estimate.columns.items():
        word = "trials" if len(seconds) != 1 else "trial "
        lines.append(f"  {label:<24}{len(seconds):6d} {word}  about {duration(sum(seconds))} of one core")
    trials = counted(sum(map(len, estimate.columns.values())), "trial")
    about = "estimated from short probes, without the start of the workers, a few seconds"
    early = "; less where tol ends fits early" if estimate.early else ""
    lines.append(
        f"  {trials} to run, {estimate.there} already there; about {duration(estimate.wall)} with "
        f"{counted(estimate.workers, 'worker')} ({about}{early})"
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
    for reasons in dict.fromkeys(map(tuple, summary.hopeless.values())):
        counts = {label: it.total() for label, it in summary.hopeless.items() if tuple(it) == reasons}
        total = sum(counts.values())
        trials = f"all {total} trials" if total > 1 else "the trial"
        more = f" (and {counted(len(reasons) - 1, 'other reason')})" if len(reasons) > 1 else ""
        lines.append(f"  {trials} of {', '.join(counts)} failed: {reasons[0]}{more}")
    if summary.failed > sum(each.total() for each in summary.hopeless.values() if len(each) == 1):
        lines.append(f"  reasons: nmfrepro rows {pasted(summary.folder)} --status failed")
    if summary.planned > summary.present + summary.failed:
        lines.append("  the same command goes on where this one stopped")
    elif summary.left:
        are, them = ("is", "it") if summary.left == 1 else ("are", "them")
        left = counted(summary.left, "trial")
        lines.append(f"  {left} of other columns {are} not run yet; leave --only out for {them}")
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


def of_fit(fitted: Fitted) -> str:
    """What a single factorization did and how it went."""
    dataset, found, method = fitted.dataset, fitted.found, fitted.method
    given = {name: value for name, value in method.identity.items() if value is not None}
    parameters = "".join(f", {name} = {value}" for name, value in given.items())
    classes = f"{len(dataset.classes)} classes, " if len(dataset.classes) > 1 else ""
    n, m = dataset.X.shape
    lines = [
        f"{dataset.origin}: {counted(n, 'sample')} of {counted(m, 'value')}, {classes}scale {fitted.scale}",
        f"{method.title}{parameters}: {found.shapes}",
    ]
    if len(found.objective):
        starts = fitted.settings.restarts
        of = f", start {found.restart + 1} of {starts}" if starts > 1 else ""
        lines.append(f"objective {found.objective[-1]:.6g} after {counted(found.n_iter, 'iteration')}{of}")
    if fitted.scores:
        said = ", ".join(
            f"{description(name).title} {100 * value:.1f} %"
            for name, value in fitted.scores.items()
            if not math.isnan(value)
        )
        read = "the largest entry of each encoding" if found.labels is None else "the method's own labels"
        lines.append(f"{said} (clusters: {read})")
    return "\n".join([*lines, *(f"note: {note}" for note in (*dataset.notes, *fitted.notes))])
