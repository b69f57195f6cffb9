"""Specs: every mistake is told at its place, before any work."""

from __future__ import annotations

from pathlib import Path

import pytest

from nmfrepro import algorithms
from nmfrepro.core.errors import SpecError
from nmfrepro.spec.reader import read_spec

# The parts of specparts.PARTS are lines 1 to 6.


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
            {"protocol": "protocol: {kind: clustering, clusters: [2], train: [3]}"},
            "3:45",
            ["no key 'train'", "goes under a protocol of kind recognition"],
        ),
        (
            {"protocol": "protocol: {kind: clustering, clusters: [2], seed: 3}"},
            "3:45",
            ["seed goes under the top level"],
        ),
        (
            {"algorithms": "algorithms: [{name: nlcf, nu: 0.1}]"},
            "5:27",
            ["nlcf has no parameter 'nu'", "allowed: name, as, fit, mu"],
        ),
        (
            {"algorithms": "algorithms: [{name: nmf, mu: 0.1}]"},
            "5:26",
            ["nmf has no parameter 'mu'", "normalize"],
        ),
        ({"algorithms": "algorithms: [{name: nmf, max_iter: 5}]"}, "5:26", ["max_iter goes under fit"]),
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
        ({"seed": "seed: 010"}, "6:7", ["leading zero", "quote it"]),
        ({"seed": "seed:"}, "6:6", ["whole number >= 0, not nothing"]),
        ({"protocol": "protocol: {kind: clustering, clusters: }"}, "3:39", ["values >= 1, not nothing"]),
        (
            {"protocol": "protocol: {kind: clustering, clusters: [2], choose: {mu: }}"},
            "3:57",
            ["as {mu: [0.1, 1]}, not nothing"],
        ),
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
            {"fit": "fit: {restarts: 1, max_iter: 5, tol: None}"},
            "4:38",
            ["tol must be a number in [0, 1], not 'None'"],
        ),
        ({"fit": "fit: 5"}, "4:6", ["fit must be a mapping such as", "not 5"]),
        ({"dataset": "dataset:"}, "2:9", ["must be a mapping", "not nothing"]),
        ({"algorithms": "algorithms: nmf"}, "5:13", ["must be a list"]),
        ({"algorithms": "algorithms: []"}, "5:13", ["lists none"]),
        ({"algorithms": "algorithms: [5]"}, "5:14", ["must be a mapping such as nmf or"]),
        ({"algorithms": "algorithms: [{name: [nmf]}]"}, "5:21", ["needs its name"]),
        (
            {"algorithms": "algorithms: [{name: nlcf, mu: high}]"},
            "5:31",
            ["mu must be a number >= 0, not 'high'"],
        ),
        ({"algorithms": "algorithms: [{name: nlcf_g, width: none}]"}, "5:36", ["for nothing write null"]),
        (
            {
                "protocol": "protocol: {kind: clustering, clusters: [2], choose: {mu: [1, 2]}}",
                "algorithms": "algorithms: [nmf, {name: nlcf, mu: {sweep: [3, 4]}}]",
            },
            "5:19",
            ["NLCF (mu = 3): mu is chosen for every draw, whatever the column's own value"],
        ),
        (
            {
                "protocol": "protocol: {kind: readings, clusters: [2], choose: {nlcf: {mu: [1, 2]}}}",
                "algorithms": "algorithms: [{name: nlcf, as: A}, {name: nlcf, as: B, mu: 3}]",
            },
            "5:35",
            ["A and B: mu is chosen for every draw", "list nlcf once"],
        ),
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
        ({"protocol": "protocol: {kind: clustering, clusters: [2, 1]}"}, "3:40", ["k = 1", "leave it out"]),
        ({"protocol": "protocol: {kind: clustering, clusters: []}"}, "3:40", ["clusters"]),
        ({"protocol": "protocol: {kind: clustering, clusters: [2, 2]}"}, "3:40", ["clusters", "twice"]),
        ({"fit": "fit: {restarts: 1000000000000, max_iter: 5, tol: 0}"}, "4:17", ["in [1, 100000]"]),
        ({"fit": "fit: {restarts: 1, max_iter: 5, tol: 2}"}, "4:38", ["tol", "in [0, 1]"]),
        ({"x": "timeout: 0"}, "7:10", ["timeout must be a number > 0"]),
        ({"x": "margin: 150"}, "7:9", ["margin must be a number in (0, 100]"]),
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
        (
            {"dataset": "dataset: {name: orl, scale: gray}"},
            "2:29",
            ["must be 'grey' or 'max' or", "not 'gray' (did you mean grey?)"],
        ),
        ({"dataset": "dataset: {name: orl, source: crops}"}, "2:30", ["did you mean crop?"]),
        ({"dataset": "dataset: {}"}, "2:1", ["needs either name"]),
        ({"dataset": "dataset: {file: nowhere.mat, scale: max}"}, "2:17", ["nowhere.mat", "no such file"]),
        ({"protocol": "protocol: {kind: clusterin, clusters: [2]}"}, "3:18", ["did you mean clustering?"]),
        ({"protocol": "protocol: {kind: [a], clusters: [2]}"}, "3:18", ["no protocol kind"]),
        (
            {"protocol": "protocol: {kind: clustering, clusters: [2], assign: argmin}"},
            "3:53",
            ["assign must be 'argmax' or", "not 'argmin'"],
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
        (
            {"algorithms": "algorithms: [{name: nmf, normalize: off}]"},
            "5:37",
            ["'unit' or 'none', not 'off'"],
        ),
        ({"x": "metrics: [accuracy, nmii]"}, "7:21", ["no metric 'nmii'", "did you mean nmi?"]),
        ({"x": "metrics: [nmi, nmi]"}, "7:16", ["listed twice"]),
        ({"x": "metrics: []"}, "7:10", ["metrics lists none"]),
        ({"x": "keep: [lables]"}, "7:8", ["'labels' or 'trace' or 'factors', not 'lables'"]),
        ({"x": "keep: [labels, labels]"}, "7:16", ["listed twice"]),
        (
            {"x": "published: nlcf/table5_olr"},
            "7:12",
            ["no published table", "did you mean nlcf/table5_orl?"],
        ),
        ({"x": "published: nlcf/table7_yale"}, "7:12", ["is of yale", "the dataset is orl"]),
        ({"x": "published: 5"}, "7:12", ["published must be text"]),
        ({"x": "inferred: [nlcf.nu]"}, "7:12", ["no setting 'nlcf.nu'", "did you mean nlcf.mu?"]),
        (
            {"x": "inferred: [fit.maxiter]"},
            "7:12",
            ["did you mean fit.max_iter? allowed: fit.max_iter, ", " more"],
        ),
        # sweeps
        (
            {"algorithms": "algorithms: [{name: nlcf, mu: [0.1, 1]}]"},
            "5:31",
            ["mu must be a number", "mu: {sweep: [0.01, 0.1, 1]}"],
        ),
        ({"algorithms": "algorithms: [{name: nlcf, mu: {sweep: 1}}]"}, "5:39", ["a sweep is a list"]),
        (
            {"algorithms": "algorithms: [{name: nlcf, mu: {seep: [0.1, 1]}}]"},
            "5:31",
            ["mu must be a number", "mu: {sweep: [0.01, 0.1, 1]}"],
        ),
        ({"algorithms": "algorithms: [{name:nlcf, mu: 1}]"}, "5:14", ["belongs after the colon: name: nlcf"]),
        ({"algorithms": "algorithms: [{name: nlcf, mu: {sweep: []}}]"}, "5:39", ["a sweep is a list"]),
        ({"algorithms": "algorithms: [{name: nlcf, mu: {sweep: [1, -1]}}]"}, "5:43", ["mu", "not -1"]),
        ({"algorithms": "algorithms: [{name: nlcf, mu: {sweep: [0.1, 1e-1]}}]"}, "5:45", ["0.1 twice"]),
        (
            {"algorithms": "algorithms: [{name: nlcf, mu: {sweep: [1, 2], log: true}}]"},
            "5:47",
            ["stands alone"],
        ),
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
        ({"algorithms": 'algorithms: [{name: nlcf, as: "a\\u00a0b"}]'}, "5:31", ["no-break space"]),
        ({"algorithms": 'algorithms: [{name: nlcf, as: "a\\u200bb"}]'}, "5:31", ["zero width space"]),
        (
            {"algorithms": "algorithms: [{name: nlcf, as: ＮＭＦ}, nmf]"},
            "5:37",
            ["column 'NMF' is there already"],
        ),
        ({"algorithms": "algorithms: [{name: nlcf, as: 1e5}]"}, "5:31", ["as must be text", "quote it"]),
        ({"algorithms": "algorithms: [{name: nlcf, as: ' '}]"}, "5:14", ["as is empty"]),
        ({"algorithms": f"algorithms: [{{name: nlcf, as: {'x' * 101}}}]"}, "5:31", ["101 characters"]),
        # the entry's own fit
        ({"algorithms": "algorithms: [{name: nmf, fit: {max_itr: 5}}]"}, "5:32", ["did you mean max_iter?"]),
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
            {"algorithms": "algorithms: [{name: tnmf, lam: 1, fit: {inner: auto}}]"},
            "5:48",
            ["tnmf, so inner is not chosen", "{W: 1, S: 2}"],
        ),
        (
            {"fit": "fit: {restarts: 1, max_iter: 5, tol: 0, inner: {U: 2, H: 10}}"},
            "4:48",
            ["factor 'H'", "those of nmf are U, V", "its own fit"],
        ),
        ({"fit": "fit: {restarts: 1, max_iter: 5, tol: 0, inner: {U: 0}}"}, "4:48", ["inner U", ">= 1"]),
        ({"fit": "fit: {restarts: 1, max_iter: 5, tol: 0, inner: aut}"}, "4:48", ["must be 'auto' or"]),
        ({"fit": "fit: {restarts: 1, max_iter: 5, tol: 0, order: UW}"}, "4:48", ["'UV' or 'VU'"]),
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
        *("1:8", "2:17", "3:41", "3:47", "3:51", "4:1", "4:17", "5:14", "5:33", "5:44", "6:1", "7:8")
    ]


