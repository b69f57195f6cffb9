"""Running specs from Python: the examples of the documentation, and what goes wrong."""

from __future__ import annotations

import doctest
import importlib
import inspect
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from commandline import invoke
from handmade import write_results
from PIL import Image
from tiny import entry, make_spec, write_spec

import nmfrepro
from nmfrepro import commands
from nmfrepro import runs as runner
from nmfrepro.algorithms.nlcf import NLCF
from nmfrepro.cli.run import run_command
from nmfrepro.core.errors import DataError, NmfreproError, ResultsError, SpecError
from nmfrepro.spec.mappings import tree_of
from nmfrepro.spec.reader import read_mapping, read_spec

METHOD = """
from dataclasses import dataclass
from nmfrepro.method import TwoFactor, ratio

@dataclass(frozen=True)
class Own(TwoFactor):
    name = "own"

    def update(self, X, U, V):
        U = U * ratio(X @ V, U @ (V.T @ V))
        return U, V * ratio(X.T @ U, V @ (U.T @ U))

    def objective(self, X, U, V):
        return float(((X - U @ V.T) ** 2).sum())
"""


def test_the_examples_do_what_they_say(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    found = doctest.testmod(commands)
    assert found.failed == 0
    assert found.attempted >= 8


def test_failed_trials_are_rows_and_a_warning(tmp_path: Path) -> None:
    spec = make_spec(tmp_path, [entry("scripted", does="bug")], protocol={"clusters": [3]})
    with pytest.warns(UserWarning, match="1 of 1 trials failed"):
        frame = nmfrepro.run(spec, results=tmp_path, jobs=1)
    assert frame["status"].tolist() == ["failed"]


@pytest.mark.parametrize("jobs", [0, -1, 1.5, "2"])
def test_a_number_of_workers_that_is_none_is_refused(tmp_path: Path, jobs: Any) -> None:
    with pytest.raises(SpecError, match=r"jobs must be a whole number >= 1"):
        nmfrepro.run(write_spec(tmp_path), results=tmp_path / "results", jobs=jobs, fresh=True)
    assert not (tmp_path / "results").exists()  # refused before anything is written or set aside


def test_what_a_table_cannot_be_chosen_by_is_refused(tmp_path: Path) -> None:
    folder = write_results(tmp_path / "r", lambda label, at: 0.5).folder
    with pytest.raises(ResultsError, match="select must be test or validation, not 'validaton'"):
        nmfrepro.stats(folder, select="validaton")
    pd.testing.assert_frame_equal(nmfrepro.table(folder, "accuracy"), nmfrepro.table(folder, ["accuracy"]))


@pytest.mark.parametrize(("by", "ends"), [(signal.SIGINT, KeyboardInterrupt), (signal.SIGTERM, SystemExit)])
def test_an_interrupted_run_is_no_result(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, by: int, ends: type[BaseException]
) -> None:
    summary = runner.Summary(tmp_path, 2, 1, 0, 0, 1, by, 1.0, {})
    monkeypatch.setattr(runner, "run", lambda *arguments, **options: summary)
    with pytest.raises(ends):
        nmfrepro.run(write_spec(tmp_path), results=tmp_path)


def test_the_package_shows_what_there_is() -> None:
    assert set(dir(nmfrepro)) == {*nmfrepro.__all__, "__version__"}
    for name in nmfrepro.__all__:
        assert getattr(nmfrepro, name).__doc__, name


def test_a_spec_may_be_a_mapping_with_methods_as_classes_and_instances(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    own = tmp_path / "own_nmf.py"
    own.write_text(METHOD, encoding="utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    spec = {
        "dataset": {"name": "digits", "scale": "max"},
        "protocol": {"kind": "clustering", "clusters": np.array([2]), "repeats": 1},
        "fit": {"restarts": 1, "max_iter": 5, "tol": 0},
        "algorithms": [NLCF(mu=0.3), {"name": NLCF, "mu": 0.5}, importlib.import_module("own_nmf").Own],
        "seed": 1,
    }
    written = tmp_path / "same.yaml"
    written.write_text(
        "dataset: {name: digits, scale: max}\nseed: 1\nfit: {restarts: 1, max_iter: 5, tol: 0}\n"
        "protocol: {kind: clustering, clusters: [2], repeats: 1}\n"
        "algorithms: [{name: nlcf, mu: 0.3}, {name: nlcf, mu: 0.5}, own]\n"
    )
    frame = nmfrepro.run(spec, name="mine", results=tmp_path, jobs=1, quiet=True)
    assert frame["label"].tolist() == ["NLCF (mu = 0.3)", "NLCF (mu = 0.5)", "Own"]
    assert frame["status"].tolist() == ["ok"] * 3
    # The same trials as of a file with the plug-in, by which others compute them again.
    assert read_spec(written).entries == read_mapping(spec, "same").entries
    assert '"own_nmf.py"' in (tmp_path / "mine" / "run.json").read_text("utf-8")
    with pytest.raises(SpecError, match=r"mine\.fit\.restarts: restarts must be"):
        nmfrepro.run({**spec, "fit": {"restarts": 0, "max_iter": 5, "tol": 0}}, name="mine", results=tmp_path)
    with pytest.raises(SpecError, match="needs a name for its results folder"):
        nmfrepro.run(spec)
    with pytest.raises(SpecError, match=r"algorithms\[0\]: .* is nothing that a spec can hold"):
        read_mapping({**spec, "algorithms": [object()]}, "mine")


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"name": "a/b"}, "^name: a/b cannot be a folder's"),
        ({"name": 5}, "^name: 5 cannot"),
        ({"only": "nlcf"}, r"^only must be a list of text, as only=\['nlcf'\]$"),
        ({"only": [5]}, r"^only must be a list of text, as only=\['nmf'\]$"),
        ({"also": "nmf"}, r"^also must be a list, as also=\['nmf'\]$"),
        ({"also": NLCF}, "^also must be a list"),
        ({"overrides": "seed=2"}, r"^overrides must be a list of text, as overrides=\['seed=2'\]$"),
        *(
            ({"overrides": given}, r"^overrides must be a list of text, as overrides=\['fit.max_iter=10'\]$")
            for given in ({"fit.max_iter": 10}, [{"fit.max_iter": 10}], ["seed=2", None], None)
        ),
        ({"overrides": ["seed"]}, "^overrides: seed: write key=value"),
        ({"smoke": "no"}, "^smoke must be True or False, not 'no'$"),
        ({"fresh": "no"}, "^fresh must be True or False"),
        ({"keep_failed": None}, "^keep_failed must be True or False"),
    ],
)
def test_what_cannot_be_meant_is_refused_before_anything_is_run(options: Any, said: str) -> None:
    spec = {
        "dataset": "digits",
        "protocol": {"kind": "clustering", "clusters": [2]},
        "algorithms": ["kmeans"],
    }
    with pytest.raises(SpecError, match=said):
        nmfrepro.run(spec, **({"name": "mine"} | options))


