"""What the commands do, as functions of Python: load data, run specs, results as data frames and pictures."""

from __future__ import annotations

import inspect
import math
import sys
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from . import datasets
from . import runs as runner
from .analysis.compare import compare_published, compare_runs
from .analysis.significance.paired import Posterior
from .analysis.significance.pairwise import pairwise
from .analysis.significance.scores import of_folders, of_runs
from .analysis.tables import make_table
from .core.errors import ResultsError, Setting, SpecError, in_keywords, suggest
from .core.options import texts
from .datasets import Dataset
from .results.folder import folders, folders_of, path_of, read, use_each
from .runs.against import NOTHING_STORED, find_stored
from .runs.interrupts import ended_by
from .spec import Spec
from .spec.checks import not_as_given
from .spec.files import find_spec
from .spec.reader import read_mapping, read_spec

if TYPE_CHECKING:
    import pandas as pd


@in_keywords()
def load_dataset(
    what: Path | str, /, *, scale: str | None = None, data_dir: Path | str | None = None, **options: Any
) -> Dataset:
    """Images and labels by the name of a dataset, or from a file of one's own.

    Parameters
    ----------
    what : str or Path
        A name from ``nmfrepro list datasets``, or a .mat, .npz, .npy, .csv or IDX file or a folder of images.
    scale : {"grey", "max", "l2", "none"}, optional
        What values are divided by, see `Dataset.scaled`; "grey" for named grey images, and else to be given.
    data_dir : str or Path, optional
        Where datasets lie; $NMFREPRO_DATA, else ./data, by default.
    **options
        The keys of a spec's ``dataset``, see the reference of specs: size, source, orientation, …

    Returns
    -------
    Dataset
        With ``X`` (n, m), scaled, a row per sample (`factorize` takes ``X.T``), the class codes ``y`` (n,)
        and ``image_shape``; of a matrix alone in a .npy, .npz or .mat file all of ``y`` is 0.  Its ``levels``
        are those of the scaled values.

    Raises
    ------
    SpecError
        For a name or an option that is none.
    DataError
        If the data is not here, damaged, ambiguous, or does not fit its name.

    Examples
    --------
    >>> import nmfrepro
    >>> data = nmfrepro.load_dataset("digits")
    >>> data.X.shape, data.y.shape, data.image_shape
    ((1797, 64), (1797,), (8, 8))
    >>> fit = nmfrepro.factorize(data.X.T, "nmf", k=10)
    """
    try:
        Path(what)
    except TypeError:
        text = f"load_dataset takes a name or a path, not {type(what).__name__}; give an array to factorize"
        raise SpecError(text) from None
    directory = None if data_dir is None else Path(data_dir)
    asked = datasets.resolve(
        datasets.options_for(str(what), {**options, "scale": scale}, directory), directory
    )
    loaded = datasets.load(asked, directory, labelled=False)
    levels = {"grey": 1.0, "none": loaded.levels}.get(str(asked.scale))  # of the values as they are now
    return replace(loaded, X=loaded.scaled(str(asked.scale)), levels=levels)


