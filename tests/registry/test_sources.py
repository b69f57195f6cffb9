"""What a plug-in is made of."""

from __future__ import annotations

import hashlib
import sys
from pathlib import Path

import pytest

from nmfrepro.registry import plugins

METHOD = """
import sys
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parent))
import made_of_helper
from made_of_package.deep import VALUE


def later():
    import made_of_lazy
"""


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "made_of.py").write_text(METHOD)
    (tmp_path / "alone.py").write_text("import numpy as np\nimport json\n")
    (tmp_path / "made_of_helper.py").write_text("import made_of_second\n")
    for name in ("made_of_second", "made_of_lazy", "stranger"):
        (tmp_path / f"{name}.py").write_text("VALUE = 1\n")
    (tmp_path / "made_of_package").mkdir()
    (tmp_path / "made_of_package" / "__init__.py").write_text("")
    (tmp_path / "made_of_package" / "deep.py").write_text("VALUE = 1\n")
    monkeypatch.setattr(sys, "path", sys.path[:])
    for name in [each for each in sys.modules if "made_of" in each]:
        monkeypatch.delitem(sys.modules, name)
    plugins.use([tmp_path / "made_of.py", tmp_path / "alone.py"])
    assert len(list(plugins.modules())) >= 2
    return tmp_path


def sha(name: str) -> str | None:
    return plugins.source_hash(f"{plugins.HOME}.{name}")


@pytest.mark.parametrize(
    "name",
    [
        *("made_of.py", "made_of_helper.py", "made_of_second.py", "made_of_lazy.py"),
        *("made_of_package/__init__.py", "made_of_package/deep.py"),
    ],
)
def test_every_module_of_its_own_counts(files: Path, name: str) -> None:
    """An edited helper makes another method, however the plug-in comes by it."""
    before = sha("made_of")
    (files / name).write_text((files / name).read_text() + "# changed\n")
    assert sha("made_of") != before


def test_a_module_that_it_does_not_import_does_not_count(files: Path) -> None:
    before = sha("made_of")
    (files / "stranger.py").write_text("VALUE = 2\n")
    assert sha("made_of") == before


def test_a_plug_in_without_helpers_is_its_file(files: Path) -> None:
    assert sha("alone") == hashlib.sha256((files / "alone.py").read_bytes()).hexdigest()


def test_what_a_hash_is_of_is_said(files: Path) -> None:
    made_of, alone = plugins.records()
    helpers = ["helper", "lazy", "package", "package.deep", "second"]
    assert made_of.modules == tuple(f"made_of_{name}" for name in helpers)
    assert plugins.in_words([made_of]) == f"plug-in made_of.py and its modules (sha256 {sha('made_of')[:12]})"
    assert plugins.in_words([alone]) == f"plug-in alone.py (sha256 {sha('alone')[:12]})"
