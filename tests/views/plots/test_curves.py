"""Pictures of tables: curves, dots, times and ranks."""

import itertools
import math
from dataclasses import replace

import numpy as np
import pytest
from handmade import write_results
from picturetests import THREE, all_pictures, crowded, curve, scores, with_sweeps

from nmfrepro import algorithms, papers
from nmfrepro.analysis.compare import compare_published
from nmfrepro.analysis.significance.scores import of_results
from nmfrepro.core.errors import ResultsError
from nmfrepro.spec.columnlabels import show
from nmfrepro.views.plots import curves, draw, pictures
from nmfrepro.views.plots.finish import INCH, WIDTHS, finish
from nmfrepro.views.plots.picture import slug
from nmfrepro.views.plots.run import PlottedRun
from nmfrepro.views.plots.style import drawing, look_of, looks_of


def test_pictures_of_a_clustering_run(drawn):
    assert list(drawn) == [
        "accuracy",
        "accuracy-published",
        "nmi",
        "nmi-published",
        "ranks-accuracy",
        "pairs-accuracy",
        "ranks-nmi",
        "pairs-nmi",
    ]


def test_curves_show_the_means_in_percent(drawn):
    panel = drawn["accuracy"].figure.axes[0]
    points = curve(panel, "NLCF")
    assert points[:, 1] == pytest.approx([80.2, 79.4, 64.0])
    assert points[:, 0] == pytest.approx([2, 4, 40], abs=0.5)  # beside each other, near their k
    assert panel.get_xlabel() == "Number of clusters k"
    assert panel.get_ylabel() == "Accuracy (%)"


def test_published_points_stand_beside(drawn):
    figure = drawn["accuracy-published"].figure
    assert [panel.get_title() for panel in figure.axes] == ["NMF", "NLCF", "Kmeans"]
    points = curve(figure.axes[1], "published\n(Table V,\nChen et al. 2013)")
    table = papers.load("nlcf/table5_orl")
    assert points[:, 1] == pytest.approx([table.find("accuracy", "nlcf", k).mean for k in table.rows])
    assert "Table V,\nChen et al. 2013" in figure.legends[0].get_texts()[1].get_text()
    # Only k = 2, 4, 40 were run.
    marked = [*figure.axes[1].get_xticks(), *figure.axes[1].get_xticks(minor=True)]
    assert set(marked) == set(table.rows)


def test_one_row_is_drawn_as_dots_best_first(tmp_path):
    cells = [{"k": 3, "draw": draw} for draw in range(2)]
    results = write_results(
        tmp_path / "one", lambda label, cell: scores(label, cell)["accuracy"], columns=THREE, cells=cells
    )
    drawn = all_pictures(results)
    assert list(drawn) == ["accuracy", "pairs-accuracy"]
    labels = [each.get_text() for each in drawn["accuracy"].figure.axes[0].get_yticklabels()]
    assert labels == ["NLCF", "NMF", "Kmeans"]


def test_points_stay_near_their_number_where_there_are_only_two(tmp_path):
    cells = [{"k": k, "draw": draw} for k in (2, 3) for draw in (0, 1)]
    results = write_results(
        tmp_path / "two", lambda label, cell: scores(label, cell)["accuracy"], columns=THREE, cells=cells
    )
    panel = all_pictures(results)["accuracy"].figure.axes[0]
    for label, _ in THREE:
        assert curve(panel, label)[:, 0] == pytest.approx([2, 3], abs=0.06)


def test_missing_rows_leave_a_gap(tmp_path):
    def partly(label, cell):
        return None if label == "NMF" and cell["k"] == 4 else scores(label, cell)["accuracy"]

    results = write_results(tmp_path / "gap", partly, columns=THREE[:2])
    points = curve(all_pictures(results)["accuracy"].figure.axes[0], "NMF")
    assert len(points) == 3
    assert np.isnan(points[1, 1])


def test_dollar_signs_in_names_are_text(tmp_path):
    columns = (("NMF ($x_1$", "nmf"), ("NLCF", "nlcf"))
    results = write_results(tmp_path / "money", lambda label, cell: 0.5, columns=columns)
    assert draw(results, tmp_path / "figures")[0]  # a broken formula would raise


