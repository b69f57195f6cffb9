"""Pictures and comparisons of earlier rows are told of where tables are shown."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from commandline import invoke
from handmade import write_results

from nmfrepro.results import folder as store
from nmfrepro.results.marks import outdated, state
from nmfrepro.views import report

SAID = "Out of date, made of other rows or settings: "


def say(*arguments: object) -> str:
    done = invoke(*arguments)
    assert done.exit_code == 0
    return done.output


@pytest.fixture
def made(tmp_path: Path) -> Path:
    """Results with pictures and a comparison."""
    write_results(tmp_path / "r", lambda label, at: 0.5 + 0.01 * at["draw"], published="nlcf/table5_orl")
    say("plot", tmp_path / "r")
    say("plot", tmp_path / "r", "-f", "pdf")
    say("compare", tmp_path / "r")
    return tmp_path / "r"


def test_nothing_is_said_of_files_that_show_the_rows_that_are_there(made: Path) -> None:
    assert SAID not in say("table", made)
    shutil.copytree(made, made.parent / "copy")
    assert outdated(store.read(made.parent / "copy")) == ""
    # Another machine's times and versions are no other rows.
    run = (made / "run.json").read_text().replace("a processor", "another")
    (made / "run.json").write_text(run)
    assert outdated(store.read(made)) == ""


@pytest.mark.parametrize(
    ("name", "old", "new"), [("trials.csv", "0.51", "0.53"), ("run.json", "A table", "B")]
)
def test_other_rows_and_settings_are_told_by_table_and_report(
    made: Path, name: str, old: str, new: str
) -> None:
    (made / name).write_text((made / name).read_text().replace(old, new))
    said = outdated(store.read(made))
    assert said.startswith(SAID)
    assert "figures/accuracy.png" in said
    assert "figures/accuracy.pdf" in said
    plot, compare = f"nmfrepro plot {made}", f"nmfrepro compare {made}"
    assert said.endswith(f"compare.md; make them anew with {plot} and {plot} --format pdf and {compare}")
    assert said in say("table", made)
    (experiment,) = report.collect([made])
    assert experiment.notes[0] == said
    say("plot", made)
    say("plot", made, "-f", "pdf")
    assert "figures" not in outdated(store.read(made))
    say("compare", made)
    assert outdated(store.read(made)) == ""


def test_pictures_that_are_drawn_no_more_are_removed_and_named(made: Path) -> None:
    run = (made / "run.json").read_text()
    (made / "run.json").write_text(run.replace('"nlcf/table5_orl"', "null"))
    figures = made / "figures"
    (figures / "mine.png").write_bytes(b"of the user's own")
    elsewhere = say("plot", made, "-o", made.parent / "elsewhere")
    say("plot", made, "--metric", "accuracy")  # not all that there is to draw
    assert (figures / "accuracy-published.png").exists()
    assert "Removed" not in elsewhere
    said = say("plot", made)
    assert (
        f"Removed, made of other rows or settings and drawn no more: {figures}/accuracy-published.png" in said
    )
    assert said.count("Removed") == 1
    assert {path.name for path in figures.glob("*.png")} == {"accuracy.png", "mine.png"}
    assert (figures / "accuracy-published.pdf").exists()  # `--format pdf` makes those anew
    say("plot", made, "-f", "pdf")
    assert "figures" not in outdated(store.read(made))


def test_verdicts_of_another_margin_are_told(made: Path) -> None:
    content = (made / "run.json").read_text()
    for margin, told in ((3.0, False), (1.0, True)):
        (made / "run.json").write_text(content.replace('"seed": 1', f'"seed": 1, "margin": {margin}'))
        assert ("compare.md" in outdated(store.read(made))) == told


def test_files_of_the_users_own_are_not_spoken_of(made: Path) -> None:
    shutil.rmtree(made / "figures")
    (made / "figures").mkdir()
    (made / "figures" / "mine.png").write_bytes(b"nmfrepro-rows is no mark")
    (made / "figures" / "folder.pdf").mkdir()
    (made / "compare.md").write_text("My own words.")
    assert outdated(store.read(made)) == ""
    assert len(state(store.read(made))) == 16
