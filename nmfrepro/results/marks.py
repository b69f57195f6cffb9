"""Which files of a results folder were made of other rows or settings than it holds now.

Pictures and comparisons carry the hash of what they show.  Times of files would not do: a copied or checked
out folder has new ones, and settings that were changed back find their old rows again.
"""

from __future__ import annotations

import hashlib
import json
import math
import re
from pathlib import Path

from ..core.terminal import pasted
from ..spec import Spec
from .folder import Results
from .lines import format_lines

MARK = "nmfrepro-rows"
FORMATS = ("png", "pdf")
"""What pictures are written as."""
_MARKED = re.compile(rb"nmfrepro-rows[\0 ]([0-9a-f]{16})")
_SHOWN = ("title", "kind", "metrics", "columns", "trials", "published")


def state(results: Results) -> str:
    """Hash of what tables and pictures show of a run, 16 hexadecimal digits; the same on any machine."""
    names = [name for name in results.columns if name != "version"]
    columns = [map(_text, results.column(name)) for name in names]
    rows = format_lines([names, *zip(*columns, strict=True)])
    run, margin = results.run.to_json(), results.run.spec.margin
    shown = {name: run[name] for name in _SHOWN}
    if margin not in (None, Spec.margin):  # the usual one is in no mark that was made so far
        shown["margin"] = margin
    settings = json.dumps(shown, sort_keys=True)
    return hashlib.sha256((settings + rows).encode()).hexdigest()[:16]


def _text(value: str | int | float | None) -> str:
    """A cell, empty where there is no number."""
    lacking = value is None or (isinstance(value, float) and math.isnan(value))
    return "" if lacking else str(value)


def stale_files(results: Results) -> tuple[Path, ...]:
    """The files in the folder that show something else than its rows and settings now.

    Files without a mark are of an earlier version or of the user's own, and none of these.
    """
    now, figures = state(results), results.folder / "figures"
    paths = [path for form in FORMATS for path in sorted(figures.glob(f"*.{form}"))]
    return tuple(p for p in (*paths, results.folder / "compare.md") if _mark(p) not in ("", now))


def outdated(results: Results, old: tuple[Path, ...] | None = None) -> str:
    """What is to be said of the `stale_files`; empty where there is nothing."""
    folder, names, commands = results.folder, [], []
    for path in stale_files(results) if old is None else old:
        names.append(path.relative_to(folder).as_posix())
        verb = "compare" if path.name == "compare.md" else "plot"
        form = " --format pdf" if path.suffix == ".pdf" else ""
        commands.append(f"nmfrepro {verb} {pasted(folder)}{form}")
    if not names:
        return ""
    return (
        f"Out of date, made of other rows or settings: {', '.join(names)}; make them anew with "
        f"{' and '.join(dict.fromkeys(commands))}"
    )


def _mark(path: Path) -> str:
    """The state that a file is marked with, or nothing."""
    try:
        found = _MARKED.search(path.read_bytes()) if path.is_file() else None
    except OSError:
        return ""
    return found[1].decode() if found else ""
