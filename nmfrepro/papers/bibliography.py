"""Papers as BibTeX: which to cite for a method, a dataset, or a published table."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterable, Mapping
from pathlib import Path

from .. import __version__, algorithms, datasets, papers
from ..core.errors import SpecError, suggest
from .catalogue import PAPERS

SOFTWARE = {"nmfrepro": "nmfrepro2026"}
_ENTRY = re.compile(r"^@\w+\{(\w+),\n.*?^\}", re.MULTILINE | re.DOTALL)


@functools.cache
def entries() -> Mapping[str, str]:
    """The entries of ``references.bib`` by key, as they are printed."""
    text = Path(__file__).with_name("references.bib").read_text(encoding="utf-8")
    return {entry[1]: entry[0] for entry in _ENTRY.finditer(text.replace("VERSION", __version__))}


def keys_of(name: str) -> tuple[str, ...]:
    """The entries to cite for a paper, a published table, a method, a dataset or nmfrepro itself.

    Raises
    ------
    SpecError
        If nothing is called so, or nothing is known to cite for it.
    """
    if name in SOFTWARE:
        return (SOFTWARE[name],)
    paper = PAPERS.get(name.partition("/")[0] if name in papers.names() else name)
    method, dataset = algorithms.registry().get(name), datasets.registry().get(name)
    keys = [paper.cites] if paper else []
    keys += method.cites if method else ()
    keys += dataset.cites if dataset else ()
    if keys or name in entries():
        return tuple(dict.fromkeys(keys)) or (name,)
    if method:
        stated = method.paper or "not stated"
        raise SpecError(f"no BibTeX entry for {name}, its class has no cites; its paper is: {stated}")
    if dataset:
        raise SpecError(f"nothing is known to cite for {name}; credit: {dataset.credit or 'none'}")
    names = dict.fromkeys((*SOFTWARE, *PAPERS, *algorithms.registry(), *datasets.registry()))
    raise SpecError(f"nothing is called {name!r}; {suggest(name, names)}")


def bibtex(keys: Iterable[str]) -> str:
    """The entries of these keys, each once, ready for a .bib file; a key may be an entry itself."""
    parts = (key.strip() if key.startswith("@") else entries()[key] for key in dict.fromkeys(keys))
    return "\n\n".join(parts) + "\n"
