"""Pages that need nothing else: a template with its styles, its script and a policy that allows no more."""

from __future__ import annotations

import base64
import hashlib
import math
import re
from collections.abc import Iterable, Mapping
from importlib import resources
from pathlib import Path

from ... import __version__
from ...analysis.compare.gain import FAILS, HOLDS, OPEN
from ...analysis.compare.verdict import DEVIATES, DIFFERS, INCONCLUSIVE, NO_SPREAD, REPRODUCED, UNJUDGED
from ...core import files
from ...core.errors import ResultsError
from ...core.terminal import pasted, safe
from ..plots.style import NAMED
from ..tables import PLAIN, cell_text, heading, row_heads
from ..wording import engine
from .chart import BOTTOM, DASHES, HEIGHT, LEFT, OUTLINES, WIDTH

IN_PART = "holds in part"
OWN = b'<meta name="generator" content="nmfrepro'  # of base.html
# Of every verdict: the class of its colours, and its mark for those who do not see them.
VERDICT_CLASSES = {
    REPRODUCED: ("good", "✓"),
    DEVIATES: ("bad", "✗"),
    DIFFERS: ("fair", "≠"),
    INCONCLUSIVE: ("open", "?"),
    NO_SPREAD: ("none", "·"),
    UNJUDGED: ("none", "·"),
    HOLDS: ("good", "✓"),
    IN_PART: ("fair", "◐"),
    FAILS: ("bad", "✗"),
    OPEN: ("open", "?"),
}
_CODE = re.compile("`([^`]+)`")


def page(template: str, **shown: object) -> str:
    """A page from one of the templates, which extend ``base.html`` and share the parts of ``parts.html``."""
    from markupsafe import Markup, escape

    def code(text: str) -> str:
        """Text with what stands between back-ticks as code; everything escaped."""
        return Markup(_CODE.sub(r"<code>\1</code>", str(escape(text))))

    templates = resources.files(__package__) / "templates"
    script = (templates / "page.js").read_text(encoding="utf-8")
    pages = engine(__package__, autoescape=True)
    pages.filters |= {each.__name__: each for each in (code, sortable, signed, several, added, between)}
    pages.globals |= {each.__name__: each for each in (pasted, heading, row_heads)}
    pages.globals |= {
        "version": __version__,
        "cell_text": lambda cell, metric: cell_text(cell, metric, PLAIN),
        "verdict_classes": VERDICT_CLASSES,
        "chart_size": (WIDTH, HEIGHT, LEFT, BOTTOM),
        "outlines": OUTLINES,
        "dashes": DASHES,
        "black": NAMED["black"],
        "style": Markup((templates / "page.css").read_text(encoding="utf-8")),
        "script": Markup(script),
        "script_hash": base64.b64encode(hashlib.sha256(script.encode()).digest()).decode(),
    }
    return safe(pages.get_template(template).render(**shown))


def require_folder(page: Path) -> None:
    """Raise `ResultsError` if the folder of a page to be written is not there: it may be mistyped."""
    if not page.parent.is_dir():
        raise ResultsError(f"{page.parent} is no folder; make it first (mkdir -p {pasted(page.parent)})")


def write_page(path: Path, text: str) -> None:
    """Write a page in the place of an earlier one, but of no other file.

    Raises
    ------
    ResultsError
        If another file is there, or the page cannot be written.
    """
    if OWN not in files.read(path, missing=OWN):
        raise ResultsError(f"{path} is there already and is no page of nmfrepro; move it, or name another")
    files.replace(path, text)


def sortable(value: float | None) -> str:
    """A number as the page's script sorts it: five digits; nothing where there is none."""
    return "" if value is None or math.isnan(value) else f"{value:.5g}"


def signed(value: float) -> str:
    """A difference in points, with the sign that is printed."""
    return f"{value:+.1f}".replace("-", "−") if abs(value) >= 0.05 else "0.0"


def between(bounds: tuple[float, float]) -> str:
    """An interval with the signs that are printed; empty where there is none."""
    return "" if math.isnan(bounds[0]) else " to ".join(map(signed, bounds))


def several(verdict: str) -> str:
    """A verdict as it is said of more than one: claims hold and fail."""
    return {HOLDS: "hold", IN_PART: "hold in part", FAILS: "fail"}.get(verdict, verdict)


def added(counts: Iterable[Mapping[str, int]]) -> dict[str, int]:
    """Counts by verdict, all together."""
    every = list(counts)
    return {verdict: sum(each[verdict] for each in every) for verdict in every[0]}
