"""Which images a trial sees: random draws of classes and images, splits, labelled samples.

Every draw has its own random stream, named by the seed, the dataset and where the trial lies, never by the
method: all algorithms see the same images.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from ..algorithms import Algorithm
from ..core import seeds
from ..core.errors import Setting
from .base import Samples, require

LABELLED = "labelled images per class for semi-supervised methods: a count, or a share as 10%"


def draw_classes(
    samples: Samples, seed: int, dataset: str, k: int, *draw: int, stream: str = "draw", apart: ArrayLike = ()
) -> np.ndarray:
    """Indices of all images of k classes drawn at random, in dataset order.

    Seed, dataset, k and the numbers of the draw name its random stream.  Draws to choose parameters on have
    a `stream` of their own, and may have to keep `apart` from classes (their codes).
    """
    pool = np.setdiff1d(np.arange(samples.n_classes), apart)
    classes = seeds.stream(stream, seed, dataset, k, *draw).choice(pool, k, replace=False)
    return np.flatnonzero(np.isin(samples.y, classes))


def draw_images(
    samples: Samples, classes: int, images: int, seed: int, dataset: str, draw: int
) -> np.ndarray:
    """Indices of `images` random images of each of some classes drawn at random, in dataset order.

    Parameters
    ----------
    samples : Samples
    classes : int
        How many classes; the same draw as `draw_classes`.
    images : int
        How many images of each; 0 for all of them.
    seed, dataset, draw
        Name the streams.
    """
    members = draw_classes(samples, seed, dataset, classes, draw)
    if images == 0:
        return members
    stream = seeds.stream("images", seed, dataset, classes, images, draw)
    y = samples.y[members]
    chosen = [stream.choice(members[y == code], images, replace=False) for code in np.unique(y)]
    return np.sort(np.concatenate(chosen))


@dataclass(frozen=True)
class Split:
    """Indices of the training, validation and test images of one random split; in dataset order."""

    train: np.ndarray
    validation: np.ndarray
    test: np.ndarray


def draw_split(y: np.ndarray, train: int, validation: bool, *names: object) -> Split:
    """A random split within every class: `train` images to learn from, the others to test on.

    Parameters
    ----------
    y : ndarray of int, shape (n,)
        Class codes.
    train : int
        Training images per class.
    validation : bool
        Halve what is left of each class into validation and test; an odd image goes to the test.
    *names : object
        Name the stream.
    """
    stream = seeds.stream("split", *names)
    parts: tuple[list[np.ndarray], ...] = ([], [], [])
    for code in np.unique(y):
        members = stream.permutation(np.flatnonzero(y == code))
        second = train + (len(members) - train) // 2 if validation else train
        for part, piece in zip(parts, np.split(members, [train, second]), strict=True):
            part.append(piece)
    return Split(*(np.sort(np.concatenate(part)) for part in parts))


def check_share(labelled: str | int | None) -> None:
    """Raise `SpecError` unless labelled images are given as a count, or a share as "10%"."""
    if isinstance(labelled, str):
        share = labelled.removesuffix("%")
        valid = labelled.endswith("%") and share.isascii() and share.isdigit() and 0 < int(share) <= 100
        why = f" must be a count or a share such as 10%, at most 100%, not {labelled!r}"
        require(valid, Setting("labelled"), why)


def labelled_count(labelled: str | int | None, class_size: int) -> int:
    """Labelled images in a class of that size; of a share rounded half up, at least one.

    Errors as `check_share`.
    """
    check_share(labelled)
    if isinstance(labelled, str):
        return max(1, (class_size * int(labelled.removesuffix("%")) + 50) // 100)
    return labelled or 0


def check_labelled(labelled: str | int | None, algorithms: Sequence[Algorithm], smallest_class: int) -> None:
    """Raise `SpecError` unless labels are given if and only if some method takes them, and are there."""
    takers = [each.name for each in algorithms if each.needs_labels]
    if takers:
        what = (f"{takers[0]} is semi-supervised: give ", Setting("protocol.labelled"), " (10% or a count)")
        require(labelled is not None, *what, option=f"algorithms.{takers[0]}")
    else:
        require(labelled is None, Setting("labelled"), " is given, but no listed algorithm takes labels")
    count = labelled_count(labelled, smallest_class)
    why = f" has {count} of each class, but the smallest class has {smallest_class}"
    require(count <= smallest_class, Setting("labelled"), why)


def labelled_note(labelled: str | int | None) -> Iterator[str]:
    """The note under a table that says what labels were seen."""
    if labelled is not None:
        yield (
            f"Semi-supervised methods see the labels of {labelled} of each class; labelled samples are "
            "scored too."
        )


def draw_labels(y: np.ndarray, labelled: str | int | None, *names: object) -> np.ndarray:
    """Codes of the labelled images of a draw, −1 elsewhere.

    Parameters
    ----------
    y : ndarray of int, shape (n,)
        Class codes 0 … c−1 of the images drawn.
    labelled : str, int or None
        As in `labelled_count`.
    *names : object
        Name the stream.

    Raises
    ------
    SpecError
        If a class has fewer images.
    """
    stream = seeds.stream("labelled", *names)
    known = np.full(len(y), -1)
    for code in range(y.max() + 1):
        members = np.flatnonzero(y == code)
        count = labelled_count(labelled, len(members))
        why = f" has {count} of each class, but a class has {len(members)}"
        require(count <= len(members), Setting("labelled"), why)
        known[stream.choice(members, count, replace=False)] = code
    return known
