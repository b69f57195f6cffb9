"""180 points of four Gaussians in the plane, as in Fig. 4 of the NLCF paper; generated, nothing is read."""

from __future__ import annotations

import numpy as np

from ..core import seeds
from .definition import DatasetDefinition, Made, Reading

CENTRES = ((2.0, 6.5), (6.0, 8.0), (7.5, 2.5), (3.5, 2.0))
SPREAD = 0.6
POINTS = 45
SEED = 2013


def points() -> Reading:
    """The same points on every machine, from a named random stream; none lies below zero."""
    noise = seeds.stream("gaussians", SEED).normal(scale=SPREAD, size=(len(CENTRES), POINTS, 2))
    return Reading(
        X=np.maximum(np.array(CENTRES)[:, None] + noise, 0).reshape(-1, 2),
        labels=np.repeat(np.arange(len(CENTRES)), POINTS),
        image_shape=None,
        origin=f"generated from seed {SEED}: {POINTS} points around each of {len(CENTRES)} centres",
    )


DATASET = DatasetDefinition(
    name="gaussians",
    title="points of four Gaussians in the plane (generated)",
    n_samples=POINTS * len(CENTRES),
    n_classes=len(CENTRES),
    class_sizes=(POINTS, POINTS),
    sizes={"2": (None, 2)},
    sources=(Made("generated", "generated from a fixed seed", make=points),),
    levels=None,
    default_scale="none",
    preprocessing="the paper states neither means nor covariances: centres and a spread like its picture's",
    credit="",
    licence="none needed",
    cites=("chen2013nlcf",),
)
