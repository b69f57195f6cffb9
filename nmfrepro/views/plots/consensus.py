"""How often restarts put two samples together, for every number of components: consensus matrices."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from ...protocols.rank import consensus
from ...results.folder import Results
from ...results.record import TrialRecord
from .picture import Picture, panels, text, unique_slugs
from .run import PlottedRun


def pictures(run: PlottedRun) -> Iterator[Picture]:
    """One for each method of a rank run: a matrix for every k, of the first draw.

    Yields
    ------
    Picture
        "consensus-nmf": samples in the order of average linkage, their cophenetic correlation above.

    Raises
    ------
    ResultsError
        If stored clusters are missing or damaged.
    """
    for (label, trials), name in zip(run.fitted.items(), unique_slugs(run.fitted), strict=True):
        if trials:
            first = min(trial.coordinates["draw"] for trial in trials)
            shown = [trial for trial in trials if trial.coordinates["draw"] == first]
            yield _matrices(run.results, label, f"consensus-{name}", shown)


def _matrices(results: Results, label: str, name: str, trials: list[TrialRecord]) -> Picture:
    figure, axes = panels(len(trials), 1.45, 1.6, across=4)
    for panel, trial in zip(axes, trials, strict=True):
        agreed = consensus(results.arrays(trial)["clusters"])
        order = by_linkage(agreed)
        shares = agreed[np.ix_(order, order)]
        image = panel.imshow(shares, cmap="Blues", vmin=0, vmax=1, interpolation="nearest")
        panel.set(xticks=[], yticks=[])
        panel.grid(False)
        panel.spines[:].set_visible(False)
        value = trial.value("cophenetic")
        shown = "–" if math.isnan(value) else f"{value:.2f}"
        panel.set_title(f"k = {trial.coordinates['k']} ({shown})", fontsize="medium")
    bar = figure.colorbar(image, ax=axes, aspect=30)
    bar.set_label("Share of starts\nthat put two\nsamples together")
    bar.outline.set_visible(False)
    figure.suptitle(text(f"{label}: consensus of restarts (cophenetic correlation)"))
    alt = f"consensus matrix of {label} for every k, with its cophenetic correlation"
    return Picture(name, alt, figure)


def by_linkage(agreed: np.ndarray) -> np.ndarray:
    """The samples of a consensus matrix (n, n) as average linkage of 1 − consensus has its leaves, (n,)."""
    from scipy.cluster.hierarchy import leaves_list, linkage
    from scipy.spatial.distance import squareform

    return leaves_list(linkage(squareform(1 - agreed, checks=False), "average"))
