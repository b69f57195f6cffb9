"""`nmfrepro audit` as a user runs it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from commandline import invoke


def call(*arguments: str) -> Any:
    return invoke("audit", *arguments)


def test_a_shipped_table_as_text_and_markdown() -> None:
    plain, marked = call("tnmf/table1_orl"), call("tnmf/table1_orl", "--format", "md")
    assert (plain.exit_code, marked.exit_code) == (1, 1)
    assert "27 numbers cannot be right" in plain.output
    assert "|" not in plain.output
    assert "| Accuracy | TNMF   |    8 |          7 |          7.2 |" in marked.output
    for part in ("follows from none of these", "the average as one more"):
        assert part in " ".join(plain.output.split())


def test_a_table_by_the_name_of_its_experiment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    told = call("tnmf/table1_orl").output
    monkeypatch.chdir(tmp_path)
    for folder in ("orl_tnmf", "tnmf/table1_orl"):  # results of the experiment, say
        Path(folder).mkdir(parents=True)
    assert call("orl_tnmf").output == call("tnmf/table1_orl").output == told


def test_two_labellings_of_each_draw_allow_more() -> None:
    assert "3 numbers cannot be right" in call("tnmf/table1_orl", "--labellings", "20").output


def test_a_file_of_the_users_own(tmp_path: Path) -> None:
    path = tmp_path / "mine.csv"
    path.write_text(
        "k,metric,algorithm,mean,std\n2,accuracy,A,61.3,2.0\n3,accuracy,A,50.0,1.0\navg,accuracy,A,57.0,\n"
    )
    outcome = call(str(path), "--draws", "10", "--samples-per-class", "10")
    assert outcome.exit_code == 1
    for part in ("A, k = 2: 61.3 (nearest 61.50).", "does not follow"):
        assert part in outcome.output
    untold = call(str(path))
    assert "Not tested" in untold.output
    assert untold.exit_code == 1  # the average


def test_what_is_not_known_of_a_table_is_told_as_it_is(tmp_path: Path) -> None:
    """A number without ± beside others is a single run: it can be tested where the draws are not known."""
    path = tmp_path / "mine.csv"
    path.write_text("k,metric,algorithm,mean,std\n2,accuracy,A,60.0,2.0\n4,accuracy,A,52.5,\n")
    single = " ".join(call(str(path), "--samples-per-class", "10").output.split())  # however it is wrapped
    assert "The score of a single run, one labelling each is a whole number" in single
    assert "Not tested: k = 2, whose number of runs is not known." in single
    several = call(str(path), "--draws", "10", "--samples", "100", "--classes", "4").output
    several = " ".join(several.split())
    assert "A mean over 10 draws, one labelling each is a whole number" in several
    assert "Not tested: k = 2, whose number of samples is not known (classes of other sizes)." in several


def test_a_table_that_is_not_there_is_answered_with_the_closest() -> None:
    outcome = call("tnmf/table1")
    assert outcome.exit_code == 2
    assert "did you mean tnmf/table1_orl" in str(outcome.exception)
    assert call("tnmf/table1_orl", "--critical-difference", "much").exit_code == 2


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"\xff\xfe\x00", "is not UTF-8 text; save the table as CSV in UTF-8"),
        (b"k,algorithm,mean\n2,A,\x001\n", "mine.csv:2: mean must be a number as printed"),
    ],
)
def test_files_that_are_no_tables(tmp_path: Path, content: bytes, said: str) -> None:
    path = tmp_path / "mine.csv"
    path.write_bytes(content)
    outcome = call(str(path))
    assert (outcome.exit_code, said in str(outcome.exception)) == (2, True)