def swept(folder, values, others=(), **more):
    """A run of NLCF with a swept mu, and of other columns; 50, 60, 70 … % in their order at k = 0."""
    columns = [*((f"NLCF (mu = {show(v)})", "nlcf") for v in values), *others]

    def rising(label, cell):
        return 0.5 + 0.1 * [name for name, _ in columns].index(label) + 0.001 * cell["k"]

    results = write_results(folder, rising, columns=columns, **more)
    return with_sweeps(results, *({"mu": v} for v in values), *({} for _ in others))


def test_swept_parameter_on_a_logarithmic_axis(tmp_path):
    values = [0.01, 0.1, 1]
    drawn = all_pictures(swept(tmp_path / "sweep", values))
    assert list(drawn) == ["sweep-nlcf-mu"]
    panel = drawn["sweep-nlcf-mu"].figure.axes[0]
    assert panel.get_xscale() == "log"
    means = curve(panel, "NLCF, mean")
    assert means[:, 0].tolist() == values
    assert means[:, 1] == pytest.approx([50 + 4.6 / 3, 60 + 4.6 / 3, 70 + 4.6 / 3])
    thin = {line.get_label(): line.get_ydata() for line in panel.lines}
    assert thin["k = 40"] == pytest.approx([54, 64, 74])


def test_a_sweep_has_a_line_for_each_of_many_rows(tmp_path):
    cells = [{"k": k, "draw": 0} for k in range(2, 22)]
    drawn = all_pictures(swept(tmp_path / "sweep", [1, 2, 3], cells=cells))
    lines = {line.get_label() for line in drawn["sweep-nlcf-mu"].figure.axes[0].lines}
    assert {f"k = {k}" for k in range(2, 22)} <= lines


def test_a_sweep_from_0_has_numbers_on_its_axis(tmp_path):
    values = [0, 0.01, 0.1, 1]
    panel = all_pictures(swept(tmp_path / "sweep", values))["sweep-nlcf-mu"].figure.axes[0]
    assert curve(panel, "NLCF, mean")[:, 0].tolist() == values
    assert [each.get_text() for each in panel.get_xticklabels()] == ["0", "0.01", "0.1", "1"]
    assert panel.get_xlabel() == "μ of NLCF"


def test_a_swept_parameter_may_be_a_list(tmp_path):
    values = [[[1, 0], [0, 1]], [[1, 1], [0, 1]]]
    panel = all_pictures(swept(tmp_path / "sweep", values))["sweep-nlcf-mu"].figure.axes[0]
    assert [each.get_text() for each in panel.get_xticklabels()] == ["1, 0, 0, 1", "1, 1, 0, 1"]


def test_every_sweep_of_a_method_has_its_own_picture(tmp_path):
    """Two entries of NLCF that are called otherwise, and sweep the same values of mu."""
    values = [0.01, 0.1]
    columns = [(f"{name} (mu = {v})", "nlcf") for name in ("long", "short") for v in values]
    results = write_results(tmp_path / "two", lambda label, cell: 0.5, columns=columns)
    drawn = all_pictures(with_sweeps(results, *({"mu": v} for v in values * 2)))
    assert list(drawn) == ["sweep-nlcf-mu", "sweep-nlcf-mu-2"]
    for picture, name in zip(drawn.values(), ("long", "short"), strict=True):
        assert curve(picture.figure.axes[0], f"{name}, mean")[:, 0].tolist() == values


