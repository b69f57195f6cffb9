"""What is written for LaTeX compiles, where a TeX is installed."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest
from handmade import write_results

from nmfrepro.analysis.significance.marking import marked
from nmfrepro.analysis.tables import make_table
from nmfrepro.views import document
from nmfrepro.views import tables as tabletext

TEX = shutil.which("pdflatex") or shutil.which("lualatex") or shutil.which("xelatex")
AWKWARD = ('NMF | p=2, "fast" ±', "[x] 50 % & more", "nmf_sc ~ #1 ^2", r"{a\b} $ μ=λ", "≤ ‖x‖² → é ↑")


@pytest.mark.skipif(TEX is None, reason="no TeX is installed")
def test_tables_with_any_name_compile(tmp_path: Path) -> None:
    columns = [(label, f"method{number}") for number, label in enumerate(AWKWARD)]
    cells = [{"k": k, "draw": draw} for k in (2, 4) for draw in range(8)]
    results = write_results(
        tmp_path / "r",
        lambda label, at: 0.1 + 0.1 * AWKWARD.index(label) + 0.01 * at["draw"],
        columns=columns,
        cells=cells,
    )
    table = marked(make_table(results), AWKWARD[2])
    found = document.Document("A & B", [document.Section("x_y", document.Grid([AWKWARD, AWKWARD]), AWKWARD)])
    body = tabletext.latex(table, caption="50 % & more", label="tab:a") + document.latex(found)
    head = "\\documentclass{article}\n\\usepackage[T1]{fontenc}\n\\usepackage[utf8]{inputenc}\n"
    text = (
        f"{head}\\usepackage{{booktabs}}\n\\begin{{document}}\n{body}See \\ref{{tab:a}}.\n\\end{{document}}\n"
    )
    (tmp_path / "a.tex").write_text(text, encoding="utf-8")
    ended = subprocess.run(
        [str(TEX), "-interaction=nonstopmode", "-halt-on-error", "a.tex"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        errors="replace",
    )
    assert ended.returncode == 0, ended.stdout[-2000:]
    assert (tmp_path / "a.pdf").stat().st_size > 1000
