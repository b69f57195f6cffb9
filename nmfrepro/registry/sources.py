"""What a plug-in is made of: its file, and every module of its own that it imports, by content."""

from __future__ import annotations

import ast
import contextlib
import hashlib
import importlib.util
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

NMFREPRO = __package__.partition(".")[0]


def content_hash(module: ModuleType) -> str | None:
    """SHA-256 of all that decides what a plug-in module does; None where it has no file.

    A module of its own is one that it imports, itself or by way of others, and that is neither a part of
    Python or nmfrepro nor of an installed package other than the plug-in's.  The hash of a plug-in without
    such modules is that of its file.
    """
    files = own_files(module)
    if not files:
        return None
    hashes = {name: hashlib.sha256(path.read_bytes()).hexdigest() for name, path in files.items()}
    if len(hashes) == 1:
        return hashes[module.__name__]
    return hashlib.sha256(repr(sorted(hashes.items())).encode()).hexdigest()


def own_files(module: ModuleType) -> dict[str, Path]:
    """The files of a plug-in module and of the modules of its own, by the modules' names."""
    found: dict[str, Path] = {}
    todo = [module.__name__]
    top = module.__name__.partition(".")[0]
    while todo:
        name = todo.pop()
        path = _file(name)
        if name in found or path is None or not (name == module.__name__ or _own(name, path, top)):
            continue
        found[name] = path
        package = name if path.name == "__init__.py" else name.rpartition(".")[0]
        todo += imported(path, package)
        todo += [package] if package != name else []
    return found


def imported(path: Path, package: str) -> Iterator[str]:
    """The names of the modules that a Python file may import, anywhere in it."""
    with contextlib.suppress(SyntaxError, ValueError):  # another file's fault is told where it is imported
        for node in ast.walk(ast.parse(path.read_bytes() if path.suffix == ".py" else b"")):
            if isinstance(node, ast.Import):
                yield from (each.name for each in node.names)
            elif isinstance(node, ast.ImportFrom):
                start = package.split(".")[: len(package.split(".")) - node.level + 1] if node.level else []
                base = ".".join([*start, *([node.module] if node.module else [])])
                yield base
                yield from (f"{base}.{each.name}" for each in node.names)


def _file(name: str) -> Path | None:
    """The file of a module; None where there is none, or it is no module."""
    if name.partition(".")[0] in sys.stdlib_module_names:
        return None
    file = getattr(sys.modules.get(name), "__file__", None)
    if name not in sys.modules:
        with contextlib.suppress(ImportError, ValueError, AttributeError):
            spec = importlib.util.find_spec(name)
            file = spec.origin if spec and spec.has_location else None
    return Path(file) if file and Path(file).is_file() else None


def _own(name: str, path: Path, top: str) -> bool:
    """Whether a module belongs to the plug-in whose name begins with `top`."""
    first = name.partition(".")[0]
    if first == NMFREPRO:
        return name.startswith(f"{__package__}.user.")
    return first == top or not {"site-packages", "dist-packages"} & set(path.parts)
