"""From a folder of images to histograms of visual words, as the papers used for Caltech-101 and Corel."""

from __future__ import annotations

import tempfile
from pathlib import Path

import numpy as np

from ...core.errors import DataError
from ..definition import DatasetDefinition, Reading
from ..formats.images import list_folder, within
from .codebook import count_words, learn_codebook
from .sift import DIMENSION, descriptors, require_opencv


def select(folder: Path, definition: DatasetDefinition | None, exclude: str | None) -> list[Path]:
    """The images features are made of: all sub-folders, or those the dataset is defined by.

    Raises
    ------
    DataError
        If the folder does not hold what the dataset is defined by.
    """
    files, _ = list_folder(folder, exclude)
    if definition is None:
        return files
    there = {file.parent.name for file in files}
    if lacking := [name for name in definition.folders if name not in there]:
        which = f"{', '.join(lacking)}, which {definition.name} is made of"
        raise DataError(f"{folder} has no images of {which}; name the folder that holds the categories")
    classes = definition.folders or there
    files = [file for file in files if file.parent.name in classes]
    if (len(files), len(classes)) != (definition.n_samples, definition.n_classes):
        has = f"{definition.name} has {definition.n_samples} in {definition.n_classes}"
        found = f"{folder} holds {len(files)} images in {len(classes)} folders; {has}"
        raise DataError(f"{found}; write to another name to use them anyway")
    return files


def build_features(files: list[Path], name: str, *, words: int, seed: int, jobs: int) -> Reading:
    """Histograms of visual words.

    Descriptors lie in a temporary file on disk (128 bytes each), so memory stays bounded whatever
    their number.

    Parameters
    ----------
    files : list of Path
    name : str
        The dataset's name, recorded in the result.
    words : int
        Size of the codebook.
    seed : int
    jobs : int
        Threads; the result does not depend on it.

    Returns
    -------
    Reading
        Whole counts; an image without descriptors is a row of zeros, and noted.

    Raises
    ------
    DataError
        If OpenCV is not installed, an image is damaged, or there are too few descriptors.
    """
    import sklearn
    from tqdm import tqdm

    opencv = require_opencv()
    lengths = np.zeros(len(files), dtype=np.int64)
    with tempfile.TemporaryFile() as spool:
        found = descriptors(files, jobs)
        for i, each in enumerate(tqdm(found, "SIFT", len(files), unit="image", leave=False, disable=None)):
            lengths[i] = len(each)
            spool.write(each.tobytes())
        spool.flush()
        total = int(lengths.sum())
        if total < words:
            raise DataError(f"the images have {total} SIFT descriptors, too few for {words} words; give more")
        stored = np.memmap(spool, np.uint8, "r", shape=(total, DIMENSION))
        histograms = count_words(stored, lengths, learn_codebook(stored, words, seed))
        del stored
    bare = [within(files[i]) for i in np.flatnonzero(lengths == 0)]
    note = f"{len(bare)} of {len(files)} images have no SIFT descriptors: {', '.join(bare[:10])}"
    return Reading(
        X=histograms,
        labels=np.array([file.parent.name for file in files]),
        image_shape=None,
        name=name,
        source="features",
        origin=(
            f"{total:,} SIFT descriptors of {len(files):,} images (OpenCV {opencv}), codebook of {words} "
            f"words by mini-batch k-means (scikit-learn {sklearn.__version__}, seed {seed}), word counts"
        ),
        notes=(note,) if bare else (),
    )
