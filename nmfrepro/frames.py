"""Numbers of results folders as pandas data frames: tables, comparisons, tests."""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from .analysis.compare import compare_published, compare_runs
from .analysis.significance.pairwise import pairwise
from .analysis.significance.scores import of_folders, of_runs
from .analysis.significance.signedrank import Posterior
from .analysis.tables import make_table
from .core.errors import ResultsError, in_keywords
from .core.options import texts
from .results.folder import folders, path_of, read, use_each

if TYPE_CHECKING:
    import pandas as pd


@in_keywords()
def table(folder: Path | str, metrics: str | Sequence[str] = ()) -> pd.DataFrame:
    """The table of a results folder in long form: every number that it shows but the averages of its rows.

    Parameters
    ----------
    folder : str or Path
        ``results/<spec name>``.
    metrics : str or sequence of str
        What to show; the run's own choice by default.

    Returns
    -------
    pandas.DataFrame
        A row per metric, place and method: unrounded mean and std (n − 1 in the denominator; NaN for a
        single repeat) in the unit given, n of planned repeats, failed trials, and whether it is the best.
        Its ``attrs`` hold the title and the notes a reader must know.

    Raises
    ------
    ResultsError, SpecError
        If the folder holds no results, a metric is not in them, or `metrics` is no list of text.

    Examples
    --------
    >>> import nmfrepro
    >>> text = '''
    ... dataset: digits
    ... protocol: {kind: clustering, clusters: [2], repeats: 2}
    ... fit: {restarts: 1, max_iter: 10, tol: 0}
    ... algorithms: [kmeans, nmf]
    ... seed: 1
    ... '''
    >>> _ = Path("digits-two.yaml").write_text(text)
    >>> _ = nmfrepro.run("digits-two.yaml", jobs=1)
    >>> nmfrepro.table("results/digits-two", ["accuracy"])[["k", "label", "unit", "n", "planned"]]
       k   label unit  n  planned
    0  2  Kmeans    %  2        2
    1  2     NMF    %  2        2
    """
    import pandas as pd

    chosen = (metrics,) if isinstance(metrics, str) else texts("metrics", metrics, "accuracy")
    made = make_table(read(path_of(folder)), chosen or None)
    rows = [
        dict(zip(made.layout.rows, row.where, strict=True))
        | {"metric": block.name, "unit": block.metric.unit, "label": column.label}
        | {"algorithm": column.algorithm}
        | ({made.layout.chosen: cell.chosen} if made.layout.chosen else {})
        | {"mean": cell.mean, "std": cell.std, "n": cell.n, "planned": cell.planned}
        | {"failed": cell.failed, "best": cell.best}
        for block in made.blocks
        for row in block.rows
        for column, cell in row.cells.items()
    ]
    frame = pd.DataFrame(rows)
    frame.attrs |= {"title": made.title, "notes": made.notes}
    return frame.astype({"mean": float, "std": float})


@in_keywords()
def compare(
    folder: Path | str, other: Path | str | None = None, *, published: str | None = None, select: str = "test"
) -> pd.DataFrame:
    """Every cell of a results folder beside the published one, as ``nmfrepro compare`` judges it.

    Parameters
    ----------
    folder : str or Path
        ``results/<spec name>``.
    other : str or Path, optional
        Another results folder, in the place of the published numbers.
    published : str, optional
        A published table; the one that the spec names by default.
    select : {"test", "validation"}
        What the best dimension of a recognition run is chosen by.

    Returns
    -------
    pandas.DataFrame
        A row per cell: metric, unit, method, row, both means, their difference with its 90 % interval (of
        running times the factor), and the verdict.  Its ``attrs`` hold the claims with their verdicts.

    Raises
    ------
    ResultsError
        If there is nothing to compare.
    """
    import pandas as pd

    ours = read(path_of(folder))
    if other is None:
        compared = compare_published(ours, published, select)
    else:
        compared = compare_runs(ours, read(path_of(other)), select)
    first, second = ("published", "reproduced") if other is None else ("first", "second")
    rows = []
    for each in compared:
        about = {"metric": each.metric.title, "unit": each.metric.unit}
        for column, pair in ((own, pair) for own in each.columns for pair in own.pairs):
            bounds = pair.judgement.interval() if pair.judgement else None
            low, high = bounds or (math.nan, math.nan)
            rows.append(
                about
                | {"label": column.ours, "row": pair.row, first: pair.theirs.mean, second: pair.ours.mean}
                | {"difference": pair.difference, "low": low, "high": high, "verdict": pair.verdict}
            )
    frame = pd.DataFrame(rows)
    frame.attrs["claims"] = {
        f"{each.metric.title}: {claim.better} before {claim.other}": claim.verdict
        for each in compared
        for claim in each.claims
    }
    return frame


@in_keywords()
def stats(
    folder: Path | str | Sequence[Path | str],
    metric: str | None = None,
    *,
    control: str | None = None,
    rope: float | None = None,
    select: str = "test",
) -> pd.DataFrame:
    """Every pair of methods tested, as ``nmfrepro stats`` does.

    Parameters
    ----------
    folder : str or Path or sequence of them
        One results folder, whose draws are compared, or several (or their root) with a dataset each.
    metric : str, optional
        The first one of the table by default.
    control : str, optional
        A column that is held against each other one; all pairs by default.
    rope : float, optional
        Within what of each other methods are practically equivalent, in the metric's unit; 1 for percents by
        default, and no probabilities for others.
    select : {"test", "validation"}
        What the best dimension of a recognition run is chosen by.

    Returns
    -------
    pandas.DataFrame
        A row per pair: draws (or datasets), by how much the first is ahead with the 90 % interval, its wins,
        ties and losses, Wilcoxon's p-value and Holm's correction, and the probabilities that the first is
        better, that both are equivalent, and that the second is better (NaN where no test can tell).

    Raises
    ------
    ResultsError
        If no folder is given, none has the metric, or there is no such control.

    Warns
    -----
    UserWarning
        If some of several folders cannot be read, or lack the metric; the frame's ``attrs`` name them too.
    """
    import pandas as pd

    given = folder if isinstance(folder, Iterable) and not isinstance(folder, str) else [folder]
    paths = [each for source in given for each in folders(path_of(source))]
    if not paths:
        raise ResultsError("no results folder is given")
    found, problems = use_each(paths, of_folders(metric, select))
    for problem in problems:
        warnings.warn(f"Left out: {problem}", stacklevel=3)
    scores = of_runs(found)
    rows = []
    for each in pairwise(scores, control, rope):
        low, high = each.gain.interval() or (math.nan, math.nan)
        chances = each.posterior or Posterior(math.nan, math.nan, math.nan)
        rows.append(
            {"first": each.first, "second": each.second, "n": each.n, "ahead": each.gain.mean, "low": low}
            | {"high": high, "wins": each.wins, "ties": each.ties, "losses": each.losses, "p": each.test.p}
            | {"p_holm": each.p_holm, "p_first": chances.first}
            | {"p_equal": chances.equivalent, "p_second": chances.second}
        )
    frame = pd.DataFrame(rows)
    frame.attrs |= {"metric": scores.metric.title, "left_out": (*map(str, problems), *scores.left_out)}
    return frame
