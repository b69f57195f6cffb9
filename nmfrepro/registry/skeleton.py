"""Writes a working method, dataset or protocol of a user's own, to be changed, and its test."""

from __future__ import annotations

import keyword
import sys
from collections.abc import Container
from importlib.metadata import packages_distributions
from pathlib import Path
from string import Template

from ..core.errors import Setting, SpecError
from ..core.terminal import pasted

# The texts of a kind are KIND.py.txt and test_KIND.py.txt.
TEMPLATES = Path(__file__).with_name("templates")


def write(kind: str, name: str, folder: Path, taken: Container[str] = ()) -> tuple[Path, Path]:
    """Write ``name.py`` and ``test_name.py`` into a folder.

    Parameters
    ----------
    kind : {"algorithm", "dataset", "protocol"}
    name : str
    folder : Path
    taken : container of str
        Names of those that there are.

    Returns
    -------
    (Path, Path)
        The file and its test.

    Raises
    ------
    SpecError
        If the name is taken or cannot be a module's, the folder is none, or a file is there already.
    """
    if not name.isidentifier() or not name.islower() or name[0] == "_":
        raise SpecError(f"new {kind} {name!r}: use small letters, digits and _, as my_{kind}")
    if name in taken:
        raise SpecError(f"new {kind} {name}: there is one of that name; choose another")
    # Python could not import the file, or it would hide another.
    if keyword.iskeyword(name) or name in sys.stdlib_module_names or name in packages_distributions():
        raise SpecError(f"new {kind} {name}: Python or a package has that name; choose another")
    if not folder.is_dir():
        what = f"{folder} is no folder; make it first (mkdir -p {pasted(folder)}), or give another "
        raise SpecError(what, Setting("folder"))
    path, test = folder / f"{name}.py", folder / f"test_{name}.py"
    for file in (path, test):
        if file.exists():
            raise SpecError(f"{file}: is there already; remove it or choose another name")
    words = {
        "name": name,
        "title": name.upper().replace("_", "-"),
        "classname": "".join(each.capitalize() for each in name.split("_")),
    }
    try:
        for file, template in ((path, f"{kind}.py.txt"), (test, f"test_{kind}.py.txt")):
            text = Template((TEMPLATES / template).read_text(encoding="utf-8")).substitute(words)
            file.write_text(text, encoding="utf-8")
    except OSError as error:
        what = f"{folder}: cannot write there ({error.strerror}); give another "
        raise SpecError(what, Setting("folder")) from None
    return path, test
