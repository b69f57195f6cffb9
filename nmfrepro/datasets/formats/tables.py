"""Any table-like file, read by what it contains rather than by its suffix."""

from __future__ import annotations

from pathlib import Path

from ...errors import DataError
from .arrange import Arranged, Layout, arrange
from .guard import regular_file
from .mat import read_mat

SUFFIXES = (".mat",)


def read_table(path: Path, layout: Layout) -> Arranged:
    """Images and labels from a .mat file.

    Raises
    ------
    DataError
        If it cannot be read.
    """
    regular_file(path)
    if path.suffix.lower() != ".mat":
        raise DataError(f"{path}: files of this kind are not read")
    return arrange(read_mat(path), layout, path)
