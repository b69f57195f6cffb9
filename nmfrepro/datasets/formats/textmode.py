"""Binary files that went through a text-mode conversion: every newline byte, 10, became 13 10.

Copying programs and version control do that to files they take for text.  All behind the first such byte is
shifted, so that a picture still opens, and is sheared.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from ...core.errors import DataError

T = TypeVar("T")

PAIR = b"\r\n"
_ENOUGH = 4  # newline bytes: that each follows a 13 by chance is one in 256^4


def restored(data: bytes, true_pair: int | None = None) -> bytes:
    """The bytes before the conversion: every 13 10 is a 10 again.

    Parameters
    ----------
    data : bytes
        The converted file.
    true_pair : int or None
        Which 13 10, counted from 0, was there before and stays.
    """
    parts = data.split(PAIR)
    if true_pair is None:
        return b"\n".join(parts)
    return PAIR.join((b"\n".join(parts[: true_pair + 1]), b"\n".join(parts[true_pair + 1 :])))


def converted(data: bytes) -> bool:
    """Whether every newline byte of a binary file follows a 13, and there are several."""
    return data.count(b"\n") == data.count(PAIR) >= _ENOUGH


def explained(read: Callable[[Path], T], path: Path) -> T:
    """`read(path)`; where it fails and a conversion explains that, the error says so."""
    try:
        return read(path)
    except Exception:
        if converted(path.read_bytes()):
            raise conversion_error(path) from None
        raise


def conversion_error(path: Path, certain: bool = False) -> DataError:
    """The error for a converted file; `certain` where it is known what it was before."""
    doubt = "" if certain else "; that cannot be undone with certainty"
    remedy = ", or restore the folder with `nmfrepro data import`" if certain else ""
    return DataError(
        f"{path} went through a text-mode conversion (13 10 in place of 10, or the reverse){doubt}; copy or "
        f"fetch it again as a binary file{remedy}"
    )
