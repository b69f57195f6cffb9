"""Write docs/field.md and its pictures from runs of experiments/field_*: ``python docs/field.py RESULTS…``.

Without arguments it takes results/reference/field_*.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

from nmfrepro.analysis.significance import friedman
from nmfrepro.analysis.significance.pairwise import pairwise
from nmfrepro.analysis.significance.scores import Scores, of_datasets, of_results
from nmfrepro.results.folder import Results, read
from nmfrepro.views.plots.matrix import pair_matrix
from nmfrepro.views.plots.pareto import fit_seconds, pareto, unbeaten
from nmfrepro.views.plots.picture import Picture, slug
from nmfrepro.views.plots.ranks import rank_diagram
from nmfrepro.views.plots.style import drawing, looks_of
from nmfrepro.views.significance import best_first
from nmfrepro.views.tables import markdown_lines

DOCS = Path(__file__).parent
REFERENCE = DOCS.parent / "results" / "reference"
READINGS = {
    "accuracy_kmeans": "Read by k-means on the encodings",
    "accuracy": "Read by the largest entry",
}
HEAD = """# The field: all methods, one protocol

<!-- Made by docs/field.py from results: do not edit. -->

The papers compare each with a few methods, under their own settings. Here every unsupervised method of
nmfrepro that gives k encodings without signs meets {n} datasets under one protocol
(`experiments/field_*.yaml`), beside the baselines that a referee asks for: k-means++ with 20 starts,
k-means on principal components, spectral clustering, scikit-learn's NMF. Semi-supervised methods are left
out: they see labels of the images that are clustered.

- k classes are drawn at random, the same for all methods; k is the number of components and of clusters.
- One random start and 200 iterations for every method that iterates; grey levels between 0 and 1.
- Every method with parameters has three values of its main one. For each draw that value is taken which is
  best on another draw, by the accuracy of the same reading. So these methods have seen labels, though not
  by the score reported.
- Each fit is read in two ways: by the largest entry of an encoding, and by k-means on the encodings (ten
  starts).

What was run: {what}.
"""
FOOT = """
## Made by

```sh
nmfrepro run experiments/field_*.yaml      # can be stopped, and goes on where it was
python docs/field.py results/field_*
nmfrepro stats results/field_* --metric accuracy_kmeans   # every pair, with probabilities
```
"""


def reference() -> list[Results]:
    """The runs of clustering in results/reference."""
    found = [read(path.parent) for path in sorted(REFERENCE.glob("field_*/run.json"))]
    return [each for each in found if each.run.kind == "readings"]


def page(runs: Sequence[Results]) -> str:
    """The page's text."""
    lines = [HEAD.format(n=len(runs), what="; ".join(map(extent, runs)))]
    for metric, heading in READINGS.items():
        lines += [f"## {heading}", "", *reading(runs, metric), ""]
    return "\n".join([*lines, "## Where each method wins", "", *wins(runs), FOOT])


def extent(run: Results) -> str:
    """Dataset, numbers of classes and draws of a run."""
    options = vars(run.run.protocol)
    k = ", ".join(map(str, options["clusters"]))
    return f"{run.run.dataset.name} (k = {k}; {options['repeats']} draws)"


def reading(runs: Sequence[Results], metric: str) -> Iterator[str]:
    """The means, the ranks and the pictures of one reading."""
    scores = of_datasets(runs, metric)
    test = friedman(scores.means, scores.labels)
    seconds, means, best = mean_seconds(runs, scores), mean_scores(scores), scores.means.max(axis=1)
    rows = [["method", *scores.rows, "mean", "mean rank", "seconds"]]
    for label, rank in test.order:
        own = scores.means[:, scores.labels.index(label)]
        cells = [f"**{x:.1f}**" if x == top else f"{x:.1f}" for x, top in zip(own, best, strict=True)]
        rows.append([label, *cells, f"{means[label]:.1f}", f"{rank:.2f}", f"{seconds[label]:.3f}"])
    yield from markdown_lines(rows, 1)
    yield ""
    yield "Accuracy (%), mean over k and draws; bold: the best on a dataset. Seconds: of one fit"
    yield "on one core, geometric mean over the datasets."
    yield f"Friedman: F = {test.f:.1f}, p = {test.p_f:.1g}. Methods whose mean ranks differ by less than"
    yield f"{test.critical_difference:.1f} are not told apart (Nemenyi, 0.05); with the best one these are"
    yield f"{', '.join(test.groups[0]) if test.groups else 'none'}."
    yield f"Not beaten in both accuracy and seconds: {', '.join(unbeaten(seconds, means))}."
    title = scores.metric.title
    for kind, alt in (
        ("ranks", "Mean ranks over the datasets"),
        ("pairs", "By how much each method is ahead of each other"),
        ("pareto", "Mean accuracy against seconds of a fit"),
    ):
        yield from ("", f"![{alt}, {title}](field/{kind}-{slug(title)}.png)")


def pictures(runs: Sequence[Results]) -> Iterator[Picture]:
    """Ranks, pairs and the Pareto front, for each reading."""
    columns = {column.label: column.algorithm for run in runs for column in run.run.columns}
    looks = dict(zip(columns, looks_of(columns.values()), strict=True))
    for metric in READINGS:
        scores = of_datasets(runs, metric)
        title = scores.metric.title
        yield rank_diagram("The field", title, {"": friedman(scores.means, scores.labels)}, looks)
        yield pair_matrix("The field", title, pairwise(scores), best_first(scores))
        yield pareto("The field", scores.metric, mean_seconds(runs, scores), mean_scores(scores), looks)


def mean_scores(scores: Scores) -> dict[str, float]:
    """Mean over the datasets, by method."""
    return dict(zip(scores.labels, map(float, scores.means.mean(axis=0)), strict=True))


def mean_seconds(runs: Sequence[Results], scores: Scores) -> dict[str, float]:
    """Geometric mean over the runs of a fit's mean seconds, by method."""
    found = [fit_seconds(run) for run in runs if run.run.dataset.name in scores.rows]
    return {
        label: math.exp(math.fsum(math.log(each[label]) for each in found) / len(found))
        for label in scores.labels
    }


def wins(runs: Sequence[Results]) -> Iterator[str]:
    """The best two methods for every dataset and k, by both readings."""
    rows = [["dataset", "k", *READINGS.values()]]
    for run in runs:
        first, *others = [of_results(run, metric) for metric in READINGS]
        for row in first.rows:
            rows.append([run.run.dataset.name, row, *(best_two(each, row) for each in (first, *others))])
    yield from markdown_lines(rows, 1)


def best_two(scores: Scores, row: str) -> str:
    """The first and the second method of a row with their means."""
    means = scores.means[scores.rows.index(row)]
    order = np.argsort(-means, kind="stable")[:2]
    return ", ".join(f"{scores.labels[i]} {means[i]:.1f}" for i in order)


if __name__ == "__main__":
    from matplotlib import rc_context

    found = [read(Path(each)) for each in sys.argv[1:]] or reference()
    (DOCS / "field.md").write_text(page(found), encoding="utf-8")
    with drawing(), rc_context({"savefig.dpi": 100}):  # the matrix of 23 methods is large
        for picture in pictures(found):
            picture.write(DOCS / "field", "png")
