"""Corel: 50 categories of about 100 images, each image a histogram of 500 visual words (CNMF)."""

from __future__ import annotations

from .definition import DatasetDefinition
from .sources import DataFile

DATASET = DatasetDefinition(
    name="corel",
    title="Corel images, 50 categories, 500 visual words",
    n_samples=4970,
    n_classes=50,
    # The sizes of the categories are not published; 4,970 / 50 is 99.4.
    class_sizes=(50, 150),
    sizes={"500": (None, 500)},
    sources=(
        DataFile(
            key="features",
            title="500-bin histograms of SIFT descriptors",
            stems={"500": "corel"},
            by_hand=(
                "the Corel images are sold, not published; from your own copy, one folder per category, run "
                "`nmfrepro data features IMAGES -o corel.npz --words 500` in the data directory"
            ),
        ),
    ),
    levels=None,
    default_scale=None,
    preprocessing="SIFT, k-means codebook of 500 words, frequency histogram, as Caltech-101 (CNMF)",
    credit="Corel image collection",
    licence="commercial; not redistributable",
)
