"""What a file is, by what it contains rather than by its suffix, and the variables in it."""

from __future__ import annotations

from pathlib import Path

from ...core.errors import DataError
from .guard import regular_file
from .hdf5 import is_hdf5
from .npz import DENSE, read_npz
from .variables import Variables


def kind_of(path: Path) -> str:
    """What a file is, from its first bytes: "mat", "npz", "npy", "idx", "csv".

    Version 4 of MATLAB's format has no mark of its own, so there the suffix decides.

    Raises
    ------
    DataError
        If it is none of them.
    """
    from .idx import is_idx, unpacked_head

    with regular_file(path).open("rb") as stream:
        head = stream.read(16)
    if head.lstrip()[:5].lower() in (b"<!doc", b"<html", b"<?xml"):
        raise DataError(f"{path} is a web page, not data: the address moved or wants a login; fetch it again")
    if head.startswith(b"%%MatrixMarket"):
        raise DataError(f"{path} is a sparse matrix in Matrix Market's format, which is not read; {DENSE}")
    if head.startswith(b"PK\x03\x04"):
        return "npz"
    if head.startswith(b"\x93NUMPY"):
        return "npy"
    if head.startswith(b"MATLAB") or path.suffix.lower() == ".mat" or is_hdf5(path):
        return "mat"
    if is_idx(unpacked_head(path)):
        return "idx"
    if path.suffix.lower().removesuffix(".gz") in (".csv", ".tsv", ".txt") or ".csv" in path.suffixes:
        return "csv"
    raise DataError(f"{path} is of no kind that is read: .mat, .npz, .npy, .csv, IDX, or a folder of images")


def read_variables(path: Path) -> Variables:
    """All variables of a .mat or .npz file.

    Raises
    ------
    DataError
        If it is damaged or of another kind.
    """
    kind = kind_of(path)
    if kind == "mat":
        from .mat import read_mat

        return read_mat(path)
    if kind != "npz":
        raise DataError(f"{path} is a {kind} file, which has no named variables")
    return read_npz(path)
