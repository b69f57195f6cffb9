"""Where specs lie and what they are called."""

from __future__ import annotations

from pathlib import Path

import pytest
from specparts import write

from nmfrepro.core.errors import SpecError
from nmfrepro.spec import files as specfiles
from nmfrepro.spec.files import experiments, find_spec, spec_name
from nmfrepro.spec.reader import read_spec


def test_paths_are_relative_to_the_spec(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "specs").mkdir()
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "specs" / "faces.mat").write_bytes(b"")
    write(tmp_path / "specs", dataset="dataset: {file: faces.mat, scale: max}")
    monkeypatch.chdir(tmp_path / "elsewhere")
    spec = read_spec("../specs/s.yaml")
    assert spec.dataset.file is not None
    assert Path(spec.dataset.file) == Path("../specs/faces.mat")
    assert read_spec(tmp_path / "specs" / "s.yaml").dataset.file == str(tmp_path / "specs" / "faces.mat")
    # a path on the command line is relative to where the command is given
    (tmp_path / "elsewhere" / "other.mat").write_bytes(b"")
    assert read_spec("../specs/s.yaml", ("dataset.file=other.mat",)).dataset.file == "other.mat"
    # and one from home is neither
    monkeypatch.setenv("HOME", str(tmp_path / "specs"))
    write(tmp_path / "elsewhere", dataset="dataset: {file: ~/faces.mat, scale: max}")
    assert read_spec("s.yaml").dataset.file == str(tmp_path / "specs" / "faces.mat")


@pytest.mark.parametrize(
    ("there", "written"),
    [
        ("faces.mat", "faecs.mat"),
        ("faces.npz", "faces.nzp"),
        ("faces-idx3-ubyte", "face-idx3-ubyte"),
        ("faces/", "fases"),
    ],
)
def test_the_closest_file_beside_one_that_is_not_there_is_named(
    errors, tmp_path: Path, there: str, written: str
) -> None:
    if there.endswith("/"):
        (tmp_path / there).mkdir()
    else:
        (tmp_path / there).touch()
    (line,) = errors(dataset=f"dataset: {{file: {written}, scale: max}}")
    told = f"file {written}: there is no such file or folder; did you mean {there.rstrip('/')}?"
    assert line.endswith(told)


def test_a_windows_path_in_double_quotes(errors) -> None:
    (line,) = errors(dataset='dataset: {file: "data\\new\\table\\faces.mat", scale: max}')
    assert line.startswith("s.yaml:2:17: ")
    assert "single quotes" in line


@pytest.mark.parametrize("name", ["orl_nlcf", "orl-nlcf.v2", "Müller 1", "1", "a(b)"])
def test_names_that_can_be_folders(name: str) -> None:
    assert spec_name(Path("x") / f"{name}.yaml") == name


@pytest.mark.parametrize(
    "file",
    [
        *(".yaml", "..yaml", ".hidden.yaml", "-x.yaml", " x.yaml", "x .yaml", "x..yaml", ".."),
        *("a:b.yaml", "a\\b.yaml", "a*.yaml", "a\nb.yaml", "a\udc80.yaml"),
        *("con.yaml", "NUL.yaml", "com1.x.yaml", "x" * 101 + ".yaml"),
    ],
)
def test_names_that_cannot_be_folders_everywhere(file: str) -> None:
    with pytest.raises(SpecError, match="rename it"):
        spec_name(Path(file))


def test_a_bad_file_name_is_told_with_the_other_mistakes(tmp_path: Path) -> None:
    path = tmp_path / "a*b.yaml"
    path.write_text(write(tmp_path, seed="seed: -1").read_text())
    with pytest.raises(SpecError) as caught:
        read_spec(path)
    assert len(str(caught.value).splitlines()) == 2
    assert "rename it" in str(caught.value)


def test_a_spec_is_found_by_its_path_or_as_an_experiment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    shipped = experiments()["orl_nlcf"]
    assert find_spec("orl_nlcf") == find_spec("orl_nlcf.yaml") == shipped
    (tmp_path / "orl_nlcf").mkdir()  # a folder of results, say
    assert find_spec("orl_nlcf") == shipped
    write(tmp_path)
    assert find_spec("s.yaml") == Path("s.yaml")
    (tmp_path / "orl_nlcf.yaml").write_text("")
    assert find_spec("orl_nlcf.yaml") == Path("orl_nlcf.yaml")  # the user's own comes first


def test_experiments_lie_in_the_installed_package_or_beside_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    package = tmp_path / "nmfrepro"
    (package / "experiments").mkdir(parents=True)
    (tmp_path / "experiments").mkdir()
    (tmp_path / "experiments" / "beside.yaml").write_text("")
    monkeypatch.setattr(specfiles, "PACKAGE", package)
    (package / "experiments" / "inside.yaml").write_text("")
    assert experiments() == {"inside": package / "experiments" / "inside.yaml"}
    (package / "experiments" / "inside.yaml").unlink()
    (package / "experiments").rmdir()
    assert find_spec("beside") == tmp_path / "experiments" / "beside.yaml"


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("ss.yaml", "did you mean s.yaml?"),
        ("orl_nclf", "no such file or experiment; did you mean orl_nlcf? see nmfrepro list experiments"),
        ("nothere", "no such file or experiment; see nmfrepro list experiments"),
        ("nowhere/s.yaml", "no such file"),
        ("x" * 5000, "no such file"),
        ("a\0b", "no such file"),
    ],
)
def test_a_spec_that_is_not_found_is_answered_with_the_closest(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str, part: str
) -> None:
    monkeypatch.chdir(tmp_path)
    write(tmp_path)
    with pytest.raises(SpecError, match="no such file") as caught:
        find_spec(text)
    assert part in str(caught.value)
