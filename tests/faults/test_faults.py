"""Faults of codes of this kind, from end to end: each was somebody's (the table is in README.md)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import scipy.io
from tiny import entry, make_spec, run_quietly, write_spec

from nmfrepro import cli
from nmfrepro import runs as runner
from nmfrepro.analysis.tables import Table, make_table
from nmfrepro.core.errors import DataError, NmfreproError, SpecError
from nmfrepro.core.options import build
from nmfrepro.protocols.recognition import Recognition
from nmfrepro.results import folder as store
from nmfrepro.spec import Entry, Spec
from nmfrepro.spec.reader import read_spec
from nmfrepro.views.tables import markdown, tidy_csv

TESTS = Path(__file__).parent.parent
PEOPLE, PICTURES, PIXELS = 5, 7, 48


pytestmark = pytest.mark.usefixtures("in_process")


def people(noise: float = 20) -> tuple[np.ndarray, np.ndarray]:
    """Seven noisy pictures of 6 × 8 pixels of each of five people, whole grey levels, and who they show."""
    rng = np.random.default_rng(3)
    gnd = np.repeat(np.arange(1, PEOPLE + 1), PICTURES)
    faces = rng.uniform(noise, 255 - noise, (PEOPLE, PIXELS))
    return np.round(faces[gnd - 1] + rng.uniform(-noise, noise, (len(gnd), PIXELS))), gnd


def spec_on(folder: Path, fea: Any, gnd: Any, entries: Sequence[Entry] = (), **changes: Any) -> Spec:
    """A clustering of all classes of a .mat file of these variables."""
    path = folder / "data.mat"
    scipy.io.savemat(path, {"fea": fea, "gnd": gnd})
    dataset = {"file": str(path), "levels": 255} | changes.pop("dataset", {})
    protocol = {"clusters": [PEOPLE], "repeats": 1, "assign": "kmeans"} | changes.pop("protocol", {})
    columns = entries or [entry("kmeans", restarts=20), entry("nmf", fit={"restarts": 3, "max_iter": 100})]
    return make_spec(folder, columns, dataset=dataset, protocol=protocol, **changes)


def run(spec: Spec, folder: Path) -> store.Results:
    """The results of a spec."""
    return store.read(run_quietly(spec, folder).folder)


def test_c01_more_clusters_than_classes_are_refused_and_fewer_found_are_told(tmp_path: Path) -> None:
    fea, gnd = people()
    with pytest.raises(SpecError, match=r"k = 8, but the dataset has 5 classes"):
        runner.prepare(spec_on(tmp_path, fea, gnd, protocol={"clusters": [8]}))
    # Two people look the same in every picture: four distinct points, so one of five clusters stays empty.
    flat = np.repeat(fea[::PICTURES], PICTURES, axis=0)
    flat[gnd == 5] = flat[gnd == 4]
    results = run(spec_on(tmp_path, flat, gnd, [entry("kmeans", restarts=20)]), tmp_path)
    assert results.frame["accuracy"][0] == 0.8  # the fifth person counts as errors
    notes = "\n".join(make_table(results).notes)
    assert "only 4 of 5 clusters have members" in notes
    assert "4 of 5 clusters are used" in notes


@pytest.mark.parametrize(
    "write",
    [
        lambda gnd: gnd.reshape(1, -1),
        lambda gnd: gnd.reshape(-1, 1) - 1,
        lambda gnd: gnd * 10,
        lambda gnd: gnd - 3,
        lambda gnd: gnd.astype(float),
        lambda gnd: np.array([f"person {each}" for each in gnd]),
    ],
)
def test_c07_labels_however_written_are_the_same_trials(tmp_path: Path, write: Any) -> None:
    fea, gnd = people()
    plain = runner.prepare(spec_on(tmp_path, fea, gnd.reshape(-1, 1)))
    spec = spec_on(tmp_path, fea, write(gnd))
    assert [trial.key for trial in runner.prepare(spec).plan] == [trial.key for trial in plain.plan]
    results = run(spec, tmp_path)
    assert results.frame["accuracy"].tolist() == [1.0, 1.0]
    assert results.run.dataset.classes == PEOPLE
    assert results.run.dataset.class_sizes == (PICTURES,) * PEOPLE


@pytest.mark.parametrize(("bad", "why"), [(1.5, "fractional"), (np.nan, "not a label")])
def test_c07_wrong_labels_are_refused_by_file_and_entry(tmp_path: Path, bad: float, why: str) -> None:
    fea, gnd = people()
    labels = gnd.astype(float)
    labels[4] = bad
    with pytest.raises(DataError, match=rf"data\.mat: gnd: entry 5 of 35 .* is {bad}, which is {why}"):
        runner.prepare(spec_on(tmp_path, fea, labels))
    with pytest.raises(DataError, match=r"data\.mat: gnd has not one label for .* gnd \(1 x 34\)"):
        runner.prepare(spec_on(tmp_path, fea, gnd[:-1]))


def test_c08_a_square_matrix_is_never_guessed(tmp_path: Path) -> None:
    fea, gnd = people()
    square = fea[:, : len(gnd)]
    with pytest.raises(
        DataError,
        match=r"data\.mat: fea may have an image in each row .* with orientation.* fea \(35 x 35\)",
    ):
        runner.prepare(spec_on(tmp_path, square, gnd))
    told = run(spec_on(tmp_path, square, gnd, dataset={"orientation": "rows"}), tmp_path)
    turned = run(spec_on(tmp_path, square.T, gnd, dataset={"orientation": "columns"}), tmp_path)
    assert told.frame["accuracy"].tolist() == [1.0, 1.0]
    assert turned.frame["key"].tolist() == told.frame["key"].tolist()


def test_c15_integer_pixels_are_numbers_and_signed_data_is_for_signed_methods(tmp_path: Path) -> None:
    fea, gnd = people()
    plain = runner.prepare(spec_on(tmp_path, fea, gnd))
    small = runner.prepare(spec_on(tmp_path, fea.astype(np.uint8), gnd))
    assert [trial.key for trial in small.plan] == [trial.key for trial in plain.plan]
    assert small.samples.X.dtype == np.float64
    centred, scale = fea - fea.mean(axis=0), {"scale": "none", "levels": None}
    with pytest.raises(DataError, match=r"image 1 of 35, pixel 1 of 48 .* is -111\.029, which is negative"):
        runner.prepare(spec_on(tmp_path, centred, gnd, dataset=scale))
    signed = [entry("kmeans", restarts=20), entry("pca")]
    assert run(spec_on(tmp_path, centred, gnd, signed, dataset=scale), tmp_path).frame["accuracy"][0] == 1.0
    for bad in (np.nan, np.inf):
        broken = fea.copy()
        broken[10, 3] = bad
        with pytest.raises(NmfreproError, match=rf"image 11 of 35, pixel 4 of 48 .* is {bad}, which"):
            runner.prepare(spec_on(tmp_path, broken, gnd))


def test_c18_a_black_image_is_named_and_spoils_only_itself(tmp_path: Path) -> None:
    fea, gnd = people()
    fea[10], fea[:, 0] = 0, 0
    columns = [entry("kmeans", restarts=20)]
    columns += [entry(name, fit={"restarts": 3, "max_iter": 100}) for name in ("nmf", "nmf_kl", "nlcf_g")]
    results = run(spec_on(tmp_path, fea, gnd, columns), tmp_path)
    assert results.frame["status"].tolist() == ["ok"] * 4
    assert (results.frame["accuracy"] >= 34 / 35 - 1e-12).all()
    assert "1 of 35 images are zero throughout (counted from 1: 11)" in make_table(results).notes[0]


def test_c24_the_scale_of_the_data_moves_no_stop(tmp_path: Path) -> None:
    fea, gnd = people()
    columns = [entry("nmf", fit={"restarts": 1, "max_iter": 3000, "tol": 1e-3})]
    runs = [
        run(spec_on(tmp_path, factor * fea, gnd, columns, dataset={"scale": "none"}), tmp_path).frame
        for factor in (1, 1000)
    ]
    for frame in runs:
        assert frame["converged"][0] == 1
        assert frame["n_iter"][0] >= 100  # not at once, as with a tolerance relative to the start
    assert runs[1]["objective"][0] / runs[0]["objective"][0] == pytest.approx(1e6, rel=0.25)


@pytest.mark.parametrize(
    ("k", "said"),
    [
        ("0", ":3:49: clusters must be a whole number >= 1, not 0"),
        ("-1", ":3:49: clusters must be a whole number >= 1, not -1"),
        ("2.5", ":3:49: clusters must be a whole number >= 1, not 2.5"),
        ("[]", ":3:48: clusters must name at least one"),
        ("6", ":3:48: clusters has k = 6, but the dataset has 5 classes"),
    ],
)
def test_c24_clusters_out_of_range_are_refused_before_work(tmp_path: Path, k: str, said: str) -> None:
    fea, gnd = people()
    scipy.io.savemat(tmp_path / "data.mat", {"fea": fea, "gnd": gnd})
    text = f"""
        dataset: {{file: data.mat, levels: 255}}
        protocol: {{kind: clustering, clusters: {k if k == "[]" else f"[{k}]"}}}
        algorithms: [kmeans]
        seed: 1
    """
    with pytest.raises(SpecError, match=re.escape(f"tiny.yaml{said}")):
        runner.prepare(read_spec(write_spec(tmp_path, text)))


def test_c26_repeats_in_worker_processes_are_no_copies(tmp_path: Path) -> None:
    fea, gnd = people(noise=120)
    columns = [entry("nmf", fit={"restarts": 1, "max_iter": 20})]
    protocol = {"clusters": [2], "repeats": 8}
    frame = run(spec_on(tmp_path, fea, gnd, columns, protocol=protocol), tmp_path).frame
    assert frame["fit_seed"].nunique() == 8
    assert frame["objective"].nunique() == 8


def test_c35_patterns_are_not_expanded_into_file_names(monkeypatch: pytest.MonkeyPatch) -> None:
    given: dict[str, Any] = {}
    monkeypatch.setattr(cli.group, "main", lambda **settings: given.update(settings))
    with pytest.raises(SystemExit):
        cli.main()
    assert given["windows_expand_args"] is False


AWKWARD = ['a | b "c" ± d', "None", "NA", "null", "1e5", "=1+1", "nan"]


def test_c36_awkward_names_survive_the_way_into_tables(tmp_path: Path) -> None:
    columns = [entry("nlcf", label, mu=number) for number, label in enumerate(AWKWARD)]
    columns = [replace(each, fit=replace(each.fit, max_iter=5, restarts=1)) for each in columns]
    table: Table = make_table(run(spec_on(tmp_path, *people(), columns), tmp_path))
    assert table.labels == tuple(AWKWARD)
    assert all(cell.n == 1 for cell in table.blocks[0].cells)
    lines = [line for line in markdown(table).splitlines() if line.startswith("|")]
    assert {len(re.findall(r"(?<!\\)\|", line)) for line in lines} == {len(AWKWARD) + 2}
    (tmp_path / "t.csv").write_text(tidy_csv(table), encoding="utf-8")
    back = pd.read_csv(tmp_path / "t.csv", keep_default_na=False)
    assert [label.removeprefix("'") for label in back["label"]] == AWKWARD


def test_c40_too_few_images_in_a_class_are_refused_by_name(tmp_path: Path) -> None:
    fea, gnd = people()
    kept = (gnd != 4) | (np.arange(len(gnd)) == 3 * PICTURES)
    given = {"train": [3], "dimensions": [2], "repeats": 1}

    def prepare(**changes: Any) -> runner.Prepared:
        protocol = build(Recognition, given | changes, "protocol")
        spec = spec_on(tmp_path, fea[kept], gnd[kept], [entry("nmf")])
        return runner.prepare(replace(spec, protocol=protocol))

    with pytest.raises(SpecError, match=r"train has 3 images per class, but the smallest class, 4, has 1"):
        prepare()
    with pytest.raises(SpecError, match="train must be a whole number >= 1, not 0"):
        prepare(train=[0])
    kept[:] = True
    with pytest.raises(SpecError, match=r"train has 7 images per class.*the test needs"):
        prepare(train=[7])
    assert prepare().dataset.class_sizes.tolist() == [PICTURES] * PEOPLE


def test_the_list_of_faults_names_tests_that_there_are() -> None:
    text = (Path(__file__).parent / "README.md").read_text(encoding="utf-8")
    rows = dict(re.findall(r"^\| (C\d\d) \|.*?\| ([^|]*) \|$", text, flags=re.MULTILINE))
    assert len(rows) == 26
    for where in rows.values():
        named = re.findall(r"`([\w/]+)::(\w+)`", where)
        assert named
        for path, name in named:
            source = (TESTS / f"{path}.py").read_text(encoding="utf-8")
            assert re.search(rf"^def {name}\b", source, flags=re.MULTILINE), f"{path}::{name}"
