"""`nmfrepro fit` as a user runs it."""

from __future__ import annotations

import json
import re
from pathlib import Path

import numpy as np
import pytest
from click.testing import Result
from commandline import invoke
from scipy.io import savemat
from tiny import entry, make_spec

from nmfrepro import __version__, algorithms, datasets, factorize, load_dataset, metrics
from nmfrepro.core.errors import DataError, ResultsError, SpecError, as_keyword
from nmfrepro.core.problem import FitSettings
from nmfrepro.datasets import DatasetOptions, load
from nmfrepro.protocols.draws import labelled_note
from nmfrepro.runs import prepare
from nmfrepro.runs.fitfile import fit_dataset

X = np.random.default_rng(0).random((12, 6))
Y = np.repeat([3, 7], 6)


def fit(*arguments: object) -> Result:
    return invoke("fit", *arguments)


def labelled(folder: Path) -> Path:
    path = folder / "faces.npz"
    np.savez(path, X=X, y=Y)
    return path


def test_is_what_factorize_gives(tmp_path: Path) -> None:
    out = tmp_path / "out.npz"
    settings = ["--set", "mu=0.5", "--set", "max_iter=20", "--set", "restarts=3"]
    outcome = fit(labelled(tmp_path), "-a", "nlcf", "-k", 2, "--scale", "max", "-o", out, *settings)
    assert outcome.exit_code == 0, outcome.output
    same = factorize((X / X.max()).T, "nlcf", 2, mu=0.5, max_iter=20, restarts=3)
    with np.load(out) as kept:
        np.testing.assert_array_equal(kept["U"], same.factors["U"])
        np.testing.assert_array_equal(kept["V"], same.factors["V"])
        np.testing.assert_array_equal(kept["embedding"], same.embedding)
        np.testing.assert_array_equal(kept["y"], [0] * 6 + [1] * 6)
        assert same.embedding is not None
        np.testing.assert_array_equal(kept["clusters"], same.embedding.argmax(axis=1))
        assert f"Accuracy {100 * metrics.accuracy(Y, kept['clusters']):.1f} %" in outcome.output
    assert same.notes[-1].startswith("printed updates because of max_iter; leave that out")
    assert f"note: {same.notes[-1]}" in outcome.output


def test_values_are_written_as_in_a_spec(tmp_path: Path) -> None:
    out, base = tmp_path / "out.npz", ["-k", 2, "--scale", "max", "--set", "max_iter=5"]
    settings = ["--set", "inner={U: 2, V: 3}", "--set", "normalize='none'", "--set", 'dtype="float64"']
    outcome = fit(labelled(tmp_path), "-a", "nmf", "-o", out, *base, *settings)
    assert outcome.exit_code == 0, outcome.output
    inner = {"U": 2, "V": 3}
    same = factorize((X / X.max()).T, "nmf", 2, normalize="none", max_iter=5, inner=inner)
    with np.load(out) as kept:
        np.testing.assert_array_equal(kept["U"], same.factors["U"])


def test_what_is_kept_says_what_made_it_and_has_no_labels_that_were_not_there(tmp_path: Path) -> None:
    out = tmp_path / "out.npz"
    np.save(tmp_path / "X.npy", X)
    settings = ["--scale", "none", "--set", "mu=0.5", "--set", "max_iter=5", "--seed", "7", "-o", out]
    outcome = fit(tmp_path / "X.npy", "-a", "nlcf", "-k", 2, *settings)
    assert outcome.exit_code == 0, outcome.output
    with np.load(out) as kept:
        assert "y" not in kept
        made = json.loads(kept["made"].item())
    assert (made["algorithm"], made["parameters"]["mu"], made["k"], made["seed"]) == ("nlcf", 0.5, 2, 7)
    assert made["fit"]["max_iter"] == 5
    assert made["nmfrepro"].startswith(__version__)


@pytest.mark.parametrize(
    ("k", "most", "told"),
    [
        (1, 40.0, "1 cluster is at most 40.0 %, the share of the largest class"),
        (2, 66.7, "2 clusters is at most 66.7 %, the share of the 2 largest of 4 classes"),
        (4, 100.0, ""),
    ],
)
def test_the_most_that_fewer_clusters_than_classes_can_reach_is_said(
    tmp_path: Path, k: int, most: float, told: str
) -> None:
    y = np.repeat([4, 9, 1, 7], [2, 3, 4, 6])
    np.savez(tmp_path / "four.npz", X=np.random.default_rng(1).random((10, 6))[y], y=y)
    output = fit(tmp_path / "four.npz", "-a", "kmeans", "-k", k, "--scale", "none").output
    assert float(output.partition("Accuracy ")[2].partition(" %")[0]) <= most
    assert output.partition("the accuracy of ")[2].partition("\n")[0] == told


