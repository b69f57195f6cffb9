"""`nmfrepro stats`: are the methods of a run, of several, or of a published table, different?"""

from __future__ import annotations

import sys
from pathlib import Path

import click

from ..analysis.significance import LEAST_METHODS, LEAST_ROWS
from ..analysis.significance.pairwise import pairwise
from ..analysis.significance.scores import of_folders, of_published, of_runs
from ..core.errors import ResultsError
from ..results.folder import folders
from ..views import document, significance
from .options import level, of_each, printed_as, select, selecting
from .verbs import Number, Verb, echo

PUBLISHED = "published:"


@click.command("stats", cls=Verb)
@click.argument("sources", metavar="SOURCE…", nargs=-1, required=True)
@click.option("--metric", "-m", metavar="NAME", help="What to test [default: the first one of the table].")
@click.option("--control", metavar="NAME", help="Hold this method against each other one, with Holm.")
@click.option(
    "--rope",
    type=Number(min=0),
    help="Within what of each other methods are practically equivalent [default: 1 point, of times none].",
)
@level("Level of significance.")
@select
@printed_as(["md", "text", "latex"])
def stats_command(
    sources: tuple[str, ...],
    metric: str | None,
    control: str | None,
    rope: float | None,
    alpha: float,
    select: str,
    form: str | None,
) -> None:
    """Test the methods in SOURCE: a results folder (or a root of several), or published:tnmf/table1_orl.

    Every pair of methods draw by draw: mean difference with its interval, wins and losses, Wilcoxon's test
    with Holm's correction, Bayesian probabilities with a region of practical equivalence; and Friedman's test
    with Nemenyi's critical difference over the rows.  Probabilities ask about other classes: what those at
    hand add to the error is taken to be the same in all rows, so that more rows do not lessen it.  With
    several folders, each on its own data, the datasets are the rows; those that cannot be read, lack the
    metric, or have no validation scores to select by, are named, and the exit code is then 1.
    """
    code = 0
    if len(sources) == 1 and sources[0].startswith(PUBLISHED):
        scores = of_published(sources[0].removeprefix(PUBLISHED), metric)
    else:
        found = [each for source in sources for each in folders(Path(source))]
        each_alone, code = of_each(found, of_folders(metric, select))
        selecting(select, (run for each in each_alone for run in each.runs))
        scores = of_runs(each_alone)
    pairs = pairwise(scores, control, rope)
    test = scores.friedman(alpha)
    if test is None and not pairs:
        methods, rows = len(scores.labels), len(scores.rows)
        raise ResultsError(
            f"{', '.join(sources)}: no two methods have a {scores.repeat} in common, and Friedman's test "
            f"needs {LEAST_METHODS} methods and {LEAST_ROWS} rows that all of them have, not {methods} and "
            f"{rows}; `nmfrepro table` says what is missing"
        )
    report = significance.document(scores, test, pairs, alpha, control)
    echo(document.markdown(report, escaped=False) if form is None else document.WRITERS[form](report))
    sys.exit(code)
