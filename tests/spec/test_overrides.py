"""Settings replaced on the command line by `--set`."""

from __future__ import annotations

import pytest
from specparts import labels, write

from nmfrepro.algorithms.gnmf import GNMF
from nmfrepro.algorithms.nlcf import NLCF
from nmfrepro.core.errors import SpecError
from nmfrepro.runs.record import spec_record
from nmfrepro.spec.reader import read_spec


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
    written = spec_record(spec)
    assert written.protocol["clusters"] == [2, 8]
    assert written.protocol["assign"] == {"kmeans": {"restarts": 5}}
    assert written.dataset.source == "originals"
    assert [each.fit.max_iter for each in written.algorithms] == [None, 50, 50]
    assert [each.parameters for each in written.algorithms[1:]] == [{"normalize": "none"}, {"mu": 0.5}]
    assert written.algorithms[2].fit.restarts == 3
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
        ("fit.max_iter=[&a 1]", ["anchor"]),
        ("fit.inner={U: 1, U: 2}", ["key 'U' is given twice; remove one"]),
        ("fit.max_iter", ["key=value"]),
        ("fit.max_iter.x=3", ["fit.max_iter is 2000, not a mapping: x cannot be set in it"]),
        # An unset variable of a shell is no wish for nothing.
        ("timeout=", ["nothing stands behind the equals sign; for nothing write timeout=null"]),
        ("protocol.labelled= ", ["write protocol.labelled=null"]),
        ("=5", ["key=value"]),
        ("fit..tol=5", ["key=value"]),
        ("seed.x=5", ["seed is 2013", "not a mapping"]),
        ("protocol.clusters=[2, 41]", ["k = 41"]),
        ("algorithms.gnmf.lam=5", ["no listed algorithm fits", "kmeans, nmf, nlcf"]),
        ("algorithms.nlcf=5", ["no listed algorithm fits"]),
        ("algorithms.nlcf.mu=-5", ["mu must be a number >= 0"]),
        ("title=a\tb", ["control character"]),
        ("title=\udc80", ["control character"]),
        ("title=['\uffff']", ["control character"]),
        ("nothing=5", ["no key 'nothing'"]),
    ],
)
def test_mistakes_in_set_name_it(errors, override: str, parts: list[str]) -> None:
    (line,) = errors((override,))
    assert line.startswith("overrides: ")
    for part in parts:
        assert part in line


def test_what_is_added_to_a_list_is_blamed_for_it(errors) -> None:
    assert errors(("protocol.clusters+=4",)) == ["overrides: protocol.clusters+=4: clusters names 4 twice"]
    (line,) = errors(("protocol.clusters+=41",))
    assert line.startswith("overrides: protocol.clusters+=41: ")


def test_also_takes_text_mappings_and_methods(tmp_path) -> None:
    path = write(tmp_path)
    spec = read_spec(path, also=["onmf", {"name": "nlcf", "mu": 0.5}, NLCF(mu=0.7), GNMF])
    assert labels(spec)[3:] == ["ONMF", "NLCF (mu = 0.5)", "NLCF (mu = 0.7)", "GNMF"]
    # As text it is what the command line would have been given.
    assert read_spec(path, spec.overrides).entries == spec.entries
    with pytest.raises(SpecError, match=r"^also: gnmff: .*did you mean gnmf\?"):
        read_spec(path, also=["gnmff"])


def test_set_twice_and_ambiguous_methods(errors) -> None:
    assert "seed is set twice" in errors(("seed=1", "seed=2"))[0]
    found = errors(
        ("algorithms.nlcf.mu=2",), algorithms="algorithms: [{name: nlcf, mu: 0.1}, {name: nlcf, mu: 1}]"
    )
    assert "nlcf is listed 2 times" in found[0]
