"""A protocol in a file of one's own is one file and nothing else: rows, table, notes and pictures follow."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tiny import TEXT, write_data, write_spec

from nmfrepro import protocols
from nmfrepro.algorithms.nmf import NMF
from nmfrepro.analysis.tables import make_table
from nmfrepro.commands import run
from nmfrepro.core.errors import ResultsError, SpecError
from nmfrepro.core.options import options_of
from nmfrepro.protocols import Protocol
from nmfrepro.protocols.basis import Basis
from nmfrepro.protocols.clustering import Clustering
from nmfrepro.protocols.recognition import Recognition
from nmfrepro.registry import plugins, skeleton
from nmfrepro.results import folder
from nmfrepro.spec.reader import read_spec
from nmfrepro.views.comparison import of_runs
from nmfrepro.views.plots import draw, pictures
from nmfrepro.views.plots.run import PlottedRun
from nmfrepro.views.plots.style import drawing
from nmfrepro.views.tables import markdown

OWN = '''
"""How well a factorization reconstructs images."""
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from nmfrepro.core import seeds
from nmfrepro.core.options import option
from nmfrepro.factorization import fit, make_problem
from nmfrepro.metrics import Metric
from nmfrepro.protocols import Outcome, Protocol


@dataclass(frozen=True)
class Reconstruction(Protocol):
    """Fit all images and measure what is left."""

    kind: ClassVar[str] = "reconstruction"
    coordinates: ClassVar[tuple[str, ...]] = ("k", "start")
    metrics: ClassVar[Mapping[str, Metric]] = {
        "lost": Metric("Lost", "squared error over the squared norm", lower_is_better=True)
    }
    shown: ClassVar[tuple[str, ...]] = ("lost",)
    outer: ClassVar[tuple[str, ...]] = ("ranks", "starts")
    averaged: ClassVar[bool] = True
    pictures: ClassVar[tuple[str, ...]] = ("curves",)

    ranks: tuple[int, ...] = option(low=1, help="ranks")
    starts: int = option(2, low=1, help="random starts")

    def cells(self, n_classes: int) -> Iterator[dict[str, int]]:
        for k in self.ranks:
            for start in range(self.starts):
                yield {"k": k, "start": start}

    def run(self, task, samples):
        k, start = task.coordinates["k"], task.coordinates["start"]
        seed = seeds.derive("fit", task.seed, samples.identity, k, start)
        X = samples.X.T
        found = fit(task.algorithm, make_problem(X, k), task.fit, seed)
        U, V = found.factors["U"], found.factors["V"]
        lost = float(np.sum((X - U @ V.T) ** 2) / np.sum(X * X))
        return Outcome(found, seed, np.arange(len(samples.y)), {"lost": lost})

    @property
    def repeated(self) -> str:
        return "random starts"

    def notes(self) -> Iterator[str]:
        yield "Lost: of all images, none held out."
'''
METRIC = 'Metric("Lost", "squared error over the squared norm", lower_is_better=True)'
SPEC = """
dataset: {file: tiny.npz, scale: grey, levels: 255}
protocol: {kind: reconstruction, ranks: [1, 2]}
fit: {restarts: 1, max_iter: 20, tol: 0}
algorithms: [nmf, nmf_kl]
seed: 1
"""


def changed(changes: dict[str, str]) -> str:
    """The protocol with other lines."""
    text = OWN
    for old, new in changes.items():
        assert old in text
        text = text.replace(old, new)
    return text


pytestmark = pytest.mark.usefixtures("in_process")


@pytest.fixture
def results(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of a run under the protocol."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "own.py").write_text(OWN)
    plugins.use([tmp_path / "own.py"])
    write_data(tmp_path)
    (tmp_path / "spec.yaml").write_text(SPEC)
    assert list(run(tmp_path / "spec.yaml")["status"]) == ["ok"] * 8
    return tmp_path / "results" / "spec"


def test_a_key_of_it_that_stands_elsewhere_is_told_where_it_belongs(tmp_path: Path) -> None:
    """Also where a spec was read before the protocol was in use."""
    own, _ = skeleton.write("protocol", "noisy", tmp_path)
    spec = write_spec(tmp_path, TEXT + "noise: 0.2\n")
    for files, told in (([], "allowed: dataset"), ([own], "noise goes under protocol")):
        plugins.use(files)
        with pytest.raises(SpecError, match=f"a spec has no key 'noise'; {told}"):
            read_spec(spec)


def test_it_is_run_and_shown(results: Path, tmp_path: Path) -> None:
    read = folder.read(results)
    assert read.metrics == ("lost",)
    assert {trial.classes for trial in read.trials} == {"all"}
    table = make_table(read)
    (block,) = table.blocks
    assert [row.name for row in block.rows] == ["1", "2"]
    assert block.average is not None
    assert block.metric.lower_is_better
    text = markdown(table)
    assert "## Lost (%)" in text
    assert "mean±std over 2 random starts;" in text
    assert "- Lost: of all images, none held out." in text
    assert [path.name for path in draw(read, tmp_path / "figures")[0]] == ["lost.png"]
    assert "lost" in protocols.metrics()


def use_changed(path: Path, changes: dict[str, str]) -> None:
    text = OWN
    for old, new in changes.items():
        assert old in text
        text = text.replace(old, new)
    path.write_text(text)
    plugins.use([path])


def test_what_is_chosen_is_called_and_chosen_by_as_the_protocol_says(
    results: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    changes = {
        '("k", "start")': '("width", "k", "start")',
        "    outer:": '    chosen: ClassVar[str | None] = "width"\n    chosen_noun = "breadth"\n    outer:',
        "lower_is_better=True)": 'chosen_by="seen"),\n        "seen": Metric("Seen", "what is not lost")',
        '{"k": k, "start"': '{"width": k, "k": 1, "start"',
        'task.coordinates["k"], ': 'task.coordinates["width"], ',
        'return "random starts"': "return super().repeated",
        '{"lost": lost}': '{"lost": lost, "seen": 1 - lost}',
    }
    monkeypatch.setenv(plugins.VARIABLE, "")
    use_changed(tmp_path / "other.py", changes)
    (tmp_path / "spec.yaml").rename(tmp_path / "other.yaml")
    run(tmp_path / "other.yaml")
    for select, best in (("test", 1), ("validation", 2)):
        table = make_table(folder.read(results.parent / "other"), ["lost"], select)
        assert {cell.chosen for cell in table.cells} == {best}
        assert any("over 2 repeats;" in note for note in table.notes)
        (note,) = (each for each in table.notes if each.startswith("In brackets"))
        assert "the breadth with the best mean of 2" in note
        assert "all breadths" in note


@pytest.mark.parametrize(
    ("coordinates", "title"), [('("width", "k", "start")', "Rank k: 1"), ('("width", "start")', "")]
)
def test_pictures_call_what_is_chosen_and_measured_as_the_protocol_does(
    results: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, coordinates: str, title: str
) -> None:
    changes = {
        '("k", "start")': coordinates,
        '("curves",)': '("dimensions",)\n    chosen: ClassVar[str | None] = "width"',
        '{"k": k, "start"': '{"width": k, "k": 1, "start"' if title else '{"width": k, "start"',
        'task.coordinates["k"], ': 'task.coordinates["width"], ',
    }
    monkeypatch.setenv(plugins.VARIABLE, "")
    use_changed(tmp_path / "other.py", changes)
    run(tmp_path / "spec.yaml", results=tmp_path / "again")
    with drawing():
        (picture,) = pictures(PlottedRun(folder.read(tmp_path / "again" / "spec")))
    (panel,) = picture.figure.axes
    assert (panel.get_xlabel(), panel.get_ylabel(), panel.get_title()) == ("width", "Lost (%)", title)
    assert picture.figure.get_suptitle().startswith("Lost: mean")
    assert "ecognition" not in picture.alt


def test_one_without_a_coordinate_to_average_over_is_refused(results: Path, tmp_path: Path) -> None:
    text = OWN.replace('("k", "start")', '("k",)').replace("reconstruction", "chosen")
    text = text.replace("    outer:", '    chosen: ClassVar[str | None] = "k"\n    outer:')
    (tmp_path / "chosen.py").write_text(text)
    plugins.use([tmp_path / "chosen.py"])
    (tmp_path / "other.yaml").write_text(SPEC.replace("reconstruction", "chosen"))
    with pytest.raises(SpecError, match="protocol chosen has no coordinate to average over"):
        run(tmp_path / "other.yaml")


def test_without_its_file_the_results_are_read_and_say_what_is_missing(
    results: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(plugins.VARIABLE, "")
    read = folder.read(results)
    assert any("a plug-in's that is not in use" in note for note in read.run.protocol.notes())
    with pytest.raises(ResultsError, match=r"no metric 'lost' in the results.*own\.py"):
        make_table(read)


@pytest.mark.parametrize("base", [Clustering, Recognition, Basis])
def test_an_option_that_an_own_class_adds_is_part_of_keys_unless_it_is_outer(base: type[Protocol]) -> None:
    lines = ["from dataclasses import dataclass", "from nmfrepro.core.options import option"]
    for name, more in (("Own", ""), ("Outer", f"    outer = {(*base.outer, 'noise')}")):
        lines += ["@dataclass(frozen=True)", f"class {name}(base):", more]
        lines += ["    noise: float = option(0.1, low=0, help='how much')"]
    made: dict[str, Any] = {"base": base, "__name__": __name__}
    exec("\n".join(lines), made)
    given = {name: (2,) for name, each in options_of(base).items() if each.required}

    def key(name: str, **values: float) -> dict[str, Any]:
        protocol: Protocol = made[name](**given, **values)
        return protocol.deciding(NMF())

    assert key("Own") != key("Own", noise=0.2)
    assert key("Outer") == key("Outer", noise=0.2) == base(**given).deciding(NMF())


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("    coordinates:", "    places:", r"a protocol needs coordinates \(a tuple of names\)"),
        ('("k", "start")', '("k")', r"a protocol needs coordinates \(a tuple of names\)"),
        ("    shown:", "    seen:", r"a protocol needs shown \(a tuple of names\)"),
        ("    outer:", "    other:", r"a protocol needs outer \(a tuple of names\)"),
        ("    metrics:", "    measured:", r"a protocol needs metrics \(each a Metric by its name\)"),
        ("def cells", "def places", r"a protocol needs cells\(\)"),
        ("def run", "def runs", r"a protocol needs run\(\)"),
        (METRIC, '"Lost"', "lost among its metrics is no Metric; write Metric"),
        ('("lost",)', '("last",)', "shown names last; did you mean lost"),
    ],
)
def test_a_class_that_is_no_whole_protocol_is_refused_where_it_is_made(
    tmp_path: Path, old: str, new: str, told: str
) -> None:
    (tmp_path / "own.py").write_text(changed({old: new}))
    plugins.use([tmp_path / "own.py"])
    with pytest.raises(SpecError, match=rf"own\.py cannot be imported: SpecError: Reconstruction: .*{told}"):
        protocols.registry()


@pytest.mark.parametrize(
    ("cell", "told"),
    [
        ('yield {"k": k}', r"\{'k': 1\}, and must yield \{'k': …, 'start': …\} in whole numbers"),
        ('yield {"k": k, "draw": start}', r"\{'k': 1, 'draw': 0\}, and must yield"),
        ('yield {"k": k, "start": np.int64(start)}', r".*np\.int64\(0\)\}, and must yield"),
        ('yield {"k": k, "start": 0}', r"\{'k': 1, 'start': 0\} twice"),
        ("yield k", "1, and must yield"),
        ("pass", "nothing, and must yield"),
    ],
)
def test_cells_without_its_coordinates_are_told_before_any_work(tmp_path: Path, cell: str, told: str) -> None:
    (tmp_path / "own.py").write_text(changed({'yield {"k": k, "start": start}': cell}))
    plugins.use([tmp_path / "own.py"])
    write_data(tmp_path)
    spec = tmp_path / "spec.yaml"
    spec.write_text(SPEC)
    with pytest.raises(SpecError, match=f"spec.yaml:3:1: cells of class Reconstruction yields {told}"):
        read_spec(spec)


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        (
            "return Outcome",
            "Outcome",
            "run of class Reconstruction returns NoneType, and must return an Outcome",
        ),
        ('{"lost": lost}', "{}", "metrics of its outcome and of class Reconstruction differ in lost"),
        ('{"lost": lost}', '{"lost": -5}', "lost is -5.0, and must be from 0 to 1"),
    ],
)
def test_an_answer_that_is_none_fails_its_trial_and_says_why(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, old: str, new: str, told: str
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "own.py").write_text(changed({old: new}))
    plugins.use([tmp_path / "own.py"])
    write_data(tmp_path)
    (tmp_path / "spec.yaml").write_text(SPEC)
    for _ in range(2):
        with pytest.warns(UserWarning, match="8 of 8 trials failed"):
            rows = run(tmp_path / "spec.yaml")
        assert rows["error"].str.startswith(told).all()


def test_tables_name_the_options_that_it_adds_and_compare_those_that_differ(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    own, _ = skeleton.write("protocol", "noisy", tmp_path)
    own.write_text(
        own.read_text().replace("    noise:", '    level: str = option("a", help="b")\n    noise:')
    )
    plugins.use([own])
    write_data(tmp_path)
    runs = []
    for noise in (0, 0.2):
        protocol = {"kind": "noisy", "clusters": [2], "repeats": 2, "noise": noise}
        spec = {
            "dataset": {"file": "tiny.npz", "scale": "max"},
            "protocol": protocol,
            "algorithms": ["kmeans"],
            "seed": 1,
        }
        run(spec, name=f"noise{noise}", jobs=1, quiet=True)
        runs.append(folder.read(tmp_path / "results" / f"noise{noise}"))
        assert f"Protocol: level = a, noise = {noise:g}." in make_table(runs[-1]).notes
    text = of_runs(*runs)
    notes = [note for section in text.sections for note in section.notes]
    assert {"First: Protocol: noise = 0.", "Second: Protocol: noise = 0.2."} <= {*notes}


def test_a_metric_may_not_mean_two_things(results: Path) -> None:
    other = results.parents[1] / "other.py"
    other.write_text(
        OWN.replace('"lost"', '"nn"').replace("lost=", "nn=").replace('"reconstruction"', '"two"')
    )
    plugins.use([other])
    with pytest.raises(SpecError, match="protocol two: its metric 'nn' is another protocol's"):
        protocols.metrics()