def test_a_method_of_the_session_alone_is_refused() -> None:
    class Unfiled(NLCF):
        name = "unfiled"

    Unfiled.__module__ = "__main__"
    with pytest.raises(SpecError, match="Unfiled must stand in a file of its own"):
        tree_of([Unfiled], "mine")


def test_results_as_frames_pictures_and_a_page(tmp_path: Path) -> None:
    """Differences by hand: NLCF is 10 points ahead in every draw; printed means of Table V are given."""

    def score(label: str, at: dict[str, int]) -> float:
        return 0.5 + 0.01 * at["draw"] + (0.1 if label == "NLCF" else 0)

    folder = write_results(tmp_path / "r", score, published="nlcf/table5_orl").folder
    compared = nmfrepro.compare(folder).set_index(["label", "row"])
    cell = compared.loc[("NMF", "2")]
    assert cell["difference"] == pytest.approx(cell["reproduced"] - cell["published"])
    assert cell["reproduced"] == pytest.approx(51)
    assert cell["low"] < cell["difference"] < cell["high"]
    assert set(nmfrepro.compare(folder, folder)["difference"]) == {0}
    tested = nmfrepro.stats(folder)
    assert tested[["first", "second", "n"]].to_numpy().tolist() == [["NMF", "NLCF", 7]]
    assert tested["ahead"].item() == pytest.approx(-10)
    assert tested[["wins", "ties", "losses"]].to_numpy().tolist() == [[0, 0, 7]]
    assert nmfrepro.stats([folder])["ahead"].item() == pytest.approx(-10)
    assert all(path.is_file() for path in nmfrepro.plot(folder, tmp_path / "figures"))
    one = nmfrepro.plot(folder, tmp_path / "one", metrics="accuracy", highlight="nlcf*")
    assert "accuracy" in {path.stem for path in one}
    assert not any("nmi" in path.stem for path in one)
    with pytest.raises(SpecError, match=r"^form: there is no 'gif'"):
        nmfrepro.plot(folder, tmp_path / "none", form="gif")
    for option, example in (("metrics", "accuracy"), ("highlight", r"nlcf\*")):
        for given in (5, [5], {"NMF": 1}):
            with pytest.raises(
                SpecError, match=rf"^{option} must be a list of text, as {option}=\['{example}'"
            ):
                nmfrepro.plot(folder, tmp_path / "none", **{option: given})
    with pytest.raises(SpecError, match=r"^metrics must be a list of text"):
        nmfrepro.table(folder, 5)  # type: ignore[arg-type]
    with pytest.raises(ResultsError, match=r"^rope must be"):
        nmfrepro.stats(folder, rope=-5)
    page = nmfrepro.report(folder, output=tmp_path / "page.html")
    assert "<title>nmfrepro report</title>" in page.read_text("utf-8")
    (drawn,) = nmfrepro.plot(folder, tmp_path / "narrow", metrics="accuracy", width="single")[:1]
    with Image.open(drawn) as picture:
        assert picture.width == int(8.9 / 2.54 * 200)
    (folder / "run.json").write_text("{}")
    with pytest.warns(UserWarning, match=r"run\.json: damaged"):
        nmfrepro.report(folder, output=page)
    with pytest.raises(ResultsError, match=r"no is no folder; make it first"):
        nmfrepro.report(folder, output=tmp_path / "no" / "page.html")
    assert not (tmp_path / "no").exists()
    page.write_text("<html>mine")
    with pytest.raises(ResultsError, match="is no page of nmfrepro"):
        nmfrepro.report(folder, output=page)
    assert page.read_text() == "<html>mine"


