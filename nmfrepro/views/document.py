"""A report of headings, tables and notes, written as plain text, markdown or LaTeX."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from ..core.terminal import paragraph
from .tables import escape_cell, escape_latex, escape_markdown, markdown_lines, small_print


@dataclass(frozen=True)
class Grid:
    """A table of plain text, the first row its header.

    Attributes
    ----------
    rows : sequence of sequences of str
    left : int
        How many columns from the left are aligned left.
    """

    rows: Sequence[Sequence[str]]
    left: int = 1


@dataclass(frozen=True)
class Section:
    """A heading, a table where there is one, and notes below.

    Attributes
    ----------
    heading : str
        "" for none.
    grid : Grid or None
    notes : sequence of str
    """

    heading: str
    grid: Grid | None = None
    notes: Sequence[str] = ()


@dataclass(frozen=True)
class Document:
    """A title and sections."""

    title: str
    sections: Sequence[Section]


def markdown(document: Document) -> str:
    """As GitHub-flavoured markdown."""
    parts = [f"# {escape_markdown(document.title)}"]
    for section in document.sections:
        if section.heading:
            parts.append(f"## {escape_markdown(section.heading)}")
        if section.grid is not None:
            rows = [[escape_cell(cell) for cell in row] for row in section.grid.rows]
            parts.append("\n".join(markdown_lines(rows, section.grid.left)))
        if section.notes:
            parts.append("\n".join(f"- {escape_markdown(note)}" for note in section.notes))
    return "\n\n".join(parts) + "\n"


def text(document: Document) -> str:
    """For a terminal: no markup, aligned columns, wrapped notes."""
    lines = [*paragraph(document.title), ""]
    for section in document.sections:
        if section.heading:
            lines += [section.heading, "-" * len(section.heading)]
        if section.grid is not None:
            lines += [*_aligned(section.grid), ""]
        for note in section.notes:
            lines += paragraph(note, bullet="  ")
        lines += [""] if section.notes else []
    return "\n".join(lines).rstrip() + "\n"


def _aligned(grid: Grid) -> list[str]:
    widths = [max(map(len, column)) for column in zip(*grid.rows, strict=True)]

    def line(cells: Sequence[str]) -> str:
        padded = (
            cell.ljust(width) if i < grid.left else cell.rjust(width)
            for i, (cell, width) in enumerate(zip(cells, widths, strict=True))
        )
        return "  ".join(padded).rstrip()

    rule = "  ".join("-" * width for width in widths)
    return [line(grid.rows[0]), rule, *map(line, grid.rows[1:])]


def latex(document: Document) -> str:
    """For LaTeX with the booktabs package: every table of its own, its notes in small print."""
    lines = [r"% needs \usepackage{booktabs}; the file is UTF-8"]
    for section in document.sections:
        if section.grid is None:
            lines += [f"% {' '.join(note.split())}" for note in section.notes]
            continue
        rows = [[f"{{{escape_latex(cell)}}}" for cell in row] for row in section.grid.rows]
        columns = "l" * section.grid.left + "r" * (len(rows[0]) - section.grid.left)
        caption = ": ".join(each for each in (document.title, section.heading) if each)
        lines += [
            r"\begin{table}",
            r"\centering",
            rf"\caption{{{escape_latex(caption)}}}",
            rf"\begin{{tabular}}{{{columns}}}",
            r"\toprule",
            " & ".join(rows[0]) + r" \\",
            r"\midrule",
            *(" & ".join(row) + r" \\" for row in rows[1:]),
            r"\bottomrule",
            r"\end{tabular}",
            *small_print(section.notes),
            r"\end{table}",
        ]
    return "\n".join(lines) + "\n"


WRITERS: dict[str, Callable[[Document], str]] = {"text": text, "md": markdown, "latex": latex}