@pytest.mark.parametrize("pair", [False, True])
def test_lines_of_a_sweep_differ_in_colour_dash_or_marker(tmp_path, pair):
    """2DNMF and what NLCF's values of a second parameter begin with are both solid vermillion."""
    others = [(name, name) for name in ("twodnmf", "tnmf", "nmf", "cnmf", "gnmf", "kmeans", "mine", "yours")]
    values = [{"mu": mu, "lam": lam} if pair else {"mu": mu} for mu in (0.1, 1) for lam in (1, 2)[: 1 + pair]]
    labels = [", ".join(f"{name} = {value}" for name, value in each.items()) for each in values]
    columns = [*((f"NLCF ({label})", "nlcf") for label in labels), *others]
    cells = [{"k": k, "draw": 0} for k in range(2, 9)]
    results = write_results(tmp_path / "sweep", lambda *_: 0.5, columns=columns, cells=cells)
    drawn = all_pictures(with_sweeps(results, *values, *({} for _ in others)))
    for panel in drawn["sweep-nlcf-mu"].figure.axes:
        lines = {each.get_label(): each for each in panel.lines if each.get_label()[0] != "_"}
        lines |= {each.get_label(): each.lines[0] for each in panel.containers}
        looks = {(each.get_color(), each.get_linestyle(), each.get_marker()) for each in lines.values()}
        assert len(looks) == len(lines) == len(others) + (2 if pair else 1 + len(cells))
        level = {look[:2] for look in looks if look[2] == "None"}
        assert len(level) == len(others)
        assert not level & {look[:2] for look in looks if look[2] != "None"}


def test_methods_that_are_not_swept_are_level_lines(tmp_path):
    others = [("NMF", "nmf"), ("NLCF by default", "nlcf")]
    picture = all_pictures(swept(tmp_path / "sweep", [0.01, 0.1], others))["sweep-nlcf-mu"]
    level = {line.get_label(): line for line in picture.figure.axes[0].lines}
    assert level["NMF (mean)"].get_ydata() == pytest.approx([70 + 4.6 / 3] * 2)
    assert level["NLCF by default (mean)"].get_ydata() == pytest.approx([80 + 4.6 / 3] * 2)
    assert level["NLCF by default (mean)"].get_linestyle() != look_of("nlcf").dash
    assert "beside NMF, NLCF by default" in picture.alt


def test_beside_a_sweep_all_columns_are_ranked_as_stats_ranks_them(tmp_path):
    results = swept(tmp_path / "sweep", [0.01, 0.1], [("NMF", "nmf")])
    drawn, labels = all_pictures(results), of_results(results).labels
    assert len(labels) == 3
    words = " ".join(each.get_text() for each in drawn["ranks-accuracy"].figure.axes[0].texts)
    assert all(label in words for label in labels)
    names = [each.get_text() for each in drawn["pairs-accuracy"].figure.axes[0].get_yticklabels()]
    assert sorted(names) == sorted(labels)


def test_a_swept_method_looks_as_in_the_other_pictures_and_as_no_row_of_its_own(tmp_path):
    """Methods of the user's, whose colours are chosen beside those of all other columns."""
    values, cells = [0.1, 1], [{"k": k, "draw": 0} for k in range(2, 9)]
    for i in range(6):
        names = {f"mine_{i}": "first", f"mine_{i + 1}": "second"}
        labels = [(f"{name} (mu = {v})", method) for method, name in names.items() for v in values]
        results = write_results(tmp_path / str(i), lambda *_: 0.5, columns=labels, cells=cells)
        results = with_sweeps(results, *({"mu": v} for v in values * 2))
        drawn = all_pictures(results)
        for (method, name), (label, _) in zip(names.items(), labels[::2], strict=True):
            look, panel = (
                looks_of(results.run.columns)[label],
                drawn[f"sweep-{slug(method)}-mu"].figure.axes[0],
            )
            colours = {line.get_label(): line.get_color() for line in panel.lines}
            (mean,) = (each.lines[0] for each in panel.containers)
            assert (mean.get_color(), mean.get_marker()) == (look.colour, look.marker), name
            assert look.colour not in {colours[f"k = {k}"] for k in range(2, 9)}


