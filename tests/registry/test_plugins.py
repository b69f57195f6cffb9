"""Methods and datasets in a user's file: listed, validated, run in workers, recorded."""

from __future__ import annotations

import hashlib
import importlib.metadata
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from commandline import invoke

from nmfrepro import algorithms, datasets, protocols
from nmfrepro.algorithms.nmf import NMF
from nmfrepro.analysis.tables import make_table
from nmfrepro.cli import main
from nmfrepro.commands import run
from nmfrepro.core.errors import SpecError
from nmfrepro.method import TwoFactor
from nmfrepro.registry import plugins, skeleton
from nmfrepro.results.folder import read
from nmfrepro.spec.reader import read_spec

SPEC = """
dataset: {name: %s, scale: grey}
protocol: {kind: clustering, clusters: [2], repeats: 1}
fit: {restarts: 1, max_iter: 10, tol: 0}
algorithms: [nmf, my_nmf]
seed: 1
"""
DATASET = """
from dataclasses import replace
from pathlib import Path
import nmfrepro.datasets
from nmfrepro.datasets.described import described
digits = dict(described())["digits"]
DATASET = replace(digits, name="my_digits")
"""


@pytest.fixture
def method(tmp_path, monkeypatch):
    """The skeleton's method, in use for one test."""
    monkeypatch.chdir(tmp_path)
    path, _ = skeleton.write("algorithm", "my_nmf", tmp_path)
    plugins.use([path])
    return path


def test_a_method_in_a_file_gives_the_numbers_of_the_built_in_one_in_worker_processes(method):
    spec = method.with_name("own.yaml")
    spec.write_text(SPEC % "digits")
    frame = run(spec, jobs=1)
    assert list(frame["status"]) == ["ok", "ok"]
    # With lam = 0 the skeleton's updates are those of NMF, from the same start.
    assert frame["objective"][1] == pytest.approx(frame["objective"][0], rel=1e-9)
    record = json.loads(Path("results/own/run.json").read_text())
    digest = hashlib.sha256(method.read_bytes()).hexdigest()
    assert record["environment"]["plugins"] == [{"name": "my_nmf.py", "sha256": digest, "modules": []}]


@pytest.mark.usefixtures("in_process")
def test_how_encodings_are_read_is_noted_under_a_table_that_is_made_without_the_plug_in(method, monkeypatch):
    spec = method.with_name("own.yaml")
    spec.write_text(SPEC % "digits")
    run(spec, jobs=1)
    monkeypatch.setenv(plugins.VARIABLE, "")
    (note,) = (each for each in make_table(read(Path("results/own"))).notes if each.startswith("Parameters"))
    assert note.startswith("Parameters: NMF: normalize = unit; ")
    assert note.endswith(", normalize = unit (by its class).")


def test_a_dataset_in_a_file_is_known_and_validated(method):
    data = method.with_name("my_data.py")
    data.write_text(DATASET)
    plugins.use([data])
    spec = method.with_name("own.yaml")
    spec.write_text(SPEC % "my_digits")
    assert read_spec(spec).dataset.name == "my_digits"
    assert "digits" in datasets.registry()


def test_a_protocol_in_a_file_is_known(method):
    own = method.with_name("my_protocol.py")
    own.write_text(
        "from typing import ClassVar\n"
        "from nmfrepro.protocols.clustering import Clustering\n"
        "class Own(Clustering):\n    'Ours.'\n    kind: ClassVar[str] = 'own'\n"
    )
    plugins.use([own])
    assert protocols.get("own").__doc__ == "Ours."


def test_a_method_that_derives_from_one_of_ours_has_nothing_of_its_paper(tmp_path, monkeypatch):
    path = tmp_path / "child.py"
    path.write_text(
        '"""A child."""\nfrom dataclasses import dataclass\nfrom nmfrepro.algorithms.nlcf import NLCF\n'
        '@dataclass(frozen=True)\nclass Child(NLCF):\n    """NLCF with a ridge on V."""\n    name = "child"\n'
        "    def objective(self, X, U, V):\n        return super().objective(X, U, V) + (V**2).sum()\n"
    )
    monkeypatch.chdir(tmp_path)
    text = invoke("show", "child", "--plugin", path).output
    assert "NLCF with a ridge on V." in text
    for theirs in ("Chen", "v_ki", "printed sparseness"):
        assert theirs in invoke("show", "nlcf").output
        assert theirs not in text
    assert "its paper is: not stated" in str(invoke("cite", "child", "--plugin", path).exception)


