"""The pictures: what is drawn, how methods look, and the files."""

import subprocess
import sys

import numpy as np
import pytest
from click.testing import CliRunner
from matplotlib import rcParams
from matplotlib.figure import Figure

from nmfrepro import algorithms, published
from nmfrepro.cli import group
from nmfrepro.errors import ResultsError
from nmfrepro.plots import draw, pictures
from nmfrepro.plots.montage import ENLARGED, one_of_each, tiles
from nmfrepro.plots.picture import Picture, place, slug, text, unique_slugs
from nmfrepro.plots.style import METHODS, drawing, look_of, looks_of
from nmfrepro.store import array_path


def scores(label, cell):
    base = {"NMF": 0.7, "NLCF": 0.8, "Kmeans": 0.6}[label]
    return {"accuracy": base - 0.004 * cell["k"] + 0.01 * cell["draw"], "nmi": base + 0.01 * cell["draw"]}


THREE = (("NMF", "nmf"), ("NLCF", "nlcf"), ("Kmeans", "kmeans"))


@pytest.fixture(scope="module")
def clustering(write_results, tmp_path_factory):
    return write_results(
        tmp_path_factory.mktemp("plots") / "orl",
        scores,
        columns=THREE,
        metrics=("accuracy", "nmi"),
        published="nlcf/table5_orl",
    )


@pytest.fixture(scope="module")
def drawn(clustering):
    return all_pictures(clustering)


def all_pictures(results, **options):
    with drawing():
        return {picture.name: picture for picture in pictures(results, **options)}


def curve(panel, label):
    """Points of the curve with a label."""
    container = next(c for c in panel.containers if c.get_label() == label)
    return container.lines[0].get_xydata()


# --- looks ---


def test_every_method_has_a_look():
    assert set(METHODS) == set(algorithms.registry())


@pytest.mark.parametrize("paper", sorted(published.catalogue.ALGORITHMS))
def test_methods_of_one_paper_differ_without_colour(paper):
    names = set(published.catalogue.ALGORITHMS[paper].values())
    assert len({(look_of(name).marker, look_of(name).dash) for name in names}) == len(names)


def test_a_method_of_the_users_looks_the_same_every_time():
    assert look_of("my_nmf") == look_of("my_nmf")
    assert len({look_of(f"mine_{i}") for i in range(20)}) > 10


def test_a_second_column_of_a_method_keeps_its_colour():
    first, other, second = looks_of(["nlcf", "nmf", "nlcf"])
    assert (first.colour, first.marker) == (second.colour, second.marker)
    assert first.dash != second.dash
    assert second.hollow
    assert other == look_of("nmf")


# --- curves ---