@pytest.mark.parametrize(("draws", "said"), [(8, "; bold: p < 0.05"), (2, "; no lead with p < 0.05")])
def test_a_matrix_speaks_of_bold_where_something_is(tmp_path, draws, said):
    results = write_results(
        tmp_path / "three",
        lambda label, cell: {"NMF": 0.4, "NLCF": 0.7, "GNMF": 0.1}[label] * (1 + 0.01 * cell["draw"]),
        columns=[("NMF", "nmf"), ("NLCF", "nlcf"), ("GNMF", "gnmf")],
        cells=[{"k": k, "draw": draw} for k in (2, 4) for draw in range(draws)],
    )
    with drawing():
        (picture,) = (each for each in pictures(PlottedRun(results)) if each.name == "pairs-accuracy")
    assert said in picture.figure.get_suptitle()
    weights = {words.get_weight() for words in picture.figure.axes[0].texts}
    assert weights == {"bold" if "bold" in said else "normal"}


@pytest.mark.parametrize("count", [5, 7])
def test_numbers_of_a_matrix_stay_within_their_cells(tmp_path, count):
    labels = [f"PCA + k-means {i}" for i in range(count)]
    results = write_results(
        tmp_path / "bold",
        lambda label, cell: 0.99 - 0.15 * labels.index(label) + 0.001 * cell["draw"],
        columns=[(label, name) for label, name in zip(labels, algorithms.registry(), strict=False)],
        cells=[{"k": k, "draw": draw} for k in (2, 4) for draw in range(8)],
    )
    with drawing(width=WIDTHS["single"] / INCH):
        (picture,) = (each for each in pictures(PlottedRun(results)) if each.name == "pairs-accuracy")
        finish(picture.figure, results.run, (), WIDTHS["single"])
        picture.figure.draw_without_rendering()
        panel = picture.figure.axes[0]
        assert {words.get_weight() for words in panel.texts} == {"bold"}
        widest = max(words.get_window_extent().width for words in panel.texts)
    assert widest < 0.95 * panel.bbox.width / count


@pytest.mark.parametrize("panels", [12, 4])
def test_what_is_swept_stands_beside_the_others_or_is_said_to_be_left_out(tmp_path, monkeypatch, panels):
    monkeypatch.setattr(curves, "SWEPT", panels)
    values = [0.01, 0.1, 1, 10]
    figure = all_pictures(swept(tmp_path / "sweep", values, [("NMF", "nmf")]))["accuracy"].figure
    names = [each.get_text() for each in figure.legends[0].get_texts()]
    assert names == ["NMF"] if panels == 4 else [*(f"NLCF (mu = {v})" for v in values), "NMF"]
    assert figure.get_suptitle().endswith("methods that are not swept") == (panels == 4)


def test_recognition_against_dimension(tmp_path):
    cells = [
        {"train": train, "k": k, "draw": draw} for train in (2, 4) for k in (1, 5, 10) for draw in (0, 1)
    ]

    def rate(label, cell):
        return 0.5 + 0.02 * cell["k"] + 0.05 * cell["train"] + 0.01 * cell["draw"]

    results = write_results(
        tmp_path / "rec",
        rate,
        columns=(("NMF", "nmf"), ("2DNMF", "twodnmf")),
        cells=cells,
        metrics=("nn",),
        kind="recognition",
        published="twodnmf/table1_orl",
    )
    drawn = all_pictures(results)
    assert {"nn-dimensions", "nn", "nn-published"} <= set(drawn)
    left, right = drawn["nn-dimensions"].figure.axes
    assert right.get_title() == "Training images per class: 4"
    assert curve(left, "2DNMF")[:, 0].tolist() == [1, 5, 10]
    assert curve(right, "2DNMF")[:, 1] == pytest.approx([72.5, 80.5, 90.5])
    theirs = papers.load("twodnmf/table1_orl").find("nn", "twodnmf", 2)
    hollow = [line.get_xydata()[0].tolist() for line in left.lines if line.get_markersize() == 8]
    assert [theirs.dimension, theirs.mean] in hollow
    assert theirs.dimension in {*left.get_xticks(), *left.get_xticks(minor=True)}


