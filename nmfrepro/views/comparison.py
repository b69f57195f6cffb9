"""A comparison as markdown: claims and methods first, then a negative control, every cell, and the rules."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from ..analysis.compare.control import Control, negative_control
from ..analysis.compare.evidence import TAU, Evidence
from ..analysis.compare.gain import FAILS, HOLDS, OPEN, Claim
from ..analysis.compare.pairs import FACTOR, Column, Comparison, Pair, Ranking, Side
from ..analysis.compare.verdict import BESIDE, INCONCLUSIVE, NO_SPREAD, UNJUDGED, VERDICTS, decide
from ..analysis.tables.notes import data, fits, replaced, stored
from ..core.terminal import counted
from ..metrics import Metric
from ..results.record import RunRecord
from .tables import escape_cell, escape_markdown, heading, markdown_lines, number


def markdown(
    title: str,
    comparisons: Sequence[Comparison],
    sides: tuple[str, str],
    notes: Iterable[str],
    unjudged: str = "",
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
    unjudged : str
        Why there is no verdict; empty where there is one.
    """
    parts = [f"# {escape_markdown(title)}"]
    parts += [f"**No verdict: {escape_markdown(unjudged)}.**"] if unjudged else []
    lines = [*headline(comparisons), *(line for each in comparisons for line in _ranking(each, sides))]
    parts += ["## In short", "\n".join(f"- {line}" for line in lines)] if lines else []
    if claims := [(each.metric, claim) for each in comparisons for claim in each.claims]:
        parts += ["## Claims", "\n".join(_claims(claims, bool(unjudged)))]
    if methods := [(each, column) for each in comparisons for column in each.columns]:
        parts += ["## Methods", "\n".join(_methods(methods, sides))]
    control = negative_control(comparisons)
    if control is not None:
        parts += ["## Negative control", "\n".join(_control(control)), control_sentence(control)]
    for each in comparisons:
        if each.columns:
            source = f": {escape_markdown(each.source)}" if each.source else ""
            parts += [f"## {heading(each.metric)}{source}", "\n".join(_cells(each, sides))]
        if each.absent:
            parts.append(f"Not in this run: {escape_markdown('; '.join(each.absent))}.")
    rules = _rules(comparisons, sides)
    parts += ["## Notes", "\n".join(f"- {escape_markdown(note)}" for note in (*rules, *notes))]
    return "\n\n".join(parts) + "\n"


def headline(comparisons: Sequence[Comparison]) -> Iterable[str]:
    """What a table comes to: its claims, its methods' mean differences, and last its cells."""
    for each in comparisons:
        if each.claims and not _unjudged(each):
            counts = Counter(claim.verdict for claim in each.claims)
            told = f"{counts[HOLDS]} hold, {counts[FAILS]} fail, {counts[OPEN]} open"
            yield f"{each.metric.title}, claims: {told} (of {len(each.claims)})."
        told_of = [(column.ours, column.evidence) for column in each.columns if column.evidence]
        if told_of:
            yield f"{each.metric.title}, mean difference within ±{each.margin:g}: {_by_verdict(told_of)}."
    pairs = pairs_of(comparisons)
    if any(pair.verdict != UNJUDGED for pair in pairs):
        yield cells_sentence(pairs)


def _unjudged(comparison: Comparison) -> bool:
    return any(pair.verdict == UNJUDGED for column in comparison.columns for pair in column.pairs)


def _by_verdict(told: Sequence[tuple[str, Evidence]]) -> str:
    """Methods by the verdict on their mean difference."""
    found = []
    for verdict in VERDICTS:
        names = [escape_markdown(name) for name, evidence in told if evidence.verdict == verdict]
        if names:
            found.append(f"{verdict} {len(names)} ({', '.join(names)})")
    return "; ".join(found)


def pairs_of(comparisons: Sequence[Comparison]) -> list[Pair]:
    """All cells."""
    return [pair for each in comparisons for column in each.columns for pair in column.pairs]


def verdict_counts(pairs: Sequence[Pair]) -> dict[str, int]:
    """How many cells have which verdict."""
    return {verdict: sum(pair.verdict == verdict for pair in pairs) for verdict in VERDICTS}


def cells_sentence(pairs: Sequence[Pair]) -> str:
    """How many cells have which verdict, in one sentence."""
    counts = verdict_counts(pairs)
    never = sum(pair.judgement is not None and pair.judgement.undecidable for pair in pairs)
    told = [f"{count} {verdict}" for verdict, count in counts.items() if count]
    open_ones = f" ({never} of the inconclusive ones undecidable from print)" if never else ""
    return f"Cells: of {len(pairs)}, {', '.join(told)}{open_ones}."


