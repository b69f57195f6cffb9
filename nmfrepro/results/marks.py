"""Which files of a results folder were made of other rows or settings than it holds now.

Pictures and comparisons carry the hash of what they show.  Times of files would not do: a copied or checked
out folder has new ones, and settings that were changed back find their old rows again.
"""

from __future__ import annotations

import hashlib
import json
import re
import shlex
from pathlib import Path

from .folder import Results
from .lines import format_rows

MARK = "nmfrepro-rows"
_MARKED = re.compile(rb"nmfrepro-rows[\0 ]([0-9a-f]{16})")
_SHOWN = ("title", "kind", "metrics", "columns", "trials", "published")


def state(results: Results) -> str:
    """Hash of what tables and pictures show of a run, 16 hexadecimal digits; the same on any machine."""
    names = [name for name in results.columns if name != "version"]
    columns = [map(_text, results.column(name)) for name in names]
    rows = format_rows(names, (dict(zip(names, cells, strict=True)) for cells in zip(*columns, strict=True)))
    run = results.run.to_json()
    settings = json.dumps({name: run[name] for name in _SHOWN}, sort_keys=True)
    return hashlib.sha256((settings + rows).encode()).hexdigest()[:16]


def _text(value: str | int | float | None) -> str:
    """A cell, empty where there is no number."""
    return "" if value is None or value != value else str(value)


def outdated(results: Results) -> str:
    """What is to be said of files in the folder that show something else; empty where there is nothing.

    Files without a mark are of an earlier version or of the user's own.
    """
    folder, now = results.folder, state(results)
    figures = [path for form in ("png", "pdf") for path in sorted((folder / "figures").glob(f"*.{form}"))]
    names, commands = [], []
    for verb, paths in {"plot": figures, "compare": [folder / "compare.md"]}.items():
        old = [path.relative_to(folder).as_posix() for path in paths if _mark(path) not in ("", now)]
        names += old
        commands += [f"nmfrepro {verb} {shlex.quote(str(folder))}"] if old else []
    if not names:
        return ""
    return (
        f"Of other rows or settings than the table: {', '.join(names)}; make anew with "
        f"{' and '.join(commands)}"
    )


def _mark(path: Path) -> str:
    """The state that a file is marked with, or nothing."""
    try:
        found = _MARKED.search(path.read_bytes()) if path.is_file() else None
    except OSError:
        return ""
    return found[1].decode() if found else ""
