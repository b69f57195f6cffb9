"""Random streams named by what they are for.

Every random decision has its own stream, derived from a seed and a name.  No stream is shared, so a result
depends neither on the order of the work nor on how many workers do it.
"""

from __future__ import annotations

import hashlib

import numpy as np

from .errors import SpecError


def whole(
    value: object, name: str = "seed", low: int | None = None, more: str = "", option: str | None = None
) -> int:
    """A seed or a count as Python's int, so that equal numbers of any whole type name the same streams.

    `more` is what else the caller takes, for the message; `option` the setting that it is about.

    Raises
    ------
    SpecError
        For anything else: text, true or false, a number with a fraction or a point, None, one below `low`.
    """
    number = int(value) if isinstance(value, (int, np.integer)) and not isinstance(value, bool) else None
    if number is None or (low is not None and number < low):
        wanted = f"a whole number{'' if low is None else f' >= {low}'}{more}"
        raise SpecError(f"{name} must be {wanted}, not {value!r}", option=option)
    return number


def derive(*names: object) -> int:
    """A 63-bit seed for one purpose, from its name.

    Parameters
    ----------
    *names : object
        What the seed is for, outermost first: ``derive(2013, "orl", 8, 3)``.  Text, and whole numbers of
        any type.

    Returns
    -------
    int
        In [0, 2**63); it fits a CSV cell and a signed integer column.
    """
    parts = (f"str:{name}" if isinstance(name, str) else f"int:{whole(name)}" for name in names)
    text = "\x1f".join(parts)
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big") >> 1


def stream(*names: object) -> np.random.Generator:
    """The random stream of one purpose, as `derive` names it: ``stream(seed, "draw")``."""
    return np.random.default_rng(derive(*names))


def uniform(shape: tuple[int, ...], *names: object) -> np.ndarray:
    """Numbers uniform on (0, 1] from a named stream.

    Zero is excluded because a multiplicative update never leaves it.
    """
    return 1.0 - stream(*names).random(shape)
