"""A comparison in words: claims and methods first, then a negative control, every cell, and the rules."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from ..analysis.compare import compare_published, compare_runs, published_tables, used_for_choosing
from ..analysis.compare.control import Control, negative_control
from ..analysis.compare.evidence import TAU, Evidence
from ..analysis.compare.gain import FAILS, HOLDS, OPEN, Claim
from ..analysis.compare.pairs import FACTOR, Column, Comparison, Pair
from ..analysis.compare.verdict import INCONCLUSIVE, MARGINS, NO_SPREAD, UNJUDGED, VERDICTS, Side, decide
from ..analysis.tables.layout import layout_of
from ..analysis.tables.notes import data, doubts, how_fitted, incomplete, of_protocol, replaced, stored
from ..core.terminal import counted
from ..metrics import Metric
from ..results.folder import Results
from ..results.record import RunRecord
from . import wording
from .document import Document, Grid, Section
from .tables import heading, number

# Whether a cell would be reproduced with another margin, in a sign.
_MARKS = dict(zip(VERDICTS, ("=", "≠", "≠?", "?", ""), strict=True))


def of_published(results: Results, name: str | None = None, select: str = "test") -> Document:
    """A run beside a published table, that which its spec names by default; see `compare_published`."""
    comparisons, table = compare_published(results, name, select), published_tables(results, name)[0]
    known = caveats(results, select, used_for_choosing(results, table.name))
    notes = [*known, *run_notes(results, table.source.notes)]
    title, sides = f"{results.run.spec.title}: published and reproduced", ("published", "reproduced")
    lacking = [*incomplete(results, results.trials)]
    return document(title, comparisons, sides, lacking, notes)


def of_runs(first: Results, second: Results, select: str = "test") -> Document:
    """A run beside another; see `compare_runs`."""
    comparisons = compare_runs(first, second, select)
    ours, theirs = (
        [
            data(run),
            *replaced(run),
            *of_protocol(run, _other_options(run, other)),
            *how_fitted(run),
            *doubts(each),
        ]
        for each, run, other in ((first, first.run, second.run), (second, second.run, first.run))
    )
    notes = [f"Both: {line}" for line in ours if line in theirs]
    notes += [f"First: {line}" for line in ours if line not in theirs]
    notes += [f"Second: {line}" for line in theirs if line not in ours]
    lacking = [
        f"{side}: {line}"
        for side, each in (("First", first), ("Second", second))
        for line in incomplete(each, each.trials)
    ]
    title = f"{first.folder} and {second.folder}"
    return document(title, comparisons, ("first", "second"), lacking, notes)


def _other_options(run: RunRecord, other: RunRecord) -> list[str]:
    """The options of a run's protocol that decide its numbers and that another run has not, or otherwise."""
    # What the record of an earlier version lacks is no difference.
    own = run.spec.protocol
    theirs = {**(own if run.kind == other.kind else {}), **other.spec.protocol}
    return [name for name in own if theirs.get(name) != own[name] and name not in run.protocol.outer]


def document(
    title: str,
    comparisons: Sequence[Comparison],
    sides: tuple[str, str],
    lacking: Sequence[str],
    notes: Iterable[str],
) -> Document:
    """The whole comparison.

    Parameters
    ----------
    title : str
    comparisons : sequence of Comparison
    sides : (str, str)
        How the two sides are called: ("published", "reproduced").
    lacking : sequence of str
        Which trials are missing, said first.
    notes : iterable of str
        What a reader must know besides, such as `caveats` and `run_notes`.
    """
    sections, unjudged = [], comparisons[0].rules.unjudged
    rankings = (line for each in comparisons for line in _ranking(each, sides))
    if short := [*lacking, *_headline(comparisons), *rankings]:
        sections.append(Section("In short", notes=short))
    if claims := [(each.metric, claim) for each in comparisons for claim in each.claims]:
        sections.append(Section("Claims", _claims(claims, bool(unjudged))))
    if methods := [(each, column) for each in comparisons for column in each.columns]:
        sections.append(Section("Methods", _methods(methods, sides)))
    if control := negative_control(comparisons):
        sections.append(Section("Negative control", _control(control), paragraph=control_sentence(control)))
    for each in comparisons:
        which = "this" if each.source else f"the {sides[1]}"
        absent = f"Not in {which} run: {'; '.join(each.absent)}." if each.absent else ""
        if each.columns:
            source = f": {each.source}" if each.source else ""
            sections.append(Section(heading(each.metric) + source, _cells(each, sides), paragraph=absent))
        elif absent:
            sections.append(Section("", paragraph=absent))
    sections.append(Section("Notes", notes=[*_rules(comparisons, sides), *notes]))
    return Document(title, sections, f"No verdict: {unjudged}." if unjudged else "")


