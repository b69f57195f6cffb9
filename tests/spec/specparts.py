"""A valid spec in parts, to be changed line by line."""

from __future__ import annotations

from pathlib import Path

from nmfrepro.spec import Spec

PARTS = {
    "title": "title: NLCF on ORL",
    "dataset": "dataset: {name: orl, size: 32x32, scale: grey}",
    "protocol": "protocol: {kind: clustering, clusters: [2, 4], repeats: 3}",
    "fit": "fit: {restarts: 10, max_iter: 2000, tol: 0}",
    "algorithms": "algorithms: [kmeans, nmf, {name: nlcf, mu: 0.1}]",
    "seed": "seed: 2013",
}


def write(folder: Path, **changed: str | None) -> Path:
    """A valid spec in which some lines are replaced (None: left out) and others added at the end."""
    parts = PARTS | changed
    path = folder / "s.yaml"
    path.write_text("\n".join(part for part in parts.values() if part is not None) + "\n", encoding="utf-8")
    return path


def labels(spec: Spec) -> list[str]:
    """The names of its columns."""
    return [entry.label for entry in spec.entries]
