"""The page in a browser: its script does what it says, a small window is wide enough, and it prints."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from handmade import write_results

from nmfrepro.views import report

CHROMIUM = next(
    (found for name in ("chromium", "google-chrome", "chrome") if (found := shutil.which(name))), None
)
pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="no Chromium is installed")


def chromium(page: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    assert CHROMIUM is not None
    quiet = [
        "--disable-background-networking",
        "--disable-component-update",
        "--disable-sync",
        "--no-first-run",
    ]
    profile = f"--user-data-dir={page.parent / 'profile'}"
    command = [
        CHROMIUM,
        "--headless",
        "--no-sandbox",
        "--disable-gpu",
        *quiet,
        profile,
        "--enable-logging=stderr",
    ]
    return subprocess.run(
        [*command, *arguments, page.as_uri()], capture_output=True, text=True, timeout=120, check=True
    )


def said(outcome: subprocess.CompletedProcess[str]) -> list[str]:
    """What the page's console holds."""
    return [line for line in outcome.stderr.splitlines() if "CONSOLE" in line]


def score(label: str, at: dict[str, int]) -> float:
    return {"NMF": 0.5, "NLCF": 0.8}.get(label, 0.6) + 0.01 * at["draw"] + 0.001 * at["k"]


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("page")
    write_results(folder / "one", score, published="nlcf/table5_orl", metrics=["accuracy"])
    many = [(f"A method with a long name {i}", "kmeans" if i else "nmf") for i in range(9)]
    write_results(folder / "two", score, columns=many)
    # Too wide for a small window, with words for those who hear the page in every cell.
    wide = [(f"NLCF {i}", "nlcf") for i in range(9)]
    write_results(folder / "wide", score, columns=wide, published="nlcf/table5_orl", title="A wide table")
    path = folder / "page.html"
    path.write_text(
        report.render(report.collect([folder / name for name in ("one", "two", "wide")])), encoding="utf-8"
    )
    return path


def test_its_console_stays_empty(page: Path) -> None:
    outcome = chromium(page, "--dump-dom")
    assert "</html>" in outcome.stdout
    assert said(outcome) == []


def test_at_500_pixels_only_tables_scroll_and_the_script_answers(page: Path) -> None:
    # A page's policy runs no script but its own, so that a copy without one is probed.
    text = re.sub(r'<meta http-equiv="Content-Security-Policy"[^>]*>', "", page.read_text(encoding="utf-8"))
    script = Path(__file__).with_name("probe.js").read_text(encoding="utf-8")
    probe = page.with_name("probe.html")
    probe.write_text(text.replace("</body>", f"<script>{script}</script></body>"), encoding="utf-8")
    outcome = chromium(probe, "--window-size=500,900", "--hide-scrollbars", "--dump-dom")
    assert said(outcome) == []
    found = json.loads(re.findall(r'<pre id="found">(.*?)</pre>', outcome.stdout)[0])
    assert found == {
        "width": 500,
        "over": 0,
        "articles": 3,
        "searched": ["A table"],
        "hits": "1 of 3",
        "sorted": ["40", "4", "2"],
        "heads": ["k", "NLCF"],
        "curves": ["NLCF"],
        "tip": "NLCF, k = 40: 84.0; published 61.8: no spread",
    }


def test_it_prints_each_part_on_pages_of_its_own(page: Path) -> None:
    target = page.with_suffix(".pdf")
    chromium(page, f"--print-to-pdf={target}")
    content = target.read_bytes()
    assert content.startswith(b"%PDF-")
    assert content.count(b"/Type /Page\n") >= 2  # a paper and the own runs begin pages of their own