def test_a_method_that_the_first_panel_lacks_is_in_the_legend(tmp_path):
    def rate(label, cell):
        return "too few images" if (label, cell["train"]) == ("2DNMF", 2) else 0.5 + 0.01 * cell["k"]

    results = write_results(
        tmp_path / "rec",
        rate,
        columns=(("NMF", "nmf"), ("2DNMF", "twodnmf"), ("PCA", "pca")),
        cells=[{"train": train, "k": k, "draw": 0} for train in (2, 4) for k in (1, 5)],
        metrics=("nn",),
        kind="recognition",
    )
    legend = all_pictures(results)["nn-dimensions"].figure.legends[0]
    assert [each.get_text() for each in legend.get_texts()] == ["NMF", "PCA", "2DNMF"]


def test_a_label_that_begins_with_an_underscore_is_in_the_legend(tmp_path):
    results = write_results(
        tmp_path / "own",
        lambda label, cell: 0.5,
        columns=(("_baseline", "nmf"), ("NLCF", "nlcf")),
        cells=[{"k": k, "images": 0, "draw": draw} for k in (2, 4) for draw in range(2)],
    )
    legend = all_pictures(results)["accuracy"].figure.legends[0]
    assert [each.get_text().strip() for each in legend.get_texts()] == ["_baseline", "NLCF"]


def test_a_highlighted_method_stands_before_the_others_and_the_heading_says_what_is_drawn(drawn, tmp_path):
    run = write_results(tmp_path / "one", scores, columns=THREE, metrics=("accuracy", "nmi")).run
    figure = drawn["accuracy"].figure
    finish(figure, run, {"NLCF"}, 8.9)
    thick = {each.get_label(): each.lines[0].get_linewidth() for each in figure.axes[0].containers}
    assert max(thick, key=thick.get) == "NLCF"
    assert thick["NMF"] == thick["Kmeans"] < thick["NLCF"]
    shown = "Accuracy: mean ± one standard deviation over 1–3 draws"
    assert figure.get_suptitle() == f"A table, ORL faces (AT&T)\n{shown}"
    assert figure.get_figwidth() == pytest.approx(8.9 / 2.54)


def test_a_heading_can_be_left_out_but_not_that_a_smoke_run_is_one(tmp_path):
    results = write_results(tmp_path / "plain", scores, columns=THREE)
    smoke = "This is a smoke run: everything is shrunk, and its numbers reproduce nothing."
    with drawing():
        for name, said in (("plain", ""), ("plain-smoke", smoke)):
            picture = next(pictures(PlottedRun(results)))
            height = picture.figure.get_size_inches()[1]
            run = replace(results.run, spec=replace(results.run.spec, name=name))
            finish(picture.figure, run, (), None, title=False)
            assert picture.figure.get_suptitle() == said
            assert (picture.figure.get_size_inches()[1] > height) == bool(said)


def test_pictures_of_some_metrics(clustering, drawn, tmp_path):
    some = all_pictures(clustering, metrics=["nmi"])
    assert list(some) == [name for name in drawn if "nmi" in name]
    with pytest.raises(ResultsError, match="no metric 'nmii' in the results; did you mean nmi"):
        draw(clustering, tmp_path, metrics=["nmii"])


def test_a_file_of_the_users_is_no_heading_and_a_smoke_run_says_that_it_is_one(tmp_path):
    results = write_results(tmp_path / "mine-smoke", scores, columns=THREE, metrics=("accuracy", "nmi"))
    run = replace(results.run, dataset=replace(results.run.dataset, name="faces"))
    for picture in all_pictures(results).values():
        finish(picture.figure, run, (), None)
        first, _, last = picture.figure.get_suptitle().splitlines()
        assert first == "A table"
        assert last == "This is a smoke run: everything is shrunk, and its numbers reproduce nothing."


