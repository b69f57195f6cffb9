"""`nmfrepro cite` as a user runs it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import yaml
from commandline import invoke

from nmfrepro import __version__, algorithms, datasets, papers
from nmfrepro.core.errors import SpecError
from nmfrepro.papers import bibliography


def cite(*names: str) -> str:
    outcome = invoke("cite", *names)
    if outcome.exception is not None:
        raise outcome.exception
    return outcome.output


def fields_of(key: str) -> tuple[str, dict[str, str]]:
    """The kind of an entry, and its fields by name."""
    text = bibliography.entries()[key]
    return text[1 : text.index("{")], dict(re.findall(r"^  (\w+) = \{(.*)\},$", text, re.MULTILINE))


def test_every_method_dataset_and_published_table_has_an_entry() -> None:
    stated = [name for name, cls in algorithms.registry().items() if cls.cites]
    assert len(stated) >= 25
    for name in (*stated, *papers.names(), *set(datasets.registry()) - {"corel"}):
        assert "@" in cite(name), name


def test_an_entry_is_complete_and_printed_once() -> None:
    text = cite("nlcf", "nlcf/table5_orl", "nlcf_g")
    assert text.count("@article{chen2013nlcf,") == 1
    assert "doi = {10.1109/TIP.2012.2224357}," in text
    assert "@article{cai2011gnmf," in text
    for key in bibliography.entries():
        kind, fields = fields_of(key)
        venue = {"article": "journal", "techreport": "institution", "misc": "howpublished"}
        assert {"author", "title", "year", venue.get(kind, "booktitle")} <= fields.keys(), key
        assert all(value.count("{") == value.count("}") for value in fields.values())
        assert re.search(r"(19|20)\d\d", key)
        assert fields["year"] in key


def test_the_software_is_cited_as_its_citation_file_says() -> None:
    facts = yaml.safe_load((Path(__file__).parents[2] / "CITATION.cff").read_text(encoding="utf-8"))
    _, fields = fields_of("nmfrepro2026")
    assert facts["version"] == __version__
    assert fields["title"] == facts["title"]
    assert fields["author"] == f"{{{facts['authors'][0]['name']}}}"
    assert fields["year"] == facts["date-released"][:4]
    assert f"version {__version__}" in cite("nmfrepro")


def test_the_year_is_that_of_the_method_page() -> None:
    for name, cls in algorithms.registry().items():
        if keys := [key for key in cls.cites if not key.startswith("@")]:
            assert fields_of(keys[0])[1]["year"] in cls.paper, name


def test_a_method_may_bring_its_own_entry(monkeypatch: pytest.MonkeyPatch) -> None:
    own = "@misc{me2026, author = {Me}, year = {2026}}"
    monkeypatch.setattr(algorithms.get("nmf"), "cites", (own, "lee2001nmf"))
    assert cite("nmf").startswith(f"{own}\n\n@inproceedings{{lee2001nmf,")


def test_what_cannot_be_cited_says_why(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(algorithms.get("nmf"), "cites", ())
    with pytest.raises(SpecError, match="no BibTeX entry for nmf, its class has no cites; its paper is: Lee"):
        cite("nmf")
    with pytest.raises(SpecError, match="credit: Corel image collection"):
        cite("corel")
    with pytest.raises(SpecError, match="did you mean nlcf"):
        cite("nlfc")
    with pytest.raises(
        SpecError, match="nothing is called 'table5'; allowed"
    ):  # yale has three letters of it
        cite("table5")
