"""Texts from ``templates``: pages for a terminal, and the notes that say how a report is to be read."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from ..core.terminal import facts, paragraph, prose, table

if TYPE_CHECKING:
    from jinja2 import Environment


def engine(package: str, autoescape: bool = False) -> Environment:
    """What fills in the templates of a package; one that names what it is not given is an error."""
    from jinja2 import Environment, PackageLoader, StrictUndefined

    return Environment(
        loader=PackageLoader(package),
        autoescape=autoescape,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )


def text(template: str, **shown: object) -> str:
    """A text with what it names; it may also call the functions of `nmfrepro.core.terminal`."""
    texts = engine(__package__)
    texts.globals |= {each.__name__: _joined(each) for each in (facts, paragraph, prose, table)}
    return texts.get_template(f"{template}.txt").render(**shown).rstrip("\n")


def notes(template: str, **shown: object) -> list[str]:
    """The lines of a text, each a note."""
    return text(template, **shown).splitlines()


def _joined(lines: Callable[..., list[str]]) -> Callable[..., str]:
    """A function's lines as one text."""
    return lambda *arguments, **options: "\n".join(lines(*arguments, **options))
