"""The trials of the reference study, which travel with the package: one archive for each experiment.

An archive holds the ``trials.csv`` and ``run.json`` of a results folder, without times and arrays;
``make stored`` writes them from ``results/reference``.
"""

from __future__ import annotations

import io
import lzma
import tarfile
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from ..core.errors import ResultsError, suggest
from .folder import read

if TYPE_CHECKING:
    import pandas as pd

ARCHIVES = Path(__file__).with_name("stored")
SUFFIX = ".tar.xz"
FILES = ("run.json", "trials.csv")


def names() -> list[str]:
    """The stored experiments: "orl_nlcf", "aligned/orl_nlcf"."""
    found = (path.relative_to(ARCHIVES).as_posix() for path in ARCHIVES.rglob(f"*{SUFFIX}"))
    return sorted((name.removesuffix(SUFFIX) for name in found), key=lambda name: (name.count("/"), name))


def archive(name: str) -> Path:
    """The file of a stored experiment.

    Raises
    ------
    ResultsError
        If there is none of that name.
    """
    if name not in names():
        raise ResultsError(f"no trials of {name!r} are stored; {suggest(name, names())}")
    return ARCHIVES / f"{name}{SUFFIX}"


@contextmanager
def unpacked(name: str) -> Iterator[Path]:
    """A stored experiment as a results folder, for as long as the context lasts."""
    with tempfile.TemporaryDirectory() as place, tarfile.open(archive(name)) as files:
        files.extractall(place, filter="data")
        yield Path(place)


def reference(name: str) -> pd.DataFrame:
    """The trials of an experiment of the reference study.

    Parameters
    ----------
    name : str
        As ``nmfrepro reference list`` prints it.

    Returns
    -------
    pandas.DataFrame
        A row per trial with the columns of ``trials.csv``; metrics are fractions.  Its ``attrs`` say what
        made it: "dataset", "sha256" of the data, "nmfrepro", "commit", "processor", all of them where there
        were several.

    Raises
    ------
    ResultsError
        If there is no experiment of that name.

    Examples
    --------
    >>> import nmfrepro
    >>> frame = nmfrepro.reference("orl_nlcf")
    >>> frame.groupby("label", sort=False)["accuracy"].count().to_dict()
    {'Kmeans': 81, 'NMF': 81, 'NLCF': 81, 'NLCF-G': 81, 'NMF-SC': 81}
    """
    with unpacked(name) as folder:
        results = read(folder)
        frame, run = results.frame, results.run
    made = {
        name: ", ".join(dict.fromkeys(str(getattr(each, name)) for each in run.environments))
        for name in ("nmfrepro", "commit", "processor")
    }
    frame.attrs |= {"dataset": run.dataset.origin, "sha256": run.dataset.sha256} | made
    return frame


def pack(folder: Path) -> bytes:
    """The archive of a results folder; the same bytes whenever and wherever it is made."""
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w", format=tarfile.USTAR_FORMAT) as files:
        for name in FILES:
            content = (folder / name).read_bytes()
            entry = tarfile.TarInfo(name)
            entry.size = len(content)
            files.addfile(entry, io.BytesIO(content))
    return lzma.compress(packed.getvalue(), preset=9 | lzma.PRESET_EXTREME)
