"""All pictures of a run, to look into, and a run to draw."""

import itertools
from dataclasses import replace

from handmade import with_columns

from nmfrepro.views.plots import pictures
from nmfrepro.views.plots.run import PlottedRun
from nmfrepro.views.plots.style import drawing


def scores(label, cell):
    base = {"NMF": 0.7, "NLCF": 0.8, "Kmeans": 0.6}[label]
    return {"accuracy": base - 0.004 * cell["k"] + 0.01 * cell["draw"], "nmi": base + 0.01 * cell["draw"]}


THREE = (("NMF", "nmf"), ("NLCF", "nlcf"), ("Kmeans", "kmeans"))


def all_pictures(results, **options):
    with drawing():
        return {picture.name: picture for picture in pictures(PlottedRun(results, **options))}


def curve(panel, label):
    """Points of the curve with a label."""
    container = next(c for c in panel.containers if c.get_label() == label)
    return container.lines[0].get_xydata()


def with_sweeps(results, *sweeps):
    """The results with columns that are points of sweeps, each a mapping of parameters, or empty."""
    pairs = zip(results.run.columns, sweeps, strict=True)
    columns = tuple(replace(column, parameters=dict(sweep), sweep=dict(sweep)) for column, sweep in pairs)
    return replace(results, run=with_columns(results.run, columns))


def crowded(figure, words):
    """Texts that stand on another or leave the figure."""
    boxes = {each: each.get_window_extent().padded(-1) for each in words if each.get_text()}
    right, top = figure.bbox.size
    outside = [each for each, box in boxes.items() if min(box.x0, box.y0, right - box.x1, top - box.y1) < -1]
    pairs = itertools.combinations(boxes, 2)
    return [each.get_text() for each in outside] + [
        (a.get_text(), b.get_text()) for a, b in pairs if boxes[a].overlaps(boxes[b])
    ]
