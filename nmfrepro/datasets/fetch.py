"""Downloads with a known hash: temporary file first, mirrors in order, a clean retry by running it again."""

from __future__ import annotations

import hashlib
import tempfile
import time
from pathlib import Path

from .. import __version__
from ..core.errors import DataError, Setting
from .definition import Download
from .formats.guard import file_hash

_PIECE = 65_536  # bytes
# The pinned bytes as they are: no transfer compression that would change their count.
_HEADERS = {"User-Agent": f"nmfrepro/{__version__}", "Accept-Encoding": "identity"}


def fetch(
    download: Download, directory: Path, connect: float = 10, read: float = 30, total: float = 600
) -> bool:
    """Bring a file into the data directory.

    The file appears under its name only when its SHA-256 agrees; nothing is left behind otherwise.

    Parameters
    ----------
    download : Download
    directory : Path
        Made if it does not exist.
    connect, read, total : float
        How long a server may take, in seconds: for the connection, for the next bytes, for a whole file.

    Returns
    -------
    bool
        False where the file was already there.

    Raises
    ------
    DataError
        If another file of that name is there, or no mirror gave the right one; the message says what to
        do by hand.
    """
    from urllib3.exceptions import HTTPError  # here, so that listing the datasets stays quick

    target = directory / download.filename
    if target.exists():
        if target.is_file() and file_hash(target) == download.sha256:
            return False
        raise DataError(f"{target} is there already and not the known copy; move it away to fetch that one")
    try:
        directory.mkdir(parents=True, exist_ok=True)
        spare = tempfile.TemporaryDirectory(prefix=".", dir=directory, ignore_cleanup_errors=True)
    except OSError as error:
        what = f"{directory}: cannot write there ({error.strerror}); give another "
        raise DataError(what, Setting("data_dir")) from None
    failures = []
    with spare as folder:
        for url in download.urls:
            try:
                _bring(url, download, Path(folder) / target.name, (connect, read), total)
                (Path(folder) / target.name).replace(target)
                return True
            except (OSError, HTTPError, DataError) as error:  # all errors of requests are OSErrors
                failures.append(f"{url}: {_reason(error)}")
    how = f"save one of these addresses as {target.resolve()} and run `nmfrepro data check`"
    raise DataError(f"{download.filename} could not be fetched ({'; '.join(failures)}). By hand: {how}")


def _bring(url: str, download: Download, target: Path, timeout: tuple[float, float], total: float) -> None:
    """Write what one mirror has; an error says what went wrong."""
    import requests
    from tqdm import tqdm

    deadline, digest, received = time.monotonic() + total, hashlib.sha256(), 0
    with (
        requests.get(url, stream=True, headers=_HEADERS, timeout=timeout) as answer,
        target.open("wb") as file,
        tqdm(
            total=download.size, desc=target.name, unit="B", unit_scale=True, leave=False, disable=None
        ) as bar,
    ):
        answer.raise_for_status()
        # What has arrived, be it a byte: a server that drips must not keep us from looking at the clock.
        while piece := answer.raw.read1(_PIECE):
            received += len(piece)
            if received > download.size:
                raise DataError(f"more than the {download.size:,} bytes expected")
            if time.monotonic() > deadline:
                raise DataError("too slow")
            file.write(piece)
            digest.update(piece)
            bar.update(len(piece))
        if digest.hexdigest() != download.sha256:
            raise DataError("its content is not the expected one (SHA-256 differs)")


_WORDS = {
    "ConnectionError": "no connection",
    "ConnectTimeout": "no answer",
    "ReadTimeout": "timed out",
    "ReadTimeoutError": "timed out",
    "ProtocolError": "the connection broke off",
}


def _reason(error: Exception) -> str:
    """A word for an error of the network or of the disk, which libraries tell at length."""
    if (response := getattr(error, "response", None)) is not None:
        return f"HTTP {response.status_code}"
    if isinstance(error, DataError):
        return str(error)
    name = type(error).__name__
    return getattr(error, "strerror", None) or _WORDS.get(name, name)