def run(
    spec: Spec | Path | str | Mapping[str, Any],
    *,
    name: str | None = None,
    results: Path | str = "results",
    data_dir: Path | str | None = None,
    jobs: int | None = None,
    dask: str | None = None,
    submit: str | None = None,
    overrides: Sequence[str] = (),
    also: Sequence[Any] = (),
    against: Path | str | None = None,
    only: Sequence[str] = (),
    smoke: bool = False,
    fresh: bool = False,
    keep_failed: bool = False,
    quiet: bool = False,
) -> pd.DataFrame:
    """Run what is missing of a spec, as ``nmfrepro run`` does, and return the rows of all its trials.

    Parameters
    ----------
    spec : Spec or str or Path or mapping
        A spec, its file, the name of an experiment that comes with nmfrepro, or a spec's content as a
        mapping, in which a method may also be a class or an instance.
    name : str, optional
        What the results folder of a mapping is called.
    results : str or Path
        The results root; rows are kept in ``results/<spec name>/`` and not computed again.
    data_dir : str or Path, optional
        Where datasets lie; $NMFREPRO_DATA, else ./data, by default.
    jobs : int, optional
        Worker processes; the cores available by default.
    dask : str, optional
        Address of the scheduler of a Dask cluster, whose workers run the trials instead.
    submit : str, optional
        Batch system whose jobs run the trials instead, as ``--submit`` takes it.
    overrides : sequence of str
        ``key=value`` as given to ``--set``.
    also : sequence of str, mapping, or method class or instance
        Columns to add: ``also=["nlcf", {"name": "nlcf", "mu": 0.5, "as": "mine"}, MyNMF]``.
    against : str or Path, optional
        Where stored rows are taken from, so that only the others are computed: "reference" (those that come
        with nmfrepro), or a results folder.
    only : sequence of str
        Run only the columns of these labels or algorithms; the frame holds what is there.
    smoke : bool
        Shrink everything to seconds.
    fresh, keep_failed : bool
        Compute everything anew; do not try failed trials again.
    quiet : bool
        Show no progress, which goes to stderr: a bar on a terminal, a line every half minute elsewhere.

    Returns
    -------
    pandas.DataFrame
        A row per trial in plan order: coordinates, algorithm, label, status, error, metrics as fractions.

    Raises
    ------
    NmfreproError
        For a spec, data or results that cannot be used.
    KeyboardInterrupt, SystemExit
        After Ctrl-C; after SIGTERM.  Finished trials are kept, and the same call goes on.

    Warns
    -----
    UserWarning
        If trials failed, whose rows say why, or a batch system ended their jobs.

    Examples
    --------
    >>> import nmfrepro
    >>> text = '''
    ... dataset: digits
    ... protocol: {kind: clustering, clusters: [2, 3], repeats: 1}
    ... algorithms: [{name: kmeans, restarts: 5}]
    ... seed: 1
    ... '''
    >>> _ = Path("digits-kmeans.yaml").write_text(text)
    >>> frame = nmfrepro.run("digits-kmeans.yaml", jobs=1)
    >>> frame[["k", "draw", "label", "status"]]
       k  draw   label status
    0  2     0  Kmeans     ok
    1  3     0  Kmeans     ok
    >>> bool(frame["accuracy"].between(0.5, 1).all())
    True
    """
    with in_keywords():
        overrides = texts("overrides", overrides, "fit.max_iter=10")
        only = texts("only", only, "nmf")
        if isinstance(also, (str, Mapping)) or not isinstance(also, Iterable):
            raise SpecError(Setting("also"), f" must be a list, as also=[{also!r}]")
        for option, flag in (("smoke", smoke), ("fresh", fresh), ("keep_failed", keep_failed)):
            if flag not in (True, False):
                raise SpecError(Setting(option), f" must be True or False, not {flag!r}")
    if isinstance(spec, Mapping):
        if name is None:
            raise SpecError("a mapping needs a name for its results folder: run(spec, name='my_run')")
        spec = read_mapping(spec, name, overrides, smoke, also)
    elif name is not None:
        raise TypeError("name is for a spec that is given as a mapping; others have one")
    elif not isinstance(spec, Spec):
        spec = read_spec(find_spec(str(spec)), overrides, smoke, also)
    elif overrides or smoke or also:
        raise TypeError("overrides, also and smoke are for specs that are read from a file or a mapping")
    prepared = runner.prepare(spec, None if data_dir is None else Path(data_dir))
    # At once, since a pool that calls this may end its processes before they write what they hold.
    announce: Callable[[str], None] = (lambda text: None) if quiet else partial(print, flush=True)
    for note in not_as_given(spec):
        announce(f"  note    {note}")
    how = runner.RunOptions(
        jobs=jobs, dask=dask, submit=submit, only=only, fresh=fresh, keep_failed=keep_failed
    )
    with in_keywords():  # from here on; a spec's own mistakes are told as it is written
        summary = runner.run(
            prepared,
            Path(results),
            how,
            stored=NOTHING_STORED if against is None else find_stored(prepared, str(against)),
            announce=announce,
            progress=not quiet and sys.stderr is not None,
        )
    if summary.interrupted:
        raise ended_by(summary.interrupted)
    if not summary.complete:
        lacking = f"{summary.planned - summary.present} of {summary.planned} trials"
        warnings.warn(f"{lacking} failed or were not run; see the rows' status and error", stacklevel=2)
    return read(summary.folder).frame