def test_of_several_folders_those_without_the_metric_are_named(tmp_path: Path) -> None:
    for name, metric in (("mnist", "nmi"), ("orl", "nmi"), ("other", "purity")):
        write_results(
            tmp_path / name, lambda *_: 0.5, metrics=(metric,), dataset=name.replace("other", "orl")
        )
    (tmp_path / "zzz").mkdir()
    (tmp_path / "zzz" / "run.json").write_text("{}")
    with pytest.warns(UserWarning, match="^Left out: ") as told:
        assert len(nmfrepro.stats(tmp_path, "nmi")) == 1
    assert [str(each.message).split(": ")[:2] for each in told] == [
        ["Left out", str(tmp_path / "other")],
        ["Left out", str(tmp_path / "zzz" / "run.json")],
    ]
    assert {each.filename for each in told} == {__file__}


def test_a_table_selects_as_the_command_does(tmp_path: Path) -> None:
    cells = [{"train": 2, "k": k, "split": s} for k in (5, 6) for s in range(2)]

    def score(label: str, at: dict[str, int]) -> dict[str, float | str | None]:
        return {"nn": 0.1 * at["k"], "nn_validation": -0.1 * at["k"] + 1}

    write_results(
        tmp_path / "one",
        score,
        columns=[("NMF", "nmf")],
        cells=cells,
        metrics=("nn", "nn_validation"),
        kind="recognition",
    )
    for select, k in (("test", 6), ("validation", 5)):
        assert nmfrepro.table(tmp_path / "one", "nn", select=select)["k"].tolist() == [k]


