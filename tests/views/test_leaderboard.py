"""The leaderboard: numbers lead to their rows, and are verified only if all of these were computed again."""

from __future__ import annotations

import html
import re
import shutil
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import pytest
from commandline import invoke
from handmade import write_results
from tiny import entry, make_spec, run_quietly

from nmfrepro.analysis.significance.standings import standings
from nmfrepro.core.errors import ResultsError
from nmfrepro.protocols.runtime import Runtime
from nmfrepro.results.verified import Verified, read_verified, write_verified
from nmfrepro.views.leaderboard import pages
from nmfrepro.views.report import collect

pytestmark = pytest.mark.usefixtures("in_process")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with rows of NMF and NLCF: k = 2 with two draws and k = 3 with one."""
    spec = make_spec(tmp_path, [entry("nmf"), entry("nlcf", mu=0.1)])
    return run_quietly(spec, tmp_path / "results").folder


def site_of(folders: list[Path]) -> Iterator[tuple[str, str]]:
    """The pages of some folders."""
    return pages(collect(folders))


def checks(folder: Path) -> list[str]:
    """The numbers of the page that are verified, as "NMF" for each of its."""
    page = dict(site_of([folder]))["tiny.html"]
    lines = re.findall(r'<th scope="row" data-name="(\w+)".*', page)
    marked = re.findall(r'data-name="(\w+)">(.*)', page)
    assert lines
    return [label for label, line in marked if "methods.html" in line for _ in re.findall("✓", line)]


def test_a_page_without_verified_numbers_says_of_none_that_it_is(folder: Path) -> None:
    """What the mark means is told as what it would mean, not as what was done."""
    for name, page in site_of([folder]):
        words = re.sub("<[^>]+>|\\s+", " ", page)
        assert "came out the same" not in re.sub(r"A number is marked\s+✓.*?\.|0 of 6 rows.*?\.", "", words)
        assert ("A number is marked" in words) == (name != "methods.html")


def test_a_number_is_verified_when_all_its_rows_came_out_the_same(folder: Path) -> None:
    assert checks(folder) == []
    assert invoke("verify", folder, "--all").exit_code == 0
    assert sorted(checks(folder)) == ["NLCF"] * 3 + ["NMF"] * 3  # k = 2, k = 3 and the average


def test_rows_that_came_out_otherwise_or_are_others_now_are_not(folder: Path) -> None:
    invoke("verify", folder, "--all")
    path, key = folder / "verified.json", next(iter(read_verified(folder).rows))
    text = path.read_text()
    for changed in ('"the same"', '"row": "'):  # the first row's verdict, then its digest
        new = {'"the same"': '"different"', '"row": "': '"row": "0'}[changed]
        at = text.index(changed, text.index(f'"{key}"'))
        path.write_text(text[:at] + text[at:].replace(changed, new, 1))
        assert sorted(checks(folder)) == ["NLCF"] * 3 + ["NMF"]  # k = 2 and the average are not
    path.write_text("{")
    with pytest.raises(ResultsError, match=r"verified\.json: damaged"):
        checks(folder)


def test_times_of_fits_are_no_reason_against_a_row(tmp_path: Path) -> None:
    spec = replace(make_spec(tmp_path, metrics=("seconds",)), protocol=Runtime(classes=(2,), repeats=2))
    folder = run_quietly(spec, tmp_path).folder
    assert invoke("verify", folder, "--all").exit_code == 0
    assert "edited since" not in dict(site_of([folder]))["tiny.html"]
    assert checks(folder) == ["NMF"]


def test_every_link_leads_somewhere_and_every_row_is_there(folder: Path, tmp_path: Path) -> None:
    said = invoke("leaderboard", folder, "-o", tmp_path / "site")
    assert said.output == f"{tmp_path / 'site' / 'index.html'}: 1 experiment; open it in a browser\n"
    site = {path.name: path.read_text() for path in (tmp_path / "site").iterdir()}
    assert site.keys() == {"index.html", "tiny.html", "methods.html"}
    for name, page in site.items():
        for href in re.findall(r'href="([^"]+)"', page):
            target, _, anchor = href.partition("#")
            assert not anchor or f'id="{anchor}"' in site[target or name], href
    keys = [line.partition(",")[0] for line in (folder / "trials.csv").read_text().splitlines()[1:]]
    assert all(key in site["tiny.html"] for key in keys)
    assert "chen2013nlcf" in site["methods.html"]
    assert "v_ki" in site["methods.html"]
    other = Path(shutil.copytree(folder, tmp_path / "other"))
    told = f"two folders are of the run tiny, {folder} and {other}; put them on two sites"
    with pytest.raises(ResultsError, match=f"^{re.escape(told)}$"):
        next(site_of([folder, other]))  # before any page


def test_a_folder_that_cannot_be_read_is_left_out_and_named(folder: Path, tmp_path: Path) -> None:
    broken, site = folder.with_name("broken"), tmp_path / "site"
    shutil.copytree(folder, broken)
    text = (broken / "trials.csv").read_text()
    (broken / "trials.csv").write_text(text.replace(",ok,", ",,", 1))
    said = invoke("leaderboard", folder.parent, "-o", site)
    assert said.exit_code == 1
    assert said.stdout == f"{site / 'index.html'}: 1 experiment; open it in a browser\n"
    assert said.stderr.startswith(f"{broken / 'trials.csv'}:2: status and error")
    index = html.unescape((site / "index.html").read_text())
    assert f"Left out: {said.stderr.strip()}" in index
    assert (site / "tiny.html").exists()
    with pytest.raises(ResultsError, match="status and error"):
        next(site_of([broken]))


@pytest.mark.parametrize("name", ["index", "methods"])
def test_a_run_called_as_a_page_of_the_site_is_refused(tmp_path: Path, name: str) -> None:
    folder = write_results(tmp_path / name, lambda label, at: 0.5, name=name).folder
    with pytest.raises(ResultsError, match=f"the site has a page of its own called {name}"):
        next(site_of([folder]))


def test_links_lead_to_runs_of_any_name(tmp_path: Path) -> None:
    name = "50% of a#b & c"
    site = dict(site_of([write_results(tmp_path / name, lambda label, at: 0.5, name=name).folder]))
    links = re.findall('href="([^"#]+)', site["index.html"])
    assert {unquote(html.unescape(link)) for link in links} == {"methods.html", f"{name}.html"} < site.keys()
    assert f"verify 'results/{name}' --all" in html.unescape(site[f"{name}.html"])


def test_a_smoke_run_is_marked_beside_the_true_one(tmp_path: Path) -> None:
    names = ("field", "field-smoke")
    made = [write_results(tmp_path / name, lambda label, at: 0.5, name=name).folder for name in names]
    index = dict(site_of(made))["index.html"]
    marked = re.findall(r'href="([^"]+)\.html">[^<]*</a> <span class="key fair">smoke run</span>', index)
    assert marked == ["field-smoke"] * 2  # in the contents and in the table


def test_methods_are_ranked_over_the_datasets_that_they_share(tmp_path: Path) -> None:
    """A and B are first on one dataset each, C is last on both; D is on one alone, E's run shares too few."""
    levels = {"orl": {"A": 0.9, "B": 0.8, "C": 0.5, "D": 0.1}, "mnist": {"A": 0.6, "B": 0.7, "C": 0.5}}
    runs = [
        write_results(
            tmp_path / dataset,
            lambda label, at, of=of: of[label],
            columns=[(label, label.lower()) for label in of],
            dataset=dataset,
        )
        for dataset, of in levels.items()
    ]
    runs.append(write_results(tmp_path / "two", lambda label, at: 0.5, columns=(("A", "a"), ("E", "e"))))
    (found,) = standings(runs)
    assert found.test.order == (("A", 1.5), ("B", 1.5), ("C", 3.0))
    assert (found.runs, found.scores.rows) == (("orl", "mnist"), ("orl", "mnist"))
    assert found.scores.of("A") == pytest.approx((90, 60))
    assert [found.scores.leads(label).tolist() for label in "AB"] == [[True, False], [False, True]]
    assert found.scores.of("A").mean() == pytest.approx(75)
    site = dict(site_of([each.folder for each in runs]))
    assert "3 methods on 2 datasets" in site["index.html"]
    assert "Over all datasets" not in dict(site_of([runs[0].folder]))["index.html"]


