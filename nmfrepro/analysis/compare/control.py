"""Negative control: what the verdicts say where they should say no.

A method's printed column is held against *another* method's reproduced one.  A rule that calls as much
reproduced there as in the right columns tells nothing.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from .evidence import evidence
from .pairs import Column, Comparison, first_columns
from .verdict import VERDICTS, Sides, judge

RESAMPLES = 500


@dataclass(frozen=True)
class Control:
    """Counts by verdict, of wrong pairs of methods and of the right ones."""

    # cells, own_cells: cells of wrong and of right pairs.
    cells: Mapping[str, int]
    own_cells: Mapping[str, int]
    # methods, own_methods: mean differences of wrong and of right pairs.
    methods: Mapping[str, int]
    own_methods: Mapping[str, int]

    def __add__(self, other: Control) -> Control:
        parts = zip(vars(self).values(), vars(other).values(), strict=True)
        return Control(*({v: a[v] + b[v] for v in VERDICTS} for a, b in parts))


NOTHING = Control(*(dict.fromkeys(VERDICTS, 0) for _ in range(4)))


def negative_control(comparisons: Sequence[Comparison]) -> Control | None:
    """All wrong pairs of the methods that a table and a run share; None where nothing is judged.

    Of a method with several columns of ours, the first one counts.
    """
    total = NOTHING
    for each in comparisons:
        if each.ratio or each.paired:
            continue
        total += _of_metric(list(first_columns(each.columns).values()), each.margin)
    return total if any(total.methods.values()) else None


def _of_metric(columns: Sequence[Column], margin: float) -> Control:
    counts: list[Counter[str]] = [Counter() for _ in range(4)]
    cells, own_cells, methods, own_methods = counts
    for theirs in columns:
        for ours in columns:
            if theirs is ours:
                own_cells.update(pair.verdict for pair in ours.pairs)
                own_methods.update([] if ours.evidence is None else [ours.evidence.verdict])
                continue
            mine = {pair.row: pair.ours for pair in ours.pairs}
            shared = [
                Sides(each.row, each.theirs, mine[each.row]) for each in theirs.pairs if each.row in mine
            ]
            if theirs.evidence is None or ours.evidence is None:
                continue
            cells.update(judge(each.theirs, each.ours, margin).verdict for each in shared)
            together = evidence(shared, margin, resamples=RESAMPLES)
            methods.update([] if together is None else [together.verdict])
    return Control(*({v: count[v] for v in VERDICTS} for count in counts))
