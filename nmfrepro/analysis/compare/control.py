"""Negative control: what the verdicts say where they should say no.

A method's printed column is held against *another* method's reproduced one.  A rule that calls as much
reproduced there as in the right columns tells nothing.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from .evidence import evidence
from .pairs import Column, Comparison, first_columns
from .verdict import Sides, decide, welch


@dataclass(frozen=True)
class Control:
    """Counts by verdict, of wrong pairs of methods and of the right ones."""

    # cells, own_cells: cells of wrong and of right pairs.
    cells: Counter[str] = field(default_factory=Counter)
    own_cells: Counter[str] = field(default_factory=Counter)
    # methods, own_methods: mean differences of wrong and of right pairs.
    methods: Counter[str] = field(default_factory=Counter)
    own_methods: Counter[str] = field(default_factory=Counter)

    def __add__(self, other: Control) -> Control:
        return Control(*(a + b for a, b in zip(vars(self).values(), vars(other).values(), strict=True)))


NOTHING = Control()


def negative_control(comparisons: Sequence[Comparison]) -> Control | None:
    """All wrong pairs of the methods that a table and a run share; None where nothing is judged.

    Of a method with several columns of ours, the first one counts.
    """
    total = NOTHING
    for each in comparisons:
        if each.ratio or each.paired:
            continue
        total += _of_metric(list(first_columns(each.columns).values()), each.margin)
    return total if total.methods else None


def _of_metric(columns: Sequence[Column], margin: float) -> Control:
    found = Control()
    for theirs in columns:
        for ours in columns:
            if theirs is ours:
                found.own_cells.update(pair.verdict for pair in ours.pairs)
                found.own_methods.update([] if ours.evidence is None else [ours.evidence.verdict])
                continue
            mine = {pair.row: pair.ours for pair in ours.pairs}
            shared = [
                Sides(each.row, each.theirs, mine[each.row]) for each in theirs.pairs if each.row in mine
            ]
            if theirs.evidence is None or ours.evidence is None:
                continue
            found.cells.update(decide(welch(each.theirs, each.ours), margin) for each in shared)
            together = evidence(shared, margin)
            found.methods.update([] if together is None else [together.verdict])
    return found