def test_what_stands_beside_print_is_what_compare_judges(tmp_path):
    protocol = {"clusters": [2, 40], "repeats": 2, "further": 1, "further_starts": 2}
    results = write_results(
        tmp_path / "further",
        lambda label, cell: 0.5 + 0.1 * cell["draw"],
        published="nlcf/table5_orl",
        cells=[{"k": k, "draw": draw} for k in (2, 40) for draw in range(3)],
        spec={"protocol": protocol},
    )
    whole = [replace(trial, classes="all" * (trial.coordinates["k"] == 40)) for trial in results.trials]
    results = replace(results, trials=whole)
    own, beside = all_pictures(results)["accuracy"], all_pictures(results)["accuracy-published"]
    assert own.figure.get_suptitle().endswith("over 1–2 draws")
    assert curve(own.figure.axes[0], "NLCF")[:, 1] == pytest.approx([55, 50])
    assert beside.figure.get_suptitle().endswith("over 3 draws, starts at k = 40; bars end at 100 %")
    [accuracy] = compare_published(results)[:1]
    judged = {column.ours: [pair.ours.mean for pair in column.pairs] for column in accuracy.columns}
    assert curve(beside.figure.axes[1], "reproduced")[:, 1] == pytest.approx(judged["NLCF"])


def test_times_beside_the_published_on_one_axis(tmp_path):
    cells = [{"k": k, "images": 0, "draw": 0} for k in (5, 10)]
    results = write_results(
        tmp_path / "time",
        lambda label, cell: {"NMF": 0.01, "RICA": 1.0}[label] * cell["k"],
        columns=(("NMF", "nmf"), ("RICA", "rica")),
        cells=cells,
        metrics=("seconds",),
        kind="runtime",
        published="tnmf/table4_runtime",
    )
    figure = all_pictures(results)["seconds"].figure
    ours, theirs = figure.axes
    assert curve(ours, "NMF")[:, 1] == pytest.approx([0.05, 0.1])
    assert curve(theirs, "RICA")[:, 1] == pytest.approx([4.37, 10.69])
    assert ours.get_yscale() == "log"
    assert ours.get_ylim() == theirs.get_ylim()
    assert ours.get_xlabel() == theirs.get_xlabel() == "Rank k"
    assert ours.get_ylabel() == "Seconds per fit"
    # of single fits, and of means printed without a spread, no bar stands in the legend either
    assert not any(each.has_yerr for panel in (ours, theirs) for each in panel.containers)


@pytest.mark.parametrize(("mean", "ends"), [(0.9, (75.86, 100)), (0.1, (0, 24.14)), (0.5, (35.86, 64.14))])
def test_more_methods_than_five_have_a_panel_each_and_nothing_passes_the_metric(tmp_path, mean, ends):
    labels = [f"NMF {number}" for number in range(6)]
    results = write_results(
        tmp_path / "many",
        lambda label, cell: mean + (0.1 if cell["draw"] else -0.1),
        columns=tuple((label, "nmf") for label in labels),
        cells=[{"k": k, "images": 0, "draw": draw} for k in (2, 4) for draw in range(2)],
    )
    panels = all_pictures(results)["accuracy"].figure.axes
    assert [panel.get_title() for panel in panels] == labels
    for panel in panels:
        (band,) = panel.collections
        heights = band.get_paths()[0].vertices[:, 1]
        assert (heights.min(), heights.max()) == pytest.approx(ends, abs=0.01)
        assert panel.get_yticks().min() >= 0
        assert (panel.get_yticks().max() == 100) == (ends[1] == 100)
    assert [
        panel.get_title().partition(":")[0] for panel in all_pictures(results)["ranks-accuracy"].figure.axes
    ] == ["Accuracy"]


@pytest.mark.parametrize(("mean", "ends"), [(0.9, (75.86, 100)), (0.1, (0, 24.14)), (0.5, (35.86, 64.14))])
@pytest.mark.parametrize("ranks", [(2, 4), (2,)])
def test_no_bar_passes_the_metric(tmp_path, ranks, mean, ends):
    results = write_results(
        tmp_path / "few",
        lambda label, cell: mean + (0.1 if cell["draw"] else -0.1),
        columns=(("NMF", "nmf"), ("NLCF", "nlcf")),
        cells=[{"k": k, "images": 0, "draw": draw} for k in ranks for draw in range(2)],
        published="nlcf/table5_orl",
    )
    found = all_pictures(results)
    across = 0 if len(ranks) == 1 else 1  # bars of a single row lie
    pictures = [found["accuracy"]] + ([found["accuracy-published"]] if len(ranks) > 1 else [])
    for panel in (panel for picture in pictures for panel in picture.figure.axes):
        for each in panel.containers:
            drawn = [end for bar in each.lines[2] for end in bar.get_segments() if len(end)]
            reached = np.concatenate(drawn)[:, across]
            assert reached.max() <= 100
            if "published" not in (each.get_label() or ""):
                assert (reached.min(), reached.max()) == pytest.approx(ends, abs=0.01)


