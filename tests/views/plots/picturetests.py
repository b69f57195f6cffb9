"""All pictures of a run, to look into, and a run to draw."""

from nmfrepro.views.plots import pictures
from nmfrepro.views.plots.style import drawing


def scores(label, cell):
    base = {"NMF": 0.7, "NLCF": 0.8, "Kmeans": 0.6}[label]
    return {"accuracy": base - 0.004 * cell["k"] + 0.01 * cell["draw"], "nmi": base + 0.01 * cell["draw"]}


THREE = (("NMF", "nmf"), ("NLCF", "nlcf"), ("Kmeans", "kmeans"))


def all_pictures(results, **options):
    with drawing():
        return {picture.name: picture for picture in pictures(results, **options)}


def curve(panel, label):
    """Points of the curve with a label."""
    container = next(c for c in panel.containers if c.get_label() == label)
    return container.lines[0].get_xydata()
