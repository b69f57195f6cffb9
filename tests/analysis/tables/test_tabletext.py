"""Every format holds any name, and reads back."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import pandas as pd
import pytest
from handmade import write_results

from nmfrepro.analysis.tables import make_table
from nmfrepro.views import escapes
from nmfrepro.views import tables as tabletext

AWKWARD = (
    'NMF | p=2, "fast" ±',
    "None",
    "NA",
    "null",
    "1e5",
    "=1+1",
    "nmf_sc",
    "50 % & more",
    "**bold**",
    "[x]",
    "@a",
)
COLUMNS = [(label, f"method{number}") for number, label in enumerate(AWKWARD)]


def score(label: str, at: dict[str, int]) -> float:
    return 0.1 + 0.05 * AWKWARD.index(label) + 0.01 * at["draw"]


def test_c36_markdown_keeps_its_columns(tmp_path: Path) -> None:
    text = tabletext.markdown(make_table(write_results(tmp_path / "r", score, columns=COLUMNS)))
    lines = [line for line in text.splitlines() if line.startswith("|")]
    widths = {len(line) for line in lines}
    assert len(widths) == 1  # aligned
    for line in lines:
        assert line.replace(r"\|", "").count("|") == len(AWKWARD) + 2
    assert r"NMF \| p=2, \"fast\" ±".replace(r"\"", '"') in lines[0]
    assert r"\*\*bold\*\*" in lines[0]


def test_c36_csv_reads_back_with_text_as_text(tmp_path: Path) -> None:
    table = make_table(write_results(tmp_path / "r", score, columns=COLUMNS))
    text = tabletext.tidy_csv(table)
    rows = list(csv.DictReader(io.StringIO(text)))
    assert len(rows) == 4 * len(AWKWARD)
    labels = [row["label"] for row in rows[: len(AWKWARD)]]
    # a spreadsheet would compute 2 from =1+1
    assert labels == [f"'{label}" if label in ("=1+1", "@a") else label for label in AWKWARD]
    frame = pd.read_csv(io.StringIO(text), keep_default_na=False, na_values={"std": ""})
    assert list(frame["label"][: len(AWKWARD)]) == labels
    assert set(frame["k"]) == {"2", "4", "40", "Avg"}
    assert frame["mean"][0] == table.blocks[0].rows[0].cells[table.labels[0]].mean
    assert set(frame["unit"]) == {"%"}


def test_csv_holds_the_numbers_unrounded_and_the_gaps(tmp_path: Path) -> None:
    def scores(label: str, at: dict[str, int]) -> float | str:
        return "no" if label == "NLCF" and at["draw"] == 0 else 1 / 3

    frame = pd.read_csv(io.StringIO(tabletext.tidy_csv(make_table(write_results(tmp_path / "r", scores)))))
    first, second = frame.iloc[0], frame.iloc[1]
    assert first["mean"] == pytest.approx(100 / 3, abs=1e-12)
    assert (first["std"], first["n"], first["planned"], first["failed"], first["best"]) == (0, 3, 3, 0, 1)
    assert (second["label"], second["n"], second["planned"], second["failed"], second["best"]) == (
        "NLCF",
        2,
        3,
        1,
        0,
    )
    assert pd.isna(frame.query("k == '40' and label == 'NLCF'")["mean"].item())


def test_c36_latex_escapes(tmp_path: Path) -> None:
    text = tabletext.latex(make_table(write_results(tmp_path / "r", score, columns=COLUMNS)))
    assert r"NMF $|$ p=2, ''fast'' $\pm$" in text
    assert r"{50 \% \& more}" in text
    assert r"nmf\_sc" in text
    assert "±" not in text
    assert r"\textbf{61.0$\pm$1.0}" in text
    body = text[text.index(r"\toprule") : text.index(r"\bottomrule")]
    rows = [line for line in body.splitlines() if " & " in line]
    assert {line.replace(r"\&", "").count("&") for line in rows} == {len(AWKWARD)}
    for opening, closing in (("{", "}"), (r"\begin", r"\end")):
        bare = text.replace(r"\{", "").replace(r"\}", "")
        assert bare.count(opening) == bare.count(closing)


@pytest.mark.parametrize(
    ("text", "safe"),
    [
        ("=1+1", "'=1+1"),
        ("+2", "'+2"),
        ("-x", "'-x"),
        ("@a", "'@a"),
        ("NMF", "NMF"),
        ("a=b", "a=b"),
        ("", ""),
    ],
)
def test_text_that_a_spreadsheet_would_compute_is_quoted(text: str, safe: str) -> None:
    assert escapes.spreadsheet_safe(text) == safe


def test_hyphens_stay_hyphens_in_latex() -> None:
    assert escapes.escape_latex("--rope a---b x-y") == "-{}-rope a-{}-{}-b x-y"
    assert escapes.escape_latex("see `a_b --c` and ` alone") == r"see \texttt{a\_b -{}-c} and ` alone"


@pytest.mark.parametrize(
    ("text", "escaped"),
    [
        *[("a|b", "a|b"), ("a\nb", "a b"), ("<b>", r"\<b>"), ("_x_", r"\_x_"), ("\\", r"\\")],
        # As GitHub reads them, these are x in italics, struck out twice, and an ampersand.
        *[("an _x_", r"an \_x_"), ("a ~~x~~", r"a \~\~x\~~"), ("a ~x~", r"a \~x~"), ("&amp;", r"\&amp;")],
        *[("nmf_sc_2", "nmf_sc_2"), ("R & D", "R & D"), ("a ~ b _ c", "a ~ b _ c")],
    ],
)
def test_marks_of_markdown_are_escaped_where_they_would_act(text: str, escaped: str) -> None:
    assert escapes.escape_markdown(text) == escaped
    assert escapes.escape_cell(text) == escaped.replace("|", r"\|")