def test_critical_difference_of_the_published_table(drawn):
    ranks = drawn["ranks-accuracy"]
    titles = [panel.get_title() for panel in ranks.figure.axes]
    assert [title.partition(":")[0] for title in titles] == ["Accuracy, reproduced", "Accuracy, published"]
    words = [each.get_text() for each in ranks.figure.axes[0].texts]
    assert "NLCF  1.00" in words
    assert "reproduced: NLCF ranks best" in ranks.alt


def test_the_matrix_of_all_pairs_has_both_directions(drawn):
    panel, bar = drawn["pairs-accuracy"].figure.axes
    assert bar.get_ylabel() == "Row ahead of column,\nAccuracy (points)"
    words = [each.get_text() for each in panel.texts]
    count = len(panel.get_xticklabels())
    assert len(words) == count * (count - 1)
    leads = [float(word.partition("\n")[0].replace("−", "-")) for word in words]
    assert sum(leads) == pytest.approx(0, abs=1e-9)
    assert leads[0] >= 0  # best first
    assert bar.get_ylim() == pytest.approx((min(leads), max(leads)), abs=0.05)
    assert "NLCF has the best mean" in drawn["pairs-accuracy"].alt
    # k = 40 has a single draw, which the mean leaves out.
    title = drawn["pairs-accuracy"].figure.get_suptitle()
    assert "mean lead in 6 pairs, win/tie/loss in 7;" in " ".join(title.split())


def test_in_a_journal_s_column_panels_and_legends_have_room(clustering):
    with drawing(width=WIDTHS["single"] / INCH):
        drawn = list(pictures(PlottedRun(clustering)))
        for picture in drawn:
            finish(picture.figure, clustering.run, (), WIDTHS["single"])
            picture.content("png")  # which lays it out
    assert len(drawn) > 5
    for picture in drawn:
        figure = picture.figure
        assert figure.get_size_inches()[0] == pytest.approx(WIDTHS["single"] / INCH)
        shown = [panel for panel in figure.axes if panel.get_visible() and panel.get_label() != "<colorbar>"]
        for panel in shown:
            wide, high = panel.get_window_extent().size / figure.dpi
            assert min(wide, high) > 0.6, picture.name
        for legend in figure.legends:
            box = legend.get_window_extent()
            assert not any(box.overlaps(panel.get_tightbbox()) for panel in shown), picture.name


@pytest.mark.parametrize("width", ["single", "double", None])
@pytest.mark.parametrize(
    ("kind", "metric", "names"), [("clustering", "accuracy", ("k",)), ("recognition", "nn", ("train", "k"))]
)
def test_a_field_of_methods_is_read_at_every_width(tmp_path, kind, metric, names, width):
    def rate(label, cell):
        return 0.2 + 0.03 * int(label.split()[-1]) + 0.001 * cell["draw"]

    wide = WIDTHS.get(width)
    columns = [(f"Method number {i}", name) for i, name in enumerate([*algorithms.registry()][:23])]
    at = itertools.product((2, 9), repeat=len(names))
    cells = [dict(zip(names, each, strict=True)) | {"draw": draw} for each in at for draw in range(3)]
    results = write_results(tmp_path / kind, rate, columns=columns, cells=cells, metrics=(metric,), kind=kind)
    drawn = []
    with drawing(width=math.inf if wide is None else wide / INCH):
        for picture in pictures(PlottedRun(results)):
            finish(picture.figure, results.run, (), wide)
            picture.figure.draw_without_rendering()
            drawn.append(picture.name)
            legends = [words for legend in picture.figure.legends for words in legend.get_texts()]
            named = [panel for panel in picture.figure.axes if panel.axison]
            upright = [words for panel in named for words in panel.get_xticklabels()]
            upright = [words for words in upright if words.get_rotation() in (0, 90)]
            words = [words for panel in picture.figure.axes for words in panel.texts]
            for texts in ([*legends, picture.figure._suptitle], words, upright):
                assert not crowded(picture.figure, texts), picture.name
    assert {f"pairs-{metric}", f"ranks-{metric}" if kind == "clustering" else "nn-dimensions"} <= {*drawn}


