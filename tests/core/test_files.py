"""Files that are written in one piece, wherever their names lead to."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from tiny import make_spec, run_quietly

from nmfrepro.core import files
from nmfrepro.core.errors import ResultsError
from nmfrepro.results import folder as store


def test_a_symbolic_link_is_written_through(tmp_path: Path) -> None:
    target = tmp_path / "elsewhere" / "a.csv"
    target.parent.mkdir()
    target.write_text("old")
    (tmp_path / "link").symlink_to("elsewhere/a.csv")
    files.replace(tmp_path / "link", "new")
    assert (tmp_path / "link").is_symlink()
    assert target.read_text() == "new"
    assert [path.name for path in target.parent.iterdir()] == ["a.csv"]


@pytest.mark.usefixtures("in_process")
def test_rows_behind_a_symbolic_link_stay_there(tmp_path: Path) -> None:
    (tmp_path / "disk").mkdir()
    (tmp_path / "tiny").mkdir()
    link = tmp_path / "tiny" / "trials.csv"
    link.symlink_to(tmp_path / "disk" / "trials.csv")
    for _ in range(2):
        run_quietly(make_spec(tmp_path), tmp_path)
        assert link.is_symlink()
        assert len(store.read(tmp_path / "tiny").frame) == 3
    assert (tmp_path / "disk" / "trials.csv").read_text().count("\n") == 4


def test_a_device_or_a_pipe_is_refused_by_name(tmp_path: Path) -> None:
    """A user with all rights would otherwise put a file in its place."""
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(ResultsError, match=r"pipe is no regular file; name one to write to"):
        files.replace(tmp_path / "pipe", "new")
    assert (tmp_path / "pipe").is_fifo()