def _headline(comparisons: Sequence[Comparison]) -> Iterable[str]:
    """What a table comes to: its claims, its methods' mean differences, and last its cells."""
    for each in comparisons:
        if each.claims and not each.rules.unjudged:
            counts = tally((claim.verdict for claim in each.claims), (HOLDS, FAILS, OPEN))
            turned = sum(claim.turned_round for claim in each.claims)
            which = f" ({turned} turned round)" if turned else ""
            verdicts = f"{counts[HOLDS]} hold, {counts[FAILS]} fail{which}, {counts[OPEN]} open"
            yield f"{each.metric.title}, claims: {verdicts} (of {len(each.claims)})."
        methods = [
            f"{verdict} {len(names)} ({', '.join(names)})"
            for verdict in VERDICTS
            if (names := [c.ours for c in each.columns if c.evidence and c.evidence.verdict == verdict])
        ]
        if methods:
            yield f"{each.metric.title}, mean difference within ±{each.rules.margin:g}: {'; '.join(methods)}."
    pairs = pairs_of(comparisons)
    if pairs and not comparisons[0].rules.unjudged:
        in_print = [pair for each in comparisons if each.source for pair in pairs_of([each])]
        never = sum(pair.judgement is not None and pair.judgement.undecidable for pair in in_print)
        cells = [f"{count} {verdict}" for verdict, count in tally(p.verdict for p in pairs).items() if count]
        open_ones = f" ({never} of the inconclusive ones undecidable from print)" if never else ""
        yield f"Cells: of {len(pairs)}, {', '.join(cells)}{open_ones}."


def pairs_of(comparisons: Iterable[Comparison]) -> list[Pair]:
    """All cells."""
    return [pair for each in comparisons for column in each.columns for pair in column.pairs]


def tally(given: Iterable[str], verdicts: Sequence[str] = VERDICTS) -> dict[str, int]:
    """How many there are of each verdict."""
    counts = Counter(given)
    return {verdict: counts[verdict] for verdict in verdicts}


def _claims(claims: Sequence[tuple[Metric, Claim]], unjudged: bool) -> Grid:
    rows = [["metric", "claim", "in print", "our paired gain", "90 % interval", "pairs"]]
    rows[0] += ["the paper could find", "verdict"]
    for metric, claim in claims:
        verdict = UNJUDGED if unjudged else claim.verdict
        if not unjudged and (claim.turned_round or claim.too_small):
            verdict += " (turned round)" if claim.turned_round else " (less than the paper could find)"
        rows.append(
            [
                *(metric.title, f"{claim.better} before {claim.other}"),
                "better" if claim.stated is None else f"{claim.stated:+z.2f}",
                f"{claim.ours.mean:+z.2f}",
                interval_text(claim.ours.interval()),
                str(claim.ours.pairs),
                "–" if math.isnan(claim.detectable) else f"{claim.detectable:.1f}",
                verdict,
            ]
        )
    return Grid(rows, 2)


def _methods(methods: Sequence[tuple[Comparison, Column]], sides: tuple[str, str]) -> Grid:
    judged = any(column.evidence for _, column in methods)
    paired = any(each.rules.paired for each, _ in methods)
    rows = [["metric", "method", "cells", *(f"mean {side}" for side in sides), "difference"]]
    if judged:
        rows[0] += ["90 % interval", "verdict", *([] if paired else ["Q (df)", "p", "inside 95 %", "BF01"])]
    for each, column in methods:
        row = [each.metric.title, column.ours, str(len(column.judged))]
        if each.metric.timed:
            row += [""] * (len(rows[0]) - len(row))
        else:
            (theirs, ours), evidence = column.means, column.evidence
            row += [number(mean, each.metric.unit) for mean in (theirs, ours)]
            row.append(f"{evidence.mean if evidence else ours - theirs:+z.1f}")
            row += _evidence(evidence, paired) if judged else []
        rows.append(row)
    return Grid(rows, 2)


def _evidence(evidence: Evidence | None, paired: bool) -> list[str]:
    if evidence is None:
        return ["–", NO_SPREAD, *([] if paired else ["–"] * 4)]
    row = [interval_text(evidence.interval()), evidence.verdict]
    if paired:
        return row
    q = "–" if evidence.q is None else f"{evidence.q:.1f} ({evidence.cells})"
    p = "–" if evidence.p is None else f"{evidence.p:.3f}" if evidence.p >= 0.001 else "<0.001"
    inside = f"{evidence.inside} of {evidence.cells}" if evidence.cells else "–"
    return [*row, q, p, inside, "–" if evidence.bayes is None else f"{evidence.bayes:.2g}"]


def _control(control: Control) -> Grid:
    lines = {
        "cells, right column": control.own_cells,
        "cells, another method's": control.cells,
        "mean differences, right column": control.own_methods,
        "mean differences, another method's": control.methods,
    }
    rows = [[name, *(str(counts[verdict]) for verdict in VERDICTS)] for name, counts in lines.items()]
    return Grid([["", *VERDICTS], *rows])


def control_sentence(control: Control) -> str:
    """What the negative control comes to."""
    return (
        f"Held against another method's reproduced column, {_share(control.cells)} of the cells and "
        f"{_share(control.methods)} of the mean differences are called reproduced; held against the right "
        f"one, {_share(control.own_cells)} and {_share(control.own_methods)}."
    )


