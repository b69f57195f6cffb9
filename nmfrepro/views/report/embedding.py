"""Pictures inside a page: as data URIs, within a number of bytes that is fixed beforehand."""

from __future__ import annotations

import base64
import io
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from ... import protocols

if TYPE_CHECKING:
    from PIL.Image import Image

WIDTHS = (1400, 1000, 700, 500, 350)
"""Widths in pixels that a picture too large for its share is shrunk to, one after the other."""
QUALITY = 80
_DESCRIPTIONS = ("Description", "Title")


@dataclass(frozen=True)
class Picture:
    """A picture of a results folder.

    Attributes
    ----------
    name : str
        The file's name without its ending, in words, metrics as tables call them.
    path : Path
    description : str
        What it shows, as the file itself says; may be empty.
    uri : str
        The picture as a data URI; empty where it was left out.
    size : (width, height)
        In pixels.
    left_out : str
        Why the picture is not there; empty where it is.
    """

    name: str
    path: Path
    description: str
    uri: str
    size: tuple[int, int]
    left_out: str = ""


def pictures(folder: Path, budget: int) -> tuple[Picture, ...]:
    """The pictures of a results folder, in alphabetical order of their names without the ending.

    Parameters
    ----------
    folder : Path
        Its ``figures/*.png`` are read.
    budget : int
        Bytes that all of them together may take as data URIs.  Each may take an equal part of what is left;
        a larger one is shrunk, and left out where that does not help.
    """
    paths = sorted((folder / "figures").glob("*.png"), key=lambda path: path.stem)
    found = []
    for position, path in enumerate(paths):
        picture = _embed(path, budget // (len(paths) - position))
        budget -= len(picture.uri)
        found.append(picture)
    return tuple(found)


def _embed(path: Path, limit: int) -> Picture:
    from PIL import Image, UnidentifiedImageError

    name = _words(path.stem)
    try:
        content = path.read_bytes()
        with Image.open(io.BytesIO(content), formats=["PNG"]) as image:
            image.load()
            said = [str(image.info[key]) for key in _DESCRIPTIONS if image.info.get(key)]
            description = said[0] if said else ""
            for uri in _encodings(content, image, limit):
                if len(uri) <= limit:
                    return Picture(name, path, description, uri, image.size)
            return Picture(name, path, description, "", image.size, "too large for this page")
    except (UnidentifiedImageError, OSError, SyntaxError, ValueError, Image.DecompressionBombError):
        return Picture(name, path, "", "", (0, 0), "cannot be read")


def _words(stem: str) -> str:
    words = stem.replace("_", " ").replace("-", " ").split()
    known = protocols.metrics()
    name = " ".join(known[word].title if word in known else word for word in words)
    return name[:1].upper() + name[1:]


def _encodings(content: bytes, image: Image, limit: int) -> Iterator[str]:
    """The picture as it is, then smaller and smaller; a size that cannot do, by the last one, is left out."""
    yield _uri("png", content)
    rgb = image.convert("RGBA" if "A" in image.getbands() or "transparency" in image.info else "RGB")
    most = image.width  # the width that is expected to fit
    for width in dict.fromkeys(min(image.width, each) for each in WIDTHS):
        if width > most and width > WIDTHS[-1]:
            continue
        height = max(1, round(image.height * width / image.width))
        stream = io.BytesIO()
        small = rgb if width == image.width else rgb.resize((width, height), reducing_gap=1.5)
        small.save(stream, "WEBP", quality=QUALITY, method=0)
        uri = _uri("webp", stream.getvalue())
        yield uri
        # Bytes grow more slowly than the area, so this leaves out no width that would have done.
        most = round(width * (limit / len(uri)) ** 0.5)


def _uri(kind: str, content: bytes) -> str:
    return f"data:image/{kind};base64,{base64.b64encode(content).decode()}"
