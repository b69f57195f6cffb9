"""Tables as markdown, CSV and LaTeX, and numbers as these print them."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from ..analysis.tables import Block, Cell, Table
from ..core.terminal import aligned
from ..metrics import Metric
from .escapes import escape_cell, escape_latex, escape_markdown, spreadsheet_safe, unbroken

BOOKTABS = r"% needs \usepackage{booktabs}; the file is UTF-8"


@dataclass(frozen=True)
class Style:
    """How a format writes the parts of a cell, and text of others."""

    escape: Callable[[str], str]
    bold: tuple[str, str] = ("**", "**")
    plus_minus: str = "±"
    none: str = "–"
    marks: Mapping[str, str] = field(default_factory=lambda: {"": "", "better": "↑", "worse": "↓"})


def markdown(table: Table, digits: int = 1, escaped: bool = True) -> str:
    """The table as GitHub-flavoured markdown with aligned columns, notes below.

    Without `escaped`, as it is read in a terminal: names as they are, no back-slashes.
    """
    style, text = (MARKDOWN, escape_markdown) if escaped else (TERMINAL, unbroken)
    parts = [f"# {text(table.title)}"]
    for block in table.blocks:
        lines = markdown_lines(text_rows(table, block, style, digits))
        parts += [f"## {heading(block.metric)}", "\n".join(lines)]
    parts += ["\n".join(f"- {text(note)}" for note in table.notes)] if table.notes else []
    return "\n\n".join(parts) + "\n"


def markdown_lines(rows: Sequence[Sequence[str]], left: int = 1) -> list[str]:
    """A markdown table from cells already escaped, the first row its header: `left` columns, then numbers."""
    head, *body = aligned(rows, range(left, len(rows[0])), least=3)
    rule = [":" + "-" * (len(c) - 1) if i < left else "-" * (len(c) - 1) + ":" for i, c in enumerate(head)]
    return [f"| {' | '.join(cells)} |" for cells in (head, rule, *body)]


def latex(table: Table, digits: int = 1, caption: str | None = None, label: str | None = None) -> str:
    """The table for LaTeX with the booktabs package; notes in small print below.

    `caption` stands in the place of the title, and `label` is what ``\\ref`` refers to.
    """
    blocks = [text_rows(table, block, LATEX, digits) for block in table.blocks]
    width, lines = len(blocks[0][0]) if blocks else 1, list[str]()
    for block, (head, *rows) in zip(table.blocks, blocks, strict=True):
        lines += [r"\midrule"] if lines else []
        lines.append(rf"\multicolumn{{{width}}}{{l}}{{{escape_latex(heading(block.metric))}}} \\")
        lines += latex_rows(head, rows)
    columns = "l" + "r" * (width - 1)
    parts = latex_table(caption or table.title, columns, lines, table.notes, label)
    return "\n".join([BOOKTABS, *parts]) + "\n"


def latex_table(
    caption: str, columns: str, rows: Iterable[str], notes: Sequence[str], label: str | None = None
) -> list[str]:
    """The lines of a table of its own for LaTeX, its notes in small print."""
    small = [escape_latex(note) + r"\par" for note in notes]
    if small:
        small = ["", r"\begin{minipage}{\linewidth}\footnotesize\raggedright", *small, r"\end{minipage}"]
    return [
        r"\begin{table}",
        r"\centering",
        rf"\caption{{{escape_latex(caption)}}}",
        *([rf"\label{{{label}}}"] if label else []),
        rf"\begin{{tabular}}{{{columns}}}",
        r"\toprule",
        *rows,
        r"\bottomrule",
        r"\end{tabular}",
        *small,
        r"\end{table}",
    ]


def latex_rows(head: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    """Lines of LaTeX of cells already escaped."""
    first, *others = (" & ".join(row) + r" \\" for row in (head, *rows))
    return [first, r"\midrule", *others]


def tidy_csv(table: Table) -> str:
    """One line per metric, row and method: unrounded numbers in the unit of the ``unit`` column.

    Where something is chosen, as a dimension, all it is chosen from have lines, and ``chosen`` is 1 for the
    one shown.  Names that a spreadsheet would compute (``=1+1``) are written behind an apostrophe.
    """
    chosen = table.layout.chosen
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n", quoting=csv.QUOTE_NONNUMERIC)
    names = ["metric", "unit", "label", "algorithm"]
    numbers = ["mean", "std", "n", "planned", "failed", "best"]
    several = any(row.dataset for block in table.blocks for row in block.rows)
    first = ["dataset"] if several else []
    writer.writerow([*first, *table.layout.rows, *names, *([chosen, "chosen"] if chosen else []), *numbers])
    for block in table.blocks:
        for row in block.lines:
            where = ["Avg"] * len(table.layout.rows) if row.average else row.where
            place = [spreadsheet_safe(row.dataset), *where] if several else where
            for column in table.columns:
                cell = row.cells[column.label]
                about = [block.name, block.metric.unit, spreadsheet_safe(column.label), column.algorithm]
                for each in cell.choices or (cell,):
                    shown = each.chosen == cell.chosen
                    choice = [each.chosen, int(shown)] if chosen else []
                    found = [each.mean, each.std, each.n, each.planned, each.failed, int(cell.best and shown)]
                    writer.writerow([*place, *about, *choice, *found])
    return text.getvalue()


def text_rows(table: Table, block: Block, style: Style, digits: int) -> list[list[str]]:
    """A block as rows of text, the header first: coordinates down, or methods where they are printed so."""
    rows = block.lines
    cells = [[cell_text(cell, block.metric, style, digits) for cell in row.cells.values()] for row in rows]
    names = [style.escape(row.name) for row in rows]
    labels = [style.escape(label) for label in table.labels]
    first = "dataset" if any(row.dataset for row in rows) else ""
    corner = ", ".join(filter(None, (first, table.layout.coordinate)))
    if table.layout.methods_down:
        turned = zip(labels, zip(*cells, strict=True), strict=True)
        return [[style.escape(f"method / {corner}"), *names], *([label, *column] for label, column in turned)]
    return [[style.escape(corner), *labels], *([name, *row] for name, row in zip(names, cells, strict=True))]


def row_heads(table: Table, block: Block) -> list[str]:
    """What the rows of a block are called where they stand as columns: "k = 2", "Avg"."""
    of = table.layout.coordinate
    return [row.name if row.average else f"{of} = {row.name}" for row in block.lines]


def heading(metric: Metric) -> str:
    """Title and unit of a metric: "Accuracy (%)"."""
    return f"{metric.title} ({metric.unit})" if metric.unit else metric.title


def p_value(p: float) -> str:
    """Three decimals, as a power of ten where these are all zero; no p is 0 itself, but a limit may be."""
    return f"{p:.3f}" if p >= 0.001 else f"{p:.1e}" if p > 0 else "<0.001"


def number(value: float, unit: str, digits: int = 1, sign: str = "-") -> str:
    """A mean or spread as printed: fixed decimals for percent, three significant digits otherwise.

    From a thousand to a million there are no decimals, and no power of ten either.  `sign` is "+" for a
    difference, whose sign always shows; that of a zero is no minus.
    """
    form = f"z.{digits}f" if unit == "%" else ".0f" if 999.5 <= abs(value) < 1e6 else ".3g"
    return format(value, sign + form)


def score_text(value: float, metric: Metric) -> str:
    """A trial's score as printed; a dash where it has none."""
    return "–" if math.isnan(value) else number(metric.factor * value, metric.unit, 2)