def _share(counts: Mapping[str, int]) -> str:
    judged = sum(counts[verdict] for verdict in VERDICTS if verdict != NO_SPREAD)
    return f"{counts[VERDICTS[0]]} of {judged}" + (f" ({counts[VERDICTS[0]] / judged:.0%})" if judged else "")


def _cells(comparison: Comparison, sides: tuple[str, str]) -> Grid:
    judged = ["difference", "90 % interval", "±1", "±5", "verdict"]
    measured = ["factor", "verdict"] if comparison.metric.timed else judged
    rows = [["method", comparison.coordinate or "row", *sides, *measured]]
    for column in comparison.columns:
        name = column.ours + ("" if column.ours == column.theirs else f" (theirs: {column.theirs})")
        for pair in column.pairs:
            texts = [side_text(side, comparison.metric) for side in (pair.theirs, pair.ours)]
            rows.append([name, pair.row, *texts, *_difference(pair, comparison)])
    return Grid(rows)


def side_text(side: Side, metric: Metric) -> str:
    """A number as printed; ours as tables print it."""
    if side.text:
        return side.text
    spread = "" if side.std is None else f"±{number(side.std, metric.unit)}"
    lacking = "" if side.complete else f" (n = {side.n})"
    return number(side.mean, metric.unit) + spread + side.note + lacking


def _difference(pair: Pair, comparison: Comparison) -> list[str]:
    if comparison.metric.timed:
        return [f"{pair.difference:.3g}", pair.verdict]
    judged, verdict = pair.judgement, verdict_text(pair, bool(comparison.source))
    difference = f"{pair.difference:+z.1f}"
    if judged is None:
        return [difference, "–", "", "", verdict]
    marks = [_MARKS[decide(judged, margin)] for margin in MARGINS]
    return [difference, interval_text(judged.interval()), *marks, verdict]


def interval_text(bounds: tuple[float, float]) -> str:
    """An interval in points; a dash where there is none."""
    return "–" if math.isnan(bounds[0]) else f"{bounds[0]:+.1f} to {bounds[1]:+.1f}"


def verdict_text(pair: Pair, printed: bool = True) -> str:
    """The verdict in words; beside print with what would decide an open one."""
    if pair.verdict == NO_SPREAD and pair.single:
        return "single run"
    if pair.verdict == INCONCLUSIVE and pair.judgement is not None and printed:
        if pair.judgement.needed is None:
            return f"{INCONCLUSIVE}, undecidable from print"
        return f"{INCONCLUSIVE}, {counted(pair.judgement.needed, 'draw')}"
    return pair.verdict


def _ranking(comparison: Comparison, sides: tuple[str, str]) -> Iterable[str]:
    ranking = comparison.ranking
    if ranking is None:
        return
    same = "the same order" if ranking.agrees else "another order"
    tau = "" if math.isnan(ranking.tau) else f", Kendall's τ = {ranking.tau:.2f}"
    orders = f"{sides[0]} {', '.join(ranking.theirs)}; {sides[1]} {', '.join(ranking.ours)}"
    yield f"Ranking by mean {comparison.metric.title}: {same} ({orders}){tau}."


def _rules(comparisons: Sequence[Comparison], sides: tuple[str, str]) -> list[str]:
    """How to read the verdicts."""
    numbers = [each for each in comparisons if not each.metric.timed]
    evidence = [column.evidence for each in numbers for column in each.columns if column.evidence]
    return wording.notes(
        "compared",
        sides=sides,
        judged=bool(evidence),
        margin=numbers[0].rules.margin if numbers else 0,
        printed=any(each.source for each in numbers),
        paired=any(each.rules.paired for each in numbers),
        borrowed=any(each.borrowed for each in evidence),
        claims=any(each.claims for each in comparisons),
        ratio=len(numbers) < len(comparisons),
        tau=TAU,
        factor=FACTOR,
    )


def run_notes(results: Results, published: Iterable[str]) -> Iterable[str]:
    """The data and settings of a reproduced run, and the notes on the published numbers."""
    yield data(results.run)
    yield from how_fitted(results.run)
    yield from (f"{note[:1].upper()}{note[1:]}." for note in published)


def caveats(results: Results, select: str, used: int = 0) -> Iterable[str]:
    """What must be known before a verdict means anything.

    Parameters
    ----------
    results : Results
    select : {"test", "validation"}
        What the best dimension of a recognition run was chosen by.
    used : int
        Published numbers that the free choices could be fitted to.
    """
    run = results.run
    if inferred := run.spec.inferred:
        numbers = f" ({used} of them, those of the methods concerned)" if used else ""
        yield (
            f"After calibration: {counted(len(inferred), 'free choice')} fitted to the published "
            f"numbers{numbers}: {', '.join(inferred)}; chosen on other draws than those reported; "
            "the rest as stated or plainly chosen."
        )
    else:
        yield "Settings as stated or plainly chosen; no free choice was fitted to the published numbers."
    yield from replaced(run)
    yield from doubts(results)
    yield from stored(run)
    if noun := layout_of(run).chosen_noun:
        yield f"Reproduced: the {noun} with the best mean on the {select} samples, in brackets."
