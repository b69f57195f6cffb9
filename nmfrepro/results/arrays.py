"""The arrays that are stored of trials, an .npz file each: never unpickled, and known by their hash."""

from __future__ import annotations

import hashlib
import io
import zipfile
import zlib
from collections.abc import Collection
from pathlib import Path

import numpy as np

from ..core.errors import ResultsError, reason
from .record import TrialRecord

# What reading an .npz file raises where it is missing, damaged or without an array.
_DAMAGED = (
    OSError, ValueError, EOFError, KeyError, RuntimeError, MemoryError, zipfile.BadZipFile, zlib.error,
)  # fmt: skip


def array_path(folder: Path, key: str) -> Path:
    """Where a trial's arrays are stored."""
    return folder / "arrays" / f"{key}.npz"


def array_digest(content: bytes) -> str:
    """The hash of stored arrays that their line of times holds."""
    return hashlib.sha256(content).hexdigest()[:16]


def load_arrays(path: Path, written: str = "", names: Collection[str] = ()) -> dict[str, np.ndarray]:
    """The arrays of one file; never unpickles anything.

    Parameters
    ----------
    path : Path
    written : str
        Its hash when it was written, if that is known.
    names : collection of str
        Which arrays; all by default.

    Raises
    ------
    ResultsError
        If there is no such file, or it is damaged or another.
    """
    try:
        content = path.read_bytes()
        with np.load(io.BytesIO(content), allow_pickle=False) as stored:
            found = {name: stored[name] for name in names or stored.files}
    except _DAMAGED as error:
        raise ResultsError(f"{path}: cannot be read ({reason(error)}); run the spec again") from None
    if written not in ("", array_digest(content)):
        raise ResultsError(f"{path}: not as it was written; run the spec again")
    return found


def lacks_arrays(folder: Path, trial: TrialRecord, keep: Collection[str], stores: bool = False) -> bool:
    """Whether arrays that were stored are missing or damaged, or `keep` asks for more than there are.

    `stores` says that the protocol stores some whatever `keep` says.
    """
    written = trial.times.arrays
    if not (keep or written or stores):
        return False
    try:
        # Without a hash every byte is read, which tells a damaged file too.
        stored = load_arrays(array_path(folder, trial.key), written, ["keep"] if written else ())
    except ResultsError:
        return True
    return "keep" not in stored or not set(keep) <= set(stored["keep"].ravel().tolist())
