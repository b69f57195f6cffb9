"""A comparison as markdown: every cell, then how many agree, the order of the methods, and the rules."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from ..analysis.compare.agreement import (
    AGREES,
    DIFFERS,
    FACTOR,
    NARROW,
    NOISY,
    WIDE,
    Column,
    Comparison,
    Pair,
    Ranking,
)
from ..analysis.tables.notes import data, fits, replaced, smoke
from ..core.terminal import counted
from ..results.record import RunRecord
from .tables import escape_cell, escape_markdown, heading, markdown_lines, number


def markdown(
    title: str, comparisons: Sequence[Comparison], sides: tuple[str, str], notes: Iterable[str]
) -> str:
    """The whole comparison.

    Parameters
    ----------
    title : str
    comparisons : sequence of Comparison
    sides : (str, str)
        How the two sides are called: ("published", "reproduced").
    notes : iterable of str
        What a reader must know besides, such as `run_notes`.
    """
    parts = [f"# {escape_markdown(title)}"]
    for each in comparisons:
        source = f": {escape_markdown(each.source)}" if each.source else ""
        parts += [f"## {heading(each.metric)}{source}", "\n".join(_cells(each, sides))]
        if each.absent:
            parts.append(f"Not in this run: {escape_markdown('; '.join(each.absent))}.")
    parts += ["## Agreement", "\n".join(_counts(comparisons, sides))]
    lines = [line for each in comparisons for line in _ranking(each, sides)]
    parts.append("\n".join(f"- {line}" for line in (*lines, overall(comparisons))))
    rules = _rules(comparisons, sides)
    parts.append("\n".join(f"- {escape_markdown(note)}" for note in (*rules, *notes)))
    return "\n\n".join(parts) + "\n"


def _cells(comparison: Comparison, sides: tuple[str, str]) -> list[str]:
    rows = [["method", comparison.coordinate, *sides, "factor" if comparison.ratio else "difference"]]
    rows[0] += ["verdict"] if comparison.ratio else ["2 SE", "verdict"]
    for column in comparison.columns:
        for pair in (*column.pairs, *([column.average] if column.average else [])):
            row = [escape_cell(_name(column)), pair.row, pair.theirs.text, pair.ours.text]
            rows.append([*row, *_difference(pair, comparison)])
    return markdown_lines(rows)


def _name(column: Column) -> str:
    return column.ours if column.ours == column.theirs else f"{column.ours} (theirs: {column.theirs})"


def _difference(pair: Pair, comparison: Comparison) -> list[str]:
    said = f"{pair.verdict} (single run)" if pair.single else pair.verdict
    if comparison.ratio:
        return [f"{pair.difference:.3g}", said]
    two = "–" if pair.error is None else number(2 * pair.error, comparison.metric.unit)
    return [f"{pair.difference:+.1f}", two, said]


def _counts(comparisons: Sequence[Comparison], sides: tuple[str, str]) -> list[str]:
    rows = [
        [
            "metric",
            "method",
            "cells",
            AGREES,
            NOISY,
            DIFFERS,
            *(f"mean {side}" for side in sides),
            "difference",
        ]
    ]
    for each in comparisons:
        for column in each.columns:
            counts = [str(len(column.pairs)), *(str(column.count(v)) for v in (AGREES, NOISY, DIFFERS))]
            row = [each.metric.title, escape_cell(column.ours), *counts]
            if each.ratio:
                rows.append([*row, "", "", ""])
                continue
            pair, unit = column.overall, each.metric.unit
            means = [
                side.text if math.isnan(side.mean) else number(side.mean, unit)
                for side in (pair.theirs, pair.ours)
            ]
            rows.append([*row, *means, f"{pair.difference:+.1f}"])
    return markdown_lines(rows, left=2)


def _ranking(comparison: Comparison, sides: tuple[str, str]) -> Iterable[str]:
    ranking = comparison.ranking
    if ranking is None:
        return
    same = "the same order" if ranking.agrees else "another order"
    tau = "" if ranking.tau != ranking.tau else f", Kendall's τ = {ranking.tau:.2f}"
    orders = "; ".join(f"{side} {_order(names)}" for side, names in zip(sides, _both(ranking), strict=True))
    yield f"Ranking by mean {comparison.metric.title}: {same} ({orders}){tau}."


def _both(ranking: Ranking) -> tuple[tuple[str, ...], tuple[str, ...]]:
    return ranking.theirs, ranking.ours


def _order(names: Iterable[str]) -> str:
    return ", ".join(escape_markdown(name) for name in names)


def overall(comparisons: Sequence[Comparison]) -> str:
    """How many cells agree, in one sentence."""
    pairs = _pairs(comparisons)
    count = {v: sum(pair.verdict == v for pair in pairs) for v in (AGREES, NOISY, DIFFERS)}
    said = {v: f" ({text})" for v, text in doubts(pairs).items()}
    return (
        f"Overall: {count[AGREES]} of {len(pairs)} cells agree{said.get(AGREES, '')}, {count[NOISY]} are too "
        f"noisy to tell{said.get(NOISY, '')}, {count[DIFFERS]} differ."
    )


def doubts(pairs: Sequence[Pair]) -> dict[str, str]:
    """What is to be said beside the number of cells of a verdict, by verdict, where there is something."""
    vague = sum(pair.verdict == AGREES and pair.wide for pair in pairs)
    far = sum(pair.verdict == NOISY and pair.far for pair in pairs)
    found = {}
    if vague:
        found[AGREES] = f"{vague} of them with 2 SE above {WIDE:g} points, where agreement says little"
    if far:
        found[NOISY] = f"{far} of them more than 4 SE apart, though"
    return found


def _pairs(comparisons: Sequence[Comparison]) -> list[Pair]:
    return [pair for each in comparisons for column in each.columns for pair in column.pairs]


def _rules(comparisons: Sequence[Comparison], sides: tuple[str, str]) -> Iterable[str]:
    if any(not each.ratio for each in comparisons):
        yield (
            f"d = {sides[1]} − {sides[0]}; SE from both standard deviations over their numbers of repeats; "
            "where one side has no spread, the other's stands for both. "
            f"Agrees: |d| ≤ max({NARROW:g}, 2 SE) points; else too noisy to tell: 2 SE > {WIDE:g}; else "
            "differs. Single run: one side has a single repeat."
        )
        yield "Avg and the rankings are over the rows that both sides have; Avg is not counted as a cell."
    if any(math.isnan(pair.theirs.mean) for pair in _pairs(comparisons)):
        yield "Where the text only says which method is better, d is our difference, and agrees if above 0."
    if any(each.ratio for each in comparisons):
        yield f"Running times agree within a factor of {FACTOR:g}; machines differ, so only ratios count."


def run_notes(
    run: RunRecord, select: str, published: Iterable[str] = (), dataset: str | None = None
) -> Iterable[str]:
    """What must be known of a reproduced run: free choices, data, settings, and the paper's oddities.

    Parameters
    ----------
    run, select, dataset
        As in `caveats`.
    published : iterable of str
        Notes on the published numbers.
    """
    yield from caveats(run, select, dataset)
    yield data(run)
    yield from fits(run)
    yield from (f"{note[:1].upper()}{note[1:]}." for note in published)


def caveats(run: RunRecord, select: str, dataset: str | None = None) -> Iterable[str]:
    """What must be known before the number of cells that agree means anything.

    Parameters
    ----------
    run : RunRecord
    select : {"test", "validation"}
        What the best dimension of a recognition run was chosen by.
    dataset : str or None
        The dataset of the published table.
    """
    if run.inferred:
        yield (
            f"After calibration, {counted(len(run.inferred), 'free choice')} fitted to the "
            f"published numbers: {', '.join(run.inferred)}; the rest as stated or plainly chosen."
        )
    else:
        yield "Settings as stated or plainly chosen; no free choice was fitted to the published numbers."
    yield from smoke(run)
    yield from replaced(run)
    if dataset is not None and dataset != run.dataset.name:
        yield f"The run is on {run.dataset.name}, the published table on {dataset}."
    if run.kind == "recognition":
        yield f"Reproduced: the dimension with the best mean on the {select} samples, in brackets."
