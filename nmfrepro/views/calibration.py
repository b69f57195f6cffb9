"""A calibration in words: the combinations of every column, the likeliest first."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ..analysis.calibrate import Ranked, written
from ..core.terminal import counted
from .document import Document, Grid, Section


def document(title: str, columns: Mapping[str, Sequence[Ranked]], draws: int) -> Document:
    """The rankings of all columns, each by how likely the published table is."""
    return Document(title, [_ranking(name, ranked, draws) for name, ranked in columns.items()])


def _ranking(column: str, ranked: Sequence[Ranked], draws: int) -> Section:
    """Those that lack published cells stand last."""
    ordered = sorted(ranked, key=lambda each: (-each.rows, -each.log_likelihood))
    first = ordered[0]
    keys, metrics = list(first.combination.settings), list(first.difference)
    head = [*(key.removeprefix("algorithms.") for key in keys), "log-likelihood", "behind the best"]
    rows = [[*head, *(f"mean distance, {metric}" for metric in metrics)]]
    for each in ordered:
        cells = [written(each.combination.settings[key]) for key in keys]
        if each.rows == first.rows:
            cells += [f"{each.log_likelihood:.1f}", f"{first.log_likelihood - each.log_likelihood:.1f}"]
        else:
            lack = f"{each.rows} of {first.rows} cells ({counted(each.failed, 'failed trial')})"
            cells += ["not ranked", lack]
        cells += [f"{each.difference[name]:.1f}" if name in each.difference else "–" for name in metrics]
        rows.append(cells)
    note = (
        f"{counted(len(ordered), 'combination')} on {counted(draws, 'draw')} that are not those of the "
        f"reported table; {counted(first.rows, 'published cell')} with a spread. The sum over rows and "
        "metrics ranks the combinations; cells share images, so it is no probability."
    )
    return Section(column, Grid(rows, len(keys)), [note])
