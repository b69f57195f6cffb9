"""All results of a folder on one self-contained HTML page.

The page needs no network: styles, script and pictures are inside.  Every text is escaped by the template
engine, and the page forbids itself to load anything or to run any script but its own.
"""

from __future__ import annotations

from collections.abc import Sequence

from ...analysis.compare.control import Control
from ...analysis.compare.pairs import FACTOR
from ...analysis.compare.verdict import MARGIN, VERDICTS
from ...registry import plugins
from ..comparison import control_sentence, side_text, verdict_text
from .experiment import PICTURES, Experiment, collect
from .page import page
from .published import methods_down, published_text
from .sections import sections, totals

__all__ = ["PICTURES", "Experiment", "collect", "render"]

LONG_LISTS = 10_000
"""Cells up to which every experiment lists each with its difference; beyond, the tables alone show them."""
WORDS = (verdict_text, side_text, control_sentence, published_text, methods_down)
"""What the template calls."""


def render(experiments: Sequence[Experiment], title: str = "nmfrepro report") -> str:
    """The page."""
    cells = sum(len(each.pairs) for each in experiments)
    return page(
        "report.html",
        title=title,
        experiments=experiments,
        readable=sum(not each.problem for each in experiments),
        sections=sections(experiments),
        totals=totals(experiments),
        compared=any(each.comparisons for each in experiments),
        listed=cells <= LONG_LISTS,
        plugins_in_words=plugins.in_words,
        verdicts=VERDICTS,
        margin=MARGIN,
        factor=FACTOR,
        control=sum((each.control for each in experiments if each.control), Control()),
        **{each.__name__: each for each in WORDS},
    )
