"""Results made with a plug-in, where it is not given any more or is another now."""

from __future__ import annotations

import hashlib
import json
import re
from pathlib import Path

import pytest
from commandline import invoke
from tiny import TEXT, unseal, write_spec

from nmfrepro import runs
from nmfrepro.core.errors import ResultsError, SpecError
from nmfrepro.registry import plugins, skeleton
from nmfrepro.registry.plugins import Plugin
from nmfrepro.runs.recorded import open_results
from nmfrepro.spec.reader import read_spec

pytestmark = pytest.mark.usefixtures("in_process")
OWN = TEXT.replace("{name: nlcf, mu: 0.1}", "own_nmf")


@pytest.fixture
def made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a method of one's own, a spec and its results; the method is not in use any more."""
    monkeypatch.chdir(tmp_path)
    method, _ = skeleton.write("algorithm", "own_nmf", tmp_path)
    plugins.use([method])
    runs.run(runs.prepare(read_spec(write_spec(tmp_path, OWN))), Path("results"), announce=lambda line: None)
    monkeypatch.setenv(plugins.VARIABLE, "")
    return method


def complaint(*arguments: str) -> str:
    """What a command says when it refuses."""
    result = invoke(*arguments)
    assert result.exit_code == 2
    return str(result.exception)


def told(method: Path) -> str:
    """How the plug-in is to be told."""
    return f"plug-in own_nmf.py (sha256 {hashlib.sha256(method.read_bytes()).hexdigest()[:12]})"


def test_run_and_verify_say_which_plug_in_is_lacking(made: Path) -> None:
    folder = Path("results", "tiny")
    remedy = f"made with {told(made)}; give --plugin own_nmf.py"
    assert complaint("run", "tiny.yaml") == f"tiny.yaml: {folder} was {remedy}"
    assert complaint("verify", str(folder)) == f"{folder}: {remedy}"


def test_another_mistake_in_the_spec_is_told_as_it_is(made: Path) -> None:
    write_spec(made.parent, TEXT.replace("nmf,", "nfm,"))
    assert "there is no algorithm 'nfm'" in complaint("run", "tiny.yaml")


def test_a_table_says_with_which_plug_in_it_was_made(made: Path) -> None:
    result = invoke("table", Path("results", "tiny"))
    assert result.exit_code == 0
    assert f"; {told(made)}." in result.output.splitlines()[-1]


def test_results_of_a_protocol_that_is_not_given_are_shown_by_every_verb(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    path, _ = skeleton.write("protocol", "own_clustering", tmp_path)
    plugins.use([path])
    spec = read_spec(write_spec(tmp_path, TEXT.replace("kind: clustering", "kind: own_clustering")))
    runs.run(runs.prepare(spec), Path("results"), announce=lambda line: None)
    monkeypatch.setenv(plugins.VARIABLE, "")
    for verb, said in {
        "table": "## Accuracy (%)",
        "stats": "| NMF   | NLCF   |     3 |",
        "plot": "results/tiny/figures/accuracy.png",
        "rows": "| NLCF   |   3 |    0 |",
        "report": "report.html: 1 experiment",
        "leaderboard": "site/index.html: 1 experiment",
        "export macros": "macros.tex: 18 macros",
        "export rocrate": "crate.zip",
    }.items():
        result = invoke(*verb.split(), "results/tiny")
        assert (result.exit_code, said in result.output) == (0, True), (verb, result.output)


@pytest.mark.parametrize("verb", ["table", "stats"])
@pytest.mark.parametrize(("metric", "hint"), [("acc", "did you mean accuracy? "), ("seconds", "")])
def test_a_metric_that_no_row_has_is_not_the_plug_ins(made: Path, verb: str, metric: str, hint: str) -> None:
    folder = Path("results", "tiny")
    told = complaint(verb, str(folder), "--metric", metric)
    assert told.startswith(f"{folder}: no metric {metric!r} in the results; {hint}allowed: accuracy, nmi")
    assert "plug-in" not in told


def test_a_dataset_of_a_plug_in_is_missed_too(made: Path) -> None:
    path = unseal(Path("results", "tiny")) / "run.json"
    run = json.loads(path.read_text())
    run["dataset"]["name"] = run["spec"]["dataset"]["name"] = "own_digits"
    run["spec"]["dataset"]["file"] = None
    run["spec"]["algorithms"] = run["spec"]["algorithms"][:1]
    run["trials"] = run["trials"][::2]
    path.write_text(json.dumps(run))
    with pytest.raises(ResultsError, match=r"made with plug-in own_nmf\.py"):
        open_results(path.parent)


def test_verify_says_that_the_plug_in_is_another(made: Path) -> None:
    before = hashlib.sha256(made.read_bytes()).hexdigest()[:12]
    made.write_text(made.read_text() + "# changed\n")
    after = hashlib.sha256(made.read_bytes()).hexdigest()[:12]
    plugins.use([made])
    assert open_results(Path("results", "tiny")).changed == {
        "OWN-NMF": "plug-in own_nmf.py differs from the one that made the rows: "
        f"sha256 was {before}, is {after}"
    }


def test_tables_say_that_the_plug_in_of_a_method_or_protocol_is_another(made: Path) -> None:
    def notes() -> list[str]:
        lines = invoke("table", Path("results", "tiny")).output.splitlines()
        return [line for line in lines if line.startswith("- Plug-in")]

    before, folder = hashlib.sha256(made.read_bytes()).hexdigest()[:12], made.parent
    plugins.use([made])
    assert notes() == []
    made.write_text(made.read_text() + "# changed\n")
    after = hashlib.sha256(made.read_bytes()).hexdigest()[:12]
    assert notes() == [
        "- Plug-in own_nmf.py differs from the one that made the rows: "
        f"sha256 was {before}, is {after}; run the spec again for the numbers of this one."
    ]
    runs.run(runs.prepare(read_spec(folder / "tiny.yaml")), Path("results"), announce=lambda line: None)
    assert notes() == []


def test_tables_name_the_plug_in_that_made_their_rows_and_no_other_version(made: Path) -> None:
    """Also where an edit was undone, and the rows of the first version are taken again."""
    plugins.use([made])
    first, versions = made.read_text(), list[str]()
    for text in (first, f"{first}# changed\n", first):
        made.write_text(text)
        runs.run(runs.prepare(read_spec(Path("tiny.yaml"))), Path("results"), announce=lambda line: None)
        versions.append(told(made))
        lines = invoke("table", Path("results", "tiny")).output.splitlines()
        assert not any(line.startswith("- Plug-in") for line in lines)
        assert re.findall(r"plug-in .*\)", lines[-1]) == [told(made)]
    assert versions[0] == versions[2] != versions[1]


def test_an_installed_package_is_to_be_installed() -> None:
    made, names = [Plugin("own_methods", "0123456789abcdef")], {"own_nmf", "clustering", "orl"}
    remedy = "made with plug-in own_methods (sha256 0123456789ab); install the package of own_methods"
    assert plugins.lacking(made, names, SpecError("…", unknown=("algorithm", "own_nmf"))) == remedy
    assert plugins.lacking(made, names, SpecError("…", unknown=("algorithm", "another"))) == ""