@in_keywords()
def table(folder: Path | str, metrics: str | Sequence[str] = (), *, select: str = "test") -> pd.DataFrame:
    """The table of a results folder in long form: every number that it shows but the averages of its rows.

    Parameters
    ----------
    folder : str or Path
        ``results/<spec name>``.
    metrics : str or sequence of str
        What to show; the run's own choice by default.
    select : {"test", "validation"}
        What the best dimension of a recognition run is chosen by.

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
    made = make_table(read(path_of(folder)), chosen or None, select)
    rows = [
        dict(zip(made.layout.rows, row.where, strict=True))
        | {"metric": block.name, "unit": block.metric.unit, "label": column.label}
        | {"algorithm": column.algorithm}
        | ({made.layout.chosen: cell.chosen} if made.layout.chosen else {})
        | {"mean": cell.mean, "std": cell.std, "n": cell.n, "planned": cell.planned}
        | {"failed": cell.failed, "best": cell.best}
        for block in made.blocks
        for row in block.rows
        for column in made.columns
        for cell in [row.cells[column.label]]
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
            low, high = pair.judgement.interval() if pair.judgement else (math.nan, math.nan)
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
        low, high = each.gain.interval()
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


@in_keywords()
def plot(folder: Path | str, output: Path | str | None = None, **options: Any) -> list[Path]:
    """Draw the pictures of a results folder, as ``nmfrepro plot`` does.

    Parameters
    ----------
    folder : str or Path
        ``results/<spec name>``.
    output : str or Path, optional
        Where to write; ``figures/`` in the folder by default.
    **options
        form ("png" or "pdf"), logarithmic, metrics, title (False: without a heading), width ("single",
        "double" or centimetres), font_size in points, highlight: see `nmfrepro.views.plots.draw`.

    Returns
    -------
    list of Path
        The files, in the order they were drawn.

    Raises
    ------
    ResultsError, SpecError
        If nothing has been run, there is no such option, metric, column or form, stored arrays are missing,
        or the files cannot be written.
    """
    from .views.plots import draw

    path, known = path_of(folder), [*inspect.signature(draw).parameters][2:]
    for name in options:
        if name not in known:
            raise SpecError(f"plot has no option {name!r}; {suggest(name, known)}", option=name)
    return draw(read(path), Path(output or path / "figures"), **options)[0]


@in_keywords()
def report(
    *results: Path | str,
    output: Path | str = "report.html",
    title: str = "nmfrepro report",
    select: str = "test",
) -> Path:
    """Write results as one HTML page that needs no network, as ``nmfrepro report`` does.

    Parameters
    ----------
    *results : str or Path
        Results roots, or folders of single runs; ``results`` by default.
    output : str or Path
        The page.
    title : str
    select : {"test", "validation"}
        What the best dimension of a recognition table is chosen by.

    Returns
    -------
    Path
        The page that was written.

    Raises
    ------
    ResultsError
        If there are no results, the page cannot be written, its folder is not there, or another file is.

    Warns
    -----
    UserWarning
        If a folder cannot be read, which the page then says.
    """
    from .views.report import collect, render
    from .views.report.page import require_folder, write_page

    require_folder(Path(output))
    experiments = collect(folders_of(results), select)
    write_page(Path(output), render(experiments, title))
    for problem in filter(None, (each.problem for each in experiments)):
        warnings.warn(problem, stacklevel=3)
    return Path(output)