def test_clusters_of_encodings_with_more_entries_than_k_are_counted_as_such(tmp_path: Path) -> None:
    base = ["-a", "twodnmf", "-k", 2, "--scale", "max", "--image-shape", "3x2", "--pixel-order", "row"]
    output = fit(labelled(tmp_path), *base).output
    assert "D 12 × 2 × 2" in output
    assert "classes:" not in output
    np.savez(tmp_path / "one.npz", X=np.tile(X[0], (12, 1)), y=Y)
    assert "note: 1 of 4 clusters are used" in fit(tmp_path / "one.npz", *base).output


def test_a_file_that_does_not_fit_its_name_is_taken_as_the_message_says(tmp_path: Path) -> None:
    savemat(tmp_path / "Yale_32x32.mat", {"fea": np.tile(np.arange(1024) % 256, (4, 1)), "gnd": [1, 1, 2, 2]})
    base = ["yale", "-a", "nmf", "-k", 2, "--data-dir", tmp_path, "--set", "max_iter=2"]
    said = str(fit(*base).exception)
    assert said.endswith("or set --accept-mismatch")
    assert "note: not what the name yale promises" in fit(*base, "--accept-mismatch").output


def test_a_matrix_without_labels_is_not_scored(tmp_path: Path) -> None:
    np.save(tmp_path / "X.npy", X)
    outcome = fit(tmp_path / "X.npy", "-a", "nmf", "-k", 2, "--scale", "none", "--set", "max_iter=5")
    assert outcome.exit_code == 0, outcome.output
    assert "12 samples of 6 values" in outcome.output
    assert "no labels" in outcome.output
    assert "Accuracy" not in outcome.output
    assert "note: rows are taken as samples, since nothing says otherwise" in outcome.output
    turned = ["--orientation", "columns", "--set", "max_iter=5"]
    outcome = fit(tmp_path / "X.npy", "-a", "nmf", "-k", 2, "--scale", "none", *turned)
    assert "6 samples of 12 values" in outcome.output
    assert "rows are taken" not in outcome.output


@pytest.mark.parametrize("shape", [(12, 6), (12, 3, 2)])
def test_a_matrix_alone_is_the_same_in_whatever_file(tmp_path: Path, shape: tuple[int, ...]) -> None:
    np.save(tmp_path / "X.npy", X.reshape(shape))
    np.savez(tmp_path / "X.npz", X=X.reshape(shape))
    savemat(tmp_path / "X.mat", {"whatever": X.reshape(shape)})
    base = ["-a", "nmf", "-k", 2, "--scale", "max", "--set", "max_iter=2"]
    told = {fit(tmp_path / name, *base).output.partition(": ")[2] for name in ("X.npy", "X.npz", "X.mat")}
    (one,) = told
    assert one.startswith("12 samples of 6 values, scale max\n")
    assert "note: the file holds no labels\nnote: rows are taken as samples" in one
    for name in ("X.npy", "X.npz", "X.mat"):
        data = load_dataset(tmp_path / name, scale="max")
        np.testing.assert_array_equal(data.X, X / X.max())
        assert not data.y.any()
        assert data.image_shape == (None if len(shape) == 2 else (3, 2))
        data = {"file": str(tmp_path / name), "scale": "max"}
        with pytest.raises(DataError, match="label"):  # a spec's protocols need them
            prepare(make_spec(tmp_path, [entry("nmf")], dataset=data, protocol={"clusters": [2]}))


def test_a_file_whose_labels_are_not_found_says_how_a_matrix_alone_is_fitted(tmp_path: Path) -> None:
    np.savez(tmp_path / "X.npz", X=X, size=np.array([2, 3]))
    np.savetxt(tmp_path / "X.csv", X, delimiter=",")
    for name in ("X.npz", "X.csv"):
        told = str(fit(tmp_path / name, "-a", "nmf", "-k", 2, "--scale", "max").exception)
        assert "--label-key" in told
        assert "save a matrix alone (.npy, .npz, .mat), which `nmfrepro fit` and load_dataset take" in told


