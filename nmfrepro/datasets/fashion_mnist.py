"""Fashion-MNIST: 70,000 pictures of clothes, in the form of MNIST; used in none of the five papers.

Found where Debian's package dataset-fashion-mnist puts it, without being asked for.
"""

from __future__ import annotations

from .definition import DatasetDefinition, images
from .idxfiles import IdxFiles

DATASET = DatasetDefinition(
    name="fashion_mnist",
    title="Fashion-MNIST, 70,000 pictures of clothes",
    n_samples=70_000,
    n_classes=10,
    class_sizes=(7_000, 7_000),
    sizes=images((28, 28)),
    sources=(
        IdxFiles(
            key="idx",
            title="the IDX files of train and test",
            by_hand="apt-get install dataset-fashion-mnist, or IDX files in DATA/fashion-mnist",
            folders=("fashion-mnist", "/usr/share/datasets/fashion-mnist"),
            class_sizes={"train": (6_000,) * 10, "t10k": (1_000,) * 10},
            sha256={
                "train": "16d82e2b505296aa2b78bd5ea0992634f30419a4c97def7c907d154a35ac6157",
                "t10k": "9f1ec356a747bfe4ebab3cfb722d3694c9ca737e2570f6f90cf31d7b6fd689d4",
            },
        ),
    ),
    levels=255.0,
    default_scale="grey",
    preprocessing="28x28 grey levels, as published: not used in the papers",
    credit="Fashion-MNIST (H. Xiao, K. Rasul, R. Vollgraf; Zalando SE)",
    licence="MIT",
)
