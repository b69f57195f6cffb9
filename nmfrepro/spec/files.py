"""Where specs lie, a path of the user's or inside the package, and what their results are called."""

from __future__ import annotations

from pathlib import Path

from ..core.errors import SpecError, closest
from ..core.files import exists, similar
from . import SMOKE

PACKAGE = Path(__file__).parents[1]
SUFFIXES = (".yaml", ".yml")
# Names that Windows keeps for devices, whatever their ending.
_RESERVED = {"con", "prn", "aux", "nul", *(f"{device}{n}" for device in ("com", "lpt") for n in range(10))}
MAX_NAME = 100


def experiments() -> dict[str, Path]:
    """The specs that come with nmfrepro, by name.

    They lie in the package; in a working copy, where they are not copied there, beside it.
    """
    inside = PACKAGE / "experiments"
    folder = inside if inside.is_dir() else PACKAGE.parent / "experiments"
    return {path.stem: path for path in sorted(folder.glob("*.yaml"))}


def find_spec(text: str) -> Path:
    """The spec that a user names.

    Parameters
    ----------
    text : str
        A path, or the name of an experiment that comes with nmfrepro, with or without ".yaml".

    Returns
    -------
    Path
        An existing path; whether it is a readable spec is for `read_spec` to say.

    Raises
    ------
    SpecError
        If there is no such file and no such experiment; the message suggests the closest.
    """
    path, known = Path(text), experiments()
    shipped = known.get(text.removesuffix(".yaml"))
    if exists(path) and (shipped is None or not path.is_dir()):
        return path
    if shipped is not None:
        return shipped
    near = similar(path if path.suffix in SUFFIXES else Path(f"{path}.yaml"), SUFFIXES)
    if near is not None:
        raise SpecError(f"{text}: there is no such file; did you mean {near}?")
    hint = f"did you mean {close}? " if (close := closest(path.stem, known)) else ""
    raise SpecError(f"{text}: there is no such file or experiment; {hint}see nmfrepro list experiments")


def spec_name(path: Path) -> str:
    """The name of a spec's results folder: the file's stem.

    Raises
    ------
    SpecError
        If the stem could not be a folder's name everywhere: spaces at its ends, a leading dot or dash, a
        character that Windows forbids (``\\ : * ? " < > |``), a name that it reserves, over 100 characters;
        or if it ends as the name of a smoke run does.
    """
    name = path.stem
    if name.lower().endswith(SMOKE):
        what = f"a name ending in {SMOKE} is that of a smoke run, whose numbers reproduce nothing"
        raise SpecError(f"{what}; rename the file")
    fine = (
        0 < len(name) <= MAX_NAME
        and name == name.strip()
        and name.isprintable()
        and name[0] not in ".-"
        and name[-1] != "."
        and not set(name) & set('/\\:*?"<>|')
        and name.split(".")[0].lower() not in _RESERVED
    )
    if not fine:
        what = f"the file's name becomes the results folder's, and {name!r} cannot be one everywhere"
        raise SpecError(f"{what}; rename it, using letters, digits, - and _")
    return name