def test_an_option_of_pictures_that_is_none_is_told(tmp_path: Path) -> None:
    write_results(tmp_path / "one", lambda *_: 0.5)
    with pytest.raises(
        SpecError, match=r"^plot has no option 'format'; did you mean form\? allowed: form, log"
    ):
        nmfrepro.plot(tmp_path / "one", format="svg")
    with pytest.raises(SpecError, match=r"^form: there is no 'svg'; allowed: png, pdf"):
        nmfrepro.plot(tmp_path / "one", form="svg")


def test_no_folders_have_no_statistics() -> None:
    with pytest.raises(ResultsError, match="no results folder"):
        nmfrepro.stats([])


@pytest.mark.parametrize(
    "use", [nmfrepro.stats, nmfrepro.table, nmfrepro.compare, nmfrepro.plot, nmfrepro.report]
)
def test_what_is_no_folder_is_told_as_such(use: Any) -> None:
    with pytest.raises(ResultsError, match="a results folder is named by text or a path, not by int"):
        use(5)


def test_data_of_ones_own(tmp_path: Path) -> None:
    np.savez(tmp_path / "a.npz", X=np.arange(12.0).reshape(4, 3), y=[0, 0, 1, 1])
    data = nmfrepro.load_dataset(tmp_path / "a.npz", scale="max")
    np.testing.assert_array_equal(data.X, np.arange(12.0).reshape(4, 3) / 11)
    again = nmfrepro.load_dataset(tmp_path / "a.npz", levels=22)
    np.testing.assert_array_equal(again.X, np.arange(12.0).reshape(4, 3) / 22)
    np.testing.assert_array_equal(again.scaled("grey"), again.X)  # which is so scaled
    with pytest.raises(DataError, match="needs levels"):
        data.scaled("grey")
    assert repr(data).startswith("a: 4 samples of 3 values in 2 classes, from ")
    with pytest.raises(SpecError, match="there is no dataset"):
        nmfrepro.load_dataset("", scale="max")
    with pytest.raises(SpecError, match="did you mean digits"):
        nmfrepro.load_dataset("digitss")
    with pytest.raises(SpecError, match="scale="):  # in Python's words
        nmfrepro.load_dataset(tmp_path / "a.npz")
    with pytest.raises(DataError, match="named by data_dir is no"):
        nmfrepro.load_dataset("orl", data_dir=tmp_path / "none")
    with pytest.raises(SpecError, match="name does not go with digits"):
        nmfrepro.load_dataset("digits", name="yale")


@pytest.mark.parametrize("given", [np.eye(3), [[1.0]], pd.DataFrame([[1.0]])])
def test_an_array_in_the_place_of_a_file_is_told(given: Any) -> None:
    what = f"path, not {type(given).__name__}; give an array to factorize"
    with pytest.raises(SpecError, match=rf"spec\.dataset\.file: file must be a {what}"):
        read_mapping({"dataset": {"file": given, "scale": "max"}}, "spec")
    with pytest.raises(SpecError, match=f"takes a name or a {what}"):
        nmfrepro.load_dataset(given)


def test_a_source_is_chosen_by_its_name() -> None:
    data = nmfrepro.load_dataset("digits", source="scikit-learn")
    assert data.source == "scikit-learn"
    with pytest.raises(SpecError, match="source is 'crop'; allowed: scikit-learn"):
        nmfrepro.load_dataset("digits", source="crop")
    with pytest.raises(SpecError, match="no parameter 'sorce'; did you mean source"):
        nmfrepro.load_dataset("digits", sorce="crop")


