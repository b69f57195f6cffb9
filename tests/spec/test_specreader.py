"""Specs: what a valid one becomes, and every mistake told at its place before any work."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from nmfrepro import algorithms, protocols
from nmfrepro.errors import SpecError
from nmfrepro.spec import Spec
from nmfrepro.spec import files as specfiles
from nmfrepro.spec.files import experiments, find_spec, spec_name
from nmfrepro.spec.reader import read_spec, resolved

PARTS = {
    "title": "title: NLCF on ORL",
    "dataset": "dataset: {name: orl, size: 32x32, scale: grey}",
    "protocol": "protocol: {kind: clustering, clusters: [2, 4], repeats: 3}",
    "fit": "fit: {restarts: 10, max_iter: 2000, tol: 0}",
    "algorithms": "algorithms: [kmeans, nmf, {name: nlcf, mu: 0.1}]",
    "seed": "seed: 2013",
}


def write(folder: Path, **changed: str | None) -> Path:
    """A valid spec in which some lines are replaced (None: left out) and others added at the end."""
    parts = PARTS | changed
    path = folder / "s.yaml"
    path.write_text("\n".join(part for part in parts.values() if part is not None) + "\n", encoding="utf-8")
    return path


@pytest.fixture
def read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """Reads a changed spec as ``s.yaml``."""
    monkeypatch.chdir(tmp_path)

    def reader(overrides: tuple[str, ...] = (), smoke: bool = False, **changed: str | None) -> Spec:
        write(tmp_path, **changed)
        return read_spec("s.yaml", overrides, smoke)

    return reader


@pytest.fixture
def errors(read):
    """The lines of the error of a changed spec."""

    def reader(overrides: tuple[str, ...] = (), **changed: str | None) -> list[str]:
        with pytest.raises(SpecError) as caught:
            read(overrides, **changed)
        return str(caught.value).splitlines()

    return reader


def labels(spec: Spec) -> list[str]:
    return [entry.label for entry in spec.entries]


# valid specs


def test_the_spec_of_table_five() -> None:
    spec = read_spec(experiments()["orl_nlcf"])
    assert spec.name == "orl_nlcf"
    assert spec.published == "nlcf/table5_orl"
    assert (spec.dataset.name, spec.dataset.size, spec.dataset.scale) == ("orl", "32x32", "grey")
    assert isinstance(spec.protocol, protocols.get("clustering"))
    assert resolved(spec)["protocol"]["clusters"] == [2, 4, 8, 12, 16, 20, 25, 30, 40]
    assert labels(spec) == ["Kmeans", "NMF", "NLCF", "NLCF-G", "NMF-SC"]  # as the paper prints them
    assert spec.metrics == ("accuracy", "nmi", "sparseness")
    fits = {each.label: each.fit for each in spec.entries}
    assert all((fit.restarts, fit.tol) == (10, 0.0) for fit in fits.values())
    assert (fits["NMF"].max_iter, fits["NMF"].inner) == (2000, None)  # the printed order
    assert (fits["NLCF"].max_iter, fits["NLCF"].inner) == (400, "auto")
    assert spec.seed == 2013
    # 8 numbers of classes with 10 draws, all 40 classes once
    assert len(list(spec.protocol.cells(40))) == 81


@pytest.mark.parametrize("path", experiments().values(), ids=str)
def test_every_experiment_is_valid(path: Path) -> None:
    spec = read_spec(path)
    assert json.loads(json.dumps(resolved(spec), allow_nan=False)) == resolved(spec)
    assert read_spec(path, smoke=True).name == f"{path.stem}-smoke"


def test_defaults(read) -> None:
    spec = read(title=None)
    assert spec.title == spec.name == "s"
    assert spec.published is None
    assert spec.metrics == spec.protocol.shown
    assert (spec.keep, spec.timeout, spec.inferred) == ((), None, ())
    assert spec.path == Path("s.yaml")


def test_everything_else_that_can_be_said(read) -> None:
    spec = read(
        published="published: nlcf/table5_orl",
        metrics="metrics: [nmi, purity, ari]",
        keep="keep: [labels, trace]",
        timeout="timeout: 6e2",
        inferred="inferred: [nlcf.mu, nlcf.fit.max_iter, protocol.assign]",
    )
    assert spec.published == "nlcf/table5_orl"
    assert spec.metrics == ("nmi", "purity", "ari")
    assert spec.keep == ("labels", "trace")
    assert spec.timeout == 600.0
    assert spec.inferred == ("nlcf.mu", "nlcf.fit.max_iter", "protocol.assign")


def test_a_dataset_by_name_alone(read) -> None:
    assert read(dataset="dataset: orl") == read()


def test_equal_values_written_differently_are_one(read) -> None:
    assert resolved(read(algorithms="algorithms: [{name: nlcf, mu: 1}]")) == resolved(
        read(
            algorithms='algorithms: [{"name": nlcf, mu: 1.0e0}]  # a comment',
            fit="fit: {tol: 0.0, max_iter: 2000, restarts: 10}",
        )
    )


def test_line_ends_and_byte_order_mark_change_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    plain = write(tmp_path).read_bytes()
    wanted = read_spec("s.yaml")
    for data in (
        b"\xef\xbb\xbf" + plain,
        plain.replace(b"\n", b"\r\n"),
        b"\xef\xbb\xbf" + plain.replace(b"\n", b"\r\n"),
    ):
        Path("s.yaml").write_bytes(data)
        assert read_spec("s.yaml") == wanted


def test_a_spec_without_iterative_methods_needs_no_fit(read) -> None:
    assert read(fit=None, algorithms="algorithms: [kmeans]").entries[0].fit.restarts == 1


# mistakes: each with its place (the parts of PARTS are lines 1 to 6)


@pytest.mark.parametrize(
    ("changed", "where", "parts"),
    [
        # unknown keys
        (
            {"fit": "fit: {restarts: 1, max_itr: 5, max_iter: 5, tol: 0}"},
            "4:20",
            ["max_itr", "did you mean max_iter?"],
        ),
        ({"x": "sede: 1"}, "7:1", ["'sede'", "did you mean seed?"]),
        ({"x": "repeat: 3"}, "7:1", ["'repeat'", "repeats goes under protocol"]),
        ({"x": "restarts: 3"}, "7:1", ["restarts goes under fit"]),
        ({"x": "fit:{tol: 0}"}, "7:1", ["space", "fit: "]),
        ({"dataset": "dataset: {name: orl, sise: 32x32}"}, "2:22", ["did you mean size?"]),
        (
            {"protocol": "protocol: {kind: clustering, clusters: [2], repeat: 3}"},
            "3:45",
            ["did you mean repeats?"],
        ),
        (
            {"protocol": "protocol: {kind: clustering, clusters: [2], seed: 3}"},
            "3:45",
            ["seed goes under the top level"],
        ),
        (
            {"algorithms": "algorithms: [{name: nlcf, nu: 0.1}]"},
            "5:27",
            ["nlcf has no parameter 'nu'", "allowed: mu"],
        ),
        (
            {"algorithms": "algorithms: [{name: nmf, mu: 0.1}]"},
            "5:26",
            ["nmf has no parameter 'mu'", "normalize"],
        ),
        ({"algorithms": "algorithms: [{name: nmf, max_iter: 5}]"}, "5:26", ["fit: {max_iter"]),
        ({"algorithms": "algorithms: [{name: nmf, k: 5}]"}, "5:26", ["'k'"]),
        # repeated keys
        ({"x": "seed: 1"}, "7:1", ["'seed' is given twice", "line 6"]),
        ({"algorithms": "algorithms: [{name: nlcf, mu: 1, mu: 2}]"}, "5:34", ["'mu' is given twice"]),
        # missing keys
        ({"seed": None}, "1:1", ["needs seed", "whole number >= 0"]),
        ({"dataset": None}, "1:1", ["needs dataset", "name: orl"]),
        ({"protocol": None}, "1:1", ["needs protocol", "clustering"]),
        ({"algorithms": None}, "1:1", ["needs algorithms", "nlcf"]),
        ({"fit": None}, "1:1", ["fit needs restarts"]),
        ({"fit": "fit: {restarts: 1, max_iter: 5}"}, "4:1", ["fit needs tol", "for nmf"]),
        ({"protocol": "protocol: {clusters: [2]}"}, "3:1", ["kind", "clustering"]),
        ({"protocol": "protocol: {kind: clustering}"}, "3:1", ["needs clusters", "numbers of classes"]),
        ({"algorithms": "algorithms: [{mu: 0.1}]"}, "5:14", ["needs its name"]),
        ({"algorithms": "algorithms: [{nlcf: {mu: 0.1}}]"}, "5:14", ["{name: nlcf, …}"]),
        ({"algorithms": "algorithms: [tnmf]"}, "5:14", ["tnmf needs lam", "a number >= 0"]),
        # wrong types
        ({"seed": "seed: 1.5"}, "6:7", ["seed must be a whole number >= 0", "1.5"]),
        ({"seed": "seed: 2013.0"}, "6:7", ["write 2013"]),
        ({"seed": "seed: '2013'"}, "6:7", ["write it without quotes"]),
        ({"seed": "seed: 1_0"}, "6:7", ["write 10"]),
        ({"seed": "seed: 0-9"}, "6:7", ["'0-9'"]),
        ({"seed": "seed: 010"}, "6:7", ["leading zero", "quote it"]),
        ({"seed": "seed: 1:30"}, "6:7", ["1:30", "quote it"]),
        ({"seed": "seed: null"}, "6:7", ["whole number"]),
        ({"seed": "seed:"}, "6:6", ["whole number"]),
        ({"seed": "seed: true"}, "6:7", ["whole number"]),
        ({"seed": "seed: [1]"}, "6:7", ["one value is expected"]),
        ({"title": "title: 2013"}, "1:8", ["quote it"]),
        ({"title": "title: [a]"}, "1:8", ["title must be text"]),
        (
            {"protocol": "protocol: {kind: clustering, clusters: [2, 4.0], repeats: 2}"},
            "3:44",
            ["clusters", "write 4"],
        ),
        (
            {"protocol": "protocol: {kind: clustering, clusters: [2, x], repeats: 2}"},
            "3:44",
            ["clusters", "'x'"],
        ),
        ({"protocol": "protocol: {kind: clustering, clusters: 8}"}, "3:40", ["in brackets: [8]"]),
        (
            {"protocol": "protocol: {kind: clustering, clusters: [2], repeats: 2.5}"},
            "3:54",
            ["repeats", "2.5"],
        ),
        (
            {"fit": "fit: {restarts: 1, max_iter: 5, tol: None}"},
            "4:38",
            ["tol must be a number >= 0, not 'None'"],
        ),
        ({"fit": "fit: {restarts: 1, max_iter: 5, tol: nan}"}, "4:38", ["not 'nan'"]),
        ({"fit": "fit: {restarts: 1, max_iter: 5, tol: .nan}"}, "4:38", ["not a finite number"]),
        ({"fit": "fit: 5"}, "4:6", ["fit must be a mapping such as", "not 5"]),
        ({"protocol": "protocol: clustering"}, "3:11", ["must be a mapping", "'clustering'"]),
        ({"dataset": "dataset: [orl]"}, "2:10", ["must be a mapping", "a list"]),
        ({"dataset": "dataset:"}, "2:9", ["must be a mapping", "not nothing"]),
        ({"algorithms": "algorithms: nmf"}, "5:13", ["must be a list"]),
        ({"algorithms": "algorithms: {name: nmf}"}, "5:13", ["must be a list", "a mapping"]),
        ({"algorithms": "algorithms: []"}, "5:13", ["lists none"]),
        ({"algorithms": "algorithms: [5]"}, "5:14", ["must be a mapping such as nmf or"]),
        ({"algorithms": "algorithms: [[nmf]]"}, "5:14", ["a list"]),
        ({"algorithms": "algorithms: [{name: [nmf]}]"}, "5:21", ["needs its name"]),
        (
            {"algorithms": "algorithms: [{name: nlcf, mu: high}]"},
            "5:31",
            ["mu must be a number >= 0, not 'high'"],
        ),
        ({"algorithms": "algorithms: [{name: nlcf, mu: true}]"}, "5:31", ["mu must be a number"]),
        ({"algorithms": "algorithms: [{name: nlcf_g, width: none}]"}, "5:36", ["for nothing write null"]),
        ({"x": "timeout: none"}, "7:10", ["for nothing write null"]),
        ({"x": "keep: labels"}, "7:7", ["in brackets: [labels]"]),
        ({"protocol": "protocol: {kind: clustering, clusters: '2, 4'}"}, "3:40", ["in brackets: [2, 4]"]),
        ({"x": "metrics: accuracy, nmi"}, "7:10", ["in brackets: [accuracy, nmi]"]),
        ({"algorithms": "algorithms: [{name: nlcf, mu: '0,5'}]"}, "5:31", ["decimal point"]),
        # out of range
        ({"seed": "seed: -1"}, "6:7", ["seed must be a whole number >= 0, not -1"]),
        (
            {"protocol": "protocol: {kind: clustering, clusters: [2, 0]}"},
            "3:44",
            ["clusters", ">= 1", "not 0"],
        ),
        ({"protocol": "protocol: {kind: clustering, clusters: [-1, 2]}"}, "3:41", ["not -1"]),
        (
            {"protocol": "protocol: {kind: clustering, clusters: [2], repeats: 0}"},
            "3:54",
            ["repeats", ">= 1"],
        ),
        ({"protocol": "protocol: {kind: clustering, clusters: []}"}, "3:40", ["clusters"]),
        ({"protocol": "protocol: {kind: clustering, clusters: [2, 2]}"}, "3:40", ["clusters", "twice"]),
        ({"fit": "fit: {restarts: 0, max_iter: 5, tol: 0}"}, "4:17", ["restarts", ">= 1"]),
        ({"fit": "fit: {restarts: 1, max_iter: -5, tol: 0}"}, "4:30", ["max_iter", ">= 0"]),
        ({"fit": "fit: {restarts: 1, max_iter: 5, tol: -1e-3}"}, "4:38", ["tol", ">= 0"]),
        ({"algorithms": "algorithms: [{name: nlcf, mu: -1}]"}, "5:31", ["mu must be a number >= 0, not -1"]),
        ({"x": "timeout: 0"}, "7:10", ["timeout must be a number > 0"]),
        # k against the classes
        ({"protocol": "protocol: {kind: clustering, clusters: [2, 41]}"}, "3:40", ["k = 41", "40 classes"]),
        ({"dataset": "dataset: {name: orl, subjects: 3}"}, "3:40", ["k = 4", "3 classes"]),
        # methods against the data
        (
            {
                "dataset": "dataset: {name: caltech101, scale: max}",
                "algorithms": "algorithms: [nmf, twodnmf]",
            },
            "5:19",
            ["twodnmf", "images"],
        ),
        (
            {"protocol": "protocol: {kind: recognition, train: [10], dimensions: [2]}"},
            "3:38",
            ["train has 10", "smallest class has 10"],
        ),
        (
            {"protocol": "protocol: {kind: recognition, train: [5], dimensions: [2]}"},
            "5:14",
            ["kmeans has no projection"],
        ),
        # names
        ({"dataset": "dataset: {name: Yale}"}, "2:17", ["no dataset 'Yale'", "did you mean yale?"]),
        ({"dataset": "dataset: ol"}, "2:10", ["no dataset 'ol'", "did you mean orl?"]),
        ({"dataset": "dataset: {name: orl, size: 99x99}"}, "2:28", ["size", "32x32, 64x64"]),
        ({"dataset": "dataset: {name: orl, scale: gray}"}, "2:29", ["did you mean grey?"]),
        ({"dataset": "dataset: {name: orl, source: crops}"}, "2:30", ["did you mean crop?"]),
        ({"dataset": "dataset: {}"}, "2:1", ["needs either name"]),
        ({"dataset": "dataset: {file: nowhere.mat, scale: max}"}, "2:17", ["nowhere.mat", "no such file"]),
        ({"protocol": "protocol: {kind: clusterin, clusters: [2]}"}, "3:18", ["did you mean clustering?"]),
        ({"protocol": "protocol: {kind: [a], clusters: [2]}"}, "3:18", ["no protocol kind"]),
        (
            {"protocol": "protocol: {kind: clustering, clusters: [2], assign: argmin}"},
            "3:53",
            ["did you mean argmax?"],
        ),
        ({"protocol": "protocol: {kind: clustering, clusters: [2], assign: {kmean: 3}}"}, "3:53", ["kmeans"]),
        (
            {"protocol": "protocol: {kind: clustering, clusters: [2], assign: {kmeans: {restarts: 0}}}"},
            "3:53",
            ["assign.kmeans.restarts"],
        ),
        (
            {"protocol": "protocol: {kind: clustering, clusters: [2], labelled: 10%}"},
            "3:55",
            ["no listed algorithm"],
        ),
        (
            {
                "protocol": "protocol: {kind: clustering, clusters: [2], labelled: 11}",
                "algorithms": "algorithms: [cnmf]",
            },
            "3:55",
            ["labelled has 11 of each class, but the smallest class has 10"],
        ),
        ({"protocol": "protocol: {kind: clustering, clusters: [2], labelled: some}"}, "3:55", ["10%"]),
        ({"algorithms": "algorithms: [nmff]"}, "5:14", ["no algorithm 'nmff'", "did you mean nmf?"]),
        ({"algorithms": "algorithms: [NLCF]"}, "5:14", ["no algorithm 'NLCF'", "did you mean nlcf?"]),
        ({"algorithms": "algorithms: [{name: nmf, normalize: off}]"}, "5:37", ["'off'", "unit, none"]),
        ({"x": "metrics: [accuracy, nmii]"}, "7:21", ["no metric 'nmii'", "did you mean nmi?"]),
        ({"x": "metrics: [nmi, nmi]"}, "7:16", ["listed twice"]),
        ({"x": "metrics: []"}, "7:10", ["metrics lists none"]),
        ({"x": "keep: [lables]"}, "7:8", ["did you mean labels?"]),
        ({"x": "keep: [labels, labels]"}, "7:16", ["listed twice"]),
        (
            {"x": "published: nlcf/table5_olr"},
            "7:12",
            ["no published table", "did you mean nlcf/table5_orl?"],
        ),
        ({"x": "published: nlcf/table7_yale"}, "7:12", ["is of yale", "the dataset is orl"]),
        ({"x": "published: 5"}, "7:12", ["published must be text"]),
        ({"x": "inferred: [nlcf.nu]"}, "7:12", ["no setting 'nlcf.nu'", "did you mean nlcf.mu?"]),
        ({"x": "inferred: [gnmf.lam]"}, "7:12", ["no setting"]),
        # sweeps
        (
            {"algorithms": "algorithms: [{name: nlcf, mu: [0.1, 1]}]"},
            "5:31",
            ["mu must be a number", "mu: {sweep: [0.01, 0.1, 1]}"],
        ),
        ({"algorithms": "algorithms: [{name: nlcf, mu: {sweep: 1}}]"}, "5:39", ["a sweep is a list"]),
        ({"algorithms": "algorithms: [{name: nlcf, mu: {sweep: []}}]"}, "5:39", ["a sweep is a list"]),
        ({"algorithms": "algorithms: [{name: nlcf, mu: {sweep: [1, -1]}}]"}, "5:43", ["mu", "not -1"]),
        ({"algorithms": "algorithms: [{name: nlcf, mu: {sweep: [0.1, 1e-1]}}]"}, "5:45", ["0.1 twice"]),
        (
            {"algorithms": "algorithms: [{name: nlcf, mu: {sweep: [1, 2], log: true}}]"},
            "5:47",
            ["stands alone"],
        ),
        ({"algorithms": "algorithms: [{name: nlcf, mu: {sweeps: [1, 2]}}]"}, "5:31", ["mu must be a number"]),
        (
            {"algorithms": "algorithms: [{name: nmf, mu: {sweep: [1, 2]}}]"},
            "5:26",
            ["nmf has no parameter 'mu'"],
        ),
        # columns
        ({"algorithms": "algorithms: [nmf, nmf]"}, "5:19", ["NMF is the same method", "line 5"]),
        (
            {"algorithms": "algorithms: [{name: nlcf, mu: 1}, {name: nlcf, mu: 1.0, as: other}]"},
            "5:61",
            ["other is the same method with the same settings"],
        ),
        (
            {"algorithms": "algorithms: [nmf, {name: nlcf, as: NMF}]"},
            "5:36",
            ["column 'NMF' is there already"],
        ),
        ({"algorithms": "algorithms: [{name: nlcf, as: 1e5}]"}, "5:31", ["as must be text", "quote it"]),
        ({"algorithms": "algorithms: [{name: nlcf, as: ' '}]"}, "5:14", ["as is empty"]),
        ({"algorithms": f"algorithms: [{{name: nlcf, as: {'x' * 101}}}]"}, "5:31", ["101 characters"]),
        # the entry's own fit
        ({"algorithms": "algorithms: [{name: nmf, fit: {max_itr: 5}}]"}, "5:32", ["did you mean max_iter?"]),
        ({"algorithms": "algorithms: [{name: nmf, fit: {max_iter: x}}]"}, "5:42", ["max_iter"]),
        (
            {"algorithms": "algorithms: [{name: nmf, fit: 5}]"},
            "5:31",
            ["must be a mapping such as {max_iter: 100}"],
        ),
        (
            {"algorithms": "algorithms: [{name: kmeans, fit: {restarts: 10}}]"},
            "5:35",
            ["kmeans does not use the fit setting restarts", "beside name"],
        ),
        ({"algorithms": "algorithms: [{name: kmeans, fit: {max_iter: 10}}]"}, "5:35", ["does not use"]),
        # settings that a method refuses
        ({"algorithms": "algorithms: [cim_nmf]"}, "4:17", ["cim_nmf: with an adaptive", "restarts: 1"]),
        ({"algorithms": "algorithms: [{name: cim_nmf, fit: {restarts: 2}}]"}, "5:46", ["restarts: 1"]),
        (
            {"algorithms": "algorithms: [{name: cim_nmf, fit: {restarts: 1, tol: 1e-4}}]"},
            "5:54",
            ["cim_nmf", "use tol: 0 or give sigma"],
        ),
        # fixed budgets and inner updates
        (
            {
                "algorithms": "algorithms: [{name: tnmf, lam: 1}]",
                "fit": "fit: {restarts: 1, max_iter: 5, tol: 1e-5}",
            },
            "4:38",
            ["part of tnmf", "tol must be 0"],
        ),
        ({"algorithms": "algorithms: [{name: tnmf, lam: 1, fit: {tol: 1e-5}}]"}, "5:46", ["tol must be 0"]),
        (
            {"fit": "fit: {restarts: 1, max_iter: 5, tol: 0, inner: {U: 2, H: 10}}"},
            "4:48",
            ["factor 'H'", "those of nmf are U, V", "its own fit"],
        ),
        ({"fit": "fit: {restarts: 1, max_iter: 5, tol: 0, inner: {U: 0}}"}, "4:48", ["inner U", ">= 1"]),
        ({"fit": "fit: {restarts: 1, max_iter: 5, tol: 0, inner: {U: true}}"}, "4:48", ["inner U", ">= 1"]),
        ({"fit": "fit: {restarts: 1, max_iter: 5, tol: 0, inner: {U: 1.5}}"}, "4:48", ["inner U", ">= 1"]),
        ({"fit": "fit: {restarts: 1, max_iter: 5, tol: 0, inner: aut}"}, "4:48", ["did you mean auto?"]),
        ({"fit": "fit: {restarts: 1, max_iter: 5, tol: 0, order: UW}"}, "4:48", ["UV, VU"]),
        # too much
        (
            {"protocol": "protocol: {kind: clustering, clusters: [2], repeats: 100000000}"},
            "3:1",
            ["1000000 trials"],
        ),
    ],
    ids=lambda value: None if isinstance(value, list) else str(value),
)
def test_a_mistake_is_told_at_its_place(
    errors, changed: dict[str, str | None], where: str, parts: list[str]
) -> None:
    found = errors(**changed)
    line = next((each for each in found if each.startswith(f"s.yaml:{where}: ")), None)
    assert line is not None, found
    for part in parts:
        assert part in line


@pytest.mark.parametrize("word", ["CNMF", "ConvexNMF", "consensus_nmf"])
def test_an_ambiguous_method_name_is_refused_with_what_there_is(errors, word: str) -> None:
    """C25: CNMF is constrained, convolutive, convex or consensus NMF, by author."""
    (line,) = errors(algorithms=f"algorithms: [{word}]")
    assert f"there is no algorithm '{word}'" in line
    for name in algorithms.registry():
        assert name in line


def test_all_mistakes_of_a_file_are_told_at_once(errors) -> None:
    found = errors(
        title="title: 5",
        dataset="dataset: {name: olr, size: 32x32}",
        protocol="protocol: {kind: clustering, clusters: [0, 2, x], repeat: 3}",
        fit="fit: {restarts: 0, max_iter: 5}",
        algorithms="algorithms: [nmff, {name: nlcf, nu: 1, mu: -1}, nmf]",
        seed="sed: 1",
        x="keep: [all]",
    )
    assert [line.split(": ")[0].removeprefix("s.yaml:") for line in found] == [
        *("1:1", "1:8", "2:17", "3:41", "3:47", "3:51", "4:1", "4:17", "5:14", "5:33", "5:44", "6:1", "7:8")
    ]


def test_a_single_mistake_is_a_single_line(errors) -> None:
    assert len(errors(seed="seed: -1")) == 1
    assert len(errors(algorithms="algorithms: [{name: nlcf, mu: 010}]")) == 1
    assert len(errors(dataset="dataset: &x {name: orl}")) == 1


def test_a_file_that_is_no_mapping(tmp_path: Path) -> None:
    path = tmp_path / "s.yaml"
    for text in ("- a\n", "nmf\n", "5\n", "~\n"):
        path.write_text(text)
        with pytest.raises(SpecError, match="must be a mapping"):
            read_spec(path)


# sweeps and columns


def test_a_sweep_makes_a_column_for_every_value(read) -> None:
    spec = read(algorithms="algorithms: [nmf, {name: nlcf, mu: {sweep: [1e-2, 0.1, 1]}}]")
    assert labels(spec) == ["NMF", "NLCF (mu = 0.01)", "NLCF (mu = 0.1)", "NLCF (mu = 1)"]
    assert [entry.sweep for entry in spec.entries] == [{}, {"mu": 0.01}, {"mu": 0.1}, {"mu": 1.0}]
    assert [entry.algorithm.parameters["mu"] for entry in spec.entries[1:]] == [0.01, 0.1, 1.0]


def test_sweeps_multiply(read) -> None:
    spec = read(
        algorithms="algorithms: [{name: nlcf_g, mu: {sweep: [0.1, 1]}, neighbors: {sweep: [3, 5]}, as: G}]"
    )
    assert labels(spec) == [
        "G (mu = 0.1, neighbors = 3)",
        "G (mu = 0.1, neighbors = 5)",
        "G (mu = 1, neighbors = 3)",
        "G (mu = 1, neighbors = 5)",
    ]
    assert spec.entries[2].sweep == {"mu": 1.0, "neighbors": 3}


def test_a_sweep_over_words_and_nothing(read) -> None:
    spec = read(
        algorithms="algorithms: [{name: nmf, normalize: {sweep: [unit, none]}}, "
        "{name: nlcf_g, weights: heat, width: {sweep: [null, 2]}}]"
    )
    assert labels(spec) == [
        "NMF (normalize = unit)",
        "NMF (normalize = none)",
        "NLCF-G (width = none)",
        "NLCF-G (width = 2)",
    ]


def test_parameters_that_do_not_go_together_are_told_where_they_are(errors) -> None:
    (line,) = errors(algorithms="algorithms: [{name: nlcf_g, neighbors: 3, width: {sweep: [null, 2]}}]")
    assert line.startswith("s.yaml:5:50: ")
    assert "weights" in line


def test_a_sweep_of_one_value_still_says_it(read) -> None:
    assert labels(read(algorithms="algorithms: [{name: nlcf, mu: {sweep: [0.1]}}]")) == ["NLCF (mu = 0.1)"]


def test_a_required_parameter_may_be_swept(read) -> None:
    spec = read(algorithms="algorithms: [{name: tnmf, lam: {sweep: [1, 10]}}]")
    assert labels(spec) == ["TNMF (lam = 1)", "TNMF (lam = 10)"]


def test_a_sweep_that_never_ends_is_refused(errors) -> None:
    values = ", ".join(map(str, range(100)))
    found = errors(
        algorithms=f"algorithms: [{{name: nlcf_g, mu: {{sweep: [{values}]}}, lam: {{sweep: [{values}]}}}}]"
    )
    assert "10000 columns" in found[-1]


def test_the_same_method_twice_is_told_apart_by_what_differs(read) -> None:
    spec = read(
        algorithms="algorithms: [{name: nlcf_g, mu: 0.1, lam: 2}, {name: nlcf_g, mu: 0.5, lam: 2}, "
        "{name: nlcf_g, mu: 0.5, lam: 2, fit: {max_iter: 100}}, {name: nlcf_g, as: as printed}, nmf]"
    )
    assert labels(spec) == [
        "NLCF-G (mu = 0.1, max_iter = 2000)",
        "NLCF-G (mu = 0.5, max_iter = 2000)",
        "NLCF-G (mu = 0.5, max_iter = 100)",
        "as printed",
        "NMF",
    ]


def test_awkward_labels_stay_as_they_are(read) -> None:
    spec = read(
        algorithms='algorithms: [{name: nmf, as: "NMF | p=2, \\"fast\\" ±"}, {name: nlcf, as: None}, '
        "{name: nlcf_g, as: '1e5'}, {name: kmeans, as: =1+1}, {name: nmf_sc, sparseness_v: 0.5, as: NA}]"
    )
    assert labels(spec) == ['NMF | p=2, "fast" ±', "None", "1e5", "=1+1", "NA"]


# fit


def test_an_entry_overrides_single_fit_settings(read) -> None:
    spec = read(algorithms="algorithms: [nmf, {name: nlcf, fit: {max_iter: 100, order: VU}}]")
    first, second = (entry.fit for entry in spec.entries)
    assert (first.restarts, first.max_iter, first.order) == (10, 2000, "UV")
    assert (second.restarts, second.max_iter, second.order) == (10, 100, "VU")


def test_a_global_inner_does_not_reach_a_fixed_budget(read) -> None:
    fit = "fit: {restarts: 2, max_iter: 50, tol: 0, inner: {U: 2}}"
    spec = read(
        fit=fit,
        algorithms="algorithms: [nmf, {name: tnmf, lam: 1}, {name: tnmf, lam: 1, fit: {inner: {S: 3}}}]",
    )
    assert [entry.fit.inner for entry in spec.entries] == [{"U": 2}, None, {"S": 3}]
    assert labels(spec) == ["NMF", "TNMF (inner = none)", "TNMF (inner = S 3)"]
    assert [each["fit"]["inner"] for each in resolved(spec)["algorithms"]] == [{"U": 2}, None, {"S": 3}]


def test_an_entry_of_fixed_budget_may_set_its_own_tol(read) -> None:
    spec = read(
        fit="fit: {restarts: 2, max_iter: 50, tol: 1e-5}",
        algorithms="algorithms: [nmf, {name: tnmf, lam: 1, fit: {tol: 0}}]",
    )
    assert [entry.fit.tol for entry in spec.entries] == [1e-5, 0.0]


def test_resolved_lists_only_fit_settings_that_a_method_uses(read) -> None:
    content = resolved(read())
    assert list(content["algorithms"][0]["fit"]) == ["dtype"]
    assert content["algorithms"][1]["fit"]["max_iter"] == 2000


# smoke


def test_smoke_shrinks_everything(read) -> None:
    spec = read(
        smoke=True,
        protocol="protocol: {kind: clustering, clusters: [8, 2, 4], repeats: 10}",
        algorithms="algorithms: [nmf, {name: nlcf, fit: {max_iter: 5, restarts: 1}}]",
    )
    assert spec.name == "s-smoke"
    assert resolved(spec)["protocol"]["clusters"] == [2, 4]
    assert [(entry.fit.restarts, entry.fit.max_iter) for entry in spec.entries] == [(2, 20), (1, 5)]


# --set


def test_set_replaces_and_adds(read) -> None:
    spec = read(
        (
            "fit.max_iter=50",
            "protocol.clusters=[2, 8]",
            "protocol.assign={kmeans: {restarts: 5}}",
            "dataset.source=originals",
            "algorithms.nlcf.mu=5e-1",
            "algorithms.nmf.normalize=none",
            "algorithms.nlcf.fit.restarts=3",
            "title=A # b: c",
            "keep=[labels]",
            "seed=7",
        )
    )
    content = resolved(spec)
    assert content["protocol"]["clusters"] == [2, 8]
    assert content["protocol"]["assign"] == {"kmeans": {"restarts": 5}}
    assert content["dataset"]["source"] == "originals"
    assert [each["fit"].get("max_iter") for each in content["algorithms"]] == [None, 50, 50]
    assert content["algorithms"][1]["parameters"] == {"normalize": "none"}
    assert content["algorithms"][2]["parameters"] == {"mu": 0.5}
    assert content["algorithms"][2]["fit"]["restarts"] == 3
    assert (spec.title, spec.keep, spec.seed) == ("A # b: c", ("labels",), 7)


def test_set_reaches_sections_that_are_not_there(read) -> None:
    spec = read(("fit.restarts=1", "fit.max_iter=5", "fit.tol=0"), fit=None)
    assert spec.entries[1].fit.max_iter == 5


def test_set_into_a_dataset_by_name_alone(read) -> None:
    assert read(("dataset.size=64x64",), dataset="dataset: orl").dataset.size == "64x64"


def test_set_names_a_method_by_its_label(read) -> None:
    text = "algorithms: [{name: nlcf, as: NLCF 0.5, mu: 0.5}, {name: nlcf, mu: 1}]"
    spec = read(("algorithms.NLCF 0.5.mu=0.7",), algorithms=text)
    assert [entry.algorithm.parameters["mu"] for entry in spec.entries] == [0.7, 1.0]


def test_set_can_write_a_sweep(read) -> None:
    assert labels(read(("algorithms.nlcf.mu={sweep: [0.1, 1]}",)))[2:] == ["NLCF (mu = 0.1)", "NLCF (mu = 1)"]


@pytest.mark.parametrize(
    ("override", "parts"),
    [
        ("fit.max_itr=50", ["did you mean max_iter?"]),
        ("fit.max_iter=x", ["max_iter must be a whole number"]),
        ("fit.max_iter=010", ["leading zero"]),
        ("fit.max_iter=[", ["missing"]),
        ("fit.max_iter=!x", ["max_iter must be"]),
        ("fit.max_iter=[&a 1]", ["anchor"]),
        ("fit.max_iter=[1]", ["max_iter must be"]),
        ("fit.max_iter", ["key=value"]),
        ("=5", ["key=value"]),
        ("fit..tol=5", ["key=value"]),
        ("seed.x=5", ["seed is 2013", "not a mapping"]),
        ("dataset.sise=1", ["did you mean size?"]),
        ("protocol.kind=clusterin", ["did you mean clustering?"]),
        ("protocol.clusters=[2, 41]", ["k = 41"]),
        ("algorithms.gnmf.lam=5", ["no listed algorithm fits", "kmeans, nmf, nlcf"]),
        ("algorithms.nlcf=5", ["no listed algorithm fits"]),
        ("algorithms.nlcf.nu=5", ["nlcf has no parameter 'nu'"]),
        ("algorithms.nlcf.mu=-5", ["mu must be a number >= 0"]),
        ("title=a\tb", ["control character"]),
        ("title=\udc80", ["control character"]),
        ("title=['\uffff']", ["control character"]),
        ("nothing=5", ["no key 'nothing'"]),
    ],
)
def test_mistakes_in_set_name_it(errors, override: str, parts: list[str]) -> None:
    (line,) = errors((override,))
    assert line.startswith("--set ")
    for part in parts:
        assert part in line


def test_set_twice_and_ambiguous_methods(errors) -> None:
    assert "seed is set twice" in errors(("seed=1", "seed=2"))[0]
    found = errors(
        ("algorithms.nlcf.mu=2",), algorithms="algorithms: [{name: nlcf, mu: 0.1}, {name: nlcf, mu: 1}]"
    )
    assert "nlcf is listed 2 times" in found[0]


# files


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


def test_find_spec(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
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
        ("orl_nclf", "did you mean orl_nlcf?"),
        ("nowhere/s.yaml", "no such file"),
        ("x" * 5000, "no such file"),
        ("a\0b", "no such file"),
    ],
)
def test_find_spec_suggests(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str, part: str) -> None:
    monkeypatch.chdir(tmp_path)
    write(tmp_path)
    with pytest.raises(SpecError, match="no such file") as caught:
        find_spec(text)
    assert part in str(caught.value)