def test_what_a_base_without_a_name_says_of_its_paper_holds_for_its_methods():
    base = type("Base", (TwoFactor,), {"paper": "A. Author, A paper, 2020", "look": NMF.look})
    child = type("Child", (base,), {"name": "child"})
    assert (child.paper, child.look) == (base.paper, base.look)
    assert type("Grandchild", (child,), {"name": "grandchild"}).paper == ""


def test_a_method_without_a_docstring_is_listed_as_such(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "200")  # wide enough for the whole line
    text = (
        "from dataclasses import dataclass\nfrom nmfrepro.method import Direct, option\n"
        "@dataclass(frozen=True)\nclass Bare(Direct):\n    name = 'bare'\n"
        "    lam: float = option(1.0, help='weight')\n"
    )
    Path("bare.py").write_text(text)
    listed = invoke("list", "algorithms", "--plugin", "bare.py").output
    (line,) = (each for each in listed.splitlines() if each.startswith("bare "))
    assert line.split(maxsplit=2)[2] == "Bare, whose class has no docstring to say what it is."


def test_without_the_plug_in_its_method_is_unknown_again(method, monkeypatch):
    assert "my_nmf" in algorithms.registry()
    monkeypatch.setenv(plugins.VARIABLE, "")
    assert "my_nmf" not in algorithms.registry()


@pytest.mark.parametrize("before", [True, False])
def test_plugin_is_given_before_or_after_the_verb(method, monkeypatch, before):
    monkeypatch.setenv(plugins.VARIABLE, "")
    option, verb = ["--plugin", str(method)], ["show", "my_nmf"]
    result = invoke(*(option + verb if before else verb + option))
    assert result.exit_code == 0
    assert "MY-NMF" in result.output


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        (
            "own.py",
            "import nowhere_at_all",
            r"own\.py cannot be imported: ModuleNotFoundError.*own\.py:1\); if it lies beside .* PYTHONPATH$",
        ),
        ("own.py", "import sys; sys.exit(0)", r"own\.py cannot be imported: SystemExit: 0"),
        (
            "own.py",
            "\nx = (",
            r"own\.py cannot be imported: SyntaxError: '\(' was never closed \(own\.py:2\)$",
        ),
        ("own.py", "if 1:\n\n1", r"own\.py cannot be imported: IndentationError: [^()]*\(own\.py:3\)$"),
        ("own.py", "\n\neval('x = (')", r"own\.py cannot be imported: SyntaxError: .* \(own\.py:3\)$"),
        ("my-own.py", "", "name it like a Python module"),
        *(
            (
                "own.py",
                f"from nmfrepro.method import *\nclass Own(Direct):\n    name = {name!r}",
                "must be a word",
            )
            for name in (5, "a b", "", "../own", "\x1b")
        ),
        (
            "own.py",
            "from nmfrepro.method import *\nclass A(Direct): name, title = 'own', 7",
            "title is a text",
        ),
    ],
)
def test_mistakes_in_a_plug_in_are_told(method, name, text, message):
    path = method.with_name(name)
    path.write_text(text)

    def load() -> None:
        plugins.use([path])
        algorithms.registry()

    with pytest.raises(SpecError, match=message):
        load()


