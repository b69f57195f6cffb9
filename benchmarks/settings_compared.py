"""Whether two ways of fitting lead to the same table: differences trial by trial, against their noise.

    python benchmarks/settings_compared.py results-a/orl_nlcf results-b/orl_nlcf

Both folders hold runs of one spec with different `fit` settings (``nmfrepro run … --set fit.inner=null``), so
their trials pair off: the same images, the same starts.  Shown for every method are the means of both over
all trials, the difference with its standard error over the pairs, and over the k of the table the largest
difference of means as a share of the standard deviation that the table prints beside it.
"""

from __future__ import annotations

from pathlib import Path

import click
import numpy as np
from timing import show

from nmfrepro.results import folder as store

METRICS = ("accuracy", "nmi", "sparseness")
NUMBERS = ("objective", *METRICS)
Trials = dict[tuple[str, int, int], dict[str, float]]


def read(folder: Path) -> Trials:
    """Objective and metrics by label, k and draw."""
    frame = store.read(folder).frame
    rows = frame[frame["status"] == "ok"].to_dict("records")
    return {
        (row["label"], int(row["k"]), int(row["draw"])): {name: float(row[name]) for name in NUMBERS}
        for row in rows
    }


def compare(first: Trials, second: Trials, label: str) -> list[list[str]]:
    """One row per metric of a method."""
    pairs = [key for key in first if key[0] == label and key in second]
    ks = np.array([k for _, k, _ in pairs])

    def values(trials: Trials, name: str) -> np.ndarray:
        return np.array([trials[key][name] for key in pairs])

    change = values(second, "objective") / values(first, "objective") - 1
    rows = []
    for name in METRICS:
        a, b = 100 * values(first, name), 100 * values(second, name)
        if np.isnan(a).any():
            continue
        difference = b - a
        shares = [
            abs(difference[ks == k].mean()) / a[ks == k].std(ddof=1)
            for k in np.unique(ks)
            if (ks == k).sum() > 1 and a[ks == k].std() > 0
        ]
        error = difference.std(ddof=1) / np.sqrt(len(pairs)) if len(pairs) > 1 else float("nan")
        rows.append(
            [
                label,
                name,
                f"{a.mean():.1f}",
                f"{b.mean():.1f}",
                f"{difference.mean():+.2f} ± {error:.2f}",
                f"{max(shares):.2f}" if shares else "",
                f"{100 * change.mean():+.2f} %" if name == METRICS[0] else "",
            ]
        )
    return rows


@click.command(help=__doc__)
@click.argument("first", type=click.Path(exists=True, path_type=Path))
@click.argument("second", type=click.Path(exists=True, path_type=Path))
def main(first: Path, second: Path) -> None:
    trials, others = read(first), read(second)
    labels = dict.fromkeys(label for label, _, _ in trials if any(key[0] == label for key in others))
    count = len(trials.keys() & others.keys())
    click.echo(f"{count} pairs of trials; accuracy, NMI and sparseness in %\n")
    head = ["method", "metric", "first", "second", "second − first", "largest share of std", "objective"]
    show(head, (row for label in labels for row in compare(trials, others, label)))


if __name__ == "__main__":
    main()
