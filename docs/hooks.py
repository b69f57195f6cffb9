"""What the site adds to the pages of this folder: files from elsewhere in the repository, and their links."""

from __future__ import annotations

import itertools
import os
import re
from pathlib import Path, PurePosixPath
from typing import Any

from mkdocs.structure.files import File, Files

ROOT = Path(__file__).parent.parent
PAGES = {
    "REPRODUCTION.md": "reproduction.md",
    "CHANGELOG.md": "changelog.md",
    "CONTRIBUTING.md": "contributing.md",
    "data/README.md": "data.md",
}
"""Pages of the site by their place in the repository, for those outside this folder."""

NORM = re.compile("<mo>&#x02016;</mo>")
LINK = re.compile(r"(!?)\[([^\]]*)\]\(([^)#\s]+)(#[^)\s]*)?\)")


def on_files(files: Files, config: Any) -> Files:
    """Add the pages and the pictures."""
    for source, page in PAGES.items():
        files.append(File.generated(config, page, content=(ROOT / source).read_text(encoding="utf-8")))
    for page in ("docs/gallery.md", "docs/field.md"):
        for match in LINK.finditer((ROOT / page).read_text(encoding="utf-8")):
            if match[1]:
                source = inside(match[3], page)
                files.append(File.generated(config, picture(source), abs_src_path=str(ROOT / source)))
    return files


def on_page_markdown(markdown: str, page: Any, config: Any, files: Files) -> str:
    """Point links to their places in the site; what has none there is named without a link."""
    by_page = {page: source for source, page in PAGES.items()}
    here = by_page.get(page.file.src_uri, f"docs/{page.file.src_uri}")

    def replaced(match: re.Match[str]) -> str:
        mark, text, target, anchor = match[1], match[2], match[3], match[4] or ""
        if "://" in target:
            return match[0]
        source = inside(target, here)
        if mark:
            return f"![{text}]({picture(source)})"
        if source in PAGES:
            return f"[{text}]({PAGES[source]}{anchor})"
        if source == "README.md":
            return f"[{text}](index.md)"
        return f"[{text}]({source[5:]}{anchor})" if source.startswith("docs/") else text

    parts = re.split(r"(^```.*?^```)", markdown, flags=re.DOTALL | re.MULTILINE)
    return "".join(part if part.startswith("```") else LINK.sub(replaced, part) for part in parts)


def on_page_content(html: str, page: Any, config: Any, files: Files) -> str:
    """Bars of norms in formulas keep the height of a line: those of two norms fence in nothing between."""
    forms = itertools.cycle(("prefix", "postfix"))
    return NORM.sub(lambda _: f'<mo form="{next(forms)}" stretchy="false">‖</mo>', html)


def inside(target: str, page: str) -> str:
    """A link of a page as a path from the top of the repository."""
    return os.path.normpath(PurePosixPath(page).parent / target)


def picture(source: str) -> str:
    """Where the site keeps a picture: "pictures/orl_nlcf-accuracy.png"."""
    parts = PurePosixPath(source).parts
    return f"pictures/{parts[-3]}-{parts[-1]}"