@pytest.mark.parametrize(
    ("wrong", "reason"),
    [('{}["W"]', "KeyError: 'W'"), ("np.linalg.inv(np.zeros((2, 3)))", "LinAlgError: ")],
)
@pytest.mark.usefixtures("in_process")
def test_an_error_in_a_method_names_the_line_of_the_plug_in(method, wrong, reason):
    line = "        U = U * ratio(X @ V, U @ (V.T @ V) + self.lam * U)\n"
    before, _, after = method.read_text().partition(line)
    assert after
    method.write_text(f"{before}        {wrong}\n{after}")
    spec = method.with_name("own.yaml")
    spec.write_text(SPEC % "digits")
    with pytest.warns(UserWarning, match="1 of 2 trials failed"):
        error = run(spec)["error"][1]
    assert error.startswith(reason)
    assert error.endswith(f"(my_nmf.py:{before.count(chr(10)) + 1})")


@pytest.mark.parametrize("stem", ["plugins", "user", "annotations", "Iterator"])
def test_a_file_is_called_as_anything_of_ours(method, stem):
    files = [method.with_name(f"{each}.py") for each in (stem, "zz")]
    for file in files:
        file.write_text(method.read_text().replace("my_nmf", f"{file.stem}_nmf"))
    plugins.use(files)
    assert {"my_nmf", f"{stem}_nmf", "zz_nmf"} < set(algorithms.registry())


def test_a_missing_file_and_a_name_that_is_taken_are_refused(method):
    with pytest.raises(SpecError, match="no such file"):
        plugins.use([method.with_name("none.py")])
    twin = method.with_name("twin.py")
    twin.write_text(method.read_text())
    plugins.use([twin])
    with pytest.raises(
        SpecError, match=r"^plug-in twin\.py defines algorithm 'my_nmf', which there is already"
    ):
        algorithms.registry()


def test_changed_mathematics_of_a_plug_in_are_not_taken_for_the_old(method):
    old = plugins.source_hash(type(algorithms.get("my_nmf")()).__module__)
    method.write_text(method.read_text() + "# changed\n")
    assert plugins.source_hash("nmfrepro.registry.user.my_nmf") != old
    assert plugins.source_hash("nmfrepro.algorithms.nmf") is None


@pytest.mark.parametrize("name", ["my_own", "a_method_with_a_name_of_fifty_letters_as_some_people_like"])
def test_skeletons_pass_the_linters_as_nmfrepro_does(tmp_path, name):
    settings = Path(__file__).parents[2] / "pyproject.toml"
    tools = [["ruff", "check", f"--config={settings}"], ["ruff", "format", "--check", f"--config={settings}"]]
    if name == "my_own":  # without a cache, mypy takes half a minute
        cache = settings.with_name(".mypy_cache")
        tools.append(["mypy", f"--config-file={settings}", f"--cache-dir={cache}"])
    files = [
        str(path)
        for kind in ("algorithm", "dataset", "protocol")
        for path in skeleton.write(kind, f"{name}_{kind[0]}", tmp_path)
    ]
    for tool in tools:
        done = subprocess.run(
            [sys.executable, "-m", *tool, *files], cwd=tmp_path, capture_output=True, text=True, timeout=300
        )
        assert done.returncode == 0, done.stdout + done.stderr


def test_the_skeletons_own_test_passes(method):
    assert pytest.main(["-q", "-p", "no:cacheprovider", str(method.with_name("test_my_nmf.py"))]) == 0
    sys.modules.pop("test_my_nmf", None)


