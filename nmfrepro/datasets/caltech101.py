"""Caltech-101: its ten largest categories, each image a histogram of 500 visual words.

Without the background and without Faces_easy (or without Faces: both hold 435 images), 3,044 images.
"""

from __future__ import annotations

from .definition import DatasetDefinition
from .sources import DataFile

# Category and number of images.
CATEGORIES = {
    "airplanes": 800,
    "Motorbikes": 798,
    "Faces": 435,
    "watch": 239,
    "Leopards": 200,
    "bonsai": 128,
    "car_side": 123,
    "ketch": 114,
    "chandelier": 107,
    "hawksbill": 100,
}

DATASET = DatasetDefinition(
    name="caltech101",
    title="Caltech-101, ten largest categories, 500 visual words",
    n_samples=sum(CATEGORIES.values()),
    n_classes=len(CATEGORIES),
    class_sizes=(min(CATEGORIES.values()), max(CATEGORIES.values())),
    sizes={"500": (None, 500)},
    sources=(
        DataFile(
            key="features",
            title="500-bin histograms of SIFT descriptors",
            stems={"500": "caltech101"},
            by_hand=(
                "download Caltech-101 from https://data.caltech.edu/records/mzrjq-6wc02, unpack it, and run "
                "in the data directory `nmfrepro data features 101_ObjectCategories -o caltech101.npz "
                "--words 500`"
            ),
        ),
    ),
    levels=None,
    default_scale=None,
    preprocessing="SIFT (555,292 descriptors), codebook of 500 words, frequency histogram (TNMF, CNMF)",
    credit="Caltech-101 (L. Fei-Fei, R. Fergus, P. Perona 2004)",
    licence="the terms of the CaltechDATA record; the features are made on your machine",
    folders=tuple(CATEGORIES),
)