def _claims(claims: Sequence[tuple[Metric, Claim]], unjudged: bool) -> list[str]:
    rows = [["metric", "claim", "in print", "our paired gain", "90 % interval", "pairs"]]
    rows[0] += ["the paper could find", "verdict"]
    for metric, claim in claims:
        bounds = claim.ours.interval()
        names = f"{escape_cell(claim.better)} before {escape_cell(claim.other)}"
        stated = "better" if claim.stated is None else f"{claim.stated:+.2f}"
        interval = "–" if bounds is None else f"{bounds[0]:+.1f} to {bounds[1]:+.1f}"
        found = "–" if claim.found is None else f"{claim.found:.1f}"
        said = UNJUDGED if unjudged else claim.verdict
        if claim.too_small and not unjudged:
            said += " (less than the paper could find)"
        row = [metric.title, names, stated, f"{claim.ours.mean:+.2f}", interval, str(claim.ours.draws), found]
        rows.append([*row, said])
    return markdown_lines(rows, left=2)


def _methods(methods: Sequence[tuple[Comparison, Column]], sides: tuple[str, str]) -> list[str]:
    judged = any(column.evidence for _, column in methods)
    paired = any(each.paired for each, _ in methods)
    rows = [["metric", "method", "cells", *(f"mean {side}" for side in sides), "difference"]]
    if judged:
        rows[0] += ["90 % interval", "verdict"]
        rows[0] += [] if paired else ["Q (df)", "p", "inside 95 %", "BF01"]
    for each, column in methods:
        if each.ratio:
            rows.append(
                [
                    each.metric.title,
                    escape_cell(column.ours),
                    str(len(column.pairs)),
                    *[""] * (len(rows[0]) - 3),
                ]
            )
            continue
        pair = column.overall
        means = [number(side.mean, each.metric.unit) for side in (pair.theirs, pair.ours)]
        row = [each.metric.title, escape_cell(column.ours), str(len(column.pairs)), *means]
        row.append(f"{column.evidence.difference if column.evidence else pair.difference:+.1f}")
        if judged:
            row += _evidence(column.evidence, paired)
        rows.append(row)
    return markdown_lines(rows, left=2)


def _evidence(told: Evidence | None, paired: bool) -> list[str]:
    if told is None:
        return ["–", NO_SPREAD, *([] if paired else ["–"] * 4)]
    row = [f"{told.low:+.1f} to {told.high:+.1f}", told.verdict]
    if paired:
        return row
    q = "–" if told.q is None else f"{told.q:.1f} ({told.freedom})"
    p = "–" if told.p is None else f"{told.p:.3f}" if told.p >= 0.001 else "<0.001"
    inside = f"{told.inside} of {told.freedom}" if told.freedom else "–"
    return [*row, q, p, inside, "–" if told.bayes is None else f"{told.bayes:.2g}"]


def _control(control: Control) -> list[str]:
    rows = [["", *VERDICTS]]
    for name, counts in (
        ("cells, right column", control.own_cells),
        ("cells, another method's", control.cells),
        ("mean differences, right column", control.own_methods),
        ("mean differences, another method's", control.methods),
    ):
        rows.append([name, *(str(counts[verdict]) for verdict in VERDICTS)])
    return markdown_lines(rows)


def control_sentence(control: Control) -> str:
    """What the negative control comes to."""
    wrong, right = (_share(counts) for counts in (control.cells, control.own_cells))
    wrong_methods, right_methods = (_share(counts) for counts in (control.methods, control.own_methods))
    return (
        "Held against another method's reproduced column, "
        f"{wrong} of the cells and {wrong_methods} of the mean differences are called reproduced; held "
        f"against the right one, {right} and {right_methods}."
    )


def _share(counts: Mapping[str, int]) -> str:
    judged = sum(counts[verdict] for verdict in VERDICTS if verdict != NO_SPREAD)
    return f"{counts[VERDICTS[0]]} of {judged}" + (f" ({counts[VERDICTS[0]] / judged:.0%})" if judged else "")


def _cells(comparison: Comparison, sides: tuple[str, str]) -> list[str]:
    rows = [["method", comparison.coordinate or "row", *sides]]
    rows[0] += (
        ["factor", "verdict"] if comparison.ratio else ["difference", "90 % interval", "±1", "±5", "verdict"]
    )
    for column in comparison.columns:
        for pair in column.pairs:
            texts = [side_text(side, comparison.metric) for side in (pair.theirs, pair.ours)]
            rows.append([escape_cell(_name(column)), pair.row, *texts, *_difference(pair, comparison)])
    return markdown_lines(rows)


def side_text(side: Side, metric: Metric) -> str:
    """A number as printed; ours as tables print it."""
    if side.text:
        return side.text
    spread = "" if side.std is None else f"±{number(side.std, metric.unit)}"
    return number(side.mean, metric.unit) + spread + side.note


def _name(column: Column) -> str:
    return column.ours if column.ours == column.theirs else f"{column.ours} (theirs: {column.theirs})"


