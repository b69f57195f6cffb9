"""The text of a spec file, and what is wrong with it where it is no YAML."""

from __future__ import annotations

import codecs
import re
from pathlib import Path

import yaml

from ..core.errors import Place, SpecError

MAX_BYTES = 1_000_000

_BREAK = re.compile("\r\n|[\n\r\x85\u2028\u2029]")
# Where these begin is where to look, not where the end was missed.
_AT_BEGIN = ("could not find expected ':'", "while scanning a quoted scalar")
# A part of PyYAML's message → what to tell instead.  The first that fits is taken.  By text, since PyYAML has
# one type for all that its scanner refuses and one for its parser, and nothing else that tells them apart.
_REMEDIES = (
    ("cannot start any token", "a word cannot start with {found}; quote it"),
    ("a tag", "! starts a YAML tag, which specs do not have; quote it"),
    ("escape", "in double quotes \\ starts an escape; use single quotes, or / in paths"),
    ("mapping values", "a ':' where none can be: check the indentation, and quote text that holds ': '"),
    ("could not find expected ':'", "expected 'key: value' here; check the line and its indentation"),
    ("expected ',' or ']'", "the list that begins in line {begin} is not closed or lacks a comma: [a, b]"),
    ("expected ',' or '}'", "the mapping that begins in line {begin} is not closed or lacks a comma"),
    ("while scanning a quoted scalar", "the quoted text that begins here is not closed"),
    (
        "expected <block end>",
        "does not line up with what is above: check the indentation, and that the lines before are closed",
    ),
    ("sequence entries are not allowed", "a list item '- …' cannot be here: put it on a line of its own"),
    ("expected alphabetic or numeric", "quote text that starts with & or *"),
    ("while scanning a directive", "a line that starts with % is a YAML directive; quote it or indent it"),
    ("a block scalar", "after | or > nothing may follow on the line; quote text that starts so"),
    ("found '<stream end>'", "the file ends where a value is missing; close what was opened"),
    ("the node content", "a value is missing or misplaced here; quote text that starts with {found}"),
)


def read_text(path: Path) -> str:
    """The text of a regular file in UTF-8 of at most `MAX_BYTES`, without a byte order mark.

    Raises
    ------
    SpecError
        For anything else: a directory, a pipe or device, a missing, unreadable or too large file, another
        encoding, with the place of the first byte that is none.
    """
    file = Place(str(path))
    try:
        if path.is_dir():
            raise SpecError("is a directory; name a spec (a .yaml file)", place=file)
        # A pipe could block for ever, a device never end.
        if path.exists() and not path.is_file():
            raise SpecError("is not a regular file; save the spec as a .yaml file", place=file)
        if path.suffix == ".py":
            what = "is a Python file and no spec; one with methods of your own is a plug-in: "
            raise SpecError(f"{what}nmfrepro run SPEC --plugin {path.name}", place=file)
        with path.open("rb") as opened:
            data = opened.read(MAX_BYTES + 1)
    except FileNotFoundError:
        raise SpecError("there is no such file", place=file) from None
    except OSError as error:
        raise SpecError(f"cannot be read ({error.strerror})", place=file) from None
    except ValueError:  # a null character in the name
        raise SpecError("is not a possible file name", place=file) from None
    if len(data) > MAX_BYTES:
        raise SpecError(f"is larger than {MAX_BYTES // 10**6} MB, so no spec; check the name", place=file)
    data = data.removeprefix(codecs.BOM_UTF8)
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        place = place_after(data[: error.start].decode("utf-8"), str(path))
        what = f"byte 0x{data[error.start]:02x} is not UTF-8 (UTF-16, Latin-1 or another encoding?)"
        raise SpecError(f"{what}; save the file as UTF-8", place=place) from None


def place_after(before: str, source: str) -> Place:
    """The place after a piece of text that starts the file."""
    lines = _BREAK.split(before)
    return Place(source, len(lines), len(lines[-1]) + 1)


def explain(error: Exception, text: str, source: str) -> SpecError:
    """What is wrong with a text that PyYAML cannot read, and what to do.

    Parameters
    ----------
    error : Exception
        PyYAML's; it lets others out for impossible escapes ("\\UFFFFFFFF") and versions of a thousand digits.
    text : str
        What was parsed.
    source : str
        What it is called.
    """
    if isinstance(error, yaml.reader.ReaderError):
        what = f"the control character {chr(error.character)!r}; remove it"
        if error.character == 0:
            what = "a NUL byte: the file is damaged or in UTF-16; save it as UTF-8 text"
        return SpecError(what, place=place_after(text[: error.position], source))
    mark = isinstance(error, yaml.MarkedYAMLError) and (error.problem_mark or error.context_mark)
    if not isinstance(error, yaml.MarkedYAMLError) or not mark:
        return SpecError("not valid YAML; check its escapes and quotes", place=Place(source, 1, 1))
    found = text[mark.index : mark.index + 1]
    before = text[max(mark.index - mark.column, 0) : mark.index]
    place = Place(source, mark.line + 1, mark.column + 1)
    if found == "\t" or (before and not before.strip() and "\t" in before):
        return SpecError("a tab; YAML is indented by spaces only, replace it by spaces", place=place)
    message = f"{error.context or ''} {error.problem or ''}".strip()
    begin = error.context_mark or mark
    if any(part in message for part in _AT_BEGIN):
        place = Place(source, begin.line + 1, begin.column + 1)
    shown = repr(found) if found else "the end of the file"
    remedy = next((remedy for part, remedy in _REMEDIES if part in message), "not valid YAML: " + message)
    return SpecError(remedy.replace("{found}", shown).replace("{begin}", str(begin.line + 1)), place=place)
