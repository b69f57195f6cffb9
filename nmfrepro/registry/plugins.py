"""Methods, datasets and protocols that live outside the package: in a user's file or an installed package.

Files are named by the environment variable `NMFREPRO_PLUGINS` (``--plugin`` sets it for one command), so
that worker processes inherit them; there they are found by import, as parts of `nmfrepro.registry.user`.
Installed packages name their modules in the entry point group `nmfrepro.plugins`.
"""

from __future__ import annotations

import importlib
import importlib.metadata
import inspect
import os
import re
import sys
import traceback
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from types import FrameType, ModuleType

from ..core.errors import NmfreproError, SpecError
from ..core.terminal import pasted
from .sources import content_hash, own_files

VARIABLE = "NMFREPRO_PLUGINS"
GROUP = "nmfrepro.plugins"
# The package that users' files are imported as parts of.
HOME = f"{__package__}.user"


def use(files: Iterable[Path]) -> None:
    """Add plug-in files for this process and the workers it starts, before a registry is first read.

    Raises
    ------
    SpecError
        If a file is not there, its name cannot be a module's, or two files have the same name.
    """
    chosen = dict.fromkeys([*paths(), *(path.resolve() for path in files)])
    _check(chosen)
    os.environ[VARIABLE] = os.pathsep.join(map(str, chosen))
    importlib.invalidate_caches()


def selection() -> str:
    """What decides which plug-in files there are; registries are kept for as long as it stays the same."""
    return os.environ.get(VARIABLE, "")


def paths() -> list[Path]:
    """The plug-in files in use, as absolute paths."""
    return [Path(each).resolve() for each in selection().split(os.pathsep) if each]


def _check(files: Iterable[Path]) -> None:
    seen: dict[str, Path] = {}
    for path in files:
        if not path.is_file():
            raise SpecError(f"plug-in {path}: there is no such file")
        if path.suffix != ".py" or not path.stem.isidentifier():
            raise SpecError(f"plug-in {path}: name it like a Python module, as my_nmf.py")
        if seen.setdefault(path.stem, path) != path:
            raise SpecError(f"plug-ins {seen[path.stem]} and {path} have the same name; rename one")


def modules() -> Iterator[ModuleType]:
    """All plug-in modules: those of files in their order, then those of installed packages by name.

    Raises
    ------
    SpecError
        If one cannot be imported; the message says where it fails.
    """
    files = paths()
    _check(files)
    for path in files:
        yield _load(f"plug-in {path}", partial(_import_file, path))
    for entry in sorted(importlib.metadata.entry_points(group=GROUP), key=lambda entry: entry.name):
        yield _load(f"plug-in {entry.name} ({entry.value})", entry.load)


def _import_file(path: Path) -> ModuleType:
    name = f"{HOME}.{path.stem}"
    known = sys.modules.get(name)
    if known is not None and known.__file__ != str(path):  # a file of the same name that was in use before
        del sys.modules[name]
    return importlib.import_module(name)


def _load(what: str, load: Callable[[], ModuleType]) -> ModuleType:
    try:
        module = load()
    # The border to a user's code: whatever it is, it is that file's mistake.
    except (Exception, SystemExit) as failure:
        remedy = "; if it lies beside the plug-in, name its folder in PYTHONPATH"
        hint = remedy if isinstance(failure, ModuleNotFoundError) else ""
        raise SpecError(f"{what} cannot be imported: {failure_in_words(failure)}{hint}") from failure
    if not isinstance(module, ModuleType):
        raise SpecError(f"{what}: the entry point must name a module")
    # What this process computes with from now on, whatever becomes of the file.
    vars(module).setdefault("__sha256__", source_hash(module.__name__))
    return module


def failure_in_words(failure: BaseException) -> str:
    """What went wrong in a program, and where: "KeyError: 'W' (my_nmf.py:12)".

    That is the last line of a plug-in's that it was in, else of all; where a file is no Python, its line.
    """
    kind = type(failure).__name__
    if isinstance(failure, SyntaxError) and (source := Path(failure.filename or "")).is_file():
        return f"{kind}: {failure.msg} ({source.name}:{failure.lineno})"
    frame, line = (in_plugins(failure) or list(traceback.walk_tb(failure.__traceback__)))[-1]
    return f"{kind}: {failure} ({Path(frame.f_code.co_filename).name}:{line})"


def in_plugins(failure: BaseException) -> list[tuple[FrameType, int]]:
    """The lines of plug-ins that a program was in when it went wrong, the last one last."""
    packages = {entry.module.partition(".")[0] for entry in importlib.metadata.entry_points(group=GROUP)}
    owners = tuple(f"{name}." for name in (HOME, *packages))
    frames = traceback.walk_tb(failure.__traceback__)
    return [each for each in frames if f"{each[0].f_globals.get('__name__')}.".startswith(owners)]