def _difference(pair: Pair, comparison: Comparison) -> list[str]:
    if comparison.ratio:
        return [f"{pair.difference:.3g}", pair.verdict]
    judged = pair.judgement
    if judged is None or judged.error is None or judged.freedom is None or judged.half_width is None:
        return [f"{pair.difference:+.1f}", "–", "", "", said(pair, comparison.paired)]
    low, high = judged.difference - judged.half_width, judged.difference + judged.half_width
    marks = [_MARKS[decide(judged.difference, judged.error, judged.freedom, margin)] for margin in BESIDE]
    return [f"{judged.difference:+.1f}", f"{low:+.1f} to {high:+.1f}", *marks, said(pair, comparison.paired)]


_MARKS = dict(zip(VERDICTS, ("=", "≠", "≠?", "?", ""), strict=True))


def said(pair: Pair, paired: bool = False) -> str:
    """The verdict in words; beside print with what would decide an open one."""
    if pair.verdict == NO_SPREAD and pair.single:
        return "single run"
    if pair.verdict == INCONCLUSIVE and pair.judgement is not None and not paired:
        if pair.judgement.draws is None:
            return f"{INCONCLUSIVE}, undecidable from print"
        return f"{INCONCLUSIVE}, {pair.judgement.draws} draws"
    return pair.verdict


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


def _rules(comparisons: Sequence[Comparison], sides: tuple[str, str]) -> Iterable[str]:
    """How to read the verdicts."""
    numbers = [each for each in comparisons if not each.ratio]
    if any(column.evidence for each in numbers for column in each.columns):
        margin = numbers[0].margin
        yield (
            f"d = {sides[1]} − {sides[0]}, in points; margin ±{margin:g}. Reproduced: the 90 % interval of d "
            "lies inside the margin (two one-sided tests at 5 %); deviates: it lies outside; differs, size "
            "open: neither, but d is not 0 (5 %); inconclusive: none of these, with how many draws of ours "
            "would decide it if means and spreads stay, or undecidable from print where the published mean "
            "is too uncertain for any number. A single run in print is held against the interval in which "
            "one run of ours lies; a single run of ours, or a mean printed without a spread, is not judged. "
            "Under ±1, ±5 the verdicts with these margins: = reproduced, ≠ deviates, ≠? differs, "
            "? inconclusive."
        )
        if any(each.paired for each in numbers):
            yield "Both runs see the same draws: differences, intervals and verdicts are paired by draw."
        else:
            yield (
                "Methods: mean of d over the cells with a spread, its 90 % interval by resampling our draws "
                "and the published means by their own errors; Q = Σ d²/SE², with p after each d/SE has been "
                "brought to the normal scale; published means inside the 95 % prediction interval; BF01 of "
                f"no difference against true means that vary from study to study by τ = {TAU:g} points. "
                "The two means are over all rows that both sides have."
            )
        if any(column.evidence and column.evidence.borrowed for each in numbers for column in each.columns):
            yield (
                "Where print has no spread, ours stands for it in mean differences and single runs; other "
                "cells without one stay unjudged."
            )
    if any(each.claims for each in comparisons):
        yield (
            "Claims: our gain is the mean over rows of differences within a draw. Holds: its 90 % interval "
            "lies above 0; fails: it ends below 0, or below what the paper's design would have found in one "
            "case of three; else open."
        )
    if any(each.ratio for each in comparisons):
        yield f"Times: reproduced within a factor of {FACTOR:g}; as machines differ, only ratios count."


def run_notes(
    run: RunRecord,
    select: str,
    published: Iterable[str] = (),
    used: int = 0,
) -> Iterable[str]:
    """What must be known of a reproduced run: free choices, data, settings, and the paper's oddities.

    Parameters
    ----------
    run, select, used
        As in `caveats`.
    published : iterable of str
        Notes on the published numbers.
    """
    yield from caveats(run, select, used)
    yield data(run)
    yield from fits(run)
    yield from (f"{note[:1].upper()}{note[1:]}." for note in published)


def caveats(run: RunRecord, select: str, used: int = 0) -> Iterable[str]:
    """What must be known before a verdict means anything.

    Parameters
    ----------
    run : RunRecord
    select : {"test", "validation"}
        What the best dimension of a recognition run was chosen by.
    used : int
        Published numbers that the free choices could be fitted to.
    """
    if run.inferred:
        numbers = f" ({used} of them, those of the methods concerned)" if used else ""
        yield (
            f"After calibration: {counted(len(run.inferred), 'free choice')} fitted to the published "
            f"numbers{numbers}: {', '.join(run.inferred)}; chosen on other draws than those reported; "
            "the rest as stated or plainly chosen."
        )
    else:
        yield "Settings as stated or plainly chosen; no free choice was fitted to the published numbers."
    yield from replaced(run)
    yield from stored(run)
    if run.protocol.chosen is not None:
        yield f"Reproduced: the dimension with the best mean on the {select} samples, in brackets."