def cell_text(cell: Cell, metric: Metric, style: Style, digits: int = 1) -> str:
    """A cell as printed, with its marks: std, what was chosen, repeats where some are missing, bold."""
    rows = f" ({cell.n} of {cell.planned} rows complete)"
    if cell.mean is None:
        if cell.average:
            return style.none + (rows if cell.n else "")
        return "failed" if cell.failed else style.none
    text = number(cell.mean, metric.unit, digits)
    if cell.std is not None:
        text += style.plus_minus + number(cell.std, metric.unit, digits)
    if cell.chosen is not None:
        text += f" ({cell.chosen})"
    if cell.best:
        text = style.bold[0] + text + style.bold[1]
    elif not cell.complete:
        text += rows if cell.average else f" (n = {cell.n} of {cell.planned})"
    return text + style.marks[cell.mark]


MARKDOWN = Style(escape_cell)
TERMINAL = Style(unbroken)
PLAIN = Style(str, bold=("", ""))
LATEX = Style(
    lambda text: f"{{{escape_latex(text)}}}",  # in braces, since a row may begin with [
    bold=(r"\textbf{", "}"),
    plus_minus=r"$\pm$",
    none="--",
    # Columns stay aligned.
    marks={"": "", "better": r"\rlap{$^{\uparrow}$}", "worse": r"\rlap{$^{\downarrow}$}"},
)
