"""Folders of images, one sub-folder per class, in natural order whatever the system."""

from __future__ import annotations

import fnmatch
import os
from collections.abc import Sequence
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from ...core.errors import DataError, Setting
from ...core.problem import Shape
from ...core.terminal import counted
from ..definition import Reading
from ..labels import natural_key
from .guard import regular_file
from .pgm import parse_pgm
from .quarantine import guarded

if TYPE_CHECKING:
    from PIL.Image import Image

# How the name of an image ends, in small letters or capitals.
SUFFIXES = (".pgm", ".ppm", ".pbm", ".pnm", ".png", ".jpg", ".jpeg", ".bmp", ".tif", ".tiff", ".gif")
# What Pillow may open, whatever the name says: others start programs, or follow references to other files.
FORMATS = ("PNG", "JPEG", "PPM", "TIFF", "BMP", "GIF")
_SHOWN = 5
# Folders of desktops, archives and file servers, besides those whose name starts with a point.
_SYSTEM_FOLDERS = frozenset(("__MACOSX", "@eaDir", "$RECYCLE.BIN", "System Volume Information"))
_ENOUGH = 4  # newline bytes: that each follows a 13 by chance is one in 256^4
_ORIENTATION = 0x0112  # the tag of EXIF
_BITS, _WHITE = 258, 262  # tags of TIFF: bits of a level; 0 where 0 is white
_TURNED = "turned upright, as their orientation tag says"
_TRANSPARENT = "have transparent pixels, whose own colours are taken"
_COLOUR = "are in colour, taken as grey by 0.299 R + 0.587 G + 0.114 B (ITU-R 601)"
_DEEP = "have levels of 16 bits, the others of 8; each level is taken as a share of its own range"
_FRAMES = "hold further frames, of which the first is taken"


def list_folder(folder: Path, exclude: str | None = None) -> tuple[list[Path], list[str]]:
    """The images below a folder in natural order, and the names of the files passed over.

    An image's class is the name of the folder it lies in.

    Parameters
    ----------
    folder : Path
        Has one sub-folder per class.
    exclude : str or None
        A pattern of paths relative to the folder, as "*/Ambient.pgm".

    Raises
    ------
    DataError
        If the folder holds no class folders with images.
    """
    found: list[Path] = []
    passed: list[str] = []
    for entry in _entries(folder):
        if not entry.is_dir() or entry.name.startswith(".") or entry.name in _SYSTEM_FOLDERS:
            passed.append(f"{entry.name}/" if entry.is_dir() else entry.name)
            continue
        inside = _entries(entry)
        passed += [] if inside else [f"{entry.name}/ (an empty class folder)"]
        for path in inside:
            if (exclude and fnmatch.fnmatch(within(path), exclude)) or not _is_image(path):
                passed.append(within(path))
            else:
                found.append(path)
    if not found:
        below = (path.relative_to(folder) for path in folder.rglob("*") if _is_image(path))
        elsewhere = sorted(path for path in below if not any(part.startswith(".") for part in path.parts))
        hint = ""
        if elsewhere:
            where = elsewhere[0].as_posix()
            hint = f"; images lie elsewhere, as {where}: name the folder that has one for each class"
        raise DataError(f"{folder} holds no sub-folders with images ({', '.join(SUFFIXES)}){hint}")
    return found, passed


def within(path: Path) -> str:
    """How messages name an image of a folder: "s1/2.pgm"."""
    return "/".join(path.parts[-2:])


def _entries(folder: Path) -> list[Path]:
    try:
        return sorted(folder.iterdir(), key=lambda entry: natural_key(entry.name))
    except OSError as error:
        raise DataError(f"{folder} cannot be read: {error.strerror}") from None


def _is_image(path: Path) -> bool:
    return path.suffix.lower() in SUFFIXES and not path.name.startswith(".") and path.is_file()


def read_folder(folder: Path, resize: Shape = None, exclude: str | None = None) -> Reading:
    """Read a folder of images, one sub-folder per class, on the scale 0 … 255.

    Parameters
    ----------
    folder : Path
    resize : (rows, columns) or None
        The size all images are brought to; None takes them as they are.
    exclude
        See `list_folder`.

    Raises
    ------
    DataError
        For an image that is damaged, or of another size than the others while `resize` is None.
    """
    files, passed = list_folder(folder, exclude)
    pictures: list[np.ndarray] = []
    remarked: dict[str, list[str]] = {}
    shapes = set()
    for file in files:
        picture, remarks = guarded(_decode, file)
        shapes.add(picture.shape)
        if resize is None and len(shapes) > 1:
            other, first = ("x".join(map(str, each.shape)) for each in (picture, pictures[0]))
            what = f"{file} is {other}, the images before it {first}; leave it out with "
            raise DataError(what, Setting("exclude"), ", or resize all with ", Setting("size"))
        for remark in remarks:
            remarked.setdefault(remark, []).append(within(file))
        pictures.append(picture if resize in (None, picture.shape) else resized(picture, resize))
    X = np.stack(pictures)
    notes = [f"{counted(len(passed), 'other file')} passed over: {_some(passed)}"] if passed else []
    if len(remarked.get(_DEEP, ())) == len(files):
        del remarked[_DEEP]
    for remark, names in remarked.items():
        notes.append(f"{len(names)} of {len(files)} images {remark}: {_some(names)}")
    return Reading(
        X=X.reshape(len(X), -1),
        labels=np.array([file.parent.name for file in files]),
        image_shape=X.shape[1:],
        levels=255.0,
        origin=f"images of the folder {os.path.basename(os.path.abspath(folder))}, {sizing(shapes, resize)}",
        notes=tuple(notes),
        files=tuple(map(within, files)),
    )


