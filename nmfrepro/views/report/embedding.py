"""Pictures inside a page: as data URIs, within a number of bytes that is fixed beforehand."""

from __future__ import annotations

import base64
import io
import re
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from ... import protocols
from ...results.marks import FORMATS

if TYPE_CHECKING:
    from PIL.Image import Image

WIDTHS = (1400, 1000, 700, 500, 350)
"""Widths in pixels, the largest of which that is expected to fit a picture too large for its share gets."""
QUALITY, DPI = 80, 200
WIDE = 1500
"""Pictures of more pixels than this have several panels side by side."""
_DESCRIPTIONS = ("Description", "Title")
_SUBJECT = re.compile(rb"/Subject \(((?:\\.|[^\\)])*)\)", re.DOTALL)


@dataclass(frozen=True)
class EmbeddedPicture:
    """A picture of a results folder."""

    path: Path
    caption: str  # what it shows, as the file itself says, else the file's name in words
    uri: str  # the picture as a data URI; empty where it was left out
    size: tuple[int, int]  # width and height in pixels; zeros for a PDF as it is
    stale: bool = False  # whether it shows other rows or settings than the folder has now
    left_out: str = ""  # why the picture is not there; empty where it is

    @property
    def wide(self) -> bool:
        """Whether it needs the width of the page."""
        return self.size[0] > WIDE

    @property
    def framed(self) -> bool:
        """Whether it is a PDF as it is, which browsers show in a frame of their own."""
        return bool(self.uri) and self.size == (0, 0)


def pictures(
    folder: Path, limit: int, stale: Collection[Path] = (), title: str = ""
) -> tuple[EmbeddedPicture, ...]:
    """The pictures of a results folder, in alphabetical order of their names without the ending.

    Parameters
    ----------
    folder : Path
        Its ``figures/*.png`` are read, and each ``*.pdf`` of which there is no PNG.
    limit : int
        Bytes that each may take as a data URI.  A larger one is shrunk, and left out if that does not help.
    stale : collection of Path
        Those that show something else than the folder's rows.
    title : str
        What a caption need not begin with.
    """
    from PIL.Image import DecompressionBombError

    embedded = []
    for path in _paths(folder):
        try:
            read = _document if path.suffix == ".pdf" else _image
            description, uri, size = read(path.read_bytes(), limit)
            left_out = "" if uri else "too large for this page"
        except (OSError, SyntaxError, ValueError, DecompressionBombError):
            description, uri, size, left_out = "", "", (0, 0), "cannot be read"
        caption = " ".join(description.split()).removeprefix(title) or _words(path.stem)
        caption = caption[:1].upper() + caption[1:]
        embedded.append(EmbeddedPicture(path, caption, uri, size, path in stale, left_out))
    return tuple(embedded)


def share(folders: Iterable[Path], budget: int) -> int:
    """How large a data URI may be for the pictures of all folders to fit: what small ones leave is shared."""
    paths = [path for folder in folders for path in _paths(folder)]
    sizes = sorted(4 * path.stat().st_size // 3 + 100 for path in paths if path.is_file())
    for position, size in enumerate(sizes):
        if size > (equal := budget // (len(sizes) - position)):
            return equal
        budget -= size
    return max(sizes, default=0)


def _paths(folder: Path) -> list[Path]:
    paths: dict[str, Path] = {}
    for form in FORMATS:
        for path in (folder / "figures").glob(f"*.{form}"):
            paths.setdefault(path.stem, path)
    return [paths[stem] for stem in sorted(paths)]


def _words(stem: str) -> str:
    metrics = protocols.metrics()
    words = stem.replace("_", " ").replace("-", " ").split()
    return " ".join(metrics[word].title if word in metrics else word for word in words)


_Embedded = tuple[str, str, tuple[int, int]]
"""Description, data URI (empty where it is too large), and size."""


def _document(content: bytes, limit: int) -> _Embedded:
    """The first page of a PDF as a picture, or the PDF itself; matplotlib describes it in its subject."""
    if not content.startswith(b"%PDF-"):
        raise ValueError("no PDF")
    subject = _SUBJECT.search(content)
    text = re.sub(rb"\\(.)", rb"\1", subject[1], flags=re.DOTALL) if subject else b""
    description = (
        text[2:].decode("utf-16-be", "replace") if text[:2] == b"\xfe\xff" else text.decode("latin-1")
    )
    if find_spec("pypdfium2") is None:
        uri = _uri("application/pdf", content)
        return description, uri if len(uri) <= limit else "", (0, 0)
    import pypdfium2

    try:
        drawn = pypdfium2.PdfDocument(content)[0].render(scale=DPI / 72).to_pil()
    except pypdfium2.PdfiumError as error:
        raise ValueError(str(error)) from None
    stream = io.BytesIO()
    drawn.save(stream, "PNG")
    return description, _fitting(drawn, stream.getvalue(), limit), drawn.size


def _image(content: bytes, limit: int) -> _Embedded:
    from PIL import Image

    with Image.open(io.BytesIO(content), formats=["PNG"]) as image:
        if not content.endswith(b"IEND\xaeB`\x82"):
            image.load()  # cut short: what is left may do
        description = next((str(image.info[key]) for key in _DESCRIPTIONS if image.info.get(key)), "")
        return description, _fitting(image, content, limit), image.size


def _fitting(image: Image, png: bytes, limit: int) -> str:
    """The picture as it is, else at the first width that fits; nothing where none does."""
    uri = _uri("image/png", png)
    if len(uri) <= limit:
        return uri
    rgb = image.convert("RGBA" if "A" in image.getbands() or "transparency" in image.info else "RGB")
    most = image.width * (2 * limit / len(uri)) ** 0.5  # WebP takes half of what PNG does, if not less
    for width in dict.fromkeys(min(image.width, each) for each in WIDTHS):
        if width > most and width > WIDTHS[-1]:
            continue
        stream = io.BytesIO()
        small = rgb.resize((width, max(1, round(image.height * width / image.width))), reducing_gap=1.5)
        small.save(stream, "WEBP", quality=QUALITY, method=0)
        uri = _uri("image/webp", stream.getvalue())
        if len(uri) <= limit:
            return uri
        # Bytes grow more slowly than the area, so this leaves out no width that would have done.
        most = round(width * (limit / len(uri)) ** 0.5)
    return ""


def _uri(kind: str, content: bytes) -> str:
    return f"data:{kind};base64,{base64.b64encode(content).decode()}"
