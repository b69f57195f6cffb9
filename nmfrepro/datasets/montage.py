"""A picture of a dataset: a row of images for each class, so that one sees whether they stand upright."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ..core.errors import DataError, Setting
from .base import Dataset

if TYPE_CHECKING:
    from PIL.Image import Image

_TILE = 64  # pixels of the longer side of an image, at least
_GAP = 2
_MARGIN = 72


def montage(dataset: Dataset, classes: int = 10, per_class: int = 12) -> Image:
    """The first images of the first classes, the class's label at the left.

    Parameters
    ----------
    dataset : Dataset
    classes, per_class : int
        At most so many rows and columns.

    Raises
    ------
    DataError
        If the samples are no pictures.
    """
    from PIL import Image, ImageDraw

    if dataset.image_shape is None:
        raise DataError(
            f"{dataset.name}: its samples are no pictures (or ", Setting("image_shape"), " is not given)"
        )
    classes = min(classes, len(dataset.classes))
    per_class = min(per_class, int(dataset.class_sizes[:classes].max()))
    rows, columns = dataset.image_shape
    zoom = max(1, round(_TILE / max(rows, columns)))
    height, width = rows * zoom + _GAP, columns * zoom + _GAP
    sheet = Image.new("L", (_MARGIN + per_class * width, classes * height + _GAP), 255)
    draw = ImageDraw.Draw(sheet)
    low, high = _range(dataset)
    for code in range(classes):
        draw.text((4, code * height + height // 2 - 6), str(dataset.classes[code])[:11], fill=0)
        for column, index in enumerate(np.flatnonzero(dataset.y == code)[:per_class]):
            image = np.nan_to_num(dataset.X[index].reshape(rows, columns))
            grey = np.rint(np.clip((image - low) / (high - low), 0, 1) * 255).astype(np.uint8)
            tile = Image.fromarray(grey.repeat(zoom, axis=0).repeat(zoom, axis=1))
            sheet.paste(tile, (_MARGIN + column * width, code * height + _GAP))
    return sheet


def _range(dataset: Dataset) -> tuple[float, float]:
    """What is black and what is white; without a known range the dataset's own."""
    finite = dataset.X[np.isfinite(dataset.X)]
    low = min(0.0, float(finite.min(initial=0.0)))
    return low, dataset.levels or float(finite.max(initial=0.0)) or 1.0
