"""Files that are either the old or the new one, never half of one, and regular ones only."""

from __future__ import annotations

import os
from collections.abc import Collection
from contextlib import suppress
from pathlib import Path

from .errors import ResultsError, closest


def read(path: Path, missing: bytes | None = None) -> bytes:
    """The content of a regular file; what stands for one that is `missing`, if that is given.

    Raises
    ------
    ResultsError
        If it cannot be read, or is a device or a pipe, which might never end.
    """
    if path.exists() and not path.is_file():
        raise ResultsError(f"{path}: not a regular file; put back what was there, or remove it and run again")
    try:
        return path.read_bytes()
    except OSError as error:
        if missing is not None and isinstance(error, FileNotFoundError):
            return missing
        raise ResultsError(f"{path}: cannot be read ({error.strerror})") from None


def replace(path: Path, content: bytes | str, otherwise: str = "nothing was changed") -> None:
    """Write a file through a temporary neighbour and move it into place; on disk when this returns.

    A symbolic link stays one: the file that it leads to is replaced.  `otherwise` ends the message where it
    cannot be written.

    Raises
    ------
    ResultsError
        If the folder cannot be written or the disk is full, and the old file then stays as it was; if the
        path is that of a device or a pipe.
    """
    data = content.encode() if isinstance(content, str) else content
    if not path.name:
        raise ResultsError(f"{str(path)!r} names no file to write to")
    target = Path(os.path.realpath(path))
    temporary = target.with_name(f".{target.name}.{os.getpid()}.tmp")
    try:
        if target.exists() and not (target.is_file() or target.is_dir()):
            raise ResultsError(f"{path} is no regular file; name one to write to")
        target.parent.mkdir(parents=True, exist_ok=True)
        with open(temporary, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, target)
        _sync_folder(target.parent)
    except OSError as error:
        raise ResultsError(f"{path}: cannot be written ({error.strerror}); {otherwise}") from None
    finally:
        with suppress(OSError):
            temporary.unlink(missing_ok=True)


def exists(path: Path) -> bool:
    """Whether there is something at the path; an impossible name is nowhere."""
    try:
        return path.exists()
    except (OSError, ValueError):  # a name too long, or with a null character
        return False


def similar(path: Path, endings: Collection[str]) -> Path | None:
    """What may have been meant by a path where no file is: the file beside it that is called most like it.

    Only files with one of the `endings` count (".mat"), in any case of letters; None: none is called so.
    """
    names: dict[str, str] = {}
    with suppress(OSError, ValueError):  # no such folder, or an impossible name
        files = (each for each in path.parent.iterdir() if each.exists())  # a link may lead nowhere
        there = [each for each in files if each.suffix.lower() in endings]
        names = {each.stem: each.name for each in sorted(there, key=lambda each: each.suffix == path.suffix)}
    close = closest(path.stem, names)
    return path.with_name(names[close]) if close else None


def _sync_folder(folder: Path) -> None:
    """After a power cut a renamed file is there only if its folder was brought to disk too."""
    # Windows and some network file systems refuse this; the file itself is on disk by then.
    with suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
