"""Tests of significance in words, with a plain statement of what they assume."""

from __future__ import annotations

import math
from collections.abc import Sequence

from ..analysis.significance import Friedman, least_p
from ..analysis.significance.pairwise import Pairwise, matrix
from ..analysis.significance.scores import Scores, Where
from ..core.terminal import counted
from . import wording
from .document import Document, Grid, Section
from .tables import number, p_value


def document(
    scores: Scores, test: Friedman | None, pairs: Sequence[Pairwise], alpha: float, control: str | None = None
) -> Document:
    """The report of a set of tests.

    Parameters
    ----------
    scores : Scores
    test : Friedman or None
        None where there are too few methods or rows for it.
    pairs : sequence of Pairwise
        Empty where single trials are not known.
    alpha : float
        The level of the pairwise verdicts.
    control : str, optional
        The method that all others are held against.
    """
    sections = [_means(scores)] if scores.datasets else []
    sections += [] if test is None else [_friedman(scores, test)]
    if pairs:
        whom = f"{pairs[0].first} against each other method" if control else "All pairs"
        heading = f"{whom}, {scores.repeat} by {scores.repeat}"
        sections.append(Section(heading, _pairs(scores, pairs, alpha), _pair_notes(scores, pairs, alpha)))
        if control is None and len(scores.labels) > 2:
            sections.append(_matrix(scores, pairs, alpha))
    left = [f"Left out: {reason}." for reason in scores.left_out]
    if test is None:
        left.append("Friedman's test needs at least 3 methods and 2 rows that all of them have.")
    chances, silent = any(each.posterior for each in pairs), pairs[0].silent if pairs else ()
    assumed = wording.notes(
        "tested",
        ranked=test is not None,
        datasets=scores.datasets,
        pairs=bool(pairs),
        repeat=scores.repeat,
        chances=chances,
        silent=f"{scores.coordinate} = {', '.join(map(_row, silent))}" if silent else "",
    )
    sections.append(Section("Notes", None, [*left, *assumed, *scores.notes]))
    return Document(f"{scores.metric.title}: {scores.source}", sections)


def _row(where: Where) -> str:
    return str(where[0]) if len(where) == 1 else str(where)


def _means(scores: Scores) -> Section:
    """The mean of every method on every dataset, best first; the best on a dataset has a star."""
    rows = [["method", *scores.rows, "mean", "first on"]]
    for label in scores.best_first:
        means, leads = scores.of(label), scores.leads(label)
        texts = [number(mean, scores.metric.unit) for mean in (*means, means.mean())]
        stars = [*(" *" if lead else "" for lead in leads.tolist()), ""]
        cells = [text + star for text, star in zip(texts, stars, strict=True)]
        rows.append([label, *cells, str(leads.sum())])
    among = ", among those that rest on no row of unknown origin" if scores.unknown.any() else ""
    return Section("Means by dataset", Grid(rows), [f"*: the best on this dataset{among}."])


def _friedman(scores: Scores, test: Friedman) -> Section:
    methods, degrees = len(test.labels), len(test.labels) - 1
    f = f"= {test.f:.2f}, p = {p_value(test.p_f)}"
    if math.isinf(test.f):
        f = f"has no finite value, since all rows have the same order; p {p_value(test.p_f)}"
    notes = [
        f"{methods} methods ranked in {test.rows} rows ({scores.coordinate} = {', '.join(scores.rows)}); "
        "rank 1 is best, ties averaged.",
        f"Friedman chi-square({degrees}) = {test.chi_square:.2f}, p = {p_value(test.p_chi_square)}.",
        f"F({degrees}, {degrees * (test.rows - 1)}) {f} (Iman, Davenport).",
        f"Nemenyi critical difference at {test.alpha:g}: CD = {test.critical_difference:.3f}.",
    ]
    if test.blunt:
        notes.append(
            f"Mind: this exceeds the range of mean ranks, {degrees}. With {test.rows} rows no two methods "
            "can ever be told apart by it, however different they are."
        )
    elif not test.groups:
        notes.append("Every method differs from every other.")
    else:
        notes.append("Not told apart (mean ranks within CD), best first:")
        notes += [", ".join(group) for group in test.groups]
    ranks = [["method", "mean rank"], *([name, f"{rank:.3f}"] for name, rank in test.order)]
    return Section("Friedman and Nemenyi", Grid(ranks), notes)


