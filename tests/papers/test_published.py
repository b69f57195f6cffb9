"""The shipped tables: complete, in range, consistent with their own averages, units understood."""

from __future__ import annotations

import math

import pytest

from nmfrepro import papers, protocols
from nmfrepro.core.errors import SpecError
from nmfrepro.papers.catalogue import PAPERS, SOURCES

CELLS = {
    "nlcf/table5_orl": (9, 5, 2),
    "nlcf/table6_mnist": (9, 5, 2),
    "nlcf/table7_yale": (14, 5, 2),
    "tnmf/table1_orl": (8, 9, 2),
    "tnmf/table2_caltech101": (9, 9, 2),
    "tnmf/table4_runtime": (4, 3, 1),
    "twodnmf/table1_orl": (3, 5, 1),
    "twodnmf/table1_umist": (3, 5, 1),
    "twodnmf/table1_coil20": (3, 5, 1),
    "ldsnmf/table1_ar": (3, 5, 2),
    "ldsnmf/table2_yaleb": (3, 5, 2),
}
# Printed averages that the rows do not give, beyond rounding.
WRONG_AVERAGES = {("tnmf/table1_orl", "accuracy", "RICA")}


@pytest.mark.parametrize("name", CELLS)
def test_every_combination_is_there_once(name: str) -> None:
    table = papers.load(name)
    rows, columns, shown = CELLS[name]
    assert (len(table.rows), len(table.columns), len(table.metrics)) == (rows, columns, shown)
    where = {(cell.row, cell.column, cell.metric) for cell in table.cells}
    assert len(where) == len(table.cells) == rows * columns * shown


@pytest.mark.parametrize("name", papers.names())
def test_units_and_names(name: str) -> None:
    table = papers.load(name)
    algorithms = PAPERS[name.partition("/")[0]].methods
    for cell in table.cells:
        assert cell.algorithm == algorithms[cell.column]
        assert cell.metric in protocols.metrics()
        assert 0 < cell.mean < 100
        assert cell.std is None or 0 < cell.std < 50
        assert table.find(cell.metric, cell.algorithm, cell.row) or cell.row is None
    for companion in table.source.companions:
        assert companion in papers.names()


@pytest.mark.parametrize("name", CELLS)
def test_printed_averages_follow_from_the_rows(name: str) -> None:
    table = papers.load(name)
    for average in table.averages:
        rows = [c.mean for c in table.cells if (c.metric, c.column) == (average.metric, average.column)]
        agrees = abs(math.fsum(rows) / len(rows) - average.mean) < 0.07
        assert agrees != ((name, average.metric, average.column) in WRONG_AVERAGES)


def test_tnmf_prints_a_variance_of_the_fraction_times_100() -> None:
    cell = papers.load("tnmf/table1_orl").find("accuracy", "kmeans", 5)
    assert cell is not None
    assert (cell.mean, cell.printed, cell.repeats) == (79.8, "79.80±2.80", 10)
    assert cell.std == pytest.approx(16.733, abs=1e-3)  # √(2.80/100) = 0.16733


def test_nlcf_prints_points_and_a_single_run_of_all_classes() -> None:
    table = papers.load("nlcf/table5_orl")
    first, last = table.find("accuracy", "nlcf", 2), table.find("accuracy", "nlcf", 40)
    assert first is not None
    assert (first.mean, first.std, first.repeats, first.printed) == (98.5, 3.2, 10, "98.5±3.2")
    assert last is not None
    assert (last.mean, last.std, last.repeats) == (61.8, None, 1)


def test_lds_nmf_prints_fractions_of_two_classifiers() -> None:
    table = papers.load("ldsnmf/table1_ar")
    nearest, machine = table.find("nn", "lds_nmf", 5), table.find("svm", "lds_nmf", 5)
    assert nearest is not None
    assert machine is not None
    assert (nearest.mean, machine.mean) == pytest.approx((60.85, 83.77))
    assert nearest.printed == machine.printed == "0.6085(0.8377)"
    assert nearest.dimension is None


def test_2dnmf_prints_the_dimension_in_brackets() -> None:
    cell = papers.load("twodnmf/table1_orl").find("nn", "twodnmf", 2)
    assert cell is not None
    assert (cell.mean, cell.dimension, cell.printed, cell.repeats) == (73.64, 12, "73.64 (12)", 20)


def test_sparseness_has_datasets_and_no_k() -> None:
    table = papers.load("nlcf/table8_sparseness")
    values = {(cell.dataset, cell.algorithm): cell.mean for cell in table.cells}
    assert table.coordinate is None
    assert values["orl", "nlcf"] == 84.3
    assert {cell.row for cell in table.cells} == {None}


def test_nnsc_of_tnmf_is_the_constrained_method() -> None:
    assert PAPERS["tnmf"].methods["NNSC"] == "nmf_sc"
    assert PAPERS["cnmf"].methods["NMF"] == "nmf_ncw"


def test_claims_of_lost_tables() -> None:
    table = papers.load("cnmf/table7_caltech101")
    assert (table.cells, table.metrics, table.rows) == ((), ("accuracy", "nmi"), ())
    assert [(c.algorithm, c.over_algorithm, c.gain) for c in table.claims] == [
        ("cnmf_kl", "semi_gnmf", 7.2),
        ("cnmf_kl", "semi_gnmf", 9.01),
        ("cnmf", "semi_gnmf", 2.87),
    ]
    best = papers.load("tnmf/table3_yale").claims[0]
    assert (best.over, best.over_algorithm, best.gain) == ("best other", "", 2.04)
    assert {claim.gain for claim in papers.load("cnmf/table4_orl").claims} == {None}


def test_unknown_tables_are_refused_with_a_suggestion() -> None:
    with pytest.raises(SpecError, match="did you mean nlcf/table5_orl"):
        papers.load("nlcf/table5")
    for name in ("nlcf/table4_datasets", "../secrets"):
        with pytest.raises(SpecError, match="no published table"):
            papers.load(name)


def test_every_source_has_its_file_and_every_file_its_source() -> None:
    from importlib import resources

    root = resources.files("nmfrepro.papers")
    found = {
        f"{folder.name}/{file.name.removesuffix('.csv')}"
        for folder in root.iterdir()
        if folder.is_dir()
        for file in folder.iterdir()
        if file.name.endswith(".csv")
    }
    assert found == set(SOURCES)
