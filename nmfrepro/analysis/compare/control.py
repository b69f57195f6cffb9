"""Negative control: what the verdicts say where they should say no.

A method's printed column is held against *another* method's reproduced one.  A rule that calls as much
reproduced there as in the right columns tells nothing.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import product

from .evidence import evidence
from .pairs import Comparison, first_columns
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


def negative_control(comparisons: Sequence[Comparison]) -> Control | None:
    """All wrong pairs of the methods that a printed table and a run share; None where nothing is judged.

    Of a method with several columns of ours, the first one counts.
    """
    found = Control()
    for each in comparisons:
        columns = first_columns(each.columns).values() if each.source and not each.metric.timed else ()
        for theirs, ours in product(columns, repeat=2):
            if theirs is ours:
                found.own_cells.update(pair.verdict for pair in ours.pairs)
                found.own_methods.update([ours.evidence.verdict] if ours.evidence else [])
            elif theirs.evidence and ours.evidence:
                mine, margin = {pair.where: pair.ours for pair in ours.pairs}, each.rules.margin
                shared = [Sides(p.where, p.theirs, mine[p.where]) for p in theirs.pairs if p.where in mine]
                found.cells.update(decide(welch(cell.theirs, cell.ours), margin) for cell in shared)
                together = evidence(shared, margin)
                found.methods.update([together.verdict] if together else [])
    return found if found.methods else None