@pytest.mark.parametrize(
    ("labels", "name", "why"),
    [
        ([5] * 12, "nmf", "there are no two classes to tell apart"),
        ([5] * 6 + [7] * 6, "pca", "encodings with negative entries are no clusters"),
    ],
)
def test_why_there_are_no_scores_is_said(tmp_path: Path, labels: list[int], name: str, why: str) -> None:
    np.savez(tmp_path / "one.npz", X=X, y=np.array(labels))
    outcome = fit(tmp_path / "one.npz", "-a", name, "-k", 2, "--scale", "max")
    assert outcome.exit_code == 0, outcome.output
    assert "Accuracy" not in outcome.output
    assert f"note: not scored, since {why}" in outcome.output


@pytest.mark.parametrize(
    ("name", "read"),
    [("nmf", "the largest entry of each encoding"), ("kmeans", "the method's own labels")]
    + [(name, "the method's own labels") for name in ("spectral", "nsdr", "pca_kmeans")],
)
def test_what_clusters_are_is_said_as_it_is(tmp_path: Path, name: str, read: str) -> None:
    outcome = fit(labelled(tmp_path), "-a", name, "-k", 2, "--scale", "max")
    assert f"(clusters: {read})" in outcome.output


@pytest.mark.parametrize(
    ("name", "key", "value"), [("pca", "max_iter", 50), ("kmeans", "tol", 0.1), ("spectral", "order", "VU")]
)
def test_a_setting_that_does_nothing_is_refused(tmp_path: Path, name: str, key: str, value: object) -> None:
    refused = fit(
        labelled(tmp_path), "-a", name, "-k", 2, "--scale", "max", "--set", f"{key}={value}"
    ).exception
    assert str(refused) == f"{name} computes its factors in its own way and takes no {key}"


@pytest.mark.parametrize("shape", [(6, 6), (4, 3, 4)])
def test_which_way_round_a_square_matrix_lies_is_not_guessed(tmp_path: Path, shape: tuple[int, ...]) -> None:
    np.save(tmp_path / "X.npy", np.ones(shape))
    base = [tmp_path / "X.npy", "-a", "nmf", "-k", 2, "--scale", "none", "--set", "max_iter=2"]
    refused = fit(*base).exception
    assert isinstance(refused, DataError)
    assert "variables: X (" + " x ".join(map(str, shape)) in str(refused)
    assert "say which with --orientation" in str(refused)
    assert f"{shape[0]} samples" in fit(*base, "--orientation", "columns").output


def test_an_earlier_result_is_replaced_only_where_that_is_said(tmp_path: Path) -> None:
    out = tmp_path / "out.npz"
    out.write_bytes(b"dear")
    base = [labelled(tmp_path), "-a", "nmf", "-k", 2, "--scale", "max", "--set", "max_iter=2", "-o", out]
    refused = fit(*base).exception
    assert isinstance(refused, ResultsError)
    assert str(refused) == f"{out} is there already; use --overwrite to replace it"
    assert out.read_bytes() == b"dear"
    assert fit(*base, "--overwrite").exit_code == 0
    with np.load(out) as kept:
        assert kept["U"].shape == (6, 2)


@pytest.mark.parametrize("name", ["out.txt", "out", "out.npz.csv", "out.npy"])
def test_an_output_of_another_ending_is_refused_before_any_work(tmp_path: Path, name: str) -> None:
    refused = fit(tmp_path / "none.npz", "-a", "nmf", "-k", 2, "-o", tmp_path / name).exception
    assert str(refused) == f"{tmp_path / name}: the result is a .npz file; end its name so"
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("facess.npz", "did you mean faces.npz?"),
        ("faces.nzp", "did you mean faces.npz?"),
        ("in/fases.MAT", "did you mean in/faces.MAT?"),
        ("other.csv", "look at name and folder"),
        ("nowhere/faces.npz", "look at name and folder"),
        ("in/images", "look at name and folder"),
        ("moved.npz", "look at name and folder"),  # a link
        ("~nobody-of-this-name/faces.npz", "look at name and folder"),
        (f"{'x' * 300}.npz", "look at name and folder"),
        ("orl.mat", "did you mean the dataset orl?"),
    ],
)
def test_a_file_that_is_not_there_is_no_dataset(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str, told: str
) -> None:
    monkeypatch.chdir(tmp_path)
    labelled(tmp_path)
    Path("in").mkdir()
    Path("in", "faces.MAT").touch()
    Path("moved.npz").symlink_to("nowhere.npz")
    refused = fit(text, "-a", "nmf", "-k", 2, "--scale", "max").exception
    assert isinstance(refused, SpecError)
    assert str(refused) == f"{text}: there is no such file; {told}"


