"""`nmfrepro list` and `nmfrepro show`: everything there is, readable at 80 to 110 columns."""

from __future__ import annotations

import inspect
import re
from pathlib import Path

import pytest
from commandline import invoke

from nmfrepro import algorithms, datasets, papers, protocols
from nmfrepro.algorithms import Iterative
from nmfrepro.core.options import options_of
from nmfrepro.spec.files import experiments

EVERYTHING = {
    "algorithms": list(algorithms.registry()),
    "datasets": list(datasets.registry()),
    "experiments": list(experiments()),
    "protocols": list(protocols.registry()),
    "metrics": list(protocols.metrics()),
    "published": list(papers.names()),
}


def shown(*arguments: str) -> str:
    result = invoke(*arguments)
    assert result.exit_code == 0, result.output
    return result.stdout


def flat(text: str) -> str:
    return " ".join(text.split())


@pytest.mark.parametrize("columns", [40, 80, 97, 300])
@pytest.mark.parametrize("what", EVERYTHING)
def test_lists_are_complete_and_fit(monkeypatch: pytest.MonkeyPatch, what: str, columns: int) -> None:
    monkeypatch.setenv("COLUMNS", str(columns))
    lines = shown("list", what).splitlines()
    rows = lines[2 : lines.index("") if "" in lines else None]  # a hint may follow
    assert [line.split()[0] for line in rows if line[0] != " "] == EVERYTHING[what]
    assert max(map(len, lines)) <= min(max(columns, 80), 110)
    assert not any(line != line.rstrip() or "``" in line for line in lines)


def test_lists_say_what_matters() -> None:
    text = flat(shown("list", "algorithms"))
    assert "nlcf NLCF Nonnegative local coordinate factorization" in text
    assert "orl 400 40 32x32, 64x64 ORL faces" in flat(shown("list", "datasets"))
    assert "orl_nlcf orl NLCF on ORL" in flat(shown("list", "experiments"))
    assert "nlcf/table5_orl Table V orl Chen" in flat(shown("list", "published"))
    assert "nmi NMI clustering" in flat(shown("list", "metrics"))


def test_listing_datasets_loads_none(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise AssertionError("data was loaded")

    monkeypatch.setattr(datasets, "load", refuse)
    shown("list", "datasets")
    shown("show", "orl")


@pytest.mark.parametrize("name", EVERYTHING["algorithms"])
def test_an_algorithm_shows_all_that_it_declares(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.setenv("COLUMNS", "100")
    cls = algorithms.get(name)
    text = shown("show", name)
    assert max(map(len, text.splitlines())) <= 110
    words = flat(text)
    for said in (cls.title, cls.paper, cls.objective_text, *cls.uncertain, f"revision {cls.revision}"):
        assert flat(said) in words
    for option in options_of(cls).values():
        assert flat(f"{option.name} {'required' if option.required else ''}") in words
        assert flat(option.help) in words
        assert flat(option.allowed) in words
    if issubclass(cls, Iterative):
        for factor, axes in cls.factors.items():
            assert f"{factor} {' × '.join(axes)}" in words
        assert ("def given(self, problem" in text) == (cls.given is not Iterative.given)
        steps = re.findall(r"self\.(\w+)\(", inspect.getsource(cls.update))
        assert all(f"def {step}(" in text for step in steps)


@pytest.mark.parametrize("name", [name for names in EVERYTHING.values() for name in names])
def test_everything_listed_can_be_shown(name: str) -> None:
    assert name in shown("show", name)


def test_a_dataset_shows_credit_sources_and_how_to_write_it() -> None:
    words = flat(shown("show", "orl"))
    known = datasets.get("orl")
    for said in (known.credit, known.licence, known.preprocessing, "originals", "nmfrepro data fetch orl"):
        assert flat(said) in words
    assert "dataset: {name: orl, size: 32x32}" in words
    assert "carried by scikit-learn In a spec" in flat(shown("show", "digits"))


def test_an_experiment_shows_its_path_and_text() -> None:
    path = experiments()["orl_nlcf"]
    text = shown("show", "orl_nlcf")
    assert str(path) in text
    assert path.read_text(encoding="utf-8").strip() in text


def test_an_unknown_name_suggests_one() -> None:
    assert "nothing is called 'nclf'; did you mean nlcf?" in str(invoke("show", "nclf").exception)


def test_an_imported_file_is_told_as_what_it_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NMFREPRO_DATA", str(tmp_path))
    path = tmp_path / "toy.npz"
    path.touch()
    where = f"an imported file is named by its path, {path}, in a spec under file"
    assert str(invoke("show", "toy").exception) == f"nothing to show is called 'toy'; {where}"


def test_a_method_that_does_not_say_what_its_encodings_are_has_no_line_for_them(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert "  Encodings: " in shown("show", "nmf_ncw")
    monkeypatch.setattr(algorithms.get("nmf_ncw").embedding, "__doc__", None)
    text = shown("show", "nmf_ncw")
    assert "Encodings:" not in text
