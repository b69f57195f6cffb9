"""Pictures of stored arrays: convergence, bases and encodings."""

from dataclasses import replace

import numpy as np
import pytest
from handmade import with_columns, write_results
from picturetests import all_pictures, crowded

from nmfrepro.core.errors import ResultsError
from nmfrepro.results.arrays import array_path
from nmfrepro.views.plots import pictures
from nmfrepro.views.plots.bases import ENLARGED, one_of_each, tiles
from nmfrepro.views.plots.finish import INCH, WIDTHS, finish
from nmfrepro.views.plots.run import PlottedRun
from nmfrepro.views.plots.style import drawing


def with_arrays(folder, kind, arrays, dataset="orl", **changes):
    """Results of one trial for each column, with the arrays that the protocol stores."""
    results = write_results(
        folder,
        lambda label, cell: 0.5,
        columns=(("NMF", "nmf"), ("NLCF", "nlcf")),
        cells=[{"k": 4, "images": 0, "draw": 0}],
        kind=kind,
    )
    run = replace(results.run, dataset=replace(results.run.dataset, **changes))
    for key in run.trials:
        path = array_path(folder, key)
        path.parent.mkdir(exist_ok=True)
        np.savez(path, **arrays)
    return replace(results, run=run)


@pytest.mark.parametrize("logarithmic", [False, True])
def test_convergence_begins_after_the_random_start(tmp_path, logarithmic):
    arrays = {"trace": np.array([500.0, 9.0, 5.0, 4.0]), "iterations": np.array([0, 1, 2, 3])}
    results = with_arrays(tmp_path / "conv", "convergence", arrays)
    drawn = all_pictures(results, logarithmic=logarithmic)
    assert list(drawn) == ["convergence-log" if logarithmic else "convergence"]
    panel = drawn.popitem()[1].figure.axes[1]
    assert panel.get_title() == "NLCF"
    assert panel.lines[0].get_xydata().tolist() == [[1, 9], [2, 5], [3, 4]]
    assert panel.get_yscale() == ("log" if logarithmic else "linear")


def test_curves_of_several_draws_have_one_legend_and_a_look_for_each_draw(tmp_path):
    cells = [{"k": 4, "images": 0, "draw": draw} for draw in range(3)]
    results = write_results(
        tmp_path / "conv",
        lambda label, cell: "too slow" if (label, cell["draw"]) == ("NLCF", 0) else 0.5,
        cells=cells,
        kind="convergence",
    )
    for trial in results.present:
        path = array_path(results.folder, trial.key)
        path.parent.mkdir(exist_ok=True)
        np.savez(path, trace=np.array([9.0, 5.0, 4.0]), iterations=np.arange(3))
    figure = all_pictures(results)["convergence"].figure
    names = [f"k = 4, draw = {draw}" for draw in range(3)]
    assert [words.get_text() for words in figure.legends[0].get_texts()] == names
    assert not any(panel.get_legend() for panel in figure.axes)
    first, second = ({line.get_label(): line.get_color() for line in panel.lines} for panel in figure.axes)
    assert [*first] == names
    assert second == {name: first[name] for name in names[1:]}


def test_lost_arrays_are_named(tmp_path):
    arrays = {"trace": np.ones(2), "iterations": np.arange(2)}
    results = with_arrays(tmp_path / "lost", "convergence", arrays)
    array_path(results.folder, results.run.trials[1]).unlink()
    with pytest.raises(ResultsError, match="npz"):
        all_pictures(results)


def test_consensus_matrices_are_in_the_order_of_their_linkage(tmp_path):
    """Samples 1, 3 and 2, 4 belong together in both starts; of the second draw nothing is drawn."""
    cells = [{"k": k, "draw": draw} for k in (2, 3) for draw in (0, 1)]
    results = write_results(
        tmp_path / "rank",
        lambda label, cell: {"cophenetic": 0.5 if cell["k"] == 2 else np.nan, "dispersion": 0.5},
        columns=(("NMF", "nmf"),),
        metrics=("cophenetic", "dispersion"),
        cells=cells,
        kind="rank",
        spec={"protocol": {"ranks": [2, 3]}},
    )
    for key, cell in zip(results.run.trials, cells, strict=True):
        if cell["draw"] == 0:
            path = array_path(results.folder, key)
            path.parent.mkdir(exist_ok=True)
            np.savez(path, clusters=np.array([[0, 1, 0, 1], [1, 0, 1, 0]]))
    picture = all_pictures(results)["consensus-nmf"]
    first, second = picture.figure.axes[:2]
    assert [panel.get_title() for panel in (first, second)] == ["k = 2 (0.50)", "k = 3 (–)"]
    block = np.ones((2, 2))
    assert np.array_equal(first.images[0].get_array(), np.kron(np.eye(2), block))