def test_pictures_of_a_clustering_run(drawn):
    assert list(drawn) == [
        "accuracy",
        "accuracy-published",
        "nmi",
        "nmi-published",
        "ranks-accuracy",
        "ranks-nmi",
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
    points = curve(figure.axes[1], "published")
    table = published.load("nlcf/table5_orl")
    assert points[:, 1] == pytest.approx([table.find("accuracy", "nlcf", k).mean for k in table.rows])
    assert "Table V of Chen" in figure.legends[0].get_texts()[1].get_text()
    # Only k = 2, 4, 40 were run.
    marked = [*figure.axes[1].get_xticks(), *figure.axes[1].get_xticks(minor=True)]
    assert set(marked) == set(table.rows)


def test_one_row_is_drawn_as_dots_best_first(write_results, tmp_path):
    cells = [{"k": 3, "draw": draw} for draw in range(2)]
    results = write_results(
        tmp_path / "one", lambda label, cell: scores(label, cell)["accuracy"], columns=THREE, cells=cells
    )
    drawn = all_pictures(results)
    assert list(drawn) == ["accuracy"]
    labels = [each.get_text() for each in drawn["accuracy"].figure.axes[0].get_yticklabels()]
    assert labels == ["NLCF", "NMF", "Kmeans"]


def test_points_stay_near_their_number_where_there_are_only_two(write_results, tmp_path):
    cells = [{"k": k, "draw": draw} for k in (2, 3) for draw in (0, 1)]
    results = write_results(
        tmp_path / "two", lambda label, cell: scores(label, cell)["accuracy"], columns=THREE, cells=cells
    )
    panel = all_pictures(results)["accuracy"].figure.axes[0]
    for label, _ in THREE:
        assert curve(panel, label)[:, 0] == pytest.approx([2, 3], abs=0.06)


def test_missing_rows_leave_a_gap(write_results, tmp_path):
    def partly(label, cell):
        return None if label == "NMF" and cell["k"] == 4 else scores(label, cell)["accuracy"]

    results = write_results(tmp_path / "gap", partly, columns=THREE[:2])
    points = curve(all_pictures(results)["accuracy"].figure.axes[0], "NMF")
    assert len(points) == 3
    assert np.isnan(points[1, 1])


def test_dollar_signs_in_names_are_text(write_results, tmp_path):
    columns = (("NMF ($x_1$", "nmf"), ("NLCF", "nlcf"))
    results = write_results(tmp_path / "money", lambda label, cell: 0.5, columns=columns)
    assert draw(results, tmp_path / "figures")  # a broken formula would raise


def swept(write_results, folder, values, others=()):
    """A run of NLCF with a swept mu, and of other columns; 50, 60, 70 … % in their order at k = 0."""
    columns = [*((f"NLCF (mu = {v})", "nlcf") for v in values), *others]

    def rising(label, cell):
        return 0.5 + 0.1 * [name for name, _ in columns].index(label) + 0.001 * cell["k"]

    results = write_results(folder, rising, columns=columns)
    listed = [
        column | ({"parameters": {"mu": v}, "sweep": {"mu": v}} if v is not None else {})
        for column, v in zip(results.run["columns"], [*values, *(None for _ in others)], strict=True)
    ]
    return type(results)(**(vars(results) | {"run": results.run | {"columns": listed}}))


def test_swept_parameter_on_a_logarithmic_axis(write_results, tmp_path):
    values = [0.01, 0.1, 1]
    drawn = all_pictures(swept(write_results, tmp_path / "sweep", values))
    assert list(drawn) == ["sweep-nlcf-mu"]
    panel = drawn["sweep-nlcf-mu"].figure.axes[0]
    assert panel.get_xscale() == "log"
    means = curve(panel, "mean")
    assert means[:, 0].tolist() == values
    assert means[:, 1] == pytest.approx([50 + 4.6 / 3, 60 + 4.6 / 3, 70 + 4.6 / 3])
    thin = {line.get_label(): line.get_ydata() for line in panel.lines}
    assert thin["k = 40"] == pytest.approx([54, 64, 74])


def test_methods_that_are_not_swept_are_level_lines(write_results, tmp_path):
    others = [("NMF", "nmf"), ("NLCF by default", "nlcf")]
    picture = all_pictures(swept(write_results, tmp_path / "sweep", [0.01, 0.1], others))["sweep-nlcf-mu"]
    level = {line.get_label(): line for line in picture.figure.axes[0].lines}
    assert level["NMF (mean)"].get_ydata() == pytest.approx([70 + 4.6 / 3] * 2)
    assert level["NLCF by default (mean)"].get_ydata() == pytest.approx([80 + 4.6 / 3] * 2)
    assert level["NLCF by default (mean)"].get_linestyle() != look_of("nlcf").dash
    assert "beside NMF, NLCF by default" in picture.alt


def test_recognition_against_dimension(write_results, tmp_path):
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
    theirs = published.load("twodnmf/table1_orl").find("nn", "twodnmf", 2)
    hollow = [line.get_xydata()[0].tolist() for line in left.lines if line.get_markersize() == 8]
    assert [theirs.dimension, theirs.mean] in hollow
    assert theirs.dimension in {*left.get_xticks(), *left.get_xticks(minor=True)}


def test_times_as_bars_beside_the_published(write_results, tmp_path):
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
    assert [bar.get_height() for bar in ours.containers[0]] == pytest.approx([0.05, 0.1])
    assert [bar.get_height() for bar in theirs.containers[1]] == pytest.approx([4.37, 10.69])
    assert ours.get_yscale() == "log"
    assert ours.get_xlabel() == theirs.get_xlabel() == "Rank k"
    assert ours.get_ylabel() == "Seconds per fit"


def test_critical_difference_of_the_published_table(drawn):
    ranks = drawn["ranks-accuracy"]
    titles = [panel.get_title() for panel in ranks.figure.axes]
    assert [title.partition(":")[0] for title in titles] == ["Accuracy, reproduced", "Accuracy, published"]
    words = [each.get_text() for each in ranks.figure.axes[0].texts]
    assert "NLCF  1.00" in words
    assert "reproduced: NLCF ranks best" in ranks.alt


# --- stored arrays ---


def with_arrays(write_results, folder, kind, arrays, dataset="orl", **changes):
    """Results of one trial for each column, with the arrays that the protocol stores."""
    results = write_results(
        folder,
        lambda label, cell: 0.5,
        columns=(("NMF", "nmf"), ("NLCF", "nlcf")),
        cells=[{"k": 4, "images": 0, "draw": 0}],
        kind=kind,
    )
    results.run["dataset"] |= changes
    for key in results.run["trials"]:
        path = array_path(folder, key)
        path.parent.mkdir(exist_ok=True)
        np.savez(path, **arrays)
    return results


@pytest.mark.parametrize("logarithmic", [False, True])
def test_convergence_begins_after_the_random_start(write_results, tmp_path, logarithmic):
    arrays = {"trace": np.array([500.0, 9.0, 5.0, 4.0]), "iterations": np.array([0, 1, 2, 3])}
    results = with_arrays(write_results, tmp_path / "conv", "convergence", arrays)
    drawn = all_pictures(results, logarithmic=logarithmic)
    assert list(drawn) == ["convergence-log" if logarithmic else "convergence"]
    panel = drawn.popitem()[1].figure.axes[1]
    assert panel.get_title() == "NLCF"
    assert panel.lines[0].get_xydata().tolist() == [[1, 9], [2, 5], [3, 4]]
    assert panel.get_yscale() == ("log" if logarithmic else "linear")


def test_lost_arrays_are_named(write_results, tmp_path):
    arrays = {"trace": np.ones(2), "iterations": np.arange(2)}
    results = with_arrays(write_results, tmp_path / "lost", "convergence", arrays)
    array_path(results.folder, results.run["trials"][1]).unlink()
    with pytest.raises(ResultsError, match="npz"):
        all_pictures(results)


def basis_arrays(m, k=4, n=6, seed=0):
    stream = np.random.default_rng(seed)
    return {
        "images": stream.random((n, m)),
        "classes": np.arange(n) // 2,
        "basis": stream.random((m, k)),
        "encodings": stream.random((n, k)),
    }


def test_montages_of_images(write_results, tmp_path):
    results = with_arrays(
        write_results, tmp_path / "faces", "basis", basis_arrays(12), m=12, image_shape=[4, 3]
    )
    drawn = all_pictures(results)
    assert list(drawn) == ["montage-nmf", "montage-nlcf"]
    titles = [panel.get_title() for panel in drawn["montage-nmf"].figure.axes]
    assert titles == ["Images", "Basis", "Encodings (dark: large)"]


@pytest.mark.parametrize(("k", "shape"), [(4, (2, 2)), (6, (2, 3)), (7, (3, 3))])
def test_encodings_are_rectangles_without_an_empty_row(write_results, tmp_path, k, shape):
    arrays = basis_arrays(12, k=k, n=1)
    results = with_arrays(write_results, tmp_path / "codes", "basis", arrays, m=12, image_shape=[4, 3])
    sheet = all_pictures(results)["montage-nmf"].figure.axes[2].images[0].get_array()
    assert sheet.shape == tuple(ENLARGED * side for side in shape)


def test_points_in_the_plane_with_their_basis(write_results, tmp_path):
    arrays = basis_arrays(2)
    results = with_arrays(write_results, tmp_path / "plane", "basis", arrays, m=2, image_shape=None)
    panel = all_pictures(results)["plane"].figure.axes[0]
    stars = [line.get_xydata()[0].tolist() for line in panel.lines if line.get_markersize() == 11]
    assert stars == arrays["basis"].T.tolist()
    assert panel.get_aspect() == 1


def test_small_matrices_with_their_numbers(write_results, tmp_path):
    arrays = basis_arrays(4) | {"basis": np.eye(4) + 1e-9}
    results = with_arrays(write_results, tmp_path / "small", "basis", arrays, m=4, image_shape=None)
    figure = all_pictures(results)["matrices"].figure
    shown = {panel.get_title(): panel for panel in figure.axes if panel.get_visible()}
    assert list(shown) == ["X", "NMF: basis", "NMF: encodings", "NLCF: basis", "NLCF: encodings"]
    assert [each.get_text() for each in shown["NMF: basis"].texts][:5] == ["1", "0", "0", "0", "0"]


def test_tiles_are_upright_and_side_by_side():
    images = np.arange(1, 13, dtype=float).reshape(2, 2, 3)
    sheet = tiles(images, common=True)
    assert sheet.shape == (2, 3 + 1 + 3)
    assert np.array_equal(12 * sheet[:, :3], images[0])
    assert np.array_equal(12 * sheet[:, 4:], images[1])
    assert np.isnan(sheet[:, 3]).all()


def test_tiles_of_signed_images_have_zero_in_the_middle():
    sheet = tiles(np.array([[[-2.0, 0.0, 1.0]]]))
    assert sheet.tolist() == [[0, 0.5, 0.75]]


def test_black_images_are_black():
    assert not tiles(np.zeros((1, 2, 2))).any()


def test_one_image_of_each_class_before_a_second():
    classes = np.repeat(np.arange(20), 3)
    chosen = one_of_each(classes)
    assert len(chosen) == 25
    assert set(range(0, 60, 3)) <= set(chosen)


# --- files ---


@pytest.fixture
def one_picture(write_results, tmp_path):
    return write_results(tmp_path / "one", lambda label, cell: 0.5 + 0.001 * cell["k"])


@pytest.mark.parametrize(("form", "magic"), [("png", b"\x89PNG"), ("pdf", b"%PDF")])
def test_equal_pictures_are_equal_files(one_picture, tmp_path, form, magic):
    before = dict(rcParams)
    first = draw(one_picture, tmp_path / "a", form)
    second = draw(one_picture, tmp_path / "b", form)
    assert dict(rcParams) == before
    assert len(first) == 1
    for one, other in zip(first, second, strict=True):
        assert one.read_bytes().startswith(magic)
        assert one.read_bytes() == other.read_bytes()


def test_every_picture_can_be_told_in_a_sentence(drawn):
    for picture in drawn.values():
        assert isinstance(picture.figure, Figure)
        assert "A table" in picture.alt
        assert "\n" not in picture.alt


def test_sentences_name_axes_and_methods(drawn):
    assert (
        drawn["accuracy"].alt == "A table: Accuracy (%) of NMF, NLCF, Kmeans against the number of clusters k"
    )
    beside = drawn["nmi-published"].alt
    assert "NMI (%) against the number of clusters k, reproduced beside published (Table V of Chen" in beside
    assert beside.endswith("in a panel each for NMF, NLCF, Kmeans")


@pytest.mark.parametrize("words", ["Plain", "Größe λ\n  over two lines"])
def test_files_say_what_they_show(tmp_path, words):
    from PIL import Image

    figure = Figure(figsize=(1, 1))
    picture = Picture("one", f"{words}: NMF", figure)
    expected = f"{' '.join(words.split())}: NMF"
    with Image.open(picture.write(tmp_path, "png")) as image:
        image.load()
        assert image.info["Description"] == expected
    assert b"/Subject" in picture.content("pdf")


def test_names_of_files_are_safe_and_differ():
    assert slug("NLCF (mu = 0.5)") == "nlcf-mu-0.5"
    assert slug("../../etc/passwd") == "etc-passwd"
    assert slug("∑") == "column"
    assert unique_slugs(["A b", "a-b", "a b"]) == ["a-b", "a-b-2", "a-b-3"]


def test_words_and_places():
    assert text("a $ b") == r"a \$ b"
    assert place(("k", "images"), (8, 0)) == "k = 8"
    assert place(("k", "images"), (8, 5)) == "k = 8, images = 5"


def test_the_command_prints_its_files(one_picture, tmp_path):
    folder = one_picture.folder
    done = CliRunner().invoke(group, ["plot", str(folder)], catch_exceptions=False)
    assert done.exit_code == 0
    assert done.output == f"{folder / 'figures' / 'accuracy.png'}\n"
    out = tmp_path / "elsewhere"
    done = CliRunner().invoke(group, ["plot", str(folder), "-o", str(out), "-f", "pdf"])
    assert [path.name for path in out.iterdir()] == ["accuracy.pdf"]


def test_the_command_refuses_what_is_no_run(tmp_path):
    done = subprocess.run(
        [sys.executable, "-m", "nmfrepro", "plot", str(tmp_path)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 2
    assert done.stderr.startswith("Error: ")
    assert done.stderr.count("\n") == 1


def test_only_the_pictures_import_matplotlib():
    program = (
        "import sys, nmfrepro.cli.plot, nmfrepro.protocols as p, nmfrepro.tables; p.registry(); "
        "sys.exit('matplotlib' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0
