"""A report of headings, tables and notes, written as plain text, markdown or LaTeX."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from ..core.terminal import aligned, paragraph
from .escapes import escape_cell, escape_latex, escape_markdown, unbroken
from .tables import BOOKTABS, latex_rows, latex_table, markdown_lines


@dataclass(frozen=True)
class Grid:
    """A table of plain text, the first row its header."""

    rows: Sequence[Sequence[str]]
    left: int = 1  # how many columns from the left are aligned left


@dataclass(frozen=True)
class Section:
    """A heading, a table, a paragraph and notes below it; what is empty is not there."""

    heading: str
    grid: Grid | None = None
    notes: Sequence[str] = ()
    paragraph: str = ""


@dataclass(frozen=True)
class Document:
    """A title, what a reader must know before anything else, and sections."""

    title: str
    sections: Sequence[Section]
    warning: str = ""


def markdown(document: Document, escaped: bool = True) -> str:
    """As GitHub-flavoured markdown; without `escaped`, as it is read in a terminal."""
    text, cell = (escape_markdown, escape_cell) if escaped else (unbroken, unbroken)
    parts = [f"# {text(document.title)}"]
    parts += [f"**{text(document.warning)}**"] if document.warning else []
    for section in document.sections:
        if section.heading:
            parts.append(f"## {text(section.heading)}")
        if section.grid is not None:
            rows = [[cell(each) for each in row] for row in section.grid.rows]
            parts.append("\n".join(markdown_lines(rows, section.grid.left)))
        if section.paragraph:
            parts.append(text(section.paragraph))
        if section.notes:
            parts.append("\n".join(f"- {text(note)}" for note in section.notes))
    return "\n\n".join(parts) + "\n"


def text(document: Document) -> str:
    """For a terminal: no markup, aligned columns, wrapped notes."""
    lines = [*paragraph(document.title), ""]
    lines += [*paragraph(document.warning), ""] if document.warning else []
    for section in document.sections:
        if section.heading:
            lines += [section.heading, "-" * len(section.heading)]
        if section.grid is not None:
            head, *rows = aligned(section.grid.rows, range(section.grid.left, len(section.grid.rows[0])))
            rule = ["-" * len(cell) for cell in head]
            lines += [*("  ".join(cells).rstrip() for cells in (head, rule, *rows)), ""]
        lines += [*paragraph(section.paragraph), ""] if section.paragraph else []
        for note in section.notes:
            lines += paragraph(note, bullet="  ")
        lines += [""] if section.notes else []
    return "\n".join(lines).rstrip() + "\n"


def latex(document: Document) -> str:
    """For LaTeX with the booktabs package: every table of its own, its notes in small print."""
    lines = [BOOKTABS]
    for section in (Section("", notes=[document.warning]), *document.sections):
        notes = [*filter(None, (section.paragraph, *section.notes))]
        if section.grid is None:
            lines += [f"% {unbroken(note)}" for note in notes]
            continue
        head, *rows = [[f"{{{escape_latex(cell)}}}" for cell in row] for row in section.grid.rows]
        columns = "l" * section.grid.left + "r" * (len(head) - section.grid.left)
        caption = ": ".join(filter(None, (document.title, section.heading)))
        lines += latex_table(caption, columns, latex_rows(head, rows), notes)
    return "\n".join(lines) + "\n"


WRITERS: dict[str, Callable[[Document], str]] = {"text": text, "md": markdown, "latex": latex}
