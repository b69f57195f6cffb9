"""The text of a spec file: from a regular file of reasonable size, in UTF-8, without control characters."""

from __future__ import annotations

import codecs
import re
import stat
from pathlib import Path

from ..core.errors import SpecError
from .complaints import Place

MAX_BYTES = 1_000_000

_BREAK = re.compile("\r\n|[\n\r\x85\u2028\u2029]")
# What no text file holds; tab and line breaks are for the scanner to judge.
_CONTROL = re.compile("[^\t\n\r\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_MARKS = (
    (codecs.BOM_UTF32_LE, "UTF-32"),
    (codecs.BOM_UTF32_BE, "UTF-32"),
    (codecs.BOM_UTF16_LE, "UTF-16"),
    (codecs.BOM_UTF16_BE, "UTF-16"),
)


def read_bytes(path: Path) -> bytes:
    """The content of a regular file of at most `MAX_BYTES`.

    Raises
    ------
    SpecError
        For anything else: a directory, a pipe or device, a missing, unreadable or too large file.
    """
    try:
        mode = path.stat().st_mode
        if stat.S_ISDIR(mode):
            raise SpecError(f"{path}: is a directory; name a spec (a .yaml file)")
        # A pipe could block for ever, a device never end.
        if not stat.S_ISREG(mode):
            raise SpecError(f"{path}: is not a regular file; save the spec as a .yaml file")
        with path.open("rb") as file:
            data = file.read(MAX_BYTES + 1)
    except FileNotFoundError:
        raise SpecError(f"{path}: there is no such file") from None
    except OSError as error:
        raise SpecError(f"{path}: cannot be read ({error.strerror})") from None
    except ValueError:  # a null character in the name
        raise SpecError(f"{str(path)!r}: is not a possible file name") from None
    if len(data) > MAX_BYTES:
        raise SpecError(
            f"{path}: is larger than {MAX_BYTES // 1_000_000} MB, so it is no spec; check the name"
        )
    return data


def decode(data: bytes, source: str) -> str:
    """The text of a file in UTF-8, with or without a byte order mark.

    Raises
    ------
    SpecError
        For other encodings and control characters, with the place of the first.
    """
    for mark, encoding in _MARKS:
        if data.startswith(mark):
            raise SpecError(f"{Place(source, 1, 1)}: the file is in {encoding}; save it as UTF-8")
    data = data.removeprefix(codecs.BOM_UTF8)
    if b"\0" in data:
        place = _position(source, data[: data.index(b"\0")].decode("utf-8", "replace"))
        raise SpecError(f"{place}: a NUL byte: the file is damaged or in UTF-16; save it as UTF-8 text")
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        place = _position(source, data[: error.start].decode("utf-8"))
        byte = data[error.start]
        raise SpecError(
            f"{place}: byte 0x{byte:02x} is not UTF-8 (Latin-1 or another older encoding?); "
            "save the file as UTF-8"
        ) from None
    if control := _CONTROL.search(text):
        place = _position(source, text[: control.start()])
        raise SpecError(f"{place}: the control character {control.group()!r}; remove it")
    return text


def _position(source: str, before: str) -> Place:
    """The place after a piece of text that starts the file."""
    lines = _BREAK.split(before)
    return Place(source, len(lines), len(lines[-1]) + 1)