@pytest.mark.parametrize("name", ["nmf", "kmeans", "pca"])
@pytest.mark.parametrize(
    ("value", "shown"),
    [(np.nan, "image 2 of 12, pixel 4 of 6 (counted from 1) is nan"), (1e200, "the largest")],
)
def test_what_is_odd_in_a_matrix_names_its_file(tmp_path: Path, name: str, value: float, shown: str) -> None:
    odd = X.copy()
    odd[1, 3] = value
    np.savez(tmp_path / "odd.npz", fea=odd, y=Y)
    refused = fit(tmp_path / "odd.npz", "-a", name, "-k", 2, "--scale", "none").exception
    assert isinstance(refused, DataError)
    assert str(refused).startswith(f"odd.npz: {shown}")
    # A run is refused before its first trial, whatever its methods are defined for.
    data = {"file": str(tmp_path / "odd.npz"), "scale": "none"}
    spec = make_spec(tmp_path, [entry(name)], dataset=data, protocol={"clusters": [2]})
    with pytest.raises(DataError, match=r"^odd\.npz: "):
        prepare(spec)


@pytest.mark.parametrize("scale", ["grey", "max", "l2", "none"])
def test_negative_data_is_shown_as_the_file_has_it(tmp_path: Path, scale: str) -> None:
    odd = 10 * X
    odd[1, 3] = -25
    np.savez(tmp_path / "odd.npz", fea=odd, y=Y)
    base = [tmp_path / "odd.npz", "-k", 2, "--scale", scale, "--levels", 10]
    shown = "odd.npz: image 2 of 12, pixel 4 of 6 (counted from 1) is -25, which is negative"
    assert shown in str(fit(*base, "-a", "nlcf").exception)
    assert fit(*base, "-a", "semi_nmf", "--set", "max_iter=2").exit_code == 0  # as the message says
    data = {"file": str(tmp_path / "odd.npz"), "scale": scale, "levels": 10}
    spec = make_spec(tmp_path, [entry("nmf")], dataset=data, protocol={"clusters": [2]})
    with pytest.raises(DataError, match=re.escape(shown)):
        prepare(spec)


def test_data_without_a_positive_value_is_negative_before_it_has_no_scale(tmp_path: Path) -> None:
    np.savez(tmp_path / "odd.npz", fea=-X, y=Y)
    refused = fit(tmp_path / "odd.npz", "-k", 2, "--scale", "max", "-a", "nmf").exception
    assert "which is negative: methods of this family need nonnegative data (semi_nmf takes any)" in str(
        refused
    )


def test_nothing_is_said_of_draws_that_are_not_made(tmp_path: Path) -> None:
    data = load(DatasetOptions(name="digits"))
    np.savez(tmp_path / "copy.npz", X=data.X, y=data.y)
    options = DatasetOptions(file=str(tmp_path / "copy.npz"), scale="max")
    assert "draws are made" in "".join(load(options).notes)
    output = fit(tmp_path / "copy.npz", "-a", "pca", "-k", 2, "--scale", "max").output
    assert "objective" in output
    assert "draws" not in output


