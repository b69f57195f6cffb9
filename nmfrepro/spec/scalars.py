"""What a plain word of a spec means: a number as people write it, true, false, nothing, or text.

YAML 1.1 reads `1e-5` as text, `off` as false, `010` as eight and `1:30` as ninety.  Here the first two are
what they look like, and the last two are refused, since nobody can tell what was meant.
"""

from __future__ import annotations

import re
import unicodedata

from ..core.errors import SpecError

Value = str | int | float | bool | None

_CONSTANTS: dict[str, bool | None] = {"null": None, "true": True, "false": False}
_WORDS = {"": None, "~": None} | {
    form: value for word, value in _CONSTANTS.items() for form in (word, word.capitalize(), word.upper())
}
_UNSEEN = {"Cc", "Cs", "Zl", "Zp"}
_WHOLE = re.compile(r"[-+]?[0-9]+")
DECIMAL = re.compile(r"[-+]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][-+]?[0-9]+)?")
# What looks like a number and is none that can be relied on, with what to do.
_AMBIGUOUS = (
    (r"[-+]?[0-9]+(:[0-9]+)+(\.[0-9]*)?", "could be a time or a number in base 60; quote it if it is text"),
    (r"[-+]?0[xob][0-9a-fA-F]+", "is not a decimal number; write it in decimal, or quote it"),
    (r"[-+]?\.(inf|Inf|INF|nan|NaN|NAN)", "is not a finite number; quote it if it is text"),
    (rf"(?=[-+]?0[0-9]){DECIMAL.pattern}", "has a leading zero; drop it, or quote it if it is text"),
    # Whole numbers stay within 64 bits wherever they end up.
    (r"[-+]?[0-9]{19,}", "is too large; quote it if it is text"),
)
# Longer than any number worth writing; Python's own limit on digits is never met.
_MAX_NUMBER = 400


def resolve(text: str) -> Value:
    """The value of an unquoted scalar.

    Parameters
    ----------
    text : str
        As written, without surrounding spaces.

    Returns
    -------
    str, int, float, bool or None
        ``1``, ``-3`` and ``+5`` are whole; ``0.1``, ``.5``, ``1e-5``, ``1E-04`` and ``1e2`` are decimal;
        ``true``, ``false``, ``null``, ``~`` and nothing have their YAML 1.2 meaning; all else is text, so
        ``on``, ``no``, ``None``, ``nan`` and ``1_0`` are.

    Raises
    ------
    SpecError
        For a number that YAML's versions read differently (``010``, ``1:30``, ``0x1F``), one that is not
        finite or cannot be stored.
    """
    if text in _WORDS:
        return _WORDS[text]
    if len(text) > _MAX_NUMBER:
        if DECIMAL.fullmatch(text):
            raise SpecError("a number with this many digits cannot be stored; quote it if it is text")
        return text
    for pattern, what in _AMBIGUOUS:
        if re.fullmatch(pattern, text):
            raise SpecError(f"{text} {what}: '{text}'")
    if _WHOLE.fullmatch(text):
        return int(text)
    return _decimal(text) if DECIMAL.fullmatch(text) else text


def check_visible(value: Value) -> Value:
    """Return `value` unless it is text with characters that no name, title or path has.

    Raises
    ------
    SpecError
        For control characters, line breaks, surrogates and code points that are no characters.
    """
    for character in value if isinstance(value, str) else "":
        if unicodedata.category(character) in _UNSEEN or ord(character) & 0xFFFE == 0xFFFE:
            how = "write it on one line, without tabs, and paths in single quotes or with /"
            raise SpecError(f"the text holds the control character {character!r}; {how}")
    return value


def _decimal(text: str) -> float:
    number = float(text)
    if number in (float("inf"), float("-inf")):
        raise SpecError(f"{text} is too large to be stored")
    if number == 0 and re.search("[1-9]", re.split("[eE]", text)[0]):
        raise SpecError(f"{text} is too small to be stored; write 0 if that is meant")
    return number + 0.0  # −0.0 becomes 0.0: equal settings must be equal text in a trial's key