def test_over_all_datasets_a_mean_of_rows_of_unknown_origin_is_never_the_best(tmp_path: Path) -> None:
    """As in tables: the best of the others is."""
    levels = {"A": 0.9, "B": 0.8, "C": 0.5}
    columns = [(label, label.lower()) for label in levels]
    cells = [{"k": 2, "draw": 0}]
    for dataset, unknown in (("orl", 1), ("mnist", 3)):
        keys = [f"{key:016x}" for key in range(unknown)]
        options: dict[str, Any] = {"dataset": dataset, "unknown": keys, "cells": cells, "columns": columns}
        write_results(tmp_path / dataset, lambda label, at: levels[label], **options)
    index = dict(site_of([tmp_path / "orl", tmp_path / "mnist"]))["index.html"]
    overall = index[index.index("Over all datasets") : index.index("</table>")]
    assert re.findall("<strong>([^<]*)</strong>", overall)[1:] == ["80.0"]  # the first is the caption
    means = invoke("stats", tmp_path).output.partition("## Friedman")[0]
    assert re.findall(r"\| (\w) .* \|.*80\.0 \*", means) == ["B"]
    assert means.count(" * |") == 1
    assert "rest on no row of unknown origin" in means


def test_of_several_runs_of_a_dataset_one_counts_by_rule_and_the_others_are_told(tmp_path: Path) -> None:
    """Complete before incomplete, more trials before fewer, then by name, however they are given."""
    three = [("A", "a"), ("B", "b"), ("C", "c")]

    def made(name: str, repeats: int, level: float, missing: int = 0, **options: Any) -> Any:
        cells = [{"k": k, "draw": draw} for k in (2, 4) for draw in range(repeats)]
        protocol = {"clusters": [2, 4], "repeats": repeats, "assign": "argmax"}
        options = {"columns": three, "spec": {"protocol": protocol}} | options
        return write_results(
            tmp_path / name,
            lambda label, at: None if at["k"] == 4 and at["draw"] < missing else level,
            cells=cells,
            **options,
        )

    runs = [
        made("a_few", 1, 0.1),
        made("b_best", 2, 0.2),
        made("c_as_many", 2, 0.3),
        made("d_open", 3, 0.4, missing=1),
        made("e-smoke", 9, 0.5),
        made("f_two", 9, 0.6, columns=three[:2]),
        made("mnist", 1, 0.7, dataset="mnist"),
    ]
    left = {
        "a_few": "6 of 6 trials",
        "c_as_many": "12 of 12 trials, later by name",
        "d_open": "15 of 18 trials",
        "e-smoke": "a smoke run",
        "f_two": "without C",
    }
    others = ", ".join(f"{tmp_path / name} ({why})" for name, why in left.items())
    told = f"orl: {tmp_path / 'b_best'} (12 of 12 trials); left out: {others}."
    for order in (runs[::-1], runs):
        (found,) = standings(order)
        assert dict(zip(found.scores.rows, found.runs, strict=True)) == {"orl": "b_best", "mnist": "mnist"}
        assert found.scores.of("A")[found.scores.rows.index("orl")] == pytest.approx(20)
        assert {told, f"mnist: {tmp_path / 'mnist'} (6 of 6 trials)."} == {*found.notes[:2]}
        assert "The protocol is not the same on every dataset: repeats = " in found.notes[-1]
    page = html.unescape(dict(site_of([each.folder for each in runs]))["index.html"])
    assert told in page
    assert found.notes[-1] in page


def test_a_mean_over_further_draws_is_verified_only_with_their_rows(tmp_path: Path) -> None:
    spec = {"protocol": {"clusters": [2], "repeats": 2, "further": 1}}
    cells = [{"k": 2, "draw": draw} for draw in range(3)]
    named: Any = {"columns": [("A", "a"), ("B", "b"), ("C", "c")], "cells": cells, "spec": spec}
    runs = [
        write_results(tmp_path / each, lambda label, at: 0.5, dataset=each, **named)
        for each in ("orl", "mnist")
    ]
    for results, printed in zip(runs, (False, True), strict=True):
        of = [each for each in results.trials if not printed or each.coordinates["draw"] < 2]
        checks = [(trial, "the same") for trial in of]
        write_verified(results.folder, Verified().joined(checks, results.run.environment))
    page = dict(site_of([each.folder for each in runs]))["index.html"]
    overall = page[page.index("Over all datasets") : page.index("</table>")]
    for label in "ABC":
        (line,) = re.findall(f'<tr data-words="{label} .*', overall)
        assert re.findall("orl|mnist|✓", line.replace(".html", "")) == ["orl", "✓", "mnist"]
