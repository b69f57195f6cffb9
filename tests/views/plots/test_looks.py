"""How methods look in pictures."""

import pytest

from nmfrepro import algorithms, papers
from nmfrepro.results.record import ColumnRecord, FitRecord
from nmfrepro.views.plots.style import MARKERS, look_of, looks_of
from nmfrepro.views.report.chart import OUTLINES


def column(label: str, algorithm: str) -> ColumnRecord:
    return ColumnRecord(label=label, algorithm=algorithm, parameters={}, fit=FitRecord())


@pytest.mark.parametrize("paper", sorted(papers.catalogue.PAPERS))
def test_methods_of_one_paper_have_looks_that_differ_without_colour(paper):
    names = set(papers.catalogue.PAPERS[paper].methods.values())
    assert all(algorithms.get(name).look for name in names)
    assert len({(look_of(name).marker, look_of(name).dash) for name in names}) == len(names)


def test_a_method_of_the_users_looks_the_same_every_time():
    assert look_of("my_nmf") == look_of("my_nmf")
    assert len({look_of(f"mine_{i}") for i in range(20)}) > 10


def test_a_second_column_of_a_method_keeps_its_colour():
    columns = [column("NLCF", "nlcf"), column("NMF", "nmf"), column("mine", "nlcf")]
    first, other, second = looks_of(columns).values()
    assert (first.colour, first.marker) == (second.colour, second.marker)
    assert first.dash != second.dash
    assert second.hollow
    assert other == look_of("nmf")


def test_settings_of_a_method_differ_where_there_are_no_lines():
    """The diagram of ranks has markers alone; none is that of another method of the same colour."""
    for others in ([], ["tnmf", "cim_nmf", "twodnmf", "lds_nmf"]):
        columns = [column(f"{name} {i}", name) for name in ["nlcf", *others] for i in range(5)]
        looks = looks_of(columns)
        assert len({(look.colour, look.marker, look.hollow) for look in looks.values()}) == len(columns)
        assert all(looks[f"{name} 0"] == look_of(name) for name in ["nlcf", *others])


def test_two_methods_of_one_colour_and_marker_differ_in_their_middle():
    first, second = looks_of([column("CIM", "cim_nmf"), column("GNMF", "gnmf")]).values()
    assert (first.colour, first.marker) == (second.colour, second.marker)
    assert not first.hollow
    assert second.hollow


def test_a_method_of_the_users_has_a_colour_and_a_marker_of_its_own_in_a_table():
    beside = [column(name, name) for name in ("nmf", "nlcf", "nlcf_g", "kmeans", "nmf_sc")]
    for i in range(20):
        own = [column(f"mine {j}", f"mine_{i}_{j}") for j in range(3)]
        *others, first, second, third = looks_of([*beside, *own]).values()
        assert others == [look_of(each.algorithm) for each in beside]
        taken = {other.colour for other in others}
        assert len({first.colour, second.colour, third.colour} - taken) == 3
        taken = {other.marker for other in others}
        assert len({first.marker, second.marker, third.marker} - taken) == 3


def test_a_method_of_the_users_is_drawn_where_every_colour_is_taken():
    beside = [column(name, name) for name, cls in algorithms.registry().items() if cls.look]
    looks = looks_of([column("mine", "mine"), *beside])
    assert looks["mine"].colour in {look.colour for label, look in looks.items() if label != "mine"}
    # What it is does not matter to the others.
    assert looks_of(beside) == {label: look for label, look in looks.items() if label != "mine"}


def test_a_chart_of_the_report_has_an_outline_for_every_marker():
    assert set(MARKERS) == set(OUTLINES)
    assert len({*OUTLINES.values()}) == len(OUTLINES)