def test_a_key_of_no_protocol_is_told_beside_a_kind_that_is_none(errors) -> None:
    lines = errors(protocol="protocol: {kind: mine, clusters: [2], train: [3], repaets: 3}")
    assert ["no protocol kind 'mine'" in lines[0], len(lines)] == [True, 2]
    assert "protocol has no key 'repaets'; did you mean repeats?" in lines[1]


def test_beside_a_misspelt_kind_the_rest_is_read_as_of_the_kind_that_is_meant(errors) -> None:
    lines = errors(protocol="protocol: {kind: clustring, clusters: [2, x, 0], train: [3], repeats: 0}")
    told = ["did you mean clustering?", "not 'x'", "not 0", "train goes under a protocol of", "repeats must"]
    assert [part in line for part, line in zip(told, lines, strict=True)] == [True] * 5
    for wrong in ("clusters: [2, 2]", "clusters: [41]", "repeats: 3"):
        lines = errors(protocol=f"protocol: {{kind: clustring, {wrong}}}")
        assert ["clusters" in line for line in lines] in ([True, False], [False, True])


def test_what_the_data_forbids_is_told_beside_mistakes_of_methods(errors) -> None:
    """What concerns the methods as a whole is not: of a part it would be wrong."""
    protocol = "protocol: {kind: clustering, clusters: [2, 50]}"
    lines = errors(protocol=protocol, algorithms="algorithms: [nmff, cnmf]")
    assert ["clusters has k = 50" in lines[0], "'nmff'" in lines[1], len(lines)] == [True, True, 2]


