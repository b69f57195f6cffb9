"""Running specs and reading their tables from Python, as pandas data frames."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from . import runs as runner
from .analysis.tables import make_table
from .results.folder import read
from .runs.progress import Shown
from .spec import Spec
from .spec.reader import find_spec, read_spec

if TYPE_CHECKING:
    import pandas as pd


def run(
    spec: Spec | Path | str,
    *,
    results: Path | str = "results",
    data_dir: Path | str | None = None,
    jobs: int | None = None,
    dask: str | None = None,
    overrides: Sequence[str] = (),
    only: Sequence[str] = (),
    smoke: bool = False,
    fresh: bool = False,
    keep_failed: bool = False,
    quiet: bool = False,
) -> pd.DataFrame:
    """Run what is missing of a spec, as ``nmfrepro run`` does, and return the rows of all its trials.

    Parameters
    ----------
    spec : Spec or path-like
        A spec, its file, or the name of an experiment that comes with nmfrepro.
    results : path-like
        The results root; rows are kept in ``results/<spec name>/`` and not computed again.
    data_dir : path-like, optional
        Where datasets lie; $NMFREPRO_DATA, else ./data, by default.
    jobs : int, optional
        Worker processes; the cores available by default.  A script must call this function under
        ``if __name__ == "__main__":``, since every worker imports the script.
    dask : str, optional
        Address of the scheduler of a Dask cluster, whose workers run the trials instead.
    overrides : sequence of str
        ``key=value`` as given to ``--set``; for a spec that is read from a file.
    only : sequence of str
        Run only the columns of these labels or algorithms; the frame holds what is there.
    smoke : bool
        Shrink a spec that is read from a file to seconds.
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
    KeyboardInterrupt
        After Ctrl-C; finished trials are kept, and the same call goes on.

    Warns
    -----
    UserWarning
        If trials failed; their rows say why.

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
    if not isinstance(spec, Spec):
        spec = read_spec(find_spec(str(spec)), overrides, smoke)
    elif overrides or smoke:
        raise TypeError("overrides and smoke are for specs that are read from a file")
    summary = runner.run(
        runner.prepare(spec, None if data_dir is None else Path(data_dir)),
        Path(results),
        jobs=jobs,
        dask=dask,
        only=only,
        fresh=fresh,
        keep_failed=keep_failed,
        progress=None if quiet or sys.stderr is None else partial(Shown, spec.name),
    )
    if summary.interrupted:
        raise KeyboardInterrupt
    if summary.failed:
        warnings.warn(
            f"{summary.failed} of {summary.planned} trials failed; see their status and error", stacklevel=2
        )
    return read(summary.folder).frame


def table(folder: Path | str, metrics: Sequence[str] = ()) -> pd.DataFrame:
    """The table of a results folder in long form, as ``nmfrepro table`` writes it to table.csv.

    Parameters
    ----------
    folder : path-like
        ``results/<spec name>``.
    metrics : sequence of str
        What to show; the run's own choice by default.

    Returns
    -------
    pandas.DataFrame
        A row per metric, place and method: unrounded mean and std (n − 1 in the denominator; NaN for a
        single repeat) in the unit given, n of planned repeats, failed trials, and whether it is the best.
        Its ``attrs`` hold the title and the notes a reader must know.

    Raises
    ------
    ResultsError
        If the folder holds no results, or a metric is not in them.

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

    made = make_table(read(Path(folder)), tuple(metrics) or None)
    rows = [
        dict(zip(made.layout.rows, row.where or (), strict=True))
        | {"metric": block.name, "unit": block.metric.unit, "label": label, "algorithm": algorithm}
        | ({made.layout.chosen: cell.dimension} if made.layout.chosen else {})
        | {"mean": cell.mean, "std": cell.std, "n": cell.n, "planned": cell.planned}
        | {"failed": cell.failed, "best": cell.best}
        for block in made.blocks
        for row in block.rows
        for label, algorithm, cell in zip(made.labels, made.algorithms, row.cells, strict=True)
    ]
    frame = pd.DataFrame(rows)
    frame.attrs |= {"title": made.title, "notes": made.notes}
    return frame.astype({"mean": float, "std": float})
