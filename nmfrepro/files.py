"""Files that are either the old or the new one, never half of one."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from .errors import ResultsError


def replace(path: Path, content: bytes | str) -> None:
    """Write a file through a temporary neighbour and move it into place.

    Raises
    ------
    ResultsError
        If the folder cannot be written or the disk is full; the old file then stays as it was.
    """
    data = content.encode() if isinstance(content, str) else content
    temporary = None
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
            os.fchmod(file.fileno(), 0o644)
        os.replace(temporary, path)
    except OSError as error:
        if temporary is not None and os.path.exists(temporary):
            os.unlink(temporary)
        raise ResultsError(
            f"{path}: cannot be written ({error.strerror}); what was there is unchanged"
        ) from None
