"""The documentation: generated pages are up to date and complete, and the commands shown run."""

from __future__ import annotations

import importlib
import json
import re
import shlex
import types
from pathlib import Path
from typing import Any

import click
import jsonschema
import numpy as np
import pytest
from commandline import invoke

from nmfrepro import algorithms, protocols
from nmfrepro.cli import COMMANDS, group
from nmfrepro.core.options import options_of
from nmfrepro.core.problem import FitSettings
from nmfrepro.datasets import DatasetOptions
from nmfrepro.registry import plugins
from nmfrepro.spec import Head
from nmfrepro.spec.complaints import Complaints
from nmfrepro.spec.reader import read_spec
from nmfrepro.spec.yamltree import read_tree

ROOT = Path(__file__).parent.parent
DOCS = ROOT / "docs"
PAGES = [ROOT / "README.md", *sorted(DOCS.glob("*.md"))]


GENERATED = ("spec-reference.md", "spec.schema.json", "cli-reference.md", "methods.md")


def marked(text: str) -> list[tuple[str, str]]:
    """Blocks behind a mark, as (mark, content): "run", or "file: NAME"."""
    return re.findall(r"<!-- (run|file: [\w.]+) -->\n```\w+\n(.*?)```", text, flags=re.DOTALL)


def on_the_page() -> list[str]:
    """The methods that have a section; one that was just put beside them need not have it yet."""
    return re.findall(r"^## .*: `(\w+)`$", (DOCS / "methods.md").read_text("utf-8"), flags=re.MULTILINE)


@pytest.mark.parametrize("name", GENERATED)
def test_generated_pages_are_up_to_date(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(DOCS))
    known = {method: algorithms.get(method) for method in on_the_page()}
    monkeypatch.setattr(algorithms, "registry", lambda: known)
    text = importlib.import_module("generate").PAGES[name]()
    assert (DOCS / name).read_text(encoding="utf-8") == text, "run: python docs/generate.py"


def test_the_page_of_the_field_is_that_of_its_results(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(DOCS))
    field = importlib.import_module("field")
    runs = field.reference()
    if not runs:
        pytest.skip("no results/reference beside the package")
    text = field.page(runs)
    assert (DOCS / "field.md").read_text(encoding="utf-8") == text, "run: python docs/field.py"


def test_methods_of_the_same_score_win_together(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(DOCS))
    field = importlib.import_module("field")
    for means, said in (
        ([7.0, 9.0, 8.0], "b 9.0, c 8.0"),
        ([9.0, 7.0, 9.0], "a 9.0, c 9.0"),
        ([9.0, 9.0, 9.0], "a 9.0, b 9.0, c 9.0"),
        ([0.1 + 0.2, 9.0, 0.3], "b 9.0, a 0.3, c 0.3"),
    ):
        scores = types.SimpleNamespace(rows=("2",), labels=("a", "b", "c"), means=np.array([means]))
        assert field.best_two(scores, "2") == said


def test_every_key_of_a_spec_is_in_the_reference() -> None:
    text = (DOCS / "spec-reference.md").read_text(encoding="utf-8")
    for cls in (Head, DatasetOptions, FitSettings, *protocols.registry().values()):
        for name in options_of(cls):
            assert f"| `{name}` |" in text, name
    for name in ("as", "name", "fit", "sweep", *protocols.registry()):
        assert name in text


def test_every_command_and_option_is_in_the_reference() -> None:
    text = (DOCS / "cli-reference.md").read_text(encoding="utf-8")

    def check(command: click.Command, path: str) -> None:
        section = re.search(rf"^#+ {re.escape(path)}\n(.*?)(?=^#|\Z)", text, flags=re.DOTALL | re.MULTILINE)
        assert section is not None, path
        for parameter in command.params:
            for name in parameter.opts if isinstance(parameter, click.Option) else ():
                assert f"`{name}`" in section[1], (path, name)
        if isinstance(command, click.Group):
            for name, below in command.commands.items():
                check(below, f"{path} {name}")

    for verb in COMMANDS:
        command = group.get_command(click.Context(group), verb)
        assert command is not None
        check(command, f"nmfrepro {verb}")


def test_every_method_and_parameter_is_on_its_page() -> None:
    text = (DOCS / "methods.md").read_text(encoding="utf-8")
    assert {name for name, cls in algorithms.registry().items() if cls.paper} <= set(on_the_page())
    for name in on_the_page():
        cls = algorithms.get(name)
        section = re.search(rf"^## [^\n]*: `{name}`\n(.*?)(?=^## |\Z)", text, flags=re.DOTALL | re.MULTILINE)
        assert section is not None, name
        assert all(f"| `{option}` |" in section[1] for option in options_of(cls)), name


