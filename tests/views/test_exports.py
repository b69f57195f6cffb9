"""Results for other programs: LaTeX macros, Parquet, RO-Crate."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import zipfile
from pathlib import Path
from shutil import which
from typing import Any

import pytest
from commandline import invoke
from handmade import write_results

from nmfrepro.analysis.tables import make_table
from nmfrepro.core.errors import ResultsError
from nmfrepro.results.folder import Results
from nmfrepro.views import exports
from nmfrepro.views.tables import markdown, number


@pytest.fixture
def results(tmp_path: Path) -> Results:
    """NMF beside NLCF with two settings: k = 2 and 4 with three draws, 40 with one."""
    columns = (("NMF", "nmf"), ("NLCF (mu = 0.5)", "nlcf"), ("NLCF (mu = 5)", "nlcf"))
    made = write_results(
        tmp_path / "a-1_b", lambda label, at: len(label) / 100 + at.get("draw", 0) / 50, columns=columns
    )
    assert isinstance(made, Results)
    return made


def export(results: Results, what: str, output: Path, *more: str) -> Any:
    """Run the command."""
    return invoke("export", what, results.folder, "-o", output, *more)


def test_every_number_of_the_table_is_a_macro_that_tex_can_name(results: Results) -> None:
    text = exports.macros(results, make_table(results))
    found = dict(re.findall(r"\\newcommand\{\\([^}]*)\}\{([^}]*)\}", text))
    assert all(re.fullmatch("[A-Za-z]+", name) for name in found)
    assert found["AOneBAccuracyNMFKTwo"] == "5.0"
    assert found["AOneBAccuracyNMFKTwoStd"] == "2.0"
    assert found["AOneBAccuracyNLCFMuZeroPointFiveKFourZero"] == "15.0"
    assert found["AOneBAccuracyNMFAvg"] == "4.3"  # the mean of 5, 5 and 3
    assert len(found) == 3 * (3 + 2 + 1)  # means, spreads, averages
    assert text.count("newcommand") == len(found)


def test_macros_have_the_digits_of_the_table(tmp_path: Path) -> None:
    made = write_results(
        tmp_path / "x", lambda label, at: {"cophenetic": 0.521 + at["draw"] / 20}, metrics=("cophenetic",)
    )
    table = make_table(made)
    text = exports.macros(made, table)
    assert "XCopheneticNMFKTwo}{0.571}" in text
    assert "XCopheneticNMFKTwoStd}{0.05}" in text
    assert "0.571±0.05 " in markdown(table)


def test_two_numbers_of_one_name_are_refused(tmp_path: Path) -> None:
    made = write_results(tmp_path / "x", lambda label, at: 0.5, columns=(("A-B", "nmf"), ("A B", "nlcf")))
    with pytest.raises(
        ResultsError, match=r"A B, k 2 .* and accuracy, A-B, k 2 .* both be \\XAccuracyABKTwo"
    ):
        exports.macros(made, make_table(made))


def test_macros_replace_those_of_the_run_and_nothing_else(results: Results, tmp_path: Path) -> None:
    paper = tmp_path / "paper.tex"
    paper.write_text("my paper")
    refused = export(results, "macros", paper).exception
    remedy = "give -o another file, or --overwrite"
    assert str(refused) == f"{paper} is there already and holds no macros; {remedy}"
    assert paper.read_text() == "my paper"
    assert export(results, "macros", paper, "--overwrite").exit_code == 0
    assert export(results, "macros", paper).exit_code == 0  # its own
    other = write_results(tmp_path / "1_b", lambda label, at: 0.5)  # the name of the first ends so
    said = str(export(other, "macros", paper).exception)
    assert said == f"{paper} is there already and holds those of another run; {remedy}"
    assert "AOneB" in paper.read_text()


@pytest.mark.skipif(which("pdflatex") is None, reason="needs pdflatex")
def test_latex_takes_the_macros(results: Results, tmp_path: Path) -> None:
    assert export(results, "macros", tmp_path / "macros.tex").exit_code == 0
    text = r"\documentclass{article}\input{macros}\begin{document}$\AOneBAccuracyNMFAvg$\end{document}"
    (tmp_path / "t.tex").write_text(text)
    command = ["pdflatex", "-halt-on-error", "-interaction=batchmode", "t.tex"]
    assert subprocess.run(command, cwd=tmp_path, capture_output=True).returncode == 0


def test_parquet_holds_the_rows_with_their_types(results: Results, tmp_path: Path) -> None:
    pd = pytest.importorskip("pandas")
    pytest.importorskip("pyarrow", reason="needs the extra nmfrepro[parquet]")
    assert export(results, "parquet", tmp_path / "rows.parquet").exit_code == 0
    pd.testing.assert_frame_equal(
        pd.read_parquet(tmp_path / "rows.parquet"), results.frame, check_dtype=False
    )


def test_a_crate_holds_the_files_and_what_made_them(results: Results, tmp_path: Path) -> None:
    pytest.importorskip("rocrate", reason="needs the extra nmfrepro[rocrate]")
    assert export(results, "rocrate", tmp_path / "crate.zip").exit_code == 0
    with zipfile.ZipFile(tmp_path / "crate.zip") as crate:
        graph = {each["@id"]: each for each in json.loads(crate.read("ro-crate-metadata.json"))["@graph"]}
        assert crate.read("trials.csv") == (results.folder / "trials.csv").read_bytes()
    assert graph["#data"]["identifier"] == f"sha256:{results.run.dataset.sha256}"
    assert graph["#nmfrepro"]["softwareVersion"] == "0.1.0"
    assert {"@id": "trials.csv"} in graph["#run"]["result"]


@pytest.mark.parametrize(("what", "package"), [("parquet", "pyarrow"), ("rocrate", "rocrate")])
def test_a_file_that_is_there_is_replaced_only_where_that_is_asked_for(
    results: Results, tmp_path: Path, what: str, package: str
) -> None:
    pytest.importorskip(package)
    there = tmp_path / "mine"
    there.write_text("my own")
    said = str(export(results, what, there).exception)
    assert said == f"{there} is there already; use --overwrite to replace it"
    assert there.read_text() == "my own"
    assert export(results, what, there, "--overwrite").exit_code == 0
    assert there.stat().st_size > 100


@pytest.mark.parametrize(("what", "package"), [("parquet", "pyarrow"), ("rocrate", "rocrate")])
def test_a_missing_package_is_told_in_a_line(
    results: Results, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, what: str, package: str
) -> None:
    for name in [*sys.modules, package, "rocrate.model.contextentity"]:
        if name.partition(".")[0] == package:
            monkeypatch.setitem(sys.modules, name, None)
    error = export(results, what, tmp_path / "out").exception
    assert isinstance(error, ResultsError)
    assert str(error).endswith(f"needs {package}: pip install {package}")


@pytest.mark.parametrize(("what", "package"), [("parquet", "pyarrow"), ("rocrate", "rocrate")])
def test_why_a_file_cannot_be_written_is_told(
    results: Results, tmp_path: Path, what: str, package: str
) -> None:
    pytest.importorskip(package)
    error = export(results, what, tmp_path / "none" / "out").exception
    assert isinstance(error, ResultsError)
    assert re.search(
        r"none/out: cannot be written \(.*(no such|non-existent) .*\)", str(error), re.IGNORECASE
    )


@pytest.mark.parametrize(
    ("value", "unit", "text"),
    [(0.012345, "s", "0.0123"), (999.4, "s", "999"), (1234.5, "iterations", "1234"), (-43210.4, "", "-43210"),
     (2.5e7, "", "2.5e+07"), (99.96, "%", "100.0"), (-0.04, "%", "0.0")],
)  # fmt: skip
def test_a_number_is_printed_as_people_write_it(value: float, unit: str, text: str) -> None:
    assert number(value, unit) == text
    assert number(value, unit, sign="+").lstrip("+") == text