def _some(names: Sequence[str]) -> str:
    return ", ".join(names[:_SHOWN]) + (f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else "")


def sizing(shapes: set[tuple[int, ...]], resize: Shape) -> str:
    """How pictures of some (rows, columns) were brought to one size, for an origin."""
    if resize is None or shapes == {resize}:
        return "as they are"
    import PIL

    before = "x".join(map(str, next(iter(shapes)))) if len(shapes) == 1 else f"{len(shapes)} different sizes"
    return f"resized from {before} to {resize[0]}x{resize[1]} (Pillow {PIL.__version__}, bicubic, rounded)"


def resized(picture: np.ndarray, shape: tuple[int, int]) -> np.ndarray:
    """A picture (0 … 255) brought to (rows, columns), in whole grey levels.

    By Pillow's antialiased bicubic filter, which is also the default of MATLAB's imresize.
    """
    from PIL import Image

    image = Image.fromarray(np.rint(picture).astype(np.uint8))
    small = image.resize((shape[1], shape[0]), Image.Resampling.BICUBIC)
    return np.asarray(small, dtype=np.float64)


def read_image(path: Path) -> np.ndarray:
    """The grey levels of one image on the scale 0 … 255, float64 of shape (rows, columns).

    Colour becomes grey by Pillow's weights (ITU-R 601); 16-bit images are scaled, not clipped; photographs
    are turned as their orientation tag says.

    Raises
    ------
    DataError
        If it is damaged, too large, or of a kind with no defined grey range.
    """
    return guarded(_decode, path)[0]


def _decode(path: Path) -> tuple[np.ndarray, tuple[str, ...]]:
    """The grey levels, and what a reader of a table must be told of them."""
    data = regular_file(path).read_bytes()
    if data.startswith((b"P2", b"P5")):
        return parse_pgm(path, data), ()
    plain = data.startswith((b"P1", b"P3"))  # text, with line breaks of any system
    if not plain and data.count(b"\n") == data.count(b"\r\n") >= _ENOUGH:  # which still opens, and is sheared
        what = "went through a text-mode conversion (13 10 in place of 10)"
        raise DataError(f"{path} {what}; copy or fetch it again as a binary file")
    from PIL import Image, ImageOps, UnidentifiedImageError

    try:
        image = Image.open(BytesIO(data), formats=FORMATS)
    except UnidentifiedImageError:
        what = f"is a damaged image, or of a kind that is not read (only {', '.join(FORMATS)} are)"
        raise DataError(f"{path} {what}; copy it again or take it out of the folder") from None
    # Pillow would fill the rest with zeros, however large a damaged header makes the screen.
    if image.format == "GIF" and [tile[1] for tile in image.tile] != [(0, 0, *image.size)]:
        size = "x".join(map(str, image.size[::-1]))
        raise DataError(f"{path}: its picture does not fill the {size} pixels it states; save it again whole")
    # Pillow hands levels of 12 bits, and 16-bit ones in which 0 is white, over as they are stored.
    tags = getattr(image, "tag_v2", {})
    if image.mode.startswith("I;16") and (tags.get(_BITS, (16,)), tags.get(_WHITE, 1)) != ((16,), 1):
        what = "has levels of 12 bits, or levels in which 0 is white"
        raise DataError(f"{path} {what}; save it as 8- or 16-bit grey in which 0 is black")
    remarks = []
    if getattr(image, "n_frames", 1) > 1:
        remarks.append(_FRAMES)
    if image.getexif().get(_ORIENTATION, 1) in range(2, 9):
        remarks.append(_TURNED)
    if image.has_transparency_data and image.convert("RGBA").getchannel("A").getextrema() != (255, 255):
        remarks.append(_TRANSPARENT)
    if image.mode.startswith("I;16"):
        remarks.append(_DEEP)
    picture, coloured = _grey(ImageOps.exif_transpose(image), path)
    if coloured:
        remarks.append(_COLOUR)
    return picture, tuple(remarks)


def _grey(image: Image, path: Path) -> tuple[np.ndarray, bool]:
    """The grey levels, and whether they were colours: those of many grey images are stored as three."""
    if image.mode.startswith("I;16"):
        return np.asarray(image).astype(np.float64) * 255.0 / 65535.0, False
    if image.mode in ("I", "F"):
        raise DataError(f"{path} has {image.mode!r} pixels of unknown range; save it as 8- or 16-bit grey")
    # A palette's or transparent image's own colours first, then its grey levels.
    colour = image.convert("RGB") if image.mode in ("P", "PA", "RGBA", "LA", "CMYK") else image
    levels = np.asarray(colour.convert("L"))
    coloured = colour.mode not in ("1", "L") and bool((np.asarray(colour) != levels[..., None]).any())
    return levels.astype(np.float64), coloured
