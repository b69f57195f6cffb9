"""What `nmfrepro clean` would drop, in words."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ..core.grouping import grouped
from ..core.terminal import counted
from ..results.record import TrialRecord
from ..results.unasked import Unasked


def listing(unasked: Unasked) -> list[str]:
    """How many rows stay, and what is to be dropped."""
    if not unasked.rows and not unasked.stray:
        every = "its only row is" if unasked.asked == 1 else f"all {unasked.asked} rows are"
        return [f"{unasked.folder}: nothing to drop, {every} asked for"]
    lines = [f"{unasked.folder}: {are(unasked.asked)} asked for by the spec it was last run with"]
    for settings, group in by_settings(unasked.rows).items():
        lines.append(f"  to drop: {counted(len(group), 'row')} of {settings}, {ends(group)}")
    if unasked.stray:
        lines.append(f"  to drop: {counted(len(unasked.stray), 'file')} in arrays/ without a row")
    return lines


def by_settings(rows: Iterable[TrialRecord]) -> dict[str, list[TrialRecord]]:
    """The rows of each setting, as far as a row itself tells it."""
    return grouped((f"{row.label}: {row.parameters}, seed {row.seed}", row) for row in rows)


def ends(rows: Sequence[TrialRecord]) -> str:
    """How the trials of a group ended: the iterations they took, and how many failed."""
    took = sorted({row.n_iter for row in rows if row.n_iter is not None})
    failed = sum(row.failed for row in rows)
    parts = []
    if took:
        one = len(took) == 1
        parts.append(counted(took[0], "iteration") if one else f"{took[0]} to {took[-1]} iterations")
    if failed:
        parts.append(f"{failed} failed" if took else "failed")
    return ", ".join(parts)


def are(count: int) -> str:
    """So many rows, with the verb."""
    return f"{counted(count, 'row')} {'is' if count == 1 else 'are'}"
