"""Running specs from Python: the examples of the documentation, and what goes wrong."""

from __future__ import annotations

import doctest
import subprocess
import sys
from pathlib import Path

import pytest
from tiny import entry, make_spec, write_spec

import nmfrepro
from nmfrepro import notebook
from nmfrepro import runs as runner
from nmfrepro.core.errors import SpecError


def test_the_examples_do_what_they_say(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    results = doctest.testmod(notebook)
    assert (results.failed, results.attempted > 10) == (0, True)


def test_failed_trials_are_rows_and_a_warning(tmp_path: Path) -> None:
    spec = make_spec(tmp_path, [entry("scripted", does="bug")], protocol={"clusters": [3]})
    with pytest.warns(UserWarning, match="1 of 1 trials failed"):
        frame = nmfrepro.run(spec, results=tmp_path, jobs=1)
    assert frame["status"].tolist() == ["failed"]


def test_an_interrupted_run_is_no_result(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    summary = runner.Summary(tmp_path, 2, 1, 0, 0, 1, True, 1.0, {})
    monkeypatch.setattr(runner, "run", lambda *arguments, **options: summary)
    with pytest.raises(KeyboardInterrupt):
        nmfrepro.run(write_spec(tmp_path), results=tmp_path)


def test_settings_are_replaced_in_files_only(tmp_path: Path) -> None:
    with pytest.raises(TypeError, match="read from a file"):
        nmfrepro.run(make_spec(tmp_path), overrides=["seed=2"])
    with pytest.raises(SpecError, match="no such file"):
        nmfrepro.run(tmp_path / "missing.yaml")


def test_importing_the_package_loads_nothing_heavy() -> None:
    code = "import nmfrepro, sys; print([m for m in ('numpy', 'pandas', 'yaml') if m in sys.modules])"
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ended.stdout == "[]\n"
    with pytest.raises(AttributeError, match="no attribute 'tabel'"):
        nmfrepro.tabel  # noqa: B018  the access is the test
