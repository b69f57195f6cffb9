"""Write docs/field.md and its pictures from runs of experiments/field_*: ``python docs/field.py RESULTS…``.

Without arguments it takes results/reference/field_*.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from PIL import Image

from nmfrepro.analysis.pareto import fit_seconds, unbeaten
from nmfrepro.analysis.significance import friedman, least_p
from nmfrepro.analysis.significance.pairwise import pairwise
from nmfrepro.analysis.significance.scores import Scores, of_results, of_runs
from nmfrepro.results.folder import Results, read
from nmfrepro.views.plots.matrix import ALPHA, pair_matrix
from nmfrepro.views.plots.pareto import pareto, timed_by
from nmfrepro.views.plots.picture import Picture
from nmfrepro.views.plots.ranks import rank_diagram
from nmfrepro.views.plots.style import drawing, looks_of
from nmfrepro.views.tables import markdown_lines

DOCS = Path(__file__).parent
REFERENCE = DOCS.parent / "results" / "reference"

HEAD = """# The field: all methods, one protocol

<!-- Made by docs/field.py from results: do not edit. -->

The papers compare each with a few methods, under their own settings. Here every method of nmfrepro that fits
the task meets every dataset under one protocol (`experiments/field_*.yaml`), beside the baselines that a
referee asks for: [clustering](#clustering) and [recognition](#recognition). A method of your own comes into
these tables with [one command](own-algorithm.md#in-the-table-of-the-field).
"""
TIME = """
## What was run

{rows}

Shared: how many of a draw's k classes the draw for choosing has too, on average.

{trials:,} trials took {hours:.1f} hours of one core ({processors}): the sum of their wall-clock seconds with
the choice of parameters, on a machine that had other work too, so an upper bound.
"""
FOOT = """
## Made by

```sh
nmfrepro run experiments/field_*.yaml      # can be stopped, and goes on where it was
python docs/field.py results/field_*
nmfrepro stats results/field_recognition_*                # every pair, with probabilities
```
"""


@dataclass(frozen=True)
class Part:
    """One of the two tasks: its runs, its readings by metric, and what the page says of them."""

    title: str
    kind: str
    readings: Mapping[str, str]
    text: str
    seconds: str


CLUSTERING = Part(
    "Clustering",
    "readings",
    {"accuracy_kmeans": "Read by k-means on the encodings", "accuracy": "Read by the largest entry"},
    """Every unsupervised method that gives k encodings without signs, beside k-means++, k-means on principal
components, spectral clustering and scikit-learn's NMF. Semi-supervised methods are left out: they see labels
of the images that are clustered.

- k classes are drawn at random, the same for all methods, with all their images, on digits, MNIST and
  Fashion-MNIST with 100 of each; k is the number of components and of clusters.
- One random start and 200 iterations for every factorization, the best of 20 starts of k-means for k-means++,
  PCA + k-means and Spectral; grey levels between 0 and 1.
- Every method with parameters has three values of its main one. For each draw that value is taken which is
  best on another draw, by the accuracy of the same reading. Two draws of k of K classes share 2k − K at
  least and [k²/K on average](#what-was-run): these methods have seen labels, at the largest k (but Yale B's)
  those of all but one of the classes that they are scored on.
- Encodings are read in two ways: by their largest entry, and by k-means (ten starts). k-means++,
  PCA + k-means and Spectral stand in both tables by k-means, NSDR by its largest entry.""",
    "processor seconds of one fit on one core, at the chosen value and without the reading",
)
RECOGNITION = Part(
    "Recognition",
    "recognition",
    {"nn": "Nearest neighbour"},
    """Every method that has a basis or a projection of its own: five images of each class to learn from, the
others halved into validation and test, the same splits for all. All images are coded by it, on a basis by
least squares (also GNMF's and NLCF-G's, without the graph); a test image is given the class of the training
image whose features are nearest.

- As many features for all: 36, as 6 × 6 for methods on images as matrices and as 36 basis vectors for others.
- One random start and 200 iterations; every method with parameters has three values of its main one, of which
  each split takes the best on its validation images.
- The columns of a basis have unit length when images are coded on it. As fitted, their lengths differ
  ten-thousandfold in scikit-learn's NMF (5 to 49,000 on ORL), the shortest decide the distances, and 30 % of
  ORL's images are recognised; the mean of no other method moves by more than 1.2 points.""",
    "processor seconds of a split's fits on one core, three for a method with a parameter",
)
PARTS = (CLUSTERING, RECOGNITION)
SHOWN = {
    "ranks": "Mean ranks over the datasets",
    "pairs": "By how much each method is ahead of each other",
    "pareto": "Mean score against seconds of a fit",
}
"""What the pictures show, by the first word of their names."""


def reference() -> list[Results]:
    """The runs of the field in results/reference."""
    return [read(path.parent) for path in sorted(REFERENCE.glob("field_*/run.json"))]


def page(runs: Sequence[Results]) -> str:
    """The page's text."""
    lines = [HEAD, *in_short(runs), ""]
    for part in PARTS:
        own = runs_of(part, runs)
        lines += [f"## {part.title}", "", part.text, ""]
        for metric, heading in part.readings.items():
            lines += [f"### {heading}", "", *reading(part, own, metric), ""]
        if part is CLUSTERING:
            lines += [by_reading(own), ""]
        lines += [f"### Where each method wins in {part.title.lower()}", "", *wins(part, own), ""]
    return "\n".join([*lines[:-1], time_taken(runs), FOOT.lstrip()])


def in_short(runs: Sequence[Results]) -> Iterator[str]:
    """The first three methods of every reading, and where plain NMF stands."""
    for part in PARTS:
        for metric, heading in part.readings.items():
            scores = over_datasets(runs_of(part, runs), metric)
            order, means = friedman(scores.means, scores.labels).order, scores.averages
            shown = [f"{label} (mean rank {rank:.1f}, {means[label]:.1f} %)" for label, rank in order[:3]]
            place = [label for label, _ in order].index("NMF") + 1
            yield f"- **{part.title}, {heading[0].lower()}{heading[1:]}:** {', '.join(shown)};"
            yield f"  NMF is {place}th of {len(order)} ({means['NMF']:.1f} %)."


def runs_of(part: Part, runs: Sequence[Results]) -> list[Results]:
    """Those of a part."""
    return [each for each in runs if each.run.kind == part.kind]


def over_datasets(runs: Sequence[Results], metric: str) -> Scores:
    """Mean scores, a row for each dataset."""
    return of_runs([of_results(run, metric) for run in runs])


def time_taken(runs: Sequence[Results]) -> str:
    """What was run of every experiment, and the time of it."""
    rows = [
        ["experiment", "k or training images", "shared", "draws or splits", "trials", "minutes of a core"]
    ]
    total = 0.0
    for each in runs:
        options, trials = vars(each.run.protocol), [trial for trial in each.trials if trial.ok]
        seconds = math.fsum(trial.times.seconds or 0 for trial in trials if trial.times)
        varied, shared = ", ".join(map(str, options.get("clusters") or options["train"])), "–"
        if each.run.kind == CLUSTERING.kind:
            classes = each.run.dataset.classes
            varied += f" of {classes}"
            shared = ", ".join(f"{k * k / classes:.2g}" for k in options["clusters"])
        cells = [varied, shared, str(options["repeats"]), str(len(trials))]
        rows.append([each.run.spec.name, *cells, f"{seconds / 60:.1f}"])
        total += seconds
    environments = {
        made.processor for each in runs for made in (each.run.environment, *each.run.earlier_environments)
    }
    return TIME.format(
        rows="\n".join(markdown_lines(rows, 1)),
        trials=sum(int(row[-2]) for row in rows[1:]),
        hours=total / 3600,
        processors=", ".join(sorted(map(str, environments))),
    )


def reading(part: Part, runs: Sequence[Results], metric: str) -> Iterator[str]:
    """The means, the ranks and the pictures of one reading."""
    scores = over_datasets(runs, metric)
    test = friedman(scores.means, scores.labels)
    seconds, means, best = mean_seconds(runs, scores), scores.averages, scores.means.max(axis=1)
    rows = [["method", *scores.rows, "mean", "mean rank", "seconds"]]
    for label, rank in test.order:
        own = scores.means[:, scores.labels.index(label)]
        cells = [f"**{x:.1f}**" if x == top else f"{x:.1f}" for x, top in zip(own, best, strict=True)]
        rows.append([label, *cells, f"{means[label]:.1f}", f"{rank:.2f}", f"{seconds[label]:.3f}"])
    yield from markdown_lines(rows, 1)
    yield ""
    averaged = "k and draws" if part is CLUSTERING else "splits"
    yield f"{scores.metric.title} (%), mean over {averaged}; bold: the best on a dataset. Seconds:"
    yield f"{part.seconds};"
    yield "geometric mean over the datasets."
    yield f"Friedman: F = {test.f:.1f}, p = {test.p_f:.1g}. Methods whose mean ranks differ by less than"
    yield f"{test.critical_difference:.1f} are not told apart (Nemenyi, 0.05); with the best one these are"
    yield f"{', '.join(test.groups[0]) if test.groups else 'none'}."
    pairs = math.comb(len(means), 2)
    if (least := least_p(test.rows, pairs)) >= ALPHA:
        yield f"Nothing in the matrix of pairs can be bold: with {pairs} pairs on {test.rows} datasets"
        yield f"p (Wilcoxon, Holm) is {least:.2g} or more."
    yield f"Not beaten in both {scores.metric.title} and seconds: {', '.join(unbeaten(seconds, means))}."
    title = scores.metric.title
    for kind, alt in SHOWN.items():
        yield from ("", f"![{alt}, {title}](field/{kind}-{metric}.png)")


def by_reading(runs: Sequence[Results]) -> str:
    """The methods whose mean accuracy differs by more than ten points between the readings."""
    kmeans, largest = (over_datasets(runs, metric).averages for metric in CLUSTERING.readings)
    gaps = {label: abs(mean - largest[label]) for label, mean in kmeans.items()}
    order = sorted((label for label, gap in gaps.items() if gap > 10), key=gaps.__getitem__, reverse=True)
    named = ", ".join(f"{label} {kmeans[label]:.1f} and {largest[label]:.1f}" for label in order)
    return f"More than ten points apart by k-means and by the largest entry, on average: {named}."


def pictures(runs: Sequence[Results]) -> Iterator[Picture]:
    """Ranks, pairs and the Pareto front, for each reading."""
    columns = {column.label: column for run in runs for column in run.run.columns}
    looks = looks_of(columns.values())
    for part in PARTS:
        for metric in part.readings:
            own = runs_of(part, runs)
            scores = over_datasets(own, metric)
            title = scores.metric.title
            yield rank_diagram(metric, title, {"": friedman(scores.means, scores.labels)}, looks)
            yield pair_matrix(metric, scores.metric, pairwise(scores), scores.best_first)
            means, seconds = scores.averages, mean_seconds(own, scores)
            yield pareto(metric, scores.metric, seconds, means, looks, timed_by(own[0].run.protocol))


def mean_seconds(runs: Sequence[Results], scores: Scores) -> dict[str, float]:
    """Geometric mean over the runs of a fit's mean seconds, by method."""
    found = [fit_seconds(run) for run in runs if run.run.dataset.name in scores.rows]
    return {
        label: math.exp(math.fsum(math.log(each[label]) for each in found) / len(found))
        for label in scores.labels
    }


def wins(part: Part, runs: Sequence[Results]) -> Iterator[str]:
    """The best methods for every dataset (and k), by all readings."""
    rows = [["dataset", "k" if part is CLUSTERING else "training images", *part.readings.values()]]
    for run in runs:
        first, *others = [of_results(run, metric) for metric in part.readings]
        for row in first.rows:
            rows.append([run.run.dataset.name, row, *(best_two(each, row) for each in (first, *others))])
    yield from markdown_lines(rows, 1)


def best_two(scores: Scores, row: str) -> str:
    """The first and the second method of a row with their means, and all that are equal to them."""
    means = np.round(scores.means[scores.rows.index(row)], 9)
    best = -np.sort(-means)[:2]
    order = [i for i in np.argsort(-means, kind="stable") if means[i] in best]
    return ", ".join(f"{scores.labels[i]} {means[i]:.1f}" for i in order)


def headed(picture: Picture) -> Picture:
    """With what it shows of the whole field as its heading; a matrix of pairs keeps what its cells are."""
    kind = picture.name.partition("-")[0]
    cells = [picture.figure.get_suptitle()] if kind == "pairs" else []
    picture.figure.suptitle("\n".join([f"The field: {SHOWN[kind].lower()}", *cells]), fontsize="medium")
    return replace(picture, alt=f"The field: {picture.alt}")


def slimmed(path: Path) -> None:
    """A picture with a palette in the place of full colours: a matrix of pairs is a third as large."""
    with Image.open(path) as picture:
        # The other ways of Pillow's leave the rare colours of the bar out.
        method = Image.Quantize.MAXCOVERAGE
        small = picture.convert("RGB").quantize(256, method, dither=Image.Dither.NONE)
    small.save(path, optimize=True)


if __name__ == "__main__":
    from matplotlib import rc_context

    found = [read(Path(each)) for each in sys.argv[1:]] or reference()
    (DOCS / "field.md").write_text(page(found), encoding="utf-8")
    with drawing(), rc_context({"savefig.dpi": 100}):  # the matrix of 23 methods is large
        for picture in pictures(found):
            slimmed(headed(picture).write(DOCS / "field", "png"))
