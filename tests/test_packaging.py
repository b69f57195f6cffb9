"""What is handed on: the sdist, the wheel that is built from it, and that wheel installed elsewhere."""

from __future__ import annotations

import ast
import os
import re
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from importlib.metadata import packages_distributions
from pathlib import Path, PurePosixPath

import pytest

from nmfrepro import __version__

ROOT = Path(__file__).parents[1]
# What a wheel of ours is made of; images and arrays would be somebody's dataset.
KINDS = {".py", ".yaml", ".csv", ".bib", ".txt", ".html", ".css", ".js", ".xz"}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where everything of this module lies."""
    return tmp_path_factory.mktemp("packaging")


@pytest.fixture(scope="module")
def sdist(folder: Path) -> Path:
    """The source archive of this working copy."""
    return build(ROOT, "sdist", folder)


@pytest.fixture(scope="module")
def wheel(folder: Path, sdist: Path) -> Path:
    """The wheel, built from nothing but the source archive."""
    with tarfile.open(sdist) as archive:
        archive.extractall(folder / "unpacked", filter="data")
    return build(folder / "unpacked" / sdist.name.removesuffix(".tar.gz"), "wheel", folder)


@pytest.fixture(scope="module")
def installed(folder: Path, wheel: Path) -> Path:
    """The wheel as pip installs it; its dependencies are those of this environment."""
    target = folder / "installed"
    pip = ("-m", "pip", "install", "--quiet", "--no-deps", "--no-index", "--no-compile", "--target")
    execute(*pip, str(target), str(wheel), where=folder)
    return target


def test_what_is_imported_is_declared() -> None:
    """joblib and markupsafe were not, and came with scikit-learn and jinja2."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    groups = (project["dependencies"], *project["optional-dependencies"].values())
    declared = {re.split(r"[\[><=]", each)[0].lower() for group in groups for each in group}
    imported = set()
    for path in (ROOT / "nmfrepro").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_bytes())):
            if isinstance(node, ast.Import):
                imported |= {each.name.partition(".")[0] for each in node.names}
            elif isinstance(node, ast.ImportFrom) and not node.level:
                imported.add(str(node.module).partition(".")[0])
    offered = packages_distributions()
    for name in imported - sys.stdlib_module_names - {"nmfrepro"}:
        names = {each.lower() for each in offered.get(name, ())}
        assert names & declared, f"{name} is of {names}, which pyproject.toml does not name"


def build(source: Path, kind: str, out: Path) -> Path:
    """Build with hatchling itself, which is here: an isolated build would download it."""
    execute("-m", "hatchling", "build", "--target", kind, "--directory", str(out / kind), where=source)
    (made,) = (out / kind).iterdir()
    return made


def execute(*arguments: str, where: Path, **variables: str) -> str:
    """What Python prints when run with these arguments; the test fails with all of it if it fails."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("NMFREPRO_")}
    done = subprocess.run(
        [sys.executable, *arguments],
        cwd=where,
        env=environment | variables,
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def contents(archive: Path) -> dict[str, bytes]:
    """The files of an archive by name, in a sdist without its top folder."""
    if archive.suffix == ".whl":
        with zipfile.ZipFile(archive) as packed:
            return {name: packed.read(name) for name in packed.namelist()}
    with tarfile.open(archive) as files:
        found = {each.name.partition("/")[2]: files.extractfile(each) for each in files if each.isfile()}
        return {name: file.read() for name, file in found.items() if file is not None}


def inside(pattern: str) -> set[str]:
    """Paths of the working copy, relative to it."""
    return {path.relative_to(ROOT).as_posix() for path in ROOT.glob(pattern)}


def test_every_experiment_published_table_and_module_is_in_the_wheel(wheel: Path) -> None:
    names = set(contents(wheel))
    modules = {each for each in inside("nmfrepro/**/*.py") if ".mypy_cache" not in each}
    tables = {each for kind in ("csv", "yaml", "bib", "txt") for each in inside(f"nmfrepro/**/*.{kind}")}
    expected = modules | tables | inside("nmfrepro/views/report/templates/*") | {"nmfrepro/py.typed"}
    expected |= {f"nmfrepro/{each}" for each in inside("experiments/*.yaml")}
    expected |= inside("nmfrepro/results/stored/**/*.tar.xz")
    assert {each for each in names if each.startswith("nmfrepro/")} == expected
    assert "nmfrepro/datasets/orl_eyes.csv" in tables


def test_the_sdist_holds_the_sources_and_what_tells_about_them(sdist: Path) -> None:
    names = set(contents(sdist))
    assert inside("experiments/*.yaml") <= names
    assert {"LICENSE", "README.md", "CHANGELOG.md", "CITATION.cff", "constraints.txt"} <= names


def test_no_dataset_test_or_path_of_this_machine_is_handed_on(sdist: Path, wheel: Path) -> None:
    for archive in (sdist, wheel):
        for name, content in contents(archive).items():
            parts = PurePosixPath(name).parts
            assert "tests" not in parts, name
            assert not {"data", "results", "benchmarks"} & set(parts[:1]), name
            if parts[0] in ("nmfrepro", "experiments"):
                assert PurePosixPath(name).suffix in KINDS or parts[-1] == "py.typed", name
            for place in {str(ROOT), str(Path.home()), sys.prefix} - {"/"}:
                assert place.encode() + os.sep.encode() not in content, (name, place)
        assert archive.stat().st_size < 6_000_000  # more than half of it the stored trials


def test_names_are_possible_on_windows(sdist: Path) -> None:
    names = contents(sdist)
    assert len({name.lower() for name in names}) == len(names)
    for name in names:
        stems = {part.partition(".")[0].lower() for part in PurePosixPath(name).parts}
        assert not stems & {"con", "prn", "aux", "nul"}, name
        assert not set(name) & set('<>:"\\|?*'), name


def test_the_wheel_installed_elsewhere_runs_an_experiment_by_name(installed: Path, tmp_path: Path) -> None:
    def nmfrepro(*arguments: str) -> str:
        return execute("-m", "nmfrepro", *arguments, where=tmp_path, PYTHONPATH=str(installed))

    place = execute(
        "-c", "import nmfrepro; print(nmfrepro.__file__)", where=tmp_path, PYTHONPATH=str(installed)
    )
    assert Path(place.strip()).is_relative_to(installed)
    assert nmfrepro("--version").strip() == f"nmfrepro, version {__version__}"
    listed = nmfrepro("list", "experiments")
    assert all(Path(each).stem in listed for each in inside("experiments/*.yaml"))
    assert list(tmp_path.iterdir()) == []
    nmfrepro("run", "digits_smoke", "--jobs", "1", "--quiet")
    assert "NLCF" in nmfrepro("table", "results/digits_smoke")
    assert "orl_nlcf" in nmfrepro("reference", "list")
    assert "published" in nmfrepro("show", "nlcf/table5_orl").lower()


def test_the_command_of_the_wheel_is_there(installed: Path, tmp_path: Path) -> None:
    scripts = [path for path in installed.glob("*/nmfrepro*") if path.parent.name in ("bin", "Scripts")]
    assert len(scripts) == 1
    if os.name == "posix":
        said = execute(str(scripts[0]), "--version", where=tmp_path, PYTHONPATH=str(installed))
        assert __version__ in said
