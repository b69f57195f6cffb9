"""`nmfrepro stats`: are the methods of a run, or of a published table, different?"""

from __future__ import annotations

from pathlib import Path

import click

from .. import papers
from ..analysis.significance import friedman, wilcoxon
from ..analysis.significance.scores import of_published, of_results
from ..results.folder import read
from ..views import significance as significancetext
from .verbs import Verb, Word, echo

PUBLISHED = "published:"


@click.command("stats", cls=Verb)
@click.argument("source")
@click.option("--metric", "-m", metavar="NAME", help="What to test [default: the first one of the table].")
@click.option(
    "--alpha",
    type=click.FloatRange(0, 1, min_open=True, max_open=True),
    default=0.05,
    show_default=True,
    help="Level of significance.",
)
@click.option(
    "--select",
    type=Word(["test", "validation"]),
    default="test",
    show_default=True,
    help="What the best dimension of a recognition run is chosen by.",
)
def stats_command(source: str, metric: str | None, alpha: float, select: str) -> None:
    """Test the methods in SOURCE: a results folder, or published:NAME such as published:tnmf/table1_orl.

    Friedman's test and Nemenyi's critical difference over the rows; for a run also Wilcoxon's signed-rank
    test with Holm's correction over the trials that all methods share.
    """
    notes: tuple[str, ...] = ()
    if source.startswith(PUBLISHED):
        name = source.removeprefix(PUBLISHED)
        scores = of_published(name, metric)
        notes = tuple(f"{note[:1].upper()}{note[1:]}." for note in papers.load(name).source.notes)
    else:
        scores = of_results(read(Path(source)), metric, select)
    rows, methods = scores.means.shape
    pairs = wilcoxon(scores.trials)
    enough = (rows >= 2 and methods >= 3) or not pairs
    test = friedman(scores.means, scores.labels, alpha, scores.metric.lower_is_better) if enough else None
    echo(significancetext.markdown(scores, test, pairs, alpha, notes))
