"""Arrows between the package's rooms point one way: a module imports from its own room and those below it."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import nmfrepro

PACKAGE = Path(nmfrepro.__file__).parent
# The rooms from the bottom up, as CONTRIBUTING lists them; modules at the top of the package are rooms, too.
CONTRIBUTING = Path(__file__).parents[1] / "CONTRIBUTING.md"
ORDER = re.findall(r"^\| `(\w+)` \|", CONTRIBUTING.read_text(encoding="utf-8"), re.MULTILINE)


def imported(path: Path) -> Iterator[str]:
    """The rooms that a module imports from, where they are not its own."""
    package = ("nmfrepro", *path.relative_to(PACKAGE).parts[:-1])
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.level:
            start = package[: len(package) - node.level + 1]
            rest = tuple(node.module.split(".")) if node.module else ()
            for name in node.names:
                where = (*start, *rest, name.name)
                if len(where) > 1 and where[1] in ORDER:
                    yield where[1]


def test_every_module_imports_from_its_own_room_and_those_below() -> None:
    wrong = set()
    for path in sorted(PACKAGE.rglob("*.py")):
        inside = path.relative_to(PACKAGE)
        room = inside.parts[0].removesuffix(".py")
        if room in ORDER:
            above = ORDER[ORDER.index(room) + 1 :]
            wrong |= {(inside.as_posix(), other) for other in imported(path) if other in above}
    assert wrong == set()


def test_every_room_has_its_place() -> None:
    rooms = {path.relative_to(PACKAGE).parts[0].removesuffix(".py") for path in PACKAGE.rglob("*.py")}
    assert rooms - set(ORDER) == {"__init__", "__main__"}
