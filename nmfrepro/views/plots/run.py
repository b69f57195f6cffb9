"""A run as every kind of picture is handed it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from ...analysis.compare import published_tables
from ...analysis.tables import Table, make_table
from ...analysis.tables.layout import planned_trials
from ...papers import PublishedTable
from ...results.folder import Results
from ...results.record import ColumnRecord, RunRecord, TrialRecord
from .style import Looks, looks_of


@dataclass(frozen=True)
class PlottedRun:
    """A run whose pictures are drawn; its table is made when a picture first needs it."""

    results: Results
    logarithmic: bool = False  # whether convergence curves have a logarithmic axis
    metrics: Sequence[str] = ()  # what the table shows; the run's own choice where there are none

    @property
    def record(self) -> RunRecord:
        """What it was run as."""
        return self.results.run

    @cached_property
    def table(self) -> Table:
        """Its table."""
        return make_table(self.results, self.metrics)

    @cached_property
    def all_draws(self) -> Table:
        """Its table of all draws, where it is compared with a published one."""
        return make_table(self.results, self.metrics, further=True) if self.paper else self.table

    @cached_property
    def fitted(self) -> dict[str, list[TrialRecord]]:
        """The trials that are ok, by the label of their column."""
        ok = [trial for trial in planned_trials(self.results) if trial.ok]
        labels = (column.label for column in self.record.columns)
        return {label: [trial for trial in ok if trial.label == label] for label in labels}

    @cached_property
    def looks(self) -> Looks:
        """How its columns are drawn, by label."""
        return looks_of(self.record.columns)

    @cached_property
    def paper(self) -> PublishedTable | None:
        """The published table that the run is compared with, if it prints numbers."""
        table = published_tables(self.results)[0] if self.record.spec.published else None
        return table if table is not None and table.cells else None

    def row_name(self, where: Sequence[int]) -> str:
        """What the rows of its table are called whose first coordinates these are: "k = 8"."""
        names = self.table.layout.rows[: len(where)]
        return self.record.protocol.row_name(dict(zip(names, where, strict=True)))

    def axis(self, coordinate: str) -> str:
        """What a coordinate is, for an axis."""
        return self.record.protocol.axis(coordinate)

    @property
    def still(self) -> list[ColumnRecord]:
        """The columns that are no part of a sweep."""
        return [column for column in self.table.columns if not column.sweep]