def test_only_my_column_is_computed_against_stored_rows(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    spec = {
        "dataset": {"name": "digits", "scale": "max"},
        "protocol": {"kind": "clustering", "clusters": [2], "repeats": 2},
        "fit": {"restarts": 1, "max_iter": 5, "tol": 0},
        "algorithms": ["nmf"],
        "seed": 1,
    }
    options: Any = {"name": "mine", "jobs": 1}
    stored = nmfrepro.run(spec, results=tmp_path / "stored", quiet=True, **options)
    both = nmfrepro.run(
        spec, results=tmp_path / "new", also=[NLCF(mu=0.3)], against=tmp_path / "stored", **options
    )
    assert both["label"].tolist() == ["NMF", "NLCF"] * 2
    assert both[both["label"] == "NMF"]["accuracy"].tolist() == stored["accuracy"].tolist()
    assert "2 stored rows of NMF" in capsys.readouterr().out


def test_run_takes_what_the_command_takes() -> None:
    shown_alone = {"specs", "dry_run", "profile", "plugin", "help"}
    options = {str(each.name) for each in run_command.params} - shown_alone
    assert options <= set(inspect.signature(nmfrepro.run).parameters)


@pytest.mark.parametrize(
    ("verb", "source", "given", "options", "python", "shell"),
    [
        ("run", "tiny.yaml", {"only": ["zz"]}, "--only zz", "only='zz' matches no", "--only zz matches no"),
        ("run", "tiny.yaml", {"against": "r"}, "--against r", "against='r': none", "--against r: none"),
        ("run", "tiny.yaml", {"dask": "x"}, "--dask x", "dask='x': not the", "--dask x: not the"),
        ("run", "timed.yaml", {"dask": "x"}, "--dask x", "run it without dask", "run it without --dask"),
        (
            "run",
            "slow.yaml",
            {"dask": "x"},
            "--dask x",
            "add overrides=['timeout=null']",
            "add --set timeout=null",
        ),
        (
            "run",
            "tiny.yaml",
            {"dask": "x", "submit": "local"},
            "--dask x --submit local",
            "submit and dask are two ways",
            "--submit and --dask are two ways",
        ),
        (
            "run",
            "tiny.yaml",
            {"dask": "x", "jobs": 2},
            "--dask x --jobs 2",
            "jobs is for workers on this machine: leave it out, or dask",
            "--jobs is for workers on this machine: leave it out, or --dask",
        ),
        ("run", "torn.yaml", {}, "", "torn/trials.csv:1: not the header of", "run with --fresh"),
        ("stats", "r", {"control": "C"}, "--control C", "control='C': no such", "--control C: no such"),
        ("compare", "r", {}, "", "give published='NAME', one", "give --published NAME, one"),
    ],
)
def test_an_error_names_settings_as_its_reader_writes_them(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    verb: str,
    source: str,
    given: Any,
    options: str,
    python: str,
    shell: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    text = write_spec(tmp_path).read_text()
    (tmp_path / "slow.yaml").write_text(f"{text}timeout: 9\n")
    (tmp_path / "timed.yaml").write_text(
        text.replace("clustering, clusters: [2, 3], repeats: 2", "runtime, classes: [2]")
    )
    write_spec(tmp_path, name="torn.yaml")
    (tmp_path / "results" / "torn").mkdir(parents=True)
    (tmp_path / "results" / "torn" / "trials.csv").write_text("a,b\n")
    write_results(tmp_path / "r", lambda label, at: 0.5)
    with pytest.raises(NmfreproError) as caught:
        getattr(nmfrepro, verb)(source, **given)
    assert python in str(caught.value)
    assert "--" not in str(caught.value)
    assert shell in str(invoke(verb, source, *options.split()).exception)


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