@pytest.mark.parametrize("kind", ["dataset", "protocol"])
def test_the_own_tests_of_other_skeletons_pass(tmp_path, kind):
    _, test = skeleton.write(kind, f"my_{kind}", tmp_path)
    program = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(test)]
    done = subprocess.run(program, cwd=tmp_path, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stdout


@pytest.mark.parametrize(
    ("names", "why"),
    [
        (["nmf"], "there is one of that name"),
        (["My", "a-b", "__main__"], "use small letters"),
        (["class", "numpy", "random"], "Python or a package has that name"),
    ],
)
def test_new_refuses_names_that_cannot_be(tmp_path, names, why):
    for name in names:
        with pytest.raises(SpecError, match=f"new algorithm '?{name}'?: {why}"):
            skeleton.write("algorithm", name, tmp_path, algorithms.registry())


def test_new_overwrites_nothing(method):
    with pytest.raises(SpecError, match="my_nmf"):
        skeleton.write("algorithm", "my_nmf", method.parent)


def test_new_makes_no_folder_that_may_be_mistyped(tmp_path):
    folder = tmp_path / "nonexist" / "deeper"
    with pytest.raises(SpecError, match=r"deeper is no folder; make it first \(mkdir -p .*deeper\)"):
        skeleton.write("algorithm", "my_nmf", folder)
    assert not folder.parent.exists()


def test_an_installed_package_adds_its_methods_by_an_entry_point(tmp_path):
    site = tmp_path / "site"
    (site / "own_methods-1.0.dist-info").mkdir(parents=True)
    path, _ = skeleton.write("algorithm", "my_nmf", site)
    path.rename(site / "own_methods.py")
    (site / "own_methods-1.0.dist-info" / "METADATA").write_text("Name: own-methods\nVersion: 1.0\n")
    (site / "own_methods-1.0.dist-info" / "entry_points.txt").write_text(
        f"[{plugins.GROUP}]\nown = own_methods\n"
    )
    (tmp_path / "own.yaml").write_text(SPEC % "digits")
    inherited = {name: value for name, value in os.environ.items() if name != plugins.VARIABLE}

    def nmfrepro(*arguments: str) -> str:
        done = subprocess.run(
            [sys.executable, "-m", "nmfrepro", *arguments],
            cwd=tmp_path,
            env=inherited | {"PYTHONPATH": str(site)},
            capture_output=True,
            text=True,
            timeout=300,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    assert "my_nmf" in nmfrepro("list", "algorithms")
    assert "MY-NMF" in nmfrepro("show", "my_nmf")
    nmfrepro("run", "own.yaml", "--jobs", "1", "--quiet")
    assert "MY-NMF" in nmfrepro("table", "results/own")
    record = json.loads((tmp_path / "results" / "own" / "run.json").read_text())
    digest = hashlib.sha256((site / "own_methods.py").read_bytes()).hexdigest()
    assert record["environment"]["plugins"] == [{"name": "own_methods", "sha256": digest, "modules": []}]


def test_an_entry_point_that_is_broken_is_told(method, monkeypatch):
    wrong = importlib.metadata.EntryPoint("own", "nowhere_at_all", plugins.GROUP)
    monkeypatch.setattr(importlib.metadata, "entry_points", lambda group: [wrong])
    with pytest.raises(SpecError, match=r"plug-in own \(nowhere_at_all\) cannot be imported"):
        list(plugins.modules())


@pytest.mark.parametrize(
    ("kind", "before", "wrong", "verb"),
    [
        ("algorithm", "        U = ", "        1 / 0", "fit digits --algorithm own -k 2"),
        ("dataset", "    stream = ", "    1 / 0", "fit own --algorithm nmf -k 2"),
        ("protocol", "    kind: ", "    def check_data(self, data): 1 / 0", "check spec.yaml"),
    ],
)
def test_a_fault_of_a_plug_in_is_one_line_with_its_place_and_one_of_ours_is_not_hidden(
    kind, before, wrong, verb, tmp_path, monkeypatch, capsys
):
    monkeypatch.chdir(tmp_path)
    path, _ = skeleton.write(kind, "own", tmp_path)
    path.write_text(path.read_text().replace(before, f"{wrong}\n{before}", 1))
    line = 1 + path.read_text().splitlines().index(wrong)
    protocol = "protocol: {kind: own, clusters: [2], repeats: 1}"
    (tmp_path / "spec.yaml").write_text(f"dataset: digits\n{protocol}\nalgorithms: [kmeans]\nseed: 1")
    monkeypatch.setattr(sys, "argv", ["nmfrepro", "--plugin", "own.py", *verb.split()])
    with pytest.raises(SystemExit, match="2"):
        main()
    said = f"Error: ZeroDivisionError: division by zero (own.py:{line})\n"
    assert capsys.readouterr().err == said
    monkeypatch.setattr(plugins, "HOME", "elsewhere")
    with pytest.raises(ZeroDivisionError):
        main()
