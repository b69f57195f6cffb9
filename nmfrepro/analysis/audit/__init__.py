"""What a printed table says against itself: numbers that its own counts, rows and tests do not allow."""

from __future__ import annotations

from dataclasses import dataclass

from ...papers import PublishedTable
from ...protocols import description
from .averages import WRONG, Average, averages
from .bound import Bound, bounds
from .grim import Grim, grim
from .printed import Design
from .ranks import Recomputed, recomputed


@dataclass(frozen=True)
class Counted:
    """The GRIM test of one column."""

    metric: str
    column: str
    tests: tuple[tuple[int, Grim], ...]  # by row, those whose number of samples and runs is known

    @property
    def impossible(self) -> tuple[tuple[int, Grim], ...]:
        """Rows whose mean is no mean of counts."""
        return tuple((row, each) for row, each in self.tests if not each.possible)

    @property
    def expected(self) -> float:
        """How many rows would be impossible if the printed numbers were arbitrary: the sum of the powers."""
        return sum(each.power for _, each in self.tests)


@dataclass(frozen=True)
class Audit:
    """All checks of a printed table."""

    table: PublishedTable
    design: Design
    counted: tuple[Counted, ...]
    # Rows whose numbers could not be held against counts, since samples or runs are not known.
    untested: tuple[int, ...]
    averages: tuple[Average, ...]
    bounds: tuple[Bound, ...]  # numbers outside their range
    bounded: int  # how many numbers were held against their range
    tests: tuple[Recomputed, ...]

    @property
    def findings(self) -> int:
        """Numbers that cannot be right as printed."""
        wrong = sum(each.verdict == WRONG for each in self.averages) + len(self.bounds) + self.wrong_tests
        return wrong + sum(len(each.impossible) for each in self.counted)

    @property
    def wrong_tests(self) -> int:
        """Printed p-values and critical differences that follow from no metric's rows (the average aside)."""
        own = [each for each in self.tests if not each.averaged]
        values = ([each.p_follows for each in own], [each.difference_follows for each in own])
        return sum(bool(follows) and not any(follows) and None not in follows for follows in values)


def audit(table: PublishedTable, design: Design) -> Audit:
    """Hold a printed table against itself.

    Parameters
    ----------
    table : PublishedTable
    design : Design
        What is known of its making; checks that need more are left out and told.
    """
    counted, untested = [], set()
    for metric in (each for each in table.metrics if description(each).counted):
        several = any(cell.spread for cell in table.cells if cell.metric == metric)
        for column in table.columns:
            tests = []
            for row, cell in table.of(metric, column).items():
                # In a table that prints spreads, a number without one is a single run.
                trials = design.trials(table.coordinate, row, several and not cell.spread)
                if trials is None or trials < 1:
                    untested.add(row)
                else:
                    tests.append((row, grim(cell.digits, trials, table.full(metric))))
            if tests:
                counted.append(Counted(metric, column, tuple(tests)))
    outside, checked = bounds(table, design)
    return Audit(
        table=table,
        design=design,
        counted=tuple(counted),
        untested=tuple(sorted(untested)),
        averages=averages(table),
        bounds=outside,
        bounded=checked,
        tests=recomputed(table, design),
    )
