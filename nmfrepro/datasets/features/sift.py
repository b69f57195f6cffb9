"""SIFT descriptors of image files, in threads: OpenCV works outside Python's lock."""

from __future__ import annotations

import importlib.util
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np

from ...core.errors import DataError
from ..formats.images import read_image, resized

DIMENSION = 128
# Larger images are brought down: SIFT's own memory grows with the image, and the papers' images are small.
MAX_SIDE = 1024


def require_opencv() -> str:
    """OpenCV's version.

    Raises
    ------
    DataError
        If it is not installed.
    """
    if importlib.util.find_spec("cv2") is None:
        raise DataError("SIFT needs OpenCV, which is not installed: pip install 'nmfrepro[features]'")
    import cv2

    return str(cv2.__version__)


def descriptors(paths: Sequence[Path], jobs: int) -> Iterator[np.ndarray]:
    """The SIFT descriptors of each image, in the order of `paths` whatever the number of jobs.

    Yields
    ------
    ndarray of uint8, shape (p, 128)
        p may be 0.  OpenCV's descriptors are whole numbers 0 … 255, so bytes lose nothing.

    Raises
    ------
    DataError
        If an image is damaged.
    """
    import cv2

    threads = cv2.getNumThreads()
    cv2.setNumThreads(1)
    batch = 16 * jobs

    def describe(path: Path) -> np.ndarray:
        picture = read_image(path)
        if (longest := max(picture.shape)) > MAX_SIDE:
            rows, columns = (max(1, round(side * MAX_SIDE / longest)) for side in picture.shape)
            picture = resized(picture, (rows, columns))
        _, found = cv2.SIFT.create().detectAndCompute(np.rint(picture).astype(np.uint8), None)
        return np.empty((0, DIMENSION), np.uint8) if found is None else np.rint(found).astype(np.uint8)

    try:
        with ThreadPoolExecutor(jobs) as pool:
            # In batches, so that finished descriptors never pile up.
            for start in range(0, len(paths), batch):
                yield from pool.map(describe, paths[start : start + batch])
    finally:
        cv2.setNumThreads(threads)
