"""Binary files that went through a text-mode conversion: every newline byte, 10, became 13 10."""

from __future__ import annotations

PAIR = b"\r\n"


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