def test_semi_supervised_methods_see_some_labels(tmp_path: Path) -> None:
    path = labelled(tmp_path)
    base = [path, "-k", 2, "--scale", "max", "--set", "max_iter=5"]
    output = fit(*base, "-a", "cnmf", "--labelled", "2").output
    assert "Accuracy" in output
    # In the words of a table, whose draws `fit` does not make.
    table = next(labelled_note("2"))
    assert "labels of 2 of each class" in table
    assert "labels of 2 of each class" in output
    assert "labelled samples are scored too" in table
    assert "labelled samples are scored too" in output
    assert "labelled samples" not in fit(*base, "-a", "nmf").output
    for wrong in (["-a", "cnmf"], ["-a", "nmf", "--labelled", "10%"]):
        assert isinstance(fit(*base, *wrong).exception, SpecError)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["-a", "nlcf", "--set", "nu=1"], "no parameter 'nu'"),
        (
            ["-a", "rica", "--set", "maxiter=5"],
            "did you mean max_iter? allowed: lam, epsilon, whiten, restarts, max_iter",
        ),
        (["-a", "kmeans", "--set", "maxiter=5"], "allowed: init, restarts, dtype"),
        (["-a", "nlcf", "--set", "mu"], "--set mu: write key=value"),
        (
            ["-a", "nlcf", "--set", "inner="],
            "--set inner=: nothing stands behind the equals sign",
        ),
        (["-a", "nlcf", "--set", "mu=[1"], "--set mu=[1: the list that begins in line 1 is not closed"),
        (["-a", "nlcf", "--set", "mu=010"], "--set mu=010: 010 has a leading zero"),
        (["-a", "nlfc"], "did you mean nlcf"),
        (["-a", "nlcf", "--set", "mu=-1"], "mu must be"),
        (["-a", "nlcf", "--set", "mu=1", "--set", "mu=2"], "--set mu=2: mu is set twice; set it once"),
        (["-a", "nnsc"], "nnsc needs --set lam (a number >= 0)"),
        (["-a", "nlcf", "--set", "max_iter=x"], "nlcf: --set max_iter must be"),
        (["-a", "onmf", "--set", "order=VU"], "onmf computes its factors in its own way and takes no order"),
        (["-a", "nmf", "-k", "13"], "-k 13 is more than the 12 samples of faces.npz; give at most 12"),
        (["-a", "cnmf"], "cnmf is semi-supervised: give --labelled 10%"),
        (["-a", "glram"], "give --image-shape ROWSxCOLUMNS"),
        (["-a", "nmf", "--levels", "0.1", "--scale", "grey"], "faces.npz: --levels is 0.1, but"),
        (["-a", "cnmf", "--labelled", "7"], "--labelled has 7 of each class, but a class has 6"),
        (
            ["-a", "cnmf", "--labelled", "²"],
            "--labelled must be a count or a share such as 10%, at most 100%, not '²'",
        ),
        (["-a", "cnmf", "--labelled", "1.5"], "--labelled must be text or a whole number >= 1"),
    ],
)
def test_mistakes_are_one_line(tmp_path: Path, arguments: list[str], message: str) -> None:
    outcome = fit(labelled(tmp_path), "-k", 2, "--scale", "max", *arguments)
    assert outcome.exit_code == 2
    assert message in str(outcome.exception)
    assert "\n" not in str(outcome.exception)


@pytest.mark.parametrize(
    ("name", "k", "message"),
    [("nmf", 13, "k=13 is more than the 12 samples"), ("cnmf", 2, "is semi-supervised: give labelled='10%'")],
)
def test_mistakes_name_keywords_to_who_calls_from_python(
    tmp_path: Path, name: str, k: int, message: str
) -> None:
    data = datasets.load(datasets.options_for(str(labelled(tmp_path)), {"scale": "max"}))
    with pytest.raises(SpecError) as refused:
        fit_dataset(data, "max", algorithms.get(name)(), FitSettings(), k, 0)
    assert message in refused.value.spelled(as_keyword)


def test_labels_a_method_needs_are_not_done_without(tmp_path: Path) -> None:
    np.save(tmp_path / "X.npy", X)
    outcome = fit(tmp_path / "X.npy", "-a", "cnmf", "-k", 2, "--scale", "none", "--labelled", "10%")
    assert outcome.exit_code == 2
    assert "holds no labels" in str(outcome.exception)


@pytest.mark.parametrize(
    "array", [X * 1j, X.astype(str), X[:0], np.float64(3.0), X.ravel(), np.zeros((9, 3, 5, 6))]
)
def test_an_array_that_is_no_images_is_called_that(tmp_path: Path, array: np.ndarray) -> None:
    np.save(tmp_path / "X.npy", array)
    refused = fit(tmp_path / "X.npy", "-a", "nmf", "-k", 2, "--scale", "none").exception
    assert isinstance(refused, DataError)
    assert re.search("X.npy: .*(complex numbers|no variable .* of colour images, the mean)", str(refused))


def test_files_and_scales_must_be_named(tmp_path: Path) -> None:
    assert "no such file" in str(fit(tmp_path / "none.mat", "-a", "nmf", "-k", 2).exception)
    refused = str(fit(labelled(tmp_path), "-a", "nmf", "-k", 2).exception)
    assert "give --scale grey where" in refused
    assert "or --scale max" in refused
