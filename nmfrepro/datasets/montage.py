"""A picture of a dataset: a row of images for each class, so that one sees whether they stand upright."""

from __future__ import annotations

import math
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from ..core.errors import DataError, Setting
from .base import Dataset
from .sources import package_folder

if TYPE_CHECKING:
    from PIL.Image import Image

_TILE = 64  # pixels of the longer side of an image, at least
_GAP = 2
# Of the labels: pixels that they have at least, pixels of their letters, and how many of these are shown.
_MARGIN, _LETTERS, _MOST = 72, 11, 30


def montage(dataset: Dataset, classes: int = 10, per_class: int = 12) -> Image:
    """The first images of the first classes, the class's label at the left, cut if it is long.

    Parameters
    ----------
    dataset : Dataset
    classes, per_class : int
        The most rows and columns.

    Raises
    ------
    DataError
        If the samples are no pictures.
    """
    from PIL import Image, ImageDraw, ImageFont

    if dataset.image_shape is None:
        what = f"{dataset.called}: its samples are no pictures (or "
        raise DataError(what, Setting("image_shape"), " is not given)")
    classes = min(classes, len(dataset.classes))
    per_class = min(per_class, int(dataset.class_sizes[:classes].max()))
    rows, columns = dataset.image_shape
    zoom = max(1, round(_TILE / max(rows, columns)))
    height, width = rows * zoom + _GAP, columns * zoom + _GAP
    # Pillow's own font has no umlauts; matplotlib's, where its wheel is installed, has most alphabets.
    font = ImageFont.load_default(_LETTERS)
    with suppress(OSError):
        folder = (package_folder("matplotlib") or Path()) / "mpl-data" / "fonts" / "ttf"
        font = ImageFont.truetype(folder / "DejaVuSans.ttf", _LETTERS)
    labels = [" ".join(str(each).split()) for each in dataset.classes]
    labels = [each if len(each) <= _MOST else f"{each[:_MOST]}…" for each in labels]
    margin = max(_MARGIN, 8 + math.ceil(max(map(font.getlength, labels[:classes]))))
    whole = Image.new("L", (margin + per_class * width, classes * height + _GAP), 255)
    draw = ImageDraw.Draw(whole)
    low, high = _range(dataset)
    shown = np.full((classes, per_class, rows, columns), 255, dtype=np.uint8)
    for code in range(classes):
        draw.text((4, code * height + height // 2), labels[code], fill=0, font=font, anchor="lm")
        images = np.nan_to_num(dataset.X[dataset.y == code][:per_class].reshape(-1, rows, columns))
        shown[code, : len(images)] = np.rint(np.clip((images - low) / (high - low), 0, 1) * 255)
    tiles = shown.reshape(-1, rows, columns).repeat(zoom, axis=1).repeat(zoom, axis=2)
    whole.paste(Image.fromarray(sheet(tiles, per_class, _GAP, 255)), (margin, _GAP))
    return whole


def sheet(images: np.ndarray, across: int, gap: int, blank: float) -> np.ndarray:
    """Images, shape (n, rows, columns), side by side, `across` in a row.

    Between them are so many pixels of `gap`; there, and where nothing is, the sheet is `blank`.
    """
    count, rows, columns = images.shape
    down = -(-count // across)
    whole = np.full((down * (rows + gap) - gap, across * (columns + gap) - gap), blank, dtype=images.dtype)
    for i, image in enumerate(images):
        top, left = (i // across) * (rows + gap), (i % across) * (columns + gap)
        whole[top : top + rows, left : left + columns] = image
    return whole


def _range(dataset: Dataset) -> tuple[float, float]:
    """What is black and what is white; without a known range the dataset's own."""
    finite = dataset.X[np.isfinite(dataset.X)]
    low = min(0.0, float(finite.min(initial=0.0)))
    return low, dataset.levels or float(finite.max(initial=0.0)) or 1.0
