"""Provenance: which code made a result."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from nmfrepro.runs import provenance


@pytest.fixture
def checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A checkout with a package of one module and a tracked result; `commit` believes to be that module."""
    for name in ("nmfrepro/runs/provenance.py", "results/reference/table.md"):
        (tmp_path / name).parent.mkdir(parents=True)
        (tmp_path / name).write_text("one\n", encoding="utf-8")
    for words in (["init", "-q"], ["add", "."], ["commit", "-q", "-m", "one"]):
        subprocess.run(
            ["git", "-c", "user.name=n", "-c", "user.email=n@example.org", *words], cwd=tmp_path, check=True
        )
    monkeypatch.setattr(provenance, "__file__", str(tmp_path / "nmfrepro/runs/provenance.py"))
    return tmp_path


def test_a_changed_package_is_marked_and_a_changed_result_is_not(checkout: Path) -> None:
    head = provenance.commit()
    assert head is not None
    assert len(head) == 12
    (checkout / "results/reference/table.md").write_text("two\n", encoding="utf-8")
    assert provenance.commit() == head
    (checkout / "nmfrepro/new.py").write_text("", encoding="utf-8")
    assert provenance.commit() == f"{head}+"


def test_outside_a_checkout_there_is_none(checkout: Path) -> None:
    (checkout / ".git").rename(checkout / "gone")
    assert provenance.commit() is None


def test_the_repository_of_a_git_hook_is_not_taken_for_ours(
    checkout: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    head = provenance.commit()
    subprocess.run(["git", "init", "-q", str(checkout / "another")], check=True)
    monkeypatch.setenv("GIT_DIR", str(checkout / "another" / ".git"))
    assert provenance.commit() == head
