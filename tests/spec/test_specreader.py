"""Specs: what a valid one becomes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from nmfrepro import protocols
from nmfrepro.core.options import options_of
from nmfrepro.runs.record import spec_record


def test_what_is_left_out_has_its_default(read) -> None:
    spec = read(title=None)
    assert spec.title == spec.name == "s"
    assert spec.published is None
    assert spec.metrics == spec.protocol.shown
    assert (spec.keep, spec.timeout, spec.inferred) == ((), None, ())
    assert spec.path == Path("s.yaml")


def test_tables_of_recognition_show_every_classifier(read) -> None:
    protocol = "protocol: {kind: recognition, train: [2], dimensions: [2], classifiers: [nn, svm]}"
    algorithms = "algorithms: [nmf]"
    assert read(protocol=protocol, algorithms=algorithms, metrics=None).metrics == ("nn", "svm")


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


def test_a_single_word_is_a_list_of_one(read) -> None:
    spec = read(metrics="metrics: nmi", keep="keep: labels", inferred="inferred: nlcf.mu")
    assert (spec.metrics, spec.keep, spec.inferred) == (("nmi",), ("labels",), ("nlcf.mu",))


def test_a_dataset_by_name_alone(read) -> None:
    assert read(dataset="dataset: orl") == read()


def test_equal_values_written_differently_are_one(read) -> None:
    assert spec_record(read(algorithms="algorithms: [{name: nlcf, mu: 1}]")) == spec_record(
        read(
            algorithms='algorithms: [{"name": nlcf, mu: 1.0e0}]  # a comment',
            fit="fit: {tol: 0.0, max_iter: 2000, restarts: 10}",
        )
    )


def test_a_spec_without_iterative_methods_needs_no_fit(read) -> None:
    assert read(fit=None, algorithms="algorithms: [kmeans]").entries[0].fit.restarts == 1


# smoke


def test_smoke_shrinks_everything(read) -> None:
    spec = read(
        smoke=True,
        protocol="protocol: {kind: clustering, clusters: [8, 2, 4], repeats: 10}",
        algorithms="algorithms: [nmf, {name: nlcf, fit: {max_iter: 5, restarts: 1}}]",
    )
    assert spec.name == "s-smoke"
    assert spec.protocol.clusters == (2, 4)
    assert [(entry.fit.restarts, entry.fit.max_iter) for entry in spec.entries] == [(2, 20), (1, 5)]


def test_smoke_leaves_columns_two_that_differ_in_what_it_shrinks(read) -> None:
    own = ("max_iter: 100", "max_iter: 1000", "restarts: 30", "max_iter: 3")
    listed = ", ".join(
        f"{{name: nmf, as: {n}, fit: {{{fit}}}}}".replace("as: ", "as: n") for n, fit in enumerate(own)
    )
    spec = read(smoke=True, algorithms=f"algorithms: [kmeans, {listed}]")
    assert [entry.fit.max_iter for entry in spec.entries[1:]] == [20, 21, 22, 3]


@pytest.mark.parametrize("kind", protocols.registry())
def test_every_metric_of_a_protocol_may_be_asked_for(read, kind: str) -> None:
    cls = protocols.get(kind)
    required = {name: [2] for name, each in options_of(cls).items() if each.required}
    named = [name for name in protocols.metrics() if name in cls.measures()]
    spec = read(
        protocol=f"protocol: {json.dumps({'kind': kind} | required)}",
        algorithms="algorithms: [nmf]",
        metrics=f"metrics: {json.dumps(named)}",
    )
    assert spec.metrics == tuple(named)