def to_be_added(plugin: ModuleType, name: object, before: object, new: object, kind: str) -> bool:
    """Whether a plug-in's find is to be added; False for what is registered already.

    Raises
    ------
    SpecError
        If another has its name, or it is no word.
    """
    who = f"plug-in {called(plugin.__name__)}"
    if not isinstance(name, str) or not re.fullmatch(r"\w[\w.-]*", name):
        raise SpecError(f"{who} calls its {kind} {name!r}; the name must be a word, as my_{kind}")
    if not isinstance(title := getattr(new, "title", ""), str):
        raise SpecError(f"{who} gives its {kind} {name} the title {title!r}; a title is a text")
    if before is None:
        return True
    if before is not new and not _part_of_nmfrepro(before, new):
        raise SpecError(f"{who} defines {kind} {name!r}, which there is already; give it another name")
    return False


def _part_of_nmfrepro(before: object, new: object) -> bool:
    """Whether a plug-in's class has become part of nmfrepro as it is, its file copied into the package."""
    if not (isinstance(before, type) and isinstance(new, type)) or source_hash(before.__module__):
        return False
    return inspect.getsource(before) == inspect.getsource(new)


def source_hash(module: str) -> str | None:
    """What a plug-in module is made of, as one SHA-256; None for modules of nmfrepro itself."""
    if module.partition(".")[0] == __package__.partition(".")[0] and not module.startswith(f"{HOME}."):
        return None
    loaded = sys.modules.get(module)
    return content_hash(loaded) if loaded else None


def called(module: str) -> str:
    """What a plug-in module is called in ``run.json``: "my_nmf.py" for a file, else the module's own name."""
    return f"{module.removeprefix(f'{HOME}.')}.py" if module.startswith(f"{HOME}.") else module


@dataclass(frozen=True)
class Plugin:
    """A plug-in in use, as ``run.json`` says it: what it is called, and the SHA-256 of what it is made of."""

    name: str
    sha256: str | None = None
    # The modules of its own that it imports, which the hash is of too.
    modules: tuple[str, ...] = field(default=(), compare=False)


def records() -> tuple[Plugin, ...]:
    """The plug-ins in use."""
    return tuple(_recorded(each, source_hash(each.__name__)) for each in modules())


def imported() -> tuple[Plugin, ...]:
    """The plug-ins in use with the hashes that their files had when this process imported them."""
    return tuple(_recorded(each, vars(each)["__sha256__"]) for each in modules())


def _recorded(module: ModuleType, sha256: str | None) -> Plugin:
    return Plugin(called(module.__name__), sha256, tuple(sorted({*own_files(module)} - {module.__name__})))


def in_words(records: Iterable[Plugin]) -> str:
    """Recorded plug-ins with their hashes: "plug-in my_nmf.py and its modules (sha256 0123456789ab)"."""
    return ", ".join(
        f"plug-in {each.name}{' and its modules' if each.modules else ''} (sha256 {str(each.sha256)[:12]})"
        for each in records
    )


def changed(made: Iterable[Plugin], modules: Iterable[str]) -> Iterator[str]:
    """Which plug-ins among modules are others now than when rows were made, a sentence each."""
    recorded = {each.name: each.sha256 for each in made}
    for module in dict.fromkeys(modules):
        name, now = called(module), source_hash(module)
        then = recorded.get(name)
        if now is not None and then not in (None, now):
            differs = f"plug-in {name} differs from the one that made the rows"
            yield f"{differs}: sha256 was {then[:12]}, is {now[:12]}"


def options(records: Iterable[Plugin]) -> str:
    """The options that put recorded plug-in files into use; those of installed packages need none."""
    files = [each.name for each in records if each.name.endswith(".py")]
    return " ".join(f"--plugin {pasted(name)}" for name in files)


def lacking(made: Iterable[Plugin], names: Iterable[str], error: NmfreproError) -> str:
    """What to do where something is unknown that a run has from plug-ins which are not in use now.

    Parameters
    ----------
    made : iterable of Plugin
        The plug-ins that were in use.
    names : iterable of str
        The methods, the protocol and the dataset of the run.
    error : NmfreproError
        Why it cannot be run.

    Returns
    -------
    str
        "made with plug-in my_nmf.py (sha256 0123456789ab); give --plugin my_nmf.py".  Empty where no plug-in
        is lacking, or nothing of the run is unknown.
    """
    present = {each.name for each in records()}
    absent = [each for each in made if each.name not in present]
    unknown = {each.unknown[1] for each in error.mistakes if each.unknown}
    if not absent or unknown.isdisjoint(names):
        return ""
    packages = [each.name for each in absent if not each.name.endswith(".py")]
    remedies = [f"give {options(absent)}"] if len(packages) < len(absent) else []
    remedies += [f"install the package of {', '.join(packages)}"] if packages else []
    return f"made with {in_words(absent)}; {' and '.join(remedies)}"
