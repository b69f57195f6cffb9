"""Downloads with a known hash: temporary file first, mirrors in order, a clean retry by running it again."""

from __future__ import annotations

import tempfile
import threading
from dataclasses import dataclass
from pathlib import Path

from .. import __version__
from ..core.errors import DataError
from .definition import Download
from .formats.guard import file_hash

_PIECE = 16_384  # bytes


@dataclass(frozen=True)
class Patience:
    """How long a server may take, in seconds."""

    # connect, read: for the connection, and for the next piece of data.
    connect: float = 10.0
    read: float = 30.0
    total: float = 600.0  # for a whole file


class _Progress:
    """The progress bar pooch drives; it also ends a download that is too large, or that nobody waits for."""

    def __init__(self, download: Download) -> None:
        from tqdm import tqdm

        self.total = 0
        self._received = 0
        self._download = download
        self.abandoned = False
        self._bar = tqdm(
            total=download.size, desc=download.filename, unit="B", unit_scale=True, leave=False, disable=None
        )

    def update(self, count: int) -> None:
        """Count a piece; the last one may be counted in full."""
        self._received += count
        self._bar.update(min(count, max(0, self._download.size - self._bar.n)))
        if self._received > self._download.size + 2 * _PIECE:
            raise DataError(f"more than the {self._download.size:,} bytes expected")
        if self.abandoned:
            raise DataError("too slow")

    def reset(self) -> None:
        """Start again from nothing: pooch does so before it fills the bar up."""
        self._received = 0

    def close(self) -> None:
        """Take the bar away."""
        self._bar.close()


def fetch(download: Download, directory: Path, patience: Patience = Patience()) -> bool:
    """Bring a file into the data directory.

    The file appears under its name only when its SHA-256 agrees; nothing is left behind otherwise.

    Parameters
    ----------
    download : Download
    directory : Path
        Made if it does not exist.
    patience : Patience

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
    target = directory / download.filename
    if target.exists():
        if target.is_file() and file_hash(target) == download.sha256:
            return False
        raise DataError(
            f"{target} is there already, but is not the known copy; move it away to fetch that one"
        )
    failures = []
    for url in download.urls:
        problem = _attempt(url, download, directory, patience)
        if problem is None:
            target.chmod(0o644)
            return True
        failures.append(f"{url}: {problem}")
    raise DataError(
        f"{download.filename} could not be fetched ({'; '.join(failures)}). By hand: save one of these "
        f"addresses as {target.resolve()} and run `nmfrepro data check`"
    )


def _attempt(url: str, download: Download, directory: Path, patience: Patience) -> str | None:
    """Try one mirror; what went wrong, or None.

    The deadline is held here, by another thread than the one that reads: a server that sends a byte now and
    then keeps that one from ever looking at the clock.
    """
    progress, problems = _Progress(download), list[str | None]()

    def work() -> None:
        problems.append(_retrieve(url, download, Path(folder), patience, progress))

    try:
        directory.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix=".", dir=directory, ignore_cleanup_errors=True) as folder:
            worker = threading.Thread(target=work, daemon=True)
            worker.start()
            worker.join(patience.total)
            progress.abandoned = True
            if worker.is_alive():
                return "too slow"
            if problems == [None]:
                (Path(folder) / download.filename).replace(directory / download.filename)
    except OSError as error:
        return _reason(error)
    finally:
        progress.close()
    return problems[0]


def _retrieve(
    url: str, download: Download, folder: Path, patience: Patience, progress: _Progress
) -> str | None:
    """Download into a folder; what went wrong, or None."""
    import pooch

    pooch.get_logger().setLevel("ERROR")
    downloader = pooch.HTTPDownloader(
        progressbar=progress,
        chunk_size=_PIECE,
        timeout=(patience.connect, patience.read),
        # The pinned bytes as they are: no transfer compression that would change their count.
        headers={"User-Agent": f"nmfrepro/{__version__}", "Accept-Encoding": "identity"},
    )
    try:
        pooch.retrieve(
            url,
            known_hash=f"sha256:{download.sha256}",
            fname=download.filename,
            path=folder,
            downloader=downloader,
        )
    except DataError as error:
        return str(error)
    except ValueError as error:
        # requests' complaints about an address are ValueErrors too.
        return _NAMES.get(type(error).__name__, "its content is not the expected one (SHA-256 differs)")
    except OSError as error:
        return _reason(error)
    return None


_NAMES = {
    "InvalidSchema": "it leads to an address that is not http or https",
    "InvalidURL": "it leads to an address that cannot be read",
    "MissingSchema": "it leads to an address that cannot be read",
    "TooManyRedirects": "it leads in circles",
    "ConnectTimeout": "no answer",
    "ReadTimeout": "timed out",
    "SSLError": "its certificate is not trusted",
    "ProxyError": "the proxy refused",
}


def _reason(error: OSError) -> str:
    """A few words for an error of requests (all of them are OSErrors) or of the disk."""
    name, text = type(error).__name__, str(error)
    if name in _NAMES:
        return _NAMES[name]
    response = getattr(error, "response", None)
    if response is not None:
        return f"HTTP {response.status_code}"
    if "timed out" in text:
        return "timed out"
    if "IncompleteRead" in text or "Connection broken" in text:
        return "the connection broke off"
    return error.strerror or "no connection"
