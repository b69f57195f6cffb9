"""PyYAML's complaints about syntax, in words that say what to do."""

from __future__ import annotations

import yaml

from .complaints import Place

# Where these begin is where to look, not where the end was missed.
_AT_BEGIN = ("could not find expected ':'", "while scanning a quoted scalar")
# A part of PyYAML's message → what to tell instead.  The first that fits is taken.
_REMEDIES = (
    ("cannot start any token", "a word cannot start with {found}; quote it"),
    ("unknown escape character", "in double quotes \\ starts an escape; use single quotes, or / in paths"),
    ("expected escape sequence", "in double quotes \\ starts an escape; use single quotes, or / in paths"),
    (
        "mapping values are not allowed here",
        "a ':' where none can be: check the indentation, and quote text that holds ': '",
    ),
    ("could not find expected ':'", "expected 'key: value' here; check the line and its indentation"),
    ("expected ',' or ']'", "the list that begins in line {begin} is not closed or lacks a comma: [a, b]"),
    ("expected ',' or '}'", "the mapping that begins in line {begin} is not closed or lacks a comma"),
    ("while scanning a quoted scalar", "the quoted text that begins here is not closed"),
    (
        "expected <block end>",
        "does not line up with what is above: check the indentation, and that the lines before are closed",
    ),
    (
        "sequence entries are not allowed here",
        "a list item '- …' cannot be here: put it on a line of its own",
    ),
    ("did not find expected alphabetic or numeric", "quote text that starts with & or *"),
    ("expected alphabetic or numeric character", "quote text that starts with & or *"),
    ("while scanning a directive", "a line that starts with % is a YAML directive; quote it or indent it"),
    (
        "while scanning a block scalar",
        "after | or > nothing may follow on the line; quote text that starts so",
    ),
    ("while parsing a tag", "! starts a YAML tag, which specs do not have; quote it"),
    ("while scanning a tag", "! starts a YAML tag, which specs do not have; quote it"),
    (
        "expected the node content",
        "a value is missing or misplaced here; quote text that starts with {found}",
    ),
)


def explain(error: yaml.MarkedYAMLError, text: str, source: str) -> tuple[Place, str]:
    """Where a syntax error is, and what it means.

    Parameters
    ----------
    error : yaml.MarkedYAMLError
    text : str
        The text that was parsed.
    source : str
        What it is called.
    """
    mark = error.problem_mark or error.context_mark
    if mark is None:
        return Place(source, 1, 1), str(error.problem)
    place = Place(source, mark.line + 1, mark.column + 1)
    found = text[mark.index : mark.index + 1]
    before = text[mark.index - mark.column : mark.index] if mark.column <= mark.index else ""
    if found == "\t" or (before and not before.strip() and "\t" in before):
        return place, "a tab; YAML is indented by spaces only, replace it by spaces"
    message = f"{error.context or ''} {error.problem or ''}".strip()
    begin = error.context_mark or mark
    if any(part in message for part in _AT_BEGIN):
        place = Place(source, begin.line + 1, begin.column + 1)
    shown = repr(found) if found else "the end of the file"
    for part, remedy in _REMEDIES:
        if part in message:
            return place, remedy.format(found=shown, begin=begin.line + 1)
    return place, f"not valid YAML: {message}"
