"""Files of pictures: names, content, what they say, and the command that writes them."""

import importlib
import os
import shutil
import subprocess
import sys

import pytest
from commandline import invoke
from handmade import write_results
from matplotlib import rcParams
from matplotlib.figure import Figure

from nmfrepro import protocols
from nmfrepro.core.errors import SpecError
from nmfrepro.views import plots
from nmfrepro.views.plots import draw
from nmfrepro.views.plots.picture import Picture, slug, text, unique_slugs


@pytest.fixture
def one_picture(tmp_path):
    return write_results(tmp_path / "one", lambda label, cell: 0.5 + 0.001 * cell["k"])


@pytest.mark.parametrize(
    "size", [{"width": -1}, {"width": "sngle"}, {"width": float("nan")}, {"font_size": 0}]
)
def test_sizes_from_python_are_checked_as_those_of_the_command(one_picture, tmp_path, size):
    with pytest.raises(SpecError, match=f"^{next(iter(size))} must be .*a number from "):
        draw(one_picture, tmp_path, **size)


@pytest.mark.parametrize(("form", "magic"), [("png", b"\x89PNG"), ("pdf", b"%PDF")])
def test_equal_pictures_are_equal_files(one_picture, tmp_path, form, magic):
    before = dict(rcParams)
    first, _ = draw(one_picture, tmp_path / "a", form)
    second, _ = draw(one_picture, tmp_path / "b", form)
    assert dict(rcParams) == before
    assert len(first) == 1
    for one, other in zip(first, second, strict=True):
        assert one.read_bytes().startswith(magic)
        assert one.read_bytes() == other.read_bytes()


def test_every_picture_can_be_told_in_a_sentence(drawn):
    for picture in drawn.values():
        assert "A table" in picture.alt
        assert "\n" not in picture.alt


def test_sentences_name_axes_and_methods(drawn):
    assert (
        drawn["accuracy"].alt
        == "A table: Accuracy (%) of NMF, NLCF, Kmeans against the number of clusters k; "
        "bars are ± one standard deviation"
    )
    beside = drawn["nmi-published"].alt
    assert "NMI (%) against the number of clusters k, reproduced beside published (Table V, Chen" in beside
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


def test_a_dollar_sign_is_itself():
    assert text("a $ b") == r"a \$ b"


def test_the_command_prints_its_files(one_picture, tmp_path):
    folder = one_picture.folder
    done = invoke("plot", folder)
    assert done.exit_code == 0
    assert done.output == f"{folder / 'figures' / 'accuracy.png'}\n"
    out = tmp_path / "elsewhere"
    done = invoke("plot", folder, "-o", out, "-f", "pdf")
    assert [path.name for path in out.iterdir()] == ["accuracy.pdf"]


@pytest.mark.parametrize(
    ("name", "settings", "backend"),
    [
        ("elsewhere", b"text.usetex: True\nfont.size: 30\nbackend: svg\n", ""),
        ("matplotlibrc", "# Gr\u00f6\u00dfe\nfont.size: 30\n".encode("latin-1"), "agg"),
        ("elsewhere", b"", "module://matplotlib_inline.backend_inline"),
    ],
    ids=["usetex", "latin-1", "notebook"],
)
def test_a_users_settings_change_no_picture(one_picture, tmp_path, name, settings, backend):
    (expected,), _ = draw(one_picture, tmp_path / "expected")
    (tmp_path / name).write_bytes(settings)
    done = subprocess.run(
        [sys.executable, "-m", "nmfrepro", "plot", str(one_picture.folder), "-o", str(tmp_path / "drawn")],
        cwd=tmp_path,
        env=os.environ | {"MATPLOTLIBRC": str(tmp_path / name), "MPLBACKEND": backend},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "drawn" / expected.name).read_bytes() == expected.read_bytes()


def test_the_command_refuses_what_is_no_run(tmp_path):
    done = subprocess.run(
        [sys.executable, "-m", "nmfrepro", "plot", str(tmp_path)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 2
    assert done.stderr.startswith("Error: ")
    assert done.stderr.count("\n") == 1


def test_runs_of_one_name_do_not_share_a_folder(one_picture, tmp_path):
    folders = [tmp_path / name / one_picture.folder.name for name in ("a", "b")]
    for folder in folders:
        shutil.copytree(one_picture.folder, folder)
    refused = invoke("plot", *folders, "-o", tmp_path / "out")
    assert refused.exit_code == 2
    assert f"2 folders are called {one_picture.folder.name}" in refused.output
    assert not (tmp_path / "out").exists()


def test_only_the_pictures_import_matplotlib():
    program = (
        "import sys, nmfrepro.cli.plot, nmfrepro.protocols as p, nmfrepro.analysis.tables; p.registry(); "
        "sys.exit('matplotlib' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0


@pytest.mark.parametrize(
    ("kind", "metric"),
    [("clustering", "accuracy"), ("recognition", "nn"), ("runtime", "seconds"), ("basis", "single")],
)
def test_a_run_in_which_all_trials_failed_has_no_pictures(tmp_path, kind, metric):
    cells = [{"train": 2, "k": 2, "draw": 0} if kind == "recognition" else {"k": 2, "draw": 0}]
    failed = write_results(
        tmp_path / "failed", lambda label, at: "collapsed", kind=kind, metrics=[metric], cells=cells
    )
    assert draw(failed, tmp_path / "figures") == ([], [])


@pytest.mark.parametrize(
    "kind", sorted({kind for cls in protocols.registry().values() for kind in cls.pictures})
)
def test_every_kind_of_picture_is_the_module_of_its_name(kind):
    assert callable(importlib.import_module(f"{plots.__name__}.{kind}").pictures)
