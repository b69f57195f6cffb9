"""Plain text for a terminal: aligned columns, wrapped paragraphs."""

from __future__ import annotations

import inspect
import re
import shlex
import shutil
import textwrap
from collections.abc import Container, Iterable, Sequence

NARROWEST, WIDEST = 80, 110
GAP = "  "

# Control characters but tab and line break, halves of characters, and marks that turn the direction of text.
_STEERING = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff\u202a-\u202e\u2066-\u2069]")


def safe(text: str) -> str:
    """Text of files and users fit to be printed: what could steer a terminal, or has no bytes, is escaped."""
    return _STEERING.sub(lambda found: found[0].encode("unicode_escape").decode("ascii"), text)


def pasted(path: object) -> str:
    """A path as an argument of a command that is printed to be pasted: quoted, and never like an option."""
    text = str(path)
    return shlex.quote(f"./{text}" if text.startswith("-") else text)


def width() -> int:
    """The columns to fill: the terminal's, within what is read easily."""
    return min(max(shutil.get_terminal_size((WIDEST, 24)).columns, NARROWEST), WIDEST)


def counted(count: int, word: str) -> str:
    """A count with its noun: "1 row", "2 rows", "3 classes"."""
    if count != 1:
        word += "es" if word.endswith("s") else "s"
    return f"{count} {word}"


def sized(count: int) -> str:
    """A number of bytes, in KB below a megabyte: "47 KB", "1.2 MB"."""
    return f"{count / 1e3:.0f} KB" if count < 999_500 else f"{count / 1e6:.1f} MB"


def aligned(rows: Iterable[Sequence[str]], right: Container[int] = (), least: int = 0) -> list[list[str]]:
    """Cells padded to one width in each column, `least` or more; the columns in `right` end alike."""
    shown = list(rows)
    widths = [max(least, *map(len, column)) for column in zip(*shown, strict=True)]
    return [
        [
            cell.rjust(width) if i in right else cell.ljust(width)
            for i, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        for row in shown
    ]


def table(rows: Iterable[Sequence[str]], heading: Sequence[str] = (), indent: str = "") -> list[str]:
    """Lines of aligned columns; the last column is wrapped, the others are as wide as their longest cell.

    Columns of whole numbers are aligned on the right.

    Parameters
    ----------
    rows : iterable of sequence of str
        All of one length.
    heading : sequence of str
        Names of the columns; none if empty.
    indent : str
        What every line begins with.
    """
    cells = [list(row) for row in rows]
    shown = [list(heading), *cells] if heading else cells
    if not shown:
        return []
    whole = {i for i, column in enumerate(zip(*cells, strict=True)) if all(cell.isdigit() for cell in column)}
    lines = []
    for row, before in zip(shown, aligned([row[:-1] for row in shown], whole), strict=True):
        first = indent + GAP.join([*before, ""])
        lines += _wrap(row[-1], first, " " * len(first)) or [first.rstrip()]
    if heading:
        last = "-" * min(len(heading[-1]), width() - len(first))
        lines.insert(1, indent + GAP.join([*("-" * len(cell) for cell in before), last]))
    return lines


def paragraph(text: str, indent: str = "", bullet: str = "") -> list[str]:
    """Lines of one wrapped paragraph, the first after `bullet`."""
    return _wrap(text, indent + bullet, indent + " " * len(bullet))


def facts(rows: Iterable[tuple[str, str]]) -> list[str]:
    """Lines of names and what is to be said of them; what is empty is left out."""
    return table([row for row in rows if row[1]])


def prose(docstring: str) -> list[str]:
    """A docstring's lines: paragraphs wrapped anew, indented lines (equations) kept, markup taken off."""
    text = inspect.cleandoc(docstring).replace("``", "")
    lines: list[str] = []
    for block in text.split("\n\n"):
        if any(line.startswith(" ") for line in block.splitlines()):
            lines += block.splitlines()
        else:
            lines += paragraph(block)
        lines.append("")
    return lines[:-1]


def _wrap(text: str, first: str, then: str) -> list[str]:
    return textwrap.wrap(
        text,
        width(),
        initial_indent=first,
        subsequent_indent=then,
        break_long_words=False,
        break_on_hyphens=False,
    )