@pytest.mark.parametrize(
    "path", [page for page in PAGES if "<!-- run -->" in page.read_text("utf-8")], ids=str
)
def test_commands_shown_run(path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for mark, content in marked(path.read_text(encoding="utf-8")):
        if mark != "run":
            Path(mark.removeprefix("file: ")).write_text(content, encoding="utf-8")
            continue
        for line in content.splitlines():
            words = shlex.split(line, comments=True)
            monkeypatch.setenv(plugins.VARIABLE, "")  # each command is a process of its own to a reader
            assert words[0] == "nmfrepro", line
            outcome = invoke(*words[1:])
            assert outcome.exit_code == 0, (line, outcome.output, outcome.exception)


@pytest.mark.parametrize("path", PAGES, ids=str)
def test_commands_shown_exist_with_their_options(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Those too that take minutes, or a cluster: they are understood, if not run."""
    monkeypatch.setattr(plugins, "use", lambda files: None)
    for block in re.findall(r"^ *```sh\n(.*?)```", path.read_text("utf-8"), flags=re.DOTALL | re.MULTILINE):
        for line in block.splitlines():
            for words in (shlex.split(part, comments=True) for part in line.split("&&")):
                if words[:1] == ["nmfrepro"]:
                    command = group.get_command(click.Context(group), words[1])
                    assert command is not None, line
                    command.make_context(words[1], words[2:], resilient_parsing="--help" in words)


def blocks_of_the_readme(language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", PAGES[0].read_text(encoding="utf-8"), flags=re.DOTALL)


def test_the_readme_shows_the_method_that_the_guide_checks() -> None:
    guide = dict(marked((DOCS / "own-algorithm.md").read_text(encoding="utf-8")))
    assert blocks_of_the_readme("python")[0] == guide["file: ridge_nmf.py"]


def test_the_spec_of_the_readme_is_valid(tmp_path: Path) -> None:
    (tmp_path / "my.yaml").write_text(blocks_of_the_readme("yaml")[0], encoding="utf-8")
    labels = [entry.label for entry in read_spec(tmp_path / "my.yaml").entries]
    assert labels == ["Kmeans", "NMF", "NLCF (mu = 0.1)", "NLCF (mu = 0.5)"]


def test_the_call_of_the_readme_runs() -> None:
    names: dict[str, Any] = {"X": np.random.default_rng(0).random((30, 20))}
    exec(blocks_of_the_readme("python")[1].replace("max_iter=500", "max_iter=5"), names)
    assert names["fit"].embedding.shape == (20, 8)


@pytest.mark.parametrize("path", PAGES, ids=str)
def test_links_lead_somewhere(path: Path) -> None:
    text = re.sub(r"```.*?```", "", path.read_text(encoding="utf-8"), flags=re.DOTALL)
    for target in re.findall(r"\]\(([^)#\s]+)", text):
        if "://" not in target:
            assert (path.parent / target).exists(), target


def test_every_page_is_in_the_site() -> None:
    text = (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
    listed = set(re.findall(r"^ *- [^:]+: ([\w-]+\.md)$", text, flags=re.MULTILINE))
    elsewhere = set(re.findall(r'": "([\w-]+\.md)"', (DOCS / "hooks.py").read_text(encoding="utf-8")))
    assert listed == {page.name for page in DOCS.glob("*.md")} | elsewhere


def test_names_of_the_python_page_exist() -> None:
    names = re.findall(
        r"^::: ([\w.]+)$", (DOCS / "python.md").read_text(encoding="utf-8"), flags=re.MULTILINE
    )
    assert len(names) > 10
    for name in names:
        module, _, attribute = name.rpartition(".")
        assert getattr(importlib.import_module(module), attribute).__doc__, name
    described = {name.rpartition(".")[2] for name in names}
    for page in DOCS.glob("own-*.md"):
        classes = set(re.findall(r"`([A-Z][a-z]\w+)`", page.read_text(encoding="utf-8")))
        assert classes <= described, f"{page}: no ::: line in python.md has them"


def test_the_schema_takes_every_experiment_and_refuses_mistakes() -> None:
    validator = jsonschema.Draft202012Validator(json.loads((DOCS / "spec.schema.json").read_text("utf-8")))
    validator.check_schema(validator.schema)
    for path in sorted((ROOT / "experiments").glob("*.yaml")):
        spec = read_tree(path, Complaints()).plain
        validator.validate(spec)
    for wrong in (
        {"seed": -1},
        {"sead": 1},
        {"algorithms": ["nfm"]},
        {"algorithms": [{"name": "nmf", "mu": 1}]},
    ):
        assert not validator.is_valid(spec | wrong), wrong


def test_python_that_is_marked_runs(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for page in ("python.md", "own-protocol.md"):
        text = (DOCS / page).read_text("utf-8")
        for block in re.findall(r"<!-- python -->\n```python\n(.*?)```", text, re.DOTALL):
            exec(compile(block, page, "exec"), {})
    printed = capsys.readouterr().out
    assert "Fit: U 64 × 10, V 10 × 1797" in printed
    assert "NLCF" in printed


def test_every_promise_names_tests_that_there_are() -> None:
    named = re.findall(r"`([\w/]+)::(\w+)`", (DOCS / "trust.md").read_text(encoding="utf-8"))
    assert len(named) > 30
    for path, name in named:
        source = (ROOT / "tests" / f"{path}.py").read_text(encoding="utf-8")
        assert re.search(rf"^def {name}\b", source, flags=re.MULTILINE), f"{path}::{name}"