@pytest.mark.parametrize(
    ("dataset", "protocol", "told"),
    [
        ("{name: olr, scale: grau}", "clusters: [2, 50]", ["2:17", "2:29", "7:11"]),
        ("{name: orl, scale: grau}", "clusters: [2, 50], repeats: 0", ["2:29", "3:40", "3:58", "7:11"]),
        ("{name: orl, subjects: 0}", "clusters: [2, 50]", ["2:32", "3:40", "7:11"]),
        ("{name: orl}", "clusters: [x]", ["3:41", "7:11"]),
        ("{file: none.mat, scale: grau}", "clusters: [2, 50]", ["2:34", "7:11"]),
    ],
)
def test_what_names_and_data_forbid_is_told_beside_values_that_are_not_allowed(
    errors, dataset: str, protocol: str, told: list[str]
) -> None:
    protocol = f"protocol: {{kind: clustering, {protocol}}}"
    lines = errors(dataset=f"dataset: {dataset}", protocol=protocol, x="metrics: [acc]")
    assert [line.split(": ")[0].removeprefix("s.yaml:") for line in lines] == told


def test_what_only_a_wrong_value_would_forbid_is_not_told(errors) -> None:
    """Without `images` there would be too many for a consensus matrix."""
    lines = errors(dataset="dataset: {name: mnist}", protocol="protocol: {kind: rank, ranks: [2], images: 0}")
    assert ["images must be" in line for line in lines] == [True]


def test_a_single_mistake_is_a_single_line(errors) -> None:
    assert len(errors(seed="seed: -1")) == 1
    assert len(errors(algorithms="algorithms: [{name: nlcf, mu: 010}]")) == 1
    assert len(errors(dataset="dataset: &x {name: orl}")) == 1
    assert len(errors(fit="fits: {restarts: 1, max_iter: 5, tol: 0}")) == 1
    assert len(errors(fit="fit: 5")) == 1
    assert errors(fit=None) == [
        "s.yaml:1:1: fit needs restarts, max_iter, tol for nmf, for example "
        "fit: {restarts: 10, max_iter: 2000, tol: 0}"
    ]
    (line,) = errors(x="keep: lables")
    assert line.endswith("keep must be 'labels' or 'trace' or 'factors', not 'lables' (did you mean labels?)")


def test_a_file_that_is_no_mapping(tmp_path: Path) -> None:
    path = tmp_path / "s.yaml"
    for text in ("- a\n", "nmf\n", "5\n", "~\n"):
        path.write_text(text)
        with pytest.raises(SpecError, match="must be a mapping"):
            read_spec(path)
