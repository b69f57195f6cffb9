"""The columns of a spec: sweeps, labels, and the settings of every fit."""

from __future__ import annotations

from specparts import labels

from nmfrepro.runs.record import spec_record

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
    large = read(algorithms="algorithms: [{name: nlcf, mu: {sweep: [1e6, 1234567]}}]")
    assert labels(large) == [
        "NLCF (mu = 1e+06)",
        "NLCF (mu = 1234567.0)",
    ]  # as the notes have it; no digit lost


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
    assert [each.fit.inner for each in spec_record(spec).algorithms] == [{"U": 2}, None, {"S": 3}]


def test_an_entry_of_fixed_budget_may_set_its_own_tol(read) -> None:
    spec = read(
        fit="fit: {restarts: 2, max_iter: 50, tol: 1e-5}",
        algorithms="algorithms: [nmf, {name: tnmf, lam: 1, fit: {tol: 0}}]",
    )
    assert [entry.fit.tol for entry in spec.entries] == [1e-5, 0.0]


def test_only_fit_settings_that_a_method_uses_are_written_down(read) -> None:
    kmeans, nmf, _ = spec_record(read()).algorithms
    assert list(kmeans.fit.to_json()) == ["dtype"]
    assert nmf.fit.max_iter == 2000
