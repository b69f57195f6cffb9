"""The page of all results: complete, self-contained, safe for any text, and bounded."""

from __future__ import annotations

import base64
import html
import io
import itertools
import json
import os
import re
import sys
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from commandline import invoke
from handmade import write_results
from PIL import Image

from nmfrepro.analysis.compare.pairs import Comparison, Matched, Rules, columns_of
from nmfrepro.analysis.compare.verdict import NO_SPREAD, Side, Sides
from nmfrepro.analysis.tables import make_table
from nmfrepro.results.marks import state
from nmfrepro.spec.columnlabels import show
from nmfrepro.views import leaderboard, report
from nmfrepro.views.plots import picture
from nmfrepro.views.report import embedding
from nmfrepro.views.report.chart import Chart
from nmfrepro.views.report.page import added
from nmfrepro.views.report.published import published as cells_in_print
from nmfrepro.views.report.sections import sections, totals

HOSTILE = '<script>alert("x")</script>&\'"{{ 8191 * 8191 }}'
VOID = {"meta", "img", "br", "link", "input"}


class Page(HTMLParser):
    """Checks that elements are closed in order, and collects what they hold."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.text: list[str] = []
        self.rows: list[list[str]] = []  # of all tables, what their cells say
        self.feed(text)
        assert not self.open

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))
        if tag == "tr":
            self.rows.append([])
        if tag in ("td", "th"):
            self.rows[-1].append("")
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self.open and self.open[-1] not in ("script", "style"):
            self.text.append(data)
        if "td" in self.open or "th" in self.open:
            self.rows[-1][-1] += data

    def all(self, tag: str) -> list[dict[str, str | None]]:
        return [attributes for name, attributes in self.found if name == tag]


def orl(label: str, at: dict[str, int]) -> float:
    """NMF far from what the paper prints for k = 2 and 4, NLCF near the 100 % it prints for neither."""
    return {"NMF": 0.5, "NLCF": 0.95}[label] + 0.01 * at["draw"]


def page_of(folders: list[Path]) -> Page:
    return Page(report.render(report.collect(folders)))


def noise(path: Path, width: int = 600, description: str = "") -> None:
    """A picture that no encoding makes small."""
    from PIL.PngImagePlugin import PngInfo

    info = PngInfo()
    if description:
        info.add_text("Description", description)
    pixels = np.random.default_rng(0).integers(0, 256, (width, width, 3), dtype=np.uint8)
    path.parent.mkdir(parents=True, exist_ok=True)
    Image.fromarray(pixels).save(path, pnginfo=info)


def test_holds_every_number_beside_the_published_one(tmp_path: Path) -> None:
    write_results(tmp_path / "one", orl, published="nlcf/table5_orl")
    experiment = report.collect([tmp_path / "one"])[0]
    pairs = experiment.blocks[0][1]
    # Table V prints 39.5 for NMF with all 40 classes
    assert pairs["NMF", "40"].theirs.text == "39.5"
    assert pairs["NMF", "40"].verdict == NO_SPREAD
    assert sum(experiment.verdicts.values()) == len(experiment.pairs) == 6
    page = page_of([tmp_path / "one"])
    _, *rows = page.rows[page.rows.index(["k", "NMF", "NLCF"]) :][:5]
    assert [row[0] for row in rows] == ["2", "4", "40", "Avg"]
    shown = ("51.0±1.0published", "51.0±1.0published", "50.0published, no spread: · 39.5")
    assert all(row[1].startswith(cell) for row, cell in zip(rows, shown, strict=False))
    text = " ".join(page.text)
    for part in ("51.0±1.0", "39.5", "nmfrepro run one.yaml", "0123456789abcdef" * 4, "a processor"):
        assert part in text


def test_agreement_is_counted_apart_from_calibration(tmp_path: Path) -> None:
    spec = {"protocol": {"clusters": [2], "assign": "argmax"}, "inferred": ["fit.max_iter"]}
    for name, extra in (("one", {}), ("two", {"spec": spec}), ("three-smoke", {})):
        write_results(tmp_path / name, orl, published="nlcf/table5_orl", **extra)
    every = report.collect([tmp_path / name for name in ("one", "two", "three-smoke")])
    (stated,), (calibrated,) = totals(every).values()
    assert [(len(each.inferred), each.used, len(each.pairs)) for each in (stated, calibrated)] == [
        (0, 0, 6),
        (1, 38, 6),  # nine rows, accuracy and NMI, of both methods, and both values of sparseness
    ]
    assert stated.verdicts == calibrated.verdicts
    assert sum(added([stated.verdicts, calibrated.verdicts]).values()) == 12
    assert ", 1 experiment (1 free choice, fitted to 38 published numbers).\n" in report.render(every)


def test_the_numbers_of_cells_that_agree_have_their_caveats(tmp_path: Path) -> None:
    def wide(label: str, at: dict[str, int]) -> float:
        return 0.5 + 0.2 * at["draw"]

    spec = {"protocol": {"clusters": [2], "assign": "argmax"}, "inferred": ["nlcf.mu"]}
    write_results(tmp_path / "one", wide, published="nlcf/table5_orl", spec=spec, overrides=["seed=2"])
    (experiment,) = report.collect([tmp_path / "one"])
    assert experiment.caveats == (
        "After calibration: 1 free choice fitted to the published numbers (19 of them, those of the methods "
        "concerned): nlcf.mu; chosen on other draws than those reported; the rest as stated or plainly "
        "chosen.",
        "Replaced on the command line: seed=2.",
    )
    text = " ".join(page_of([tmp_path / "one"]).text)
    overview, _, headline = text.partition("How to read this page")
    assert "1 free choice, fitted to 19 published numbers" in overview
    for caveat in experiment.caveats:
        assert caveat in headline.partition("Accuracy (%)")[0]


def test_runs_without_a_verdict_say_so(tmp_path: Path) -> None:
    write_results(tmp_path / "one-smoke", orl, published="nlcf/table5_orl")
    write_results(tmp_path / "two", orl, published="nlcf/table5_orl", dataset="mnist")
    text = " ".join(page_of([tmp_path / "one-smoke", tmp_path / "two"]).text)
    assert "No verdict: this is a smoke run" in text
    assert "No verdict: the run is on mnist, the published table on orl" in text
    assert "✓" not in text.partition("Negative control:")[2]
    assert "fails" not in text.partition("Negative control:")[2]


def test_a_published_table_that_is_not_known_here_stops_its_own_folder_alone(tmp_path: Path) -> None:
    for name, published in (("one", "nlcf/of_tomorrow"), ("two", "nlcf/table5_orl")):
        write_results(tmp_path / name, orl, published=published)
    told = f"{tmp_path / 'one'}: there is no published table 'nlcf/of_tomorrow'"
    first, second = report.collect([tmp_path / "one", tmp_path / "two"])
    assert (first.problem[: len(told)], second.problem) == (told, "")
    compared = invoke("compare", tmp_path)
    assert compared.exit_code == 1
    assert told in compared.output
    assert "# A table: published and reproduced" in compared.output


def test_how_to_run_again_gives_the_plug_ins(tmp_path: Path) -> None:
    made = [{"name": "own_nmf.py", "sha256": "ab" * 32}, {"name": "own_methods", "sha256": "cd" * 32}]
    environment = {"nmfrepro": "0.1.0", "plugins": made}
    write_results(tmp_path / "one", orl, environment=environment)
    assert report.collect([tmp_path / "one"])[0].commands == [
        f"nmfrepro run one.yaml --results {tmp_path} --plugin own_nmf.py",
        f"nmfrepro table {tmp_path / 'one'}",
        f"nmfrepro verify {tmp_path / 'one'} --plugin own_nmf.py",
    ]
    assert "plug-in own_nmf.py (sha256 abababababab)" in " ".join(page_of([tmp_path / "one"]).text)


@pytest.mark.parametrize(
    ("given", "run", "folder"),
    [
        ("results/one", "", "results/one"),
        ("pap/one", " --results pap", "pap/one"),
        ("pap/my one", " --results pap", "'pap/my one'"),
        ("one", " --results .", "one"),
        ("one/.", " --results .", "one"),
    ],
)
def test_how_to_run_again_names_the_folder_as_it_was_given(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, given: str, run: str, folder: str
) -> None:
    monkeypatch.chdir(tmp_path)
    write_results(Path(given), orl, name="one")
    assert report.collect([Path(given)])[0].commands == [
        f"nmfrepro run one.yaml{run}",
        f"nmfrepro table {folder}",
        f"nmfrepro verify {folder}",
    ]


def test_how_to_run_again_inside_the_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_results(tmp_path / "one", orl)
    monkeypatch.chdir(tmp_path / "one")
    first, second, _ = report.collect([Path()])[0].commands
    assert (first, second) == ("nmfrepro run one.yaml --results ..", "nmfrepro table .")


@pytest.mark.parametrize(("origin", "against"), [("reference orl_nlcf", " --against reference"), ("b", "")])
def test_how_to_run_again_takes_stored_rows_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, origin: str, against: str
) -> None:
    monkeypatch.chdir(tmp_path)
    stored = [{"origin": origin, "environments": [{}], "trials": [f"{0:016x}"]}]
    write_results(Path("results/one"), orl, stored=stored, overrides=["seed=2", "algorithms+=my nmf"])
    (experiment,) = report.collect([Path("results/one")])
    assert experiment.commands[0] == f"nmfrepro run one.yaml --set seed=2 --also 'my nmf'{against}"
    notes = [each for each in experiment.notes if "on the command line" in each]
    assert notes == ["Replaced on the command line: seed=2.", "Added on the command line: my nmf."]


def test_loads_nothing_and_runs_only_its_own_script(tmp_path: Path) -> None:
    write_results(tmp_path / "one", orl, published="nlcf/table5_orl")
    noise(tmp_path / "one" / "figures" / "accuracy.png", 20)
    page = page_of([tmp_path / "one"])
    assert not page.all("link")
    for tag, attributes in page.found:
        for name in ("src", "href", "srcset", "action"):
            target = attributes.get(name) or "#"
            assert target.startswith(("#", "data:")), (tag, target)
    policy = next(m["content"] for m in page.all("meta") if m.get("http-equiv"))
    assert policy is not None
    assert policy.startswith(
        "default-src 'none'; img-src data:; object-src data:; frame-src data:; style-src"
    )
    assert "script-src 'sha256-" in policy


def test_text_of_others_is_never_markup(tmp_path: Path) -> None:
    write_results(
        tmp_path / "one",
        lambda label, at: HOSTILE if at["draw"] else 0.5,
        columns=[(HOSTILE, "nmf"), ("NLCF", "nlcf")],
        title=HOSTILE,
    )
    noise(tmp_path / "one" / "figures" / "a<b>.png", 20, HOSTILE)
    text = report.render(report.collect([tmp_path / "one"]), title=HOSTILE)
    page = Page(text)
    assert len(page.all("script")) == 1
    assert 'alert("x")' not in text
    assert str(8191 * 8191) not in text  # a number that no folder's name holds
    assert page.all("img")[0]["alt"] == HOSTILE
    assert page.all("article")[0]["data-words"].startswith(HOSTILE)  # type: ignore[union-attr]


@pytest.mark.skipif(sys.platform != "linux", reason="file names are text there")
def test_a_folder_may_have_a_name_that_is_no_text(tmp_path: Path) -> None:
    folder = tmp_path / os.fsdecode(b"r\xe9sultats") / "one"
    write_results(folder, orl)
    noise(folder / "figures" / "a.png", 20)
    (folder / "figures" / "a.png").write_bytes(b"")
    for page in (
        report.render(report.collect([folder])),
        dict(leaderboard.pages(report.collect([folder])))["one.html"],
    ):
        assert "r\\udce9sultats" in page
        page.encode()


def test_headings_captions_and_links_are_those_of_an_accessible_page(tmp_path: Path) -> None:
    for name in ("one", "two"):
        write_results(tmp_path / name, orl, published="nlcf/table5_orl")
    noise(tmp_path / "one" / "figures" / "accuracy-published.png", 20)
    page = page_of([tmp_path / "one", tmp_path / "two"])
    levels = [int(tag[1]) for tag, _ in page.found if re.fullmatch("h[1-6]", tag)]
    assert levels.count(1) == 1
    assert all(after <= before + 1 for before, after in itertools.pairwise(levels))
    assert all(image["alt"] for image in page.all("img"))
    assert all(cell.get("scope") in ("col", "row") for cell in page.all("th"))
    ids = [attributes["id"] for _, attributes in page.found if "id" in attributes]
    assert len(ids) == len(set(ids))
    targets = [(link["href"] or "").removeprefix("#") for link in page.all("a")]
    assert set(targets) <= set(ids)
    assert page.all("html")[0]["lang"] == "en"
    assert len(page.all("table")) == len(page.all("caption"))
    regions = [each for each in page.all("div") if each.get("class") == "scroll"]
    assert all(each["tabindex"] == "0" and each["role"] == "region" for each in regions)


def luminance(colour: str) -> float:
    parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def test_contrast_of_every_scheme_is_that_of_wcag_aa() -> None:
    style = (Path(report.__file__).parent / "templates" / "page.css").read_text(encoding="utf-8")
    schemes = list(re.findall(r":root \{([^}]*)\}", style))
    assert len(schemes) == 3
    for scheme in schemes:
        short = dict(re.findall(r"--([\w-]+): (#[0-9a-f]+);", scheme))
        colour = {
            name: c if len(c) == 7 else "#" + "".join(2 * digit for digit in c[1:])
            for name, c in short.items()
        }
        pairs = [(text, back) for text in ("text", "soft", "link") for back in ("back", "raised")]
        for verdict in ("good", "fair", "bad", "open", "none"):
            pairs += [("text", verdict), (f"{verdict}-text", verdict)]
        for text, back in pairs:
            light, dark = sorted((luminance(colour[text]), luminance(colour[back])), reverse=True)
            assert (light + 0.05) / (dark + 0.05) >= 4.5, (text, back, scheme)


def test_a_damaged_folder_spoils_no_page(tmp_path: Path) -> None:
    for name in ("one", "two"):
        write_results(tmp_path / name, orl)
    (tmp_path / "two" / "run.json").write_text("{", encoding="utf-8")
    good, bad = report.collect([tmp_path / "one", tmp_path / "two"])
    assert good.blocks
    assert "damaged" in bad.problem
    page = Page(report.render([good, bad]))
    assert bad.problem in "".join(page.text)


def test_equal_results_are_equal_pages(tmp_path: Path) -> None:
    write_results(tmp_path / "one", orl, published="nlcf/table5_orl")
    first, second = (report.render(report.collect([tmp_path / "one"])) for _ in range(2))
    assert first == second


def test_recognition_tables_have_methods_as_rows(tmp_path: Path) -> None:
    cells = [{"train": t, "k": k, "split": s} for t in (2, 3) for k in (5, 6) for s in range(2)]
    write_results(
        tmp_path / "one",
        lambda label, at: 0.5 + 0.01 * at["k"] + 0.1 * at["split"],
        columns=[("PCA", "pca"), ("2DNMF", "twodnmf")],
        cells=cells,
        metrics=["nn"],
        kind="recognition",
        published="twodnmf/table1_orl",
    )
    page = page_of([tmp_path / "one"])
    _, *rows = page.rows[page.rows.index(["method", "train = 2", "train = 3"]) :][:3]
    assert [row[0] for row in rows] == ["PCA", "2DNMF"]
    assert all("(6)published, " in cell for row in rows for cell in row[1:])


def test_many_methods_stand_in_rows(tmp_path: Path) -> None:
    columns = [(f"NMF {i}", "nmf") for i in range(11)]
    write_results(tmp_path / "one", lambda label, at: 0.5, columns=columns)
    page = page_of([tmp_path / "one"])
    start = page.rows.index(["method", "k = 2", "k = 4", "k = 40", "Avg"])
    assert [row[0] for row in page.rows[start + 1 :][:11]] == [label for label, _ in columns]


@pytest.mark.parametrize("budget", [4_600_000, 200_000, 30_000])
def test_pictures_stay_within_their_bytes(tmp_path: Path, budget: int) -> None:
    for name in ("a", "b", "c"):
        noise(tmp_path / "figures" / f"{name}.png", 500, f"Picture {name}")
    found = embedding.pictures(tmp_path, embedding.share([tmp_path], budget))
    assert [(each.path.stem, each.caption) for each in found] == [(n, f"Picture {n}") for n in "abc"]
    assert sum(len(each.uri) for each in found) <= budget
    for each in found:
        assert bool(each.uri) != bool(each.left_out)
        if each.uri:
            kind, _, content = each.uri.partition(";base64,")
            with Image.open(io.BytesIO(base64.b64decode(content))) as image:
                assert f"data:image/{(image.format or '').lower()}" == kind
    if budget == 4_600_000:
        original = (tmp_path / "figures" / "a.png").read_bytes()
        assert base64.b64decode(found[0].uri.partition(",")[2]) == original


def test_what_small_pictures_leave_is_shared_by_large_ones(tmp_path: Path) -> None:
    for name, width in (("a", 10), ("b", 300), ("c", 300)):
        noise(tmp_path / name / "figures" / "x.png", width)
    folders = [tmp_path / name for name in "abc"]
    limit = embedding.share(folders, 200_000)
    assert 98_000 < limit < 100_000
    sizes = [len(each.uri) for folder in folders for each in embedding.pictures(folder, limit)]
    assert sum(sizes) <= 200_000
    assert min(sizes) > 0


@pytest.mark.parametrize("form", ["png", "pdf", "pdf without pypdfium2"])
def test_captions_say_what_is_shown_of_which_data_and_rows(
    tmp_path: Path, form: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    if form == "pdf":
        pytest.importorskip("pypdfium2")
    framed = form == "pdf without pypdfium2"
    if framed:
        monkeypatch.setattr(embedding, "find_spec", lambda name: None)
    results = write_results(tmp_path / "one", lambda label, at: 0.5)
    for name in ("nmi-published", "nmi", "ranks-nmi"):
        alt = f'A table: {name} of "NMF" & (others) against λ'
        drawn = picture.Picture(name, alt, picture.new_figure(1, 1))
        drawn.write(tmp_path / "one" / "figures", form[:3], state(results) if name == "nmi" else "0" * 16)
    shown = ("object", "aria-label") if framed else ("img", "alt")
    text = report.render(report.collect([tmp_path / "one"]))
    assert [each[shown[1]] for each in Page(text).all(shown[0])] == [
        f'{name} of "NMF" & (others) against λ' for name in ("Nmi", "Nmi-published", "Ranks-nmi")
    ]
    captions = [
        html.unescape(re.sub("<.*?>", "", found))
        for found in re.findall("<figcaption>(.*?)</figcaption>", text)
    ]
    file = ". File: nmi.pdf" if framed else ""
    assert (
        captions[0] == f'Figure 1. Nmi of "NMF" & (others) against λ. ORL faces; from 14 of 14 trials{file}'
    )
    assert "drawn from other rows or settings than the tables show" in captions[1]


def test_damaged_pictures_are_named(tmp_path: Path) -> None:
    noise(tmp_path / "figures" / "a.png", 50)
    whole = (tmp_path / "figures" / "a.png").read_bytes()
    (tmp_path / "figures" / "b.png").write_bytes(whole[: len(whole) // 2])
    (tmp_path / "figures" / "c.png").write_bytes(b"<svg onload=alert(1)>")
    (tmp_path / "figures" / "d.pdf").write_bytes(b"<html>")
    found = embedding.pictures(tmp_path, 10**6)
    assert [each.left_out for each in found] == ["", *3 * ["cannot be read"]]


def test_numbers_of_print_are_in_the_unit_of_ours(tmp_path: Path) -> None:
    """Table I of LDS-NMF prints both classifiers in one cell, as fractions: 0.6085(0.8377)."""
    cells = [{"train": t, "k": 100, "draw": d} for t in (5, 7) for d in range(2)]
    write_results(
        tmp_path / "one",
        lambda label, at: {"nn": 0.6, "svm": 0.8},
        columns=[("LDS-NMF", "lds_nmf")],
        cells=cells,
        metrics=["nn", "svm"],
        kind="recognition",
        published="ldsnmf/table1_ar",
    )
    page = page_of([tmp_path / "one"])
    heads = [n for n, row in enumerate(page.rows) if row == ["method", "train = 5", "train = 7"]]
    assert [page.rows[n + 1][1].split()[-1] for n in heads] == ["60.9", "83.8"]
    nn, _ = report.collect([tmp_path / "one"])[0].blocks
    assert nn[1]["LDS-NMF", "5"].theirs.text == "0.6085(0.8377)"


def test_papers_come_first_with_their_claims_and_own_runs_last(tmp_path: Path) -> None:
    def close(label: str, at: dict[str, int]) -> float:
        return {"NMF": 0.5, "NLCF": 0.5}.get(label, 0.9) + (0.1 if at["draw"] % 2 else -0.1) * (
            label == "NMF"
        )

    columns = [("NMF", "nmf"), ("NLCF", "nlcf"), ("Kmeans", "kmeans")]
    cells = [{"k": k, "draw": draw} for k in (2, 4) for draw in range(6)]
    write_results(tmp_path / "mine", orl)
    write_results(tmp_path / "orl_nlcf_mu", orl)
    write_results(tmp_path / "one", close, published="nlcf/table5_orl", columns=columns, cells=cells)
    found = sections(report.collect([tmp_path / name for name in ("mine", "orl_nlcf_mu", "one")]))
    names = [[each.folder.name for _, each in section.experiments] for section in found]
    assert [section.title for section in found] == ["Nonnegative Local Coordinate Factorization", "Own runs"]
    assert names == [["one", "orl_nlcf_mu"], ["mine"]]  # what is compared stands before what is not
    assert {(row.better, row.other): row.verdict for row in found[0].claims} == {
        ("NLCF", "NMF"): "open",
        ("NLCF", "Kmeans"): "fails",
    }


def test_own_runs_are_not_said_to_be_published(tmp_path: Path) -> None:
    write_results(tmp_path / "mine", orl, title=r"My \"run\" of `nmf`")
    text = " ".join(page_of([tmp_path / "mine"]).text)
    assert "Own runs" in text
    assert "published" not in text
    assert "reproduced" not in text


def test_nothing_of_markdown_is_shown(tmp_path: Path) -> None:
    columns = [("[A*B", "nmf"), ("NLCF", "nlcf")]
    write_results(
        tmp_path / "one",
        lambda label, at: 0.5,
        published="nlcf/table5_orl",
        columns=columns,
        rows=[{"status": "failed", "error": "use `--jobs`", "n_iter": "", "converged": "", "accuracy": ""}],
    )
    page = page_of([tmp_path / "one"])
    assert "\\" not in "".join(page.text)
    assert "`" not in "".join(page.text)
    assert "--jobs" in page.text


def chart_of(folder: Path) -> Chart:
    return report.collect([folder])[0].charts[0]


def test_charts_are_to_scale(tmp_path: Path) -> None:
    write_results(tmp_path / "one", orl, published="nlcf/table5_orl")
    chart = chart_of(tmp_path / "one")
    marks = {float(name): y for y, name in chart.marks}
    (low, at_low), (high, at_high) = min(marks.items()), max(marks.items())
    for series, mean in zip(chart.series, (0.51, 0.96), strict=True):
        point = series.ours[0]  # k = 2, the mean of three draws
        share = (100 * mean - low) / (high - low)
        assert chart.y(point.mean) == pytest.approx(at_low + share * (at_high - at_low), abs=0.1)
        assert f"{series.name}, k = 2: {100 * mean:.1f}±1.0" in point.tip
    xs = [chart.x(point.at) for point in chart.series[0].ours]
    assert (xs[1] - xs[0]) / (xs[2] - xs[0]) == pytest.approx(2 / 38, abs=0.002)
    assert 0 <= low < high <= 100


@pytest.mark.parametrize(("least", "said"), [(0.9, "deviation; bars end at 100 %"), (0.5, "deviation</fig")])
def test_charts_say_where_bars_are_cut(tmp_path: Path, least: float, said: str) -> None:
    write_results(tmp_path / "one", lambda _, cell: least + 0.1 * (cell["draw"] > 0) - cell["k"] / 1e6)
    assert f"; bars: one standard {said}" in report.render(report.collect([tmp_path / "one"]))


@pytest.mark.parametrize(
    ("values", "ticks"),
    [((0, 0.1, 1.0), ["0", "0.1", "1"]), (([0, 1], [1, 0], [1, 1]), ["0, 1", "1, 0", "1, 1"])],
)
def test_a_sweep_is_drawn_against_its_values_with_others_as_lines(
    tmp_path: Path, values: Any, ticks: list[str]
) -> None:
    labels = {f"NLCF (mu = {show(mu)})": mu for mu in values}
    columns = [*((label, "nlcf") for label in labels), ("NMF", "nmf")]
    scores = dict(zip(labels, (0.4, 0.42, 0.6), strict=True)) | {"NMF": 0.5}
    gone = {"k": 2, "draw": 0}
    write_results(tmp_path / "one", lambda label, at: None if at == gone else scores[label], columns=columns)
    path = tmp_path / "one" / "run.json"
    run = json.loads(path.read_text(encoding="utf-8"))
    for column in run["spec"]["algorithms"][:-1]:
        column["sweep"] = {"mu": labels[column["label"]]}
    path.write_text(json.dumps(run), encoding="utf-8")
    chart = chart_of(tmp_path / "one")
    assert [name for _, name in chart.ticks] == ticks
    swept, still = chart.series
    assert [series.name for series in chart.series] == ["NLCF", "NMF"]
    ups = [chart.y(point.mean) for point in swept.ours]
    assert ups[0] > ups[1] > ups[2]
    level = {chart.y(point.mean) for point in still.ours}
    assert list(level) == pytest.approx([(ups[0] + ups[2]) / 2])
    assert all(point.tip.endswith("(2 of 3 rows complete)") for each in chart.series for point in each.ours)


def test_a_hundred_full_experiments_stay_below_thirty_megabytes(tmp_path: Path) -> None:
    ks = (2, 4, 8, 12, 16, 20, 25, 30, 40)
    labels = {"NMF": "nmf", "NLCF": "nlcf", "NLCF-G": "nlcf_g", "Kmeans": "kmeans", "NMF-SC": "nmf_sc"}
    write_results(
        tmp_path / "one",
        lambda label, at: {"accuracy": 0.5 + 0.01 * at["draw"], "nmi": 0.5, "sparseness": 0.7},
        columns=list(labels.items()),
        cells=[{"k": k, "draw": draw} for k in ks for draw in range(2)],
        metrics=["accuracy", "nmi", "sparseness"],
        published="nlcf/table5_orl",
    )
    experiment = report.collect([tmp_path / "one"])[0]
    assert len(experiment.pairs) > 90
    text = report.render([experiment] * 100)
    assert len(text.encode()) + report.PICTURES < 30_000_000


def test_a_published_number_stands_beside_the_row_of_its_coordinates(tmp_path: Path) -> None:
    """It stood beside the first row that had its k as any coordinate."""
    cells = [{"k": k, "images": n, "draw": draw} for k, n in ((2, 6), (6, 2)) for draw in (0, 1)]
    made = write_results(
        tmp_path / "r", lambda *_: 0.5, kind="convergence", cells=cells, metrics=("settled",)
    )
    (block,) = make_table(made).blocks
    rules, both = Rules(3.0), Matched("NMF", "NMF", (Sides((6, 2), Side(50.0), Side(50.0)),))
    comparison = Comparison(block.metric, "k", columns_of(block.metric, [both], rules), (), rules)
    assert list(cells_in_print(block, [comparison])) == [("NMF", "6, 2")]