def basis_arrays(m, k=4, n=6, seed=0):
    stream = np.random.default_rng(seed)
    return {
        "images": stream.random((n, m)),
        "classes": np.arange(n) // 2,
        "basis": stream.random((m, k)),
        "encodings": stream.random((n, k)),
    }


def test_a_method_that_reads_as_another_is_told_by_its_own_name(tmp_path):
    arrays = {"trace": np.array([0.03, 0.02]), "iterations": np.array([1, 2])}
    results = with_arrays(tmp_path / "conv", "convergence", arrays)
    first = replace(results.run.columns[0], algorithm="nmf_ncw")
    run = with_columns(results.run, (first, *results.run.columns[1:]))
    figure = all_pictures(replace(results, run=run))["convergence"].figure
    assert [panel.get_title() for panel in figure.axes] == ["NMF (nmf_ncw)", "NLCF"]


def test_montages_of_images(tmp_path):
    results = with_arrays(tmp_path / "faces", "basis", basis_arrays(12), m=12, image_shape=[4, 3])
    drawn = all_pictures(results)
    assert list(drawn) == ["montage-nmf", "montage-nlcf"]
    titles = [panel.get_title() for panel in drawn["montage-nmf"].figure.axes]
    assert titles == ["Images", "Basis", "Encodings (dark: large)"]


@pytest.mark.parametrize(("k", "shape"), [(4, (2, 2)), (6, (2, 3)), (7, (3, 3))])
def test_encodings_are_rectangles_without_an_empty_row(tmp_path, k, shape):
    arrays = basis_arrays(12, k=k, n=1)
    results = with_arrays(tmp_path / "codes", "basis", arrays, m=12, image_shape=[4, 3])
    sheet = all_pictures(results)["montage-nmf"].figure.axes[2].images[0].get_array()
    assert sheet.shape == tuple(ENLARGED * side for side in shape)


def test_points_in_the_plane_with_their_basis(tmp_path):
    arrays = basis_arrays(2)
    results = with_arrays(tmp_path / "plane", "basis", arrays, m=2, image_shape=None)
    panel = all_pictures(results)["plane"].figure.axes[0]
    stars = [line.get_xydata()[0].tolist() for line in panel.lines if line.get_markersize() == 11]
    assert stars == arrays["basis"].T.tolist()
    assert not any(line.get_clip_on() for line in panel.lines if line.get_markersize() == 11)
    assert panel.get_aspect() == 1


@pytest.mark.parametrize("shift", [0, -0.5, -9])
def test_nothing_in_the_plane_lies_outside_of_its_panel(tmp_path, shift):
    arrays = basis_arrays(2)
    arrays |= {name: arrays[name] + shift for name in ("images", "basis")}
    results = with_arrays(tmp_path / "plane", "basis", arrays, m=2, image_shape=None)
    panel = all_pictures(results)["plane"].figure.axes[0]
    shown = np.vstack([arrays["images"], arrays["basis"].T, [[0, 0]]])
    for values, (low, high) in zip(shown.T, (panel.get_xlim(), panel.get_ylim()), strict=True):
        assert low <= values.min() < values.max() <= high
        assert (low == 0) == (shift == 0)


def test_small_matrices_with_their_numbers(tmp_path):
    arrays = basis_arrays(4) | {"basis": np.eye(4) + 1e-9}
    results = with_arrays(tmp_path / "small", "basis", arrays, m=4, image_shape=None)
    figure = all_pictures(results)["matrices"].figure
    shown = {panel.get_title(): panel for panel in figure.axes if panel.get_visible()}
    assert list(shown) == ["X", "NMF: basis", "NMF: encodings", "NLCF: basis", "NLCF: encodings"]
    assert [each.get_text() for each in shown["NMF: basis"].texts][:5] == ["1", "0", "0", "0", "0"]


@pytest.mark.parametrize("changes", [{"m": 12, "image_shape": (3, 4)}, {"m": 6, "image_shape": None}])
def test_bases_are_read_in_a_journal_s_column(tmp_path, changes):
    arrays = basis_arrays(changes["m"], n=8)
    arrays["encodings"] /= 20  # numbers of four digits
    results = with_arrays(tmp_path / "narrow", "basis", arrays, **changes)
    with drawing(width=WIDTHS["single"] / INCH):
        for picture in pictures(PlottedRun(results)):
            finish(picture.figure, results.run, (), WIDTHS["single"])
            picture.figure.draw_without_rendering()
            panels = [panel for panel in picture.figure.axes if panel.get_visible()]
            texts = [
                *(panel.title for panel in panels),
                *(words for panel in panels for words in panel.texts),
            ]
            assert not crowded(picture.figure, texts)


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
