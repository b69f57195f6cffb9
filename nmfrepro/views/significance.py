"""Tests of significance as markdown, with a plain statement of what they assume."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ..analysis.significance import Friedman, Wilcoxon
from ..analysis.significance.scores import Scores
from .tables import escape_cell, escape_markdown, markdown_lines

_ASSUMPTIONS = (
    "Friedman and Nemenyi assume that the rows are independent samples of the situations one cares about. "
    "Here they are numbers of clusters (or training images) on one dataset, whose draws overlap: they are "
    "not independent, and the p-values are too small.",
    "Wilcoxon assumes independent pairs whose differences are symmetric about their median. Draws of classes "
    "from one dataset share images, so they are not independent either, and an all-classes row contains all "
    "others.",
    "Read both as a description of this dataset under this protocol, not as evidence about other datasets.",
)


def markdown(
    scores: Scores, test: Friedman | None, pairs: Sequence[Wilcoxon], alpha: float, notes: Iterable[str] = ()
) -> str:
    """The report of a set of tests.

    Parameters
    ----------
    scores : Scores
    test : Friedman or None
        None where there are too few methods or rows for it.
    pairs : sequence of Wilcoxon
        Empty where single trials are not known.
    alpha : float
        The level of the pairwise verdicts.
    notes : iterable of str
        What else a reader must know.
    """
    parts = [f"# {escape_markdown(scores.metric.title)}: {escape_markdown(scores.source)}"]
    if test is not None:
        ranks = [["method", "mean rank"], *([escape_cell(name), f"{rank:.3f}"] for name, rank in test.order)]
        parts += ["## Friedman and Nemenyi", "\n".join(_friedman(scores, test))]
        parts += ["\n".join(markdown_lines(ranks)), "\n".join(_groups(test))]
    if pairs:
        parts += ["## Wilcoxon signed-rank, Holm over all pairs", "\n".join(_wilcoxon(scores, pairs, alpha))]
    left = [f"Left out: {reason}." for reason in scores.left_out]
    if test is None:
        left.append("Friedman's test needs at least 3 methods and 2 rows that all of them have.")
    parts.append("\n".join(f"- {escape_markdown(note)}" for note in (*left, *_ASSUMPTIONS, *notes)))
    return "\n\n".join(parts) + "\n"


def _friedman(scores: Scores, test: Friedman) -> Iterable[str]:
    methods, degrees = len(test.labels), len(test.labels) - 1
    yield (
        f"- {methods} methods ranked in {test.rows} rows ({scores.coordinate} = {', '.join(scores.rows)}); "
        "rank 1 is best, ties averaged."
    )
    yield f"- Friedman chi-square({degrees}) = {test.chi_square:.2f}, p = {_p(test.p_chi_square)}."
    yield f"- F({degrees}, {degrees * (test.rows - 1)}) = {test.f:.2f}, p = {_p(test.p_f)} (Iman, Davenport)."
    yield f"- Nemenyi critical difference at {test.alpha:g}: CD = {test.critical_difference:.3f}."


def _groups(test: Friedman) -> Iterable[str]:
    if not test.groups:
        yield "Every method differs from every other."
        return
    yield "Not told apart (mean ranks within CD), best first:"
    yield ""
    yield from (f"- {', '.join(escape_markdown(name) for name in group)}" for group in test.groups)


def _wilcoxon(scores: Scores, pairs: Sequence[Wilcoxon], alpha: float) -> list[str]:
    rows = [
        [
            "first",
            "second",
            "trials",
            f"median difference ({scores.metric.unit})",
            "p",
            "p (Holm)",
            f"at {alpha:g}",
        ]
    ]
    for pair in pairs:
        ahead = pair.first if (pair.difference > 0) != scores.metric.lower_is_better else pair.second
        word = "better" if scores.metric.ranked else "larger"
        said = f"{escape_cell(ahead)} {word}" if pair.p_holm < alpha and pair.difference else "–"
        numbers = [str(pair.n), f"{pair.difference:+.2f}", _p(pair.p), _p(pair.p_holm)]
        rows.append([escape_cell(pair.first), escape_cell(pair.second), *numbers, said])
    return markdown_lines(rows, left=2)


def _p(value: float) -> str:
    return f"{value:.3f}" if value >= 0.001 or value == 0 else f"{value:.1e}"