def _pairs(scores: Scores, pairs: Sequence[Pairwise], alpha: float) -> Grid:
    head = ["first", "second", f"{scores.repeat}s"]
    unit = scores.metric.difference
    head += [f"first ahead by ({unit})" if unit else "first ahead by"]
    head += ["90 % interval", "win/tie/loss", "p", "p (Holm)", f"at {alpha:g}"]
    head += ["P(first)", "P(equal)", "P(second)"]
    rows = [head]
    word = "better" if scores.metric.ranked else "larger"
    for each in pairs:
        numbers = (each.gain.mean, *each.gain.interval())
        lead, *bounds = (number(x, scores.metric.unit, 2, "+") for x in numbers)
        ahead = each.first if each.test.sign > 0 else each.second
        # Of ranks that say the one and a mean that says the other neither is the better method.
        says = word if each.clear(alpha) else "by ranks alone"
        verdict = f"{ahead} {says}" if each.p_holm < alpha else "–"
        shares = ["–"] * 3
        if (chances := each.posterior) is not None:
            shares = [f"{x:.2f}" for x in (chances.first, chances.equivalent, chances.second)]
        rows.append(
            [
                *(each.first, each.second, str(each.n), lead),
                "–" if math.isnan(each.gain.error) else " to ".join(bounds),
                each.win_tie_loss,
                *(p_value(each.test.p), p_value(each.p_holm), verdict, *shares),
            ]
        )
    return Grid(rows, 2)


def _pair_notes(scores: Scores, pairs: Sequence[Pairwise], alpha: float) -> list[str]:
    over = "datasets" if scores.datasets else f"rows of the means over {scores.repeat}s"
    rope = pairs[0].rope
    notes = [
        f"First ahead by: mean paired difference over {over}. p: Wilcoxon's signed-rank test, two-sided, "
        f"exact; Holm over {counted(len(pairs), 'pair')}. "
        + (
            "No probabilities: within what two scores count as equal (rope) is not given."
            if rope is None
            else f"P(first), P(equal), P(second): that the first is ahead by more than {rope:g}, that "
            f"they are within {rope:g} of each other, that the second is ahead."
        )
    ]
    if (least := least_p(pairs[0].n, len(pairs))) >= alpha:
        notes.append(
            f"Mind: with {counted(pairs[0].n, scores.repeat)} p (Holm) is {p_value(least)} at least. No two "
            f"methods can be told apart by it at {alpha:g}, however different they are."
        )
    if single := max((each.n - each.gain.pairs for each in pairs), default=0):
        notes.append(
            f"By how much the first is ahead leaves out rows of a single {scores.repeat} ({single}), which "
            "have no spread; win/tie/loss and p count them."
        )
    judged = ((each.test.sign, each.gain.interval()) for each in pairs if each.p_holm < alpha)
    if any(min(sign * ends[0], sign * ends[1]) <= 0 for sign, ends in judged):
        notes.append(
            "A verdict beside an interval that is not all on its side of 0 is no contradiction: the test "
            "goes by signs and ranks, the interval by the mean, which a few large differences the other way "
            "can draw to 0 or beyond."
        )
    every: set[Where] = set().union(*scores.trials.values())
    each_lacks = {label: len(every) - len(own) for label, own in scores.trials.items()}
    if lacking := [f"{label} lacks {count}" for label, count in each_lacks.items() if count]:
        more = "; without those methods the others have more in common" if len(each_lacks) > 2 else ""
        notes.append(
            f"Pairs count the {pairs[0].n} of {len(every)} {scores.repeat}s that all methods have, whatever "
            f"the means leave out: {', '.join(lacking)}{more}."
        )
    return notes


def _matrix(scores: Scores, pairs: Sequence[Pairwise], alpha: float) -> Section:
    """How far every row's method is ahead of every column's, best first."""
    pair_of, order = matrix(pairs), scores.best_first
    rows = [["", *order]]
    for first in order:
        cells = [first]
        for second in order:
            if first == second:
                cells.append("")
                continue
            each = pair_of[first, second]
            star = "*" if each.clear(alpha) else ""
            cells.append(f"{number(each.gain.mean, scores.metric.unit, sign='+')}{star} {each.win_tie_loss}")
        rows.append(cells)
    note = (
        "By how much the row's method is ahead of the column's, win/tie/loss; "
        f"*: the test says so too, at {alpha:g} after Holm."
    )
    return Section("Matrix of all pairs", Grid(rows), [note])
