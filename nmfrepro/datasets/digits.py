"""The 8x8 digits that scikit-learn carries: for quick trials, published nowhere in the five papers."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from .definition import DatasetDefinition, Reading, Shape, images
from .request import DatasetOptions
from .sources import Packaged

# SHA-256 of the 1,797 lines, each 64 pixels and the label, as bytes.
_KNOWN = "68aea062d35a127749050fa0e52dca09d6569ac08092c925610e0954e172dde2"


@dataclass(frozen=True)
class Bundled(Packaged):
    """scikit-learn's own copy."""

    def read(self, path: Path, image_shape: Shape, options: DatasetOptions) -> Reading:
        """All 1,797 digits, row by row."""
        import sklearn
        from sklearn.datasets import load_digits

        digits = load_digits()
        self.check(np.column_stack((digits.data, digits.target)), _KNOWN, "digits")
        return Reading(
            X=digits.data,
            labels=digits.target.astype("int64"),
            image_shape=image_shape,
            origin=f"digits of scikit-learn {sklearn.__version__}",
        )


DATASET = DatasetDefinition(
    name="digits",
    title="handwritten digits 8x8 (scikit-learn)",
    n_samples=1797,
    n_classes=10,
    class_sizes=(174, 183),
    sizes=images((8, 8)),
    sources=(Bundled(key="scikit-learn", title="carried by scikit-learn", package="scikit-learn==1.9.1"),),
    levels=16.0,
    default_scale="grey",
    preprocessing="none: not used in the papers, for trials in seconds",
    credit="E. Alpaydin, C. Kaynak: Optical Recognition of Handwritten Digits, UCI repository",
    licence="CC BY 4.0 (UCI Machine Learning Repository)",
    cites=("alpaydin1998digits",),
)