def test_rates_at_one_dimension_are_no_curve(tmp_path):
    cells = [{"train": train, "k": 6, "draw": draw} for train in (2, 4) for draw in range(2)]
    results = write_results(
        tmp_path / "one", lambda *_: 0.5, columns=THREE, cells=cells, metrics=("nn",), kind="recognition"
    )
    assert "nn" in (names := {*all_pictures(results)})
    assert "nn-dimensions" not in names


def test_a_band_ends_where_a_single_run_begins(tmp_path):
    columns = [(f"Method {i}", "nmf") for i in range(6)]
    cells = [*({"k": k, "draw": draw} for k in (2, 4) for draw in range(3)), {"k": 9, "draw": 0}]
    results = write_results(
        tmp_path / "band", lambda label, cell: 0.5 + 0.1 * cell["draw"], columns=columns, cells=cells
    )
    panel = all_pictures(results)["accuracy"].figure.axes[0]
    (band,) = panel.collections
    assert band.get_paths()[0].get_extents().x1 == 4
    assert panel.lines[-1].get_xdata().max() == 9


@pytest.mark.parametrize(
    ("kind", "metric", "ks", "name"),
    [("rank", "dispersion", "ranks", "Rank k"), ("clustering", "nmi", "clusters", "Number of clusters k")],
)
def test_k_is_called_what_it_is(tmp_path, kind, metric, ks, name):
    cells = [{"k": k, "draw": draw} for k in (2, 4, 6) for draw in range(2)]
    protocol = {"assign": "argmax"} if kind == "clustering" else {}
    spec = {"protocol": protocol | {ks: [2, 4, 6]}}
    results = write_results(
        tmp_path / kind, lambda *_: 0.5, columns=THREE, cells=cells, metrics=(metric,), kind=kind, spec=spec
    )
    with drawing():
        picture = next(each for each in pictures(PlottedRun(results)) if each.name == metric)
    assert picture.figure.axes[0].get_xlabel() == name
    assert f"against the {name.lower()}" in picture.alt


@pytest.mark.parametrize("size", [9, 18])
def test_numbers_on_an_axis_have_room_for_their_size(tmp_path, size):
    cells = [{"k": k, "draw": draw} for k in range(100, 600, 50) for draw in range(2)]
    results = write_results(
        tmp_path / "many", lambda *_: 0.5, columns=[(f"M{i}", "nmf") for i in range(6)], cells=cells
    )
    with drawing(font_size=size):
        figure = next(pictures(PlottedRun(results))).figure
        figure.draw_without_rendering()
        assert not crowded(figure, figure.axes[-1].get_xticklabels())


@pytest.mark.parametrize("method", ["A method", "A-method-with-hyphens-at-which-it-may-break"])
def test_names_of_panels_do_not_run_into_each_other_and_are_highlighted(tmp_path, method):
    columns = [(f"{method} (lam = {i}, neighbors = {i})", "gnmf") for i in range(6)]
    results = write_results(tmp_path / "long", lambda *_: 0.5, columns=columns)
    with drawing():
        figure = next(pictures(PlottedRun(results))).figure
        finish(figure, results.run, {columns[1][0]}, None)
        figure.draw_without_rendering()
    assert not crowded(figure, [panel.title for panel in figure.axes])
    weights = [panel.title.get_fontweight() for panel in figure.axes]
    assert weights == ["normal", "bold", "normal", "normal", "normal", "normal"]
