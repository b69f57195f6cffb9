"""`nmfrepro check`, run as a user runs it."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import Result
from commandline import invoke, nmfrepro
from tiny import write_data

GOOD = """\
title: A title
dataset: {name: orl, size: 32x32, scale: grey}
protocol: {kind: clustering, clusters: [2, 40], repeats: 3}
fit: {restarts: 10, max_iter: 2000, tol: 0}
algorithms: [kmeans, {name: nlcf, mu: {sweep: [0.1, 1]}}]
seed: 2013
"""


@pytest.fixture
def check(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(tmp_path)
    Path("good.yaml").write_text(GOOD)
    Path("bad.yaml").write_text(GOOD.replace("seed", "sede").replace("kmeans", "kmean"))

    def run(*arguments: str) -> Result:
        return invoke("check", *arguments)

    return run


def test_a_valid_spec_is_one_line_with_title_trials_and_columns(check) -> None:
    result = check("good.yaml")
    assert result.exit_code == 0
    # 3 draws of 2 classes, all 40 classes once; 3 columns
    assert result.stdout == "good.yaml: A title: 12 trials; columns Kmeans, NLCF (mu = 0.1), NLCF (mu = 1)\n"
    assert result.stderr == ""


def test_all_specs_are_checked_and_all_mistakes_told(check) -> None:
    result = check("bad.yaml", "nowhere.yaml", "good.yaml")
    assert result.exit_code == 2
    assert result.stdout.startswith("good.yaml: A title")
    assert [line.split(": ")[0] for line in result.stderr.splitlines()] == [
        "bad.yaml:5:14",
        "bad.yaml:6:1",
        "nowhere.yaml",
    ]


def test_values_in_whose_place_the_protocol_chooses_others_are_named(check) -> None:
    """Only those that are written; a parameter without a default must be."""
    chosen = {"protocol.choose": "{nlcf: {mu: [0.1, 1]}, nlcf_g: {mu: [0.1, 1]}}", "protocol.clusters": "[2]"}
    scan = "{lds_nmf: {lam: [0.1, 1], gamma: [1, 2]}}"
    validated = f"protocol={{kind: recognition, train: [2], dimensions: [2], validation: true, scan: {scan}}}"

    def notes(**settings: str) -> list[str]:
        words = [word for name, value in settings.items() for word in ("--set", f"{name}={value}")]
        result = check("good.yaml", *words)
        assert result.exit_code == 0, result.output
        return result.stdout.splitlines()[1:]

    both = "[{name: nlcf, mu: 0.1}, nlcf_g, {name: nmf, normalize: unit}]"
    assert notes(**chosen, algorithms=both) == [
        "  note    chosen trial by trial, not as given: mu = 0.1 of NLCF"
    ]
    assert notes(**chosen, algorithms="[nlcf, nlcf_g]") == []
    assert notes(algorithms=both) == []
    lds = "[{name: lds_nmf, lam: 1, gamma: 0.5, w_rule: printed}, nmf]"
    result = check("good.yaml", "--set", validated, "--set", f"algorithms={lds}")
    assert result.stdout.splitlines()[1:] == [
        "  note    chosen trial by trial, not as given: lam = 1 of LDS-NMF, gamma = 0.5 of LDS-NMF"
    ]


def test_what_is_set_and_shrunk_is_what_is_checked(check) -> None:
    columns = "columns Kmeans, NLCF (mu = 0.1), NLCF (mu = 1)\n"
    result = check("good.yaml", "--set", "protocol.repeats=5", "--set", "title=Other")
    assert result.stdout == f"good.yaml: Other: 18 trials; {columns}"
    assert check("good.yaml", "--smoke").stdout == f"good.yaml: A title: 9 trials; {columns}"
    result = check("good.yaml", "--set", "protocol.repeat=5")
    assert result.exit_code == 2
    assert result.stderr.startswith("--set protocol.repeat=5: ")


def test_an_experiment_by_name(check) -> None:
    result = check("orl_nlcf")
    assert result.exit_code == 0
    assert "405 trials" in result.stdout


def test_a_file_of_the_users_own_has_its_trials_counted_later(check) -> None:
    Path("faces.mat").write_bytes(b"")
    result = check("good.yaml", "--set", "dataset={file: faces.mat, scale: max}")
    assert "to be counted when the data is read" in result.stdout


def test_a_fast_solver_is_refused_where_the_change_of_printed_updates_is_followed(check) -> None:
    timed = GOOD.replace("clustering, clusters: [2, 40], repeats: 3", "runtime, stop_change: 1.0e-4")
    Path("good.yaml").write_text(timed.replace("tol: 0", "tol: 0, solver: fast"))
    result = check("good.yaml")
    assert result.exit_code == 2
    (line,) = result.stderr.splitlines()
    assert line.startswith("good.yaml:3:")
    assert "stop_change follows printed updates, which nlcf does not run" in line
    assert check("good.yaml", "--set", "fit.solver=printed").exit_code == 0


def test_as_a_process_with_an_ascii_terminal(tmp_path: Path) -> None:
    path = tmp_path / "s.yaml"
    path.write_text(GOOD.replace("A title", "Müller ±"), encoding="utf-8")
    result = nmfrepro("check", path, PYTHONIOENCODING="ascii:backslashreplace", LC_ALL="C", PYTHONUTF8="0")
    assert result.returncode == 0
    assert "12 trials" in result.stdout
    path.write_bytes(GOOD.replace("A title", "Müller").encode("latin-1"))
    result = nmfrepro("check", path, LC_ALL="C", PYTHONUTF8="0")
    assert result.returncode == 2
    assert result.stderr.count("\n") == 1
    assert "not UTF-8" in result.stderr


def test_what_needs_no_data_is_found_without_it_and_the_rest_with_it(check) -> None:
    """cnmf without labels and impossible numbers of trials were found by `run` only."""
    Path("faces.npz").touch()
    file = GOOD.replace("name: orl, size: 32x32, scale: grey", "file: faces.npz, scale: max")
    Path("file.yaml").write_text(file.replace("kmeans", "cnmf"))
    assert "file.yaml:5:14: cnmf is semi-supervised: give protocol.labelled" in check("file.yaml").stderr
    Path("file.yaml").write_text(file.replace("repeats: 3", "repeats: 1000000000"))
    assert "more than 1000000 trials" in check("file.yaml").stderr
    Path("file.yaml").write_text(file)
    assert check("file.yaml").exit_code == 0
    result = check("file.yaml", "--data")
    assert result.exit_code == 2
    assert result.stderr.startswith("file.yaml:2:10: faces.npz is empty")


@pytest.mark.parametrize(
    ("given", "place", "said"),
    [
        ([], "good.yaml:3:40", "clusters has k = 40, but the dataset has 3 classes"),
        (["--set", "protocol.clusters=[9]"], "--set protocol.clusters=[9]", "clusters has k = 9, but"),
        (
            ["--set", "protocol.clusters=[2]", "--set", "algorithms=[nmf, twodnmf]"],
            "--set algorithms=[nmf, twodnmf]",
            "twodnmf works on images as matrices",
        ),
    ],
)
def test_what_the_data_refuses_is_told_where_it_is_written(check, given, place, said) -> None:
    write_data(Path())
    written = GOOD.replace(
        "{name: orl, size: 32x32, scale: grey}", "{file: tiny.npz, scale: grey, levels: 255}"
    )
    Path("good.yaml").write_text(written)
    result = check("good.yaml", "--data", *given)
    assert (result.exit_code, result.stderr.startswith(f"{place}: {said}")) == (2, True), result.stderr
